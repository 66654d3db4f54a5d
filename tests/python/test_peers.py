"""The benchmark against other programs (bench/peers.py), without these programs."""

import importlib
import itertools
import subprocess
import sys
import time

import numpy as np
import pytest

import common
from common import close, report

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("peers")]

BENCH = common.ROOT / "bench"


@pytest.fixture(scope="module")
def bench():
    """The modules of the benchmark."""
    sys.path.insert(0, str(BENCH))
    try:
        names = ("peers", "peers_cases", "peers_measures", "peers_programs", "peers_summary")
        return {name: importlib.import_module(name) for name in names}
    finally:
        sys.path.remove(str(BENCH))


@pytest.fixture(scope="module")
def measures(bench):
    return bench["peers_measures"]


def is_dag(n, edges):
    power = np.zeros((n, n))
    for a, b in edges:
        power[a, b] = 1
    return not np.trace(np.linalg.matrix_power(np.eye(n) + power, n) - np.eye(n))


def v_structures(edges):
    around = {frozenset(edge) for edge in edges}
    pairs = itertools.combinations(sorted(edges), 2)
    return {(frozenset((a, c)), b) for (a, b), (c, d) in pairs if b == d and frozenset((a, c)) not in around}


def test_bic_and_likelihood_agree_with_the_command(measures, tmp_path):
    rng = np.random.default_rng(1)
    names = [f"X{i}" for i in range(8)]
    values = rng.normal(size=(120, 8)) @ rng.normal(size=(8, 8)) + 5
    train = common.write_table(tmp_path / "train.tsv", names, values[:80])
    test = common.write_table(tmp_path / "test.tsv", names, values[80:])
    common.write_edges(tmp_path / "edges.tsv", common.random_edges(names, rng))
    fitted = report("fit", tmp_path / "edges.tsv", train, "--score", "bic", "-o", tmp_path / "net.json")
    held_out = report("score", tmp_path / "net.json", test)
    edges = measures.read_edges(tmp_path / "edges.tsv", names)
    found = measures.log_likelihoods(edges, measures.read_table(train)[1], measures.read_table(test)[1])
    assert close(found[0], fitted["log_likelihood"])
    assert close(measures.bic(found[0], edges, values[:80]), fitted["score"])
    assert close(found[1], held_out["log_likelihood"])


def test_equivalence_classes_are_extended_to_a_member(measures):
    rng = np.random.default_rng(2)
    for n in [2, 3, 5, 8] * 25:
        edges = [tuple(map(int, e)) for e in common.random_edges(range(n), rng, indegree=min(1.5, (n - 1) / 2))]
        # Edges outside v-structures are undirected. These are more than in a CPDAG, but there is
        # still an extension.
        kept = {(a, b) for pair, b in v_structures(edges) for a in pair}
        found, consistent = measures.to_dag(n, [*edges, *((b, a) for a, b in edges if (a, b) not in kept)])
        assert consistent and is_dag(n, found) and kept <= set(found)
        assert {frozenset(e) for e in found} == {frozenset(e) for e in edges}
        assert v_structures(found) == v_structures(edges)


@pytest.mark.parametrize(
    "directed, undirected",
    [
        ([], [(0, 1), (1, 2), (2, 3), (0, 3)]),  # every orientation of a chordless cycle adds a v-structure
        ([(0, 1), (1, 2), (2, 0)], []),  # a directed cycle
        ([(0, 1), (2, 3)], [(1, 3)]),  # both orientations add a v-structure
    ],
)
def test_graphs_without_an_extension_are_oriented_without_cycles(measures, directed, undirected):
    edges = directed + undirected + [(b, a) for a, b in undirected]
    found, consistent = measures.to_dag(4, edges)
    assert not consistent and is_dag(4, found)
    assert {frozenset(e) for e in found} == {frozenset(e) for e in edges}


def test_var_sortability_counts_paths_by_length(measures):
    rng = np.random.default_rng(3)
    noise = rng.normal(size=(500, 3))
    standardised = noise / noise.std(0)
    table = standardised * [1, 3, 2]
    # 0 -> 1 grows, 1 -> 2 shrinks, 0 -> 1 -> 2 grows.
    assert measures.var_sortability([(0, 1), (1, 2)], table) == pytest.approx(2 / 3)
    # The paths from 0 to 2 have two lengths, so the pair counts twice.
    assert measures.var_sortability([(0, 1), (1, 2), (0, 2)], table) == pytest.approx(3 / 4)
    assert measures.var_sortability([(0, 1), (1, 2)], standardised) == pytest.approx(0.5)
    assert np.isnan(measures.var_sortability([], table))


def test_samples_of_a_reference_network_have_its_parameters(bench):
    nodes = [
        {"name": "y", "parents": ["x", "w"], "coefficients": [2.0, -1.0], "intercept": 3.0, "variance": 0.25},
        {"name": "x", "parents": [], "coefficients": [], "intercept": 1.0, "variance": 4.0},
        {"name": "w", "parents": ["x"], "coefficients": [0.5], "intercept": 0.0, "variance": 1.0},
    ]
    network = {"nodes": nodes, "topological_order": ["x", "w", "y"]}
    names, values = bench["peers_cases"].sample(network, 20000, np.random.default_rng(4))
    assert names == ["y", "x", "w"]
    design = np.column_stack([np.ones(20000), values[:, 1:]])
    weights, rest = np.linalg.lstsq(design, values[:, 0], rcond=None)[:2]
    assert weights == pytest.approx([3, 2, -1], abs=0.03)
    assert rest[0] / 20000 == pytest.approx(0.25, abs=0.01)
    assert values[:, 1].mean() == pytest.approx(1, abs=0.05) and values[:, 1].var() == pytest.approx(4, abs=0.15)


def alive(path):
    """Whether the file is still growing."""
    size = path.stat().st_size
    time.sleep(0.4)
    return path.stat().st_size != size


def test_the_time_limit_kills_the_whole_process_group(bench, tmp_path):
    script = "(while :; do echo x >>beat; sleep 0.05; done) & while :; do sleep 0.05; done"
    began = time.monotonic()
    result = bench["peers"].run_limited(["/bin/sh", "-c", script], tmp_path, 0.5)
    assert result["limit"] and 0.4 < result["wall"] < 5 and time.monotonic() - began < 10
    assert (tmp_path / "beat").exists() and not alive(tmp_path / "beat")


def test_processes_left_running_are_killed(bench, tmp_path):
    script = "(while :; do echo x >>beat; sleep 0.05; done) & sleep 0.3; echo out; echo the reason >&2; exit 3"
    result = bench["peers"].run_limited(["/bin/sh", "-c", script], tmp_path, 20)
    assert (result["code"], result["limit"], result["stdout"]) == (3, False, "out\n")
    assert bench["peers"].reason(result) == "the reason"
    assert not alive(tmp_path / "beat")


def test_cpu_and_memory_of_the_command_are_measured(bench, tmp_path):
    script = "x = bytearray(60 << 20); import time; t = time.process_time()\nwhile time.process_time() - t < 0.3: pass"
    result = bench["peers"].run_limited([sys.executable, "-c", script], tmp_path, 20)
    assert result["code"] == 0 and 0.3 <= result["cpu"] < 3 and 60 <= result["mib"] < 120
    assert bench["peers"].run_limited(["/bin/true"], tmp_path, 20)["mib"] < 30


@pytest.fixture
def tiny(bench, monkeypatch, tmp_path):
    """A function that runs the benchmark on three small cases with idealparent only. It returns the
    programs that were run, and the rows.
    """
    peers, cases, programs = bench["peers"], bench["peers_cases"], bench["peers_programs"]
    three = [cases.Case("linear", "linear", 6, 60, seed, "raw") for seed in (1, 2, 3)]
    monkeypatch.setattr(cases, "cases", lambda kinds, quick: three)
    calls, measure = [], peers.Bench.measure

    def counted(self, program, folder):
        calls.append(program.name)
        return measure(self, program, folder)

    monkeypatch.setattr(peers.Bench, "measure", counted)
    output = tmp_path / "peers.tsv"

    def run(*options, binary=common.COMMAND):
        words = ["peers.py", "--peers", "idealparent", "--cases", "linear", "--binary", str(binary), "-o", str(output)]
        monkeypatch.setattr(sys, "argv", words + ["--environments", str(tmp_path), *options])
        calls.clear()
        peers.main()
        return list(calls), peers.Results(output).rows

    run.programs = programs
    return run


def test_runs_are_measured_once(tiny, monkeypatch, tmp_path, capsys):
    first, rows = tiny()
    assert len(first) == len(rows) == 3 * 4 and {row["status"] for row in rows.values()} == {"ok"}
    for row in rows.values():
        assert float(row["wall"]) >= float(row["seconds"]) and float(row["cpu"]) > 0
        if row["program"] == "idealparent-bic":
            assert float(row["bic"]) >= float(row["truth_bic"]) - 5 and 0 <= float(row["var_sortability"]) <= 1
    assert "| idealparent-bic |" in capsys.readouterr().out
    subprocess.run([sys.executable, BENCH / "generate.py", "linear", "6", "60", "2", tmp_path], check=True)
    said = report("learn", tmp_path / "train.tsv", "--score", "bic", "--quiet")
    assert close(float(rows["linear", "6", "60", "2", "raw", "idealparent-bic"]["bic"]), said["score"], 1e-5)
    again, same = tiny()
    assert again == [] and same == rows
    content = (tmp_path / "peers.tsv").read_text()
    # Only the run of a removed line is repeated.
    (tmp_path / "peers.tsv").write_text("".join(content.splitlines(keepends=True)[:-1]))
    assert len(tiny()[0]) == 1
    assert len(tiny("--fresh")[0]) == 12
    changed = [tiny.programs.Program("idealparent-bic", "idealparent", "--score bic --max-parents 1")]
    monkeypatch.setattr(tiny.programs, "PROGRAMS", changed)
    assert tiny()[0] == ["idealparent-bic"] * 3
    assert tiny("--summary")[0] == []


def test_other_seeds_are_skipped_if_the_first_failed(tiny, tmp_path):
    broken = tmp_path / "broken"
    broken.write_text("#!/bin/sh\necho \"error: /some/where/file: no\" >&2\nexit 1\n")
    broken.chmod(0o755)
    calls, rows = tiny(binary=broken)
    assert len(calls) == 4
    assert [row["status"] for row in rows.values() if row["program"] == "idealparent-bic"] == [
        "failed: error: file: no",
        "skipped: failed at seed 1",
        "skipped: failed at seed 1",
    ]
    # A failed run is not repeated. A run that exceeded the limit is repeated with a longer limit.
    assert tiny(binary=broken)[0] == []
    broken.write_text("#!/bin/sh\nsleep 20\n")
    calls, rows = tiny("--fresh", "--limit", "0.2", binary=broken)
    assert len(calls) == 4 and {row["status"] for row in rows.values()} == {"time limit", "skipped: time limit at seed 1"}
    assert tiny("--limit", "0.2", binary=broken)[0] == []
    calls, rows = tiny("--limit", "30")
    assert len(calls) == 12 and {row["status"] for row in rows.values()} == {"ok"}


def test_missing_programs_are_listed_once(tiny, tmp_path, capsys):
    _, rows = tiny("--peers", "pybnesian", binary=tmp_path / "nothing")
    assert sorted((row["program"], row["status"]) for row in rows.values()) == [
        ("idealparent", "missing: no command"),
        ("pybnesian", "missing: no environment"),
    ]
    assert "- pybnesian: missing: no environment" in capsys.readouterr().out
    _, rows = tiny("--peers", "pybnesian")
    assert sum(row["status"].startswith("missing") for row in rows.values()) == 1
