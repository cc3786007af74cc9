"""What a reader should worry about, found in the data, in the scores and in the fit."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

from maxmargin.intervals import share
from maxmargin.problems import Status
from maxmargin.report.origin import Origin
from maxmargin.report.scores import ClassScores, Score
from maxmargin.report.subject import Subject, Task
from maxmargin.report.support import Support

Array = NDArray[np.float64]
#: A class with a smaller share than this is rare.
RARE = 0.1
#: Columns whose spreads differ by more than this are not on one scale.
SCALES = 30.0
#: One column that tells this share by as many thresholds as needed decides alone; of fewer rows
#: chance alone would.
DECIDES, ENOUGH_ROWS = 0.99, 30
#: Rows and columns that are looked at for leaks.
LOOKED_AT, MOST_COLUMNS = 4000, 1000
#: A class of which less is found is lost.
LOST = 0.5
#: A mean distance of probabilities and shares that matters.
MISCALIBRATED = 0.1
#: As many names are listed.
LISTED = 5


@dataclass(frozen=True)
class Finding:
    """One thing to know.

    Parameters
    ----------
    title : str
        What was found, in a few words: a clause that can end a sentence.
    text : str
        What it means and what can be done.
    serious : bool
        Whether conclusions may be wrong because of it.

    Examples
    --------
    >>> Finding("1 column is constant", "It tells nothing.").serious
    False
    """

    title: str
    text: str
    serious: bool = False


def listed(names: Sequence[str]) -> str:
    """Return the first of some names, and how many more there are.

    Parameters
    ----------
    names : sequence of str
        Names.

    Examples
    --------
    >>> listed(["a", "b"]), listed(list("abcdefg"))
    ('a and b', 'a, b, c, d, e and 2 more')
    """
    parts = list(names[:LISTED])
    if len(names) > LISTED:
        parts.append(f"{len(names) - LISTED:,} more")
    return parts[0] if len(parts) == 1 else f"{', '.join(parts[:-1])} and {parts[-1]}"


def counted(n: int, noun: str, nouns: str | None = None) -> str:
    """Say how many there are of something.

    Parameters
    ----------
    n : int
        How many.
    noun, nouns : str
        Of what, when there is one of it and when there are more.

    Examples
    --------
    >>> counted(1, "row"), counted(2000, "class", "classes")
    ('1 row', '2,000 classes')
    """
    return f"{n:,} {noun if n == 1 else nouns or noun + 's'}"


def findings_of(
    subject: Subject,
    scores: Sequence[Score],
    classes: Sequence[ClassScores],
    support: Support | None,
    calibration_error: float | None,
) -> list[Finding]:
    """Return all that was found, the serious first.

    Parameters
    ----------
    subject : Subject
        The model and the rows.
    scores : sequence of Score
        Its scores.
    classes : sequence of ClassScores
        Of each class; empty where there are none.
    support : Support or None
        Its support vectors, where it has any.
    calibration_error : float or None
        Mean distance of probabilities and shares, where there are probabilities.

    Examples
    --------
    >>> from maxmargin import SVC
    >>> X, y = [[0.0, 7.0], [1.0, 7.0], [5.0, 7.0]], [0, 1, 1]
    >>> subject = Subject.of(SVC().fit(X, y), X, y)
    >>> [found.title for found in findings_of(subject, [], [], None, None)][-1]
    '1 column is constant'
    """
    found = [
        *_of_origin(subject),
        *_of_fit(subject),
        *_of_scores(subject, scores, classes, calibration_error),
        *_of_leaks(subject),
        *_of_copies(subject),
        *_of_scales(subject),
        *_of_balance(subject),
        *_of_one_class(subject),
        *_of_support(support),
        *_of_columns(subject),
    ]
    return sorted(found, key=lambda finding: not finding.serious)


def _of_origin(subject: Subject) -> Iterator[Finding]:
    where = subject.provenance
    if where.origin is Origin.TRAINING:
        yield Finding(
            "these are the rows the model was fitted to",
            f"Known because {where.reason}. A model does better on rows it has learnt from than "
            "on new ones, so every score on this page is optimistic. Make the report with rows "
            "that were held out, or judge by cross-validation.",
            True,
        )
    elif where.origin is Origin.SOME_TRAINING:
        yield Finding(
            "some of these rows were used in the fit, or are copies of such",
            f"Of the rows, {where.reason} of the model; others may be rows of the fit that are no "
            "support vectors. Scores on this page are optimistic: leave these rows out to judge "
            "the model.",
            True,
        )
    elif where.origin is Origin.NEW and where.copies > 0:
        yield Finding(
            f"{counted(where.copies, 'row')} equal{'s' if where.copies == 1 else ''} rows of the "
            "fit",
            "They are support vectors of the model, or copies of them, and make scores a little "
            "too good.",
        )
    elif where.origin is Origin.UNKNOWN:
        yield Finding(
            "it is not known whether the model was fitted to these rows",
            f"It cannot be told, {where.reason}. If it was, every score on this page is "
            "optimistic. Say which they are (training=True or False; --training or --new).",
        )


def _of_fit(subject: Subject) -> Iterator[Finding]:
    machine = subject.machine
    if not getattr(machine, "solutions_", ()):
        return
    status, certificate = machine.status_, machine.certificate_
    if status in (Status.MAX_ITERATIONS, Status.TIME_LIMIT, Status.INTERRUPTED):
        yield Finding(
            "the fit was stopped before its end",
            f"Its status is {status.name}, and the relative gap to the best objective is "
            f"{certificate.gap:.1e}: the model may change if it is fitted to the end.",
            True,
        )
    elif status is Status.DEGENERATE:
        yield Finding(
            "what was asked for has no solution that predicts",
            "The nearest problem that has one was solved instead (status DEGENERATE).",
            True,
        )
    if not certificate.convex:
        yield Finding(
            "the kernel is not positive semidefinite on the rows of the fit",
            "The problem is not convex, so what was found is a local optimum; there may be better.",
        )


def _of_scores(
    subject: Subject,
    scores: Sequence[Score],
    classes: Sequence[ClassScores],
    calibration_error: float | None,
) -> Iterator[Finding]:
    if subject.task is Task.CLASSES and scores:
        _, counts = np.unique(subject.codes, return_counts=True)
        accuracy, always = scores[0].estimate, counts.max() / subject.n
        if len(counts) == 1:
            yield Finding(
                f"all rows are of the class {subject.y[0]}",  # type: ignore[index]
                "Whether the model can tell it from the others cannot be seen on these rows.",
                True,
            )
        elif accuracy.low <= always:
            yield Finding(
                "it is not shown to be better than giving always the same answer",
                f"Always the most frequent class would be right for {always:.1%} of the rows, and "
                f"the interval of the accuracy begins at {accuracy.low:.1%}.",
                True,
            )
        lost = [
            str(name)
            for name, one in zip(subject.classes, classes, strict=True)
            if one.rows > 0 and one.recall.value < LOST
        ]
        if lost:
            yield Finding(
                f"less than half of {listed(lost)} is found",
                "See the confusion matrix for what its rows are taken for. Weights "
                '(class_weight="balanced") or more rows of it help.',
                True,
            )
    if subject.task is Task.NUMBERS and scores and scores[0].estimate.low <= 0:
        yield Finding(
            "it is not shown to be better than predicting always the mean",
            f"The interval of R² begins at {scores[0].estimate.low:.3g}; the mean of the targets "
            "has 0.",
            True,
        )
    if calibration_error is not None and calibration_error > MISCALIBRATED:
        yield Finding(
            "probabilities are not what they say",
            f"They are {calibration_error:.2f} away from the shares that come true, in the mean "
            "over all rows. Calibrate on more rows, or do not read them as probabilities.",
        )


def _of_leaks(subject: Subject) -> Iterator[Finding]:
    columns, y = subject.columns, subject.y
    if columns.values is None or y is None or subject.n < ENOUGH_ROWS:
        return
    if columns.d > MOST_COLUMNS or columns.d == 1:
        return
    numbers = subject.task is Task.NUMBERS
    targets = y if numbers else subject.codes
    if len(np.unique(targets)) < 2:
        return
    some = np.sort(np.random.default_rng(0).permutation(subject.n)[:LOOKED_AT])
    judge: Callable[[Array, NDArray[Any]], float] = _explained if numbers else _decided
    alone = [
        name
        for j, name in enumerate(columns.names)
        if judge(columns.values[some, j], targets[some]) >= DECIDES
    ]
    if alone:
        one = len(alone) == 1
        yield Finding(
            f"{listed(alone)} alone {'decides' if one else 'decide'}",
            f"{'This column tells' if one else 'Each of these columns tells'} the {subject.target} "
            f"almost perfectly ({'R² of' if numbers else 'balanced accuracy of'} {DECIDES} or "
            "more) by a few thresholds. If it is made from the outcome, or known only after it, "
            "it is a leak: the model will fail where it is not there.",
            True,
        )


def _decided(column: Array, codes: NDArray[np.int64]) -> float:
    """Balanced accuracy of the best cut of one column into as many parts as there are classes."""
    known = np.isfinite(column)
    if not known.any() or np.ptp(column[known]) == 0:
        return 0.0
    k = len(np.unique(codes))
    cells = np.where(known, column, column[known].min() - 1)[:, None]
    tree = DecisionTreeClassifier(max_leaf_nodes=k, class_weight="balanced", random_state=0)
    found = tree.fit(cells, codes).predict(cells)
    return float(np.mean([np.mean(found[codes == code] == code) for code in np.unique(codes)]))


def _explained(column: Array, y: NDArray[Any]) -> float:
    """R2 of one column: of a straight line, or of a staircase of ten steps."""
    known = np.isfinite(column)
    if not known.all() or np.ptp(column) == 0 or np.ptp(y) == 0:
        return 0.0
    straight = float(np.corrcoef(column, y)[0, 1] ** 2)
    tree = DecisionTreeRegressor(max_leaf_nodes=10, random_state=0)
    return max(straight, float(tree.fit(column[:, None], y).score(column[:, None], y)))


def _of_copies(subject: Subject) -> Iterator[Finding]:
    if subject.columns.values is None:
        return
    # Codes of equal rows; -0.0 is 0.0, and what is missing is equal to what is missing.
    rows = np.nan_to_num(subject.columns.values, nan=np.inf) + 0.0
    _, group = np.unique(rows, axis=0, return_inverse=True)
    group = group.ravel()
    n_copies = subject.n - int(group.max()) - 1
    if n_copies == 0:
        return
    yield Finding(
        f"{counted(n_copies, 'row')} repeat{'s' if n_copies == 1 else ''} others",
        f"All their columns are equal to those of another row ({n_copies / subject.n:.1%} of all). "
        "Copies on both sides of a split into training and test rows make scores too good.",
        n_copies > RARE * subject.n,
    )
    if subject.y is None or subject.task is not Task.CLASSES:
        return
    k = len(subject.classes)
    counts = np.bincount(k * group + subject.codes, minlength=k * (int(group.max()) + 1))
    counts = counts.reshape(-1, k)
    mixed = (counts > 0).sum(axis=1) > 1
    if mixed.any():
        best = counts.max(axis=1).sum() / subject.n
        yield Finding(
            f"{counted(int(counts[mixed].sum()), 'row')} contradict each other",
            "Rows with the same columns have different labels. No model can be right for all of "
            f"them: the best possible accuracy on these rows is {best:.2%}.",
            best < 1 - RARE / 2,
        )


def _of_scales(subject: Subject) -> Iterator[Finding]:
    X = subject.features
    if X.shape[1] < 2 or getattr(subject.machine, "kernel", None) in ("cosine", "chi2"):
        return
    if sparse.issparse(X):
        mean = np.asarray(X.mean(axis=0)).ravel()
        square = np.asarray(X.multiply(X).mean(axis=0)).ravel()
        spread = np.sqrt(np.maximum(square - mean**2, 0.0))
    else:
        spread = np.asarray(X, np.float64).std(axis=0)
    varied = np.flatnonzero(spread > 1e-12 * max(float(spread.max()), 1e-300))
    if len(varied) < 2:
        return
    widest = varied[np.argmax(spread[varied])]
    narrow = varied[np.argmin(spread[varied])]
    typical = float(np.median(spread[varied]))
    if spread[widest] <= SCALES * typical and (
        len(varied) > 2 or spread[widest] <= SCALES * spread[narrow]
    ):
        return
    names = subject.feature_names
    wide = [names[j] for j in varied if spread[j] > SCALES * typical] or [names[widest]]
    yield Finding(
        "columns are not on one scale",
        f"{listed(wide)} spread{'s' if len(wide) == 1 else ''} much wider than the others "
        f"(standard deviations from {spread[narrow]:.3g} to {spread[widest]:.3g}), so "
        "that the model hardly sees the rest. Put a scaler before the machine, e.g. "
        "sklearn.preprocessing.StandardScaler.",
        True,
    )


def _of_balance(subject: Subject) -> Iterator[Finding]:
    if subject.task is not Task.CLASSES:
        return
    shares = np.bincount(subject.codes, minlength=len(subject.classes)) / subject.n
    absent = [str(name) for name, part in zip(subject.classes, shares, strict=True) if part == 0]
    if absent and (shares > 0).sum() > 1:
        yield Finding(
            f"no row is of the class {listed(absent)}",
            "How well the model finds it cannot be seen on these rows.",
        )
    rare = [
        f"{name} ({part:.1%})"
        for name, part in zip(subject.classes, shares, strict=True)
        if 0 < part < RARE / max(1, len(shares) - 1)
    ]
    if rare:
        yield Finding(
            f"classes are imbalanced: {listed(rare)} {'is' if len(rare) == 1 else 'are'} rare",
            "Accuracy hides what happens to rare classes. Look at balanced accuracy, recall and "
            'the precision-recall curve; class_weight="balanced" makes the fit look at them.',
        )


def _of_one_class(subject: Subject) -> Iterator[Finding]:
    nu = getattr(subject.machine, "nu", None)
    if subject.task is not Task.ONE_CLASS or nu is None or subject.provenance.optimistic:
        return
    if subject.y is not None:
        return
    outside = share(int((subject.predicted < 0).sum()), subject.n)
    if outside.low > nu:
        yield Finding(
            "more rows lie outside than nu allows for",
            f"{outside.value:.1%} (95 % interval {outside.low:.1%} to {outside.high:.1%}) are "
            f"outliers where nu = {nu:g} was asked of the rows of the fit: either these rows come "
            "from elsewhere, or the kernel is so narrow that the model knows its rows by heart.",
            True,
        )


def _of_support(support: Support | None) -> Iterator[Finding]:
    if support is not None and support.worry is not None:
        yield Finding(*support.worry)


def _of_columns(subject: Subject) -> Iterator[Finding]:
    values, names = subject.columns.values, subject.columns.names
    if values is None:
        yield Finding(
            "columns were not looked at one by one",
            f"{subject.n:,} rows of {len(names):,} columns are too many to be looked at for "
            "copies, leaks and missing values.",
        )
        return
    missing = np.isnan(values)
    if missing.any():
        lacking = [names[j] for j in np.flatnonzero(missing.any(axis=0))]
        yield Finding(
            f"{counted(int(missing.sum()), 'value')} {'is' if missing.sum() == 1 else 'are'} "
            "missing",
            f"In {listed(lacking)}, in {counted(int(missing.any(axis=1).sum()), 'row')}. The model "
            "fills them; whether that they are missing tells something is not asked.",
        )
    constant = [
        names[j]
        for j in range(values.shape[1])
        if subject.n > 1 and not missing[:, j].any() and np.ptp(values[:, j]) == 0
    ]
    if constant:
        yield Finding(
            f"{counted(len(constant), 'column')} {'is' if len(constant) == 1 else 'are'} constant",
            f"{listed(constant)} {'has' if len(constant) == 1 else 'have'} the same value in "
            "every row, and cannot tell rows apart.",
        )
