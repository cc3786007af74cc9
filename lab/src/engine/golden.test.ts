// The numbers of the page against those of the package: golden.py writes them.
import { describe, expect, it } from "vitest";
import { cSvc, nuSvc, nuSvr, oneClass, squaredHinge, svr } from "./formulations";
import golden from "./golden.json";
import { nodeEngine } from "./node";
import type { DualProblem, Kernel, LinearProblem, LinearSettings, Rows } from "./types";

const engine = nodeEngine();

function rows(values: number[][]): Rows {
  return { x: Float64Array.from(values.flat()), n: values.length, d: values[0]!.length };
}

const data = rows(golden.X);
const points = rows(golden.new);
const y = Float64Array.from(golden.y);
const real = Float64Array.from(golden.real);
const weight = Float64Array.from(golden.weight);

interface Case {
  formulation: string;
  kernel: Kernel;
  C?: number;
  nu?: number;
  epsilon?: number;
}

function stated({ formulation, kernel, C = 1, nu = 0.5, epsilon = 0 }: Case): DualProblem {
  switch (formulation) {
    case "c_svc":
      return cSvc(data, y, kernel, { C, weight });
    case "squared_hinge":
      return squaredHinge(data, y, kernel, { C, weight });
    case "nu_svc":
      return nuSvc(data, y, kernel, { nu, weight });
    case "svr":
      return svr(data, real, kernel, { C, epsilon, weight });
    case "nu_svr":
      return nuSvr(data, real, kernel, { C, nu, weight });
    default:
      return oneClass(data, kernel, { nu, weight });
  }
}

/** Numbers that are equal up to a share of the largest of them. */
function near(found: ArrayLike<number>, expected: ArrayLike<number>, share: number): void {
  expect(found.length).toBe(expected.length);
  const scale = Math.max(1e-300, ...Array.from(expected, Math.abs));
  const worst = Math.max(...Array.from(expected, (value, i) => Math.abs(found[i]! - value)));
  expect(worst / scale).toBeLessThan(share);
}

describe.each(golden.dual as (Case & (typeof golden.dual)[number])[])("$formulation, $kernel.name", (expected) => {
  const problem = stated(expected);
  const fit = engine.fit(problem, { tol: 1e-10 });
  const wanted = expected as (typeof golden.dual)[number];

  it("has the package's optimum", () => {
    near([fit.certificate.dual], [wanted.dual], 1e-10);
    expect(fit.certificate.gap).toBeLessThan(1e-10);
  });
  it("has the package's support vectors", () => {
    const support = Array.from(fit.coef.keys()).filter((i) => fit.coef[i] !== 0);
    expect(support).toEqual(wanted.support);
  });
  it("decides as the package", () => {
    near(engine.decide(fit, points), wanted.decision, 1e-9);
    near(fit.decision, engine.decide(fit, data), 1e-9);
  });
  it("has the same values on a grid", () => {
    const lattice = { x0: 1, x1: 6, nx: 4, y0: 2, y1: 7, ny: 3 };
    const at = rows([2, 4.5, 7].flatMap((v) => [1, 1 + 5 / 3, 1 + 10 / 3, 6].map((u) => [u, v])));
    near(engine.grid(fit, lattice), engine.decide(fit, at), 1e-6);
  });
  it("is where plain SMO ends", () => {
    for (const rule of ["first", "second"] as const) {
      const trace = engine.pairSteps(problem, rule, { tol: 1e-6, maxSteps: 20_000 });
      expect(trace.converged).toBe(true);
      near([trace.steps.at(-1)?.dual ?? trace.dual], [wanted.dual], 1e-6);
    }
  });
});

describe.each(golden.linear)("linear, $loss, $intercept", (expected) => {
  const kept = Array.from(weight.keys()).filter((i) => weight[i]! > 0);
  const problem = {
    data: rows(kept.map((i) => golden.X[i]!)),
    y: Float64Array.from(kept, (i) => y[i]!),
    weight: Float64Array.from(kept, (i) => weight[i]!),
    C: expected.C,
    loss: expected.loss,
    intercept: expected.intercept,
  } as LinearProblem;

  it.each(["coordinate_descent", "newton"] as const)("has the package's optimum by %s", (method) => {
    const run = engine.linear(problem, method, { tol: 1e-12 });
    near([run.primal, run.dual], [expected.dual, expected.dual], 1e-10);
    near([...run.w, run.b], [...expected.w, expected.b], 1e-6);
    for (const row of run.rows) expect(row.dual).toBeLessThanOrEqual(expected.dual * (1 + 1e-12));
  });
});

describe("the course of stochastic and subgradient methods", () => {
  const { course } = golden;
  const problem: LinearProblem = { data, y, C: course.C };
  const end = (method: "subgradient" | "perceptron" | "pegasos", settings: LinearSettings, stated = problem) => {
    const { w, b } = engine.linear(stated, method, settings);
    return [...w, b];
  };

  it("is that of the lectures' step rules", () => {
    const harmonic = { rule: "harmonic", size: 2, delay: 3 } as const;
    near(end("subgradient", { schedule: harmonic, maxSteps: 50 }), course.harmonic, 1e-10);
    const root = { rule: "inverse_sqrt", size: 0.5 } as const;
    near(end("subgradient", { schedule: root, maxSteps: 50 }), course.inverse_sqrt, 1e-10);
  });
  it("is that of the perceptron", () => {
    near(end("perceptron", { seed: -1, maxSteps: 5 * data.n }), course.perceptron, 1e-12);
  });
  it("is that of the package's Pegasos", () => {
    const penalised = { ...problem, intercept: "penalised" } as const;
    near(end("pegasos", { seed: 7, maxSteps: 5 * data.n }, penalised), course.pegasos, 1e-9);
  });
  it("comes near the optimum by averaged steps", () => {
    const centred = { ...problem, data: { ...data, x: data.x.map((v) => v - 4) } };
    const best = engine.linear(centred, "newton").primal;
    const run = engine.linear(centred, "averaged_sgd", { maxSteps: 200 * data.n });
    expect(run.primal).toBeGreaterThanOrEqual(best * (1 - 1e-12));
    expect(run.primal / best).toBeLessThan(1.01);
    expect(run.rows.length).toBeLessThanOrEqual(302);
  });
});

describe("Crammer and Singer's machine", () => {
  const { label, C, dual, scores } = golden.classes;
  const found = engine.crammerSinger(data, Int32Array.from(label), 3, C);

  it("has the package's optimum and scores, up to a shift of all classes", () => {
    near([found.certificate.dual], [dual], 1e-10);
    const mine = golden.X.map((x) => Array.from(found.b, (b, c) => b + found.w[2 * c]! * x[0]! + found.w[2 * c + 1]! * x[1]!));
    const centred = (row: number[]) => row.map((v) => v - row.reduce((sum, other) => sum + other, 0) / 3);
    near(mine.flatMap(centred), scores.flatMap(centred), 1e-6);
  });
});
