/** From the outputs of binary machines to one of several classes. */

/** The pairs of k classes, each class with every later one: an output is positive for the first. */
export function pairs(k: number): [number, number][] {
  const all: [number, number][] = [];
  for (let i = 0; i < k; ++i) for (let j = i + 1; j < k; ++j) all.push([i, j]);
  return all;
}

export interface Verdict {
  /** The class that wins; among equals the one of the lowest number. */
  winner: number;
  /** How many share the first place. */
  equals: number;
}

/** One vote per pair, at zero for the later class. */
export function votes(outputs: ArrayLike<number>, k: number): Int32Array {
  const total = new Int32Array(k);
  pairs(k).forEach(([first, second], p) => {
    total[outputs[p] > 0 ? first : second] += 1;
  });
  return total;
}

/** The largest of some numbers. */
export function highest(values: ArrayLike<number>): Verdict {
  let winner = 0;
  let equals = 1;
  for (let i = 1; i < values.length; ++i) {
    if (values[i] > values[winner]) {
      winner = i;
      equals = 1;
    } else if (values[i] === values[winner]) {
      ++equals;
    }
  }
  return { winner, equals };
}

/**
 * Votes with the sum c of a class's outputs, squeezed to c / (3 (|c| + 1)), to break ties: it never
 * outweighs a vote. The package's `break_ties=True`.
 */
export function brokenTies(outputs: ArrayLike<number>, k: number): Float64Array {
  const total = new Float64Array(k);
  const sums = new Float64Array(k);
  pairs(k).forEach(([first, second], p) => {
    total[outputs[p] >= 0 ? first : second] += 1;
    sums[first] += outputs[p];
    sums[second] -= outputs[p];
  });
  return total.map((count, i) => count + sums[i] / (3 * (Math.abs(sums[i]) + 1)));
}
