// Every view: opens without a complaint, fits the screen, can be read by everyone.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { gzipSync } from "node:zlib";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { address, launch, page, Tab } from "./browser";

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
  const context = await browser.newContext();
  await context.addInitScript(() => {
    const seen = new MutationObserver(() => {
      if (!document.querySelector('[data-testid="support"]')) return;
      seen.disconnect();
      requestAnimationFrame(() => (document.documentElement.dataset.picture = String(performance.now())));
    });
    seen.observe(document, { subtree: true, childList: true });
  });
  const times: number[] = [];
  for (let trial = 0; trial < 3; trial++) {
    const tab = await context.newPage();
    await tab.goto(address("view=margins"));
    await tab.waitForSelector("html[data-picture]");
    times.push(Number(await tab.evaluate(() => document.documentElement.dataset.picture)));
    await tab.close();
  }
  await context.close();
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

describe.each([
  [360, 740, "light"],
  [1920, 1080, "dark"],
] as const)("at %d x %d, %s", (width, height, colorScheme) => {
  let tab: Tab;
  beforeAll(async () => {
    tab = await Tab.open(browser, "view=margins", { viewport: { width, height }, colorScheme });
  });
  afterAll(() => tab.close());

  it.each(views)("the view %s fits and can be read by everyone", async (view) => {
    await tab.go(`view=${view}`);
    expect(await tab.page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(width);
    expect(await tab.page.evaluate(() => document.documentElement.classList.contains("dark"))).toBe(colorScheme === "dark");
    expect(await violations(tab)).toEqual([]);
  });
});

describe("embedded", () => {
  let tab: Tab;
  beforeAll(async () => {
    tab = await Tab.open(browser, "view=margins&embed=1", { viewport: { width: 760, height: 600 } });
  });
  afterAll(() => tab.close());

  it.each(views)("the view %s has no frame", async (view) => {
    await tab.go(`view=${view}&embed=1`);
    expect(await tab.page.locator("nav").count()).toBe(0);
    expect(await tab.page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(760);
  });
});
