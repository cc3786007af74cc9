import { describe, expect, it } from "vitest";
import golden from "./golden.json";
import { calibrationError, fitSigmoid, isotonic, reliability, sigmoidAt, stepsAt, vennAbers } from "./calibration";
import { folds, heldOut } from "./folds";
import { lift } from "./lift";
import { Random } from "./random";
import { spectrum } from "./spectrum";
import { brokenTies, highest, votes } from "./votes";

const n = golden.y.length;

/** exp(-gamma |u - v|^2) of all pairs of the golden rows. */
export function gaussian(gamma: number): Float64Array {
  return Float64Array.from({ length: n * n }, (_, place) => {
    const [i, j] = [Math.floor(place / n), place % n];
    const [dx, dy] = [0, 1].map((k) => golden.X[2 * i + k] - golden.X[2 * j + k]);
    return Math.exp(-gamma * (dx * dx + dy * dy));
  });
}

function close(found: ArrayLike<number>, expected: ArrayLike<number>, within: number): void {
  expect(found.length).toBe(expected.length);
  for (let i = 0; i < expected.length; ++i) {
    expect(Math.abs(found[i] - expected[i]), `place ${i}: ${found[i]} and ${expected[i]}`).toBeLessThan(within);
  }
}

describe("spectrum", () => {
  it("has the eigenvalues that the package's matrix has", () => {
    close(spectrum(gaussian(1), n).values, golden.spectra.values, 1e-12);
  });

  it("gives back the matrix", () => {
    const K = gaussian(3);
    const { values, vectors } = spectrum(K, n);
    const again = new Float64Array(n * n);
    for (let k = 0; k < n; ++k) {
      for (let i = 0; i < n; ++i) {
        for (let j = 0; j < n; ++j) again[i * n + j] += values[k] * vectors[k * n + i] * vectors[k * n + j];
      }
    }
    close(again, K, 1e-13);
  });

  it("takes a diagonal, equal values and one row", () => {
    expect(Array.from(spectrum(Float64Array.of(1, 0, 0, 3), 2).values)).toEqual([3, 1]);
    expect(Array.from(spectrum(Float64Array.of(2, 0, 0, 0, 2, 0, 0, 0, 2), 3).values)).toEqual([2, 2, 2]);
    expect(Array.from(spectrum(Float64Array.of(5), 1).values)).toEqual([5]);
  });
});

describe("lift", () => {
  const K = gaussian(1);
  const beta = Float64Array.from(golden.spectra.beta);
  const coordinates = (view: "separator" | "variance"): { z: number[][]; f: number[]; share: number } => {
    const { directions, normal, offset, share } = lift(K, beta, golden.spectra.intercept, view);
    const z = golden.y.map((_, i) =>
      directions.map((d) => d.beta.reduce((sum, a, j) => sum + a * K[j * n + i], d.constant)),
    );
    return { z, f: z.map((at) => at.reduce((sum, value, k) => sum + normal[k] * value, offset)), share };
  };

  it("shows the separator as the plane that it is", () => {
    const { f, share } = coordinates("separator");
    close(f, golden.spectra.decision, 1e-9);
    expect(share).toBeCloseTo(1, 12);
  });

  it("has directions at right angles", () => {
    const { directions } = lift(K, beta, 0, "separator");
    for (const [k, u] of directions.entries()) {
      for (const [l, v] of directions.entries()) {
        let product = 0;
        for (let i = 0; i < n; ++i) for (let j = 0; j < n; ++j) product += u.beta[i] * K[i * n + j] * v.beta[j];
        expect(product).toBeCloseTo(k === l ? 1 : 0, 10);
      }
    }
  });

  it("has the components of kernel PCA", () => {
    const { z, share } = coordinates("variance");
    z.forEach((at, i) => close(at.map(Math.abs), golden.spectra.components[i], 1e-10));
    expect(share).toBeLessThan(1);
  });
});

describe("calibration", () => {
  const { scores, labels, slope, offset, at, interval, bins } = golden.probabilities;
  const sigmoid = fitSigmoid(scores, labels);

  it("finds the package's sigmoid", () => {
    expect(sigmoid.slope).toBeCloseTo(slope, 9);
    expect(sigmoid.offset).toBeCloseTo(offset, 9);
  });

  it("is isotonic as scikit-learn is", () => {
    const steps = isotonic(scores, labels);
    close(at.map((score) => stepsAt(steps, score)), golden.probabilities.isotonic, 1e-12);
  });

  it("has the package's Venn-Abers intervals", () => {
    at.forEach((score, k) => close(vennAbers(scores, labels, score), interval[k], 1e-12));
  });

  it("has the bins of the package's display", () => {
    const found = reliability(scores.map((score) => sigmoidAt(sigmoid, score)), labels, 10);
    for (const name of ["probability", "share", "low", "high", "rows"] as const) {
      close(found.map((bin) => bin[name]), bins[name], 1e-9);
    }
    expect(calibrationError(found)).toBeCloseTo(bins.error, 9);
  });

  it("falls back to the share of a class when scores say nothing", () => {
    const flat = fitSigmoid([1, 1, 1, 1], [1, 1, 1, -1]);
    expect(sigmoidAt(flat, 5)).toBeCloseTo(4 / 6, 9);
  });
});

describe("votes", () => {
  it("are the package's, ties included", () => {
    golden.votes.outputs.forEach((outputs, i) => {
      expect(highest(votes(outputs, 4)).winner).toBe(golden.votes.codes[i]);
      close(brokenTies(outputs, 4), golden.votes.scores[i], 1e-12);
      expect(highest(brokenTies(outputs, 4)).winner).toBe(golden.votes.broken[i]);
    });
    expect(golden.votes.outputs.some((outputs) => highest(votes(outputs, 4)).equals > 1)).toBe(true);
  });
});

describe("splits", () => {
  it("share out every class", () => {
    const labels = Array.from({ length: 30 }, (_, i) => (i % 3 === 0 ? 1 : -1));
    const fold = folds(labels, 5);
    for (let k = 0; k < 5; ++k) {
      expect(labels.filter((label, i) => label > 0 && fold[i] === k).length).toBe(2);
    }
    expect(heldOut(labels, 0.4).reduce((sum, held) => sum + held, 0)).toBe(12);
    expect(heldOut([1, -1], 0.9).every((held) => held === 0)).toBe(true);
  });

  it("are the same for the same seed", () => {
    expect(new Random(7).order(20)).toEqual(new Random(7).order(20));
    expect(new Random(7).order(20)).not.toEqual(new Random(8).order(20));
    const random = new Random(1);
    const values = Array.from({ length: 4000 }, () => random.normal());
    const mean = values.reduce((sum, value) => sum + value, 0) / 4000;
    const variance = values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / 4000;
    expect(Math.abs(mean)).toBeLessThan(0.05);
    expect(Math.abs(variance - 1)).toBeLessThan(0.06);
  });
});
