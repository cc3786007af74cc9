// What the conditions of the optimum say about a row, in numbers and in words.
import { BOUND, FREE, ZERO, type Fit } from "../engine/types";

export type Kkt = "zero" | "free" | "bound" | "violating";

/** y f(x): at least 1 outside of the margin. */
export const margin = (fit: Fit, y: Float64Array, i: number): number => y[i] * fit.decision[i];

/** max(0, 1 - y f): how far a row is on the wrong side of its margin, in units of the margin. */
export const slack = (fit: Fit, y: Float64Array, i: number): number => Math.max(0, 1 - margin(fit, y, i));

/** The state of row i; "violating" if its margin contradicts its alpha by more than the tolerance. */
export function kkt(fit: Fit, y: Float64Array, i: number, tolerance = 1e-3): Kkt {
  const z = margin(fit, y, i);
  const state = fit.state[i];
  const ok = state === ZERO ? z >= 1 - tolerance : state === BOUND ? z <= 1 + tolerance : Math.abs(z - 1) <= tolerance;
  if (!ok && fit.formulation !== "squared_hinge") return "violating";
  return state === ZERO ? "zero" : state === FREE ? "free" : "bound";
}

const WORDS: Record<Kkt, string> = {
  zero: "outside of the margin, no force",
  free: "on the margin, holds it",
  bound: "inside of the margin, pushes with all it may",
  violating: "not yet as the optimum wants it",
};

/** Of squared slack no force has an end: alpha = 2 C xi, and a row with any is short of its margin. */
export function kktWords({ formulation }: Fit, state: Kkt): string {
  return formulation === "squared_hinge" && state === "free" ? "short of the margin, pushes the more" : WORDS[state];
}

export function countStates(fit: Fit): { zero: number; free: number; bound: number } {
  const counts = { zero: 0, free: 0, bound: 0 };
  for (const state of fit.state) counts[state === ZERO ? "zero" : state === FREE ? "free" : "bound"]++;
  return counts;
}

/** sum_i beta_i x_i of a linear kernel. */
export function weights(fit: Fit): Float64Array {
  const { x, n, d } = fit.data;
  const w = new Float64Array(d);
  for (let i = 0; i < n; i++) for (let k = 0; k < d; k++) w[k] += fit.coef[i] * x[i * d + k];
  return w;
}

/** |w|^2 = sum_i beta_i (f(x_i) - b), for every kernel. */
export function squaredNorm(fit: Fit): number {
  let sum = 0;
  for (let i = 0; i < fit.data.n; i++) sum += fit.coef[i] * (fit.decision[i] - fit.intercept);
  return Math.max(0, sum);
}
