import { describe, expect, it } from "vitest";
import { cSvc, feasible, nuSvc, svr } from "./formulations";
import golden from "./golden.json";
import { objective } from "./linear";
import { nodeEngine } from "./node";
import type { LinearProblem } from "./types";

const engine = nodeEngine();
const three = { x: Float64Array.of(0, 0, 1, 0, 3, 1), n: 3, d: 2 };
const signs = Float64Array.of(-1, 1, 1);
const data = { x: Float64Array.from(golden.X.flat()), n: 40, d: 2 };
const y = Float64Array.from(golden.y);
const rbf = { name: "rbf", gamma: 0.8 } as const;

describe("a fit", () => {
  it("is what a hand computes", () => {
    const fit = engine.fit(cSvc(three, signs, { name: "linear" }, { C: 10 }));
    expect(Array.from(fit.alpha)).toEqual([2, 2, 0]);
    expect(Array.from(fit.decision)).toEqual([-1, 1, 5]);
    expect(fit.certificate).toMatchObject({ primal: 2, dual: 2, gap: 0 });
  });
  it("has the same bits again", () => {
    const problem = cSvc(data, y, rbf, { C: 10 });
    expect(engine.fit(problem).beta).toEqual(engine.fit(problem).beta);
  });
  it("begins where it is told to", () => {
    const fit = engine.fit(cSvc(data, y, rbf, { C: 1 }));
    const next = cSvc(data, y, rbf, { C: 1.01 });
    const start = feasible(next, fit)!;
    expect(engine.certify(next, start).gap).toBeLessThan(0.1);
    expect(engine.fit(next, { start }).certificate.dual).toBeCloseTo(engine.fit(next).certificate.dual, 9);
  });
  it("ends where it is told to, certified", () => {
    const fit = engine.fit(cSvc(data, y, rbf, { C: 10 }), { maxSteps: 3 });
    expect(fit.status).toBe("max_iterations");
    expect(fit.certificate.primal).toBeGreaterThan(fit.certificate.dual);
  });
  it("says what is wrong and goes on", () => {
    const far = { x: Float64Array.of(0, 1e200, 1e200, 0), n: 2, d: 2 };
    expect(() => engine.fit(cSvc(far, Float64Array.of(-1, 1), { name: "linear" }, { C: 1 }))).toThrow("overflow");
    const holes = { x: Float64Array.of(0, NaN, 1, 0), n: 2, d: 2 };
    expect(() => engine.fit(cSvc(holes, Float64Array.of(-1, 1), rbf, { C: 1 }))).toThrow("not finite");
    expect(() => cSvc(data, y, rbf, { C: 0 })).toThrow("C is 0");
    expect(() => nuSvc(data, y, rbf, { nu: 0.95 })).toThrow("at most twice that");
    expect(() => engine.fit(cSvc(data, y, rbf, { C: 1, weight: new Float64Array(40) }))).toThrow("positive weight");
    expect(engine.fit(cSvc(data, y, rbf, { C: 1 })).status).toBe("optimal");
  });
  it("treats a row of weight 2 as two rows", () => {
    const weight = new Float64Array(40).fill(1);
    weight[3] = 2;
    const twice = { x: Float64Array.of(...data.x, data.x[6]!, data.x[7]!), n: 41, d: 2 };
    const one = engine.fit(cSvc(data, y, rbf, { C: 1, weight }));
    const two = engine.fit(cSvc(twice, Float64Array.of(...y, y[3]!), rbf, { C: 1 }));
    one.decision.forEach((value, i) => expect(value).toBeCloseTo(two.decision[i]!, 9));
  });
});

describe("steps of plain SMO", () => {
  const problem = cSvc(data, y, rbf, { C: 1 });
  it.each(["first", "second"] as const)("by the %s-order rule gain what they say, in the box", (rule) => {
    const trace = engine.pairSteps(problem, rule, { tol: 1e-4 });
    let { beta, dual } = trace;
    for (const step of trace.steps) {
      expect(step.dual - dual).toBeCloseTo(step.gain, 10);
      expect(step.step).toBe(Math.min(step.free, step.room));
      expect(step.clipped === "none").toBe(step.free < step.room);
      expect(step.primal).toBeGreaterThanOrEqual(step.dual);
      const moved = Array.from(beta.keys()).filter((i) => beta[i] !== step.beta[i]);
      expect(moved).toEqual([step.up, step.down].sort((a, b) => a - b));
      expect(step.scores[step.down]).toBe(Math.max(...step.scores.filter((score) => !Number.isNaN(score))));
      ({ beta, dual } = step);
    }
    expect(trace.steps.length).toBe(engine.pairCount(problem, rule, { tol: 1e-4 }));
  });
  it("go over the kink of a tube", () => {
    const problem = svr(data, Float64Array.from(golden.real), rbf, { C: 1, epsilon: 0.1 });
    const trace = engine.pairSteps(problem, "second", { tol: 1e-6, maxSteps: 10_000 });
    expect(trace.steps.at(-1)!.dual).toBeCloseTo(engine.fit(problem).certificate.dual, 6);
  });
});

describe("the engine's own steps", () => {
  it("raise the dual and end in the fit", () => {
    const problem = cSvc(data, y, rbf, { C: 10 });
    const steps = engine.engineSteps(problem);
    const fit = engine.fit(problem);
    expect(steps.at(-1)!.beta).toEqual(fit.beta);
    expect(new Set(steps.map(({ kind }) => kind))).toContain("pair");
    steps.slice(1).forEach((step, k) => {
      expect(step.certificate.dual).toBeGreaterThanOrEqual(steps[k]!.certificate.dual - 1e-6);
    });
  });
});

describe("the linear objective", () => {
  it("is the kernel machine's", () => {
    const problem: LinearProblem = { data, y, C: 0.5 };
    const fit = engine.fit(cSvc(data, y, { name: "linear" }, { C: 0.5 }));
    const w = Float64Array.of(0, 0);
    fit.coef.forEach((c, i) => [0, 1].forEach((k) => (w[k]! += c * data.x[2 * i + k]!)));
    expect(objective(problem, w, fit.intercept).primal).toBeCloseTo(fit.certificate.primal, 9);
  });
  it("is refused where a method cannot have it", () => {
    expect(() => engine.linear({ data, y, C: 1 }, "pegasos")).toThrow("penalised");
  });
});

describe("validation", () => {
  it("counts mistakes on rows that were held out, and on test rows", () => {
    const folds = Int32Array.from(y, (_, i) => (i % 4) - 1);
    const task = { data, y, kernel: rbf, Cs: Float64Array.of(0.01, 1, 100), gammas: Float64Array.of(0.5), folds };
    const { train, validation, test, support } = engine.errorColumn(task, 0.5);
    const kept = Int32Array.from(folds.keys()).filter((i) => folds[i] !== -1);
    expect(train[2]).toBeLessThan(train[0]! + 1e-12);
    for (const errors of [train, validation, test]) errors.forEach((v) => expect(v >= 0 && v <= 1).toBe(true));
    expect((validation[1]! * kept.length) % 1).toBeCloseTo(0, 9);
    expect(support[0]).toBeGreaterThan(support[2]!);
  });
});
