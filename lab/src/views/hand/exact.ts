// The optimum in fractions: the engine says which points are free and which are at their bound, the conditions of the
// optimum are then linear equations, and every condition is checked again in exact arithmetic.
import { BOUND, FREE, type Fit } from "../../engine/types";
import type { Dataset } from "../../state/dataset";
import type { Parameters } from "../../state/parameters";
import { Fraction, solveLinear } from "./fraction";

export const MOST_POINTS = 12;

export interface Exact {
  readonly alpha: readonly Fraction[];
  readonly box: readonly Fraction[];
  /** Null if an interval of values is optimal: no point is free. */
  readonly b: Fraction | null;
  readonly bLow: Fraction | null;
  readonly bHigh: Fraction | null;
  /** Of a linear kernel. */
  readonly w: readonly Fraction[] | null;
  /** |w|^2 */
  readonly norm2: Fraction;
  /** y_i f(x_i) and slack, with b (or the middle of its interval). */
  readonly margin: readonly Fraction[];
  readonly slack: readonly Fraction[];
  readonly gram: readonly (readonly Fraction[])[];
  readonly objective: Fraction;
  /** Other alphas give the same w: the free points' equations do not determine them. */
  readonly unique: boolean;
}

/** Why there are no fractions, in a sentence. */
export function whyNot(data: Dataset, parameters: Parameters): string | null {
  if (data.rows.n > MOST_POINTS) return `Fractions are computed for up to ${MOST_POINTS} points; here are ${data.rows.n}.`;
  if (parameters.formulation !== "C") return "Fractions are computed for the machine with C.";
  if (parameters.kernel !== "linear" && parameters.kernel !== "poly") return "Only the linear and the polynomial kernel have values that are fractions.";
  if (!Number.isInteger(parameters.degree) && parameters.kernel === "poly") return "The degree must be a whole number.";
  return null;
}

export function exactGram(data: Dataset, { kernel, gamma, coef0, degree }: Parameters): Fraction[][] {
  const { x, n, d } = data.rows;
  const points = Array.from({ length: n }, (_, i) => Array.from({ length: d }, (_, k) => Fraction.of(x[i * d + k])));
  const dot = (u: readonly Fraction[], v: readonly Fraction[]): Fraction => u.reduce((sum, value, k) => sum.plus(value.times(v[k])), Fraction.zero);
  return points.map((u) =>
    points.map((v) => (kernel === "linear" ? dot(u, v) : Fraction.of(gamma).times(dot(u, v)).plus(Fraction.of(coef0)).power(degree))),
  );
}

/** Null if what the engine found is not confirmed. */
export function exactly(data: Dataset, parameters: Parameters, fit: Fit): Exact | null {
  const n = data.rows.n;
  const y = Array.from(data.y, (value) => (value > 0 ? Fraction.one : new Fraction(-1n)));
  const gram = exactGram(data, parameters);
  const box = Array.from(data.weight, (weight) => Fraction.of(parameters.C).times(Fraction.of(weight)));
  const free = indices(n, (i) => fit.state[i] === FREE);
  const known = Array.from({ length: n }, (_, i) => (fit.state[i] === BOUND ? box[i] : Fraction.zero));

  // y_i sum_j y_j alpha_j K_ij + y_i b = 1 for the free points, and sum_j y_j alpha_j = 0.
  const rows = free.map((i) => {
    const right = Fraction.one.minus(y[i].times(score(known, y, gram[i])));
    return [...free.map((j) => y[i].times(y[j]).times(gram[i][j])), y[i], right];
  });
  const balance = known.reduce((sum, alpha, j) => sum.minus(y[j].times(alpha)), Fraction.zero);
  rows.push([...free.map((j) => y[j]), Fraction.zero, balance]);
  let guessed = false;
  const solution = solveLinear(rows, (column) => {
    if (column === free.length) return Fraction.zero;
    guessed = true;
    return Fraction.near(fit.alpha[free[column]], 1e-7);
  });
  if (!solution) return null;
  const alpha = known.map((value, i) => (free.includes(i) ? solution[free.indexOf(i)] : value));
  const raw = gram.map((row) => score(alpha, y, row));
  const interval = intercepts(raw, y, alpha, box);
  const b = free.length > 0 ? solution[free.length] : null;
  const used = b ?? middle(interval);
  if (!used) return null;
  const margin = raw.map((value, i) => y[i].times(value.plus(used)));
  if (!optimal(alpha, box, margin, y)) return null;
  const norm2 = alpha.reduce((sum, value, i) => sum.plus(value.times(y[i]).times(raw[i])), Fraction.zero);
  const total = alpha.reduce((sum, value) => sum.plus(value), Fraction.zero);
  return {
    alpha,
    box,
    b,
    bLow: b ? null : interval[0],
    bHigh: b ? null : interval[1],
    w: parameters.kernel === "linear" ? weightsOf(data, alpha, y) : null,
    norm2,
    margin,
    slack: margin.map((z) => (z.compare(Fraction.one) < 0 ? Fraction.one.minus(z) : Fraction.zero)),
    gram,
    objective: total.minus(norm2.over(new Fraction(2n))),
    unique: !guessed,
  };
}

const indices = (n: number, keep: (i: number) => boolean): number[] => Array.from({ length: n }, (_, i) => i).filter(keep);

/** sum_j alpha_j y_j K_ij, the score without b. */
function score(alpha: readonly Fraction[], y: readonly Fraction[], row: readonly Fraction[]): Fraction {
  return alpha.reduce((sum, value, j) => (value.isZero ? sum : sum.plus(value.times(y[j]).times(row[j]))), Fraction.zero);
}

function weightsOf(data: Dataset, alpha: readonly Fraction[], y: readonly Fraction[]): Fraction[] {
  const { x, d } = data.rows;
  return Array.from({ length: d }, (_, k) => alpha.reduce((sum, value, i) => sum.plus(value.times(y[i]).times(Fraction.of(x[i * d + k]))), Fraction.zero));
}

/** The interval of b that the conditions leave: rows that can still rise bound it from below, the others from above. */
function intercepts(raw: readonly Fraction[], y: readonly Fraction[], alpha: readonly Fraction[], box: readonly Fraction[]): [Fraction | null, Fraction | null] {
  let low: Fraction | null = null;
  let high: Fraction | null = null;
  raw.forEach((value, i) => {
    const wish = y[i].minus(value);
    const rises = y[i].top > 0n ? alpha[i].compare(box[i]) < 0 : !alpha[i].isZero;
    const falls = y[i].top > 0n ? !alpha[i].isZero : alpha[i].compare(box[i]) < 0;
    if (rises && (!low || wish.compare(low) > 0)) low = wish;
    if (falls && (!high || wish.compare(high) < 0)) high = wish;
  });
  return [low, high];
}

const middle = ([low, high]: [Fraction | null, Fraction | null]): Fraction | null =>
  low && high ? low.plus(high).over(new Fraction(2n)) : (low ?? high);

/** All conditions of Karush, Kuhn and Tucker, exactly. */
function optimal(alpha: readonly Fraction[], box: readonly Fraction[], margin: readonly Fraction[], y: readonly Fraction[]): boolean {
  if (!alpha.reduce((sum, value, i) => sum.plus(value.times(y[i])), Fraction.zero).isZero) return false;
  return alpha.every((value, i) => {
    const side = margin[i].compare(Fraction.one);
    if (value.top < 0n || value.compare(box[i]) > 0) return false;
    if (value.isZero) return side >= 0;
    return value.compare(box[i]) === 0 ? side <= 0 : side === 0;
  });
}
