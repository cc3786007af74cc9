"""No byte of a model file can change unseen, and no forged header does harm."""

import copy
import io
import json
from contextlib import suppress

import numpy as np
import pytest
import sklearn
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from sklearn.base import BaseEstimator
from sklearn.calibration import CalibratedClassifierCV
from sklearn.compose import make_column_transformer
from sklearn.decomposition import PCA, TruncatedSVD
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

from instances import blobs
from maxmargin import SVC, SVR, FileError, HardMarginSVC, OneClassSVM, load
from maxmargin.storage import container, save
from maxmargin.storage.registry import REGISTRY
from maxmargin.storage.tree import Encoder


def examples():
    X, y = blobs(12, d=2, classes=3)
    columns = make_column_transformer(
        (StandardScaler(), [0]), (OneHotEncoder(handle_unknown="ignore"), [1])
    )
    return [
        SVC().fit(X, np.array(["a", "b", "c"])[y]),
        SVC(kernel="poly").fit(sparse.csr_array(X), y),
        HardMarginSVC(gamma=100.0).fit(X, y),
        SVR().fit(X, y),
        OneClassSVM().fit(X),
        make_pipeline(columns, SVC()).fit(np.round(X), y),
        CalibratedClassifierCV(make_pipeline(PCA(1), SVC()), method="isotonic", cv=2).fit(X, y),
        make_pipeline(TfidfVectorizer(), TruncatedSVD(1), SVC()).fit(
            ["a bb", "bb cc"] * 3, [0, 1] * 3
        ),
    ]


EXAMPLES = examples()


@pytest.fixture(scope="module")
def path(tmp_path_factory):
    return tmp_path_factory.mktemp("model") / "file"


@pytest.fixture(scope="module")
def good(path):
    save(OneClassSVM().fit([[0.0], [1.0]]), path)
    return path.read_bytes()


def test_every_flipped_bit_is_detected(good, path):
    for place in range(0, 8 * len(good), 29):  # 29 and 8 have no factor in common
        changed = bytearray(good)
        changed[place // 8] ^= 1 << place % 8
        path.write_bytes(changed)
        with pytest.raises(FileError):
            load(path)


def test_every_cut_and_every_addition_is_detected(good, path):
    for length in range(0, len(good), 7):
        path.write_bytes(good[:length])
        with pytest.raises(FileError):
            load(path)
    path.write_bytes(good + b"\0")
    with pytest.raises(FileError):
        load(path)


def test_a_changed_byte_anywhere_is_detected(good, path):
    rng = np.random.default_rng(0)
    for _ in range(300):
        changed = bytearray(good)
        begin = int(rng.integers(len(good)))
        block = rng.integers(0, 256, int(rng.integers(1, 30)), np.uint8).tobytes()
        changed[begin : begin + len(block)] = block
        if bytes(changed) == good:
            continue
        path.write_bytes(changed)
        with pytest.raises(FileError):
            load(path)


def leaves(node, found):
    """Every place in a tree, as its container and key."""
    items = node.items() if isinstance(node, dict) else enumerate(node)
    for key, part in items:
        found.append((node, key))
        if isinstance(part, dict | list):
            leaves(part, found)
    return found


VALUES = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-3, 3),
    st.sampled_from([2**31, 2**63, -(2**63), 10**30, 1e308, -0.0, "", "nan", "predict", "SVC"]),
    st.floats(allow_nan=False, allow_infinity=False),
    st.just([]),
    st.just({}),
    st.builds(lambda n: {"type": "array", "number": n}, st.integers(0, 12)),
    st.builds(lambda v: {"type": "float", "value": v}, st.sampled_from(["nan", "inf", "x"])),
    st.builds(lambda t: {"type": t, "values": {}, "items": []}, st.sampled_from(["dict", "tuple"])),
)


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.InconsistentVersionWarning")
@settings(max_examples=120)
@given(st.data())
def test_forged_headers_are_refused_or_harmless(path, data):
    model = data.draw(st.sampled_from(EXAMPLES))
    encoder = Encoder(REGISTRY)
    tree = json.loads(json.dumps(encoder.encode(model, "model")))
    header = {"notes": {}, "scikit-learn": sklearn.__version__, "model": tree}
    arrays = [array.copy() for array in encoder.arrays]
    places = leaves(header, [])
    for _ in range(data.draw(st.integers(1, 3))):
        node, key = data.draw(st.sampled_from(places))
        action = data.draw(st.sampled_from(["value", "copy", "remove"]))
        # An earlier change may have taken the place away.
        with suppress(KeyError, IndexError):
            if action == "remove":
                del node[key]
            elif action == "copy":
                other, name = data.draw(st.sampled_from(places))
                node[key] = copy.deepcopy(other[name])
            else:
                node[key] = data.draw(VALUES)
    if data.draw(st.booleans()):
        array = arrays[data.draw(st.integers(0, len(arrays) - 1))].reshape(-1)
        if array.size and array.dtype.kind in "fi":
            array[data.draw(st.integers(0, array.size - 1))] = data.draw(
                st.sampled_from(
                    [-1, 100, 0] if array.dtype.kind == "i" else [np.nan, np.inf, 1e300]
                )
            )
    stream = io.BytesIO()
    container.write(stream, header, arrays)
    path.write_bytes(stream.getvalue())
    try:
        loaded = load(path)
    except FileError:
        return
    # What is accepted is a model: it predicts, or refuses with an error of Python's.
    assert isinstance(loaded, BaseEstimator)
    try:
        predicted = loaded.predict(np.zeros((2, 2)))
    except Exception:
        return
    assert len(predicted) == 2
