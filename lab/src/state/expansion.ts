// Scores of points that are not the optimum: a step of a solver, or the w and b of a linear method.
import type { DualProblem, Expansion } from "../engine/types";

/** f of dual variables; of the problems with C, where each row has one variable. */
export function expansionOf(problem: DualProblem, beta: Float64Array, intercept: number): Expansion {
  const coef = new Float64Array(problem.data.n);
  problem.rows.forEach((row, at) => (coef[row] = beta[at]));
  return { data: problem.data, kernel: problem.kernel, coef, intercept };
}

/** f(x) = w'x + b, as one support vector w of a linear kernel. */
export function linearExpansion(w: Float64Array, b: number): Expansion {
  return { data: { x: w, n: 1, d: w.length }, kernel: { name: "linear" }, coef: Float64Array.of(1), intercept: b };
}
