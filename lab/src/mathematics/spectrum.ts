/** Eigenvalues and eigenvectors of a symmetric matrix. */

export interface Spectrum {
  /** Descending. */
  values: Float64Array;
  /** Row k is the vector of value k, of length 1. */
  vectors: Float64Array;
}

/**
 * A = V' diag(values) V, by reflections to three diagonals and then implicit QR steps.
 *
 * @param A n x n, row by row; it is not changed.
 */
export function spectrum(A: Float64Array, n: number): Spectrum {
  const { diagonal, beside, rows } = tridiagonal(A, n);
  diagonalise(diagonal, beside, rows, n);
  const order = Array.from(diagonal.keys()).sort((i, j) => diagonal[j] - diagonal[i]);
  const values = new Float64Array(n);
  const vectors = new Float64Array(n * n);
  order.forEach((from, to) => {
    values[to] = diagonal[from];
    vectors.set(rows.subarray(from * n, (from + 1) * n), to * n);
  });
  return { values, vectors };
}

interface Tridiagonal {
  diagonal: Float64Array;
  beside: Float64Array;
  /** T = rows A rows'. */
  rows: Float64Array;
}

/** Reflections I - 2 v v', one for each column, that leave three diagonals. */
function tridiagonal(given: Float64Array, n: number): Tridiagonal {
  const A = given.slice();
  const rows = new Float64Array(n * n);
  for (let i = 0; i < n; ++i) rows[i * n + i] = 1;
  const v = new Float64Array(n);
  const product = new Float64Array(n);
  for (let k = 0; k + 2 < n; ++k) {
    if (!reflector(A, n, k, v)) continue;
    // A <- (I - 2vv') A (I - 2vv') = A - 2 (v q' + q v'),  q = A v - (v'A v) v
    let curvature = 0;
    for (let i = k; i < n; ++i) {
      let sum = 0;
      for (let j = k + 1; j < n; ++j) sum += A[i * n + j] * v[j];
      product[i] = sum;
      curvature += v[i] * sum;
    }
    for (let i = k; i < n; ++i) product[i] -= curvature * v[i];
    for (let i = k; i < n; ++i) {
      for (let j = k; j < n; ++j) {
        A[i * n + j] -= 2 * (v[i] * product[j] + product[i] * v[j]);
      }
    }
    reflectRows(rows, n, k, v);
  }
  const diagonal = Float64Array.from({ length: n }, (_, i) => A[i * n + i]);
  const beside = Float64Array.from({ length: Math.max(n - 1, 0) }, (_, i) => A[i * n + i + 1]);
  return { diagonal, beside, rows };
}

/** The unit vector v, zero up to place k, whose reflection clears column k below its neighbour. */
function reflector(A: Float64Array, n: number, k: number, v: Float64Array): boolean {
  v.fill(0);
  let rest = 0;
  for (let i = k + 2; i < n; ++i) rest += A[i * n + k] ** 2;
  if (rest === 0) return false;
  const first = A[(k + 1) * n + k];
  const length = Math.sqrt(first * first + rest);
  v[k + 1] = first + (first < 0 ? -length : length);
  for (let i = k + 2; i < n; ++i) v[i] = A[i * n + k];
  const size = Math.sqrt(v[k + 1] ** 2 + rest);
  for (let i = k + 1; i < n; ++i) v[i] /= size;
  return true;
}

/** rows <- (I - 2vv') rows. */
function reflectRows(rows: Float64Array, n: number, k: number, v: Float64Array): void {
  const sums = new Float64Array(n);
  for (let i = k + 1; i < n; ++i) {
    for (let j = 0; j < n; ++j) sums[j] += v[i] * rows[i * n + j];
  }
  for (let i = k + 1; i < n; ++i) {
    for (let j = 0; j < n; ++j) rows[i * n + j] -= 2 * v[i] * sums[j];
  }
}

/** QR steps with Wilkinson's shift on the last block that is not diagonal yet. */
function diagonalise(d: Float64Array, e: Float64Array, rows: Float64Array, n: number): void {
  const small = (i: number): boolean =>
    Math.abs(e[i]) <= Number.EPSILON * (Math.abs(d[i]) + Math.abs(d[i + 1]));
  let last = n - 1;
  for (let step = 0; last > 0 && step < 60 * n; ++step) {
    if (small(last - 1)) {
      e[--last] = 0;
      continue;
    }
    let first = last - 1;
    while (first > 0 && !small(first - 1)) --first;
    sweep(d, e, rows, n, first, last);
  }
}

/** One QR step of T - shift on the places first to last: rotations chase a bulge downwards. */
function sweep(
  d: Float64Array,
  e: Float64Array,
  rows: Float64Array,
  n: number,
  first: number,
  last: number,
): void {
  const half = (d[last - 1] - d[last]) / 2;
  const off = e[last - 1];
  const root = Math.hypot(half, off);
  let x = d[first] - d[last] + (off * off) / (half + (half < 0 ? -root : root));
  let bulge = e[first];
  for (let k = first; k < last; ++k) {
    const r = Math.hypot(x, bulge);
    const c = r === 0 ? 1 : x / r;
    const s = r === 0 ? 0 : bulge / r;
    if (k > first) e[k - 1] = r;
    const [a, b, g] = [d[k], e[k], d[k + 1]];
    d[k] = c * c * a + 2 * c * s * b + s * s * g;
    d[k + 1] = s * s * a - 2 * c * s * b + c * c * g;
    e[k] = (c * c - s * s) * b + c * s * (g - a);
    if (k + 1 < last) {
      x = e[k];
      bulge = s * e[k + 1];
      e[k + 1] *= c;
    }
    for (let j = k * n, i = j + n; j < (k + 1) * n; ++j, ++i) {
      const [above, below] = [rows[j], rows[i]];
      rows[j] = c * above + s * below;
      rows[i] = c * below - s * above;
    }
  }
}
