"""The benchmark against FLOP (bench/dense.py): its scores, classes, baseline and tables."""

import importlib
import itertools
import json
import stat
import sys
import types

import numpy as np
import pytest

import common
from common import close, oracle

BENCH = common.ROOT / "bench"
DENSE = [f"dense{part}" for part in ("", "_cases", "_programs", "_scores", "_sort", "_table")]
MODULES = [*DENSE, "generate_more", "peers_measures"]
# 12 instances of four variables, and the best BIC of all 543 networks over them, computed
# independently.
FOUR = np.array(
    [
        [-1.2, -0.7, -0.3, 0.1, 0.4, 0.9, 1.3, 1.8, -1.6, 0.6, 2.1, -0.1],
        [-0.9, -1.1, 0.2, -0.2, 0.7, 0.5, 1.6, 1.1, -1.2, 1.4, 1.7, 0.3],
        [0.5, -0.4, 0.1, 0.9, -0.6, 1, 0.2, 1.7, -0.8, -0.3, 1.2, 0.4],
        [-0.2, -1, 0.6, 0.3, 0.5, 1.3, 1, 2.4, -1.9, 0.9, 2.2, 0.1],
    ]
).T
FOUR_BEST = -49.2463253165


@pytest.fixture(scope="module")
def bench():
    """The modules of the benchmark."""
    sys.path.insert(0, str(BENCH))
    try:
        return types.SimpleNamespace(**{name: importlib.import_module(name) for name in MODULES})
    finally:
        sys.path.remove(str(BENCH))


def dags(n):
    """All directed acyclic graphs over n variables, as sorted lists of edges."""
    pairs = list(itertools.combinations(range(n), 2))
    for states in itertools.product((None, 0, 1), repeat=len(pairs)):
        edges = [pair[:: 1 if state else -1] for pair, state in zip(pairs, states) if state is not None]
        if any(all(order.index(a) < order.index(b) for a, b in edges) for order in itertools.permutations(range(n))):
            yield sorted(edges)


def oracle_bic(folder, table, edges):
    """The BIC that oracle.py finds for a structure, with parameters fitted here."""
    names = [f"X{i}" for i in range(table.shape[1])]
    families = []
    for child, name in enumerate(names):
        parents = [a for a, b in edges if b == child]
        design = np.column_stack([np.ones(len(table)), table[:, parents]])
        weights = np.linalg.lstsq(design, table[:, child], rcond=None)[0]
        variance = np.mean((table[:, child] - design @ weights) ** 2)
        cpd = {"type": "linear", "intercept": weights[0], "weights": weights[1:].tolist(), "variance": variance}
        families.append({"variable": name, "parents": [names[p] for p in parents], "cpd": cpd})
    network = {"variables": [{"name": name} for name in names], "families": families}
    (folder / "net.json").write_text(json.dumps(network))
    common.write_table(folder / "table.tsv", names, table)
    return oracle(folder / "net.json", folder / "table.tsv")["bic"]


def test_scores_agree_with_the_oracle(bench, tmp_path):
    rng = np.random.default_rng(1)
    for n, m in [(5, 40), (9, 200)]:
        table = 3 + rng.normal(size=(m, n)) @ rng.normal(size=(n, n))
        edges = common.random_edges(range(n), rng)
        assert close(bench.dense_scores.Scorer(table).bic(edges), oracle_bic(tmp_path, table, edges), 1e-9)


def test_scores_of_a_strong_network_agree_with_the_oracle(bench, tmp_path):
    table, _, truth = bench.generate_more.dense(50, 16, 1000, 10, 0.5, 2.0)
    edges = [tuple(map(int, edge)) for edge in zip(*np.nonzero(truth))]
    scorer = bench.dense_scores.Scorer(table)
    parents = [[a for a, b in edges if b == child] for child in range(50)]
    left = [bench.dense_scores.residual(scorer.table[:, p], scorer.table[:, child]) for child, p in enumerate(parents)]
    # The noise of one variable is less than 1e-11 of its variance.
    assert min(np.mean(rest**2) for rest in left) < 1e-11
    assert close(scorer.bic(edges), oracle_bic(tmp_path, table, edges), 1e-9)


def test_a_residual_share_of_1e_12_is_kept(bench):
    rng = np.random.default_rng(2)
    basis = np.linalg.qr(rng.normal(size=(400, 5)))[0]
    columns = basis[:, :4] @ rng.normal(size=(4, 4))
    target = columns @ np.array([1.0, -2.0, 0.5, 1.5])
    target /= np.linalg.norm(target)
    rest = bench.dense_scores.residual(columns, target + 1e-6 * basis[:, 4])
    assert np.linalg.norm(rest) == pytest.approx(1e-6, rel=1e-8)
    assert np.linalg.norm(rest - 1e-6 * basis[:, 4]) < 1e-13


def test_the_optimum_is_the_best_of_all_networks(bench):
    scores = bench.dense_scores
    rng = np.random.default_rng(3)
    for table in [FOUR, rng.normal(size=(30, 4)) @ rng.normal(size=(4, 4))]:
        scorer = scores.Scorer(table)
        every = list(dags(4))
        assert len(every) == 543
        best, edges = scores.optimum(table)
        assert best == pytest.approx(max(map(scorer.bic, every)), abs=1e-9)
        assert edges in every and scorer.bic(edges) == pytest.approx(best, abs=1e-9)
    assert scores.optimum(FOUR)[0] == pytest.approx(FOUR_BEST, abs=1e-9)


def test_a_class_is_extended_to_a_network_of_the_class_with_its_score(bench):
    scores = bench.dense_scores
    classes = {}
    for edges in dags(4):
        key = frozenset(scores.skeleton(edges)), frozenset(scores.v_structures(4, edges))
        classes.setdefault(key, []).append(edges)
    assert len(classes) == 185
    scorer = scores.Scorer(FOUR)
    for members in classes.values():
        # Edges that differ between members are undirected: listed in both directions.
        found, consistent = bench.peers_measures.to_dag(4, sorted({edge for edges in members for edge in edges}))
        assert consistent and found in members
        assert all(scores.same_class(4, found, edges) for edges in members)
        assert all(scorer.bic(edges) == pytest.approx(scorer.bic(found), abs=1e-9) for edges in members)
    one, other = [members[0] for members in classes.values()][:2]
    assert not scores.same_class(4, one, other)


def test_skeleton_f1_ignores_directions(bench):
    f1 = bench.dense_scores.skeleton_f1
    assert f1([(0, 1), (1, 2)], [(1, 0), (2, 3)]) == pytest.approx(0.5)
    assert f1([], []) == 1 and f1([(0, 1)], []) == 0


def test_the_baseline_finds_a_network_in_its_own_order(bench):
    table, _, truth = bench.generate_more.dense(8, 3, 2000, 4, 0.5, 2.0)
    edges = [tuple(map(int, edge)) for edge in zip(*np.nonzero(truth))]
    scorer, sort = bench.dense_scores.Scorer(table), bench.dense_sort
    order = next(o for o in itertools.permutations(range(8)) if all(o.index(a) < o.index(b) for a, b in edges))
    found = sort.sort_and_regress(scorer, order)
    assert all(order.index(a) < order.index(b) for a, b in found)
    assert scorer.bic(found) >= scorer.bic(edges)
    for edge in found:
        assert scorer.bic([other for other in found if other != edge]) < scorer.bic(found)
    assert len(sort.sort_and_regress(bench.dense_scores.Scorer(table, 1000.0), order)) < len(found)
    # The sink of a chain is explained best, and the scale of a column says nothing of that.
    rng = np.random.default_rng(5)
    x = np.cumsum(rng.normal(size=(3000, 5)), 1)
    assert sort.by_variance(x).tolist() == [0, 1, 2, 3, 4]
    assert sort.by_variance(x / x.std(0)).tolist() == [0, 1, 2, 3, 4]
    assert sort.by_variance((x / x.std(0))[:, ::-1]).tolist() == [0, 1, 2, 3, 4]
    assert sort.by_r2(x).tolist() == sort.by_r2(x / x.std(0) * [9, 1, 5, 2, 7]).tolist()


def test_scale_free_networks_have_hubs_and_random_directions(bench):
    a, order = bench.generate_more.scale_free_dag(300, 4, np.random.default_rng(6))
    place = np.argsort(order)
    assert all(place[i] < place[j] for i, j in zip(*np.nonzero(a)))
    assert a.sum() == 1 + 2 * 298
    degree = a.sum(0) + a.sum(1)
    hub = int(degree.argmax())
    assert degree.max() > 20 and degree.min() >= 1 and 0 < a[:, hub].sum() < degree[hub]


def test_small_problems_meet_all_settings(bench):
    cases = bench.dense_cases
    small = next(row for row in cases.ROWS if row.exact)
    assert len({cases.settings(small, seed) for seed in small.seeds(10, 30)}) == 30
    assert [len(row.seeds(10, 200)) for row in (small, cases.ROWS[0])] == [200, 10]


def run_of(order, bic, seconds, status="ok", **more):
    return {"program": "flop-20", "order": order, "status": status, "bic": bic, "seconds": seconds, "cpu": 2 * seconds, **more}


def test_the_best_of_orders_takes_the_time_of_all(bench):
    table = bench.dense_table
    runs = [run_of("given", -12.0, 1.0), run_of("reversed", -10.5, 2.0, cached=True), run_of("1", -11.0, 0.5)]
    best = table.best_of_orders(runs)
    assert (best["bic"], best["seconds"], best["order"], best["cached"]) == (-10.5, 3.5, "reversed", True)
    assert table.best_of_orders([*runs, {"program": "flop-20", "order": "2", "status": "time limit"}]) is None
    case = {"runs": runs, "truth_bic": -11.0}
    lines = table.lines_of(case)
    assert [run["bic"] for run in lines["flop-20"]] == [-12.0, -10.5, -11.0]
    assert [run["bic"] for run in lines["flop-20 best of orders"]] == [-10.5]
    assert table.Line([case], "flop-20").gain() == "-0.2" and table.Line([case], "flop-20 best of orders").gain() == "+0.5"
    assert table.Line([case], "flop-20 best of orders").time("cpu", 1) == "7.0*"


def test_seeds_without_a_result_are_not_won(bench):
    table = bench.dense_table
    bests = [(-10.0, -10.0 + 1e-9), (-10.0, -12.0), (-10.0, None)]
    cases = []
    for flop, ours in bests:
        own = {"status": "ok", "bic": ours, "seconds": 1.0, "cpu": 1.0} if ours else {"status": "time limit"}
        cases.append({"truth_bic": -11.0, "runs": [{"program": "ours", **own}, run_of("given", flop, 1.0)]})
    assert table.compared(cases, "ours", "flop-20 best of orders") == "≥ 0 on 1 of 3 (-2.0 to +0.0)"
    assert table.Line(cases, "ours").short() == "+0.0 (1.00 s, 2 of 3)"
    assert table.Line(cases, "ours").remark() == "2 of 3; time limit"
    assert table.Line(cases[2:], "ours").short() == "0 of 1; time limit"


# Stands for FLOP: joins two columns if an edge between them alone would raise the score.
FAKE = """
import numpy as np

def flop(data, lambda_bic, restarts=None):
    m, n = data.shape
    gain = -0.5 * m * np.log1p(-np.corrcoef(data.T) ** 2 + np.eye(n))
    return np.where((gain > lambda_bic * PRICE * np.log(m)) & ~np.eye(n, dtype=bool), 2.0, 0.0)
"""


@pytest.fixture
def environments(tmp_path):
    """A folder of environments in which flopsearch is a stand-in."""
    python = tmp_path / "environments/flop/bin/python"
    packages = tmp_path / "packages"
    (packages / "flopsearch-9.9.dist-info").mkdir(parents=True)
    (packages / "flopsearch-9.9.dist-info/METADATA").write_text("Metadata-Version: 2.1\nName: flopsearch\nVersion: 9.9\n")
    (packages / "flopsearch.py").write_text(FAKE.replace("PRICE", "0.5"))
    python.parent.mkdir(parents=True)
    python.write_text(f'#!/bin/sh\nPYTHONPATH={packages} exec {sys.executable} "$@"\n')
    python.chmod(python.stat().st_mode | stat.S_IXUSR)
    return tmp_path / "environments"


def test_the_order_of_columns_is_undone(bench, environments, tmp_path):
    rng = np.random.default_rng(7)
    values = rng.normal(size=(500, 4))
    values[:, 3] += values[:, 0]
    common.write_table(tmp_path / "train.tsv", ["A", "B", "C", "D"], values)
    flop = bench.dense_programs.Flop(environments, bench.dense_programs.Limits(60, 1), tmp_path / "cache")
    assert flop.version == "9.9"
    for order in bench.dense_programs.ORDERS:
        run = flop.run(tmp_path, 20, order)
        assert run["consistent"] and [set(edge) for edge in run["edges"]] == [{0, 3}], order
        again = flop.run(tmp_path, 20, order)
        assert again["cached"] and not run.get("cached")
        assert [tuple(edge) for edge in again["edges"]] == run["edges"]
    assert not flop.run(tmp_path, 100, "given").get("cached")


def test_another_penalty_is_noticed(bench, environments, tmp_path):
    flop = bench.dense_programs.Flop(environments, bench.dense_programs.Limits(60, 1))
    flop.check_penalty(tmp_path)
    for price in ("0.47", "0.53"):
        (tmp_path / "packages/flopsearch.py").write_text(FAKE.replace("PRICE", price))
        with pytest.raises(SystemExit, match="does not maximise BIC"):
            flop.check_penalty(tmp_path)


def test_cases_are_measured_once_and_the_table_is_written(bench, environments, tmp_path, monkeypatch, capsys):
    cases = bench.dense_cases
    rows = [cases.Row("tiny", "a tiny setting", 6, 100, 2), cases.Row("small", "small problems", 5, 0, graph="small")]
    monkeypatch.setattr(cases, "ROWS", rows)
    measured, measure = [], bench.dense.Bench.measure

    def counted(self, row, seed, folder):
        measured.append((row.name, seed))
        return measure(self, row, seed, folder)

    monkeypatch.setattr(bench.dense.Bench, "measure", counted)
    page = tmp_path / "page.md"
    page.write_text("before\n<!-- dense: begin -->\nold\n<!-- dense: end -->\nafter\n")

    def main(*words):
        everything = ["dense.py", "--seeds", 2, "--small", 3, "--environments", environments]
        everything += ["--binary", common.COMMAND, "-o", tmp_path / "dense.json", "--write", page]
        monkeypatch.setattr(sys, "argv", [str(word) for word in [*everything, *words]])
        measured.clear()
        bench.dense.main()
        return list(measured)

    assert main() == [("tiny", 1), ("tiny", 2), ("small", 1), ("small", 2), ("small", 3)]
    text = capsys.readouterr().out
    assert page.read_text() == f"before\n<!-- dense: begin -->\n\n{text}\n<!-- dense: end -->\nafter\n"
    output = bench.dense_table.Output(tmp_path / "dense.json")
    for case in output.cases.values():
        good = [run for run in case["runs"] if bench.dense_table.good(run)]
        assert {"idealparent", "flop-20", "flop-100", "sort by r2", "sort by variance"} <= {run["program"] for run in good}
        assert all(run["bic"] <= case.get("optimum", np.inf) + 1e-6 and 0 <= run["skeleton_f1"] <= 1 for run in good)
    assert main() == []
    capsys.readouterr()
    assert main("--summary") == [] and capsys.readouterr().out == text
    assert main("--ours", "hill: --score bic --search hill", "--rows", "tiny") == [("tiny", 1), ("tiny", 2)]
    assert "| hill |" in page.read_text()
