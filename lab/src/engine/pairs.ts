// Plain SMO: cpp/lab/plain_smo.h.
import { levels, stated } from "./codes";
import { Out, type Memory } from "./memory";
import type { DualProblem, PairRule, PairStep, PairTrace, Settings } from "./types";

// LAB_PAIR_UP and what follows it.
const columns = 13;
const at = { dual: 9, primal: 10, multiplier: 11 };
const clips = ["none", "up", "down", "both"] as const;

interface Run {
  steps: Float64Array;
  count: number;
  left: number;
}

function run(memory: Memory, problem: DualProblem, rule: PairRule, settings: Settings, states: Out<Float64Array> | null): Run {
  const { tol = 1e-3, maxSteps = 2000, start = null } = settings;
  if (start && start.length !== problem.target.length) throw new RangeError("start must have a number for each variable.");
  const steps = new Out(new Float64Array((maxSteps + 1) * columns));
  const count = new Out(new Int32Array(1));
  const left = new Out(new Float64Array(1));
  const second = rule === "second" ? 1 : 0;
  memory.call("lab_pair_steps", ...stated(problem), second, tol, maxSteps, start, steps, states, count, left);
  return { steps: steps.values, count: count.values[0]!, left: left.values[0]! };
}

export function pairCount(memory: Memory, problem: DualProblem, rule: PairRule, settings: Settings): number {
  return run(memory, problem, rule, settings, null).count;
}

export function pairSteps(memory: Memory, problem: DualProblem, rule: PairRule, settings: Settings): PairTrace {
  const { tol = 1e-3 } = settings;
  // As many rows as there will be: their states are most of the memory.
  const maxSteps = pairCount(memory, problem, rule, settings);
  const variables = problem.target.length;
  const states = new Out(new Float64Array((maxSteps + 1) * 3 * variables));
  const { steps, left } = run(memory, problem, rule, { ...settings, maxSteps }, states);
  const state = (k: number, part: number) =>
    states.values.slice((3 * k + part) * variables, (3 * k + part + 1) * variables);
  const reached = (k: number) => {
    const row = steps.subarray(k * columns, (k + 1) * columns);
    const multipliers = Array.from(row.subarray(at.multiplier, at.multiplier + problem.totals.length));
    return {
      dual: row[at.dual]!,
      primal: row[at.primal]!,
      intercept: levels(problem, multipliers).intercept,
      beta: state(k, 0),
      gradient: state(k, 1),
    };
  };
  const step = (k: number): PairStep => {
    const row = steps.subarray(k * columns, (k + 1) * columns);
    const [up, down, violation, curvature, free, room, length, clipped, gain] = row as unknown as number[] & [
      number, number, number, number, number, number, number, number, number,
    ];
    const scores = state(k, 2);
    return { up, down, violation, curvature, free, room, step: length, clipped: clips[clipped]!, gain, scores, ...reached(k) };
  };
  return {
    rule,
    ...reached(0),
    steps: Array.from({ length: maxSteps }, (_, k) => step(k + 1)),
    converged: left <= tol,
  };
}
