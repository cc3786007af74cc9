"""Models in LIBSVM's own text, read and written.

LIBSVM scores a pair of labels (i, j) by sum_k coef_k k(x_k, x) - rho, positive for i, with labels
in the order in which they appear in the training data (`libsvm_order`); support vectors stand class
by class in that order. Here classes are sorted; a positive score speaks for the first of a pair,
but of two classes alone for the second (`Classes.output_of`).
"""

from __future__ import annotations

import os
import warnings
from collections.abc import Iterator
from dataclasses import replace
from itertools import combinations
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from maxmargin import _core
from maxmargin.data.files import FileError, replacing
from maxmargin.data.files.libsvm import libsvm_text
from maxmargin.data.files.source import display_name, open_source
from maxmargin.estimators import SVC, SVR, HardMarginSVC, NuSVC, NuSVR, OneClassSVM
from maxmargin.kernels import RBF, Kernel, Linear, Polynomial, Precomputed, Sigmoid
from maxmargin.models import Classes, KernelModel, Sigmoids, SupportStatus
from maxmargin.patch.substitutes import own_type
from maxmargin.storage.fields import Fields, join_numbers, read_fields, whole_labels

#: The estimators that read LIBSVM's machines. Of the nu forms the text keeps the decision function
#: alone, which is that of the others.
READ: dict[str, type] = {
    "c_svc": SVC,
    "nu_svc": SVC,
    "one_class": OneClassSVM,
    "epsilon_svr": SVR,
    "nu_svr": SVR,
}
#: What each estimator is written as.
WRITTEN: dict[type, str] = {
    SVC: "c_svc",
    HardMarginSVC: "c_svc",
    OneClassSVM: "one_class",
    NuSVC: "nu_svc",
    SVR: "epsilon_svr",
    NuSVR: "nu_svr",
}
#: Those with an output for each pair of classes.
CLASSIFIERS = (SVC, HardMarginSVC, NuSVC)
_KERNELS = ("linear", "polynomial", "rbf", "sigmoid", "precomputed")
_MOST_CLASSES = 10_000
_MOST_WEIGHTS = 2**27


def libsvm_order(y: NDArray[Any]) -> NDArray[Any]:
    """Return labels in LIBSVM's order: as they appear, but +1 before -1 where there are no others.

    Parameters
    ----------
    y : ndarray of shape (n,)
        Labels of the training rows.

    Examples
    --------
    >>> libsvm_order(np.array([3, 1, 3, 2])), libsvm_order(np.array([-1, 1]))
    (array([3, 1, 2]), array([ 1, -1]))
    """
    labels, first = np.unique(y, return_index=True)
    return labels[::-1] if labels.tolist() == [-1, 1] else labels[np.argsort(first)]


def read_libsvm_model(
    path: str | os.PathLike[str], *, zero_based: bool | Literal["auto"] = "auto"
) -> Any:
    """Read a model that LIBSVM's svm-train wrote.

    The text has the decision function and nothing else: C, nu and epsilon, the rows' numbers and
    the course of the fit are not in it. The largest alpha stands for C, and there is no
    certificate. Predictions are LIBSVM's: where several classes have as many votes, the one that
    the text lists first wins.

    Parameters
    ----------
    path : path-like
        The file.
    zero_based : bool or "auto"
        Whether index 0 is the first feature; "auto": if it occurs.

    Returns
    -------
    SVC, SVR or OneClassSVM
        Fitted, with rows as CSR. It has as many features as the largest index in the file.

    Raises
    ------
    FileError
        If the file is not such a model.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> from maxmargin import SVC
    >>> from maxmargin.storage import read_libsvm_model, write_libsvm_model
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "model.txt"
    >>> write_libsvm_model(SVC(kernel="linear").fit([[0.0], [2.0]], [3, 7]), path)
    >>> read_libsvm_model(path).predict([[1.5]])
    array([7])
    """
    with open_source(path) as stream:
        text = stream.read()
    name = display_name(path)
    fields, body, n_lines = read_fields(text, "svm_type", "SV", name)
    machine = fields.choice("svm_type", tuple(READ))
    kernel = _read_kernel(fields)
    classes = machine in ("c_svc", "nu_svc")
    k = fields.integer("nr_class", 2, _MOST_CLASSES)
    if not classes and k != 2:
        raise fields.error("nr_class", f"is {k}; it must be 2 for {machine}")
    m = fields.integer("total_sv", 0, 2**31 - 1)
    rho = fields.numbers("rho", k * (k - 1) // 2)
    coef, rows = _read_vectors(body, (k - 1, m), n_lines, name, zero_based)
    if m * len(rho) > _MOST_WEIGHTS:
        raise FileError(f"{m} support vectors of {k} classes are more than fit in memory", name)
    if isinstance(kernel, Precomputed) and not _numbered(rows):
        raise FileError("with a precomputed kernel each support vector must be 0:number", name)
    if "prob_density_marks" in fields or ("probA" in fields and not classes):
        warnings.warn(
            f"{name}: the model's probabilities are left out, which only classes have here; its "
            "decisions are read",
            stacklevel=2,
        )
    model = _Expansion(kernel, coef, rho, rows)
    return model.classifier(fields, k) if classes else model.single(READ[machine])


def write_libsvm_model(
    model: Any, path: str | os.PathLike[str], *, zero_based: bool = False
) -> None:
    """Write a fitted kernel machine as LIBSVM's text, for svm-predict and all who read that.

    Labels stand in the order of `model.model_.classes.precedence`, which a model read from such a
    text has; others have their classes sorted, but 1 before -1 as always in LIBSVM.

    Parameters
    ----------
    model : SVC, NuSVC, HardMarginSVC, SVR, NuSVR or OneClassSVM
        Fitted. Its kernel must be one of LIBSVM's, and its classes whole numbers.
    path : path-like
        Where to; replaced when complete.
    zero_based : bool
        Whether the first feature has the index 0.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> from maxmargin import SVR
    >>> from maxmargin.storage import write_libsvm_model
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "model.txt"
    >>> write_libsvm_model(SVR(kernel="linear", epsilon=0.0).fit([[0.0], [2.0]], [1.0, 2.0]), path)
    >>> print(path.read_text().partition("total_sv")[0], end="")
    svm_type epsilon_svr
    kernel_type linear
    nr_class 2
    """
    kind = own_type(model)
    if kind not in WRITTEN:
        raise TypeError(
            f"LIBSVM has no form for {kind.__name__}; it takes "
            f"{', '.join(t.__name__ for t in WRITTEN)}. Of a pipeline, write the last step and "
            "transform the data first"
        )
    if getattr(model, "multi_class", "ovo") != "ovo" and len(model.classes_) > 2:
        raise TypeError(
            'LIBSVM has a score for each pair of classes; this model has multi_class="ovr": fit it '
            'with multi_class="ovo"'
        )
    lines, coef, order = _single(model) if kind not in CLASSIFIERS else _listed(model)
    head = [f"svm_type {WRITTEN[kind]}", *_kernel_lines(model.model_.kernel), *lines, "SV", ""]
    with replacing(path) as stream:
        stream.write("\n".join(head).encode())
        for line in _vector_lines(model, coef, order, 0 if zero_based else 1):
            stream.write(line)


def _single(model: Any) -> tuple[list[str], NDArray[np.float64], NDArray[np.int64]]:
    """Lines, coefficients and order of support vectors of a machine with one output."""
    m = len(model.support_)
    lines = ["nr_class 2", f"total_sv {m}", f"rho {join_numbers(-model.intercept_)}"]
    return lines, model.model_.weights.T, np.arange(m)


def _listed(model: Any) -> tuple[list[str], NDArray[np.float64], NDArray[np.int64]]:
    """Lines, coefficients and order of support vectors of a classifier, class by class."""
    found: KernelModel = model.model_
    classes = found.classes
    assert classes is not None
    if classes.precedence is None:
        classes = Classes.listed(libsvm_order(classes.names))
    listed, k = classes.precedence, len(classes.names)
    assert listed is not None
    own = np.repeat(np.arange(k), found.n_support)
    coef, (rho, slopes, offsets) = np.zeros((k - 1, len(own))), np.zeros((3, classes.n_outputs))
    for q, (i, j) in enumerate(combinations(range(k), 2)):
        output, sign = classes.output_of(listed[i], listed[j])
        coef[j - 1, own == listed[i]] = sign * found.weights[own == listed[i], output]
        coef[i, own == listed[j]] = sign * found.weights[own == listed[j], output]
        rho[q] = -sign * found.intercepts[output]
        if isinstance(found.calibration, Sigmoids):
            slopes[q] = found.calibration.slopes[output]
            offsets[q] = sign * found.calibration.offsets[output]
    labels = np.array(whole_labels(classes.names))[listed]
    lines = [
        f"nr_class {k}",
        f"total_sv {len(own)}",
        f"rho {join_numbers(rho)}",
        f"label {' '.join(map(str, labels))}",
        *_probability_lines(found, slopes, offsets),
        f"nr_sv {' '.join(map(str, found.n_support[listed]))}",
    ]
    place = np.argsort(listed)[own]
    return lines, coef + 0.0, np.argsort(place, kind="stable")  # no -0.0


def _probability_lines(
    model: KernelModel, slopes: NDArray[np.float64], offsets: NDArray[np.float64]
) -> list[str]:
    """Lines of the pairs' sigmoids, where there are some; other calibrations have no such form."""
    if not isinstance(model.calibration, Sigmoids):
        return []
    return [f"probA {join_numbers(slopes)}", f"probB {join_numbers(offsets + 0.0)}"]


class _Expansion:
    """What LIBSVM's text says, to be put into an estimator."""

    def __init__(
        self, kernel: Kernel, coef: NDArray[np.float64], rho: NDArray[np.float64], rows: Any
    ) -> None:
        self.kernel, self.coef, self.rho, self.rows = kernel, coef, rho, rows

    def single(self, kind: type) -> Any:
        weights = np.ascontiguousarray(self.coef.T)
        C = float(np.abs(weights).max(initial=0.0)) or 1.0
        made = kind(**self._parameters(), **({"C": C} if kind is SVR else {}))
        classes = Classes(np.array([-1, 1]), zero=0) if kind is OneClassSVM else None
        bound = 1.0 if kind is OneClassSVM else C
        m = len(weights)
        return self._filled(made, weights, -self.rho, np.arange(m), [m], bound, classes)

    def classifier(self, fields: Fields, k: int) -> SVC:
        labels = np.array(fields.integers("label", k, -(2**31), 2**31 - 1))
        counts = fields.integers("nr_sv", k, 0, 2**31 - 1)
        if len(np.unique(labels)) != k:
            raise fields.error("label", "has a value twice")
        if sum(counts) != len(self.coef.T):
            raise fields.error("nr_sv", f"does not add up to total_sv {len(self.coef.T)}")
        classes = Classes.listed(labels)
        assert classes.precedence is not None
        own = np.repeat(classes.precedence, counts)
        weights, intercepts = self._outputs(own, classes)
        order = np.argsort(own, kind="stable")
        C = float(np.abs(weights).max(initial=0.0)) or 1.0
        n_support = np.bincount(own, minlength=k)
        calibration = _read_sigmoids(fields, classes)
        made = SVC(C=C, probability=calibration is not None, **self._parameters())
        made.class_weight_ = np.ones(k)
        self._filled(made, weights[order], intercepts, order, n_support, C, classes)
        made.model_ = replace(made.model_, calibration=calibration)
        return made

    def _outputs(
        self, own: NDArray[np.int64], classes: Classes
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Weights and intercepts of our outputs, from support vectors of these classes."""
        listed = classes.precedence
        assert listed is not None
        weights = np.zeros((len(own), classes.n_outputs))
        intercepts = np.zeros(classes.n_outputs)
        for q, (i, j) in enumerate(combinations(range(len(listed)), 2)):
            output, sign = classes.output_of(listed[i], listed[j])
            weights[own == listed[i], output] = sign * self.coef[j - 1, own == listed[i]]
            weights[own == listed[j], output] = sign * self.coef[i, own == listed[j]]
            intercepts[output] = -sign * self.rho[q]
        return weights, intercepts

    def _parameters(self) -> dict[str, Any]:
        kernel = self.kernel
        names = {Linear: "linear", Polynomial: "poly", RBF: "rbf", Sigmoid: "sigmoid"}
        found: dict[str, Any] = {"kernel": names.get(type(kernel), "precomputed")}
        found |= {name: getattr(kernel, name) for name in vars(kernel)}
        return found

    def _filled(
        self,
        made: Any,
        weights: NDArray[np.float64],
        intercepts: NDArray[np.float64],
        order: NDArray[np.int64],
        n_support: Any,
        bound: float,
        classes: Classes | None,
    ) -> Any:
        """Set the model; the text does not tell how it was found: there are no solutions."""
        rows = self.rows[order]
        support = np.arange(len(order))
        if isinstance(self.kernel, Precomputed):
            # A row is its number in the training data, from 1; no kernel looks at the rows.
            support = rows.data.astype(np.int64) - 1
            rows = sparse.csr_array((len(order), int(support.max(initial=-1)) + 1))
        status = np.where(np.abs(weights) >= bound, SupportStatus.AT_BOUND, SupportStatus.FREE)
        status = np.where(weights == 0, SupportStatus.ZERO, status).astype(np.int8)
        made.model_ = KernelModel(
            kernel=self.kernel,
            vectors=rows,
            support=support,
            weights=weights,
            status=status,
            intercepts=intercepts,
            n_support=np.asarray(n_support, np.int32),
            classes=classes,
        )
        made.solutions_, made._n_rows = (), 0
        made.n_features_in_, made.shape_fit_ = int(rows.shape[1]), tuple(map(int, rows.shape))
        return made


def _read_sigmoids(fields: Fields, classes: Classes) -> Sigmoids | None:
    """Sigmoids of our outputs: where LIBSVM's pair is turned round, P becomes 1 - P."""
    if "probA" not in fields or "probB" not in fields:
        return None
    slopes, offsets = np.zeros((2, classes.n_outputs))
    given = [fields.numbers(name, classes.n_outputs) for name in ("probA", "probB")]
    listed = classes.precedence
    assert listed is not None
    for q, (i, j) in enumerate(combinations(range(len(listed)), 2)):
        output, sign = classes.output_of(listed[i], listed[j])
        slopes[output], offsets[output] = given[0][q], sign * given[1][q]
    return Sigmoids(slopes, offsets)


def _read_kernel(fields: Fields) -> Kernel:
    kind = fields.choice("kernel_type", _KERNELS)
    if kind == "linear":
        return Linear()
    if kind == "precomputed":
        return Precomputed()
    gamma = float(fields.numbers("gamma", 1)[0])
    if gamma < 0:
        raise fields.error("gamma", f"is {gamma}; it must not be negative")
    if kind == "rbf":
        return RBF(gamma)
    coef0 = float(fields.numbers("coef0", 1)[0])
    if kind == "sigmoid":
        return Sigmoid(gamma, coef0)
    return Polynomial(fields.integer("degree", 0, 2**31 - 1), gamma, coef0)


def _kernel_lines(kernel: Kernel) -> list[str]:
    match kernel:
        case Linear():
            return ["kernel_type linear"]
        case Precomputed():
            return ["kernel_type precomputed"]
        case RBF(gamma):
            return ["kernel_type rbf", f"gamma {gamma!r}"]
        case Sigmoid(gamma, coef0):
            return ["kernel_type sigmoid", f"gamma {gamma!r}", f"coef0 {coef0!r}"]
        case Polynomial(degree, gamma, coef0):
            lines = [f"degree {degree}", f"gamma {gamma!r}", f"coef0 {coef0!r}"]
            return ["kernel_type polynomial", *lines]
    raise TypeError(f"LIBSVM has no kernel {type(kernel).__name__}; it has {', '.join(_KERNELS)}")


def _read_vectors(
    body: bytes,
    shape: tuple[int, int],
    n_lines: int,
    name: str,
    zero_based: bool | Literal["auto"],
) -> tuple[NDArray[np.float64], Any]:
    """Coefficients and rows: a line is one of LIBSVM's data with several labels."""
    lines, (n_coef, m) = body.rstrip().splitlines(), shape
    if len(lines) != m:
        raise FileError(f"total_sv is {m} but {len(lines)} support vectors follow", name)
    if n_coef * m > len(body):
        raise FileError(f"the {m} support vectors lack coefficients for {n_coef + 1} classes", name)
    coef, features = np.zeros(shape), []
    for i, line in enumerate(lines):
        words = line.split(maxsplit=n_coef)
        try:
            coef[:, i] = [float(word) for word in words[:n_coef]]
        except ValueError as error:
            problem = f"the line needs {n_coef} coefficients"
            raise FileError(problem, name, n_lines + i + 1) from error
        features.append(b"0 " + b"".join(words[n_coef:]))
    if not np.isfinite(coef).all():
        raise FileError("a coefficient is not finite", name)
    parsed = _core.parse_libsvm(b"\n".join(features), _core.usable_cores())
    _, values, places, starts, _, _, complaint = parsed
    if complaint is not None:
        raise FileError(complaint[2], name, n_lines + complaint[0])
    first = int(places.min(initial=1))
    if first == 0 and zero_based is False:
        raise FileError("index 0 occurs but the indices are said to begin at 1", name)
    places -= 0 if zero_based is True else min(1, first)
    width = int(places.max(initial=-1)) + 1
    return coef, sparse.csr_array((values, places, starts.astype(np.int32)), shape=(m, width))


def _vector_lines(
    model: Any, coef: NDArray[np.float64], order: NDArray[np.int64], first: int
) -> Iterator[bytes]:
    """Lines of LIBSVM's data, labelled by the last coefficient and led by the others."""
    rows = model.support_vectors_
    if isinstance(model.model_.kernel, Precomputed):
        rows, first = model.support_[:, None] + 1.0, 0
    rows, coef = rows[order], coef[:, order]
    lines = (line for part in libsvm_text(rows, coef[-1], None, first) for line in _split(part))
    for leading, line in zip(coef[:-1].T, lines, strict=True):
        yield f"{join_numbers(leading)} ".encode() + line if len(leading) else line


def _split(text: bytes) -> list[bytes]:
    return text.splitlines(keepends=True)


def _numbered(rows: Any) -> bool:
    """Whether each row is one whole number, from 1."""
    numbers = rows.data
    return bool(
        (np.diff(rows.indptr) == 1).all()
        and rows.shape[1] <= 1
        and ((numbers >= 1) & (numbers < 2**31) & (numbers == np.round(numbers))).all()
    )
