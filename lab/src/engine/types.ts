// What goes into the engine and what comes out: plain objects and typed arrays, which a worker can be sent.

/** Rows of features, one after the other: x[i * d + k]. */
export interface Rows {
  readonly x: Float64Array;
  readonly n: number;
  readonly d: number;
}

export const kernelNames = [
  "linear",
  "poly",
  "rbf",
  "sigmoid",
  "laplacian",
  "chi2",
  "cosine",
  "matern12",
  "matern32",
  "matern52",
] as const;
export type KernelName = (typeof kernelNames)[number];

/**
 * gamma is 1, coef0 0 and degree 3 where nothing else is said. chi2 needs features of at least 0. Matern kernels have
 * a length scale of 1 / gamma.
 */
export interface Kernel {
  readonly name: KernelName;
  readonly gamma?: number;
  readonly coef0?: number;
  readonly degree?: number;
}

/**
 * The canonical dual in signed variables beta = y alpha, one or two (nu-SVR) for each of the rows that take part:
 *
 *   minimise    1/2 beta'(K + R) beta - target'beta + epsilon |beta|_1
 *   subject to  lower <= beta <= upper,   sum of beta over group g = totals[g]
 */
export interface DualProblem {
  readonly formulation: Formulation;
  readonly data: Rows;
  readonly kernel: Kernel;
  /** The rows that take part: those of positive weight. */
  readonly rows: Int32Array;
  readonly target: Float64Array;
  readonly lower: Float64Array;
  readonly upper: Float64Array;
  readonly epsilon: number;
  readonly totals: readonly number[];
  readonly group: Uint8Array | null;
  readonly ridge: Float64Array | null;
  /** nu-SVC: weights and intercept are divided by rho, so that the margin is 1. */
  readonly unitMargin: boolean;
}

export type Formulation = "c_svc" | "squared_hinge" | "nu_svc" | "svr" | "nu_svr" | "one_class";

export interface Settings {
  /** Largest violation in the units of the targets; 1e-3 unless told. Small problems are solved to rounding. */
  readonly tol?: number;
  /** Steps after which the solver ends, certified all the same. */
  readonly maxSteps?: number;
  /** A feasible point to begin from: `Fit.beta` of a problem with the same rows, after `feasible`. */
  readonly start?: Float64Array;
}

/** How good a point is, whoever found it. */
export interface Certificate {
  readonly primal: number;
  readonly dual: number;
  /** (primal - dual) / max(|primal|, |dual|) */
  readonly gap: number;
  /** Largest violating pair, in the units of the targets. */
  readonly violation: number;
  /** The violation's own error is at most this. */
  readonly bound: number;
  /** No negative curvature was met: the optimum is global. */
  readonly convex: boolean;
}

export type Status = "optimal" | "precision" | "max_iterations" | "stopped";

export interface TraceRow {
  readonly seconds: number;
  readonly steps: number;
  readonly primal: number;
  readonly dual: number;
  readonly gap: number;
  readonly violation: number;
  readonly support: number;
}

/** What a row is in the dual; the numbers in `Fit.state`. */
export const ZERO = 0;
export const FREE = 1;
export const BOUND = 2;

/** f(x) = sum over rows of coef_i k(x, x_i) + intercept. */
export interface Expansion {
  readonly data: Rows;
  readonly kernel: Kernel;
  readonly coef: Float64Array;
  readonly intercept: number;
}

export interface Fit extends Expansion {
  readonly formulation: Formulation;
  /** The dual variables as in the problem. */
  readonly beta: Float64Array;
  /** (K + R) beta - target, of each variable. */
  readonly gradient: Float64Array;
  /** |beta| of each row of the data (0 of rows that take no part; nu-SVR: of both variables together). */
  readonly alpha: Float64Array;
  /** The end of each row's interval, alpha <= box; infinite for the squared hinge. */
  readonly box: Float64Array;
  /** ZERO, FREE or BOUND of each row. */
  readonly state: Uint8Array;
  /** f(x_i) of each row of the data. */
  readonly decision: Float64Array;
  /** Of the sums of the groups; see `DualProblem.decision` of the package. */
  readonly multipliers: readonly number[];
  /** nu-SVC: the margin before it was made 1. Else 1. */
  readonly rho: number;
  /** SVR: half the tube's width, given or (nu-SVR) found. Else 0. */
  readonly epsilon: number;
  /** Rows that are not ZERO. */
  readonly support: number;
  readonly certificate: Certificate;
  readonly status: Status;
  /** Pair steps (conjugate ones move more than two variables) and Newton steps. */
  readonly steps: number;
  readonly newtonSteps: number;
  readonly seconds: number;
  readonly trace: readonly TraceRow[];
}

/** A lattice of points: ny rows of nx values, the first row at y0. */
export interface Lattice {
  readonly x0: number;
  readonly x1: number;
  readonly nx: number;
  readonly y0: number;
  readonly y1: number;
  readonly ny: number;
}

// ---- Plain SMO, for teaching ---------------------------------------------------------------------

export type PairRule = "first" | "second";

/** One step of two variables: beta_up rises by `step`, beta_down falls by it. */
export interface PairStep {
  readonly up: number;
  readonly down: number;
  /** gradient[down] - gradient[up] before: what the pair violates its condition by (m - M). */
  readonly violation: number;
  /** K_uu + K_dd - 2 K_ud (and the ridge): the parabola along the pair. */
  readonly curvature: number;
  /** violation / curvature: where the parabola has its minimum. */
  readonly free: number;
  /** How far the box lets it go. */
  readonly room: number;
  /** min(free, room) */
  readonly step: number;
  /** Whether the box cut it short, and whose bound that was. */
  readonly clipped: "none" | "up" | "down" | "both";
  /** What the dual objective gains. */
  readonly gain: number;
  /** The dual objective (maximised) and the certified primal after it. */
  readonly dual: number;
  readonly primal: number;
  /** beta and gradient after it. */
  readonly beta: Float64Array;
  readonly gradient: Float64Array;
  /**
   * Why this pair: for each variable its score as the partner of `up` ("second": the gain that a free step with it
   * would have, "first": the violation), NaN where it is none.
   */
  readonly scores: Float64Array;
  readonly intercept: number;
}

export interface PairTrace {
  readonly rule: PairRule;
  /** Where it began. */
  readonly beta: Float64Array;
  readonly gradient: Float64Array;
  readonly dual: number;
  readonly primal: number;
  readonly intercept: number;
  readonly steps: readonly PairStep[];
  /** Whether the last violation is below the tolerance. */
  readonly converged: boolean;
}

// ---- Linear methods ------------------------------------------------------------------------------

/**
 * The linear machine  1/2 |w|^2 + C sum_i s_i h(y_i (w'x_i + b)): every method below speaks of this objective,
 * whatever scale it works in.
 */
export interface LinearProblem {
  readonly data: Rows;
  readonly y: Float64Array;
  readonly C: number;
  readonly weight?: Float64Array;
  /** h: hinge, or its square. */
  readonly loss?: "hinge" | "squared_hinge";
  /** "free" unless told; "penalised": 1/2 b^2 is added (a feature that is 1), as Pegasos needs; "none". */
  readonly intercept?: "free" | "penalised" | "none";
}

export interface LinearRow {
  readonly seconds: number;
  /** How often the data were gone through (fractions in stochastic methods). */
  readonly passes: number;
  readonly steps: number;
  readonly w: Float64Array;
  readonly b: number;
  /** The objective there. */
  readonly primal: number;
  /** A lower bound of the optimum, if the method has one; else NaN. */
  readonly dual: number;
  /** Rows on the wrong side. */
  readonly errors: number;
}

export interface LinearRun {
  readonly method: LinearMethod;
  readonly w: Float64Array;
  readonly b: number;
  readonly primal: number;
  readonly dual: number;
  readonly rows: readonly LinearRow[];
}

/**
 * coordinate_descent, newton: the linear engine, with a lower bound in each row. pegasos: 1 / (lambda t), projected, averaged; its
 * intercept is penalised or none. averaged_sgd: as `maxmargin`'s own stochastic machines, step size chosen on a
 * sample. subgradient: all rows in each step, `schedule` as told. perceptron: constant steps at mistakes only, no
 * penalty, shown in the same objective.
 */
export const linearMethods = [
  "coordinate_descent",
  "newton",
  "pegasos",
  "averaged_sgd",
  "subgradient",
  "perceptron",
] as const;
export type LinearMethod = (typeof linearMethods)[number];

/**
 * Step sizes of t = 1, 2, ...: size; size / (delay + t); size / sqrt(t); 1 / (lambda t). They are of steps on
 * lambda/2 |w|^2 + mean of the losses, lambda = 1 / (C n), which is the objective divided by C n.
 */
export type Schedule =
  | { readonly rule: "constant"; readonly size: number }
  | { readonly rule: "harmonic"; readonly size: number; readonly delay?: number }
  | { readonly rule: "inverse_sqrt"; readonly size: number }
  | { readonly rule: "strongly_convex" };

export interface LinearSettings {
  readonly tol?: number;
  /** Steps: of one row or batch, of all rows (subgradient), Newton steps, or passes of coordinate descent. */
  readonly maxSteps?: number;
  readonly batch?: number;
  /** Of the order of the rows in each pass; below 0: their own. */
  readonly seed?: number;
  readonly schedule?: Schedule;
  /** subgradient: answer with the mean of the iterates. */
  readonly average?: boolean;
  /** Steps between two rows of the trace. */
  readonly recordEvery?: number;
  readonly start?: { readonly w: Float64Array; readonly b: number };
}

/** Crammer and Singer's machine: f_c(x) = w_c'x + b_c, the highest class wins. w[c * d + k]. */
export interface ClassWeights {
  readonly w: Float64Array;
  readonly b: Float64Array;
  readonly classes: number;
  readonly certificate: Certificate;
}

// ---- The engine's own steps ----------------------------------------------------------------------

export interface EngineStep {
  /** Pair steps so far. */
  readonly steps: number;
  /** pair: two variables; conjugate: the pair and those of earlier steps; newton: the finish, all its steps at once. */
  readonly kind: "pair" | "conjugate" | "newton";
  /** Variables that it has moved. */
  readonly moved: Int32Array;
  readonly beta: Float64Array;
  readonly certificate: Certificate;
  readonly intercept: number;
}

// ---- Validation ----------------------------------------------------------------------------------

/** Shares of wrong rows over a grid of C (rows) and gamma (columns), at [r * gammas.length + c]. */
export interface ErrorMap {
  readonly Cs: Float64Array;
  readonly gammas: Float64Array;
  /** Of the rows that a machine was fitted on, in the mean over the folds. */
  readonly train: Float64Array;
  /** Of the rows that were held out. */
  readonly validation: Float64Array;
  /** Of the test rows, by the machine of all others; NaN without test rows. */
  readonly test: Float64Array;
  /** Share of support vectors, in the mean over the folds. */
  readonly support: Float64Array;
}
