// Solvers of one problem, with the objective after every step (or pass) they make.
import type { Engine, Remote } from "../../engine";
import { objective } from "../../engine/linear";
import type { DualProblem, Expansion, LinearMethod, LinearProblem, LinearSettings, PairRule } from "../../engine/types";
import { expansionOf, linearExpansion } from "../../state/expansion";

export interface Place {
  /** How often all points have been looked at: a step of SMO updates the gradient of all, a step of Pegasos sees one. */
  readonly passes: number;
  readonly seconds: number;
  readonly primal: number;
  /** NaN of methods that have no lower bound. */
  readonly dual: number;
  readonly model: Expansion;
}

export interface Contestant {
  readonly id: string;
  readonly name: string;
  /** How it works, in half a sentence. */
  readonly about: string;
  readonly color: string;
  readonly dash: string;
  readonly places: readonly Place[];
}

type Look = Omit<Contestant, "places">;

const LOOKS: readonly Look[] = [
  { id: "engine", name: "maxmargin", about: "conjugate pair steps, then Newton steps on the free points", color: "--ink", dash: "" },
  { id: "second", name: "SMO, second order", about: "two variables a step, the pair that gains most", color: "--minus", dash: "" },
  { id: "first", name: "SMO, first order", about: "two variables a step, the pair that violates most", color: "--minus", dash: "5 3" },
  { id: "newton", name: "Newton", about: "on the primal, all points at once; linear machines", color: "--free", dash: "" },
  { id: "coordinate_descent", name: "coordinate descent", about: "one α after the other; linear machines", color: "--free", dash: "5 3" },
  { id: "pegasos", name: "Pegasos", about: "stochastic steps of 1 / (λ t), with b penalised, which its proof needs", color: "--plus", dash: "" },
  { id: "averaged_sgd", name: "averaged SGD", about: "the mean of the steps", color: "--plus", dash: "5 3" },
  { id: "subgradient", name: "subgradient", about: "all points a step, step size 1 / (λ t)", color: "--bound", dash: "" },
  { id: "perceptron", name: "perceptron", about: "stops caring once nobody is wrong", color: "--bound", dash: "2 3" },
];

const look = (id: string): Look => LOOKS.find((each) => each.id === id)!;

/** What a step takes on this machine: a few limits are timed, those between are interpolated. */
export function clock(work: (limit: number) => number, steps: number): (step: number) => number {
  const limits = [...new Set([1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048].filter((limit) => limit < steps).concat(steps))];
  work(steps);
  const times = limits.map(work);
  // A run that goes farther takes no less: what was measured above that was disturbed.
  for (let at = times.length - 2; at >= 0; at--) times[at] = Math.min(times[at], times[at + 1]);
  const last = times[times.length - 1];
  return (step) => {
    const at = limits.findIndex((limit) => limit >= step);
    if (step <= 0 || at < 0) return at < 0 ? last : 0;
    const [k0, t0] = at > 0 ? [limits[at - 1], times[at - 1]] : [0, 0];
    return t0 + ((times[at] - t0) * (step - k0)) / (limits[at] - k0);
  };
}

/** Seconds of a call, the least of three, each repeated until a browser's coarse clock can tell. */
export function timed(work: () => void): number {
  let least = Infinity;
  for (let trial = 0; trial < 3; trial++) {
    const begin = performance.now();
    let calls = 0;
    let passed = 0;
    while (passed < 1 && calls < 1000) {
      work();
      calls++;
      passed = performance.now() - begin;
    }
    least = Math.min(least, passed / 1000 / calls);
  }
  return least;
}

const MOST_STATES = 1.5e6;

export async function runEngine(engine: Engine, remote: Remote, problem: DualProblem): Promise<Contestant> {
  const most = Math.max(50, Math.min(500, Math.round(MOST_STATES / problem.target.length)));
  const steps = await remote.call("engineSteps", problem, most);
  const seconds = clock((limit) => timed(() => void engine.fit(problem, { maxSteps: limit })), steps.length);
  const finish = engine.fit(problem);
  const places = steps.map((step, k) => ({
    passes: k + 1,
    seconds: seconds(k + 1),
    primal: step.certificate.primal,
    dual: step.certificate.dual,
    model: expansionOf(problem, step.beta, step.intercept),
  }));
  const end: Place = {
    passes: steps.length + 1,
    seconds: timed(() => void engine.fit(problem)),
    primal: finish.certificate.primal,
    dual: finish.certificate.dual,
    model: finish,
  };
  return { ...look("engine"), places: [zero(problem), ...places.slice(0, -1), end] };
}

export async function runPairs(engine: Engine, remote: Remote, problem: DualProblem, rule: PairRule): Promise<Contestant> {
  const most = Math.max(50, Math.min(3000, Math.round(MOST_STATES / problem.target.length)));
  const trace = await remote.call("pairSteps", problem, rule, { tol: 1e-6, maxSteps: most });
  const seconds = clock((limit) => timed(() => void engine.pairCount(problem, rule, { tol: 1e-6, maxSteps: limit })), trace.steps.length);
  const places = [trace, ...trace.steps].map((step, k) => ({
    passes: k,
    seconds: seconds(k),
    primal: step.primal,
    dual: step.dual,
    model: expansionOf(problem, step.beta, step.intercept),
  }));
  return { ...look(rule), places };
}

const SETTINGS: Partial<Record<LinearMethod, LinearSettings>> = {
  subgradient: { schedule: { rule: "strongly_convex" } },
};

export async function runLinear(remote: Remote, problem: LinearProblem, method: LinearMethod): Promise<Contestant> {
  const { n } = problem.data;
  const passes = 200;
  const stochastic = method === "pegasos" || method === "averaged_sgd" || method === "perceptron";
  const maxSteps = stochastic ? passes * n : method === "subgradient" ? passes : 100;
  const recordEvery = stochastic ? Math.max(1, Math.round(n / 2)) : 1;
  const stated: LinearProblem = method === "pegasos" ? { ...problem, intercept: "penalised" } : problem;
  const settings = { seed: 1, maxSteps, recordEvery, ...SETTINGS[method] };
  const run = await remote.call("linear", stated, method, settings);
  // The least of three runs, as of the others: the first one compiles, too.
  const again = [run, await remote.call("linear", stated, method, settings), await remote.call("linear", stated, method, settings)];
  const seconds = run.rows.map((_, k) => Math.min(...again.map(({ rows }) => rows[k].seconds)));
  // All are judged by the objective in which b is free.
  const places = run.rows.map((row, k) => ({ ...row, seconds: seconds[k], ...objective(problem, row.w, row.b), model: linearExpansion(row.w, row.b) }));
  return { ...look(method), places };
}

/** Where all begin: alpha = 0, and so w = 0. */
function zero(problem: DualProblem): Place {
  const cost = problem.upper.reduce((sum, upper, i) => sum + upper - problem.lower[i], 0);
  return { passes: 0, seconds: 0, primal: cost, dual: 0, model: expansionOf(problem, new Float64Array(problem.target.length), 0) };
}
