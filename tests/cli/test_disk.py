"""Full disks, pipes, closed streams and odd names: one line, the right status, nothing half."""

import io
import os
import resource
import signal
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from maxmargin import load
from maxmargin.cli import streams
from maxmargin.data.files import FileError
from shell import COMMAND

#: Verbs that write a file.
WRITERS = {
    "train": ["train", "DATA", "-o", "OUT"],
    "predict": ["predict", "MODEL", "DATA", "-o", "OUT"],
    "scale": ["scale", "DATA", "-o", "OUT", "--drop", "city,member"],
    "convert": ["convert", "DATA", "OUT", "--to", "csv"],
    "convert a model": ["convert", "MODEL", "OUT", "--to", "maxmargin"],
    "export": ["export", "MODEL", "OUT", "--to", "onnx"],
    "plot": ["plot", "MODEL", "DATA", "-o", "OUT"],
    "report": ["report", "MODEL", "DATA", "-o", "OUT"],
}


@pytest.fixture
def small_disk():
    """Files of this process cannot grow beyond 100 bytes."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    handler = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)

    def fill():
        resource.setrlimit(resource.RLIMIT_FSIZE, (100, before[1]))

    yield fill
    resource.setrlimit(resource.RLIMIT_FSIZE, before)
    signal.signal(signal.SIGXFSZ, handler)


@pytest.mark.parametrize("arguments", WRITERS.values(), ids=WRITERS)
def test_a_full_disk_leaves_the_old_file_and_no_other(fails, ok, shop, small_disk, arguments):
    ok("train", shop, "-o", "model", "-q")
    out = Path({"scale": "out.csv", "plot": "out.png"}.get(arguments[0], "out"))
    out.touch()
    there = sorted(os.listdir())
    names = {"DATA": shop, "MODEL": "model", "OUT": out}
    small_disk()
    error = fails(4, *[names.get(word, word) for word in arguments])
    assert "File too large" in error
    assert sorted(os.listdir()) == there
    assert out.read_bytes() == b""


def test_a_folder_that_nobody_can_write(fails, shop):
    assert "/proc/model: " in fails(4, "train", shop, "-o", "/proc/model")


def test_links_that_lead_nowhere(fails, ok, shop):
    os.symlink("loop", "loop")
    os.symlink("gone", "dangling")
    fails(4, "train", "loop", "-o", "model")
    fails(4, "train", shop, "-o", "loop")
    fails(4, "train", "dangling", "-o", "model")
    ok("train", shop, "-q", "-o", "dangling")  # makes the file that it names
    assert load("gone").n_features_in_ == 4


@pytest.fixture
def pipe(tmp_path):
    """A pipe with a name, and a thread that writes into it."""
    path = tmp_path / "pipe"
    os.mkfifo(path)
    writers = []

    def fill(content):
        def write():
            with path.open("wb") as stream:
                stream.write(content)

        writers.append(threading.Thread(target=write, daemon=True))
        writers[-1].start()
        return path

    yield fill
    for writer in writers:
        writer.join(10)


def test_data_from_a_pipe(ok, shop, pipe):
    ok("train", pipe(shop.read_bytes()), "--format", "csv", "-q", "-o", "model")
    ok("train", shop, "-q", "-o", "other")
    assert ok("predict", "model", shop).out == ok("predict", "other", shop).out


def test_a_model_is_not_read_from_a_pipe(fails, shop, tmp_path):
    """It would be opened twice, and the second time nobody writes: it would wait for ever."""
    os.mkfifo(tmp_path / "pipe")
    for arguments in (["predict", "pipe", shop], ["info", "pipe"]):
        assert "pipe: a model is read from a file, not from a pipe" in fails(3, *arguments)
    with pytest.raises(FileError, match="not from a pipe"):
        load(tmp_path / "pipe")


def test_streams_that_are_closed(ok, shop, tmp_path):
    ok("train", shop, "-o", "model", "-q")
    closing = ["sh", "-c", '"$@" info model >&-', "sh", *COMMAND]
    done = subprocess.run(closing, cwd=tmp_path, capture_output=True, check=False)
    assert done.returncode == 4
    assert done.stderr == b"maxmargin: standard output: Bad file descriptor\n"


def test_streams_that_are_missing(monkeypatch):
    for name in ("stdin", "stdout", "stderr"):
        monkeypatch.setattr(sys, name, None)
    streams.complete_streams()
    missing = sys.stdin, sys.stdout, sys.stderr
    monkeypatch.undo()
    with pytest.raises(OSError, match="Bad file descriptor"):
        missing[0].buffer.readinto1(bytearray(1))
    with pytest.raises(OSError, match="Bad file descriptor"):
        missing[1].write("text")
    missing[1].flush()
    assert missing[2].write("an error") == 8
    missing[2].close()


def test_any_text_can_be_written(monkeypatch):
    narrow = io.TextIOWrapper(io.BytesIO(), "ascii")
    monkeypatch.setattr(sys, "stdout", narrow)
    streams.complete_streams()
    print("caf\udce9 é", file=narrow, flush=True)
    monkeypatch.undo()
    assert narrow.buffer.getvalue() == b"caf\\udce9 \\xe9\n"


def test_names_that_are_not_utf_8(ok, shop):
    name = os.fsdecode(b"caf\xe9.csv")
    Path(name).write_bytes(shop.read_bytes())
    ok("train", name, "-q", "-o", os.fsdecode(b"\xff.maxmargin"))
    assert ok("predict", os.fsdecode(b"\xff.maxmargin"), name).out.count("\n") == 120
