import { beforeAll, describe, expect, it } from "vitest";
import { sets, storedDataset } from "../../data/sets";
import type { Engine } from "../../engine/engine";
import { nodeEngine } from "../../engine/node";
import { initialParameters, type Parameters } from "../../state/parameters";
import { moved } from "../../state/dataset";
import { problemOf } from "../../state/problem";
import { exactly, MOST_POINTS, whyNot } from "./exact";

let engine: Engine;
beforeAll(async () => {
  engine = await nodeEngine();
});

function solved(id: string, change: Partial<Parameters> = {}) {
  const parameters = { ...initialParameters.binary, ...sets[id].parameters, ...change };
  const data = storedDataset(id);
  const fit = engine.fit(problemOf("binary", data, parameters));
  return { fit, exact: exactly(data, parameters, fit) };
}
const small = Object.entries(sets).filter(([, set]) => set.task === "binary" && set.points.length <= MOST_POINTS);

describe("optima in fractions", () => {
  it("of the sets that are known by heart", () => {
    const pair = solved("pair").exact!;
    expect([pair.alpha.map(String), pair.w!.map(String), String(pair.b)]).toEqual([["1/4", "1/4"], ["1/2", "1/2"], "-1/2"]);
    const corners = solved("corners").exact!;
    expect([corners.alpha.map(String), String(corners.b), String(corners.norm2)]).toEqual([["1/8", "1/8", "1/8", "1/8"], "0", "1/2"]);
    const six = solved("six").exact!;
    expect([six.alpha.map(String), String(six.objective)]).toEqual([["2/3", "1/3", "0", "0", "1", "0"], "3/2"]);
  });

  it.each(small.flatMap(([id]) => [0.01, 0.1, 1, 10, 1000].map((C) => [id, C] as const)))("of %s with C = %d are those of the engine", (id, C) => {
    const { fit, exact } = solved(id, { C });
    expect(exact).not.toBeNull();
    expect(exact!.objective.toNumber()).toBeCloseTo(fit.certificate.dual, 9);
    if (exact!.unique) exact!.alpha.forEach((alpha, i) => expect(alpha.toNumber()).toBeCloseTo(fit.alpha[i], 9));
    if (exact!.b) expect(exact!.b.toNumber()).toBeCloseTo(fit.intercept, 8);
  });

  it("does not confirm what is not optimal", () => {
    const parameters = { ...initialParameters.binary, C: 1 };
    const data = storedDataset("six");
    const other = engine.fit(problemOf("binary", moved(data, 0, 4, 4), parameters));
    expect(exactly(data, parameters, other)).toBeNull();
  });

  it("says why there are none", () => {
    const data = storedDataset("six");
    expect(whyNot(data, initialParameters.binary)).toBeNull();
    expect(whyNot(data, { ...initialParameters.binary, kernel: "rbf" })).toContain("kernel");
    expect(whyNot(storedDataset("clouds"), initialParameters.binary)).toContain("40");
  });
});
