import { describe, expect, it } from "vitest";
import { Fraction, solveLinear } from "./fraction";

const f = (text: string): Fraction => {
  const [top, bottom = "1"] = text.split("/");
  return new Fraction(BigInt(top), BigInt(bottom));
};

describe("fractions", () => {
  it.each([
    [0.1, "1/10"], [-2.75, "-11/4"], [3, "3"], [0, "0"], [-0.5, "-1/2"], [1e-7, "1/10000000"], [1.5e21, "1500000000000000000000"], [-1e-3, "-1/1000"],
  ])("%d is %s as it is written", (value, text) => expect(String(Fraction.of(value))).toBe(text));

  it("adds, multiplies and divides in lowest terms", () => {
    expect(String(f("1/6").plus(f("1/3")))).toBe("1/2");
    expect(String(f("1/6").minus(f("2/3")))).toBe("-1/2");
    expect(String(f("2/3").times(f("-9/4")))).toBe("-3/2");
    expect(String(f("2/3").over(f("-4")))).toBe("-1/6");
    expect(String(f("-2/3").power(3))).toBe("-8/27");
    expect(f("1/3").compare(f("33/100"))).toBe(1);
    expect(() => f("1").over(f("0"))).toThrow(RangeError);
  });

  it("finds the simplest fraction near a number", () => {
    expect(String(Fraction.near(0.6666666667, 1e-6))).toBe("2/3");
    expect(String(Fraction.near(-0.75, 1e-9))).toBe("-3/4");
    expect(String(Fraction.near(2, 1e-9))).toBe("2");
  });

  it("solves equations, also those that leave a variable free", () => {
    const rows = [["2", "1", "3"], ["1", "3", "5"]].map((row) => row.map(f));
    expect(solveLinear(rows, () => f("0"))!.map(String)).toEqual(["4/5", "7/5"]);
    const free = [["1", "1", "1"], ["2", "2", "2"]].map((row) => row.map(f));
    expect(solveLinear(free, () => f("1/4"))!.map(String)).toEqual(["3/4", "1/4"]);
    const none = [["1", "1", "1"], ["2", "2", "3"]].map((row) => row.map(f));
    expect(solveLinear(none, () => f("0"))).toBeNull();
  });
});
