/**
 * Three directions of the feature space in which to look at a fitted machine.
 *
 * "separator": the first direction is w / |w| itself, so that the machine's plane and its margins
 * are planes of the picture and distances to them are true; the other two are the directions of
 * greatest variance among those at right angles to w. "variance": the three principal components of
 * the rows (kernel PCA), in which w is seen only in part.
 *
 * A direction is v = sum_i a_i (phi(x_i) - mean), so that every coordinate is an expansion
 * sum_i a_i k(x_i, x) + constant, which the engine evaluates like a machine.
 */

import { spectrum } from "./spectrum";

export type View = "separator" | "variance";

export interface Direction {
  /** Coefficients of the kernel values, and the constant. */
  beta: Float64Array;
  constant: number;
}

export interface Lift {
  directions: [Direction, Direction, Direction];
  /** The machine's plane in these coordinates: normal' coordinates + offset = f, seen in part. */
  normal: [number, number, number];
  offset: number;
  /** |part of w in these directions|^2 / |w|^2. */
  share: number;
  /** Share of the variance of the rows in each of the directions. */
  variance: [number, number, number];
}

/** K without the mean of the rows: K - 1K - K1 + 1K1. */
export function centred(K: Float64Array, n: number): Float64Array {
  const means = new Float64Array(n);
  for (let i = 0; i < n; ++i) {
    for (let j = 0; j < n; ++j) means[i] += K[i * n + j] / n;
  }
  const mean = means.reduce((sum, value) => sum + value / n, 0);
  const result = new Float64Array(n * n);
  for (let i = 0; i < n; ++i) {
    for (let j = 0; j < n; ++j) result[i * n + j] = K[i * n + j] - means[i] - means[j] + mean;
  }
  return result;
}

/** The directions for a machine f(x) = sum_i beta_i k(x_i, x) + b with Gram matrix K. */
export function lift(K: Float64Array, beta: Float64Array, b: number, view: View): Lift {
  const n = beta.length;
  const Kc = centred(K, n);
  const trace = Kc.reduce((sum, value, place) => sum + (place % (n + 1) === 0 ? value : 0), 0);
  // Products of w with itself, and with each centred row.
  const scores = times(K, beta);
  const size = Math.sqrt(Math.max(dot(beta, scores), 0));
  const middle = scores.reduce((sum, value) => sum + value / n, 0);
  const along = scores.map((value) => (size > 0 ? (value - middle) / size : 0));
  const found = view === "separator" ? rest(Kc, along, n) : spectrum(Kc, n);
  const leading = view === "separator" ? 2 : 3;

  const weights: Float64Array[] = view === "separator" ? [unit(beta, 1 / (size || 1))] : [];
  const variance = view === "separator" ? [dot(along, along) / trace] : [];
  for (let k = 0; k < leading; ++k) {
    const value = Math.max(found.values[k] ?? 0, 0);
    variance.push(value / trace);
    const v = found.vectors.subarray(k * n, (k + 1) * n);
    weights.push(direction(v, value, beta, along, size, view));
  }
  const directions = weights.map((a) => seenFromMean(K, a, n));
  const normal = weights.map((a) => dot(a, scores)) as [number, number, number];
  return {
    directions: directions as [Direction, Direction, Direction],
    normal,
    // f = w'(phi - mean) + w'mean + b, and w'mean is the mean score.
    offset: middle + b,
    share: size > 0 ? dot(normal, normal) / size ** 2 : 0,
    variance: variance as [number, number, number],
  };
}

/** The spectrum of the rows without their part along w. */
function rest(Kc: Float64Array, along: Float64Array, n: number): ReturnType<typeof spectrum> {
  const left = Kc.slice();
  for (let i = 0; i < n; ++i) {
    for (let j = 0; j < n; ++j) left[i * n + j] -= along[i] * along[j];
  }
  return spectrum(left, n);
}

/** The unit vector sum_i v_i (centred row i, without its part along w) / sqrt(value), as weights. */
function direction(
  v: Float64Array,
  value: number,
  beta: Float64Array,
  along: Float64Array,
  size: number,
  view: View,
): Float64Array {
  const n = v.length;
  const scale = value > 0 ? 1 / Math.sqrt(value) : 0;
  const mean = v.reduce((sum, part) => sum + part / n, 0);
  const a = v.map((part) => scale * (part - mean));
  if (view === "separator" && size > 0) {
    const part = scale * dot(v, along);
    for (let i = 0; i < n; ++i) a[i] -= (part * beta[i]) / size;
  }
  return a;
}

/** The coordinate along sum_i a_i phi(x_i), zero at the mean of the rows. */
function seenFromMean(K: Float64Array, a: Float64Array, n: number): Direction {
  const values = times(K, a);
  return { beta: a, constant: -values.reduce((sum, value) => sum + value / n, 0) };
}

function times(K: Float64Array, a: Float64Array): Float64Array {
  const n = a.length;
  const result = new Float64Array(n);
  for (let i = 0; i < n; ++i) {
    for (let j = 0; j < n; ++j) result[i] += K[i * n + j] * a[j];
  }
  return result;
}

function dot(u: ArrayLike<number>, v: ArrayLike<number>): number {
  let sum = 0;
  for (let i = 0; i < u.length; ++i) sum += u[i] * v[i];
  return sum;
}

function unit(v: Float64Array, scale: number): Float64Array {
  return v.map((value) => scale * value);
}
