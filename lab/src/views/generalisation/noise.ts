// The same task made harder, and split: features moved, labels turned, some rows kept for the test.
import type { ValidationTask } from "../../engine/validation";
import { folds, heldOut } from "../../mathematics/folds";
import { Random } from "../../mathematics/random";
import { dataset, type Dataset } from "../../state/dataset";

export interface Disturbance {
  /** Standard deviation of what is added to each feature, as a share of that feature's own. */
  readonly jitter: number;
  /** Share of labels that are turned. */
  readonly flips: number;
  readonly seed: number;
}

/** The rows of a binary task, disturbed; nothing at zero noise. */
export function disturbed(data: Dataset, { jitter, flips, seed }: Disturbance): Dataset {
  const random = new Random(seed);
  const { x, n, d } = data.rows;
  const size = deviations(data);
  const moved = x.map((value, at) => value + jitter * size[at % d] * random.normal());
  const y = data.y.slice();
  for (const i of random.order(n).slice(0, Math.round(flips * n))) y[i] = -y[i];
  return { ...data, rows: { x: moved, n, d }, y, preset: null };
}

/** Standard deviation of each feature. */
export function deviations({ rows: { x, n, d } }: Pick<Dataset, "rows">): Float64Array {
  return Float64Array.from({ length: d }, (_, k) => {
    let [sum, squares] = [0, 0];
    for (let i = 0; i < n; i++) sum += x[i * d + k] / n;
    for (let i = 0; i < n; i++) squares += (x[i * d + k] - sum) ** 2 / n;
    return Math.sqrt(squares);
  });
}

export interface Split {
  readonly train: Dataset;
  readonly test: Dataset;
}

/** A share of each class for the test. */
export function split(data: Dataset, share: number, seed: number): Split {
  const held = heldOut(data.y, share, seed);
  return { train: part(data, (i) => held[i] === 0), test: part(data, (i) => held[i] === 1) };
}

/** Some of the rows, in the frame of all. */
export function part(data: Dataset, keep: (i: number) => boolean): Dataset {
  const rows = Array.from({ length: data.rows.n }, (_, i) => i).filter(keep);
  const { x, d } = data.rows;
  return dataset({
    name: data.name,
    features: data.features,
    classes: data.classes,
    points: rows.map((i) => Array.from(x.subarray(i * d, (i + 1) * d))),
    y: rows.map((i) => data.y[i]),
    weight: rows.map((i) => data.weight[i]),
    frame: data.frame,
  });
}

export const N_FOLDS = 5;

/** Training and test rows as one matrix, as the engine validates them: the fold of each training row, -1 of a test row. */
export function both({ train, test }: Split): Pick<ValidationTask, "data" | "y" | "weight" | "folds"> {
  const n = train.rows.n + test.rows.n;
  const fold = new Int32Array(n).fill(-1);
  fold.set(folds(train.y, N_FOLDS));
  const join = (a: Float64Array, b: Float64Array): Float64Array => Float64Array.from([...a, ...b]);
  return {
    data: { x: join(train.rows.x, test.rows.x), n, d: train.rows.d },
    y: join(train.y, test.y),
    weight: join(train.weight, test.weight),
    folds: fold,
  };
}
