// What stands on the page against what the package says of the same data (src/views/golden.py).
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { folder, launch, Tab } from "./browser";

const golden = JSON.parse(readFileSync(new URL("../src/views/golden.json", import.meta.url), "utf8"));

let browser: Browser;
beforeAll(async () => {
  browser = await launch();
});
afterAll(() => browser.close());

/** Opens a state, waits until the page shows a number, does what is asked, closes. */
async function on(hash: string, shown: string, look: (tab: Tab) => Promise<void>): Promise<void> {
  const tab = await Tab.open(browser, hash);
  await tab.page.getByTestId(shown).first().waitFor();
  await look(tab);
  await tab.close();
}

/** "12.5 %" as a share. */
const share = async (tab: Tab, id: string): Promise<number> => Number((await tab.text(id)).replace("%", "")) / 100;

/** Equal in as many digits as the page shows. */
function same(found: number, expected: number, digits: number): void {
  expect(found).toBe(Number(expected.toPrecision(digits)));
}

const settled = (tab: Tab) => tab.page.waitForFunction(() => !/so far/.test(document.querySelector(".lead")?.textContent ?? "so far"));

describe("the path in C", () => {
  it.each(["clouds", "far-clouds"])("has the break points of %s", (set) =>
    on(`view=path&data=${set}`, "breaks", async (tab) => {
      await settled(tab);
      expect(await tab.number("breaks")).toBe(golden.paths[set].length);
      same(await tab.number("hard"), golden.paths[set].at(-1), 4);
      expect(/hard margin\./.test(await tab.page.locator(".lead").innerText())).toBe(true);
    }),
  );

  it("goes from break point to break point", () =>
    on("view=path&data=clouds", "next", async (tab) => {
      await settled(tab);
      const after = golden.paths.clouds.filter((C: number) => C > 1);
      same(await tab.number("next"), after[0], 5);
      await tab.page.getByRole("button", { name: "next break point" }).click();
      same(await tab.number("C"), after[0], 5);
      same(await tab.number("next"), after[1], 5);
      await tab.page.getByRole("button", { name: "previous break point" }).press("Enter");
      same(await tab.number("next"), after[0], 5);
    }));

  it("shows the property of nu", () =>
    on("view=path&data=clouds&formulation=nu", "errors", async (tab) => {
      expect(await share(tab, "errors")).toBeCloseTo(golden.nu.errors, 9);
      expect(await share(tab, "support")).toBeCloseTo(golden.nu.support, 9);
      same(await tab.number("asC"), golden.nu.C, 4);
    }));
});

describe("the kernel", () => {
  it("has the package's eigenvalues and likeness", () =>
    on("view=kernel", "eigenvalue", async (tab) => {
      same(await tab.number("eigenvalue"), golden.kernel.largest, 5);
      expect(await tab.number("carrying")).toBe(golden.kernel.carrying);
      same(100 * (await share(tab, "nearest")), 100 * golden.kernel.nearest, 3);
      same(100 * (await share(tab, "mean")), 100 * golden.kernel.mean, 3);
    }));

  it("lifts to a space with the package's margin, which the keyboard turns", () =>
    on("view=kernel&part!=lift", "distance", async (tab) => {
      same(await tab.number("distance"), golden.kernel.distance, 4);
      const space = tab.page.getByRole("application", { name: /feature space/ });
      const before = await space.screenshot();
      await space.press("ArrowRight");
      expect((await space.screenshot()).equals(before)).toBe(false);
    }));

  it("adds bumps until the sum is f", () =>
    on("view=kernel&part!=bumps", "bumps", async (tab) => {
      expect(await tab.page.getByText("The sum is f.").count()).toBe(1);
      await tab.page.getByRole("button", { name: "One bump less" }).click();
      expect(await tab.page.getByText("The sum is f.").count()).toBe(0);
    }));
});

describe("generalisation", () => {
  it("computes the map in the worker, and cells lead to their machines", () =>
    on("view=generalisation", "bestC", async (tab) => {
      const current = () => tab.page.getByRole("slider", { name: "C, price of slack" }).getAttribute("aria-valuetext");
      const map = tab.page.getByRole("application", { name: /^Training over C and gamma/ });
      await map.press("ArrowRight");
      expect(await current()).toBe("3.16");
      await tab.page.getByRole("button", { name: "Go to" }).click();
      expect(await current()).toBe(await tab.text("bestC"));
      expect(await tab.text("5-fold validation")).toBe(await tab.text("bestError"));
      expect(await tab.text("Training")).toBe(await tab.text("train"));
      expect(await tab.text("Test")).toBe(await tab.text("test"));
    }));

  it("can be stopped and begun again", () =>
    on("view=generalisation", "train", async (tab) => {
      await tab.page.getByRole("button", { name: "Stop" }).click();
      expect(await tab.page.getByText(/stopped after/).count()).toBe(1);
      await tab.page.getByRole("button", { name: "Another split" }).click();
      await tab.page.getByTestId("bestC").waitFor();
    }));
});

describe("probabilities", () => {
  it("agree with their own sigmoid and lie in the interval", () =>
    on("view=probabilities", "probability", async (tab) => {
      const [slope, offset] = [await tab.number("slope"), await tab.number("offset")];
      const P = await share(tab, "probability");
      expect(P).toBeCloseTo(1 / (1 + Math.exp(0.5 * slope + offset)), 3);
      expect(await tab.number("half")).toBeCloseTo(-offset / slope, 3);
      expect(await share(tab, "low")).toBeLessThan(await share(tab, "high"));
    }));
});

describe("the scaling trap", () => {
  it("costs accuracy, and standardising is the way out", () =>
    on("view=scaling", "share", async (tab) => {
      same(100 * (await share(tab, "share")), 100 * golden.scaling[1].share, 3);
      const before = await share(tab, "error");
      await tab.page.getByRole("button", { name: "× 1000" }).click();
      expect(await share(tab, "error")).toBeGreaterThan(before + 0.2);
      expect(await tab.page.getByText(`${golden.scaling[2].support} support vectors`).count()).toBe(1);
      await tab.page.getByText("the fix: standardise").click();
      expect(await share(tab, "error")).toBeLessThan(before + 0.05);
      expect(await tab.page.getByText(`${golden.scaling[2].fixed} support vectors`).count()).toBe(1);
    }));
});

describe("a picture as SVG", () => {
  it.each(["multi-class", "one-class", "probabilities", "regression"])("of %s is well-formed", async (view) => {
    const tab = await Tab.open(browser, `view=${view}`);
    await tab.page.locator(".lead strong").first().waitFor();
    await tab.page.getByRole("button", { name: "Share and save" }).click();
    const coming = tab.page.waitForEvent("download");
    await tab.page.getByRole("button", { name: "Picture, SVG" }).click();
    const file = join(folder(), "picture.svg");
    await (await coming).saveAs(file);
    const drawn = await tab.page.evaluate((text) => {
      const found = new DOMParser().parseFromString(text, "image/svg+xml");
      return { wrong: found.querySelectorAll("parsererror").length, paths: found.querySelectorAll("path").length };
    }, readFileSync(file, "utf8"));
    expect(drawn.wrong).toBe(0);
    expect(drawn.paths).toBeGreaterThan(20);
    await tab.close();
  });
});

describe("the address", () => {
  it("sets what is a view's own", () =>
    on("view=scaling&factor!=1000&fix!=yes", "share", async (tab) => {
      expect(await share(tab, "share")).toBeCloseTo(0.5, 9);
      await tab.page.getByText("as it is").click();
      expect(await share(tab, "share")).toBeGreaterThan(0.999);
    }));

  it("follows what is a view's own", () =>
    on("view=generalisation", "train", async (tab) => {
      await tab.page.getByRole("slider", { name: "labels turned" }).fill("0.2");
      await tab.page.waitForFunction(() => location.hash.includes("flips!=0.2"));
    }));
});

describe("weights", () => {
  it("are copies", () =>
    on("view=weights&data=clouds", "weight", async (tab) => {
      await tab.page.getByRole("slider", { name: /^Weight of point 1:/ }).focus();
      for (let k = 0; k < 3; k++) await tab.page.keyboard.press("ArrowUp");
      expect(await tab.number("weight")).toBe(4);
      same(await tab.number("alpha"), golden.weights.alpha, 5);
      same(await tab.number("copies"), golden.weights.alpha, 5);
      same(await tab.number("b"), golden.weights.b, 6);
      same(await tab.number("bCopies"), golden.weights.b, 6);
      expect(await tab.page.getByText("the two machines are one").count()).toBe(1);
    }));
});

describe("regression and one class", () => {
  it("have the package's tube", () =>
    on("view=regression", "cost", async (tab) => {
      same(await tab.number("cost"), golden.regression.cost, 5);
      expect(await tab.number("support")).toBe(golden.regression.support);
      expect(await tab.number("outside")).toBe(golden.regression.outside);
    }));

  it("find the width of the tube from nu", () =>
    on("view=regression&formulation=nu&nu=0.3", "vectors", async (tab) => {
      same(await tab.number("epsilon"), golden.regression.epsilon, 4);
      same(100 * (await share(tab, "vectors")), 100 * golden.regression.vectors, 3);
    }));

  it("have the package's contour", () =>
    on("view=one-class", "errors", async (tab) => {
      expect(await share(tab, "errors")).toBeCloseTo(golden.one_class.errors, 9);
      expect(await share(tab, "support")).toBeCloseTo(golden.one_class.support, 9);
    }));
});

describe("several classes", () => {
  it("err as the package's do", () =>
    on("view=multi-class", "csErrors", async (tab) => {
      const { ovo, ovr, crammer_singer } = golden.several;
      expect([await tab.number("ovoErrors"), await tab.number("ovrErrors"), await tab.number("csErrors")]).toEqual([ovo, ovr, crammer_singer]);
    }));

  it("answer at the cross, which the keyboard moves", () =>
    on("view=multi-class", "ovoErrors", async (tab) => {
      const pad = tab.page.getByRole("application", { name: /point that is asked about/ });
      const before = await pad.getAttribute("aria-label");
      await pad.press("ArrowLeft");
      expect(await pad.getAttribute("aria-label")).not.toBe(before);
    }));
});
