import { describe, expect, it } from "vitest";
import { cSvc } from "./formulations";
import { nodeEngine } from "./node";

const engine = nodeEngine();
const data = { x: Float64Array.of(0, 0, 1, 0, 3, 1), n: 3, d: 2 };
const y = Float64Array.of(-1, 1, 1);

describe("Engine", () => {
  it("solves by hand", () => {
    const fit = engine.fit(cSvc(data, y, { name: "linear" }, { C: 10 }));
    expect(Array.from(fit.alpha)).toEqual([2, 2, 0]);
    expect(fit.intercept).toBeCloseTo(-1, 12);
    expect(fit.certificate.gap).toBeLessThan(1e-12);
  });
  it("says what is wrong and goes on", () => {
    const far = { x: Float64Array.of(0, 1e200, 1e200, 0), n: 2, d: 2 };
    const signs = Float64Array.of(-1, 1);
    expect(() => engine.fit(cSvc(far, signs, { name: "linear" }, { C: 1 }))).toThrow("overflow");
    expect(engine.fit(cSvc(data, y, { name: "rbf" }, { C: 1 })).status).toBe("optimal");
  });
});
