// The core's functions with types: problems in, certified fits out.
import { Memory, Out } from "./memory";
import {
  BOUND,
  FREE,
  kernelNames,
  ZERO,
  type Certificate,
  type DualProblem,
  type Expansion,
  type Fit,
  type Kernel,
  type Lattice,
  type Rows,
  type Settings,
  type Status,
  type TraceRow,
} from "./types";

// The order of the enums in cpp/lab/lab.h, svm::KernelKind and svm::Status.
const kinds = ["linear", "poly", "rbf", "sigmoid", "laplacian", "chi2", "cosine", "matern12", "matern32", "matern52"];
const statuses: readonly Status[] = ["optimal", "precision", "max_iterations", "stopped"];
const at = {
  status: 0,
  primal: 1,
  dual: 2,
  gap: 3,
  violation: 4,
  bound: 5,
  convex: 6,
  multiplier: 7,
  steps: 10,
  newtonSteps: 11,
  seconds: 12,
  traceRows: 13,
  numbers: 16,
  traceColumns: 7,
};
const mostTraceRows = 1100;

function kernelNumbers(kernel: Kernel, data: Rows): Float64Array {
  const { name, gamma = 1, coef0 = 0, degree = 3 } = kernel;
  if (!kernelNames.includes(name)) throw new RangeError(`there is no kernel "${name}"`);
  if (!(gamma >= 0)) throw new RangeError(`gamma is ${gamma}; it must be at least 0.`);
  if (name === "poly" && !(Number.isInteger(degree) && degree >= 0)) {
    throw new RangeError(`degree is ${degree}; it must be a whole number of at least 0.`);
  }
  if (name === "chi2" && data.x.some((v) => v < 0)) {
    throw new RangeError("The chi-squared kernel needs features of at least 0.");
  }
  return Float64Array.of(kinds.indexOf(name), gamma, coef0, degree);
}

function checkRows({ x, n, d }: Rows): void {
  if (x.length !== n * d) throw new RangeError(`${n} rows of ${d} features are ${n * d} numbers, not ${x.length}.`);
  if (!x.every(Number.isFinite)) throw new RangeError("The data have values that are not finite.");
}

/** Some rows of the data, in a matrix of their own. */
export function pick({ x, d, n }: Rows, rows: Int32Array): Rows {
  if (rows.length === n) return { x, n, d };
  const picked = new Float64Array(rows.length * d);
  rows.forEach((row, i) => picked.set(x.subarray(row * d, (row + 1) * d), i * d));
  return { x: picked, n: rows.length, d };
}

function certificateOf(numbers: Float64Array): Certificate {
  return {
    primal: numbers[at.primal]!,
    dual: numbers[at.dual]!,
    gap: numbers[at.gap]!,
    violation: numbers[at.violation]!,
    bound: numbers[at.bound]!,
    convex: numbers[at.convex] === 1,
  };
}

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
    const beta = new Out(new Float64Array(variables));
    const gradient = new Out(new Float64Array(variables));
    const numbers = new Out(new Float64Array(at.numbers));
    const trace = new Out(new Float64Array(mostTraceRows * at.traceColumns));
    if (start && start.length !== variables) throw new RangeError("start must have a number for each variable.");
    this.#memory.call(
      "lab_solve",
      ...this.#stated(problem),
      tol,
      maxSteps,
      start,
      beta,
      gradient,
      numbers,
      trace,
      mostTraceRows,
    );
    const n = numbers.values;
    return {
      ...this.#model(problem, beta.values, gradient.values, n.subarray(at.multiplier)),
      certificate: certificateOf(n),
      status: statuses[n[at.status]!]!,
      steps: n[at.steps]!,
      newtonSteps: n[at.newtonSteps]!,
      seconds: n[at.seconds]!,
      trace: traceOf(trace.values, n[at.traceRows]!),
    };
  }

  /** Judges a feasible point. */
  certify(problem: DualProblem, beta: Float64Array): Certificate {
    const numbers = new Out(new Float64Array(at.numbers));
    this.#memory.call("lab_certify", ...this.#stated(problem), beta, numbers);
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

  /** A problem as C takes it. */
  #stated(problem: DualProblem) {
    const data = pick(problem.data, problem.rows);
    checkRows(data);
    const { target, lower, upper, epsilon, group, ridge } = problem;
    if (data.n === 0) throw new RangeError("There is no row of positive weight.");
    const kernel = kernelNumbers(problem.kernel, data);
    const totals = Float64Array.from(problem.totals);
    return [data.x, data.n, data.d, kernel, target.length, target, lower, upper, epsilon, group, totals, ridge] as const;
  }

  /** From the variables of a problem to its decision function, row by row. */
  #model(problem: DualProblem, beta: Float64Array, gradient: Float64Array, levels: Float64Array) {
    const { data, kernel, rows, target, ridge, totals, formulation } = problem;
    const multipliers = Array.from(levels.subarray(0, totals.length));
    const half = totals.length === 2 ? (multipliers[1]! - multipliers[0]!) / 2 : 0;
    const rho = problem.unitMargin && half > 0 ? half : 1;
    const intercept = multipliers.reduce((all, v) => all + v, 0) / multipliers.length / rho;
    const coef = new Float64Array(data.n);
    const alpha = new Float64Array(data.n);
    const box = new Float64Array(data.n);
    const state = new Uint8Array(data.n);
    const decision = new Float64Array(data.n);
    for (let v = 0; v < beta.length; v++) {
      const i = v % rows.length;
      const row = rows[i]!;
      const end = beta[v]! < 0 || (beta[v] === 0 && problem.upper[v] === 0) ? -problem.lower[v]! : problem.upper[v]!;
      coef[row]! += beta[v]! / rho;
      alpha[row]! += Math.abs(beta[v]!);
      box[row] = Math.max(box[row]!, end);
      if (beta[v] !== 0) state[row] = Math.max(state[row]!, Math.abs(beta[v]!) < end ? FREE : BOUND);
      decision[row] = (gradient[v]! + target[v]! - (ridge ? ridge[v]! * beta[v]! : 0)) / rho + intercept;
    }
    const model = { data, kernel, coef, intercept };
    if (rows.length < data.n) this.#fillIn(model, rows, decision);
    const epsilon = formulation === "nu_svr" ? -half : problem.epsilon;
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
