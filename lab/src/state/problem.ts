// From data and parameters to the problem that the engine solves.
import { cSvc, nuSvc, nuSvr, oneClass, squaredHinge, svr } from "../engine/formulations";
import type { DualProblem } from "../engine/types";
import type { Dataset, Task } from "./dataset";
import { kernelOf, type Parameters } from "./parameters";

export function problemOf(task: Task, data: Dataset, parameters: Parameters): DualProblem {
  const { C, nu, epsilon, formulation } = parameters;
  const { rows, y, weight } = data;
  const kernel = kernelOf(parameters);
  if (task === "one_class") return oneClass(rows, kernel, { nu, weight });
  if (task === "regression") {
    return formulation === "nu" ? nuSvr(rows, y, kernel, { C, nu, weight }) : svr(rows, y, kernel, { C, epsilon, weight });
  }
  if (formulation === "nu") return nuSvc(rows, y, kernel, { nu, weight });
  return (formulation === "squared" ? squaredHinge : cSvc)(rows, y, kernel, { C, weight });
}

/** What is missing before there is anything to solve, in a sentence; null if nothing. */
export function missing(task: Task, data: Dataset): string | null {
  const { n } = data.rows;
  if (n === 0) return "There are no points yet: choose a data set, paste a table, or draw some.";
  if (task !== "binary") return null;
  let plus = 0;
  for (const y of data.y) if (y > 0) plus++;
  if (plus > 0 && plus < n) return null;
  return `All points are of class ${data.classes[plus > 0 ? 1 : 0]}: a margin needs a point of the other class.`;
}
