// The programs that the page copies lie in tests/programs; the package's own tests run them.
import { describe, expect, it } from "vitest";
import { nodeEngine } from "../engine/node";
import { reweighted, type Task } from "../state/dataset";
import { initialParameters, type Parameters } from "../state/parameters";
import { problemOf } from "../state/problem";
import { exactly } from "../views/hand/exact";
import { pythonChecks } from "../views/hand/texts";
import { toPython } from "./python";
import { sets, storedDataset } from "./sets";

const engine = await nodeEngine();

/** What the page shows, as lines that compare. */
function shown(task: Task, id: string, parameters: Parameters, weighted = false): string[] {
  const data = weighted ? reweighted(storedDataset(id), 1, 2.5) : storedDataset(id);
  const fit = engine.fit(problemOf(task, data, parameters));
  const { primal, dual } = fit.certificate;
  return [
    "# What the lab shows:",
    `assert np.isclose(model.certificate_.primal, ${primal}, rtol=1e-7)`,
    `assert np.isclose(model.certificate_.dual, ${dual}, rtol=1e-7)`,
    `assert len(model.support_) == ${fit.support}`,
    `assert np.isclose(model.decision_function(X)[0] if hasattr(model, "decision_function") else model.predict(X)[0], ${fit.decision[0]}, rtol=1e-6, atol=1e-8)`,
    "",
  ];
}

const small = ["pair", "three", "four", "six", "slack", "corners"];

describe("programs", () => {
  it.each(small)("of %s, with its fractions", async (id) => {
    const parameters = { ...initialParameters.binary, ...sets[id].parameters };
    const data = storedDataset(id);
    const exact = exactly(data, parameters, engine.fit(problemOf("binary", data, parameters)))!;
    await expect(toPython("binary", data, parameters, pythonChecks(exact))).toMatchFileSnapshot(`../../tests/programs/${id}.py`);
  });

  const variants: [string, Task, string, Partial<Parameters>][] = [
    ["gaussian", "binary", "moons", { kernel: "rbf", gamma: 2 }],
    ["laplacian", "binary", "xor", { kernel: "laplacian", gamma: 0.7 }],
    ["matern", "binary", "rings", { kernel: "matern32", gamma: 1.3 }],
    ["cosine", "binary", "clouds", { kernel: "cosine" }],
    ["squared", "binary", "outlier", { formulation: "squared", kernel: "linear" }],
    ["nu", "binary", "clouds", { formulation: "nu", nu: 0.4 }],
    ["svr", "regression", "sine", {}],
    ["nu_svr", "regression", "misread", { formulation: "nu", nu: 0.3 }],
    ["one_class", "one_class", "strays", {}],
  ];
  it.each(variants)("of %s", async (name, task, id, change) => {
    const parameters = { ...initialParameters[task], ...sets[id].parameters, ...change };
    await expect(toPython(task, storedDataset(id), parameters, shown(task, id, parameters))).toMatchFileSnapshot(`../../tests/programs/${name}.py`);
  });

  it("of weights", async () => {
    const parameters = { ...initialParameters.binary, C: 0.5 };
    const data = reweighted(storedDataset("slack"), 1, 2.5);
    await expect(toPython("binary", data, parameters, shown("binary", "slack", parameters, true))).toMatchFileSnapshot("../../tests/programs/weights.py");
  });
});
