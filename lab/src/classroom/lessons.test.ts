import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { sets } from "../data/sets";
import { ranges } from "../state/parameters";
import { lessons } from "./lessons";

const source = readFileSync(new URL("../views/index.ts", import.meta.url), "utf8");

describe("lessons", () => {
  it("have names of their own, and each lecture has at least three", () => {
    expect(new Set(lessons.map(({ id }) => id)).size).toBe(lessons.length);
    for (const number of [1, 2, 3, 4, 5]) expect(lessons.filter(({ id }) => id.startsWith(`${number}-`)).length).toBeGreaterThanOrEqual(3);
  });

  it.each(lessons)("$id opens what there is", ({ view, data, parameters, question }) => {
    expect(source).toContain(`id: "${view}"`);
    expect(sets[data].task).toBe("binary");
    for (const [name, { low, high }] of Object.entries(ranges)) {
      const value = parameters?.[name as keyof typeof ranges];
      if (value !== undefined) expect(value >= low && value <= high).toBe(true);
    }
    if (question) expect(question.options[question.answer]).toBeDefined();
  });

  it("have their right answers in different places", () => {
    const places = lessons.flatMap(({ question }) => (question ? [question.answer] : []));
    expect(new Set(places).size).toBe(3);
  });
});
