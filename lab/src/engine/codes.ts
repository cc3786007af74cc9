// The order of the enums in cpp/lab/lab.h, and of those of the core that it speaks of.
import { kernelNames, type Certificate, type DualProblem, type Kernel, type KernelName, type Rows, type Status } from "./types";

/** svm::Status */
export const statuses: readonly Status[] = ["optimal", "precision", "max_iterations", "stopped"];

/** LAB_STATUS and what follows it. */
export const at = {
  status: 0,
  primal: 1,
  dual: 2,
  gap: 3,
  violation: 4,
  bound: 5,
  convex: 6,
  multiplier: 7,
  steps: 10,
  newtonSteps: 11,
  seconds: 12,
  traceRows: 13,
  numbers: 16,
  traceColumns: 7,
};

export function certificateOf(numbers: Float64Array): Certificate {
  return {
    primal: numbers[at.primal]!,
    dual: numbers[at.dual]!,
    gap: numbers[at.gap]!,
    violation: numbers[at.violation]!,
    bound: numbers[at.bound]!,
    convex: numbers[at.convex] === 1,
  };
}

/** The core's gamma of a Matern kernel of length scale 1. */
const sharpness: Partial<Record<KernelName, number>> = { matern32: Math.sqrt(3), matern52: Math.sqrt(5) };

/** kind (`kernelNames` are in the order of svm::KernelKind), gamma, coef0, degree. */
export function kernelNumbers(kernel: Kernel, data: Rows): Float64Array {
  const { name, gamma = 1, coef0 = 0, degree = 3 } = kernel;
  if (!kernelNames.includes(name)) throw new RangeError(`there is no kernel "${name}"`);
  if (!(gamma >= 0)) throw new RangeError(`gamma is ${gamma}; it must be at least 0.`);
  if (name === "poly" && !(Number.isInteger(degree) && degree >= 0)) {
    throw new RangeError(`degree is ${degree}; it must be a whole number of at least 0.`);
  }
  if (name === "chi2" && data.x.some((v) => v < 0)) {
    throw new RangeError("The chi-squared kernel needs features of at least 0.");
  }
  return Float64Array.of(kernelNames.indexOf(name), (sharpness[name] ?? 1) * gamma, coef0, degree);
}

export function checkRows({ x, n, d }: Rows): void {
  if (x.length !== n * d) throw new RangeError(`${n} rows of ${d} features are ${n * d} numbers, not ${x.length}.`);
  if (!x.every(Number.isFinite)) throw new RangeError("The data have values that are not finite.");
}

/** Some rows of the data, in a matrix of their own. */
export function pick({ x, d, n }: Rows, rows: Int32Array): Rows {
  if (rows.length === n) return { x, n, d };
  const picked = new Float64Array(rows.length * d);
  rows.forEach((row, i) => picked.set(x.subarray(row * d, (row + 1) * d), i * d));
  return { x: picked, n: rows.length, d };
}

/** A problem as the first twelve arguments of lab_solve and its like. */
export function stated(problem: DualProblem) {
  const data = pick(problem.data, problem.rows);
  checkRows(data);
  const { target, lower, upper, epsilon, group, ridge } = problem;
  if (data.n === 0) throw new RangeError("There is no row of positive weight.");
  const kernel = kernelNumbers(problem.kernel, data);
  const totals = Float64Array.from(problem.totals);
  return [data.x, data.n, data.d, kernel, target.length, target, lower, upper, epsilon, group, totals, ridge] as const;
}

/** What the multipliers of the groups mean: `DualProblem.decision` of the package. */
export function levels(problem: DualProblem, multipliers: readonly number[]): { intercept: number; rho: number; half: number } {
  const half = multipliers.length === 2 ? (multipliers[1]! - multipliers[0]!) / 2 : 0;
  const rho = problem.unitMargin && half > 0 ? half : 1;
  return { intercept: multipliers.reduce((all, v) => all + v, 0) / multipliers.length / rho, rho, half };
}
