"""No file runs code: every loader is given what would, and none does.

Names that would be code in HTML are in the tests of the report and of the lab's page.
"""

import gzip
import io
import pickle
import zipfile
from contextlib import suppress
from pathlib import Path

import numpy as np
import pytest

from maxmargin import load
from maxmargin.data import Chunks
from maxmargin.data.files import DataFile
from maxmargin.storage import inspect, read_liblinear_model, read_libsvm_model


class Payload:
    """What writes a file when a pickle of it is loaded."""

    def __init__(self, target):
        self.target = str(target)

    def __reduce__(self):
        return Path.touch, (Path(self.target),)


def _array(value):
    stream = io.BytesIO()
    np.save(stream, value, allow_pickle=True)
    return stream.getvalue()


def _archive(**members):
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as archive:
        for name, content in members.items():
            archive.writestr(name.replace("__", "/"), content)
    return stream.getvalue()


def payloads(target):
    """Contents that a careless reader would run, or would write elsewhere."""
    code = pickle.dumps(Payload(target))
    objects = _array(np.array([[Payload(target)]], dtype=object))
    yaml = f"!!python/object/apply:pathlib.Path.touch [{target}]\n".encode()
    return {
        "pickle": code,
        "compressed pickle": gzip.compress(code),
        "array of objects": objects,
        "archive of objects": _archive(**{"X.npy": objects, "y.npy": objects}),
        "archive that leaves its folder": _archive(
            **{f"../../../../{target}": b"x", "X.npy": _array(np.eye(2)), "y.npy": code}
        ),
        "YAML": yaml,
        "YAML in a table": b"a,b\n" + b'"' + yaml.strip() + b'",1\n2,3\n',
        "formula in a table": f'a,b\n"=cmd|touch {target}",1\n2,3\n'.encode(),
        "Python": f"__import__('pathlib').Path('{target}').touch()\n".encode(),
    }


LOADERS = {
    "load": load,
    "inspect": inspect,
    "libsvm model": read_libsvm_model,
    "liblinear model": read_liblinear_model,
    "data by content": lambda path: DataFile(path).read(),
    **{
        f"data as {ending}": lambda path, ending=ending: DataFile(
            path.rename(path.with_suffix(f".{ending}"))
        ).read()
        for ending in ("libsvm", "csv", "tsv", "parquet", "npz", "csv.gz")
    },
    "chunks of a text": lambda path: list(Chunks.from_file(path)),
    "chunks of a table": lambda path: list(
        Chunks.from_file(path.rename(path.with_suffix(".csv")), target="b")
    ),
    "chunks of an archive": lambda path: list(Chunks.from_npz(path)),
    "chunks of an array": lambda path: list(Chunks.from_npy(path, path)),
}


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("loader", LOADERS.values(), ids=LOADERS)
def test_nothing_is_run(loader, tmp_path):
    target = tmp_path / "run"
    for content in payloads(target).values():
        path = tmp_path / "file"
        path.write_bytes(content)
        before = {entry.name for entry in tmp_path.iterdir()}
        with suppress(ValueError, OSError):  # a file that is no data, or does not end as it should
            loader(path)
        assert not target.exists()
        assert len({entry.name for entry in tmp_path.iterdir()}) == len(before)
        for entry in tmp_path.iterdir():
            entry.unlink()


def test_the_payload_would_run(tmp_path):
    pickle.loads(pickle.dumps(Payload(tmp_path / "run")))
    assert (tmp_path / "run").exists()
