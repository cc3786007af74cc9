"""Tables as users have them: without a target, without a header, with other marks, with faults."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_iris
from sklearn.preprocessing import MinMaxScaler

from maxmargin import load
from maxmargin.data.files import DataFile, Dialect, read_libsvm
from maxmargin.data.files.table import labels_of

FEATURES = ["sepal length", "sepal width", "petal length", "petal width"]
SPECIES = ["setosa", "versicolor", "virginica"]


@pytest.fixture
def iris():
    X, y = load_iris(return_X_y=True)
    return pd.DataFrame(X, columns=FEATURES).assign(species=np.array(SPECIES)[y])


@pytest.fixture
def written(iris, tmp_path):
    """Write the table, changed, and return where to."""

    def write(change=lambda frame: frame, **options):
        path = tmp_path / "table.csv"
        change(iris.copy()).to_csv(path, **{"index": False, **options})
        return path

    return write


def bare(frame):
    return frame[FEATURES]


def test_one_class_takes_all_columns(ok, written):
    path = written(bare)
    assert "columns: 4 of numbers" in ok("train", path, "--task", "one-class", "-o", "m").out
    assert load("m").n_features_in_ == 4
    ok("train", path, "--task", "one-class", "--no-target", "-o", "m")
    assert len(ok("predict", "m", path).out.split()) == 150
    out = ok("train", written(), "--task", "one-class", "-t", "species", "-o", "m").out
    assert "species is left out" in out


def test_scaling_of_tables_without_a_target(ok, fails, written, iris):
    path = written(bare)
    error = fails(2, "scale", path, "-o", "a.csv")
    assert "is the last column, 'petal width', the target or a feature?" in error
    assert "--target 'petal width' or --no-target" in error
    ok("scale", path, "-o", "a.csv", "--no-target", "--save", "ranges")
    expected = MinMaxScaler((-1, 1)).fit_transform(iris[FEATURES])
    np.testing.assert_allclose(pd.read_csv("a.csv"), expected, atol=1e-15)
    # The scaling knows its columns: others stay as they are, in their place.
    ok("scale", written(lambda f: f.assign(age=7)), "-o", "b.csv", "--restore", "ranges")
    table = pd.read_csv("b.csv")
    assert list(table.columns) == [*FEATURES, "species", "age"]
    np.testing.assert_allclose(table[FEATURES], expected, atol=1e-15)
    assert set(table["species"]) == set(SPECIES)
    ok("scale", written(bare), "-o", "c.csv", "--restore", "ranges")
    np.testing.assert_allclose(pd.read_csv("c.csv"), expected, atol=1e-15)


def test_a_plain_target_is_found(ok, written, iris):
    ok("scale", written(), "-o", "a.csv", "--save", "ranges")
    assert list(load("ranges").feature_names_in_) == FEATURES
    ok("scale", written(lambda f: bare(f).assign(label=1)), "-o", "b.csv")
    assert (pd.read_csv("b.csv")["label"] == 1).all()
    ok("scale", written(lambda f: f.assign(age=7)), "--drop", "species", "-o", "c.csv", "-t", "age")
    assert list(pd.read_csv("c.csv").columns) == [*FEATURES, "age"]


def test_conversion_of_tables_without_a_target(ok, fails, written, iris):
    path = written(bare)
    assert "--no-target" in fails(2, "convert", path, "a.libsvm")
    ok("convert", path, "a.libsvm", "--no-target")
    np.testing.assert_array_equal(read_libsvm("a.libsvm").X.toarray(), iris[FEATURES])
    ok("convert", path, "b.libsvm", "-t", "sepal width")
    np.testing.assert_array_equal(read_libsvm("b.libsvm").y, iris["sepal width"])
    # From table to table nothing is taken apart.
    ok("convert", path, "c.parquet")
    pd.testing.assert_frame_equal(pd.read_parquet("c.parquet"), iris[FEATURES])


def test_classes_are_numbered_in_the_order_that_is_given(ok, fails, written):
    path = written()
    error = fails(3, "convert", path, "a.libsvm")
    assert "number the classes (option --classes)" in error
    said = ok("convert", path, "a.libsvm", "--classes", "virginica,setosa,versicolor").err
    assert "class 0 is virginica" in said
    np.testing.assert_array_equal(read_libsvm("a.libsvm").y, np.repeat([1, 2, 0], 50))
    error = fails(3, "convert", path, "b.libsvm", "--classes", "virginica,setosa")
    assert "the target is 'versicolor' in row 51, which is none of the classes" in error


@pytest.mark.parametrize("rows", [None, 20])
def test_labels_and_ids_stay_what_they_are(ok, written, monkeypatch, rows):
    if rows:
        monkeypatch.setattr("maxmargin.data.files.datafile.CHUNK_ROWS", rows)
    for names in (
        [2**53 + 1, 2**53 + 3, 2**53 + 5],
        [10**17, 10**17 + 1, 10**17 + 2],
        [2**63, 2**63 + 1, 10**25 + 1],
        ["007", "010", "7"],
    ):
        label = dict(zip(SPECIES, map(str, names), strict=True))
        path = written(lambda f, label=label: f.assign(species=f["species"].map(label)))
        ok("train", path, "-o", "m")
        result = ok("predict", "m", path)
        assert set(result.out.split()) == set(map(str, names))
        assert "accuracy 0.9733" in result.err
    ids = [str(2**53 + 1 + k) for k in range(150)]
    path = written(lambda f: f.assign(serial=ids))
    ok("train", path, "--id", "serial", "-t", "species", "-o", "m")
    out = ok("predict", "m", path).out.splitlines()
    assert [line.split(",")[0] for line in out[1:]] == ids


def test_labels_are_read_exactly():
    def read(*cells):
        return labels_of(np.array(cells, dtype=object)).tolist()

    assert read("1", "+2", "-3") == [1, 2, -3]
    assert read("1", "2.5") == [1.0, 2.5]
    assert read("1", "x") == ["1", "x"]
    assert read("1", "02") == ["1", "02"]
    assert read("1_0", "2") == ["1_0", "2"]
    np.testing.assert_equal(read("1", None), [1.0, np.nan])
    assert read("9007199254740993", None) == ["9007199254740993", None]
    assert labels_of(np.array(["1,5"], dtype=object), Dialect(decimal=",")).tolist() == [1.5]


def test_large_whole_numbers_survive_a_conversion(ok, fails, written):
    numbers = [2**53 + 1 + 2 * k for k in range(150)]
    path = written(lambda f: f.assign(big=numbers)[["big", *f.columns]])
    ok("convert", path, "a.parquet")
    ok("convert", "a.parquet", "b.csv")
    assert pd.read_csv("b.csv")["big"].tolist() == numbers
    error = fails(3, "convert", path, "a.libsvm", "--classes", ",".join(SPECIES))
    assert "column 'big' has whole numbers above 2^53" in error
    lines = written(lambda f: f.assign(big=numbers)[["big", *f.columns]]).read_text().splitlines()
    Path("gap.csv").write_text("\n".join([*lines[:3], lines[3].partition(",")[1], *lines[4:]]))
    ok("convert", "gap.csv", "gap.parquet")
    assert pd.read_parquet("gap.parquet")["big"].tolist()[:2] == numbers[:2]


def test_numbers_that_float64_cannot_tell_apart_are_refused(ok, fails, written):
    path = written(lambda f: f.assign(id=2**53 + 1 + np.arange(150))[["id", *f.columns]])
    error = fails(3, "train", path, "-o", "m")
    assert "column 'id' has numbers as large as 9.0072e+15 that differ by" in error
    assert "give --id 'id'" in error
    ok("train", path, "--id", "id", "-o", "m")
    times = 1_700_000_000_000_000_000 + 10**9 * np.arange(150)
    ok("train", written(lambda f: f.assign(time=times[::-1])), "-t", "species", "-o", "m")


def test_a_header_is_not_guessed_where_there_may_be_none(ok, fails, written):
    path = written(header=False)
    error = fails(3, "train", path, "-o", "m")
    assert "table.csv:1: the first line, '5.1,3.5,1.4,0.2,setosa', has numbers" in error
    assert "(option --header or --no-header)" in error
    assert "150 rows" in ok("train", path, "--no-header", "-o", "m").out
    assert "149 rows" in ok("train", path, "--header", "-o", "m").out
    years = written(header=["2019", "2020", "2021", "2022", "kind"])
    assert "150 rows" in ok("train", years, "-o", "m").out


def test_an_index_is_not_learnt(run, ok, written):
    result = run("train", written(index=True), "-o", "m")
    assert "the column without a name counts the rows and is left out" in result.err
    assert list(load("m").feature_names_in_) == FEATURES
    ok("predict", "m", written(index=True))
    result = run("train", written(lambda f: f.assign(nr=range(1, 151))[["nr", *f.columns]]))
    assert "column 'nr' counts the rows; if it is no feature, give --id 'nr'" in result.err


def test_another_delimiter_is_suspected(ok, fails, written):
    path = written(sep=";", decimal=",")
    error = fails(3, "train", path, "-o", "m")
    assert "the first line has 5 cells if ';' separates them, but 1 by ','" in error
    assert "(option --delimiter)" in error
    error = fails(3, "train", path, "--delimiter", ";", "-o", "m")
    assert "column 'sepal length' has '5,1', '4,9'" in error
    assert "--decimal ," in error
    options = ["--delimiter", ";", "--decimal", ","]
    ok("train", path, *options, "-o", "m")
    assert "accuracy 0.9733" in ok("predict", "m", path, *options).err
    assert "(option --delimiter)" in fails(3, "predict", "m", path)
    for name, mark in (("tab", "\t"), ("|", "|"), ("space", " ")):
        table = written(lambda f: f.rename(columns=lambda c: c.replace(" ", "_")), sep=mark)
        assert "150 rows" in ok("train", table, "--delimiter", name, "-o", "m").out


def test_an_encoding_can_be_told(ok, fails, written):
    path = written(lambda f: f.replace("setosa", "schön"), encoding="latin-1")
    assert "is not UTF-8; say what it is" in fails(3, "train", path, "-o", "m")
    assert "schön: 50" in ok("train", path, "--encoding", "latin-1", "-o", "m").out
    assert "there is no encoding 'klingon'" in fails(2, "train", path, "--encoding", "klingon")
    wide = written(encoding="utf-16")
    assert "setosa: 50" in ok("train", wide, "--encoding", "utf-16", "-o", "m").out


def spoilt(cells, rows):
    def change(frame):
        column = frame["petal width"].astype(object)
        column[rows] = cells
        return frame.assign(**{"petal width": column})

    return change


def test_cells_that_are_no_numbers_are_named(ok, fails, written):
    path = written(spoilt("-", [2, 40]))
    error = fails(3, "train", path, "-o", "m")
    assert "column 'petal width' has numbers, but '-' in 2 rows (3, 41)" in error
    assert "--na '-' and --missing fill or drop" in error
    assert "148 rows" in ok("train", path, "--na", "-", "--missing", "drop", "-o", "m").out
    groups = written(
        lambda f: f.assign(**{"petal width": (1e4 * f["petal width"]).map("{:,.0f}".format)})
    )
    assert "--thousands ," in fails(3, "train", groups, "-o", "m")
    ok("train", groups, "--thousands", ",", "-o", "m")
    shares = written(lambda f: f.assign(**{"petal width": f["petal width"].astype(str) + "%"}))
    assert "has '0.2%', '0.4%', '0.3%', ... in 150 rows" in fails(3, "train", shares, "-o", "m")
    long = written(lambda f: f.assign(code=[str(10**25 + k) for k in range(150)]))
    error = fails(3, "train", long, "-t", "species", "-o", "m")
    assert "has 150 different numbers of many digits" in error
    assert "--id 'code'" in error
    assert "the target 'code' has 150 different texts in 150 rows" in fails(3, "train", long)
    path = written(spoilt("-", [2, 40]))
    assert "1 of text" in ok("train", path, "--categorical", "petal width", "-o", "m").out


def test_a_target_with_faults(ok, fails, written):
    def change(frame):
        return frame.assign(
            species=frame["petal width"].astype(object).where(frame.index != 8, "n.b.")
        )

    error = fails(3, "train", written(change), "-o", "m")
    assert "the target 'species' has numbers, but 'n.b.' in row 9" in error
    ok("train", written(change), "--na", "n.b.", "--missing", "drop", "-o", "m")
    gap = written(lambda f: f.assign(species=f["species"].where(f.index != 5)))
    error = fails(3, "train", gap, "-o", "m")
    assert "the target 'species' lacks a value in row 6; give --missing drop" in error
    assert "149 rows" in ok("train", gap, "--missing", "drop", "-o", "m").out
    assert "--missing drop" in fails(3, "train", gap, "--missing", "fill", "-o", "m")


def test_infinite_values_are_named(ok, fails, written):
    path = written(spoilt(np.inf, [6]))
    error = fails(3, "train", path, "-o", "m")
    assert "table.csv: column 'petal width' is infinite in row 7" in error
    ok("train", path, "--na", "inf", "--missing", "fill", "-o", "m")
    assert "is infinite in row 7" in fails(3, "predict", "m", path)
    np.savez("rows.npz", X=[[1.0, 2.0], [3.0, np.inf]], y=[0, 1])
    assert "column 2 is infinite in row 2" in fails(3, "train", "rows.npz")


def test_folds_and_classes_that_cannot_be(fails, written, run):
    error = fails(3, "train", written(), "--folds", "60", "-o", "m")
    assert "60 folds are more than there are rows of any class (50 at most)" in error
    few = written(lambda f: f.iloc[[*range(100), 100, 101]])
    result = run("train", few, "--folds", "5", "-o", "m")
    assert "class virginica has 2 rows, fewer than the 5 folds" in result.err
    error = fails(3, "train", written(lambda f: f.iloc[:50]), "-o", "m")
    assert "the target 'species' is always setosa" in error
    assert "--task one-class" in error


def test_new_classes_are_named(ok, written):
    ok("train", written(), "-o", "m")
    said = ok("predict", "m", written(lambda f: f.assign(species="rose"))).err
    assert "the target 'species' is rose, none of the classes setosa, versicolor, virginica" in said


def test_namesakes_are_told(run, tmp_path):
    (tmp_path / "twice.csv").write_text("a,a,y\n1,2,0\n3,4,1\n5,1,0\n")
    result = run("train", tmp_path / "twice.csv")
    assert "the column 'a' is there 2 times; the later ones are called 'a.1'" in result.err


def test_whole_numbers_of_parquet_stay_exact(tmp_path):
    numbers = pd.array([2**53 + 1, None, 2**53 + 3], dtype="Int64")
    pd.DataFrame({"a": [1.0, 2.0, 3.0], "y": numbers}).to_parquet(tmp_path / "a.parquet")
    block = DataFile(tmp_path / "a.parquet").read()
    assert block.X["y"].tolist()[::2] == [2**53 + 1, 2**53 + 3]


def test_one_row_is_one_row(ok, tmp_path, written):
    ok("train", written(), "-o", "m")
    (tmp_path / "one.csv").write_text(",".join(FEATURES) + "\n5,3,1,0.2\n")
    assert "1 row predicted" in ok("predict", "m", "one.csv").err


def test_whole_numbers_that_hardly_occur_twice_are_no_classes(ok, fails, tmp_path):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(40, 2))
    frame = pd.DataFrame(X, columns=["a", "b"]).assign(price=(1000 * X[:, 0]).astype(int))
    frame.to_csv(tmp_path / "prices.csv", index=False)
    assert "target price: regression" in ok("train", "prices.csv").out
    small = frame.iloc[:6].assign(price=[0, 0, 0, 1, 1, 1])
    small.to_csv(tmp_path / "small.csv", index=False)
    error = fails(3, "train", "small.csv", "--auto")
    assert "5 folds are more than there are rows of any class (3 at most); give --folds 3" in error
    assert "3-fold" in ok("train", "small.csv", "--auto", "--folds", "3", "--linear").out


def test_blanks_around_cells_and_names_do_not_count(ok, tmp_path):
    lines = ["a , b, y ", "1 , 2 , yes", "3, 4, no", " 5, 6 , yes ", "7,8,no"]
    (tmp_path / "blanks.csv").write_text("\n".join(lines))
    assert "2 classes (no: 2, yes: 2)" in ok("train", "blanks.csv", "-t", "y", "-o", "m").out
    assert list(load("m").feature_names_in_) == ["a", "b"]
    assert "accuracy" in ok("predict", "m", "blanks.csv").err


def test_rows_longer_than_the_header_are_refused(fails, ok, tmp_path):
    (tmp_path / "title.csv").write_text("# made by me\na,b,y\n1,2,x\n3,4,y\n")
    error = fails(3, "train", "title.csv", "--header")
    assert "title.csv:2: the line has 3 cells where 1 are needed" in error
    (tmp_path / "ends.csv").write_text("a,b,y\n1,2,x,\n3,4,y,\n5,1,x,\n")
    assert "3 rows" in ok("train", "ends.csv").out


def test_tasks_that_the_target_does_not_allow(fails, written, ok):
    error = fails(3, "train", written(bare), "--task", "classification")
    assert "the target has fractions such as 0.2, so it has no classes" in error
    assert "classification, as asked" in ok("train", written(), "--task", "classification").out
    dates = written(lambda f: f.assign(day=pd.date_range("2024-01-01", periods=150).astype(str)))
    error = fails(3, "train", dates, "-t", "species")
    assert "column 'day' has dates such as 2024-01-01; turn them into numbers" in error
    (Path("one.csv")).write_text("x\n1\n2\n")
    assert "the only column, 'x', is the target" in fails(3, "train", "one.csv")


def test_unknown_words_are_told(ok, shop):
    ok("train", shop, "-o", "m")
    pd.read_csv(shop).replace("Rom", "Paris").to_csv("new.csv", index=False)
    said = ok("predict", "m", "new.csv").err
    assert "warning: new.csv: column 'city' has 'Paris', unknown to the model" in said
    assert "warning" not in ok("predict", "m", shop).err


def test_tables_without_names_go_by_their_order(ok, fails, written, iris):
    first = written(lambda f: f[["species", *FEATURES]], header=False)
    ok("train", first, "--no-header", "-t", "1", "-o", "m")
    known = ok("predict", "m", first, "--no-header").out
    plain = written(bare, header=False)
    assert "if there is no target, give --no-target" in fails(3, "predict", "m", plain)
    assert ok("predict", "m", plain, "--no-target").out == known


def test_models_without_names_count_columns(ok, fails, written):
    ok("train", written(), "-o", "m")
    ok("convert", "m", "m.txt", "--to", "libsvm-model")
    error = fails(3, "predict", "m.txt", written())
    assert "there are 5 columns of features but the model takes 4; --target" in error
    ok("predict", "m.txt", written(), "-t", "species")


def test_kernels_are_shown_with_few_digits(ok, written):
    ok("convert", written(), "a.npz")
    assert "RBF(gamma=0.0641674)" in ok("train", "a.npz", "-o", "m").out
    assert "RBF(gamma=0.0641674)" in ok("info", "m").out


def test_a_column_without_values_is_named(ok, fails, tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("a,b,c\n" + "".join(f"{k},,{'xy'[k % 2]}\n" for k in range(8)))
    for options in ((), ("--missing", "fill"), ("--missing", "drop")):
        assert "column 'b' has no value at all; leave it out with --drop 'b'" in fails(
            3, "train", path, *options
        )
    assert not ok("train", path, "--drop", "b").err


def test_predictions_are_given_no_advice_that_is_for_training(ok, fails, tmp_path):
    rows = "".join(f"{k % 5},{k % 3},{'xy'[k % 2]}\n" for k in range(20))
    (tmp_path / "t.csv").write_text(f"a,b,c\n{rows},1,x\n")
    (tmp_path / "words.csv").write_text("a,b\n1,2\nunknown,3\n")
    (tmp_path / "large.csv").write_text("a,b\n1,2\ninf,3\n")
    ok("train", "t.csv", "--missing", "fill", "-o", "fills.maxmargin")
    ok("train", "t.csv", "--missing", "drop", "-o", "does-not.maxmargin")
    # What is advised is what helps.
    told = fails(3, "predict", "fills.maxmargin", "words.csv")
    assert told.endswith("if that stands for a missing value, give --na 'unknown'")
    ok("predict", "fills.maxmargin", "words.csv", "--na", "unknown")
    told = fails(3, "predict", "fills.maxmargin", "large.csv")
    assert told.endswith("correct it, or give --na inf --na -inf")
    ok("predict", "fills.maxmargin", "large.csv", "--na", "inf", "--na", "-inf")
    told = fails(3, "predict", "does-not.maxmargin", "words.csv")
    assert told.endswith("--na 'unknown' and train the model again with --missing fill")
    told = fails(3, "predict", "does-not.maxmargin", "large.csv")
    assert told.endswith("in row 2; correct it")


def test_several_missing_columns_are_several(ok, fails, written, tmp_path):
    ok("train", written(), "-o", "m.maxmargin")
    (tmp_path / "other.csv").write_text("u,v\n1,2\n")
    told = fails(3, "predict", "m.maxmargin", "other.csv")
    assert "the model needs the columns 'sepal length', " in told
    assert ", which are not there" in told


def test_a_class_of_one_row_cannot_be_left_out(ok, fails, tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("a,c\n" + "".join(f"{k * k % 31},{'xy'[k == 3]}\n" for k in range(30)))
    for option in ("--auto", "--folds=3"):
        told = fails(3, "train", path, option, "-o", "m.maxmargin")
        assert "class y has 1 row" in told
        assert f"do without {option.partition('=')[0]}" in told
        assert not (tmp_path / "m.maxmargin").exists()
    ok("train", path)


def test_the_mark_of_utf_16_is_known(ok, fails, tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("a,c\n1,x\n2,y\n3,x\n", encoding="utf-16")
    assert "begins as UTF-16 does" in (told := fails(3, "train", path))
    assert told.endswith("(option --encoding)")
    ok("train", path, "--encoding", "utf-16")


@pytest.mark.parametrize("form", ["${:,.2f}", "{:.2f} €", "£{:.0f}"])
def test_signs_of_currencies_are_no_names(fails, tmp_path, form):
    rng = np.random.default_rng(0)
    rows = [f'"{form.format(v)}",{"xy"[v > 3e4]}\n' for v in rng.lognormal(10.5, 0.5, 60).tolist()]
    (tmp_path / "t.csv").write_text("income,c\n" + "".join(rows))
    told = fails(3, "train", "t.csv")
    assert "column 'income' has " in told
    assert told.endswith("take the signs away in the file")
