"""Model files of version 0.1, whose estimators had their fitted attributes one by one."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from maxmargin.problems import TRACE, Certificate, CertificatePart, Iterate, Solution, Status, Work
from maxmargin.storage.registry import ESTIMATORS, TYPES
from maxmargin.storage.stored import Fitted, Stored

#: Fitted attributes that are taken over as they are.
_SAME = ("n_features_in_", "feature_names_in_", "class_weight_", "shape_fit_", "fit_report_")
_UNKNOWN = CertificatePart(np.nan, np.nan, np.nan, np.nan, np.nan)


@dataclass(frozen=True)
class Record(Stored):
    """A type that is no more, or was another: its parts, which are checked when they are used."""

    type: type
    old: str

    @property
    def name(self) -> str:
        """What the file calls it."""
        return self.old

    def parts(self, value: Any) -> dict[str, Any]:
        """Refuse: files of this version are not written."""
        raise TypeError(f"{self.old} is not written any more")

    def make(self, parts: dict[str, Any]) -> Any:
        """Return the parts."""
        return parts


@dataclass(frozen=True)
class Bound(Record):
    """What a certificate of stochastic steps had for each output."""

    def make(self, parts: dict[str, Any]) -> CertificatePart:
        """Return it as every certificate has it."""
        P, D, error = (float(parts[name]) for name in ("primal", "dual", "standard_error"))
        gap = (P - D) / P if P > 0 else 0.0
        return CertificatePart(P, D, gap, np.inf, standard_error=error)


@dataclass(frozen=True)
class RiskCertificate(Record):
    """The certificate of stochastic steps."""

    def make(self, parts: dict[str, Any]) -> Certificate:
        """Return it as every certificate is."""
        made: Certificate = TYPES["Certificate"].make(parts)
        return made


@dataclass(frozen=True)
class Machine(Record):
    """An estimator: its attributes become a model and solutions."""

    new: Fitted

    def make(self, parts: dict[str, Any]) -> Any:
        """Make today's estimator, with all its checks."""
        parameters = set(self.new.type._get_param_names())
        kept = {name: parts[name] for name in parts if name in parameters or name in _SAME}
        if set(parts) <= parameters:
            return self.new.make(kept)
        shape = parts.get("shape_fit_", parts.get("_shape_fit", (0,)))
        fitted = {
            "model_": _model(parts, self.new.type),
            "solutions_": tuple(_solutions(parts)),
            "_n_rows": int(shape[0]),
        }
        if "mistake_bound_" in parts:
            fitted["mistake_bound_"] = parts["mistake_bound_"]
        return self.new.make(kept | fitted)


def _model(parts: Mapping[str, Any], kind: type) -> Any:
    """Return the model, with what stood beside it."""
    names, scheme = parts.get("classes_"), parts.get("multi_class", "ovo")
    kernel = "support_vectors_" in parts
    given: dict[str, Any] = dict(parts.get("_model", {}))
    if not kernel and not given:
        given = {"coef": np.atleast_2d(parts["coef_"]), "intercepts": parts["intercept_"]}
        given |= {"support": np.zeros(0, np.int64), "weights": np.zeros((len(given["coef"]), 0))}
    if names is not None:
        about = {"names": names, "scheme": scheme if kernel else "ovr", "zero": int(kernel)}
        given["classes"] = TYPES["Classes"].make(about)
    if kind.__name__ == "OneClassSVM":
        rounding = float(parts["certificate_"].bound)
        about = {"names": np.array([-1, 1]), "rounding": rounding if rounding > 0 else 0.0}
        given["classes"] = TYPES["Classes"].make(about)
    if kernel:
        given |= {"vectors": parts["support_vectors_"], "n_support": parts["n_support_"]}
        return TYPES["KernelModel"].make(given)
    return TYPES["LinearModel"].make(given)


def _solutions(parts: Mapping[str, Any]) -> list[Solution]:
    """Return what is known of the solutions; models read from a text have none."""
    if "status_" not in parts and "_iterate" not in parts:
        return []
    status = parts.get("status_", Status.MAX_ITERATIONS)
    if "_iterate" in parts:
        return [_streamed(parts, status)]
    certificate = parts["certificate_"]
    n_iter = np.broadcast_to(np.asarray(parts["n_iter_"]), len(certificate.parts))
    intercepts = parts["intercept_"]
    memory = parts.get("_memory", {"exact": [None] * len(intercepts)})
    history = parts.get("history_", np.zeros(0, TRACE))
    found = []
    for p, part in enumerate(certificate.parts):
        multipliers = parts["_multipliers"][p] if "_multipliers" in parts else intercepts[p : p + 1]
        values = {
            "status": status,
            "certificate": Certificate((part,)),
            "multipliers": tuple(float(value) for value in multipliers),
            "beta": memory["exact"][p],
            "trace": history[history["part"] == p],
            "work": Work(iterations=int(n_iter[p])),
            "method": str(parts.get("solver_", "smo")),
        }
        if "_soft_C" in parts:
            values["soft_c"] = parts["_soft_C"][p]
        found.append(TYPES["Solution"].make(values))
    return found


def _streamed(parts: Mapping[str, Any], status: Status) -> Solution:
    """Return where stochastic steps were."""
    iterate: Iterate = parts["_iterate"]
    values = {
        "status": status,
        "certificate": parts.get("certificate_", Certificate((_UNKNOWN,) * len(iterate.mean))),
        "multipliers": tuple(iterate.mean_intercepts.tolist()),
        "iterate": TYPES["Iterate"].make({**vars(iterate), **_mistakes(parts)}),
        "trace": parts.get("history_", np.zeros(0, TRACE)),
        "work": Work(iterations=int(parts["n_iter_"])),
        "method": str(parts.get("method", "perceptron")),
    }
    made: Solution = TYPES["Solution"].make(values)
    return made


def _mistakes(parts: Mapping[str, Any]) -> dict[str, Any]:
    return {"mistakes": parts["mistakes_"]} if "mistakes_" in parts else {}


#: What the names of a file of version 0.1 stand for.
TYPES_1: Mapping[str, Stored] = {
    **TYPES,
    **{name: Record(dict, name) for name in ("Memory", "KernelModel", "LinearModel")},
    "RiskBound": Bound(CertificatePart, "RiskBound"),
    "RiskCertificate": RiskCertificate(Certificate, "RiskCertificate"),
    **{
        entry.name: Machine(entry.type, entry.name, entry)
        for entry in ESTIMATORS
        if "model_" in entry.rules
    },
}
