import os
import signal
import stat

import pytest

from maxmargin.data.files import replacing


def test_an_error_leaves_the_old_file_and_nothing_else(tmp_path):
    path = tmp_path / "file"
    path.write_bytes(b"old")
    with pytest.raises(KeyboardInterrupt), replacing(path) as stream:  # noqa: PT012
        stream.write(b"half of the new")
        raise KeyboardInterrupt
    assert path.read_bytes() == b"old"
    assert list(tmp_path.iterdir()) == [path]


def test_the_new_file_keeps_the_permissions_of_the_old_one(tmp_path):
    path = tmp_path / "file"
    path.write_bytes(b"old")
    path.chmod(0o640)
    with replacing(path) as stream:
        stream.write(b"new")
    assert path.read_bytes() == b"new"
    assert stat.S_IMODE(path.stat().st_mode) == 0o640


def test_a_link_keeps_pointing_to_the_file(tmp_path):
    (tmp_path / "file").write_bytes(b"old")
    (tmp_path / "link").symlink_to("file")
    with replacing(tmp_path / "link") as stream:
        stream.write(b"new")
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "file").read_bytes() == b"new"


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs a full device")
def test_a_full_disk_is_an_error_that_names_the_file():
    with pytest.raises(OSError, match="No space left") as error, replacing("/dev/full") as stream:
        stream.write(b"x" * 100_000)
    assert error.value.filename == "/dev/full"


@pytest.mark.parametrize("path", ["", "missing/file"])
def test_errors_of_the_system_name_what_was_asked_for(tmp_path, path):
    with pytest.raises(OSError) as error, replacing(tmp_path / path):
        pass
    assert error.value.filename == str(tmp_path / path)
    assert list(tmp_path.iterdir()) == []


def parts(folder):
    return sorted(path.name for path in folder.iterdir() if path.name.endswith(".part"))


def test_what_a_killed_process_leaves_is_removed_the_next_time(tmp_path):
    path = tmp_path / "file"
    path.write_bytes(b"old")
    child = os.fork()
    if child == 0:
        with replacing(path) as stream:
            stream.write(b"half of the new" * 10_000)
            stream.flush()
            os.kill(os.getpid(), signal.SIGKILL)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == -signal.SIGKILL
    assert path.read_bytes() == b"old"
    assert len(parts(tmp_path)) == 1
    for name in (".other.01234567.part", ".file.mine.part"):  # not ours to remove
        (tmp_path / name).touch()
    with replacing(path) as stream:
        stream.write(b"new")
    assert path.read_bytes() == b"new"
    assert parts(tmp_path) == [".file.mine.part", ".other.01234567.part"]


def test_two_who_write_the_same_file_do_not_disturb_each_other(tmp_path):
    path = tmp_path / "file"
    with replacing(path) as one:
        one.write(b"one")
        with replacing(path) as other:
            other.write(b"other")
        assert path.read_bytes() == b"other"
    assert path.read_bytes() == b"one"
    assert parts(tmp_path) == []
