// Linear machines: the exact engine seen step by step, and stochastic steps.
import { at, certificateOf, checkRows } from "./codes";
import { Out, type Memory } from "./memory";
import type {
  ClassWeights,
  LinearMethod,
  LinearProblem,
  LinearRow,
  LinearRun,
  LinearSettings,
  Rows,
  Schedule,
} from "./types";

/** 1/2 |w|^2 (+ 1/2 b^2) + C sum_i s_i h(y_i (w'x_i + b)), and the rows on the wrong side. */
export function objective(problem: LinearProblem, w: Float64Array, b: number): { primal: number; errors: number } {
  const { data, y, C, weight, loss, intercept } = problem;
  let losses = 0;
  let errors = 0;
  for (let i = 0; i < data.n; i++) {
    let score = b;
    for (let k = 0; k < data.d; k++) score += w[k]! * data.x[i * data.d + k]!;
    const slack = Math.max(0, 1 - y[i]! * score);
    losses += (weight?.[i] ?? 1) * (loss === "squared_hinge" ? slack * slack : slack);
    if (y[i]! * score <= 0) errors++;
  }
  const square = w.reduce((sum, v) => sum + v * v, 0) + (intercept === "penalised" ? b * b : 0);
  return { primal: square / 2 + C * losses, errors };
}

export function linear(memory: Memory, problem: LinearProblem, method: LinearMethod, settings: LinearSettings): LinearRun {
  checkRows(problem.data);
  if (!(problem.C > 0 && problem.C < Infinity)) throw new RangeError(`C is ${problem.C}; it must be positive and finite.`);
  const exact = method === "coordinate_descent" || method === "newton";
  const rows = exact ? exactRows(memory, problem, method, settings) : stochasticRows(memory, problem, method, settings);
  const { w, b, primal, dual } = rows.at(-1)!;
  return { method, w, b, primal, dual, rows };
}

// ---- The exact engine ----------------------------------------------------------------------------

/** One row for each limit of steps, until no limit is met. */
function exactRows(memory: Memory, problem: LinearProblem, method: LinearMethod, settings: LinearSettings): LinearRow[] {
  const { tol = 1e-9, maxSteps = 300 } = settings;
  const zero = new Float64Array(problem.data.d);
  const start = { seconds: 0, passes: 0, steps: 0, w: zero, b: 0, dual: 0, ...objective(problem, zero, 0) };
  const rows: LinearRow[] = [start];
  for (let limit = 1; limit <= maxSteps; limit++) {
    const found = solve(memory, problem, method, tol, limit);
    // The smallest of the times there are: a run that goes farther has not taken less.
    rows.push({ ...found.row, seconds: Math.max(found.row.seconds, rows.at(-1)!.seconds) });
    if (found.ended) break;
  }
  return rows;
}

function solve(memory: Memory, problem: LinearProblem, method: LinearMethod, tol: number, limit: number) {
  const { data, y, C, weight, loss, intercept = "free" } = problem;
  const squared = loss === "squared_hinge";
  const penalty = (i: number) => C * (weight?.[i] ?? 1);
  const lower = y.map((v, i) => (v > 0 ? 0 : squared ? -Infinity : -penalty(i)));
  const upper = y.map((v, i) => (v < 0 ? 0 : squared ? Infinity : penalty(i)));
  const ridge = squared ? y.map((_, i) => 1 / (2 * penalty(i))) : null;
  const w = new Out(new Float64Array(data.d));
  const beta = new Out(new Float64Array(data.n));
  const out = new Out(new Float64Array(at.numbers));
  const present = intercept === "none" ? 0 : 1;
  const newton = method === "newton" ? 1 : 0;
  const price = intercept === "penalised" ? 1 : 0;
  memory.call("lab_linear", data.x, data.n, data.d, y, lower, upper, ridge, 0, present, price, newton, tol, limit, w, beta, out);
  const n = out.values;
  const b = n[at.multiplier]!;
  const steps = n[at.steps]!;
  const row: LinearRow = {
    seconds: n[at.seconds]!,
    passes: steps,
    steps,
    w: w.values,
    b,
    dual: n[at.dual]!,
    ...objective(problem, w.values, b),
  };
  return { row, ended: n[at.status] !== 2 || steps < limit };
}

export function crammerSinger(
  memory: Memory,
  data: Rows,
  label: Int32Array,
  classes: number,
  C: number,
  weight?: Float64Array,
): ClassWeights {
  checkRows(data);
  if (!(C > 0 && C < Infinity)) throw new RangeError(`C is ${C}; it must be positive and finite.`);
  if (!label.every((c) => c >= 0 && c < classes)) throw new RangeError("a label is outside the classes");
  const w = new Out(new Float64Array(classes * data.d));
  const b = new Out(new Float64Array(classes));
  const out = new Out(new Float64Array(at.numbers));
  const penalties = Float64Array.from(label, (_, i) => C * (weight?.[i] ?? 1));
  memory.call("lab_crammer_singer", data.x, data.n, data.d, label, classes, penalties, 1e-10, w, b, out);
  return { w: w.values, b: b.values, classes, certificate: certificateOf(out.values) };
}

// ---- Stochastic steps ----------------------------------------------------------------------------

/** svm::stream::LossKind */
const lossKinds = { hinge: 0, squared_hinge: 1, perceptron: 4 };

/** svm::stream::Plan, in the order of LAB_PLAN_LOSS and what follows it. */
interface Plan {
  loss: number;
  alpha: number;
  eta0: number;
  convexity: number;
  decay: number;
  power: number;
  origin: number;
  radius: number;
  average: number;
  start: number;
  forget: number;
  intercept: number;
  batch: number;
}

/** A schedule as a member of the core's family: eta0 / max(1 + convexity eta0 (t - 1), (1 + decay (t - 1))^power). */
function sizes(schedule: Schedule, lambda: number): Partial<Plan> {
  if (schedule.rule === "strongly_convex") return { eta0: 1 / lambda, convexity: lambda, origin: 1 };
  const { size } = schedule;
  if (!(size > 0 && size < Infinity)) throw new RangeError(`The step size is ${size}; it must be positive.`);
  if (schedule.rule === "constant") return { eta0: size };
  if (schedule.rule === "inverse_sqrt") return { eta0: size, decay: 1, power: 0.5, origin: 1 };
  const { delay = 0 } = schedule;
  if (!(delay > -1)) throw new RangeError(`delay is ${delay}; it must be above -1.`);
  return { eta0: size / (1 + delay), decay: 1 / (1 + delay), power: 1, origin: 1 };
}

function planOf(problem: LinearProblem, method: LinearMethod, settings: LinearSettings): Plan {
  const { data, C, loss = "hinge", intercept = "free" } = problem;
  const lambda = 1 / (C * data.n);
  const plain: Plan = {
    loss: lossKinds[loss],
    alpha: lambda,
    eta0: 0,
    convexity: 0,
    decay: 0,
    power: 1,
    origin: 0,
    radius: 0,
    average: 0,
    start: 0,
    forget: 0,
    intercept: ["none", "free", "penalised"].indexOf(intercept),
    batch: settings.batch ?? 1,
  };
  // As src/maxmargin/solvers/stochastic.py does: the first half of the first pass is of no use to the mean.
  const mean = { average: 1, start: Math.floor(data.n / plain.batch / 2), forget: 2 };
  switch (method) {
    case "pegasos":
      if (intercept === "free") {
        throw new RangeError("Pegasos needs an intercept that is penalised, or none: else its objective is not curved.");
      }
      return { ...plain, ...mean, ...sizes({ rule: "strongly_convex" }, lambda), radius: 1 / Math.sqrt(lambda) };
    case "averaged_sgd":
      return { ...plain, ...mean, convexity: lambda, decay: plain.batch / 1000, power: 0.75 };
    case "perceptron":
      return { ...plain, loss: lossKinds.perceptron, alpha: 0, ...sizes(settings.schedule ?? { rule: "constant", size: 1 }, 0) };
    default: {
      const steps = sizes(settings.schedule ?? { rule: "strongly_convex" }, lambda);
      return { ...plain, ...steps, batch: settings.batch ?? data.n, average: settings.average ? 1 : 0 };
    }
  }
}

function stochasticRows(memory: Memory, problem: LinearProblem, method: LinearMethod, settings: LinearSettings): LinearRow[] {
  const { data, y } = problem;
  const plan = planOf(problem, method, settings);
  const { maxSteps = 20 * Math.ceil(data.n / plan.batch), seed = 0, start } = settings;
  const recordEvery = settings.recordEvery ?? Math.max(1, Math.ceil(maxSteps / 300));
  const weight = problem.weight ?? new Float64Array(data.n).fill(1);
  const begin = start ? Float64Array.of(...start.w, start.b) : null;
  const width = 4 + data.d;
  const out = new Out(new Float64Array((Math.ceil(maxSteps / recordEvery) + 2) * width));
  const count = new Out(new Int32Array(1));
  // Of all rows at once the order is of no interest.
  const order = plan.batch >= data.n ? -1 : seed;
  const numbers = Float64Array.from(Object.values(plan) as number[]);
  memory.call("lab_stochastic", data.x, data.n, data.d, y, weight, numbers, order, maxSteps, recordEvery, begin, out, count);
  return Array.from({ length: count.values[0]! }, (_, k) => {
    const row = out.values.slice(k * width, (k + 1) * width);
    const [seconds, steps, , b] = row as unknown as number[] & [number, number, number, number];
    const w = row.subarray(4).slice();
    const passes = (steps * plan.batch) / data.n;
    return { seconds, passes, steps, w, b, dual: NaN, ...objective(problem, w, b) };
  });
}
