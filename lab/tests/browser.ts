// Debian's Chromium on the built page, as a file.
import { existsSync, mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { chromium, type Browser, type BrowserContextOptions, type Page } from "playwright-core";

export const page = join(import.meta.dirname, "../../build/lab/index.html");
export const address = (hash: string): string => `${pathToFileURL(page).href}#${hash}`;
export const folder = (): string => mkdtempSync(join(tmpdir(), "maxmargin-lab-"));

const QUIET = ["--disable-gpu", "--disable-3d-apis", "--disable-background-networking", "--disable-component-update", "--disable-sync", "--no-first-run"];

export function launch(): Promise<Browser> {
  const executablePath = process.env.CHROMIUM ?? "/usr/bin/chromium";
  if (!existsSync(executablePath)) throw new Error(`${executablePath} is missing: install chromium, or set CHROMIUM`);
  if (!existsSync(page)) throw new Error(`${page} is missing: make lab builds it`);
  return chromium.launch({ executablePath, args: ["--no-sandbox", ...QUIET] });
}

/** A page that fails the test, when it is closed, for anything the browser complains of or asks the network for. */
export class Tab {
  private readonly complaints: string[] = [];
  private constructor(readonly page: Page) {
    page.on("console", (message) => {
      if (message.type() === "error" || message.type() === "warning") this.complaints.push(message.text());
    });
    page.on("pageerror", (error) => this.complaints.push(String(error)));
    page.on("request", (request) => {
      if (!/^(file|blob|data):/.test(request.url())) this.complaints.push(`asked for ${request.url()}`);
    });
  }

  static async open(browser: Browser, hash: string, options: BrowserContextOptions = {}): Promise<Tab> {
    const context = await browser.newContext({ viewport: { width: 1400, height: 900 }, ...options });
    const tab = new Tab(await context.newPage());
    await tab.page.goto(address(hash));
    await tab.page.waitForSelector("h1");
    return tab;
  }

  /** Another state of the same page, once its view has been drawn. */
  async go(hash: string): Promise<void> {
    await this.page.evaluate((next) => (location.hash = next), hash);
    await this.page.waitForFunction((id) => document.querySelector("main")?.getAttribute("data-view") === id, new URLSearchParams(hash).get("view"));
    await this.page.waitForTimeout(150);
  }

  /** The text of what a test reads. */
  async text(id: string): Promise<string> {
    return (await this.page.getByTestId(id).first().innerText()).replaceAll("−", "-");
  }

  async number(id: string): Promise<number> {
    return Number(await this.text(id));
  }

  async close(): Promise<void> {
    await this.page.context().close();
    if (this.complaints.length > 0) throw new Error(`the browser complains: ${this.complaints.join("; ")}`);
  }
}
