/**
 * All solutions of a soft margin, one for each C: they are piecewise linear in C.
 *
 *     minimise over beta   1/2 beta'K beta - y'beta,   0 <= y_i beta_i <= C s_i,   sum beta = 0
 *
 * With f = K beta + b, a row is free where y_i f_i = 1 (the set E), at its bound C s_i where
 * y_i f_i <= 1 (L), and zero where y_i f_i >= 1. As long as no row changes its set,
 *
 *     [ 0  1'  ] [   b    ]   [ 0   ]       [ -sum_L y s    ]
 *     [ 1 K_EE ] [ beta_E ] = [ y_E ]  +  C [ -K_EL (y s)_L ],
 *
 * so that alpha = y beta and b are lines in C, and so are all f_i: where the first of them meets the
 * end of its condition, the piece ends. The sets of each piece are those of a fit just behind the
 * last break point: errors do not add up on the way, and what happens at once is one break point.
 */

import { BOUND, FREE, ZERO } from "../engine/types";

/** The fit at one C: alpha of all rows, exact up to rounding. */
export type FitAt = (C: number) => Float64Array;

export interface Machine {
  /** n x n, row by row. */
  K: Float64Array;
  /** -1 and +1. */
  y: ArrayLike<number>;
  /** What each row's loss counts; alpha is at most C times this. */
  weight: ArrayLike<number>;
}

/** From `begin` to `end` every alpha is `constant + C slope`. */
export interface Piece {
  begin: number;
  end: number;
  constant: Float64Array;
  slope: Float64Array;
  /** The intercept is `b[0] + C b[1]`; not a number where no row is free: an interval of them. */
  b: [number, number];
  /** ZERO, FREE or BOUND of each row. */
  sets: Uint8Array;
}

/** How far behind a break point the next fit is, and what is nothing, as shares of C. */
const BEHIND = 1e-6;
const NOTHING = 1e-9;

/** The pieces from C = low to C = high, one after the other as they are found. */
export function* path(
  machine: Machine,
  fitAt: FitAt,
  low: number,
  high: number,
): Generator<Piece, void, undefined> {
  let C = low;
  let begin: number | null = null;
  while (C < high) {
    const piece = pieceAt(machine, fitAt(C), C);
    // Sets of rows that are copies or in line may hold nowhere but at the fit itself: the next one tells.
    if (piece.end > C) {
      piece.begin = begin ?? (piece.begin < low * NOTHING ? 0 : low);
      yield piece;
      begin = piece.end;
    }
    if (!(piece.end < high)) return;
    C = Math.max(piece.end, C) * (1 + BEHIND);
  }
}

/** The alphas of a piece at one C. */
export function alphasAt(piece: Piece, C: number): Float64Array {
  return piece.constant.map((value, i) => value + C * piece.slope[i]);
}

/** The piece that a fit lies in, from its sets. */
export function pieceAt(machine: Machine, alpha: Float64Array, C: number): Piece {
  const { y, weight } = machine;
  const n = y.length;
  const sets = Uint8Array.from({ length: n }, (_, i) => {
    const most = C * weight[i];
    if (alpha[i] <= NOTHING * most) return ZERO;
    return alpha[i] >= (1 - NOTHING) * most ? BOUND : FREE;
  });
  const pull = pullOf(machine, sets);
  const constant = new Float64Array(n);
  const slope = new Float64Array(n);
  for (let i = 0; i < n; ++i) if (sets[i] === BOUND) slope[i] = weight[i];
  const free = [...sets.keys()].filter((i) => sets[i] === FREE);
  const piece: Piece = { begin: 0, end: Infinity, constant, slope, b: [NaN, NaN], sets };
  if (free.length === 0) {
    [piece.begin, piece.end] = openInterval(machine, sets, pull, C);
    return piece;
  }
  piece.b = solveFree(machine, alpha, sets, free, pull, constant, slope);
  [piece.begin, piece.end] = extent(machine, piece, free, pull, C);
  return piece;
}

/** K_L (y s)_L: what the rows at their bound add to each score for a unit of C. */
function pullOf({ K, y, weight }: Machine, sets: Uint8Array): Float64Array {
  const n = y.length;
  const pull = new Float64Array(n);
  for (let j = 0; j < n; ++j) {
    if (sets[j] !== BOUND) continue;
    const push = y[j] * weight[j];
    for (let i = 0; i < n; ++i) pull[i] += push * K[j * n + i];
  }
  return pull;
}

/**
 * Solve for the lines of the free variables and of b.
 *
 * The first free row makes up for the sum; what is left has the matrix of inner products of the
 * others, seen from it, and is factored as R'R. A row that depends on those before it stays where
 * the fit has put it: no score depends on how such rows share.
 */
function solveFree(
  { K, y, weight }: Machine,
  alpha: Float64Array,
  sets: Uint8Array,
  free: number[],
  pull: Float64Array,
  constant: Float64Array,
  slope: Float64Array,
): [number, number] {
  const n = y.length;
  const at = (i: number, j: number): number => K[i * n + j];
  const [r, ...others] = free as [number, ...number[]];
  const seen = (i: number, j: number): number => at(i, j) - at(i, r) - at(r, j) + at(r, r);
  const kept: number[] = [];
  const rows: Float64Array[] = [];
  const held: number[] = [];
  for (const i of others) {
    const row = new Float64Array(kept.length + 1);
    let rest = seen(i, i);
    kept.forEach((j, k) => {
      let sum = seen(i, j);
      for (let l = 0; l < k; ++l) sum -= row[l] * rows[k][l];
      row[k] = sum / rows[k][k];
      rest -= row[k] ** 2;
    });
    if (rest > 1e-11 * (at(i, i) + at(r, r))) {
      row[kept.length] = Math.sqrt(rest);
      kept.push(i);
      rows.push(row);
    } else {
      held.push(i);
    }
  }
  // The sum of the free variables: total[0] + C total[1].
  const total: [number, number] = [0, 0];
  for (let i = 0; i < n; ++i) if (sets[i] === BOUND) total[1] -= y[i] * weight[i];
  for (const i of held) {
    constant[i] = alpha[i];
    total[0] -= y[i] * alpha[i];
  }
  const fromHeld = (i: number): number =>
    held.reduce((sum, j) => sum + at(i, j) * y[j] * alpha[j], 0);
  const right = (i: number): [number, number] => [
    y[i] - fromHeld(i) - at(i, r) * total[0],
    -pull[i] - at(i, r) * total[1],
  ];
  const base = right(r);
  const b: [number, number] = [base[0], base[1]];
  const sum: [number, number] = [total[0], total[1]];
  for (const part of [0, 1] as const) {
    const beta = backSolve(
      rows,
      kept.map((i) => right(i)[part] - base[part]),
    );
    kept.forEach((i, k) => {
      (part === 0 ? constant : slope)[i] = y[i] * beta[k];
      sum[part] -= beta[k];
      b[part] -= beta[k] * (at(i, r) - at(r, r));
    });
    (part === 0 ? constant : slope)[r] = y[r] * sum[part];
  }
  return b;
}

/** Solve R'R x = right, R' given by its rows. */
function backSolve(rows: Float64Array[], right: number[]): Float64Array {
  const x = Float64Array.from(right);
  for (let k = 0; k < x.length; ++k) {
    for (let l = 0; l < k; ++l) x[k] -= rows[k][l] * x[l];
    x[k] /= rows[k][k];
  }
  for (let k = x.length - 1; k >= 0; --k) {
    x[k] /= rows[k][k];
    for (let l = 0; l < k; ++l) x[l] -= rows[k][l] * x[k];
  }
  return x;
}

/** How far below and above C the sets of a piece hold. */
function extent(
  { K, y, weight }: Machine,
  piece: Piece,
  free: number[],
  pull: Float64Array,
  C: number,
): [number, number] {
  const n = y.length;
  const { constant, slope, b, sets } = piece;
  let [begin, end] = [0, Infinity];
  /** The line value + C rate stays positive. */
  const keep = (value: number, rate: number): void => {
    const now = value + C * rate;
    if (Math.abs(rate) <= 1e-13 * (1 + Math.abs(value))) return;
    const zero = Math.max(now, 0) / -rate + C;
    if (rate < 0) end = Math.min(end, zero);
    else begin = Math.max(begin, zero);
  };
  for (const i of free) {
    keep(constant[i], slope[i]);
    keep(-constant[i], weight[i] - slope[i]);
  }
  for (let i = 0; i < n; ++i) {
    if (sets[i] === FREE || weight[i] === 0) continue;
    let value = b[0];
    let rate = b[1] + pull[i];
    for (const j of free) {
      value += K[i * n + j] * y[j] * constant[j];
      rate += K[i * n + j] * y[j] * slope[j];
    }
    const sign = sets[i] === ZERO ? 1 : -1;
    keep(sign * (y[i] * value - 1), sign * y[i] * rate);
  }
  return [begin, end];
}

/** No row is free: b lies between lines in C, and the piece ends where the first two of them meet. */
function openInterval(
  { y, weight }: Machine,
  sets: Uint8Array,
  pull: Float64Array,
  C: number,
): [number, number] {
  const rows = [...sets.keys()].filter((i) => weight[i] > 0);
  const above = rows.filter((i) => (sets[i] === BOUND) === y[i] > 0);
  const below = rows.filter((i) => (sets[i] === BOUND) !== y[i] > 0);
  let [begin, end] = [0, Infinity];
  // b <= y_i - C pull_i above, b >= y_j - C pull_j below.
  for (const i of above) {
    for (const j of below) {
      const closing = pull[i] - pull[j];
      if (closing === 0) continue;
      const meet = (y[i] - y[j]) / closing;
      if (closing > 0) end = Math.min(end, Math.max(meet, C));
      else begin = Math.max(begin, Math.min(meet, C));
    }
  }
  return [begin, end];
}
