"""Long runs: callbacks, time limits, Ctrl-C, other threads, traces and checkpoints."""

import json
import os
import signal
import subprocess
import sys
import threading
import time

import numpy as np
import pytest

import idealparent as ip


@pytest.fixture(scope="module")
def large():
    """A table from which learning takes seconds."""
    rng = np.random.default_rng(0)
    values = rng.normal(size=(300, 60))
    for j in range(1, 60):
        for i in rng.choice(j, size=min(j, 3), replace=False):
            values[:, j] += np.tanh(values[:, i])
    return values


def test_callbacks_receive_every_step(chain):
    steps = []
    net = ip.learn(chain[1], names=chain[0], callback=steps.append)
    assert steps[0]["move"] == "add" and {steps[0]["child"], steps[0]["parent"]} <= set(chain[0])
    assert steps[-1]["score"] == pytest.approx(net.score)
    assert net.info["ending"] == "done"


def test_callbacks_can_stop_a_run(large):
    """The run stops at that step every time. It returns the network of the step, and makes no
    further calls.
    """
    found = []
    for _ in range(3):
        steps = []

        def told(step, steps=steps):
            steps.append(step)
            return np.bool_(len(steps) >= 3)

        stopped = ip.learn(large, cpd="sigmoid", search="hill", callback=told)
        assert stopped.info["ending"] == "stopped" and len(steps) == 3 and len(stopped.edges) == 3
        assert stopped.score == pytest.approx(steps[-1]["score"])
        found.append(stopped)
    assert found[0] == found[1] == found[2]

    def raises(step):
        raise KeyError("mine")

    with pytest.raises(KeyError, match="mine"):
        ip.learn(large, cpd="sigmoid", callback=raises)


def test_time_limits_stop_a_run(large):
    began = time.monotonic()
    with pytest.warns(ip.Note, match="time limit"):
        net = ip.learn(large, cpd="sigmoid", restarts=500, time_limit=1.0)
    assert time.monotonic() - began < 6
    assert net.info["ending"] == "time limit"
    with pytest.raises(ValueError, match="time_limit"):
        ip.learn(large, time_limit=-1.0)
    with pytest.raises(ValueError, match="threads"):
        ip.learn(large, threads=0)


def test_other_threads_keep_running(large):
    ticks = []
    done = threading.Event()

    def tick():
        while not done.is_set():
            ticks.append(time.monotonic())
            time.sleep(0.01)

    other = threading.Thread(target=tick)
    other.start()
    with pytest.warns(ip.Note):
        ip.learn(large, cpd="sigmoid", restarts=500, time_limit=1.5)
    done.set()
    other.join()
    # The other thread never had to wait for long.
    assert len(ticks) > 30 and max(np.diff(ticks)) < 1.0


def test_learning_works_in_a_thread(chain):
    found = []
    worker = threading.Thread(target=lambda: found.append(ip.learn(chain[1], names=chain[0])))
    worker.start()
    worker.join()
    assert found[0] == ip.learn(chain[1], names=chain[0])


PROGRAM = """
import numpy as np, sys, time
import idealparent as ip
rng = np.random.default_rng(0)
values = rng.normal(size=(400, 80))
for j in range(1, 80):
    for i in rng.choice(j, size=min(j, 3), replace=False):
        values[:, j] += np.tanh(values[:, i])
if sys.argv[1] == "holes":
    values[rng.random(values.shape) < 0.1] = np.nan
print("ready", flush=True)
try:
    if sys.argv[1] == "bootstrap":
        ip.bootstrap(values, 100000, cpd="sigmoid")
    elif sys.argv[1] == "threads":
        from concurrent.futures import ThreadPoolExecutor
        with ThreadPoolExecutor(2) as engine:
            ip.bootstrap(values, 100000, cpd="sigmoid", restarts=100000, executor=engine)
    elif sys.argv[1] in ("fit", "impute", "log_likelihoods"):
        few = [(f"X{j - 1}", f"X{j}") for j in range(2, 81)]
        whole = ip.fit(few, values, cpd="sigmoid")
        values = np.tile(values, (40, 1))
        values[rng.random(values.shape) < 0.3] = np.nan
        print("set", flush=True)
        if sys.argv[1] == "fit":
            ip.fit(few, values, cpd="sigmoid")
        else:
            getattr(whole, sys.argv[1])(values, **({"draws": 200} if sys.argv[1] == "impute" else {}))
    else:
        ip.learn(values, cpd="sigmoid", restarts=100000)
except KeyboardInterrupt:
    print("interrupted", flush=True)
    time.sleep(0.1)
"""


@pytest.mark.parametrize("what", ["learn", "holes", "bootstrap", "threads", "fit", "impute", "log_likelihoods"])
def test_ctrl_c_interrupts_every_call(what):
    program = subprocess.Popen([sys.executable, "-c", PROGRAM, what], stdout=subprocess.PIPE, text=True)
    try:
        assert program.stdout.readline() == "ready\n"
        if what in ("fit", "impute", "log_likelihoods"):
            assert program.stdout.readline() == "set\n"
        time.sleep(2.0)
        os.kill(program.pid, signal.SIGINT)
        began = time.monotonic()
        assert program.stdout.readline() == "interrupted\n"
        # This should take a second. A busy machine may take a little longer.
        assert time.monotonic() - began < 3.0
        assert program.wait(10) == 0
    finally:
        program.kill()


def test_traces_are_written(chain, tmp_path):
    ip.learn(chain[1], names=chain[0], trace=tmp_path / "trace.jsonl")
    lines = [json.loads(line) for line in (tmp_path / "trace.jsonl").read_text().splitlines()]
    assert lines and set(lines[0]) == {"step", "move", "child", "parent", "replaced", "delta", "score", "evaluations"}


def test_stopped_runs_resume_from_a_checkpoint(large, tmp_path):
    path = tmp_path / "checkpoint"
    options = {"cpd": "sigmoid", "restarts": 2, "search": "hill"}
    whole = ip.learn(large, **options)
    part = ip.learn(large, **options, checkpoint=path, callback=lambda step: step["step"] >= 40)
    assert part.info["ending"] == "stopped" and path.exists()
    assert ip.learn(large, **options, checkpoint=path, resume=True) == whole
    with pytest.raises(ValueError, match="different data"):
        ip.learn(large[:-1], **options, checkpoint=path, resume=True)
    with pytest.raises(ValueError, match="resume needs checkpoint"):
        ip.learn(large, resume=True)
    note = tmp_path / "diary.txt"
    note.write_text("dear diary")
    with pytest.raises(ValueError, match="it would be overwritten"):
        ip.learn(large, **options, checkpoint=note)
    assert note.read_text() == "dear diary"


def test_progress_bars_are_shown(chain, capsys):
    assert ip.learn(chain[1], progress=True) == ip.learn(chain[1], progress=False)
    assert "idealparent" in capsys.readouterr().err
    ip.bootstrap(chain[1], 5, progress=True)
    assert "bootstrap" in capsys.readouterr().err


def test_the_number_of_threads_does_not_change_the_network(large):
    assert ip.learn(large, cpd="sigmoid", threads=1) == ip.learn(large, cpd="sigmoid", threads=3)


FORKED = """
import multiprocessing, sys
import idealparent as ip
cells = ip.example("sachs")
net = ip.learn(cells)
calls = [
    lambda: net.log_likelihood(cells), lambda: net.log_likelihoods(cells).sum(), lambda: net.impute(cells).sum().sum(),
    lambda: net.predict(cells, "Raf")["mean"].sum(), lambda: net.sample(50).sum().sum(), lambda: ip.learn(cells).score,
    lambda: ip.rank_parents(cells, "Raf")["delta"][0], lambda: ip.fit(net, cells).score,
]
here = [call() for call in calls]

def work(pipe):
    pipe.send([call() for call in calls])

context = multiprocessing.get_context("fork")
for _ in range(2):
    ours, theirs = context.Pipe()
    child = context.Process(target=work, args=(theirs,))
    child.start()
    assert ours.poll(60), "no answer"
    assert ours.recv() == here
    child.join()
"""


def test_forked_processes_do_not_hang():
    """A forked process does not have the threads of its parent."""
    found = subprocess.run([sys.executable, "-W", "ignore", "-c", FORKED], capture_output=True, text=True, timeout=150, check=False)
    assert found.returncode == 0, found.stderr
