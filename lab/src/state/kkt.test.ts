import { beforeAll, describe, expect, it } from "vitest";
import { sets, storedDataset } from "../data/sets";
import type { Engine } from "../engine/engine";
import { nodeEngine } from "../engine/node";
import { cSvc } from "../engine/formulations";
import type { Fit } from "../engine/types";
import { countStates, kkt, margin, slack, squaredNorm, weights } from "./kkt";
import { initialParameters, kernelOf } from "./parameters";

let engine: Engine;
beforeAll(async () => {
  engine = await nodeEngine();
});
const fitted = (id: string, C: number): Fit => {
  const data = storedDataset(id);
  const kernel = kernelOf({ ...initialParameters.binary, ...sets[id].parameters });
  return engine.fit(cSvc(data.rows, data.y, kernel, { C }));
};
const binary = Object.keys(sets).filter((id) => sets[id].task === "binary");

describe("the states of the points", () => {
  it.each(binary.flatMap((id) => [0.1, 1, 100].map((C) => [id, C] as const)))("of %s with C = %d contradict no margin", (id, C) => {
    const fit = fitted(id, C);
    const { y } = storedDataset(id);
    for (let i = 0; i < y.length; i++) {
      const state = kkt(fit, y, i);
      expect(state).not.toBe("violating");
      if (state === "zero") expect(slack(fit, y, i)).toBeLessThan(1e-6);
      if (state === "free") expect(margin(fit, y, i)).toBeCloseTo(1, 6);
    }
    const { zero, free, bound } = countStates(fit);
    expect(zero + free + bound).toBe(y.length);
    expect(free + bound).toBe(fit.support);
  });

  it("are violated by a point that was moved after the fit", () => {
    const fit = fitted("far-clouds", 1);
    const { y } = storedDataset("far-clouds");
    const outside = [...y.keys()].find((i) => kkt(fit, y, i) === "zero")!;
    expect(kkt({ ...fit, decision: fit.decision.with(outside, -y[outside]) }, y, outside)).toBe("violating");
  });

  it("|w|^2 from the dual is that of w", () => {
    const fit = fitted("clouds", 1);
    const w = weights(fit);
    expect(squaredNorm(fit)).toBeCloseTo(w[0] ** 2 + w[1] ** 2, 9);
  });
});
