"""Runs that are killed or stopped can be resumed."""

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
    """Arguments to learn a sigmoid network of yeast genes, which takes some seconds."""
    table = data_file(STRESS, "gasch2000_complete.tsv.gz")
    genes = data_file(STRESS, "aa_rebuild_nomiss.txt")
    data = ["learn", table, "--transpose", "--variables", genes, "--cpd", "sigmoid", "--quiet"]
    return list(map(str, data))


def killed(arguments, seconds):
    """Starts the command and kills it after some time; returns whether it was still running."""
    process = subprocess.Popen([COMMAND, *arguments], stdin=subprocess.DEVNULL)
    try:
        process.wait(timeout=seconds)
    except subprocess.TimeoutExpired:
        os.kill(process.pid, signal.SIGKILL)
        process.wait()
        return True
    assert process.returncode == 0
    return False


@pytest.mark.parametrize("search", [pytest.param("auto", marks=pytest.mark.slow), "tabu"])
def test_a_run_killed_twenty_times_gives_the_same_network(words, search, tmp_path):
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
        # A run that finished is started again, since it must be killed twenty times.
        if not killed(again, generator.uniform(0.02, 2.5 * took / TIMES)):
            assert network.read_bytes() == whole.read_bytes()
            state.unlink()
            continue
        kills += 1
        assert not network.exists() or network.read_bytes() == whole.read_bytes()
    idealparent(*again)
    assert network.read_bytes() == whole.read_bytes()
    # A run resumed from the checkpoint of a finished run gives the same network at once.
    network.unlink()
    began = time.monotonic()
    idealparent(*again)
    assert network.read_bytes() == whole.read_bytes()


@pytest.mark.slow
def test_a_run_stopped_by_time_limits_reaches_the_same_network(words, tmp_path):
    words = [*words, "--search", "anneal"]
    whole = tmp_path / "whole.json"
    idealparent(*words, "-o", whole)
    network, state = tmp_path / "net.json", tmp_path / "state.json"
    again = [*words, "-o", network, "--checkpoint", state, "--resume"]
    for run in range(60):
        # The limit grows, because resuming takes some time, especially on a slow machine.
        idealparent(*again, "--time-limit", 0.2 * (run + 1))
        if network.read_bytes() == whole.read_bytes():
            return
    pytest.fail("sixty runs did not finish")


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
