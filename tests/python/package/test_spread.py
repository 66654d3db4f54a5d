"""Bootstrap and cross-validation give the same result with every executor."""

import multiprocessing
import os
import signal
import threading
import time
from concurrent.futures import Executor, Future, ProcessPoolExecutor, ThreadPoolExecutor

import numpy as np
import pandas as pd
import pytest

import common
import idealparent as ip
from idealparent import _executor


class Postal(Executor):
    """An executor that pickles everything, like that of MPI, and runs the latest task first."""

    def __init__(self):
        self.letters = []

    def submit(self, task, /, *arguments):
        import pickle

        future = Future()
        self.letters.append((future, pickle.dumps((task, arguments))))
        if len(self.letters) % 7 == 0:
            self.answer()
        threading.Timer(0.05, self.answer).start()
        return future

    def answer(self):
        import pickle

        while self.letters:
            future, letter = self.letters.pop()
            if future.set_running_or_notify_cancel():
                task, arguments = pickle.loads(letter)
                try:
                    future.set_result(task(*arguments))
                except Exception as error:
                    future.set_exception(error)


@pytest.fixture(scope="module")
def frame(chain):
    return pd.DataFrame(chain[1], columns=chain[0])


def test_every_executor_gives_the_same_result(frame):
    options = {"cpd": "sigmoid", "seed": 4}
    wanted = ip.bootstrap(frame, 20, **options)
    assert len(wanted) == 20 and wanted == ip.bootstrap(frame, 20, threads=1, **options)
    with ThreadPoolExecutor(3) as engine:
        assert ip.bootstrap(frame, 20, executor=engine, **options) == wanted
    with ProcessPoolExecutor(2, mp_context=multiprocessing.get_context("spawn")) as engine:
        assert ip.bootstrap(frame, 20, executor=engine, **options) == wanted
        by_folds = ip.cross_validate(frame, "greedy ideal", 3, executor=engine).results
    assert ip.bootstrap(frame, 20, executor=Postal(), **options) == wanted
    here = ip.cross_validate(frame, "greedy ideal", 3).results
    for row in by_folds + here:
        del row["seconds"]
    assert by_folds == here


def test_a_table_is_unpacked_once(frame, monkeypatch):
    opened = []
    unpack = _executor.Table.from_bytes

    class Counting:
        @staticmethod
        def from_bytes(content):
            opened.append(len(content))
            return unpack(content)

    monkeypatch.setattr(_executor, "Table", Counting)
    ip.bootstrap(frame, 10, executor=Postal())
    assert len(opened) == 1


def test_bootstrap_strengths_find_the_true_edges(frame):
    sure = ip.bootstrap(frame, 40).to_pandas()
    always = sure[sure["strength"] == 1.0]
    assert {frozenset(edge) for edge in zip(always["from"], always["to"], strict=True)} == {
        frozenset("AB"),
        frozenset("BC"),
    }
    assert (sure["strength"].drop(always.index) < 0.6).all()


def test_the_averaged_bootstrap_has_the_true_edges(frame):
    sure = ip.bootstrap(frame, 40, gamma=1)
    found = sure.to_pandas()
    assert list(found.columns) == ["from", "to", "strength", "direction"]
    assert found["strength"].iloc[0] == 1.0 and found["strength"].is_monotonic_decreasing
    pairs = {frozenset(edge) for edge in sure.average().edges}
    assert pairs == {frozenset("AB"), frozenset("BC")}
    assert 0.0 <= sure.threshold <= 0.5
    assert sure.averaged_edges(1.0) == []
    with pytest.raises(ValueError, match="threshold"):
        sure.average(1.5)


def test_callbacks_stop_a_bootstrap(frame):
    with pytest.warns(ip.Note, match="stopped after"):
        part = ip.bootstrap(frame, 5000, callback=lambda done: done >= 20)
    assert 20 <= len(part) < 5000
    with ThreadPoolExecutor(2) as engine, pytest.warns(ip.Note, match="stopped after"):
        part = ip.bootstrap(frame, 5000, executor=engine, callback=lambda done: done >= 20)
    assert 20 <= len(part) < 5000
    with pytest.raises(ValueError, match="n must be at least 1"):
        ip.bootstrap(frame, 0)
    with pytest.raises(ValueError, match="score: 'none' is not one of"):
        ip.bootstrap(frame, 5, executor=Postal(), score="none")


def test_replicates_that_fail_are_left_out(frame):
    data = frame.assign(E=[1.0] + [0.0] * (len(frame) - 1))
    with pytest.warns(ip.Note, match="no network could be learned"):
        here = ip.bootstrap(data, 20, require=[("A", "E")])
    with pytest.warns(ip.Note, match="no network could be learned"):
        there = ip.bootstrap(data, 20, require=[("A", "E")], executor=Postal())
    assert here == there and 0 < len(here) < 20


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_a_cluster_that_loses_a_worker_gives_the_same_result():
    """Two processes of a Dask cluster. In a second run one of them is killed."""
    distributed = pytest.importorskip("distributed")
    source = common.data_file("gasch2000_yeast_stress", "aa_rebuild_nomiss.txt")
    options = {"cpd": "sigmoid", "search": "hill", "seed": 1}
    names = pd.read_csv(source, header=None)[0].astype(str).tolist()
    table = pd.read_csv(common.data_file("gasch2000_yeast_stress", "gasch2000_complete.tsv.gz"), sep="\t", index_col=0)
    genes = table.loc[[name for name in names if name in table.index]].T
    wanted = ip.bootstrap(genes, 100, **options)
    with (
        distributed.LocalCluster(n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None) as cluster,
        distributed.Client(cluster) as client,
    ):
        with client.get_executor() as engine:
            assert ip.bootstrap(genes, 100, executor=engine, **options) == wanted
        killed = threading.Event()

        def kill(done):
            if done >= 20 and not killed.is_set():
                killed.set()
                os.kill(client.run(os.getpid, workers=[next(iter(client.scheduler_info()["workers"]))]).popitem()[1], signal.SIGKILL)

        with client.get_executor() as engine:
            assert ip.bootstrap(genes, 100, executor=engine, callback=kill, **options) == wanted
        assert killed.is_set()
        deadline = time.monotonic() + 60
        while len(client.scheduler_info()["workers"]) < 2 and time.monotonic() < deadline:
            time.sleep(0.2)


@pytest.mark.parametrize("engine", [lambda: ThreadPoolExecutor(2), lambda: ProcessPoolExecutor(2, multiprocessing.get_context("spawn"))])
def test_time_limits_reach_the_workers(engine):
    rng = np.random.default_rng(0)
    values = rng.normal(size=(1000, 60))
    for j in range(1, 60):
        for i in rng.choice(j, size=min(j, 3), replace=False):
            values[:, j] += np.tanh(values[:, i])
    options = {"cpd": "sigmoid", "restarts": 100000}
    began = time.monotonic()
    with engine() as workers:
        with pytest.raises(ValueError, match="in time"), pytest.warns(ip.Note):
            ip.bootstrap(values, 4, executor=workers, time_limit=2.0, **options)
        with pytest.warns(ip.Note, match="stopped after 0"):
            found = ip.cross_validate(values, "ideal", folds=2, executor=workers, time_limit=0.1, **options)
        assert found.results == []
    # Without the limit this would take hours.
    assert time.monotonic() - began < 30


def test_time_limits_work_without_an_executor(frame):
    with pytest.warns(ip.Note, match="stopped after 0"):
        found = ip.cross_validate(frame, "ideal greedy", folds=2, time_limit=0.0)
    assert found.results == []


def test_the_average_is_fitted_with_the_same_options():
    holes = ip.example("ecoli70-holes")
    averaged = ip.bootstrap(holes, 3, missing="mean-field").average()
    fitted = ip.fit(averaged, holes, missing="mean-field")
    assert averaged.to_json() == fitted.to_json()
