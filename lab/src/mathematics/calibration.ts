/** From scores to probabilities: a sigmoid, a monotone step function, an interval. */

/** P(+1 | f) = 1 / (1 + exp(slope f + offset)). */
export interface Sigmoid {
  slope: number;
  offset: number;
}

export function sigmoidAt({ slope, offset }: Sigmoid, score: number): number {
  const z = slope * score + offset;
  return z >= 0 ? Math.exp(-z) / (1 + Math.exp(-z)) : 1 / (1 + Math.exp(z));
}

/**
 * Newton's method on the log-loss with Platt's targets, (n+ + 1) / (n+ + 2) and 1 / (n- + 2),
 * which keep the sigmoid finite where scores separate the classes.
 *
 *     sum_i t_i z_i + log(1 + exp(-z_i)),   z_i = slope f_i + offset
 */
export function fitSigmoid(scores: ArrayLike<number>, labels: ArrayLike<number>): Sigmoid {
  const n = scores.length;
  let positive = 0;
  for (let i = 0; i < n; ++i) if (labels[i] > 0) ++positive;
  const negative = n - positive;
  const high = (positive + 1) / (positive + 2);
  const low = 1 / (negative + 2);
  const target = (i: number): number => (labels[i] > 0 ? high : low);
  const loss = ({ slope, offset }: Sigmoid): number => {
    let sum = 0;
    for (let i = 0; i < n; ++i) {
      const z = slope * scores[i] + offset;
      sum += target(i) * z + Math.max(-z, 0) + Math.log1p(Math.exp(-Math.abs(z)));
    }
    return sum;
  };
  const prior = { slope: 0, offset: Math.log((negative + 1) / (positive + 1)) };
  let best: Sigmoid = prior;
  let value = loss(best);
  for (let step = 0; step < 100; ++step) {
    const move = newtonStep(scores, target, best);
    if (move === null || !(move.promise > 1e-14 * value)) break;
    let length = 1;
    let next = best;
    let found = value;
    for (let halving = 0; halving < 60; ++halving, length /= 2) {
      next = { slope: best.slope + length * move.slope, offset: best.offset + length * move.offset };
      found = loss(next);
      if (found < value - 1e-4 * length * move.promise) break;
    }
    if (!(found < value)) break;
    best = next;
    value = found;
  }
  return best.slope <= 0 ? best : prior;
}

function newtonStep(
  scores: ArrayLike<number>,
  target: (i: number) => number,
  at: Sigmoid,
): (Sigmoid & { promise: number }) | null {
  let [a, b, aa, ab, bb] = [0, 0, 0, 0, 0];
  for (let i = 0; i < scores.length; ++i) {
    const f = scores[i];
    const p = sigmoidAt(at, f);
    const first = target(i) - p;
    const second = p * (1 - p);
    a += first * f;
    b += first;
    aa += second * f * f;
    ab += second * f;
    bb += second;
  }
  const determinant = aa * bb - ab * ab;
  if (!(determinant > 0)) return null;
  const slope = (ab * b - bb * a) / determinant;
  const offset = (ab * a - aa * b) / determinant;
  return { slope, offset, promise: -(slope * a + offset * b) };
}

/** A function that never falls: `level[k]` from `score[k]` on; between two steps straight. */
export interface Steps {
  score: number[];
  level: number[];
}

/** The shares of positive rows that never fall with the score and are nearest to the labels. */
export function isotonic(scores: ArrayLike<number>, labels: ArrayLike<number>): Steps {
  const order = Array.from(scores, (_, i) => i).sort((i, j) => scores[i] - scores[j]);
  const blocks: { first: number; last: number; rows: number; sum: number }[] = [];
  for (const i of order) {
    const top = blocks.at(-1);
    const value = labels[i] > 0 ? 1 : 0;
    if (top !== undefined && top.last === scores[i]) {
      top.rows += 1;
      top.sum += value;
    } else {
      blocks.push({ first: scores[i], last: scores[i], rows: 1, sum: value });
    }
  }
  const pooled: typeof blocks = [];
  for (const block of blocks) {
    let added = block;
    for (let top = pooled.at(-1); top !== undefined; top = pooled.at(-1)) {
      if (top.sum * added.rows < added.sum * top.rows) break;
      added = {
        first: top.first,
        last: added.last,
        rows: top.rows + added.rows,
        sum: top.sum + added.sum,
      };
      pooled.pop();
    }
    pooled.push(added);
  }
  const steps: Steps = { score: [], level: [] };
  for (const { first, last, rows, sum } of pooled) {
    steps.score.push(first);
    steps.level.push(sum / rows);
    if (last > first) {
      steps.score.push(last);
      steps.level.push(sum / rows);
    }
  }
  return steps;
}

/** The value at a score: straight between two neighbours, constant beyond the ends. */
export function stepsAt({ score, level }: Steps, at: number): number {
  const next = score.findIndex((value) => value >= at);
  if (next < 0) return level.at(-1) ?? Number.NaN;
  if (next === 0 || score[next] === at) return level[next];
  const share = (at - score[next - 1]) / (score[next] - score[next - 1]);
  return (1 - share) * level[next - 1] + share * level[next];
}

/**
 * Venn-Abers: what isotonic regression says at a score if the new row is of the first class, and
 * if it is of the second. One of the two is calibrated, whatever the distribution of rows.
 */
export function vennAbers(
  scores: ArrayLike<number>,
  labels: ArrayLike<number>,
  at: number,
): [number, number] {
  const all = [...Array.from(scores), at];
  const ends = [-1, 1].map((label) => stepsAt(isotonic(all, [...Array.from(labels), label]), at));
  return [ends[0], ends[1]];
}

export interface Bin {
  probability: number;
  share: number;
  /** Ends of Wilson's 95 % interval of the share. */
  low: number;
  high: number;
  rows: number;
}

/** Observed shares against predicted probabilities, in bins of equally many rows. */
export function reliability(
  probabilities: ArrayLike<number>,
  labels: ArrayLike<number>,
  most = 10,
): Bin[] {
  const n = probabilities.length;
  const order = Array.from(probabilities, (_, i) => i);
  order.sort((i, j) => probabilities[i] - probabilities[j]);
  const count = Math.min(most, n);
  const longer = n % count;
  const bins: Bin[] = [];
  for (let k = 0, from = 0; k < count; ++k) {
    const rows = Math.floor(n / count) + (k < longer ? 1 : 0);
    const part = order.slice(from, from + rows);
    from += rows;
    const probability = part.reduce((sum, i) => sum + probabilities[i], 0) / rows;
    const share = part.filter((i) => labels[i] > 0).length / rows;
    const spread = 1.96 ** 2 / rows;
    const middle = (share + spread / 2) / (1 + spread);
    const half =
      (1.96 / (1 + spread)) * Math.sqrt((share * (1 - share)) / rows + spread / (4 * rows));
    bins.push({ probability, share, low: middle - half, high: middle + half, rows });
  }
  return bins;
}

/** The mean distance of shares and probabilities over all rows. */
export function calibrationError(bins: Bin[]): number {
  const rows = bins.reduce((sum, bin) => sum + bin.rows, 0);
  return bins.reduce((sum, bin) => sum + bin.rows * Math.abs(bin.share - bin.probability), 0) / rows;
}

/** The mean of -log P of what happened; probabilities of 0 and 1 cost as much as one in 1e15. */
export function logLoss(probabilities: ArrayLike<number>, labels: ArrayLike<number>): number {
  let sum = 0;
  for (let i = 0; i < probabilities.length; ++i) {
    const p = labels[i] > 0 ? probabilities[i] : 1 - probabilities[i];
    sum -= Math.log(Math.max(p, 1e-15));
  }
  return sum / probabilities.length;
}
