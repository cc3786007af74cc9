// The data of a task, as an immutable value: an edit gives a new one.
import type { Rows } from "../engine/types";

export type Task = "binary" | "regression" | "one_class" | "multi_class";

/** The part of the plane that is shown; it stays as it is while points are moved. */
export interface Frame {
  readonly x0: number;
  readonly x1: number;
  readonly y0: number;
  readonly y1: number;
}

export interface Dataset {
  /** As it is called on the page. */
  readonly name: string;
  /** The stored set it is, as long as nothing was changed; else null. */
  readonly preset: string | null;
  readonly features: readonly string[];
  /** Two of a binary task, -1 first; all of a multi-class one; the target's name in a regression. */
  readonly classes: readonly string[];
  readonly rows: Rows;
  /** -1 and +1; numbers of classes from 0; targets; all 1 for one class. */
  readonly y: Float64Array;
  readonly weight: Float64Array;
  readonly frame: Frame;
}

export interface Table {
  name: string;
  preset?: string | null;
  features: readonly string[];
  classes: readonly string[];
  /** One array for each row. */
  points: readonly (readonly number[])[];
  y: readonly number[] | Float64Array;
  weight?: readonly number[] | Float64Array;
  frame?: Frame;
}

export function dataset(table: Table): Dataset {
  const n = table.points.length;
  const d = table.features.length;
  const rows: Rows = { x: Float64Array.from(table.points.flat()), n, d };
  const y = Float64Array.from(table.y);
  return {
    name: table.name,
    preset: table.preset ?? null,
    features: table.features,
    classes: table.classes,
    rows,
    y,
    weight: table.weight ? Float64Array.from(table.weight) : new Float64Array(n).fill(1),
    frame: table.frame ?? frameOf(rows, y),
  };
}

const PADDING = 0.12;

/** The smallest frame with some room around all points; of one feature, the second direction is the target's. */
export function frameOf(rows: Rows, y: Float64Array): Frame {
  const [x0, x1] = padded(column(rows, 0));
  const [y0, y1] = padded(rows.d > 1 ? column(rows, 1) : y);
  return { x0, x1, y0, y1 };
}

export function column(rows: Rows, k: number): Float64Array {
  return Float64Array.from({ length: rows.n }, (_, i) => rows.x[i * rows.d + k]);
}

function padded(values: Float64Array): [number, number] {
  if (values.length === 0) return [-1, 1];
  let low = Infinity;
  let high = -Infinity;
  for (const value of values) {
    low = Math.min(low, value);
    high = Math.max(high, value);
  }
  const room = high > low ? PADDING * (high - low) : Math.max(1, Math.abs(low));
  return [low - room, high + room];
}

type Edit = Partial<Pick<Dataset, "rows" | "y" | "weight" | "frame" | "name">>;

const edited = (data: Dataset, edit: Edit): Dataset => ({ ...data, ...edit, preset: null });

/** The same with row i at the given place: (x, y) of two features, (x, target) of one. */
export function moved(data: Dataset, i: number, x: number, y: number): Dataset {
  const { d } = data.rows;
  const features = Float64Array.from(data.rows.x);
  features[i * d] = x;
  if (d > 1) {
    features[i * d + 1] = y;
    return edited(data, { rows: { ...data.rows, x: features } });
  }
  return edited(data, { rows: { ...data.rows, x: features }, y: data.y.with(i, y) });
}

/** One row more, at the end. */
export function added(data: Dataset, point: readonly number[], y: number, weight = 1): Dataset {
  const { x, n, d } = data.rows;
  return edited(data, {
    rows: { x: Float64Array.from([...x, ...point]), n: n + 1, d },
    y: Float64Array.from([...data.y, y]),
    weight: Float64Array.from([...data.weight, weight]),
  });
}

export function removed(data: Dataset, i: number): Dataset {
  const { x, n, d } = data.rows;
  return edited(data, {
    rows: { x: x.filter((_, at) => Math.floor(at / d) !== i), n: n - 1, d },
    y: data.y.filter((_, at) => at !== i),
    weight: data.weight.filter((_, at) => at !== i),
  });
}

/** Row i in the next class. */
export function relabelled(data: Dataset, i: number, y: number): Dataset {
  return edited(data, { y: data.y.with(i, y) });
}

export function reweighted(data: Dataset, i: number, weight: number): Dataset {
  return edited(data, { weight: data.weight.with(i, weight) });
}

/** The class after y: the other sign of two classes, the next number of several. */
export function nextClass(data: Dataset, task: Task, y: number): number {
  if (task === "binary") return -y;
  if (task === "multi_class") return (y + 1) % data.classes.length;
  return y;
}
