"""Runs that are killed and go on."""

import os
import random
import signal
import subprocess
import time

import pytest

from common import COMMAND, data_file, idealparent

STRESS = "gasch2000_yeast_stress"
TIMES = 20


@pytest.fixture(scope="module")
def words():
    """Learning sigmoid networks of yeast genes, which takes some seconds."""
    table = data_file(STRESS, "gasch2000_complete.tsv.gz")
    genes = data_file(STRESS, "aa_rebuild_nomiss.txt")
    data = ["learn", table, "--transpose", "--variables", genes, "--cpd", "sigmoid", "--quiet"]
    return list(map(str, data))


def killed(arguments, seconds):
    """Starts the command and kills it after a while; whether it was still running."""
    process = subprocess.Popen([COMMAND, *arguments], stdin=subprocess.DEVNULL)
    try:
        process.wait(timeout=seconds)
    except subprocess.TimeoutExpired:
        os.kill(process.pid, signal.SIGKILL)
        process.wait()
        return True
    assert process.returncode == 0
    return False


@pytest.mark.parametrize("search", ["auto", "tabu"])
def test_killed_again_and_again(words, search, tmp_path):
    words = [*words, "--score", "bic", "--restarts", "4", "--search", search]
    whole = tmp_path / "whole.json"
    began = time.monotonic()
    idealparent(*words, "-o", whole)
    took = time.monotonic() - began

    network, state = tmp_path / "net.json", tmp_path / "state.json"
    again = [*words, "-o", str(network), "--checkpoint", str(state), "--checkpoint-every", "0.02", "--resume"]
    generator = random.Random(1)
    kills = 0
    while kills < TIMES:
        # Begun anew when it got to the end: it must be killed twenty times.
        if not killed(again, generator.uniform(0.02, 2.5 * took / TIMES)):
            assert network.read_bytes() == whole.read_bytes()
            state.unlink()
            continue
        kills += 1
        assert not network.exists() or network.read_bytes() == whole.read_bytes()
    idealparent(*again)
    assert network.read_bytes() == whole.read_bytes()
    # The checkpoint of a finished run ends at once, at the same network.
    network.unlink()
    began = time.monotonic()
    idealparent(*again)
    assert network.read_bytes() == whole.read_bytes()


def test_a_time_limit_is_no_end(words, tmp_path):
    words = [*words, "--search", "anneal"]
    whole = tmp_path / "whole.json"
    idealparent(*words, "-o", whole)
    network, state = tmp_path / "net.json", tmp_path / "state.json"
    again = [*words, "-o", network, "--checkpoint", state, "--resume"]
    for run in range(60):
        # Longer every time: going on costs a moment, on a slow machine a long one.
        idealparent(*again, "--time-limit", 0.2 * (run + 1))
        if network.read_bytes() == whole.read_bytes():
            return
    pytest.fail("sixty runs did not get to the end")


def test_other_data_and_options_are_refused(tmp_path):
    state = tmp_path / "state.json"
    first = ["learn", "--example", "sachs", "--quiet", "--checkpoint", state]
    idealparent(*first)

    def refused(*arguments):
        result = idealparent("learn", "--checkpoint", state, "--resume", *arguments, ok=False)
        assert result.returncode == 1, result
        assert result.stderr.count("\n") == 1 and "different data or options" in result.stderr
        return result

    refused("--example", "ecoli70")
    refused("--example", "sachs", "--score", "bic")
    refused("--example", "sachs", "--seed", "7")
    refused("--example", "sachs", "--search", "tabu")
    state.write_text("{}")
    result = idealparent(*first, "--resume", ok=False)
    assert result.returncode == 1
    assert result.stderr == f"error: {state}: this is not a checkpoint file\n"
    result = idealparent("learn", "--example", "sachs", "--resume", ok=False)
    assert result.returncode == 2 and result.stderr.count("\n") == 1
