"""Networks as objects."""

import copy
import pickle
from xml.etree import ElementTree

import networkx as nx
import numpy as np
import pandas as pd
import pytest

import idealparent as ip


@pytest.fixture(scope="module")
def frame(chain):
    return pd.DataFrame(chain[1], columns=chain[0])


@pytest.fixture(scope="module")
def net(frame):
    return ip.learn(frame)


def test_structure(net):
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


def test_repr_equality_and_pickling(net, frame, tmp_path):
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
def test_densities_predict_what_the_network_does(frame, cpd):
    data = np.exp(frame) if cpd == "product" else frame
    net = ip.learn(data, cpd=cpd)
    child = max(net, key=lambda name: len(net.parents(name)))
    density = net[child]
    assert density.kind == cpd and density.variance > 0
    mean = density.mean({p: data[p].to_numpy() for p in density.parents})
    residual = data[child].to_numpy() - mean
    # Those that are left over have the variance it says.
    assert residual.var() == pytest.approx(density.variance, rel=0.05)
    with pytest.raises(ValueError, match="is missing"):
        density.mean({})


def test_likelihoods(net, frame):
    each = net.log_likelihoods(frame)
    assert each.shape == (200,) and each.sum() == pytest.approx(net.log_likelihood(frame))
    assert net.score == pytest.approx(net.evaluate(frame)["score"])


def test_graphs(net):
    graph = net.to_networkx()
    assert nx.is_directed_acyclic_graph(graph) and set(graph.edges) == set(net.edges)
    assert all({"weight", "strength", "kind"} <= set(d) for *_, d in graph.edges(data=True))
    matrix = net.to_pandas_adjacency()
    assert {(i, j) for i in matrix for j in matrix if matrix.loc[i, j]} == set(net.edges)
    assert net.to_dot().startswith("digraph")


def test_picture_in_a_notebook(net):
    picture = ElementTree.fromstring(net._repr_svg_())
    texts = [element.text for element in picture.iter("{http://www.w3.org/2000/svg}text")]
    assert texts == ["A", "B", "C", "D"]
    assert len(list(picture.iter("{http://www.w3.org/2000/svg}path"))) == 2 + len(net.edges)


def test_hidden_profiles(chain):
    rng = np.random.default_rng(5)
    cause = rng.normal(size=300)
    data = pd.DataFrame({f"x{i}": cause + 0.4 * rng.normal(size=300) for i in range(6)})
    net = ip.learn(data, hidden="auto", two_layer=True)
    assert net.hidden == ["H1"] and "1 hidden" in repr(net)
    profiles = net.hidden_profiles(data)
    assert abs(np.corrcoef(profiles.iloc[:, 0], cause)[0, 1]) > 0.95


def test_several_networks_impute_together(holes):
    frame = pd.DataFrame(holes[1], columns=holes[0])
    nets = [ip.learn(frame.sample(frac=1, replace=True, random_state=i)) for i in range(3)]
    found = ip.impute(nets, frame, draws=2)
    assert not found.mean.isna().any().any() and len(found.draws) == 2
    with pytest.raises(ValueError, match="at least one network"):
        ip.impute([], frame)


def test_notes_are_warnings(frame):
    with pytest.warns(ip.Note, match="column 'E' is constant"):
        ip.learn(frame.assign(E=1.0))


def test_examples():
    assert "sachs" in ip.examples()
    assert ip.example("sachs").shape == (853, 11)
    with pytest.raises(ValueError, match="nothing"):
        ip.example("nothing")
