"""Full disks, pipes, closed streams and odd names: one line, the right status, nothing half."""

import io
import os
import resource
import signal
import subprocess
import sys
import threading
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest

from instances import blobs
from maxmargin import load
from maxmargin.cli import streams
from maxmargin.data.files import FileError, write_libsvm
from shell import COMMAND

#: Calls that write files, whose names begin with "out".
WRITERS = [
    "train shop.csv -o out",
    "svm-train rows.libsvm out",
    "predict model shop.csv -o out",
    "predict model shop.csv -o out.csv.gz",
    "svm-predict rows.libsvm text out",
    "scale shop.csv -o out.csv --drop city,member",
    "scale shop.csv --drop city,member --save out",
    "convert shop.csv out.csv",
    "convert shop.csv out.parquet",
    "convert rows.libsvm out.libsvm",
    "convert rows.libsvm out.npz",
    "convert model out --to maxmargin",
    "convert text out --to libsvm-model",
    "export model out --to onnx",
    "export text out.c --to c",
    "plot model shop.csv -o out.png",
    "report model shop.csv -o out.html",
    "lab shop.csv --features age,code -o out.html --no-open",
]


@contextmanager
def small_disk(most):
    """Files of this process cannot grow beyond this many bytes."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    handler = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (most, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
        signal.signal(signal.SIGXFSZ, handler)


def there():
    """Return all files of this folder: which they are, and what is in them."""
    return {name: (os.stat(name).st_ino, Path(name).read_bytes()) for name in os.listdir()}


@pytest.mark.usefixtures("sparse_file", "lab_page")
@pytest.mark.parametrize("words", WRITERS)
def test_a_full_disk_leaves_the_old_files_and_no_other(fails, ok, shop, words):
    """Full from the first byte on, and nearly at the end: of the first file, and of the last."""
    ok("train", shop, "-o", "model", "-q")
    ok("svm-train", "rows.libsvm", "text")
    ok(*words.split())
    before = there()
    sizes = [len(content) for name, (_, content) in before.items() if name.startswith("out")]
    for most in {0, min(sizes) * 9 // 10, max(sizes) * 9 // 10}:
        with small_disk(most):
            error = fails(4, *words.split())
        assert "File too large" in error
        assert there() == before


#: What a process is about to do when it is killed.
MOMENTS = {"the file is not on the disk yet": "fsync", "it is about to be renamed": "replace"}
KILLED = """
import os, signal, sys
from maxmargin.cli import main
os.{call} = lambda *_: os.kill(os.getpid(), signal.SIGKILL)
sys.exit(main())
"""


@pytest.mark.parametrize("call", MOMENTS.values(), ids=MOMENTS)
def test_train_that_is_killed_when_it_writes(ok, shop, tmp_path, call):
    ok("train", shop, "-o", "model", "-q")
    before = there()
    again = ["train", shop, "-C", "7", "-o", "model", "-q"]
    killed = [sys.executable, "-c", KILLED.format(call=call), *again]
    done = subprocess.run(killed, cwd=tmp_path, check=False)
    assert done.returncode == -signal.SIGKILL
    left = there()
    assert {name: left.pop(name) for name in before} == before
    assert len(left) == 1
    ok(*again)  # removes what was left
    assert load("model")[-1].C == 7
    assert there().keys() == before.keys()


def test_train_that_is_killed_when_it_fits(ok, shop, tmp_path):
    ok("train", shop, "-o", "model", "-q")
    write_libsvm(tmp_path / "slow", *blobs(6000, d=8, spread=3.0))
    before = there()
    command = subprocess.Popen(
        [*COMMAND, "train", "slow", "-C", "1e6", "-g", "0.02", "-o", "model"],
        cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
    )  # fmt: skip
    with command.stdout:
        for _ in range(2):  # the rows are read
            command.stdout.readline()
        command.kill()
    assert command.wait() == -signal.SIGKILL
    assert there() == before


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
            with suppress(BrokenPipeError), path.open("wb") as stream:
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


@pytest.mark.skipif(not os.path.exists("/dev/urandom"), reason="no such device")
@pytest.mark.parametrize("device", ["/dev/urandom --format libsvm", "/dev/urandom --format csv",
                                    "/dev/urandom", "/dev/zero --format csv"])  # fmt: skip
def test_devices_without_end_are_no_data(fails, device):
    fails(3, "train", *device.split(), "-o", "model")


@pytest.mark.skipif(sys.platform != "linux", reason="RLIMIT_AS and /proc")
def test_rows_without_end_are_too_many(fails, pipe):
    """Where the system refuses memory; where it does not, they are read until it ends."""
    before, page = resource.getrlimit(resource.RLIMIT_AS), resource.getpagesize()
    path = pipe(b"1 1:1 2:3\n" * 10**7)
    size = int(Path("/proc/self/statm").read_text().split()[0]) * page
    resource.setrlimit(resource.RLIMIT_AS, (size + (1 << 28), before[1]))
    try:
        assert "do not fit in memory" in fails(3, "train", path, "-o", "model")
    finally:
        resource.setrlimit(resource.RLIMIT_AS, before)


@pytest.mark.skipif(not os.path.exists("/dev/stdin"), reason="no such device")
def test_standard_input_by_its_name(ok, shop, tmp_path):
    """A pipe, and a file that is read twice: its kind is looked for first."""
    ok("train", shop, "-q", "-o", "model")
    expected = ok("predict", "model", shop).out
    call = [*COMMAND, "train", "/dev/stdin", "--format", "csv", "-q", "-o", "other"]
    with shop.open("rb") as stream:
        for given in ({"input": shop.read_bytes()}, {"stdin": stream}):
            done = subprocess.run(call, cwd=tmp_path, capture_output=True, check=False, **given)
            assert (done.returncode, done.stderr) == (0, b"")
            assert ok("predict", "other", shop).out == expected


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
    quiet = ["sh", "-c", '"$@" >&-', "sh", *COMMAND, "train", shop, "-o", "other", "-q"]
    done = subprocess.run(quiet, cwd=tmp_path, capture_output=True, check=False)
    assert (done.returncode, done.stderr) == (0, b"")


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


@pytest.mark.parametrize("locale", ["C", "C.UTF-8"])
def test_models_and_predictions_do_not_depend_on_the_locale(ok, shop, tmp_path, locale):
    ok("train", shop, "-q", "-o", "here.maxmargin")
    expected = ok("predict", "here.maxmargin", shop).out
    clean = {name: value for name, value in os.environ.items() if not name.startswith("LC_")}
    settings = {**clean, "LC_ALL": locale, "LANG": locale, "PYTHONUTF8": "0"}

    def call(*words):
        return subprocess.run([*COMMAND, *words], cwd=tmp_path, env=settings, capture_output=True,
                              check=True, timeout=60).stdout  # fmt: skip

    call("train", shop, "-q", "-o", "there.maxmargin")
    assert call("predict", "there.maxmargin", shop).decode() == expected


def test_names_that_are_not_utf_8(ok, shop):
    name = os.fsdecode(b"caf\xe9.csv")
    Path(name).write_bytes(shop.read_bytes())
    ok("train", name, "-q", "-o", os.fsdecode(b"\xff.maxmargin"))
    assert ok("predict", os.fsdecode(b"\xff.maxmargin"), name).out.count("\n") == 120
