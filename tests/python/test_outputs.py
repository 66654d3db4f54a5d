"""Results are written as complete files or not at all. Links, pipes and devices are kept."""

import os
import stat
import subprocess
import threading

import pytest

import common
from common import idealparent

# Functions that write a result to a path.
WRITERS = {
    "learn -o": lambda path: idealparent("learn", "--example", "sachs", "--quiet", "-o", path),
    "learn --trace": lambda path: idealparent("learn", "--example", "sachs", "--quiet", "--trace", path),
    "examples -o": lambda path: idealparent("examples", "sachs", "-o", path),
}


@pytest.fixture(params=WRITERS)
def write(request):
    return WRITERS[request.param]


@pytest.fixture
def wanted(write, tmp_path):
    """The bytes written to an ordinary file."""
    path = tmp_path / "ordinary"
    write(path)
    assert os.listdir(tmp_path) == ["ordinary"], "no temporary file is left"
    content = path.read_bytes()
    path.unlink()
    return content


def test_permissions_are_those_of_any_new_file(write, tmp_path):
    (tmp_path / "other").touch()
    write(tmp_path / "result")
    assert (tmp_path / "result").stat().st_mode == (tmp_path / "other").stat().st_mode


def test_existing_files_are_replaced(write, wanted, tmp_path):
    path = tmp_path / "result"
    path.write_text("something much longer\n" * 10_000)
    write(path)
    assert path.read_bytes() == wanted


def test_links_stay_links(write, wanted, tmp_path):
    (tmp_path / "file").write_text("before")
    for name, target in (("link", "file"), ("dangling", "new")):
        (tmp_path / name).symlink_to(target)
        write(tmp_path / name)
        assert (tmp_path / name).is_symlink()
        assert (tmp_path / target).read_bytes() == wanted


def test_pipes_and_devices_are_written_to(write, wanted, tmp_path):
    """A pipe represents any device. Testing with /dev/null could destroy it."""
    pipe, link = tmp_path / "pipe", tmp_path / "link"
    os.mkfifo(pipe)
    link.symlink_to("pipe")
    for path in (pipe, link):
        found = []
        reader = threading.Thread(target=lambda: found.append(pipe.read_bytes()), daemon=True)
        reader.start()
        write(path)
        assert stat.S_ISFIFO(pipe.stat().st_mode) and link.is_symlink()
        reader.join(timeout=30)
        assert found == [wanted]


def test_a_dash_writes_to_standard_output(write, wanted):
    assert write("-").encode() == wanted


def test_a_missing_folder_is_an_error(tmp_path):
    for option in ("-o", "--trace"):
        path = tmp_path / "nowhere" / "result"
        refused = idealparent("learn", "--example", "sachs", option, path, ok=False)
        assert refused.returncode == 1 and refused.stderr.count("\n") == 1
        assert str(path) in refused.stderr


def test_a_closed_pipe_is_not_an_error(tmp_path):
    words = f"'{common.COMMAND}' examples ecoli70 | head -n 1"
    result = subprocess.run(
        ["bash", "-o", "pipefail", "-c", words], capture_output=True, encoding="utf-8"
    )
    assert result.returncode == 0 and result.stderr == ""
