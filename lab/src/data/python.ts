// The current fit as a program for the package, which gives the same numbers.
import type { Dataset, Task } from "../state/dataset";
import type { Parameters } from "../state/parameters";

const NAMES: Record<Task, Record<Parameters["formulation"], string>> = {
  binary: { C: "SVC", nu: "NuSVC", squared: "SVC" },
  regression: { C: "SVR", nu: "NuSVR", squared: "SVR" },
  one_class: { C: "OneClassSVM", nu: "OneClassSVM", squared: "OneClassSVM" },
  multi_class: { C: "SVC", nu: "NuSVC", squared: "SVC" },
};

const CLASSES: Partial<Record<Parameters["kernel"], string>> = {
  laplacian: "Laplacian",
  matern12: "Matern",
  matern32: "Matern",
  matern52: "Matern",
  chi2: "Chi2",
  cosine: "Cosine",
};

/** `checks` are further lines, which compare. */
export function toPython(task: Task, data: Dataset, parameters: Parameters, checks: readonly string[] = []): string {
  const estimator = NAMES[task][parameters.formulation];
  const { x, n, d } = data.rows;
  const rows = Array.from({ length: n }, (_, i) => `    [${[...x.subarray(i * d, i * d + d)].map(number).join(", ")}],`);
  const weighted = data.weight.some((weight) => weight !== 1);
  const own = CLASSES[parameters.kernel];
  const fitted = [task === "one_class" ? "X" : "X, y", ...(weighted ? ["sample_weight=weight"] : [])].join(", ");
  return [
    `# ${data.name}: the fit of the maxmargin lab, with the same core.`,
    "import numpy as np",
    "",
    `from maxmargin import ${estimator}`,
    ...(own ? [`from maxmargin.kernels import ${own}`] : []),
    "",
    "X = np.array([",
    ...rows,
    "])",
    ...(task === "one_class" ? [] : [`y = np.array([${[...data.y].map(number).join(", ")}])`]),
    ...(weighted ? [`weight = np.array([${[...data.weight].map(number).join(", ")}])`] : []),
    "",
    `model = ${estimator}(${settings(task, parameters).join(", ")})`,
    `model.fit(${fitted})`,
    "",
    ...(task === "binary" && parameters.kernel === "linear" ? ['print("w =", model.coef_[0])'] : []),
    ...(task === "multi_class" ? [] : ['print("b =", model.intercept_[0])']),
    'print("support vectors:", model.support_)',
    'print("alpha * y:", model.dual_coef_[0])',
    'print("certificate:", model.certificate_)',
    ...(checks.length > 0 ? ["", ...checks] : [""]),
  ].join("\n");
}

const number = (value: number): string => String(value);

function settings(task: Task, parameters: Parameters): string[] {
  const { formulation, kernel, C, nu, epsilon, gamma, degree, coef0 } = parameters;
  const all = [`kernel=${kernelText(kernel, gamma)}`];
  if (kernel === "rbf" || kernel === "poly" || kernel === "sigmoid") all.push(`gamma=${number(gamma)}`);
  if (kernel === "poly") all.push(`degree=${number(degree)}`);
  if (kernel === "poly" || kernel === "sigmoid") all.push(`coef0=${number(coef0)}`);
  const byNu = formulation === "nu" || task === "one_class";
  if (task !== "one_class" && (!byNu || task === "regression")) all.push(`C=${number(C)}`);
  if (byNu) all.push(`nu=${number(nu)}`);
  else if (task === "regression") all.push(`epsilon=${number(epsilon)}`);
  if (formulation === "squared" && !byNu && task === "binary") all.push('loss="squared_hinge"');
  return all;
}

function kernelText(kernel: Parameters["kernel"], gamma: number): string {
  const own = CLASSES[kernel];
  if (!own) return `"${kernel}"`;
  if (kernel === "cosine") return `${own}()`;
  const smoothness = { matern12: 0.5, matern32: 1.5, matern52: 2.5 }[kernel as string];
  return smoothness ? `${own}(length_scale=${number(1 / gamma)}, nu=${smoothness})` : `${own}(gamma=${number(gamma)})`;
}
