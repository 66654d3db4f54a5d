"""A small part of each of the paper's experiments: their output, resuming, and error messages."""

import re
import shutil

import pytest

import common

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("paper")]

WHAT = ["fig1", "fig2", "table1", "fig3", "fig4", "cellcycle"]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    data = common.data_file("gasch2000_yeast_stress", "PROVENANCE.md").parents[1]
    out = tmp_path_factory.mktemp("reproduce")
    printed = common.paper("all", "--quick", "--data", data, "-o", out)
    for name in WHAT:
        assert f"{name}.md" in printed
    return data, out


@pytest.mark.parametrize("name", WHAT)
def test_every_experiment_writes_runs_a_picture_and_a_page(folder, name):
    _, out = folder
    page = (out / f"{name}.md").read_text(encoding="utf-8")
    assert f"({name}.svg)" in page and "NaN" not in page
    assert re.search(r"rebuilt", page), "the page mentions the rebuilt data"
    picture = (out / f"{name}.svg").read_text(encoding="utf-8")
    assert picture.count("<circle") + picture.count("h0") > 5 and "NaN" not in picture
    assert len((out / f"{name}.tsv").read_text(encoding="utf-8").splitlines()) > 4


@pytest.mark.parametrize("name", WHAT)
def test_every_page_compares_the_paper_with_both_variants(folder, name):
    _, out = folder
    page = (out / f"{name}.md").read_text(encoding="utf-8").lower()
    if name == "table1":
        assert "in other folds, and with other genes" in page
        assert "what agrees with the paper" in page and "with the defaults" in page
    else:
        assert "| the paper | here, with c2 and bic | here, tangent or defaults | the difference |" in page
    title = page.splitlines()[0].removeprefix("# ")
    assert f"[{title}]({name}.md)" in (out / "index.md").read_text(encoding="utf-8").lower()


def test_defaults_beat_greedy_search_on_new_data(folder):
    _, out = folder
    rows = [line.split("\t") for line in (out / "table1.tsv").read_text(encoding="utf-8").splitlines()]
    place = {name: at for at, name in enumerate(rows[0])}
    for cpd in ["linear", "sigmoid"]:

        def mean(method, column):
            of = [float(r[place[column]]) for r in rows[1:] if r[0] == cpd and r[2] == method]
            return sum(of) / len(of)

        # The quick run has all five folds of these two rows.
        assert mean("defaults", "test") > mean("greedy", "test")
        assert mean("defaults", "edges") < 0.8 * mean("greedy", "edges")
        # Candidates that would close a cycle cost edges in a queue, most if they stay in it.
        assert mean("K=2, queue", "edges") < mean("K=2, legal queue", "edges") < mean("K=2", "edges")
        # The same moves, but every candidate is scored again, legal or not.
        assert mean("greedy, queue", "edges") == mean("greedy", "edges")
        assert mean("greedy, queue", "evaluations") > 1.2 * mean("greedy", "evaluations")
        # The tangent measure loses hardly any training likelihood.
        assert abs(mean("tangent K=2", "train") - mean("greedy", "train")) < 0.01


def test_recorded_runs_are_not_repeated(folder):
    data, out = folder
    before = {name: (out / f"{name}.tsv").read_bytes() for name in WHAT}
    pages = {name: (out / f"{name}.md").read_bytes() for name in WHAT}
    path = out / "table1.tsv"
    path.write_bytes(before["table1"][:-20])
    common.paper("all", "--quick", "--data", data, "-o", out)
    for name in WHAT:
        lines = (out / f"{name}.tsv").read_text(encoding="utf-8").splitlines()
        assert len(lines) == len(before[name].decode().splitlines()), name
        if name != "table1":
            assert (out / f"{name}.md").read_bytes() == pages[name], name


def test_quick_and_whole_runs_are_not_mixed(folder):
    data, out = folder
    for name in WHAT:
        before = (out / f"{name}.tsv").read_bytes()
        result = common.paper(name, "--data", data, "-o", out, ok=False)
        assert result.returncode in (1, 2) and result.stderr.count("\n") == 1
        assert f"{name}.tsv" in result.stderr
        assert "these runs are a small part (--quick)" in result.stderr
        assert (out / f"{name}.tsv").read_bytes() == before


def refused(*arguments):
    result = common.paper(*arguments, ok=False)
    assert result.returncode in (1, 2) and result.stderr.count("\n") == 1, result.stderr
    return result.stderr


def test_settings_without_a_final_newline_are_read(folder, tmp_path):
    data, out = folder
    copy = tmp_path / "copy"
    shutil.copytree(out, copy)
    settings = copy / "settings.tsv"
    whole = settings.read_text()
    settings.write_text(whole.removesuffix("\n"))
    common.paper("cellcycle", "--quick", "--data", data, "-o", copy)
    (copy / "fig4.tsv").unlink()
    settings.write_text("".join(line for line in whole.splitlines(True) if "fig4" not in line)[:-1])
    common.paper("fig4", "--quick", "--data", data, "-o", copy)
    assert sorted(settings.read_text().splitlines()) == sorted(whole.splitlines())
    settings.unlink()
    assert "does not list these runs" in refused("fig4", "--quick", "--data", data, "-o", copy)


def test_only_one_process_writes_to_a_folder(folder):
    fcntl = pytest.importorskip("fcntl")
    data, out = folder
    with open(out / ".lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        assert "another process" in refused("fig4", "--quick", "--data", data, "-o", out)
    common.paper("fig4", "--quick", "--data", data, "-o", out)


def test_a_damaged_table_of_the_last_experiment_is_reported_before_the_first_run(folder, tmp_path):
    data, out = folder
    new = tmp_path / "new"
    new.mkdir()
    shutil.copy(out / "settings.tsv", new)
    (new / "cellcycle.tsv").write_text((out / "cellcycle.tsv").read_text() + "note\n")
    assert "not a result of such a run" in refused("all", "--quick", "--data", data, "-o", new)
    assert not (new / "fig1.tsv").exists()


def test_wrong_data_are_reported_before_the_first_run(folder, tmp_path):
    data, out = folder
    own = tmp_path / "data"
    own.mkdir()
    (own / "gasch2000_yeast_stress").symlink_to(data / "gasch2000_yeast_stress")
    new = tmp_path / "new"
    assert "cdc28_expression" in refused("all", "--quick", "--data", own, "-o", new)
    assert not list(new.glob("fig*"))
    shutil.copytree(data / "yeast_cell_cycle_topology", own / "yeast_cell_cycle_topology")
    edges = own / "yeast_cell_cycle_topology" / "topology_rebuild_edges.tsv"
    header, *lines = edges.read_text().splitlines(True)
    # The same number of edges, but one of them is different.
    gene = lines[0].split("\t")[1]
    others = [regulator + "\t" + gene for regulator in sorted({line.split("\t")[0] for line in lines})]
    edges.write_text(header + "".join([next(line for line in others if line not in lines), *lines[1:]]))
    assert "other data" in refused("all", "--quick", "--data", own, "-o", out)
    for damaged, word in [
        (header, "no edge"),
        ("", "no edge"),
        (header + lines[0] * 2, "twice"),
        (header + lines[0].strip() + "\t1\n", "expected"),
    ]:
        edges.write_text(damaged)
        assert word in refused("cellcycle", "--quick", "--data", own, "-o", new)
    expression = own / "yeast_cell_cycle_topology" / "cdc28_expression.tsv"
    lines = expression.read_text().splitlines()
    expression.write_text("".join("\t".join(line.split("\t")[:3]) + "\n" for line in lines))
    assert "at least 3 samples" in refused("cellcycle", "--quick", "--data", own, "-o", new)


def test_the_output_must_be_a_folder(folder, tmp_path):
    data, _ = folder
    (tmp_path / "file").write_text("")
    assert "not a folder" in refused("fig1", "--quick", "--data", data, "-o", tmp_path / "file")
    assert "not a folder" in refused("fig1", "--quick", "--data", data, "-o", "-")


def test_the_tangent_measure_is_exact_for_linear_densities(folder):
    _, out = folder
    rows = [line.split("\t") for line in (out / "fig1.tsv").read_text(encoding="utf-8").splitlines()[1:]]
    linear = [row for row in rows if row[0] == "linear"]
    assert len(linear) > 3000
    for row in linear:
        c1, c2, tangent, delta = map(float, row[6:10])
        assert abs(tangent - delta) <= 1e-6 * (1 + abs(delta)), row
        # Both are lower bounds of the gain of adding a parent (Propositions 3.2 and 3.3).
        if row[2] == "add":
            assert c2 <= delta + 1e-6 and c1 <= c2 + 1e-6, row
