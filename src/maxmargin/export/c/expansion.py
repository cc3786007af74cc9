"""Outputs in C: products with weights, or a sum of kernels."""

from __future__ import annotations

import numpy as np

from maxmargin.export.c.kernels import KernelCode
from maxmargin.export.c.literals import Tables
from maxmargin.export.chain import Expansion

_LINEAR = """\
static void outputs(const real *x, real *f) {
    int p, j;
    for (p = 0; p < N_OUTPUTS; ++p) {
        real sum = intercept[p]%CARRY%;
        for (j = 0; j < N_FEATURES; ++j) {
            %ADD%
        }
        f[p] = sum;
    }
}
"""
_KERNEL = """\
static void outputs(const real *x, real *f) {
    long i;
    int p;
    %START%
    for (p = 0; p < N_OUTPUTS; ++p) f[p] = intercept[p];
    for (i = 0; i < N_VECTORS; ++i) {
        const real value = kernel(x, vector[i]);
        %LOOP%
    }
}
"""
_DENSE = """\
for (p = 0; p < N_OUTPUTS; ++p) {
            %ADD%
        }"""
#: Of each vector the weights other than zero, and of which outputs they are.
_SPARSE = """\
long next;
        for (next = begin[i]; next < begin[i + 1]; ++next) {
            p = output[next];
            %ADD%
        }"""
#: Kahan's sum: what float rounds off is carried to the next term.
_CARRIED = """\
const real term = %TERM% - %CARRY%;
            const real total = %SUM% + term;
            %CARRY% = (total - %SUM%) - term;
            %SUM% = total;"""


def outputs_code(expansion: Expansion, tables: Tables, suffix: str) -> str:
    """Write `static void outputs(const real *x, real *f)`.

    Parameters
    ----------
    expansion : Expansion
        What the machine computes.
    tables : Tables
        Where tables go.
    suffix : str
        What the mathematical functions of the precision end with.
    """
    tables.add("intercept", expansion.intercepts)
    carried = tables.dtype == np.float32
    if expansion.is_linear:
        tables.add("weight", np.ascontiguousarray(expansion.weights.T))
        add = _added("weight[p][j] * x[j]", "sum", "carry", carried)
        text = _LINEAR.replace("%CARRY%", ", carry = 0" if carried else "")
        return text.replace("%ADD%", add)
    tables.add("vector", expansion.vectors)
    code = KernelCode(tables, suffix)
    value = code.expression(expansion.kernel, None, expansion.n_features)
    functions = "".join(code.functions)
    kernel = f"static real kernel(const real *x, const real *z) {{ return {value}; }}\n"
    if _is_smaller_sparse(expansion.weights):
        rows, places = np.nonzero(expansion.weights)
        tables.add("weight", expansion.weights[rows, places])
        tables.add_places("output", places)
        tables.add_places("begin", np.searchsorted(rows, np.arange(len(expansion.weights) + 1)))
        loop, weight = _SPARSE, "weight[next]"
    else:
        tables.add("weight", expansion.weights)
        loop, weight = _DENSE, "weight[i][p]"
    loop = loop.replace("%ADD%", _added(f"{weight} * value", "f[p]", "carry[p]", carried))
    start = "real carry[N_OUTPUTS] = {0};\n" if carried else ""
    text = _KERNEL.replace("%LOOP%", loop).replace("    %START%\n", f"    {start}" if start else "")
    return functions + kernel + text


def _is_smaller_sparse(weights: np.ndarray) -> bool:
    """Whether weights without zeros, with their places, are fewer bytes than all of them."""
    return bool(10 * np.count_nonzero(weights) + 4 * len(weights) < 8 * weights.size)


def _added(term: str, total: str, carry: str, carried: bool) -> str:
    if not carried:
        return f"{total} += {term};"
    return _CARRIED.replace("%TERM%", term).replace("%CARRY%", carry).replace("%SUM%", total)
