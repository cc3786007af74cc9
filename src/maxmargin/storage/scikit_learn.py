"""How scikit-learn's calibration, decompositions and vectorizers are stored.

What differs from version to version and is plain data is kept as it is; what a prediction depends
on has a rule. What is made of it, such as an interpolation, is made again.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import sklearn.calibration
from sklearn.base import BaseEstimator
from sklearn.calibration import CalibratedClassifierCV, _CalibratedClassifier, _SigmoidCalibration
from sklearn.decomposition import PCA, TruncatedSVD
from sklearn.feature_extraction.text import CountVectorizer, TfidfTransformer, TfidfVectorizer
from sklearn.frozen import FrozenEstimator
from sklearn.isotonic import IsotonicRegression

from maxmargin.storage.rules import Rule, Sizes, array, count, either, instance, listed
from maxmargin.storage.stored import Fitted, Stored, check_names, check_parts

NONE = instance(type(None))
NUMBER = instance(int, float)
NAMED: Mapping[str, Rule] = {"feature_names_in_": array("O", "d")}
#: Temperature scaling is there from scikit-learn 1.8 on.
CALIBRATORS: tuple[type, ...] = (
    _SigmoidCalibration,
    IsotonicRegression,
    *(
        kind
        for kind in [getattr(sklearn.calibration, "_TemperatureScaling", None)]
        if kind is not None
    ),
)


@dataclass(frozen=True)
class Plain(Stored):
    """An object that is nothing but its attributes.

    Parameters
    ----------
    type : type
        The class.
    rules : mapping of str to Rule
        What its attributes must be: these and no others.

    Examples
    --------
    >>> Plain(_CalibratedClassifier, {"method": instance(str)}).make({})
    Traceback (most recent call last):
    ValueError: sklearn._CalibratedClassifier lacks method
    """

    type: type
    rules: Mapping[str, Rule] = field(default_factory=dict)

    def parts(self, value: Any) -> dict[str, Any]:
        """Return the attributes."""
        return dict(vars(value))

    def make(self, parts: dict[str, Any]) -> Any:
        """Set the attributes on an empty object, once they are checked."""
        check_names(self.name, set(parts), set(self.rules), set())
        check_parts(self.name, parts, self.rules)
        made: Any = object.__new__(self.type)
        vars(made).update(parts)
        return made


class Isotonic(Fitted):
    """An isotonic regression, whose interpolation is made again of its thresholds.

    Examples
    --------
    >>> import numpy as np
    >>> fitted = IsotonicRegression().fit([1.0, 2.0], [0.0, 1.0])
    >>> "f_" in ISOTONIC.parts(fitted)
    False
    >>> ISOTONIC.make(ISOTONIC.parts(fitted)).predict([1.5])
    array([0.5])
    """

    def parts(self, value: Any) -> dict[str, Any]:
        """Return parameters and attributes but for the function."""
        return {name: part for name, part in super().parts(value).items() if name != "f_"}

    def make(self, parts: dict[str, Any]) -> Any:
        """Make it, and its function."""
        made = super().make(parts)
        if "X_thresholds_" in parts:
            made._build_f(made.X_thresholds_, made.y_thresholds_)
        return made


def _thresholds_ascend(made: IsotonicRegression) -> str | None:
    if len(made.X_thresholds_) == 0 or (np.diff(made.X_thresholds_) <= 0).any():
        return "has thresholds that do not ascend"
    return None


ISOTONIC = Isotonic(
    IsotonicRegression,
    {
        "X_thresholds_": array("f", "m"),
        "y_thresholds_": array("f", "m"),
        "X_min_": NUMBER,
        "X_max_": NUMBER,
        "increasing_": instance(bool),
    },
    open=True,
    check=_thresholds_ascend,
)


def _calibrators_agree(made: CalibratedClassifierCV) -> str | None:
    if not made.calibrated_classifiers_:
        return "has no calibrated classifiers"
    k = len(made.classes_)
    for calibrated in made.calibrated_classifiers_:
        single = k == 2 or calibrated.method == "temperature"
        if len(calibrated.calibrators) != (1 if single else k) or len(calibrated.classes) != k:
            return f"has {k} classes and {len(calibrated.calibrators)} calibrators"
        if not all(hasattr(calibrated.estimator, name) for name in ("fit", "predict")):
            return "calibrates what does not predict"
        if not np.array_equal(getattr(calibrated.estimator, "classes_", ()), made.classes_):
            return "calibrates a classifier of other classes"
    return None


def _method(value: Any, sizes: Sizes) -> str | None:
    known = value in ("sigmoid", "isotonic", "temperature")
    return None if known else f"is {value!r}, which is no method of calibration"


ESTIMATOR = instance(BaseEstimator)
LABELS = array("fiubUO", "k")
CALIBRATION: tuple[Stored, ...] = (
    # How the folds were made is no part of the model.
    Fitted(
        CalibratedClassifierCV,
        {
            "calibrated_classifiers_": listed(instance(_CalibratedClassifier)),
            "classes_": LABELS,
            "estimator": either(NONE, ESTIMATOR),
        },
        {"n_features_in_": instance(int), **NAMED},
        fixed={"cv": None, "n_jobs": None},
        open=True,
        check=_calibrators_agree,
    ),
    Plain(
        _CalibratedClassifier,
        {
            "estimator": ESTIMATOR,
            "calibrators": listed(instance(*CALIBRATORS)),
            "classes": LABELS,
            "method": _method,
        },
    ),
    Fitted(_SigmoidCalibration, {"a_": NUMBER, "b_": NUMBER}, open=True),
    ISOTONIC,
    *(Fitted(kind, {"beta_": NUMBER}, open=True) for kind in CALIBRATORS[2:]),
    Fitted(FrozenEstimator, {"estimator": ESTIMATOR}),
)


def _vocabulary(value: Any, sizes: Sizes) -> str | None:
    if not isinstance(value, dict) or not all(isinstance(word, str) for word in value):
        return "is no dictionary of words"
    whole = all(type(place) is int for place in value.values())
    if not whole or sorted(value.values()) != list(range(len(value))):
        return "does not number its words one by one"
    return None


def _words_agree(made: TfidfVectorizer) -> str | None:
    words, columns = len(made.vocabulary_), getattr(made._tfidf, "n_features_in_", 0)
    return None if words == columns else f"has {words} words and weights of {columns}"


#: Words are cut by a pattern, not by code.
WORDS: Mapping[str, Rule] = {
    **dict.fromkeys(("tokenizer", "preprocessor"), NONE),
    "analyzer": instance(str),
    "vocabulary_": _vocabulary,
}
COMPONENTS: Mapping[str, Rule] = {"components_": array("f", "m", "d"), "n_features_in_": count("d")}
TRANSFORMERS: tuple[Stored, ...] = (
    Fitted(
        PCA,
        {**COMPONENTS, "mean_": array("f", "d"), "explained_variance_": array("f", "m", low=0)},
        NAMED,
        open=True,
    ),
    Fitted(TruncatedSVD, COMPONENTS, NAMED, open=True),
    Fitted(CountVectorizer, WORDS, open=True),
    Fitted(
        TfidfVectorizer,
        {**WORDS, "_tfidf": instance(TfidfTransformer)},
        open=True,
        check=_words_agree,
    ),
    Fitted(TfidfTransformer, {"n_features_in_": count("d")}, {"idf_": array("f", "d")}, open=True),
)
