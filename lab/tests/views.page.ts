// Every view: opens without a complaint, fits the screen, can be read by everyone.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { gzipSync } from "node:zlib";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { launch, page, Tab } from "./browser";

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

/** The ids of the list in src/views/index.ts. */
const source = readFileSync(new URL("../src/views/index.ts", import.meta.url), "utf8");
const views = [...source.matchAll(/^ {4}id: "(.*)",$/gm)].map(([, id]) => id);

let browser: Browser;
beforeAll(async () => {
  browser = await launch();
});
afterAll(() => browser.close());

it("the list of views was found", () => expect(views.length).toBeGreaterThanOrEqual(13));

it("the page is below 400 kB compressed", () => {
  expect(gzipSync(readFileSync(page), { level: 9 }).length).toBeLessThan(400_000);
});

it("has its first picture in less than a second", async () => {
  const times: number[] = [];
  for (let trial = 0; trial < 3; trial++) {
    const tab = await Tab.open(browser, "view=margins");
    await tab.page.waitForSelector('[data-testid="support"]');
    times.push(await tab.page.evaluate(() => performance.now()));
    await tab.close();
  }
  expect(Math.min(...times)).toBeLessThan(1000);
});

async function violations(tab: Tab): Promise<string[]> {
  await tab.page.evaluate(axe);
  const found = await tab.page.evaluate(async () => {
    const { axe } = window as unknown as { axe: { run(): Promise<{ violations: { id: string; impact: string; nodes: { html: string }[] }[] }> } };
    return (await axe.run()).violations;
  });
  return found.filter(({ impact }) => impact === "serious" || impact === "critical").map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 160)).join(" | ")}`);
}

describe.each(views)("the view %s", (view) => {
  it.each([
    [360, 740, "light"],
    [1920, 1080, "dark"],
    [1280, 720, "light"],
  ] as const)("at %d x %d, %s", async (width, height, colorScheme) => {
    const tab = await Tab.open(browser, `view=${view}`, { viewport: { width, height }, colorScheme });
    await tab.page.waitForTimeout(400);
    expect(await tab.page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(width);
    expect(await tab.page.evaluate(() => document.documentElement.classList.contains("dark"))).toBe(colorScheme === "dark");
    expect(await violations(tab)).toEqual([]);
    await tab.close();
  });

  it("can be embedded, without the frame of the page", async () => {
    const tab = await Tab.open(browser, `view=${view}&embed=1`, { viewport: { width: 760, height: 600 } });
    await tab.page.waitForTimeout(200);
    expect(await tab.page.locator("nav").count()).toBe(0);
    expect(await tab.page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(760);
    await tab.close();
  });
});
