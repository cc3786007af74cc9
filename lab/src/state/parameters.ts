// The parameters of a model, where they may lie, and what each task begins with.
import type { Kernel, KernelName } from "../engine/types";
import type { Task } from "./dataset";

export interface Parameters {
  /** C bounds each alpha; nu bounds shares; "squared" squares the slack. One class has only nu. */
  formulation: "C" | "nu" | "squared";
  kernel: KernelName;
  C: number;
  nu: number;
  epsilon: number;
  gamma: number;
  degree: number;
  coef0: number;
}

export interface Range {
  readonly low: number;
  readonly high: number;
  readonly log: boolean;
  readonly step?: number;
}

/** What the sliders and a typed number may be. */
export const ranges: Record<Exclude<keyof Parameters, "formulation" | "kernel">, Range> = {
  C: { low: 1e-3, high: 1e6, log: true },
  nu: { low: 0.01, high: 1, log: false, step: 0.01 },
  epsilon: { low: 0, high: 2, log: false, step: 0.01 },
  gamma: { low: 1e-3, high: 1e3, log: true },
  degree: { low: 1, high: 8, log: false, step: 1 },
  coef0: { low: -2, high: 5, log: false, step: 0.1 },
};

/** The kernels that the controls offer; `chi2` needs features of at least zero. */
export const offeredKernels: { name: KernelName; label: string }[] = [
  { name: "linear", label: "linear" },
  { name: "poly", label: "polynomial" },
  { name: "rbf", label: "Gaussian (RBF)" },
  { name: "laplacian", label: "Laplacian" },
  { name: "matern32", label: "Matérn 3/2" },
  { name: "sigmoid", label: "sigmoid" },
  { name: "cosine", label: "cosine" },
];

const usual: Parameters = {
  formulation: "C",
  kernel: "linear",
  C: 1,
  nu: 0.3,
  epsilon: 0.2,
  gamma: 1,
  degree: 3,
  coef0: 1,
};

export const initialParameters: Record<Task, Parameters> = {
  binary: usual,
  regression: { ...usual, kernel: "rbf", C: 10 },
  one_class: { ...usual, formulation: "nu", kernel: "rbf", nu: 0.1, gamma: 0.5 },
  multi_class: { ...usual, kernel: "linear" },
};

export function kernelOf({ kernel, gamma, degree, coef0 }: Parameters): Kernel {
  return { name: kernel, gamma, degree, coef0 };
}

/** Which of gamma, degree and coef0 the kernel has. */
export function kernelParameters(kernel: KernelName): ("gamma" | "degree" | "coef0")[] {
  if (kernel === "linear" || kernel === "cosine") return [];
  if (kernel === "poly") return ["degree", "gamma", "coef0"];
  if (kernel === "sigmoid") return ["gamma", "coef0"];
  return ["gamma"];
}
