"""What is fuzzed: functions of bytes that refuse what makes no sense, and do nothing else to it."""

import io
import json
import tempfile
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import numpy as np
from scipy import sparse
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from fuzz import machines
from maxmargin import SVC, FileError, OneClassSVM, load
from maxmargin.data.files import DataFile, Format, read_libsvm
from maxmargin.storage import container, read_liblinear_model, read_libsvm_model
from maxmargin.storage.registry import REGISTRY
from maxmargin.storage.tree import Encoder

FOLDER = Path(tempfile.mkdtemp(prefix="fuzz-"))


def through_file(read: Callable[[Path], object]) -> Callable[[bytes], None]:
    """Hand bytes to a reader of files."""

    def run(content: bytes) -> None:
        path = FOLDER / "input"
        path.write_bytes(content)
        with suppress(FileError):
            read(path)

    return run


def read_signed(content: bytes) -> None:
    """Load a model whose header is forged but whose checksum is right."""
    text, _, raw = content.partition(b"\0")
    try:
        header = json.loads(text)
        slots = header.pop("arrays")
    except (ValueError, KeyError, AttributeError, RecursionError, TypeError):
        return
    arrays, begin = [], 0
    try:
        for slot in container.read_slots({"arrays": slots}, "input"):
            part = raw[begin : begin + slot.n_bytes].ljust(min(slot.n_bytes, 10_000), b"\0")
            arrays.append(np.frombuffer(part, slot.dtype).reshape(slot.shape))
            begin += slot.n_bytes
        stream = io.BytesIO()
        container.write(stream, header, arrays)
    except (FileError, ValueError):
        return
    path = FOLDER / "signed"
    path.write_bytes(stream.getvalue())
    with suppress(FileError):
        model = load(path)
        # A model that is accepted may refuse rows, but with an exception.
        with suppress(Exception):
            model.predict(np.zeros((2, 2)))


def signed_seeds() -> list[bytes]:
    """Headers and arrays of small models."""
    X, y = np.array([[0.0, 1.0], [1.0, 0.0], [2.0, 2.0]]), [0, 1, 2]
    models = [
        SVC().fit(X, y),
        SVC(kernel="poly").fit(sparse.csr_array(X), y),
        OneClassSVM().fit(X),
        make_pipeline(StandardScaler(), SVC()).fit(X, y),
    ]
    seeds = []
    for model in models:
        encoder = Encoder(REGISTRY)
        header = {"notes": {}, "scikit-learn": "", "model": encoder.encode(model, "model")}
        header["arrays"] = [{"dtype": a.dtype.str, "shape": list(a.shape)} for a in encoder.arrays]
        raw = b"".join(array.tobytes() for array in encoder.arrays)
        seeds.append(json.dumps(header).encode() + b"\0" + raw)
    return seeds


LIBSVM_MODEL = b"""svm_type c_svc
kernel_type rbf
gamma 0.5
nr_class 3
total_sv 3
rho 0.25 0 1
label 1 -1 2
nr_sv 1 1 1
SV
0.5 1 1:1 3:2
-0.5 1 2:1
1 2 1:1
"""
LIBLINEAR_MODEL = b"""solver_type L2R_LR
nr_class 3
label 1 2 3
nr_feature 2
bias 1
w
1 2 3
4 5 6
7 8 9
"""


def archive() -> bytes:
    """Return a small NPZ."""
    stream = io.BytesIO()
    np.savez(stream, X=np.eye(2), y=[0, 1])
    return stream.getvalue()


#: Name: what to run, and what to begin with.
TARGETS: dict[str, tuple[Callable[[bytes], None], list[bytes]]] = {
    "libsvm-text": (
        through_file(read_libsvm),
        [b"+1 qid:3 1:0.5 7:-2e3 # note\r\n-1 qid:4 3:4\n", b"1 0:1 2147483646:1e308\n"],
    ),
    "libsvm-model": (through_file(read_libsvm_model), [LIBSVM_MODEL]),
    "liblinear-model": (through_file(read_liblinear_model), [LIBLINEAR_MODEL]),
    "model": (through_file(load), [b"\x89mxmg\r\n\x1a" + bytes(80)]),
    "signed-model": (read_signed, signed_seeds()),
    "npz": (through_file(lambda path: DataFile(path, Format.NPZ).read()), [archive()]),
    "csv": (
        through_file(lambda path: DataFile(path, Format.CSV, target="-1").read()),
        [b"a,b,c\n1,x,0\n2,,1\n", b'"a","b"\n1,2\n'],
    ),
    "machines": (machines.run, [bytes([k]) + bytes(range(0, 250, k + 1)) for k in range(11)]),
    "writers": (machines.run_writers, [bytes([k]) + bytes(range(0, 90, 2)) for k in range(11)]),
}
