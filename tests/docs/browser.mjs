// The built pages in Chromium, from file://: accessible (axe-core), no wider than a phone, quiet, and
// nothing is fetched from elsewhere. node tests/docs/browser.mjs PAGES MODULES
import {existsSync} from "node:fs";
import {createRequire} from "node:module";
import {resolve} from "node:path";
import {pathToFileURL} from "node:url";

const [folder, modules] = process.argv.slice(2).map((path) => resolve(path));
const require = createRequire(`${modules}/node_modules/`);
const {chromium} = require("playwright-core");
const axe = require.resolve("axe-core/axe.min.js");

const PAGES = [
  "index.html",
  "start/machines.html",
  "start/names.html",
  "guide/kernels.html",
  "guide/certificates.html",
  "gallery/index.html",
  "gallery/theory/plot_support_vectors.html",
  "lectures/index.html",
  "lectures/1_margins.html",
  "lectures/dual.html",
  "api/index.html",
  "api/machines.html",
  "api/generated/maxmargin.SVC.html",
  "api/generated/maxmargin.losses.Hinge.html",
  "notation.html",
  "architecture.html",
  "design/engine.html",
  "internals/benchmarks.html",
];
const VIEWS = [
  {width: 1280, height: 900, colorScheme: "light"},
  {width: 360, height: 740, colorScheme: "dark"},
];
const BROWSERS = [process.env.CHROMIUM, "/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"];

const executablePath = BROWSERS.find((path) => path && existsSync(path));
if (!executablePath) {
  console.log("There is no Chromium here (CHROMIUM names one): pages were not opened.");
  process.exit(0);
}
const browser = await chromium.launch({executablePath, args: ["--no-sandbox"]});
const wrong = [];

async function open(view, path) {
  const context = await browser.newContext({viewport: view, colorScheme: view.colorScheme});
  const page = await context.newPage();
  const where = `${path} at ${view.width} px`;
  page.on("request", (request) => {
    if (!/^(file|data|blob):/.test(request.url())) wrong.push(`${where}: asks for ${request.url()}`);
  });
  page.on("pageerror", (error) => wrong.push(`${where}: ${error.message}`));
  await page.goto(pathToFileURL(`${folder}/${path}`).href.replace("%3F", "?"));
  return {context, page, where};
}

for (const view of VIEWS)
  for (const path of PAGES) {
    const {context, page, where} = await open(view, path);
    await page.addScriptTag({path: axe});
    const {violations} = await page.evaluate(() => window.axe.run());
    for (const {id, help, nodes} of violations)
      wrong.push(`${where}: ${id}: ${help} (${nodes.length}): ${nodes[0].html.slice(0, 160)}`);
    const width = await page.evaluate(() => document.documentElement.scrollWidth);
    if (width > view.width) wrong.push(`${where}: it is ${width} px wide`);
    await context.close();
  }

// Search works without a server, and finds a name, a lecture and a page of the guide.
{
  const {context, page, where} = await open(VIEWS[0], "search.html?q=certificate");
  await page.waitForSelector("#search-results li a", {timeout: 20000});
  await page.waitForFunction(() => document.querySelectorAll("#search-results li").length > 10);
  const found = await page.$$eval("#search-results li a", (links) => links.map((link) => link.getAttribute("href")));
  for (const part of ["api/", "lectures/", "guide/certificates"])
    if (!found.some((link) => link.includes(part))) wrong.push(`${where}: nothing of ${part} among ${found.length}`);
  await context.close();
}

// An exercise judges what is typed.
{
  const {context, page, where} = await open(VIEWS[0], "lectures/1_margins.html");
  const form = page.locator("form.answer").first();
  const answer = await form.getAttribute("data-answer");
  await form.locator("input").fill(answer);
  await form.locator("button").click();
  if ((await form.locator("output").textContent()) !== "Right.") wrong.push(`${where}: the answer is not right`);
  await context.close();
}

await browser.close();
for (const line of wrong) console.error(line);
console.log(`${PAGES.length} pages, ${VIEWS.length} views: ${wrong.length} problems`);
process.exit(wrong.length ? 1 : 0);
