// The small problem and its solution as texts: MathML for the page, LaTeX for a sheet of exercises, asserts for Python.
import type { Dataset } from "../../state/dataset";
import type { Exact } from "./exact";
import type { Fraction } from "./fraction";

/** A fraction as MathML. */
export function mathml(value: Fraction): string {
  const size = value.top < 0n ? -value.top : value.top;
  const body = value.bottom === 1n ? `<mn>${size}</mn>` : `<mfrac><mn>${size}</mn><mn>${value.bottom}</mn></mfrac>`;
  return `<math displaystyle="true">${value.top < 0n ? "<mrow><mo>−</mo>" + body + "</mrow>" : body}</math>`;
}

export function latex(value: Fraction): string {
  if (value.bottom === 1n) return String(value.top);
  const size = value.top < 0n ? -value.top : value.top;
  return `${value.top < 0n ? "-" : ""}\\tfrac{${size}}{${value.bottom}}`;
}

/** The exercise and its answer. */
export function sheet(data: Dataset, C: number, exact: Exact): string {
  const { x, n, d } = data.rows;
  const rows = Array.from({ length: n }, (_, i) => {
    const cells = [i + 1, `(${[...x.subarray(i * d, i * d + d)].join(",\\, ")})`, data.y[i] > 0 ? "+1" : "-1"];
    return [...cells, latex(exact.alpha[i]), latex(exact.margin[i]), latex(exact.slack[i])].map((cell) => `$${cell}$`).join(" & ") + " \\\\";
  });
  const Q = exact.gram.map((row, i) => row.map((value, j) => latex(data.y[i] === data.y[j] ? value : value.negated())).join(" & "));
  return [
    `% ${data.name}: the soft margin with C = ${C}`,
    "\\[ \\max_{\\alpha} \\; \\sum_i \\alpha_i - \\tfrac12\\, \\alpha^\\top Q \\alpha, \\qquad 0 \\le \\alpha_i \\le " + C + ", \\quad \\sum_i y_i \\alpha_i = 0, \\]",
    `\\[ Q = \\begin{pmatrix} ${Q.join(" \\\\ ")} \\end{pmatrix} \\]`,
    "\\begin{tabular}{rlrrrr}",
    "$i$ & $x_i$ & $y_i$ & $\\alpha_i$ & $y_i f(x_i)$ & $\\xi_i$ \\\\ \\hline",
    ...rows,
    "\\end{tabular}",
    `\\[ ${exact.w ? `w = (${exact.w.map(latex).join(",\\, ")}), \\quad ` : ""}b ${exact.b ? `= ${latex(exact.b)}` : interval(exact)}, \\quad |w|^2 = ${latex(exact.norm2)}, \\quad P = D = ${latex(exact.objective)} \\]`,
    "",
  ].join("\n");
}

const interval = ({ bLow, bHigh }: Exact): string => `\\in [${bLow ? latex(bLow) : "-\\infty"},\\, ${bHigh ? latex(bHigh) : "\\infty"}]`;


/** The points with alpha, y f and slack, as CSV of fractions and decimals. */
export function solutionCsv(data: Dataset, exact: Exact): string {
  const { x, n, d } = data.rows;
  const header = [...data.features, "y", "alpha", "alpha as a fraction", "y f", "slack"];
  const lines = Array.from({ length: n }, (_, i) =>
    [...x.subarray(i * d, i * d + d), data.y[i], exact.alpha[i].toNumber(), exact.alpha[i], exact.margin[i].toNumber(), exact.slack[i].toNumber()].join(","),
  );
  return [header.join(","), ...lines, ""].join("\n");
}

/** Lines for the end of the program: the numbers of the page, which it must find again. */
export function pythonChecks(exact: Exact): string[] {
  const list = (values: readonly Fraction[]): string => `[${values.join(", ")}]`;
  return [
    "# What the lab has computed in fractions:",
    ...(exact.unique ? [`alpha = np.array(${list(exact.alpha)})`, "assert np.allclose(model.alphas_[0], alpha[model.support_])"] : []),
    ...(exact.w ? [`assert np.allclose(model.coef_[0], ${list(exact.w)})`] : []),
    ...(exact.b ? [`assert np.isclose(model.intercept_[0], ${exact.b})`] : []),
    `assert np.isclose(model.certificate_.primal, ${exact.objective})`,
    `assert np.isclose(model.certificate_.dual, ${exact.objective})`,
    'print("the same numbers as in the lab")',
    "",
  ];
}
