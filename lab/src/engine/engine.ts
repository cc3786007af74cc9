// The core's functions with types: problems in, certified fits out.
import { at, certificateOf, checkRows, kernelNumbers, levels, pick, stated, statuses } from "./codes";
import { crammerSinger, linear } from "./linear";
import { Memory, Out } from "./memory";
import { pairCount, pairSteps } from "./pairs";
import { errorColumn, type ValidationTask } from "./validation";
import { BOUND, FREE, ZERO } from "./types";
import type {
  Certificate,
  ClassWeights,
  DualProblem,
  EngineStep,
  Expansion,
  Fit,
  Kernel,
  Lattice,
  LinearMethod,
  LinearProblem,
  LinearRun,
  LinearSettings,
  PairRule,
  PairTrace,
  Rows,
  Settings,
  TraceRow,
} from "./types";

const mostTraceRows = 1100;

function traceOf(values: Float64Array, count: number): TraceRow[] {
  return Array.from({ length: count }, (_, k) => {
    const [seconds, steps, primal, dual, gap, violation, support] = values.subarray(
      k * at.traceColumns,
      (k + 1) * at.traceColumns,
    ) as unknown as [number, number, number, number, number, number, number];
    return { seconds, steps, primal, dual, gap, violation, support };
  });
}

export class Engine {
  readonly #memory: Memory;

  constructor(readonly module: WebAssembly.Module) {
    this.#memory = new Memory(module);
  }

  /** Solves a problem. */
  fit(problem: DualProblem, settings: Settings = {}): Fit {
    const { tol = 1e-3, maxSteps = -1, start = null } = settings;
    const variables = problem.target.length;
    if (start && start.length !== variables) throw new RangeError("start must have a number for each variable.");
    const beta = new Out(new Float64Array(variables));
    const gradient = new Out(new Float64Array(variables));
    const out = new Out(new Float64Array(at.numbers));
    const trace = new Out(new Float64Array(mostTraceRows * at.traceColumns));
    this.#memory.call("lab_solve", ...stated(problem), tol, maxSteps, start, beta, gradient, out, trace, mostTraceRows);
    const numbers = out.values;
    return {
      ...this.#model(problem, beta.values, gradient.values, numbers.subarray(at.multiplier)),
      certificate: certificateOf(numbers),
      status: statuses[numbers[at.status]!]!,
      steps: numbers[at.steps]!,
      newtonSteps: numbers[at.newtonSteps]!,
      seconds: numbers[at.seconds]!,
      trace: traceOf(trace.values, numbers[at.traceRows]!),
    };
  }

  /** Judges a feasible point. */
  certify(problem: DualProblem, beta: Float64Array): Certificate {
    const numbers = new Out(new Float64Array(at.numbers));
    this.#memory.call("lab_certify", ...stated(problem), beta, numbers);
    return certificateOf(numbers.values);
  }

  /** f at some points. */
  decide(model: Expansion, points: Rows): Float64Array {
    checkRows(points);
    if (points.d !== model.data.d) {
      throw new RangeError(`The points have ${points.d} features, those of the fit ${model.data.d}.`);
    }
    const { centres, coef } = supported(model);
    const out = new Out(new Float64Array(points.n));
    const kernel = kernelNumbers(model.kernel, points);
    this.#memory.call("lab_decision", centres.x, coef, centres.n, centres.d, kernel, model.intercept, points.x, points.n, out);
    return out.values;
  }

  /** f on a lattice of the plane. */
  grid(model: Expansion, lattice: Lattice): Float32Array {
    if (model.data.d !== 2) throw new RangeError(`A grid needs two features, not ${model.data.d}.`);
    const { centres, coef } = supported(model);
    const { x0, x1, nx, y0, y1, ny } = lattice;
    const out = new Out(new Float32Array(nx * ny));
    const kernel = kernelNumbers(model.kernel, model.data);
    this.#memory.call("lab_grid", centres.x, coef, centres.n, kernel, model.intercept, x0, x1, nx, y0, y1, ny, out);
    return out.values;
  }

  /** k(x_i, x_j), at [i * n + j]. */
  gram(data: Rows, kernel: Kernel): Float64Array {
    checkRows(data);
    const out = new Out(new Float64Array(data.n * data.n));
    this.#memory.call("lab_gram", data.x, data.n, data.d, kernelNumbers(kernel, data), out);
    return out.values;
  }

  /** Plain SMO, step by step, until the violation is at most tol. */
  pairSteps(problem: DualProblem, rule: PairRule, settings: Settings = {}): PairTrace {
    return pairSteps(this.#memory, problem, rule, settings);
  }

  /** How many steps plain SMO takes, at most maxSteps. */
  pairCount(problem: DualProblem, rule: PairRule, settings: Settings = {}): number {
    return pairCount(this.#memory, problem, rule, settings);
  }

  /** The engine's own steps, each seen by a fit that ends there: the first `most` of them, and the finish. */
  engineSteps(problem: DualProblem, most = 500, settings: Settings = {}): EngineStep[] {
    const steps: EngineStep[] = [];
    let before = this.fit(problem, { ...settings, maxSteps: 0 }).beta;
    for (let k = 1; k <= most; k++) {
      const fit = this.fit(problem, { ...settings, maxSteps: k });
      const ended = fit.status !== "max_iterations";
      if (fit.steps < k && !ended) continue;
      const moved = Int32Array.from(fit.beta.keys()).filter((i) => fit.beta[i] !== before[i]);
      const kind = fit.newtonSteps > 0 ? "newton" : moved.length > 2 ? "conjugate" : "pair";
      const { beta, certificate, intercept } = fit;
      if (moved.length > 0) steps.push({ steps: fit.steps, kind, moved, beta, certificate, intercept });
      before = beta;
      if (ended) break;
    }
    return steps;
  }

  /** A linear machine by one of six methods, and where each has been on its way. */
  linear(problem: LinearProblem, method: LinearMethod, settings: LinearSettings = {}): LinearRun {
    return linear(this.#memory, problem, method, settings);
  }

  /** Crammer and Singer's linear machine; label is the class of each row, 0, 1, ... */
  crammerSinger(data: Rows, label: Int32Array, classes: number, C: number, weight?: Float64Array): ClassWeights {
    return crammerSinger(this.#memory, data, label, classes, C, weight);
  }

  /** Errors over all C at one gamma; `Remote.errorMap` makes a map of them. */
  errorColumn(task: ValidationTask, gamma: number): ReturnType<typeof errorColumn> {
    return errorColumn(this, task, gamma);
  }

  /** From the variables of a problem to its decision function, row by row. */
  #model(problem: DualProblem, beta: Float64Array, gradient: Float64Array, found: Float64Array) {
    const { data, kernel, rows, target, ridge, lower, upper, formulation } = problem;
    const multipliers = Array.from(found.subarray(0, problem.totals.length));
    const { intercept, rho, half } = levels(problem, multipliers);
    const [coef, alpha, box, decision] = Array.from({ length: 4 }, () => new Float64Array(data.n)) as [
      Float64Array,
      Float64Array,
      Float64Array,
      Float64Array,
    ];
    const state = new Uint8Array(data.n);
    for (let v = 0; v < beta.length; v++) {
      const row = rows[v % rows.length]!;
      const b = beta[v]!;
      const end = b < 0 || (b === 0 && upper[v] === 0) ? -lower[v]! : upper[v]!;
      coef[row]! += b / rho;
      alpha[row]! += Math.abs(b);
      box[row] = Math.max(box[row]!, end);
      if (b !== 0) state[row] = Math.max(state[row]!, Math.abs(b) < end ? FREE : BOUND);
      decision[row] = (gradient[v]! + target[v]! - (ridge ? ridge[v]! * b : 0)) / rho + intercept;
    }
    const model = { data, kernel, coef, intercept };
    if (rows.length < data.n) this.#fillIn(model, rows, decision);
    const epsilon = formulation === "nu_svr" ? Math.abs(half) : problem.epsilon;
    const support = state.reduce((count, s) => count + (s === ZERO ? 0 : 1), 0);
    return { ...model, formulation, beta, gradient, alpha, box, state, decision, multipliers, rho, epsilon, support };
  }

  /** The decision values of rows that take no part. */
  #fillIn(model: Expansion, rows: Int32Array, decision: Float64Array): void {
    const inside = new Set(rows);
    const others = Int32Array.from({ length: model.data.n }, (_, i) => i).filter((i) => !inside.has(i));
    this.decide(model, pick(model.data, others)).forEach((value, k) => (decision[others[k]!] = value));
  }
}

function supported(model: Expansion): { centres: Rows; coef: Float64Array } {
  const rows = Int32Array.from({ length: model.data.n }, (_, i) => i).filter((i) => model.coef[i] !== 0);
  return { centres: pick(model.data, rows), coef: Float64Array.from(rows, (i) => model.coef[i]!) };
}
