"""A model or a pipeline as a C file and its header."""

from __future__ import annotations

import os
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.impute import SimpleImputer

from maxmargin import __version__
from maxmargin.data.files import replacing
from maxmargin.export.c.classes import scores_code, winner_code
from maxmargin.export.c.expansion import outputs_code
from maxmargin.export.c.literals import Tables, quoted
from maxmargin.export.c.probabilities import probability_code
from maxmargin.export.chain import Chain, Expansion
from maxmargin.export.compression import Compression, compressed
from maxmargin.export.error import ExportError
from maxmargin.export.precision import Precision, precision_of
from maxmargin.export.report import ExportReport
from maxmargin.export.scaling import SCALERS, Scaling

#: A file of more numbers is more than compilers take in minutes.
_MOST_NUMBERS = 20_000_000
#: Words that C has for itself, and the one function that a program has.
_WORDS = """
auto break case char const continue default do double else enum extern float for goto if inline int
long main register restrict return short signed sizeof static struct switch typedef union unsigned
void volatile while
"""


def to_c(
    model: Any,
    path: str | os.PathLike[str],
    *,
    dtype: Precision = "float64",
    name: str | None = None,
    compress: int | None = None,
    X: Any = None,
    y: Any = None,
) -> ExportReport:
    """Write a fitted model, or a pipeline of scalers that ends with one, as C99.

    One file and its header, without malloc and without any library but C's own mathematics, for
    microcontrollers and for services without Python. Copies of support vectors are merged.

    Parameters
    ----------
    model : estimator, pipeline or search
        Fitted: any machine of maxmargin, with any kernel that is not a Python function, alone or
        after StandardScaler, MinMaxScaler, MaxAbsScaler, RobustScaler and SimpleImputer of numbers.
    path : path-like
        Where to, ending in .c or .h; the other file goes beside it. Both take their places when
        they are complete.
    dtype : {"float64", "float32"}
        Whether the code computes with double or float.
    name : str, optional
        What all names begin with; by default the file's.
    compress : int, optional
        Fit so many vectors in the place of the support vectors: chosen greedily, then moved by
        quasi-Newton steps to where the best weights leave least of the outputs. The report has
        a bound of what that changes. Approximate, where all else here is exact but for rounding.
    X, y : array-likes, optional
        Rows as the model takes them, and their labels or targets, to measure it on as well.

    Returns
    -------
    ExportReport
        Bytes of text, of tables and of stack, and what a compression costs.

    Raises
    ------
    ExportError
        If a part cannot be written: the text names it.

    Notes
    -----
    For a model `iris` the header declares `iris_real`, `IRIS_N_FEATURES` and::

        classes      int iris_predict(x), the place of the class in iris_labels[IRIS_N_CLASSES];
                     iris_decision(x, decision); iris_probabilities(x, p) of a calibrated model
        one class    the same, with the labels -1 and 1
        regression   iris_real iris_predict(x)

    With double, labels are the model's, and decision values differ by rounding. With float, rows
    within rounding of the boundary may get another label: about 1e-6 of the sum of
    |weight_j k(x, x_j)|. Sums are compensated, which `-ffast-math` would undo.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> from sklearn.datasets import load_iris
    >>> from maxmargin import SVC
    >>> from maxmargin.export import to_c
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "iris.c"
    >>> report = to_c(SVC().fit(*load_iris(return_X_y=True)), path, dtype="float32")
    >>> [written.name for written in report.paths], report.n_vectors
    (['iris.c', 'iris.h'], 59)
    """
    source, header = _paths(path)
    prefix = _identifier(source.stem if name is None else name, given=name is not None)
    chain, precision = Chain.of(model), precision_of(dtype)
    cost: Compression | None = None
    if compress is None:
        expansion = Expansion.of(chain.machine)
    else:
        expansion, cost = compressed(chain, compress, X, y)
    written = _Source(chain, expansion.rounded(precision), precision, prefix, header.name)
    code, declared = written.code().encode(), written.header().encode()
    with replacing(source) as body, replacing(header) as head:
        for stream, content in ((body, code), (head, declared)):
            stream.write(content)
            stream.flush()  # both have room on the disk before either takes its place
    report = replace(written.report(), compression=cost)
    return report.written([source, header], len(code) + len(declared))


def _paths(path: str | os.PathLike[str]) -> tuple[Path, Path]:
    given = Path(path)
    if given.suffix not in (".c", ".h"):
        raise ValueError(f"path is {os.fspath(path)!r}; the name must end in .c or .h")
    return given.with_suffix(".c"), given.with_suffix(".h")


def _identifier(text: str, *, given: bool) -> str:
    """Return a text as a name of C; one that was given must be one."""
    fitting = re.sub(r"\W", "_", text, flags=re.ASCII)
    fitting = f"m_{fitting}" if not fitting or fitting[0].isdigit() else fitting
    wrong = fitting in _WORDS.split()
    if given and (wrong or fitting != text):
        raise ValueError(f"name is {text!r}; it must be a name of C: letters, digits and _")
    return f"{fitting}_model" if wrong else fitting


class _Source:
    """The two files of a model, part by part."""

    def __init__(
        self, chain: Chain, expansion: Expansion, dtype: Any, prefix: str, header: str
    ) -> None:
        self.chain, self.expansion = chain, expansion
        self.prefix, self.header_name = prefix, header
        self.tables = Tables(dtype)
        self.suffix = "f" if dtype == np.float32 else ""
        self.classes = chain.classes_in(dtype, self.expansion)
        first = chain.steps[0][1] if chain.steps else chain.machine
        self.n_features = int(first.n_features_in_)
        size = self.expansion.vectors.size + self.expansion.weights.size
        if size > _MOST_NUMBERS:
            raise ExportError(
                f"the model has {size} numbers, more than a compiler takes in a C file; give "
                "compress=N for fewer vectors, or export to ONNX"
            )
        self.parts = self._parts()

    # ---- The C file -------------------------------------------------------------------------

    def code(self) -> str:
        """Return the C file."""
        k, p = self._n_classes(), len(self.expansion.intercepts)
        numbers = {"N_FEATURES": self.expansion.n_features, "N_OUTPUTS": p}
        if not self.expansion.is_linear:
            numbers["N_VECTORS"] = len(self.expansion.vectors)
        if k:
            numbers["N_CLASSES"] = k
        defined = "\n".join(f"#define {name} {value}" for name, value in numbers.items())
        return "\n".join(
            [
                f"/* {self._title()} */",
                f'#include "{self.header_name}"\n',
                "#include <math.h>\n#include <stdint.h>\n",
                f"{defined}\n",
                f"typedef {self.prefix}_real real;\n",
                f"{self.tables.text()}\n",
                self.parts,
            ]
        )

    def _parts(self) -> str:
        """Write all functions, and with them the tables."""
        parts = [self._prepare(), outputs_code(self.expansion, self.tables, self.suffix)]
        if self.classes is None:
            return "\n".join([*parts, self._regression()])
        if self.chain.scored or (self.chain.break_ties and len(self.classes.names) > 2):
            parts.append(scores_code(self.suffix))
        parts.append(winner_code(self.classes, self.tables, break_ties=self.chain.break_ties))
        parts += [self._labels(), self._predict(), self._decision()]
        if self.chain.calibration is not None:
            k = len(self.classes.names)
            estimate = probability_code(self.chain.calibration, k, self.tables, self.suffix)
            parts += [estimate, self._probabilities()]
        return "\n".join(parts)

    def _prepare(self) -> str:
        """Write the function that scales a row, if there is anything to do."""
        lines: list[str] = []
        for number, (name, step) in enumerate(self.chain.steps):
            lines += self._step(number, name, step)
        if not self.chain.steps:
            return ""
        body = "\n        ".join(lines)
        return (
            "static void prepare(const real *x, real *scaled) {\n    int j;\n"
            "    for (j = 0; j < N_FEATURES; ++j) {\n        real v = x[j];\n"
            f"        {body}\n        scaled[j] = v;\n    }}\n}}\n"
        )

    def _step(self, number: int, name: str, step: Any) -> list[str]:
        if isinstance(step, SCALERS):
            return self._scaling(number, Scaling.of(step))
        if isinstance(step, SimpleImputer):
            return self._filling(number, name, step)
        known = ", ".join(kind.__name__ for kind in (*SCALERS, SimpleImputer))
        raise ExportError(
            f"step {name!r} is a {type(step).__name__}, which has no form in C ({known} have); "
            "export the pipeline to ONNX, or the machine alone and transform the rows before"
        )

    def _scaling(self, number: int, scaling: Scaling) -> list[str]:
        lines = []
        if scaling.shift.any():
            self.tables.add(f"shift_{number}", scaling.shift)
            lines.append(f"v -= shift_{number}[j];")
        # What float leaves of a mean may matter as much as the differences from it.
        left = scaling.shift - scaling.shift.astype(self.tables.dtype).astype(np.float64)
        if left.any():
            self.tables.add(f"shift_{number}_low", left)
            lines.append(f"v -= shift_{number}_low[j];")
        if (scaling.divisor != 1).any():
            self.tables.add(f"divisor_{number}", scaling.divisor)
            lines.append(f"v /= divisor_{number}[j];")
        for bound, sign in zip(scaling.clip or (), "<>", strict=False):
            edge = self.tables.number(bound)
            lines.append(f"if (v {sign} {edge}) v = {edge};")
        return lines

    def _filling(self, number: int, name: str, step: SimpleImputer) -> list[str]:
        plain = isinstance(step.missing_values, float) and np.isnan(step.missing_values)
        numbers = step.statistics_.dtype.kind == "f"
        if not plain or not numbers or step.add_indicator or np.isnan(step.statistics_).any():
            raise ExportError(
                f"step {name!r} is a SimpleImputer that fills texts, other values than NaN or "
                "columns without any value, or that adds columns; export the pipeline to ONNX"
            )
        self.tables.add(f"fill_{number}", step.statistics_)
        return [f"if (v != v) v = fill_{number}[j];"]

    # ---- What the header declares -----------------------------------------------------------

    def _begin(self) -> str:
        """Write the first lines of a function: its outputs f at a row x."""
        if not self.chain.steps:
            return "    real f[N_OUTPUTS];\n    outputs(x, f);\n"
        return (
            "    real scaled[N_FEATURES], f[N_OUTPUTS];\n"
            "    prepare(x, scaled);\n    outputs(scaled, f);\n"
        )

    def _regression(self) -> str:
        return (
            f"real {self.prefix}_predict(const real *x) {{\n{self._begin()}    return f[0];\n}}\n"
        )

    def _predict(self) -> str:
        begin = self._begin()
        return f"int {self.prefix}_predict(const real *x) {{\n{begin}    return winner(f);\n}}\n"

    def _decision(self) -> str:
        assert self.classes is not None
        if self.chain.scored:
            last = "    scores(f, decision);\n"
        elif self.chain.one_class:
            edge = self.tables.number(self.classes.rounding)
            last = f"    decision[0] = fabs{self.suffix}(f[0]) <= {edge} ? 0 : f[0];\n"
        else:
            last = "    for (p = 0; p < N_OUTPUTS; ++p) decision[p] = f[p];\n"
        begin = ("    int p;\n" if "p <" in last else "") + self._begin()
        name = f"{self.prefix}_decision"
        return f"void {name}(const real *x, real *decision) {{\n{begin}{last}}}\n"

    def _probabilities(self) -> str:
        return (
            f"void {self.prefix}_probabilities(const real *x, real *p) {{\n{self._begin()}"
            "    estimate(f, p);\n    towards(p, winner(f));\n}\n"
        )

    def _labels(self) -> str:
        kind, names = self._label_type()
        self.tables.n_bytes += 8 * len(names)  # numbers, or pointers to texts
        if kind == "char *const":
            self.tables.n_bytes += sum(len(name.encode()) + 1 for name in self._names())
        return f"const {kind} {self.prefix}_labels[{len(names)}] = {{{', '.join(names)}}};\n"

    def _names(self) -> list[Any]:
        assert self.classes is not None
        return list(self.classes.names.tolist())

    def _label_type(self) -> tuple[str, list[str]]:
        names = self._names()
        if all(isinstance(name, str) for name in names):
            return "char *const", [quoted(name) for name in names]
        if all(isinstance(name, bool | int) for name in names):
            return "long long", [str(int(name)) + "LL" for name in names]
        if all(isinstance(name, float) for name in names):
            return "double", [repr(name) for name in names]
        raise ExportError(f"the labels {names} are neither texts nor numbers; rename the classes")

    # ---- The header, and what all of it takes -----------------------------------------------

    def header(self) -> str:
        """Return the header."""
        name, capital = self.prefix, self.prefix.upper()
        real = "float" if self.suffix else "double"
        lines = [
            f"/* {self._title()} */",
            f"#ifndef {capital}_H",
            f"#define {capital}_H\n",
            '#ifdef __cplusplus\nextern "C" {\n#endif\n',
            f"typedef {real} {name}_real;\n",
            f"#define {capital}_N_FEATURES {self.n_features}",
        ]
        if self.classes is None:
            lines.append(f"\n/* The value at x[{capital}_N_FEATURES]. */")
            lines.append(f"{name}_real {name}_predict(const {name}_real *x);")
        else:
            lines += self._class_declarations(capital)
        return "\n".join(
            [*lines, "\n#ifdef __cplusplus\n}\n#endif\n", f"#endif /* {capital}_H */\n"]
        )

    def _class_declarations(self, capital: str) -> list[str]:
        name, k = self.prefix, self._n_classes()
        n_decisions = k if self.chain.scored else len(self.expansion.intercepts)
        lines = [
            f"#define {capital}_N_CLASSES {k}",
            f"#define {capital}_N_DECISIONS {n_decisions}\n",
            f"extern const {self._label_type()[0]} {name}_labels[{capital}_N_CLASSES];\n",
            f"/* The place in {name}_labels of the class of x[{capital}_N_FEATURES]. */",
            f"int {name}_predict(const {name}_real *x);",
            f"/* The decision values of x, to decision[{capital}_N_DECISIONS]. */",
            f"void {name}_decision(const {name}_real *x, {name}_real *decision);",
        ]
        if self.chain.calibration is not None:
            lines.append(f"/* The probability of each class, to p[{capital}_N_CLASSES]. */")
            lines.append(f"void {name}_probabilities(const {name}_real *x, {name}_real *p);")
        return lines

    def report(self) -> ExportReport:
        """Return the sizes."""
        size, k = self.tables.dtype.itemsize, self._n_classes()
        p = len(self.expansion.intercepts)
        numbers = (self.expansion.n_features if self.chain.steps else 0) + p
        numbers += p if self.suffix else 0  # what sums carry
        votes = 2 * k if k > 2 else 0
        system = k * k + k if self.chain.calibration is not None else 0
        return ExportReport(
            paths=(),
            file_bytes=0,
            table_bytes=self.tables.n_bytes,
            n_vectors=len(self.expansion.vectors),
            n_merged=self.expansion.n_merged,
            stack_bytes=size * (numbers + max(votes, system)),
        )

    def _n_classes(self) -> int:
        return 0 if self.classes is None else len(self.classes.names)

    def _title(self) -> str:
        kind = "linear" if self.expansion.is_linear else f"{len(self.expansion.vectors)} vectors"
        return (
            f"{type(self.chain.machine).__name__} of maxmargin {__version__}: "
            f"{self.n_features} features, {kind}"
        )
