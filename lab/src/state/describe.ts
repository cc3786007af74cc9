// A row in a sentence, for the line under the plane and for screen readers.
import { short } from "../draw/numbers";
import { kkt, kktWords, margin, slack } from "./kkt";
import { lab } from "./lab.svelte";

export function describeRow(i: number): string {
  const { data, fit, task } = lab;
  const { x, d } = data.rows;
  const at = Array.from({ length: d }, (_, k) => short(x[i * d + k]));
  if (task === "regression") at.push(short(data.y[i]));
  const name = task === "binary" ? `, class ${data.classes[data.y[i] > 0 ? 1 : 0]}` : task === "multi_class" ? `, class ${data.classes[data.y[i]]}` : "";
  const begin = `Point ${i + 1} at (${at.join(", ")})${name}`;
  if (!fit || i >= fit.data.n) return `${begin}.`;
  const force = `α = ${short(fit.alpha[i])}${Number.isFinite(fit.box[i]) ? ` of at most ${short(fit.box[i])}` : ""}`;
  if (task !== "binary") return `${begin}: ${force}, f = ${short(fit.decision[i])}.`;
  const xi = slack(fit, data.y, i);
  return `${begin}: ${force}; y f = ${short(margin(fit, data.y, i))}, slack ${short(xi)}; ${kktWords(fit, kkt(fit, data.y, i))}.`;
}
