// What a reader does: drags, types, presses keys, loads and saves.
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { address, folder, launch, page, Tab } from "./browser";

let browser: Browser;
beforeAll(async () => {
  browser = await launch();
});
afterAll(() => browser.close());

/** Where row i lies on the screen; the plane shows the frame of the data with equal units. */
async function spot(tab: Tab, at: [number, number]): Promise<[number, number]> {
  const box = (await tab.page.locator("canvas").first().boundingBox())!;
  return [box.x + at[0] * box.width, box.y + at[1] * box.height];
}

/** Chooses the n-th point by the keyboard, and leaves the plane in focus. */
async function choose(tab: Tab, n: number): Promise<void> {
  await tab.page.locator("canvas").first().focus();
  await tab.page.keyboard.press("Escape");
  for (let k = 0; k < n; k++) await tab.page.keyboard.press("n");
}

const points = "points=-1,0,-1;1,0,1;-2,1,-1;2,1,1&features=a,b&classes=no,yes&frame=-3,3,-2,2&name=four&C=1000";

describe("dragging", () => {
  it("moves the boundary and the address", async () => {
    const tab = await Tab.open(browser, `view=margins&${points}`);
    expect(await tab.number("width")).toBe(2);
    // The plane is wider than the frame is high: 6 units across, centred.
    const [x, y] = await spot(tab, [4 / 6, 0.5]);
    await tab.page.mouse.move(x, y);
    await tab.page.mouse.down();
    await tab.page.mouse.move(x - 30, y, { steps: 5 });
    await tab.page.mouse.up();
    expect(await tab.number("width")).toBeLessThan(1.95);
    await tab.page.waitForFunction(() => !location.hash.includes(";1,0,1;"));
    await tab.close();
  });

  it("works with a finger, which scrolls beside the points", async () => {
    const tab = await Tab.open(browser, `view=margins&${points}`, { hasTouch: true, viewport: { width: 390, height: 800 } });
    const canvas = tab.page.locator("canvas").first();
    await canvas.scrollIntoViewIfNeeded();
    const [x, y] = await spot(tab, [4 / 6, 0.5]);
    const client = await tab.page.context().newCDPSession(tab.page);
    await client.send("Input.dispatchTouchEvent", { type: "touchStart", touchPoints: [{ x, y }] });
    for (let k = 1; k <= 5; k++) await client.send("Input.dispatchTouchEvent", { type: "touchMove", touchPoints: [{ x: x - 6 * k, y }] });
    await client.send("Input.dispatchTouchEvent", { type: "touchEnd", touchPoints: [] });
    expect(await tab.number("width")).toBeLessThan(1.95);
    await tab.close();
  });

  /**
   * Milliseconds from a pointer's move to the end of all drawing that follows from it: the lower quartile of the best of
   * three series, as other programs on the machine only add to it.
   */
  async function frame(tab: Tab): Promise<number> {
    return tab.page.evaluate(async () => {
      const canvas = document.querySelector("canvas")!;
      const box = canvas.getBoundingClientRect();
      const send = (type: string, x: number, y: number): boolean =>
        canvas.dispatchEvent(new PointerEvent(type, { clientX: box.left + x, clientY: box.top + y, bubbles: true, pointerId: 1, button: 0 }));
      canvas.setPointerCapture = () => undefined;
      // Somewhere on the plane there is a point: look for one that can be taken.
      let at: [number, number] | null = null;
      for (let y = 30; y < box.height && !at; y += 12)
        for (let x = 30; x < box.width && !at; x += 12) {
          send("pointermove", x, y);
          await Promise.resolve();
          if (getComputedStyle(canvas).cursor === "grab") at = [x, y];
        }
      if (!at) throw new Error("no point was found");
      const [x, y] = at;
      send("pointerdown", x, y);
      let best = Infinity;
      for (let series = 0; series < 3; series++) {
        const times: number[] = [];
        for (let k = 0; k < 21; k++) {
          const begin = performance.now();
          send("pointermove", x + 3 * k, y + 2 * (k % 5));
          // Effects run in microtasks.
          for (let turn = 0; turn < 5; turn++) await Promise.resolve();
          times.push(performance.now() - begin);
          await new Promise(requestAnimationFrame);
        }
        times.sort((a, b) => a - b);
        best = Math.min(best, times[5]);
      }
      send("pointerup", x, y);
      return best;
    });
  }

  it("of one of 200 points is done within a frame, with 200 x 200 values of f", async () => {
    const tab = await Tab.open(browser, "view=margins&data=moons-200");
    await tab.page.waitForSelector('[data-testid="support"]');
    const took = await frame(tab);
    console.log(`a drag among 200 points: ${took.toFixed(1)} ms`);
    expect(took).toBeLessThan(16);
    await tab.close();
  });

  it("of one of 1,000 points within 100 ms", async () => {
    const tab = await Tab.open(browser, "view=margins&data=moons-200");
    const text = await tab.page.evaluate(() => {
      let seed = 7;
      const next = (): number => (seed = (seed * 16807) % 2147483647) / 2147483647;
      return Array.from({ length: 1000 }, (_, i) => {
        const side = i % 2 ? 1 : -1;
        return [2 * next() + 0.7 * side, 3 * next() + 0.4 * side, side].join(",");
      }).join("\n");
    });
    await paste(tab, text);
    await tab.page.waitForFunction(() => document.querySelector('[data-testid="support"]')?.parentElement?.textContent?.includes("1,000"));
    const took = await frame(tab);
    console.log(`a drag among 1,000 points: ${took.toFixed(1)} ms`);
    expect(took).toBeLessThan(100);
    await tab.close();
  });
});

async function paste(tab: Tab, text: string): Promise<void> {
  await tab.page.keyboard.press("Escape");
  await tab.page.getByRole("button", { name: "Your own" }).click();
  await tab.page.getByLabel("Table as text").fill(text);
  await tab.page.getByRole("button", { name: "Use it" }).click();
}

/** As a file, which may be larger than what anyone pastes. */
async function chooseFile(tab: Tab, text: string): Promise<void> {
  await tab.page.getByRole("button", { name: "Your own" }).click();
  await tab.page.locator('input[type="file"]').setInputFiles({ name: "table.csv", mimeType: "text/csv", buffer: Buffer.from(text) });
}

describe("the keyboard", () => {
  it("chooses, moves, turns, adds and removes points", async () => {
    const tab = await Tab.open(browser, `view=margins&${points}`);
    const says = (): Promise<string> => tab.page.locator(".plane .unseen").first().innerText();
    await choose(tab, 2);
    expect(await says()).toContain("Point 2 at (1, 0), class yes");
    for (let k = 0; k < 6; k++) await tab.page.keyboard.press("Shift+ArrowLeft");
    expect(await tab.number("width")).toBeLessThan(1.8);
    await tab.page.keyboard.press("Space");
    expect(await says()).toContain("class no");
    await tab.page.keyboard.press("+");
    expect(await says()).toContain("Point 5");
    await tab.page.keyboard.press("Delete");
    await tab.page.keyboard.press("p");
    expect(await says()).toContain("Point 4");
    await tab.close();
  });

  it("opens views, the list of keys, the projector and the colours", async () => {
    const tab = await Tab.open(browser, "view=margins");
    await tab.page.keyboard.press("]");
    expect(await tab.page.locator("nav [aria-current]").getAttribute("data-view")).not.toBe("margins");
    await tab.page.keyboard.press("[");
    expect(await tab.page.locator("nav [aria-current]").getAttribute("data-view")).toBe("margins");
    await tab.page.keyboard.press("P");
    expect(await tab.page.evaluate(() => document.documentElement.className)).toContain("projector");
    await tab.page.keyboard.press("T");
    expect(await tab.page.evaluate(() => document.documentElement.className)).toContain("dark");
    await tab.page.keyboard.press("?");
    expect(await tab.page.getByRole("dialog").innerText()).toContain("projector");
    await tab.page.keyboard.press("Escape");
    expect(await tab.page.getByRole("dialog").count()).toBe(0);
    await tab.close();
  });

  it.each(["margins", "race", "steps", "hand"])("reaches everything in %s", async (view) => {
    const tab = await Tab.open(browser, `view=${view}`);
    await tab.page.waitForTimeout(600);
    const missed = await tab.page.evaluate(() => {
      const usable = [...document.querySelectorAll<HTMLElement>("a[href], button, input, select, textarea, canvas")].filter(
        (each) => each.getClientRects().length > 0 && !(each as HTMLButtonElement).disabled,
      );
      // Of radio buttons only the chosen one is a stop; arrows go on from there.
      return usable.filter((each) => each.tabIndex < 0).map((each) => each.outerHTML.slice(0, 100));
    });
    expect(missed).toEqual([]);
    await tab.page.evaluate(() => {
      (document.activeElement as HTMLElement | null)?.blur();
      const stops: string[] = [];
      Object.assign(window, { stops });
      document.addEventListener("focusin", ({ target }) => {
        const each = target as Element;
        stops.push(`${each.tagName} ${(each.getAttribute("aria-label") ?? each.textContent ?? "").slice(0, 30)}`);
      });
    });
    for (let k = 0; k < 70; k++) await tab.page.keyboard.press("Tab");
    const stops = await tab.page.evaluate(() => (window as unknown as { stops: string[] }).stops);
    for (const word of ["CANVAS", "SELECT", "INPUT C, price of slack", "BUTTON Share and save"]) expect(stops.some((stop) => stop.startsWith(word)), word).toBe(true);
    await tab.close();
  });
});

describe("bad input is refused with a sentence, and the last state stays", () => {
  it.each([
    ["1,2\n3", "every row needs as many"],
    ["a,b,label\n1,2,x\n3,4,x", "a margin needs two classes"],
    ["a,b,label\n1,NaN,x\n3,4,y", "is not a finite number"],
    ["", "Use it is disabled"],
  ])("%j", async (given, message) => {
    const tab = await Tab.open(browser, "view=margins");
    const before = await tab.text("support");
    if (given === "") {
      await tab.page.getByRole("button", { name: "Your own" }).click();
      expect(await tab.page.getByRole("button", { name: "Use it" }).isDisabled()).toBe(true);
    } else {
      await paste(tab, given);
      expect(await tab.page.getByRole("alert").innerText()).toContain(message);
    }
    await tab.page.keyboard.press("Escape");
    expect(await tab.text("support")).toBe(before);
    await tab.close();
  });

  it("a file of 100,000 rows", async () => {
    const tab = await Tab.open(browser, "view=margins");
    const before = await tab.text("support");
    await chooseFile(tab, Array.from({ length: 100_000 }, (_, i) => `${i % 7},${i % 11},${i % 2}`).join("\n"));
    expect(await tab.page.getByRole("alert").innerText()).toContain("100,000 rows; the lab takes up to 20,000");
    await tab.page.keyboard.press("Escape");
    expect(await tab.text("support")).toBe(before);
    await tab.close();
  });

  it("one class, drawn", async () => {
    const tab = await Tab.open(browser, `view=margins&${points}`);
    for (const n of [2, 4]) {
      await choose(tab, n);
      await tab.page.keyboard.press("Space");
    }
    expect(await tab.page.getByRole("status").first().innerText()).toContain("All points are of class no");
    await tab.page.keyboard.press("Space");
    expect(await tab.page.getByTestId("support").count()).toBe(1);
    await tab.close();
  });

  it("an address that makes no sense", async () => {
    const tab = await Tab.open(browser, "view=nowhere&C=x&points=1,2&kernel=%zz");
    expect(await tab.page.locator("h1").innerText()).toContain("?");
    await tab.close();
  });
});

it("a fit that takes long runs beside the page and can be stopped", async () => {
  const tab = await Tab.open(browser, "view=margins&data=moons-200&C=1000000&gamma=1");
  const rows = Array.from({ length: 12_000 }, (_, i) => `${((i * 7919) % 1000) / 250},${((i * 104_729) % 997) / 250},${(i * i * 31) % 7 > 3 ? 1 : 0}`);
  await chooseFile(tab, rows.join("\n"));
  await tab.page.getByRole("button", { name: "Use it" }).click();
  await tab.page.getByRole("button", { name: "Stop" }).click();
  await tab.page.getByText("The fit was stopped.").waitFor();
  await tab.page.locator("#set").selectOption("clouds");
  await tab.page.getByTestId("support").waitFor();
  await tab.close();
});

describe("taking it along", () => {
  it("a link opens the same state", async () => {
    const tab = await Tab.open(browser, `view=margins&${points}&kernel=rbf&gamma=0.5&hide=rings`);
    await tab.page.getByRole("button", { name: "Share and save" }).click();
    const link = await tab.page.getByLabel("Link to exactly this state").inputValue();
    const width = await tab.text("width");
    const other = await Tab.open(browser, link.split("#")[1]);
    expect(await other.text("width")).toBe(width);
    expect(await other.page.locator("#kernel").inputValue()).toBe("rbf");
    await other.close();
    await tab.close();
  });

  it.each([
    ["Picture, PNG", "maxmargin.png", /^\x89PNG/],
    ["Picture, SVG", "maxmargin.svg", /^<svg .*<path/s],
    ["Data, CSV", "maxmargin.csv", /^a,b,label\n-1,0,no\n/],
    ["Program, Python", "maxmargin_lab.py", /model = SVC\(kernel="linear", C=1000\)/],
  ])("%s", async (button, name, content) => {
    const tab = await Tab.open(browser, `view=margins&${points}`);
    await tab.page.getByRole("button", { name: "Share and save" }).click();
    const [file] = await Promise.all([tab.page.waitForEvent("download"), tab.page.getByRole("button", { name: button }).click()]);
    expect(file.suggestedFilename()).toBe(name);
    expect(readFileSync(await file.path(), "latin1")).toMatch(content);
    await tab.close();
  });
});

describe("inside of other pages", () => {
  it("in a frame of a page from disk", async () => {
    const outer = join(folder(), "lecture.html");
    writeFileSync(outer, `<!doctype html><title>lecture</title><iframe src="${address("lesson=dual-kkt&embed=1")}" width="700" height="600"></iframe>`);
    const context = await browser.newContext();
    const tab = await context.newPage();
    await tab.goto(pathToFileURL(outer).href);
    const inner = tab.frameLocator("iframe");
    await inner.getByTestId("support").waitFor();
    expect(await inner.locator("nav").count()).toBe(0);
    await inner.getByRole("button", { name: "Exactly on its margin line" }).click();
    expect(await inner.locator(".because").innerText()).toContain("Complementary slackness");
    await context.close();
  });

  it("with data that a program has put into it", async () => {
    const given = { name: "mine", features: ["p", "q"], classes: ["low", "high"], points: [[0, 0], [4, 0]], y: [-1, 1], parameters: { C: 1000, kernel: "linear" } };
    const copy = join(folder(), "lab.html");
    const script = `<script type="application/json" id="maxmargin-data">${JSON.stringify(given)}</script>`;
    writeFileSync(copy, readFileSync(page, "utf8").replace("<body>", () => `<body>${script}`));
    const context = await browser.newContext();
    const tab = await context.newPage();
    await tab.goto(pathToFileURL(copy).href);
    expect(await tab.getByTestId("width").innerText()).toBe("4");
    expect(await tab.locator("#set").innerText()).toContain("mine");
    await context.close();
  });
});

describe("a lesson", () => {
  it("asks before it answers", async () => {
    const tab = await Tab.open(browser, "view=margins");
    await tab.page.getByRole("button", { name: "Lessons" }).click();
    await tab.page.getByRole("button", { name: "Slack: the amount of violation" }).click();
    expect(await tab.page.locator(".because").count()).toBe(0);
    await tab.page.getByRole("button", { name: "No, it is on the wrong side" }).click();
    expect(await tab.page.locator(".because").innerText()).toContain("y f = −0.8");
    await tab.page.waitForFunction(() => location.hash.includes("lesson=2-slack"));
    await tab.close();
  });
});

const python = process.env.PYTHON ?? join(import.meta.dirname, "../../.venv/bin/python");

describe.skipIf(!existsSync(python))("numbers on the page are those of the package", () => {
  it.each([
    ["view=margins&data=clouds", "linear"],
    ["view=margins&data=moons&kernel=rbf&gamma=2&C=3", "rbf"],
    ["view=margins&data=xor", "poly"],
  ])("%s", async (hash) => {
    const tab = await Tab.open(browser, hash);
    await tab.page.getByRole("button", { name: "Share and save" }).click();
    const [file] = await Promise.all([tab.page.waitForEvent("download"), tab.page.getByRole("button", { name: "Program, Python" }).click()]);
    await tab.page.keyboard.press("Escape");
    const more = `
c = model.certificate_
w2 = 2 * (abs(model.dual_coef_).sum() - c.dual)
print("NUMBERS", c.primal, c.dual, len(model.support_), 2 / np.sqrt(w2))
`;
    const out = execFileSync(python, ["-c", readFileSync(await file.path(), "utf8") + more], { encoding: "utf8" });
    const [primal, dual, support, width] = out.split("NUMBERS ")[1].split(" ").map(Number);
    expect(await tab.number("support")).toBe(support);
    expect(await tab.number("primal")).toBe(Number(primal.toPrecision(5)));
    expect(await tab.number("dual")).toBe(Number(dual.toPrecision(5)));
    expect(await tab.number("width")).toBe(Number(width.toPrecision(4)));
    await tab.close();
  });
});
