"""What a report says, against numbers that are computed apart from it."""

import re
from html.parser import HTMLParser

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.compose import ColumnTransformer
from sklearn.datasets import make_blobs, make_classification
from sklearn.ensemble import IsolationForest
from sklearn.exceptions import NotFittedError
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.metrics import (
    balanced_accuracy_score,
    brier_score_loss,
    confusion_matrix,
    f1_score,
    log_loss,
    mean_absolute_error,
    precision_recall_fscore_support,
    r2_score,
    roc_auc_score,
    root_mean_squared_error,
)
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

from maxmargin import (
    SGDSVC,
    SGDSVR,
    SVC,
    SVR,
    HardMarginSVC,
    LinearSVC,
    LinearSVR,
    NuSVC,
    NuSVR,
    OneClassSVM,
    Perceptron,
    report_of,
)
from maxmargin.kernels import RBF
from maxmargin.report.certificate import in_words
from maxmargin.report.findings import findings_of
from maxmargin.report.origin import Origin
from maxmargin.report.subject import Subject
from maxmargin.selection import GridSearchCV, LinearSVCCV

X, Y = make_blobs(90, 3, centers=3, cluster_std=3.0, random_state=0)
TWO = Y % 2
NUMBERS = X[:, 0] + np.sin(X[:, 1])


class Text(HTMLParser):
    """The text of a page, and its tags."""

    def __init__(self, page):
        super().__init__()
        self.words, self.tags, self.ids = [], [], []
        self.feed(page)

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        self.ids += [value for name, value in attrs if name == "id"]

    def handle_data(self, data):
        self.words.append(data)

    @property
    def text(self):
        return " ".join(" ".join(self.words).split())


def values(report):
    return {score.name: score.estimate.value for score in report.scores}


# ---- Numbers ------------------------------------------------------------------------------------


def test_scores_of_two_classes(reports):
    subject = reports["two classes"].subject
    model, X, y = subject.model, subject.X, subject.y
    found, P = model.predict(X), model.predict_proba(X)
    positive = y == subject.classes[1]
    scores = values(reports["two classes"])
    assert scores["accuracy"] == pytest.approx(np.mean(found == y))
    assert scores["balanced accuracy"] == pytest.approx(balanced_accuracy_score(y, found))
    assert scores["macro F1"] == pytest.approx(f1_score(y, found, average="macro"))
    decisions = model.decision_function(X)
    assert scores["area under ROC"] == pytest.approx(roc_auc_score(positive, decisions))
    assert scores["Brier score"] == pytest.approx(brier_score_loss(positive, P[:, 1]))
    assert scores["log loss"] == pytest.approx(log_loss(positive, P[:, 1]))


def test_scores_of_each_class(reports):
    report = reports["three classes"]
    subject = report.subject
    found = subject.model.predict(subject.X)
    precision, recall, f1, rows = precision_recall_fscore_support(subject.y, found)
    for place, one in enumerate(report.classes):
        expected = (precision[place], recall[place], f1[place], rows[place])
        assert (one.precision.value, one.recall.value, one.f1, one.rows) == pytest.approx(expected)


def test_scores_of_numbers(reports):
    subject, scores = reports["numbers"].subject, values(reports["numbers"])
    y, found = subject.y, subject.model.predict(subject.X)
    assert scores["R²"] == pytest.approx(r2_score(y, found))
    assert scores["root mean squared error"] == pytest.approx(root_mean_squared_error(y, found))
    assert scores["mean absolute error"] == pytest.approx(mean_absolute_error(y, found))
    assert scores["inside the tube"] == pytest.approx(np.mean(np.abs(y - found) <= 20))


def test_the_nu_property(reports):
    report = reports["one class"]
    machine, X = report.subject.machine, report.subject.X
    outside = np.mean(machine.predict(X) < 0)
    assert values(report)["outliers"] == pytest.approx(outside)
    assert report.support.at_bound / 200 <= machine.nu <= report.support.n / 200
    assert "as it must be" in Text(report.html()).text


def test_the_page_has_the_confusion_matrix(reports, pages):
    subject = reports["two classes"].subject
    matrix = confusion_matrix(subject.y, subject.model.predict(subject.X))
    cells = re.findall(r'<td class="cell"[^>]*>([\d,]+)<small>', pages["two classes"])
    assert [int(cell) for cell in cells] == matrix.ravel().tolist()


def test_margins_and_slacks(reports, pages):
    subject = reports["two classes"].subject
    machine = subject.machine
    slack = machine.slack(subject.model[:-1].transform(subject.X), subject.y)
    assert np.maximum(0, 1 - subject.margins) == pytest.approx(slack)
    assert f"all slacks add up to {slack.sum():.4g}" in Text(pages["two classes"]).text


def test_the_worst_rows_are_the_users_rows(reports):
    report = reports["two classes"]
    subject, worst = report.subject, report.worst
    place = int(np.argmin(subject.margins))
    first = worst.rows[0]
    assert first[:3] == [str(subject.X.index[place]), subject.y[place], subject.predicted[place]]
    column = worst.header[worst.measured]
    assert first[worst.measured] == f"{subject.X[column].iloc[place]:.4g}"
    assert worst.wrong == min(10, int((subject.predicted != subject.y).sum()))


def test_support_vectors(reports):
    report = reports["two classes"]
    machine = report.subject.machine
    assert report.support.n == len(machine.support_)
    assert report.support.n_fit == 285
    assert report.support.at_bound == (np.isclose(machine.alphas_, 3.0).any(axis=0)).sum()
    assert f"{len(machine.support_)} of the 285 rows" in report.support.facts


def test_the_summary_is_three_sentences(reports):
    for report in reports.values():
        assert len(report.summary) == 3
        assert all(sentence.endswith(".") for sentence in report.summary)
    accuracy = reports["two classes"].scores[0].estimate
    assert f"{100 * accuracy.value:.1f} %" in reports["two classes"].summary[1]
    assert (
        f"{100 * accuracy.low:.1f} to {100 * accuracy.high:.1f} %"
        in (reports["two classes"].summary[1])
    )


def test_the_search_is_shown(reports, pages):
    search, text = reports["three classes"].subject.search, Text(pages["three classes"]).text
    assert f"{len(search.cv_results_['params'])} candidates, 3 folds each" in text
    assert f"{search.best_score_:.4f}" in text
    assert "How the parameters were chosen" not in Text(pages["two classes"]).text


def test_an_approximate_fit_is_called_so():
    X, y = make_classification(1200, random_state=0)
    model = SVC(tol=float("inf"), tol_gap=0.1).fit(X, y)
    first, distance, *_ = in_words(model)
    assert first.startswith("The fit is approximate, as it was asked to be")
    assert f"within {model.certificate_.gap:.2%} of the best" in distance
    assert "inf was asked for" not in " ".join(in_words(model))


def test_certificate_and_versions_are_there(reports, pages):
    import sklearn

    import maxmargin

    for name, page in pages.items():
        text = Text(page).text
        gap = reports[name].subject.machine.certificate_.gap
        assert f"{gap:.2e}" in text
        assert "status OPTIMAL" in text
        assert maxmargin.__version__ in text
        assert sklearn.__version__ in text


# ---- The page -----------------------------------------------------------------------------------


def test_a_page_is_whole(page):
    parsed = Text(page)
    assert not {"script", "link", "img", "iframe"} & set(parsed.tags)
    assert len(parsed.ids) == len(set(parsed.ids))
    assert page.count("<figure>") == page.count("<figcaption") > 0
    assert "http:" not in re.sub(r'xmlns(:\w+)?="[^"]*"', "", page)
    assert "https:" not in page
    # Every reference within a picture leads somewhere.
    targets = re.findall(r'(?:href="|url\()#([\w.-]+)', page)
    assert set(targets) <= set(parsed.ids)


def test_a_report_gives_the_same_page_again(reports, pages):
    assert reports["numbers"].html() == pages["numbers"]


BAD = ["<b>bold</b>", "</script><script>alert(1)</script>", '"&amp;$x^{$ <i>']


def test_whatever_the_user_has_named_is_escaped():
    frame = pd.DataFrame(X, columns=BAD, index=[f"{BAD[i % 3]}{i}" for i in range(90)])
    frame["texts"] = np.array(BAD)[np.arange(90) % 3]
    y = pd.Series(np.array(BAD)[Y], name=BAD[0])
    columns = ColumnTransformer([("texts", OneHotEncoder(), ["texts"])], remainder="passthrough")
    model = make_pipeline(columns, SVC(decision_function_shape="ovo")).fit(frame, y)
    report = report_of(model, frame, y, title=BAD[1], source=BAD[2])
    page = report.html()
    parsed = Text(page)
    assert not {"script", "b", "i"} & set(parsed.tags)
    assert all(parsed.text.count(bad) > 5 for bad in BAD)
    # Not even within a picture or a title, where a parser might forgive it.
    assert not [bad for bad in BAD if bad in page]


def test_a_target_of_numbers_is_escaped():
    y = pd.Series(NUMBERS, name="<i>$y^{</i>$")
    parsed = Text(report_of(SVR().fit(X, y), X, y).html())
    assert "i" not in parsed.tags
    assert "predicted <i>$y^{</i>$" in parsed.text


def test_notebooks_show_it_in_a_frame(reports):
    shown = reports["one class"]._repr_html_()
    assert shown.startswith('<iframe srcdoc="&lt;!DOCTYPE html&gt;')


def test_saving_leaves_nothing_half(tmp_path, reports, monkeypatch):
    path = tmp_path / "page.html"
    assert reports["one class"].save(path) == path
    before = path.read_bytes()
    monkeypatch.setattr("maxmargin.report.page.page", lambda _: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        reports["one class"].save(path)
    assert path.read_bytes() == before
    assert list(tmp_path.iterdir()) == [path]


@pytest.fixture
def without_pictures(monkeypatch):
    """Draw nothing: the pictures are those of the pages above."""
    monkeypatch.setattr("maxmargin.plots.display.Display.svg", lambda *_, **__: "<svg ></svg>")


# ---- Every machine ------------------------------------------------------------------------------

MACHINES = {
    "SVC": (SVC(), Y),
    "SVC, one-vs-rest": (SVC(multi_class="ovr"), Y),
    "NuSVC": (NuSVC(nu=0.2), TWO),
    "HardMarginSVC": (HardMarginSVC(kernel="rbf"), TWO),
    "LinearSVC": (LinearSVC(calibration="sigmoid"), Y),
    "Crammer-Singer": (LinearSVC(multi_class="crammer_singer"), Y),
    "SGDSVC": (SGDSVC(random_state=0), TWO),
    "Perceptron": (Perceptron(random_state=0), Y),
    "kernel of columns": (SVC(kernel=RBF(0.1).on([0]) + RBF(0.2)), TWO),
    "SVR": (SVR(), NUMBERS),
    "NuSVR": (NuSVR(), NUMBERS),
    "LinearSVR": (LinearSVR(), NUMBERS),
    "SGDSVR": (SGDSVR(random_state=0), NUMBERS),
    "OneClassSVM": (OneClassSVM(), np.where(np.arange(90) < 9, -1, 1)),
    "search of one parameter": (LinearSVCCV(cv=3), Y),
    "scikit-learn's classifier": (LogisticRegression(), Y),
    "scikit-learn's regression": (Ridge(), NUMBERS),
    "scikit-learn's outliers": (IsolationForest(n_estimators=5, random_state=0), None),
}


@pytest.mark.filterwarnings("ignore")  # of fits that nobody would make
@pytest.mark.parametrize("name", MACHINES)
def test_every_machine_has_a_page(name, without_pictures):
    machine, y = MACHINES[name]
    report = report_of(machine.fit(X, y), X, y)
    text = Text(report.html()).text
    assert "nan" not in re.findall(r"\w+", text)
    if name == "OneClassSVM":
        assert values(report)["outliers found"] == np.mean(machine.predict(X[:9]) < 0)
    elif y is not None and not np.array_equal(y, NUMBERS):
        assert values(report)["accuracy"] == pytest.approx(np.mean(machine.predict(X) == y))
    elif y is not None:
        assert values(report)["R²"] == pytest.approx(machine.score(X, y))


def test_tables_of_anything(without_pictures):
    frame = pd.DataFrame(X, columns=list("abc"))
    frame["town"] = np.array(["Rom", "Bern", None])[np.arange(90) % 3]
    frame.loc[4, "a"] = np.nan
    fill = ColumnTransformer(
        [
            ("numbers", make_pipeline(SimpleImputer(), StandardScaler()), list("abc")),
            ("texts", OneHotEncoder(), ["town"]),
        ]
    )
    report = report_of(make_pipeline(fill, SVC()).fit(frame, TWO), frame, TWO)
    text = Text(report.html()).text
    assert "31 values are missing" in text
    assert "text, mostly" in text
    assert report.importances.names[0] in "abc"


def test_sparse_rows():
    rows = sparse.csr_array(np.maximum(X, 0))
    report = report_of(SVC().fit(rows, TWO), rows, TWO)
    assert report.subject.provenance.origin is Origin.TRAINING
    assert report.importances is None
    assert report.worst.header[-1] == "x3"


def test_few_rows(without_pictures):
    model = SVC().fit(X, TWO)
    assert "not known" in Text(report_of(model, X[:1], TWO[:1]).html()).text
    one = report_of(model, X[TWO == 1], TWO[TWO == 1])
    assert "all rows are of the class 1" in [finding.title for finding in one.findings]


# ---- Errors -------------------------------------------------------------------------------------

FITTED = SVC().fit(pd.DataFrame(X, columns=["a", "b", "c"]), TWO)
WRONG = {
    "other classes": (lambda: report_of(FITTED, X, Y + 5), "y has the label 5"),
    "no labels": (lambda: report_of(FITTED, X), "y is None"),
    "other lengths": (lambda: report_of(FITTED, X, TWO[:5]), r"y has shape \(5,\)"),
    "too few columns": (lambda: report_of(FITTED, X[:, :2], TWO), "X has 2 columns"),
    "a missing column": (
        lambda: report_of(FITTED, pd.DataFrame(X, columns=["a", "b", "z"]), TWO),
        "X lacks the column 'c'",
    ),
    "no rows": (lambda: report_of(FITTED, X[:0], TWO[:0]), "X has no rows"),
    "no matrix": (lambda: report_of(FITTED, X[0], TWO), "X has shape"),
    "names of others": (lambda: report_of(FITTED, X, TWO, names=["a"]), "names has 1 entries"),
    "a kernel matrix": (
        lambda: report_of(SVC(kernel="precomputed").fit(X @ X.T, TWO), X @ X.T, TWO),
        "knows kernel values and no rows",
    ),
    "targets that are words": (
        lambda: report_of(SVR().fit(X, NUMBERS), X, np.array(["a"] * 90)),
        "targets must be numbers",
    ),
    "targets that are missing": (
        lambda: report_of(SVR().fit(X, NUMBERS), X, np.full(90, np.nan)),
        r"y\[0\] is nan",
    ),
    "a search without a model": (
        lambda: report_of(GridSearchCV(SVC(), {"C": [1.0, 2.0]}, refit=False).fit(X, Y), X, Y),
        "refit=False",
    ),
}


@pytest.mark.parametrize("case", WRONG)
def test_what_cannot_be_reported_on(case):
    make, words = WRONG[case]
    with pytest.raises(ValueError, match=words):
        make()


def test_a_model_that_is_not_fitted_or_is_none():
    with pytest.raises(NotFittedError, match="not fitted"):
        report_of(SVC(), X, TWO)
    with pytest.raises(TypeError, match="model is a StandardScaler"):
        report_of(StandardScaler().fit(X), X, TWO)


# ---- What to worry about ------------------------------------------------------------------------


def titles(model, X, y=None, **options):
    return [finding.title for finding in report_of(model, X, y, **options).findings]


def found(model, X, y=None):
    return [f.title for f in findings_of(Subject.of(model, X, y), [], [], None, None)]


def test_plain_data_have_nothing_to_worry_about():
    rng = np.random.default_rng(1)
    rows = rng.normal(size=(400, 3))
    y = (rows.sum(axis=1) + 0.5 * rng.normal(size=400) > 0).astype(int)
    report = report_of(SVC(C=1).fit(rows[:200], y[:200]), rows[200:], y[200:])
    assert report.findings == []
    assert "Nothing serious" in report.summary[2]


def test_columns_that_are_not_on_one_scale():
    wide = X * [1, 1, 1000]
    assert "columns are not on one scale" in found(SVC().fit(wide, TWO), wide, TWO)
    scaled = make_pipeline(StandardScaler(), SVC()).fit(wide, TWO)
    assert "columns are not on one scale" not in found(scaled, wide, TWO)


def test_rare_classes():
    y = (np.arange(90) < 5).astype(int)
    assert "classes are imbalanced: 1 (5.6%) is rare" in found(SVC().fit(X, y), X, y)
    assert not [title for title in found(SVC().fit(X, Y), X, Y) if "imbalanced" in title]


def test_copies_and_contradictions():
    rows, y = np.vstack([X, X[:20]]), np.append(TWO, TWO[:20])
    y[90] = 1 - y[90]
    report = report_of(SVC().fit(rows, y), rows, y)
    told = {finding.title: finding.text for finding in report.findings}
    assert "20 rows repeat others" in told
    assert "is 99.09%" in told["2 rows contradict each other"]


def test_a_column_that_alone_decides():
    leak = np.column_stack([X, TWO + 0.01 * X[:, 0]])
    assert "x4 alone decides" in found(SVC().fit(leak, TWO), leak, TWO)
    leak = np.column_stack([X, 3.0 * NUMBERS - 1])
    assert "x4 alone decides" in found(SVR().fit(leak, NUMBERS), leak, NUMBERS)
    three = np.column_stack([X, 10.0 * Y])
    assert "x4 alone decides" in found(SVC().fit(three, Y), three, Y)
    assert not [title for title in found(SVC().fit(X, Y), X, Y) if "alone" in title]


def test_constant_columns():
    flat = np.column_stack([X, np.ones(90)])
    assert "1 column is constant" in found(SVC().fit(flat, TWO), flat, TWO)


def test_a_guess_is_not_better_than_the_most_frequent_class():
    y = np.random.default_rng(0).integers(0, 2, 90)
    model = SVC(C=0.01).fit(X, y)
    assert "it is not shown to be better than giving always the same answer" in titles(model, X, y)


@pytest.mark.filterwarnings("ignore")
def test_a_fit_that_was_stopped():
    assert "the fit was stopped before its end" in found(SVC(max_iter=1).fit(X, TWO), X, TWO)


# ---- Where the rows come from -------------------------------------------------------------------

FAR = X + 100.0


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(
    "machine", [SVC(), LinearSVC(), LinearSVC(loss="hinge"), SGDSVC(), SVR(), LinearSVR()]
)
def test_rows_of_the_fit_are_recognised(machine):
    y = NUMBERS if isinstance(machine, SVR | LinearSVR) else TWO
    model = make_pipeline(StandardScaler(), machine).fit(X, y)
    assert Subject.of(model, X, y).provenance.origin is Origin.TRAINING
    assert Subject.of(model, X, y, training=False).provenance.origin is Origin.TRAINING
    assert not Subject.of(model, FAR, y).provenance.optimistic
    assert not Subject.of(model, X[::-1] * 1.1, y).provenance.optimistic


def test_some_rows_of_the_fit_are_recognised():
    model = SVC(C=0.1).fit(X[:60], TWO[:60])
    mixed = Subject.of(model, X[30:], TWO[30:])
    assert mixed.provenance.origin is Origin.SOME_TRAINING
    assert mixed.provenance.copies == np.isin(np.arange(30, 60), model.support_).sum()
    assert Subject.of(model, X[60:], TWO[60:]).provenance.origin is Origin.NEW
    assert Subject.of(model, X[30:], TWO[30:], training=False).provenance.copies > 0


def test_what_is_stated_counts_where_nothing_is_known():
    model = LogisticRegression().fit(X, TWO)
    assert Subject.of(model, X, TWO).provenance.origin is Origin.UNKNOWN
    assert Subject.of(model, X, TWO, training=True).provenance.origin is Origin.TRAINING
    assert Subject.of(model, X, TWO, training=False).provenance.origin is Origin.NEW


def test_training_rows_are_called_optimistic(reports, pages):
    assert "optimistic" in Text(pages["three classes"]).text
    assert "on new rows" in Text(pages["two classes"]).text
    assert reports["three classes"].findings[0].serious
