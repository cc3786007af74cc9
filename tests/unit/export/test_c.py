"""C files say what the models say, compiled without warnings and run under sanitizers."""

import re
import shutil
import subprocess
import tempfile

import numpy as np
import pytest
from scipy.sparse import csr_array
from sklearn.decomposition import PCA
from sklearn.exceptions import NotFittedError
from sklearn.impute import SimpleImputer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from exported import KERNELS, assert_same, data, expected, fitted
from maxmargin import SVC, SVR, OneClassSVM
from maxmargin.export import ExportError, to_c
from maxmargin.storage import read_libsvm_model, write_libsvm_model

FLAGS = ["-std=c99", "-Wall", "-Wextra", "-Werror", "-pedantic"]
SANITIZED = ["-g", "-fsanitize=address,undefined", "-fno-sanitize-recover=all"]


def missing(compiler):
    """What is not installed of a compiler, if anything."""
    if not shutil.which(compiler):
        return f"{compiler} is not installed"
    with tempfile.TemporaryDirectory() as folder:
        command = [compiler, *SANITIZED, "-x", "c", "-", "-o", f"{folder}/program"]
        program = b"int main(void) { return 0; }"
        done = subprocess.run(command, input=program, capture_output=True, check=False)
    return f"{compiler} has no sanitizers here" if done.returncode else ""


COMPILERS = [
    pytest.param(name, marks=pytest.mark.skipif(bool(missing(name)), reason=missing(name)))
    for name in ("gcc", "clang")
]
#: Every kernel, and machines that differ in what follows it.
LAST = ["sigmoids", "venn_abers", "coupled", "softmax", "raw", "one_class", "linear_svc", "svr"]
CHOSEN = {
    "float64": [*KERNELS, *LAST, "ties", "pairs"],
    "float32": ["rbf", "composed", "cosine", "matern_half", *LAST],
}
#: Reads rows from NAME.in and writes what the functions give, as doubles, to NAME.out.
MODEL = """
static int run_NAME(void) {
    FILE *in = fopen("NAME.in", "rb"), *out = fopen("NAME.out", "wb");
    NAME_real x[CAPITAL_N_FEATURES];
    if (in == NULL || out == NULL) return 1;
    while (fread(x, sizeof x, 1, in) == 1) {
        WRITE
    }
    return fclose(in) + fclose(out);
}
"""
VALUES = """{
            NAME_real values[COUNT];
            int j;
            NAME_FUNCTION(x, values);
            for (j = 0; j < COUNT; ++j) {
                const double value = values[j];
                fwrite(&value, sizeof value, 1, out);
            }
        }"""


class Program:
    """A program that evaluates exported models at rows."""

    def __init__(self, folder, dtype):
        self.folder, self.dtype, self.models, self.reports = folder, dtype, {}, {}

    def add(self, name, model, rows, **options):
        rows = np.ascontiguousarray(rows.astype(self.dtype))
        self.reports[name] = to_c(model, self.folder / f"{name}.c", dtype=self.dtype, **options)
        rows.tofile(self.folder / f"{name}.in")
        self.models[name] = model, rows

    def run(self, compiler="gcc", flags=SANITIZED):
        sources = [f"{name}.c" for name in self.models]
        (self.folder / "main.c").write_text(self._main())
        command = [compiler, *FLAGS, *flags, "-o", "program", "main.c", *sources, "-lm"]
        subprocess.run(command, cwd=self.folder, check=True)
        subprocess.run(["./program"], cwd=self.folder, check=True)
        return {name: self._found(name) for name in self.models}

    def _main(self):
        parts = ["#include <stdio.h>\n"]
        for name in self.models:
            header = (self.folder / f"{name}.h").read_text()
            write = (
                f"const double value = {name}_predict(x);"
                "\n        fwrite(&value, sizeof value, 1, out);"
            )
            for function, count in (("decision", "DECISIONS"), ("probabilities", "CLASSES")):
                if f"{name}_{function}(" in header:
                    values = VALUES.replace("COUNT", f"CAPITAL_N_{count}")
                    write += "\n        " + values.replace("FUNCTION", function)
            text = MODEL.replace("WRITE", write).replace("CAPITAL", name.upper())
            parts += [f'#include "{name}.h"\n', text.replace("NAME", name)]
        calls = " + ".join(f"run_{name}()" for name in self.models)
        return "".join([*parts, f"int main(void) {{ return {calls}; }}\n"])

    def _found(self, name):
        """What the functions gave, by the names of the results and in their shapes."""
        model, rows = self.models[name]
        table = np.fromfile(self.folder / f"{name}.out").reshape(len(rows), -1)
        wanted = expected(model, rows.astype(np.float64))
        if "prediction" in wanted:
            return {"prediction": table[:, 0]}
        labels = np.asarray(getattr(model, "classes_", [-1, 1]))
        found = {"label": labels[table[:, 0].astype(int)]}
        begin = 1
        for key in list(wanted)[1:]:
            width = wanted[key][0].size
            found[key] = table[:, begin : begin + width].reshape(wanted[key].shape)
            begin += width
        return found


@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize("compiler", COMPILERS)
def test_the_program_says_what_the_models_say(compiler, dtype, tmp_path):
    program = Program(tmp_path, dtype)
    for name in CHOSEN[dtype]:
        model, X = fitted(name)
        program.add(name, model, X[::3])
    constant = SVR().fit(np.arange(9.0).reshape(3, 3), np.ones(3))
    assert len(constant.support_) == 0
    program.add("constant_value", constant, np.ones((2, 3)))
    filled = make_pipeline(SimpleImputer(), StandardScaler(), SVC())
    X, y = data("iris")
    program.add("filled", filled.fit(X, y), X)
    # Rows of the boundary, which are inside.
    grid = np.random.default_rng(0).integers(0, 9, (200, 3)).astype(float)
    program.add("boundary", OneClassSVM(nu=0.3, gamma=0.05).fit(grid), grid)
    for name, found in program.run(compiler).items():
        model, rows = program.models[name]
        if name == "venn_abers" and dtype == "float32":
            same = np.isclose(found["probabilities"], model.predict_proba(rows), atol=1e-5)
            assert same.mean() > 0.99
            found["probabilities"] = model.predict_proba(rows)
        assert_same(found, model, rows, dtype)
    _check_reports(program, tmp_path)


def _check_reports(program, folder):
    """Sizes are those of the files, and of what the compiler makes of the tables."""
    for name, report in program.reports.items():
        sizes = [(folder / f"{name}{suffix}").stat().st_size for suffix in (".c", ".h")]
        assert report.file_bytes == sum(sizes)
        assert "malloc" not in (folder / f"{name}.c").read_text()
    if shutil.which("size") and program.dtype == "float64":
        subprocess.run(["gcc", *FLAGS, "-c", "raw.c"], cwd=folder, check=True)
        output = subprocess.run(
            ["size", "-A", "raw.o"], cwd=folder, check=True, capture_output=True, text=True
        ).stdout
        tables = sum(int(size) for size in re.findall(r"^\.rodata\S*\s+(\d+)", output, re.M))
        assert tables == pytest.approx(program.reports["raw"].table_bytes, rel=0.01)


def test_labels_are_those_of_the_model(tmp_path):
    model, _ = fitted("rbf")
    to_c(model, tmp_path / "wine.c")
    main = '#include <stdio.h>\n#include "wine.h"\nint main(void) { int k;'
    main += 'for (k = 0; k < WINE_N_CLASSES; ++k) printf("%s\\n", wine_labels[k]); return 0; }'
    (tmp_path / "main.c").write_text(main)
    command = ["gcc", *FLAGS, "-o", "program", "main.c", "wine.c", "-lm"]
    subprocess.run(command, cwd=tmp_path, check=True)
    out = subprocess.run(["./program"], cwd=tmp_path, capture_output=True, check=True).stdout
    assert out.decode().splitlines() == model.classes_.tolist()


def test_ties_are_decided_in_the_order_of_libsvm(tmp_path):
    # Pairs whose outputs are constants: all zero, so that every vote is a tie.
    X, y = np.ones((6, 1)), np.array([5, 5, 3, 3, 4, 4])
    write_libsvm_model(SVC(kernel="linear").fit(X, y), tmp_path / "text")
    text = (tmp_path / "text").read_text()
    (tmp_path / "text").write_text(text.replace("label 3 4 5", "label 5 3 4"))
    model = read_libsvm_model(tmp_path / "text")
    assert model.model_.classes.precedence is not None
    to_c(model, tmp_path / "tie.c")
    main = '#include <stdio.h>\n#include "tie.h"\nint main(void) { const tie_real x[1] = {1};'
    main += 'printf("%lld", tie_labels[tie_predict(x)]); return 0; }'
    (tmp_path / "main.c").write_text(main)
    command = ["gcc", *FLAGS, "-o", "program", "main.c", "tie.c", "-lm"]
    subprocess.run(command, cwd=tmp_path, check=True)
    out = subprocess.run(["./program"], cwd=tmp_path, capture_output=True, check=True).stdout
    assert int(out) == model.predict(csr_array(np.ones((1, 1))))[0]


@pytest.mark.parametrize(
    ("model", "words"),
    [
        (SVC(kernel=lambda X, Z: X @ Z.T), "kernel <lambda> is a function written in Python"),
        (make_pipeline(PCA(2), SVC()), "step 'pca' is a PCA, which has no form in C.*ONNX"),
        (make_pipeline(SimpleImputer(add_indicator=True), SVC()), "step 'simpleimputer'"),
    ],
)
def test_errors_name_the_part_and_nothing_is_written(model, words, tmp_path):
    model.fit(*data("iris"))
    with pytest.raises(ExportError, match=words):
        to_c(model, tmp_path / "m.c")
    assert list(tmp_path.iterdir()) == []


def test_numbers_that_float_does_not_have(tmp_path):
    model = SVC(kernel="cosine").fit([[1e200, 0.0], [0.0, 1e200]], [0, 1])
    to_c(model, tmp_path / "m.c", name="big")
    with pytest.raises(ExportError, match="beyond the range of float32"):
        to_c(model, tmp_path / "n.c", dtype="float32")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["m.c", "m.h"]


@pytest.mark.parametrize(
    ("path", "options", "error", "words"),
    [
        ("m.txt", {}, ValueError, "must end in .c or .h"),
        ("nowhere/m.c", {}, FileNotFoundError, "nowhere"),
        ("m.c", {"name": "for"}, ValueError, "a name of C"),
        ("m.c", {"name": "a-b"}, ValueError, "a name of C"),
        ("m.c", {"dtype": "int8"}, ValueError, "dtype is 'int8'"),
        ("m.c", {"compress": 0}, ValueError, "compress is 0"),
    ],
)
def test_what_cannot_be(path, options, error, words, tmp_path):
    model, _ = fitted("rbf")
    with pytest.raises(error, match=words):
        to_c(model, tmp_path / path, **options)
    assert list(tmp_path.iterdir()) == []


def test_a_model_that_is_not_fitted(tmp_path):
    with pytest.raises(NotFittedError):
        to_c(SVC(), tmp_path / "m.c")


@pytest.mark.parametrize(
    ("file", "prefix"), [("2 models-of.c", "m_2_models_of"), ("int.c", "int_model"), ("é.h", "_")]
)
def test_names_of_files_become_names_of_c(file, prefix, tmp_path):
    model, _ = fitted("perceptron")
    report = to_c(model, tmp_path / file)
    assert f"int {prefix}_predict" in report.paths[1].read_text()
