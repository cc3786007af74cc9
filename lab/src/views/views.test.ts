// What the views compute, against the package's numbers (golden.py).
import { describe, expect, it } from "vitest";
import { storedDataset } from "../data/sets";
import { cSvc, nuSvc, nuSvr, oneClass, svr } from "../engine/formulations";
import { nodeEngine } from "../engine/node";
import { alphasAt, path, type Piece } from "../mathematics/path";
import { spectrum } from "../mathematics/spectrum";
import golden from "./golden.json";
import { both, disturbed, split } from "./generalisation/noise";
import { aligning, planeInBox, projector } from "./kernel/space";
import { likeness } from "./kernel/likeness";
import { crammerSinger, oneVsOne, oneVsRest, regions, trainingErrors } from "./multi/schemes";
import { shares } from "./parts/shares";
import { bends, curve, nearestRow } from "./path/curves";
import { changes, inWords } from "./path/events";
import { calibrated, scoreOf } from "./probabilities/held_out";
import { crossValidated, distanceShare, scaled, standardised, STEP_LIMIT, stepsOf } from "./scaling/units";

const engine = nodeEngine();
const rbf = { name: "rbf", gamma: 1 } as const;
const linear = { name: "linear" } as const;

function follow(set: string, kernel: typeof rbf | typeof linear): Piece[] {
  const { rows, y, weight } = storedDataset(set);
  const K = engine.gram(rows, kernel);
  return [...path({ K, y, weight }, (C) => engine.fit(cSvc(rows, y, kernel, { C, weight })).alpha, 1e-3, 1e4)];
}

describe.each([["clouds", linear], ["far-clouds", linear], ["moons", rbf]] as const)("the path of %s", (set, kernel) => {
  const pieces = follow(set, kernel);
  const expected = golden.paths[set];

  it("has the package's break points", () => {
    const found = pieces.slice(1).map(({ begin }) => begin);
    expect(found.length).toBe(expected.length);
    found.forEach((C, k) => expect(Math.abs(C / expected[k] - 1)).toBeLessThan(1e-8));
  });

  it("goes through the fits", () => {
    const { rows, y } = storedDataset(set);
    for (const C of [0.03, 0.7, 12]) {
      const piece = pieces.find(({ begin, end }) => C >= begin && C < end)!;
      const { alpha } = engine.fit(cSvc(rows, y, kernel, { C }));
      alphasAt(piece, C).forEach((value, i) => expect(Math.abs(value - alpha[i])).toBeLessThan(1e-7 * C));
    }
  });

  it("ends in a hard margin if there is one", () => {
    const last = pieces[pieces.length - 1];
    if (set === "clouds") expect(last.sets).toContain(2);
    if (set !== "far-clouds") return;
    expect(last.end).toBe(Infinity);
    expect(last.slope.every((value) => Math.abs(value) < 1e-9)).toBe(true);
  });

  it("can be drawn and said in words", () => {
    const [low, high] = [0.01, 10];
    const inside = { x: (value: number) => value, y: (value: number) => value, width: 1, height: 1 };
    const rows = bends(pieces, storedDataset(set).rows.n);
    for (const row of rows) for (const [C, alpha] of row) expect(alpha >= 0 && alpha <= C * (1 + 1e-9)).toBe(true);
    expect(curve(rows.find((row) => row.length > 0)!, inside, [low, high], true)).toMatch(/^M[\d.,L-]+$/);
    const words = pieces.slice(1).flatMap((piece, k) => changes(pieces[k], piece).map(inWords));
    expect(words.some((text) => text.includes("holds it"))).toBe(true);
    const piece = pieces.find(({ sets }) => sets.includes(1))!;
    const C = (piece.begin + Math.min(piece.end, 1e4)) / 2;
    const row = piece.sets.indexOf(1);
    expect(piece.sets[nearestRow(pieces, C, alphasAt(piece, C)[row])!]).toBe(1);
  });
});

describe("the property of nu", () => {
  it("holds, with the package's shares", () => {
    const { rows, y, weight } = storedDataset("clouds");
    const found = shares(engine.fit(nuSvc(rows, y, linear, { nu: 0.3 })), 0.3, y, weight);
    expect(found.errors).toBeCloseTo(golden.nu.errors, 12);
    expect(found.support).toBeCloseTo(golden.nu.support, 12);
    expect(1 / found.margin).toBeCloseTo(golden.nu.C, 8);
    for (let nu = 0.05; nu < 1; nu += 0.09) {
      const { errors, support } = shares(engine.fit(nuSvc(rows, y, rbf, { nu })), nu, y, weight);
      expect(errors).toBeLessThanOrEqual(nu + 1e-9);
      expect(support).toBeGreaterThanOrEqual(nu - 1e-9);
    }
  });

  it("holds for tubes and contours", () => {
    const sine = storedDataset("sine");
    const kernel = { name: "rbf", gamma: 0.5 } as const;
    const tube = engine.fit(nuSvr(sine.rows, sine.y, kernel, { C: 10, nu: 0.3 }));
    expect(tube.epsilon).toBeCloseTo(golden.regression.epsilon, 8);
    const outside = shares(tube, 0.3, sine.y, sine.weight);
    expect(outside.errors).toBeLessThanOrEqual(0.3);
    expect(outside.support).toBeCloseTo(golden.regression.vectors, 12);
    const strays = storedDataset("strays");
    const contour = engine.fit(oneClass(strays.rows, { name: "rbf", gamma: 0.3 }, { nu: 0.1 }));
    const left = shares(contour, 0.1, strays.y, strays.weight);
    expect(left.errors).toBeCloseTo(golden.one_class.errors, 12);
    expect(left.support).toBeCloseTo(golden.one_class.support, 12);
    expect(contour.decision.indexOf(Math.min(...contour.decision))).toBe(golden.one_class.strangest);
  });
});

describe("regression", () => {
  it("pays what the package pays", () => {
    const { rows, y } = storedDataset("sine");
    const fit = engine.fit(svr(rows, y, { name: "rbf", gamma: 0.5 }, { C: 10, epsilon: 0.2 }));
    const beyond = fit.decision.map((f, i) => Math.max(0, Math.abs(y[i] - f) - 0.2));
    expect(beyond.reduce((sum, value) => sum + value, 0)).toBeCloseTo(golden.regression.cost, 8);
    expect(fit.support).toBe(golden.regression.support);
  });
});

describe("the kernel", () => {
  const { rows, y } = storedDataset("rings");
  const K = engine.gram(rows, rbf);

  it("is as alike and as broad as the package says", () => {
    const { nearest, mean } = likeness(K, y);
    expect(nearest).toBeCloseTo(golden.kernel.nearest, 10);
    expect(mean).toBeCloseTo(golden.kernel.mean, 10);
    expect(spectrum(K, rows.n).values[0]).toBeCloseTo(golden.kernel.largest, 9);
  });

  it("knows an ideal matrix", () => {
    expect(likeness(Float64Array.of(1, -1, -1, 1), [1, -1]).alignment).toBeCloseTo(1, 12);
  });
});

describe("space", () => {
  it("cuts a box by a plane, corner after corner", () => {
    const corners = planeInBox([0, 0, 1], -0.5, [1, 1, 1]);
    expect(corners.length).toBe(4);
    corners.forEach(([x, y, z], k) => {
      expect(z).toBeCloseTo(0.5, 12);
      const [u, v] = corners[(k + 1) % 4];
      expect(Math.hypot(x - u, y - v)).toBeCloseTo(2, 12);
    });
    expect(planeInBox([0, 0, 1], -5, [1, 1, 1])).toEqual([]);
  });

  it("turns points towards others", () => {
    const from = [[1, 0], [0, 2], [-1, 1]] as const;
    const to = from.map(([a, b]) => [-b, a] as const);
    const [a, b, c, e] = aligning(from, to);
    from.forEach(([u, v], i) => {
      expect(a * u + b * v).toBeCloseTo(to[i][0], 12);
      expect(c * u + e * v).toBeCloseTo(to[i][1], 12);
    });
  });

  it("shows what is upwards above, and what is near larger", () => {
    const project = projector({ turn: 0, tilt: 0.3 }, 400, 300);
    expect(project([0, 0, 1]).py).toBeLessThan(project([0, 0, 0]).py);
    expect(project([0, -1, 0]).near).toBeGreaterThan(project([0, 1, 0]).near);
  });
});

describe("several classes", () => {
  const data = storedDataset("iris-three");

  it("err as the package's do", () => {
    const found = [oneVsOne(engine, data, linear, 1), oneVsRest(engine, data, linear, 1), crammerSinger(engine, data, 1)];
    const { ovo, ovr, crammer_singer } = golden.several;
    expect(found.map((several) => trainingErrors(engine, several, data))).toEqual([ovo, ovr, crammer_singer]);
  });

  it("are ties only where votes are equal", () => {
    const lattice = { x0: -6, x1: 6, nx: 50, y0: -6, y1: 6, ny: 50 };
    const several = oneVsOne(engine, storedDataset("four-clouds"), linear, 1);
    const { lead, open, share } = regions(engine, several, lattice);
    for (let at = 0; at < 2500; at++) expect(lead.filter((values) => values[at] > 0).length).toBeLessThanOrEqual(1);
    expect(open.filter((value) => value > 0).length / 2500).toBeCloseTo(share, 6);
  });
});

describe("other units", () => {
  const data = storedDataset("moons");

  it.each(golden.scaling)("factor $factor", ({ factor, share, support, fixed }) => {
    const rows = scaled(data, factor);
    expect(distanceShare(rows)).toBeCloseTo(share, 9);
    expect(engine.fit(cSvc(rows.rows, rows.y, rbf, { C: 1 })).support).toBe(support);
    const standard = standardised(rows);
    expect(engine.fit(cSvc(standard.rows, standard.y, rbf, { C: 1 })).support).toBe(fixed);
    expect(distanceShare(standard)).toBeCloseTo(0.5, 9);
  });

  it("cost steps and accuracy", () => {
    expect(stepsOf(engine, scaled(data, 1000), linear, 1)).toBeGreaterThan(10 * stepsOf(engine, data, linear, 1));
    expect(stepsOf(engine, scaled(data, 1000), linear, 1)).toBeLessThanOrEqual(STEP_LIMIT);
    expect(crossValidated(engine, scaled(data, 1000), rbf, 1)).toBeGreaterThan(crossValidated(engine, data, rbf, 1) + 0.2);
  });
});

describe("validation", () => {
  const { rows, y } = storedDataset("moons-200");
  const task = { data: rows, y, kernel: rbf, Cs: new Float64Array(), gammas: new Float64Array(), folds: Int32Array.from(golden.validation.folds) };

  it.each(golden.validation.rows)("C = $C, gamma = $gamma, as the package", ({ C, gamma, train, validation, test }) => {
    const found = engine.errorColumn({ ...task, Cs: Float64Array.of(C) }, gamma);
    expect([found.train[0], found.validation[0], found.test[0]]).toEqual([train, validation, test]);
  });
});

describe("noise and splits", () => {
  const data = storedDataset("moons-200");

  it("leave everything as it is at zero", () => {
    const same = disturbed(data, { jitter: 0, flips: 0, seed: 1 });
    expect(same.rows.x).toEqual(data.rows.x);
    expect(same.y).toEqual(data.y);
  });

  it("turn as many labels as they are told, and keep all rows", () => {
    const noisy = disturbed(data, { jitter: 0.3, flips: 0.1, seed: 2 });
    expect(noisy.y.filter((label, i) => label !== data.y[i]).length).toBe(20);
    const parts = split(noisy, 0.4, 1);
    expect([parts.train.rows.n, parts.test.rows.n]).toEqual([120, 80]);
    expect(both(parts).folds.filter((fold) => fold < 0).length).toBe(80);
  });
});

describe("probabilities", () => {
  it("learn from scores that no machine was fitted to", () => {
    const { fit, scores, sigmoid } = calibrated(engine, storedDataset("moons-200"), rbf, 1);
    expect(scores.some((f, i) => Math.abs(f - fit.decision[i]) > 1e-6)).toBe(true);
    expect(sigmoid.slope).toBeLessThan(0);
    expect(1 / (1 + Math.exp(sigmoid.slope * scoreOf(sigmoid, 0.9) + sigmoid.offset))).toBeCloseTo(0.9, 12);
  });
});
