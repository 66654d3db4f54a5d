"""The class Network: structure, densities, exports, reports."""

import copy
import pickle
from xml.etree import ElementTree

import networkx as nx
import numpy as np
import pandas as pd
import pytest

import common
import idealparent as ip


@pytest.fixture(scope="module")
def frame(chain):
    return pd.DataFrame(chain[1], columns=chain[0])


@pytest.fixture(scope="module")
def net(frame):
    return ip.learn(frame)


def test_structure_is_accessible_by_name(net):
    assert len(net) == 4 and list(net) == ["A", "B", "C", "D"] and "A" in net and "Z" not in net
    assert sorted(map(sorted, net.edges)) == [["A", "B"], ["B", "C"]]
    for parent, child in net.edges:
        assert parent in net.parents(child) and child in net.children(parent)
    with pytest.raises(KeyError, match="'Z'"):
        net["Z"]
    with pytest.raises(KeyError):
        net.children("Z")
    assert set(net.strengths()) == set(net.edges)
    assert net.provenance["data"]["rows"] == 200


def test_networks_survive_pickling_and_saving(net, frame, tmp_path):
    assert repr(net).startswith("<Network: 4 variables, 2 linear edges, ebic -")
    again = pickle.loads(pickle.dumps(net))
    assert again == net and hash(again) == hash(net) and again.info == net.info
    assert copy.deepcopy(net) == net and net != ip.learn(frame, score="bic") and net != "net"
    path = tmp_path / "net.json"
    path.write_text("old")
    net.save(path)
    assert ip.load(path) == net and [p.name for p in tmp_path.iterdir()] == ["net.json"]
    with pytest.raises(OSError):
        net.save(tmp_path / "nowhere" / "net.json")
    with pytest.raises((ValueError, OSError), match="absent.json"):
        ip.load(tmp_path / "absent.json")
    with pytest.raises(ValueError, match="network"):
        ip.Network.from_json("{}")


@pytest.mark.parametrize("cpd", ["linear", "sigmoid", "product"])
def test_densities_have_the_variance_of_their_residuals(frame, cpd):
    data = np.exp(frame) if cpd == "product" else frame
    net = ip.learn(data, cpd=cpd)
    child = max(net, key=lambda name: len(net.parents(name)))
    density = net[child]
    assert density.kind == cpd and density.variance > 0
    mean = density.mean({p: data[p].to_numpy() for p in density.parents})
    residual = data[child].to_numpy() - mean
    assert residual.var() == pytest.approx(density.variance, rel=0.05)
    with pytest.raises(ValueError, match="is missing"):
        density.mean({})


def test_likelihoods_of_rows_add_up(net, frame):
    each = net.log_likelihoods(frame)
    assert each.shape == (200,) and each.sum() == pytest.approx(net.log_likelihood(frame))
    assert net.score == pytest.approx(net.evaluate(frame)["score"])


def test_exported_graphs_have_the_same_edges(net):
    graph = net.to_networkx()
    assert nx.is_directed_acyclic_graph(graph) and set(graph.edges) == set(net.edges)
    assert all({"weight", "strength", "kind"} <= set(d) for *_, d in graph.edges(data=True))
    matrix = net.to_pandas_adjacency()
    assert {(i, j) for i in matrix for j in matrix if matrix.loc[i, j]} == set(net.edges)
    assert net.to_dot().startswith("digraph")


def test_notebooks_show_a_picture(net):
    picture = ElementTree.fromstring(net._repr_svg_())
    texts = [element.text for element in picture.iter("{http://www.w3.org/2000/svg}text")]
    assert texts == ["A", "B", "C", "D"]
    assert len(list(picture.iter("{http://www.w3.org/2000/svg}path"))) == 2 + len(net.edges)


def test_hidden_profiles_correlate_with_the_cause(chain):
    rng = np.random.default_rng(5)
    cause = rng.normal(size=300)
    data = pd.DataFrame({f"x{i}": cause + 0.4 * rng.normal(size=300) for i in range(6)})
    net = ip.learn(data, hidden="auto", two_layer=True)
    assert net.hidden == ["H1"] and "1 hidden" in repr(net)
    profiles = net.hidden_profiles(data)
    assert abs(np.corrcoef(profiles.iloc[:, 0], cause)[0, 1]) > 0.95


def test_several_networks_can_impute_together(holes):
    frame = pd.DataFrame(holes[1], columns=holes[0])
    nets = [ip.learn(frame.sample(frac=1, replace=True, random_state=i)) for i in range(3)]
    found = ip.impute(nets, frame, draws=2)
    assert not found.mean.isna().any().any() and len(found.draws) == 2
    with pytest.raises(ValueError, match="at least one network"):
        ip.impute([], frame)


def test_notes_are_issued_as_warnings(frame):
    with pytest.warns(ip.Note, match="column 'E' is constant"):
        ip.learn(frame.assign(E=1.0))


def test_examples_are_available_by_name():
    assert "sachs" in ip.examples()
    assert ip.example("sachs").shape == (853, 11)
    with pytest.raises(ValueError, match="nothing"):
        ip.example("nothing")


def content(path):
    """The data embedded in a report page."""
    import json
    import re

    text = path.read_text(encoding="utf-8")
    return json.loads(re.search(r'<script type="application/json" id="content">(.*?)</script>', text, re.S)[1])


def test_reports_contain_network_data_and_trace(tmp_path):
    cells = ip.example("sachs")
    net = ip.learn(cells, report=tmp_path / "first.html")
    net.report(tmp_path / "page.html", bootstrap=ip.bootstrap(cells, 5), title="<b>")
    page = content(tmp_path / "page.html")
    assert page["title"] == "<b>" and "<b>" not in (tmp_path / "page.html").read_text().split("content")[0]
    assert [variable["name"] for variable in page["variables"]] == net.variables
    assert {(net.variables[e["p"]], net.variables[e["c"]]) for e in page["edges"]} == set(net.edges)
    assert page["data"]["total"] == 853 and page["bootstrap"] and page["notes"] == []
    assert sum("step" in line for line in page["trace"]) >= len(net.edges)
    assert content(tmp_path / "first.html")["trace"] == page["trace"]
    restored = ip.Network.from_json(net.to_json())
    restored.report(tmp_path / "bare.html")
    bare = content(tmp_path / "bare.html")
    assert bare["data"] is None and bare["trace"] == [] and len(bare["edges"]) == len(net.edges)
    restored.report(tmp_path / "other.html", cells.head(100))
    assert "not the data" in content(tmp_path / "other.html")["notes"][0]
    restored.report(tmp_path / "same.html", cells)
    assert content(tmp_path / "same.html")["data"] == page["data"]
    with pytest.raises(ValueError, match="no folder"):
        net.report(tmp_path / "nowhere" / "page.html")


@pytest.mark.parametrize("name, options", [("ecoli70-holes", {}), ("twolayer", {"hidden": 2, "two_layer": True})])
def test_reports_of_missing_values_and_hidden_variables(tmp_path, name, options):
    net = ip.learn(ip.example(name), report=tmp_path / "page.html", **options)
    assert [variable["name"] for variable in content(tmp_path / "page.html")["variables"]] == net.variables


def test_reports_are_the_same_as_those_of_the_command(tmp_path):
    cells = ip.example("sachs")
    cells.to_csv(tmp_path / "cells.csv", index=False)
    net = ip.learn(tmp_path / "cells.csv", cpd="sigmoid")
    net.save(tmp_path / "net.json")
    ip.load(tmp_path / "net.json").report(tmp_path / "ours.html", tmp_path / "cells.csv")
    common.idealparent("report", tmp_path / "net.json", tmp_path / "cells.csv", "-o", tmp_path / "theirs.html")
    assert (tmp_path / "ours.html").read_bytes() == (tmp_path / "theirs.html").read_bytes()


def test_png_images_scale(tmp_path):
    net = ip.learn(ip.example("sachs"))
    image = net.to_png()
    assert image.startswith(b"\x89PNG") and len(net.to_png(scale=1.0)) < len(image)
    with pytest.raises(ValueError, match="scale"):
        net.to_png(scale=0)
