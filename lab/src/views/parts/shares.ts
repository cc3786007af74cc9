// The property of nu: errors <= nu <= support, as shares of the weight of all rows.
import { BOUND, ZERO, type Fit } from "../../engine/types";

export interface Shares {
  readonly nu: number;
  /** Rows beyond their margin, tube or contour. */
  readonly errors: number;
  /** Rows with alpha > 0. */
  readonly support: number;
  /** The same as numbers of rows. */
  readonly atBound: number;
  readonly vectors: number;
  /** rho of nu-SVC, zero or rounding where nu is so small that there is no margin; else 1. */
  readonly margin: number;
}

/** Rounding of a score that is on its margin. */
const ON = 1e-6;

/** Of nu-SVC (y is -1 and +1), nu-SVR (targets) and one class (y is not looked at). */
export function shares(fit: Fit, nu: number, y: ArrayLike<number>, weight: ArrayLike<number>): Shares {
  let [errors, support, all, atBound, vectors] = [0, 0, 0, 0, 0];
  const beyond = (i: number): boolean => {
    const f = fit.decision[i];
    if (fit.formulation === "one_class") return f < -ON * Math.abs(fit.intercept);
    if (fit.formulation === "nu_svr" || fit.formulation === "svr") return Math.abs(y[i] - f) > fit.epsilon + ON * (1 + Math.abs(f));
    return y[i] * f < 1 - ON;
  };
  for (let i = 0; i < fit.data.n; i++) {
    all += weight[i];
    if (beyond(i)) errors += weight[i];
    if (fit.state[i] === BOUND) atBound++;
    if (fit.state[i] !== ZERO) {
      support += weight[i];
      vectors++;
    }
  }
  const margin = fit.formulation === "nu_svc" ? (fit.multipliers[1] - fit.multipliers[0]) / 2 : 1;
  return { nu, errors: errors / all, support: support / all, atBound, vectors, margin };
}
