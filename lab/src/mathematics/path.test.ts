import { describe, expect, it } from "vitest";
import golden from "./golden.json";
import { alphasAt, pieceAt, type Machine } from "./path";

const n = golden.y.length;

function product(i: number, j: number): number {
  return golden.X[2 * i] * golden.X[2 * j] + golden.X[2 * i + 1] * golden.X[2 * j + 1];
}

function gram(kernel: string): Float64Array {
  return Float64Array.from({ length: n * n }, (_, place) => {
    const [i, j] = [Math.floor(place / n), place % n];
    if (kernel === "linear") return product(i, j);
    return Math.exp(-(product(i, i) + product(j, j) - 2 * product(i, j)));
  });
}

describe.each(golden.paths)("a piece of the path, $kernel", (path) => {
  const machine: Machine = { K: gram(path.kernel), y: golden.y, weight: path.weight };
  const pieces = path.C.map((C, k) => pieceAt(machine, Float64Array.from(path.alphas[k]), C));

  it("goes through the solution that it was made from", () => {
    pieces.forEach((piece, k) => {
      const C = path.C[k];
      alphasAt(piece, C).forEach((alpha, i) => {
        expect(Math.abs(alpha - path.alphas[k][i])).toBeLessThan(1e-9 * C);
      });
      if (piece.sets.includes(1)) expect(piece.b[0] + C * piece.b[1]).toBeCloseTo(path.intercept[k], 8);
    });
  });

  it("ends where the package has its break points", () => {
    pieces.forEach((piece, k) => {
      const after = path.break_points.find((C) => C > path.C[k]);
      const before = path.break_points.findLast((C) => C < path.C[k]);
      if (after !== undefined) expect(Math.abs(piece.end / after - 1)).toBeLessThan(1e-8);
      if (before !== undefined) expect(Math.abs(piece.begin / before - 1)).toBeLessThan(1e-8);
    });
  });
});
