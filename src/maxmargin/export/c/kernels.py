"""Kernels in C: one function for each that is not made of others, and an expression of these."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from maxmargin.export.c.literals import Tables
from maxmargin.kernels import (
    RBF,
    Chi2,
    Columns,
    Constant,
    Cosine,
    Kernel,
    Laplacian,
    Linear,
    Matern,
    Polynomial,
    Product,
    Scaled,
    Sigmoid,
    Sum,
)

#: What is added up over the columns, of two values x and z.
_TERMS = {
    "dot": "x[@] * z[@]",
    "squares": "(x[@] - z[@]) * (x[@] - z[@])",
    "absolute": "{fabs}(x[@] - z[@])",
    "chi2": "x[@] + z[@] > 0 ? (x[@] - z[@]) * ((x[@] - z[@]) / (x[@] + z[@])) : 0",
}


@dataclass
class KernelCode:
    """The functions of a kernel, gathered while its expression is written.

    Parameters
    ----------
    tables : Tables
        Where numbers of columns go.
    suffix : str
        What the mathematical functions of the precision end with, "f" or nothing.

    Examples
    --------
    >>> code = KernelCode(Tables(np.dtype(float)), "")
    >>> code.expression(2 * RBF(0.5) + Linear(), None, 3)
    '((2.0 * kernel_1(x, z)) + kernel_2(x, z))'
    """

    tables: Tables
    suffix: str
    functions: list[str] = field(default_factory=list, init=False)

    def expression(self, kernel: Kernel, columns: tuple[int, ...] | None, width: int) -> str:
        """Write k(x, z) of two rows x and z, and add the functions that it calls.

        Parameters
        ----------
        kernel : Kernel
            One that `check_kernel` has accepted.
        columns : tuple of int or None
            The columns that it sees; None for all.
        width : int
            How many these are.
        """
        match kernel:
            case Scaled():
                inner = self.expression(kernel.kernel, columns, width)
                return f"({self.tables.number(kernel.factor)} * {inner})"
            case Sum() | Product():
                sign = " + " if isinstance(kernel, Sum) else " * "
                parts = (self.expression(part, columns, width) for part in kernel.parts)
                return f"({sign.join(parts)})"
            case Columns():
                chosen = [k for k in kernel.columns if isinstance(k, int)]
                places = tuple(chosen if columns is None else [columns[k] for k in chosen])
                return self.expression(kernel.kernel, places, len(places))
            case Constant():
                return self.tables.number(kernel.value)
        return self._function(kernel, columns, width)

    def _function(self, kernel: Kernel, columns: tuple[int, ...] | None, width: int) -> str:
        name = f"kernel_{len(self.functions) + 1}"
        place = "j"
        if columns is not None:
            self.tables.add_places(f"{name}_columns", np.array(columns))
            place = f"{name}_columns[j]"
        body = self._cosine() if isinstance(kernel, Cosine) else self._of_sum(kernel)
        body = body.replace("@", place).replace("%WIDTH%", str(width))
        self.functions.append(f"static real {name}(const real *x, const real *z) {{\n{body}}}\n")
        return f"{name}(x, z)"

    def _of_sum(self, kernel: Kernel) -> str:
        """Write a kernel that is a function of one sum over the columns."""
        term, value = self._parts(kernel)
        added = _TERMS[term].format(fabs=f"fabs{self.suffix}")
        return (
            "    real sum = 0;\n    int j;\n"
            f"    for (j = 0; j < %WIDTH%; ++j) sum += {added};\n{value}"
        )

    def _parts(self, kernel: Kernel) -> tuple[str, str]:
        """Return what is added up, and the statements from the sum to the value."""
        number, exp = self.tables.number, f"exp{self.suffix}"
        match kernel:
            case Linear():
                return "dot", "    return sum;\n"
            case Polynomial():
                return "dot", (
                    f"    {{\n        const real base = {number(kernel.gamma)} * sum"
                    f" + {number(kernel.coef0)};\n        real power = 1;\n"
                    f"        for (j = 0; j < {kernel.degree}; ++j) power *= base;\n"
                    "        return power;\n    }\n"
                )
            case Sigmoid():
                inner = f"{number(kernel.gamma)} * sum + {number(kernel.coef0)}"
                return "dot", f"    return tanh{self.suffix}({inner});\n"
            case RBF():
                return "squares", f"    return {exp}(-{number(kernel.gamma)} * sum);\n"
            case Laplacian():
                return "absolute", f"    return {exp}(-{number(kernel.gamma)} * sum);\n"
            case Chi2():
                return "chi2", f"    return {exp}(-{number(kernel.gamma)} * sum);\n"
            case Matern():
                return "squares", self._matern(kernel)
        raise AssertionError(f"{kernel!r} was to be refused before")

    def _matern(self, kernel: Matern) -> str:
        number, exp = self.tables.number, f"exp{self.suffix}"
        if kernel.nu == np.inf:
            return f"    return {exp}(-{number(0.5 / kernel.length_scale**2)} * sum);\n"
        factor = number(float(np.sqrt(2 * kernel.nu)) / kernel.length_scale)
        begin = f"    {{\n        const real t = {factor} * sqrt{self.suffix}(sum);\n"
        polynomial = {0.5: "", 1.5: "(1 + t) * ", 2.5: "(1 + t + t * t / 3) * "}[kernel.nu]
        return f"{begin}        return {polynomial}{exp}(-t);\n    }}\n"

    def _cosine(self) -> str:
        root = f"sqrt{self.suffix}"
        return (
            "    real dot = 0, xx = 0, zz = 0;\n    int j;\n"
            "    for (j = 0; j < %WIDTH%; ++j) {\n"
            "        dot += x[@] * z[@];\n        xx += x[@] * x[@];\n        zz += z[@] * z[@];\n"
            "    }\n"
            f"    return xx > 0 && zz > 0 ? dot / ({root}(xx) * {root}(zz)) : 0;\n"
        )
