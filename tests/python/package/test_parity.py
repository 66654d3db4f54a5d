"""The package and the command give the same network, to the last bit."""

import json

import numpy as np
import pandas as pd
import pytest

import common
import idealparent as ip

CASES = {
    "linear": {},
    "bic hill": {"score": "bic", "search": "hill", "restarts": 2},
    "tabu": {"search": "tabu", "tabu_length": 5},
    "bge": {"score": "bge"},
    "greedy": {"method": "greedy", "max_parents": 2},
    "c2": {"measure": "c2", "candidates": 5, "penalty": 2.0},
    "sigmoid": {"cpd": "sigmoid", "bias": True},
    "product": {"cpd": "product", "exp2": True},
    "mixed": {"cpd": ["linear", "sigmoid"], "standardize": True},
    "hidden": {"hidden": 1, "min_children": 2},
}


def words(options):
    for name, value in options.items():
        word = "--" + name.replace("_", "-")
        if value is True:
            yield word
        else:
            yield from (word, ",".join(value) if isinstance(value, list) else str(value))


@pytest.fixture(scope="module")
def folder(chain, holes, tmp_path_factory):
    folder = tmp_path_factory.mktemp("parity")
    for name, (names, values) in {"chain": chain, "holes": holes}.items():
        common.write_table(folder / f"{name}.tsv", names, values)
    return folder


@pytest.mark.parametrize(
    ("case", "data"), [(case, data) for case in CASES for data in ("chain", "holes") if (case, data) != ("bge", "holes")]
)
@pytest.mark.filterwarnings("ignore::idealparent.Note")
def test_learn_gives_the_network_of_the_command(folder, data, case, request):
    names, values = request.getfixturevalue(data)
    options = {**CASES[case], "seed": 3}
    common.idealparent("learn", folder / f"{data}.tsv", "-o", folder / "net.json", *words(options))
    net = ip.learn(pd.DataFrame(values, columns=names), **options)
    assert net.to_json() == (folder / "net.json").read_text()
    assert ip.load(folder / "net.json") == net


def test_using_a_network_gives_the_numbers_of_the_command(folder, chain, holes):
    names, values = holes
    frame = pd.DataFrame(values, columns=names)
    network, data = folder / "n.json", folder / "holes.tsv"
    figures = common.report("learn", data, "-o", network)
    net = ip.learn(frame)
    for key, value in figures.items():
        if key != "seconds":
            assert net.info[key] == value, key
    assert net.evaluate(frame) == common.report("score", network, data)
    assert net.evaluate(frame, score="bic") == common.report("score", network, data, "--score", "bic")
    common.idealparent("impute", network, data, "-o", folder / "f.tsv", "--sd", folder / "s.tsv", "--draws", 2, "--seed", 5)
    found = net.impute(frame, draws=2, seed=5)
    for name, table in [("f", found.mean), ("s", found.sd), ("f-1", found.draws[0]), ("f-2", found.draws[1])]:
        np.testing.assert_array_equal(common.read_table(folder / f"{name}.tsv")[1], table)
    common.idealparent("predict", network, data, "B", "-o", folder / "p.tsv")
    np.testing.assert_array_equal(
        common.read_table(folder / "p.tsv")[1], net.predict(frame, "B")
    )
    common.idealparent("sample", network, "-n", 7, "--seed", 4, "-o", folder / "d.tsv")
    np.testing.assert_array_equal(
        common.read_table(folder / "d.tsv")[1], net.sample(7, seed=4)
    )
    for format in ("dot", "graphml", "tsv", "lavaan"):
        assert net.export(format) == common.idealparent("export", network, "--format", format)
    truth = common.write_edges(folder / "t.tsv", [("A", "B"), ("B", "C")])
    wanted = common.report("compare", network, truth)
    assert net.compare([("A", "B"), ("B", "C")]) == wanted == ip.compare(network, truth)
    ranked = common.report("rank", network, data, "B")
    ours = ip.rank_parents(frame, "B", net.parents("B"), measure="delta", network=net)
    assert list(ours["candidate"]) == [row["candidate"] for row in ranked]
    assert list(ours["tangent"]) == [row["tangent"] for row in ranked]


def test_fit_gives_the_network_of_the_command(folder, chain):
    names, values = chain
    edges = common.write_edges(folder / "e.tsv", [("A", "B"), ("H", "C"), ("H", "D"), ("H", "B")])
    common.idealparent("fit", edges, folder / "chain.tsv", "--hidden", "H", "-o", folder / "h.json")
    frame = pd.DataFrame(values, columns=names)
    pairs = [("A", "B"), ("H", "C"), ("H", "D"), ("H", "B")]
    net = ip.fit(pairs, frame, hidden=["H"])
    assert net.to_json() == (folder / "h.json").read_text()
    assert net.hidden == ["H"]
    bent = ip.learn(frame, cpd="sigmoid")
    bent.save(folder / "b.json")
    common.idealparent("fit", folder / "b.json", folder / "chain.tsv", "-o", folder / "c.json")
    assert ip.fit(bent, frame).to_json() == (folder / "c.json").read_text()
    assert ip.fit(folder / "b.json", frame) == ip.fit(bent, frame)
    common.idealparent("fit", folder / "b.json", folder / "chain.tsv", "--cpd", "linear", "-o", folder / "c.json")
    assert ip.fit(bent, frame, cpd="linear").to_json() == (folder / "c.json").read_text()


def test_prior_knowledge_can_be_given_in_every_form(folder, chain):
    names, values = chain
    frame = pd.DataFrame(values, columns=names)
    require = common.write_edges(folder / "r.tsv", [("D", "A")])
    forbid = common.write_edges(folder / "x.tsv", [("*", "C")])
    tiers = folder / "tiers.txt"
    tiers.write_text("D\tA\nB\tC\n")
    words = ["--require", require, "--forbid", forbid, "--tiers", tiers, "-o", folder / "k.json"]
    common.idealparent("learn", folder / "chain.tsv", *words)
    by_lists = ip.learn(frame, require=[("D", "A")], forbid=[("*", "C")], tiers=[["D", "A"], ["B", "C"]])
    by_files = ip.learn(frame, require=require, forbid=str(forbid), tiers=tiers)
    by_network = ip.learn(frame, require=ip.fit([("D", "A")], frame), forbid=[("*", "C")], tiers=tiers)
    graph = pd.DataFrame({"from": ["D"], "to": ["A"]})
    by_frame = ip.learn(frame, require=graph, forbid=[("*", "C")], tiers=tiers)
    written = (folder / "k.json").read_text()
    for net in (by_lists, by_files, by_network, by_frame):
        assert net.to_json() == written
    assert ip.learn(frame, start=by_lists).edges
    for wrong, words in [
        ({"require": [("A", "Z")]}, "no variable is called 'Z'"),
        ({"require": ["AB"]}, "not a pair of names"),
        ({"tiers": ["A"]}, "not a list of names"),
        ({"require": [("A", "B")], "forbid": [("A", "B")]}, "forbid"),
    ]:
        with pytest.raises(ValueError, match=words):
            ip.learn(frame, **wrong)


def test_cross_validation_and_bootstrap_agree_with_the_command(folder, chain):
    names, values = chain
    frame = pd.DataFrame(values, columns=names)
    methods = "greedy ideal:k=2:score=bic"
    wanted = json.loads(common.idealparent("cv", folder / "chain.tsv", "--methods", methods, "--folds", 3, "--json"))
    found = ip.cross_validate(frame, methods.split(), folds=3).results
    for row in wanted + found:
        del row["seconds"]
    assert found == wanted
    common.idealparent(
        "bootstrap", folder / "chain.tsv", "-n", 20, "--seed", 2, "-o", folder / "b.tsv", "--average", folder / "a.json"
    )
    sure = ip.bootstrap(frame, 20, seed=2)
    rows = [line.split("\t") for line in (folder / "b.tsv").read_text().splitlines()[1:]]
    assert sure.edges == [(a, b, float(strength), float(direction)) for a, b, strength, direction in rows]
    assert sure.average().to_json() == (folder / "a.json").read_text()


@pytest.mark.parametrize(
    "options",
    [
        {"cpd": "cubic"},
        {"score": "best"},
        {"candidates": 0},
        {"gamma": -1},
        {"gamma": 1, "score": "bic"},
        {"max_parents": -1},
        {"search": "luck"},
        {"bias": True},
        {"restarts": 1.5},
    ],
)
def test_error_messages_are_those_of_the_command(folder, chain, options):
    result = common.idealparent("learn", folder / "chain.tsv", *words(options), ok=False)
    if result.returncode == 0:
        assert ip.learn(chain[1], names=chain[0], **options)
        return
    with pytest.raises(ValueError) as raised:
        ip.learn(chain[1], names=chain[0], **options)
    # The same message, except that each writes options in its own way.
    assert common.names_of_options(str(raised.value)) == common.names_of_options(result.stderr)


def test_unknown_options_are_refused():
    with pytest.raises(TypeError, match="did you mean 'max_parents'"):
        ip.learn({"A": [1.0, 2.0]}, max_parent=2)
    with pytest.raises(ValueError, match="seed"):
        ip.learn({"A": [1.0, 2.0]}, seed=-1)
