// The same data in other units, and what that does to a machine.
import type { Engine } from "../../engine";
import { cSvc } from "../../engine/formulations";
import type { Kernel } from "../../engine/types";
import { folds } from "../../mathematics/folds";
import type { Dataset, Frame } from "../../state/dataset";
import { deviations, N_FOLDS } from "../generalisation/noise";

/** Plain SMO is counted up to here. */
export const STEP_LIMIT = 20_000;
const TOL = 1e-3;

/** x -> scale x + shift of each feature; the frame goes along. */
function changed(data: Dataset, scale: ArrayLike<number>, shift: ArrayLike<number>, features: readonly string[]): Dataset {
  const { x, n, d } = data.rows;
  const { frame: f } = data;
  const frame: Frame = {
    x0: scale[0] * f.x0 + shift[0],
    x1: scale[0] * f.x1 + shift[0],
    y0: scale[1] * f.y0 + shift[1],
    y1: scale[1] * f.y1 + shift[1],
  };
  return { ...data, rows: { x: x.map((value, at) => scale[at % d] * value + shift[at % d]), n, d }, frame, features, preset: null };
}

/** The second feature times a factor. */
export function scaled(data: Dataset, factor: number): Dataset {
  if (factor === 1) return data;
  return changed(data, [1, factor], [0, 0], [data.features[0], `${data.features[1]} × ${factor}`]);
}

/** Each feature less its mean, divided by its standard deviation. */
export function standardised(data: Dataset): Dataset {
  const { x, n, d } = data.rows;
  const size = deviations(data).map((value) => value || 1);
  const mean = Float64Array.from({ length: d }, (_, k) => {
    let sum = 0;
    for (let i = 0; i < n; i++) sum += x[i * d + k];
    return sum / n;
  });
  return changed(
    data,
    size.map((value) => 1 / value),
    mean.map((value, k) => -value / size[k]),
    data.features.map((name) => `${name}, standardised`),
  );
}

/** The part of the second feature in the mean squared distance of two rows. */
export function distanceShare(data: Dataset): number {
  const [first, second] = deviations(data);
  return second ** 2 / (first ** 2 + second ** 2);
}

export function crossValidated(engine: Engine, { rows, y, weight }: Dataset, kernel: Kernel, C: number): number {
  const [Cs, gammas] = [Float64Array.of(C), new Float64Array()];
  const task = { data: rows, y, weight, kernel, Cs, gammas, folds: folds(y, N_FOLDS) };
  return engine.errorColumn(task, kernel.gamma ?? 1).validation[0];
}

/** Steps of two variables, second-order choice, until the violation is below a thousandth. */
export function stepsOf(engine: Engine, { rows, y, weight }: Dataset, kernel: Kernel, C: number): number {
  return engine.pairCount(cSvc(rows, y, kernel, { C, weight }), "second", { tol: TOL, maxSteps: STEP_LIMIT });
}
