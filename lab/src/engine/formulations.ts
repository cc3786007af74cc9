// How data, a kernel and a loss become a problem: the table of `maxmargin.problems.dual` in TypeScript.
//
//                  target   epsilon  totals              box                  ridge
//   C-SVC          y        0        0                   between 0 and y C_i
//   squared hinge  y        0        0                   between 0 and y inf  1 / (2 C_i)
//   epsilon-SVR    y        epsilon  0                   [-C_i, C_i]
//   nu-SVC         0        0        +-nu sum(s) / 2     between 0 and y s_i
//   nu-SVR         y        0        +-nu sum(C_i) / 2   [0, C_i] and [-C_i, 0]
//   one-class      0        0        nu sum(s)           [0, s_i]
//
// s_i is the weight of a row and C_i = C s_i. Rows of weight zero take no part.
import type { DualProblem, Fit, Formulation, Kernel, Rows } from "./types";

type Weight = Float64Array | null | undefined;

/** The rows of positive weight, with what belongs to them. */
interface Taking {
  rows: Int32Array;
  y: Float64Array;
  weight: Float64Array;
}

function taking(data: Rows, y: Float64Array | null, weight: Weight): Taking {
  const rows = Int32Array.from({ length: data.n }, (_, i) => i).filter((i) => !weight || weight[i]! > 0);
  return {
    rows,
    y: Float64Array.from(rows, (i) => y?.[i] ?? 0),
    weight: Float64Array.from(rows, (i) => weight?.[i] ?? 1),
  };
}

const sum = (values: Float64Array) => values.reduce((total, v) => total + v, 0);

function positive(name: string, value: number): void {
  if (!(value > 0)) throw new RangeError(`${name} is ${value}; it must be greater than 0.`);
}

function share(nu: number): void {
  if (!(nu > 0 && nu <= 1)) throw new RangeError(`nu is ${nu}; it must be greater than 0 and at most 1.`);
}

function signs(y: Float64Array): void {
  if (!y.every((v) => Math.abs(v) === 1)) throw new RangeError("y must be -1 and +1.");
}

type Parts = Pick<DualProblem, "target" | "lower" | "upper"> & Partial<DualProblem>;

function problem(formulation: Formulation, data: Rows, kernel: Kernel, { rows }: Taking, parts: Parts): DualProblem {
  const common = { epsilon: 0, totals: [0], group: null, ridge: null, unitMargin: false };
  return { formulation, data, kernel, rows, ...common, ...parts };
}

export function cSvc(data: Rows, y: Float64Array, kernel: Kernel, { C, weight }: { C: number; weight?: Weight }): DualProblem {
  positive("C", C);
  signs(y);
  const t = taking(data, y, weight);
  return problem("c_svc", data, kernel, t, {
    target: t.y,
    lower: t.y.map((v, i) => Math.min(0, v * C * t.weight[i]!)),
    upper: t.y.map((v, i) => Math.max(0, v * C * t.weight[i]!)),
  });
}

export function squaredHinge(
  data: Rows,
  y: Float64Array,
  kernel: Kernel,
  { C, weight }: { C: number; weight?: Weight },
): DualProblem {
  positive("C", C);
  signs(y);
  const t = taking(data, y, weight);
  return problem("squared_hinge", data, kernel, t, {
    target: t.y,
    lower: t.y.map((v) => (v < 0 ? -Infinity : 0)),
    upper: t.y.map((v) => (v > 0 ? Infinity : 0)),
    ridge: C < Infinity ? t.weight.map((s) => 1 / (2 * C * s)) : null,
  });
}

export function svr(
  data: Rows,
  y: Float64Array,
  kernel: Kernel,
  { C, epsilon, weight }: { C: number; epsilon: number; weight?: Weight },
): DualProblem {
  positive("C", C);
  if (!(epsilon >= 0)) throw new RangeError(`epsilon is ${epsilon}; it must be at least 0.`);
  const t = taking(data, y, weight);
  return problem("svr", data, kernel, t, {
    target: t.y,
    lower: t.weight.map((s) => -C * s),
    upper: t.weight.map((s) => C * s),
    epsilon,
  });
}

export function nuSvc(data: Rows, y: Float64Array, kernel: Kernel, { nu, weight }: { nu: number; weight?: Weight }): DualProblem {
  share(nu);
  signs(y);
  const t = taking(data, y, weight);
  const largest = largestNu(t.y, t.weight);
  if (nu > largest * (1 + 1e-12)) {
    throw new RangeError(
      `nu is ${nu}, but the smaller class has a share of ${Number((largest / 2).toPrecision(4))} of the weight: ` +
        `nu must be at most twice that, ${Number(largest.toPrecision(4))}.`,
    );
  }
  const all = sum(t.weight);
  const half = Math.min((nu * all) / 2, (largest * all) / 2);
  return problem("nu_svc", data, kernel, t, {
    target: new Float64Array(t.y.length),
    lower: t.y.map((v, i) => Math.min(0, v * t.weight[i]!)),
    upper: t.y.map((v, i) => Math.max(0, v * t.weight[i]!)),
    totals: [half, -half],
    group: Uint8Array.from(t.y, (v) => (v < 0 ? 1 : 0)),
    unitMargin: true,
  });
}

/** The largest nu of nu-SVC: twice the share of the smaller class. */
export function largestNu(y: Float64Array, weight?: Weight): number {
  let plus = 0;
  let all = 0;
  for (let i = 0; i < y.length; i++) {
    const s = weight?.[i] ?? 1;
    all += s;
    if (y[i]! > 0) plus += s;
  }
  return (2 * Math.min(plus, all - plus)) / all;
}

export function nuSvr(
  data: Rows,
  y: Float64Array,
  kernel: Kernel,
  { C, nu, weight }: { C: number; nu: number; weight?: Weight },
): DualProblem {
  positive("C", C);
  share(nu);
  const t = taking(data, y, weight);
  const n = t.y.length;
  const half = (nu * C * sum(t.weight)) / 2;
  return problem("nu_svr", data, kernel, t, {
    target: Float64Array.from({ length: 2 * n }, (_, v) => t.y[v % n]!),
    lower: Float64Array.from({ length: 2 * n }, (_, v) => (v < n ? 0 : -C * t.weight[v - n]!)),
    upper: Float64Array.from({ length: 2 * n }, (_, v) => (v < n ? C * t.weight[v]! : 0)),
    totals: [half, -half],
    group: Uint8Array.from({ length: 2 * n }, (_, v) => (v < n ? 0 : 1)),
  });
}

export function oneClass(data: Rows, kernel: Kernel, { nu, weight }: { nu: number; weight?: Weight }): DualProblem {
  share(nu);
  const t = taking(data, null, weight);
  return problem("one_class", data, kernel, t, {
    target: new Float64Array(t.rows.length),
    lower: new Float64Array(t.rows.length),
    upper: t.weight,
    totals: [nu * sum(t.weight)],
  });
}

/**
 * The solution of one problem as a start for another with the same rows: cut to the new box, and the sums put right.
 * Null where that cannot be.
 */
export function feasible(problem: DualProblem, from: Pick<Fit, "beta">): Float64Array | null {
  const { lower, upper, totals, group } = problem;
  if (from.beta.length !== lower.length) return null;
  const beta = from.beta.map((v, i) => Math.min(Math.max(v, lower[i]!), upper[i]!));
  for (const [g, total] of totals.entries()) {
    const mine = (i: number) => !group || group[i] === g;
    let missing = total - beta.reduce((all, v, i) => (mine(i) ? all + v : all), 0);
    for (let i = 0; i < beta.length && missing !== 0; i++) {
      if (!mine(i)) continue;
      const moved = Math.min(Math.max(beta[i]! + missing, lower[i]!), upper[i]!);
      missing -= moved - beta[i]!;
      beta[i] = moved;
    }
    if (Math.abs(missing) > 1e-9 * (Math.abs(total) + 1)) return null;
  }
  return beta;
}
