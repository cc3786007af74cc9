// A Gram matrix in a few numbers.

export interface Likeness {
  /** Mean over the rows of the largest k(x_i, x_j) / sqrt(k(x_i, x_i) k(x_j, x_j)) with another row. */
  readonly nearest: number;
  /** Mean of that of all pairs. */
  readonly mean: number;
  /** <K, yy'> / (|K| |yy'|): 1 if the kernel knew the classes. */
  readonly alignment: number;
}

export function likeness(K: Float64Array, y: ArrayLike<number>): Likeness {
  const n = y.length;
  let [nearest, mean, along, square] = [0, 0, 0, 0];
  for (let i = 0; i < n; i++) {
    let best = -Infinity;
    for (let j = 0; j < n; j++) {
      const value = K[i * n + j];
      along += y[i] * y[j] * value;
      square += value * value;
      if (i === j) continue;
      const scaled = value / Math.sqrt(K[i * n + i] * K[j * n + j]);
      best = Math.max(best, scaled);
      mean += scaled / (n * (n - 1));
    }
    nearest += best / n;
  }
  return { nearest, mean, alignment: along / (Math.sqrt(square) * n) };
}
