"""Networks exported in other programs' formats are read correctly by those programs."""

import json
import os
import pathlib
import re
import subprocess

import numpy as np
import pytest

import check_exports
import common
from common import idealparent

# Names that need quoting or escaping in some format. The last column is constant.
HOSTILE = [
    "<script>alert(1)</script>",
    "say \"hi\" & 'bye' &amp; \\N \\",
    "two\nlines, a comma and a\ttab",
    "β-catenin ]]>",
    "e0",
    "2nd",
    "  spaces  ",
    "if",
    "__proto__",
    "constant",
]


# Names that are tested one at a time, because one name could hide the effect of another.
ONE_BY_ONE = [
    '"',
    'say "hi"',
    "it's",
    "two\nlines",
    "ends in a line break\n",
    "carriage\rreturn",
    "tab\there",
    "a -> b",
    "<script>alert(1)</script>",
    "<<b>>",
    "日本語 😀",
    "שלום",
    "right \u202e to left",
    "\ufeffmark",
    "]]>",
    "<![CDATA[x]]>",
    "\\",
    "ends in \\",
    "\\N",
    "%",
    "%s%d 100%",
    "# x",
    "// x /* y */",
    "; { }",
    "[a|b:c]",
    "&amp; &#65;",
    "subgraph",
    "-1.5",
    "~~ start(3)*y",
    "$(x) `y`",
    " blanks ",
    "line\u2028separator",
    "escape\x1b",
    "nul\x00",
    "(Intercept)",
    "A regulates B",
    '"]; evil -> x [',
]


def chain(names):
    """A network file whose variables form a chain, except for the last one, which is separate."""
    families = []
    for at, name in enumerate(names):
        parents = [names[at - 1]] if 0 < at < len(names) - 1 else []
        cpd = {"type": "linear", "intercept": 0.5 - at, "weights": [-0.25] * len(parents), "variance": 1.0 + at}
        strengths = [2.5] * len(parents)
        families.append({"variable": name, "parents": parents, "cpd": cpd, "strengths": strengths})
    return {
        "format": "idealparent-network",
        "version": 1,
        "transform": "none",
        "variables": [{"name": name, "hidden": False} for name in names],
        "families": families,
    }


def compelled(pairs):
    """The directed edges of the equivalence class: v-structures, and those that follow by Meek's
    rules.
    """
    parents, adjacent = {}, {}
    for parent, child in pairs:
        parents.setdefault(child, set()).add(parent)
        adjacent.setdefault(parent, set()).add(child)
        adjacent.setdefault(child, set()).add(parent)
    arrows = {
        (x, y)
        for y, above in parents.items()
        for x in above
        if any(z not in adjacent[x] for z in above - {x})
    }
    while True:
        new = set()
        for a, b in pairs - arrows:
            into = {x for x, y in arrows if y == b}
            out = {y for x, y in arrows if x == a}
            above = {x for x, y in arrows if y == a}
            # x -> a - b with x and b not adjacent; a -> x -> b.
            if above - adjacent[b] or out & into:
                new.add((a, b))
            # a - x -> b and a - y -> b with x and y not adjacent.
            sides = {
                x
                for x in into & adjacent[a]
                if (a, x) not in arrows and (x, a) not in arrows
            }
            if any(y not in adjacent[x] for x in sides for y in sides - {x}):
                new.add((a, b))
        if new <= arrows:
            return arrows
        arrows |= new


def expected(network):
    """The content of a network file in the form that check_exports expects."""
    pairs = common.edges(network)
    arrows = compelled(pairs)
    hidden = {v["name"]: v["hidden"] for v in network["variables"]}
    nodes, edges = [], []
    for family in network["families"]:
        child, cpd = family["variable"], family["cpd"]
        nodes.append(
            {
                "name": child,
                "hidden": hidden[child],
                "inactive": family.get("inactive", False),
                "intercept": cpd["intercept"],
                "variance": cpd["variance"],
            }
        )
        strengths = family.get("strengths", [])
        for parent, weight, strength in zip(family["parents"], cpd["weights"], strengths, strict=True):
            edges.append(
                {
                    "from": parent,
                    "to": child,
                    "weight": weight,
                    "sign": "negative" if weight < 0 else "positive",
                    "strength": strength,
                    "direction": "compelled" if (parent, child) in arrows else "reversible",
                }
            )
    return {"nodes": nodes, "edges": edges}


@pytest.fixture(scope="module")
def networks(tables, tmp_path_factory):
    """Network files by name."""
    folder = tmp_path_factory.mktemp("networks")
    rng = np.random.default_rng(2)
    values = rng.normal(size=(300, len(HOSTILE)))
    # A collider with a descendant, and two pairs: compelled and reversible edges.
    arrows = [(3, 2, -2.0), (4, 2, 1.0), (2, 0, 0.7), (5, 6, 1.0), (7, 8, -0.8)]
    for parent, child, weight in arrows:
        values[:, child] += weight * values[:, parent]
    values[:, -1] = 4.5
    hostile = common.write_table(folder / "hostile.tsv", HOSTILE, values)
    found = {"hostile": folder / "hostile.json"}
    idealparent("learn", hostile, "-o", found["hostile"])
    for name in ("sachs", "ecoli70"):
        found[name] = folder / f"{name}.json"
        idealparent("learn", tables.path(name), "-o", found[name])
    return found


def exported(network, format, folder):
    path = folder / f"network.{format}"
    idealparent("export", network, "--format", format, "-o", path)
    # The output is the same on standard output.
    assert idealparent("export", network, "--format", format) == path.read_bytes().decode("utf-8")
    return path


def test_the_hostile_network_has_edges_of_every_kind(networks):
    network = expected(common.read_json(networks["hostile"]))
    assert [node["name"] for node in network["nodes"]] == HOSTILE
    assert {edge["direction"] for edge in network["edges"]} == {"compelled", "reversible"}
    assert {edge["sign"] for edge in network["edges"]} == {"positive", "negative"}
    assert [node["name"] for node in network["nodes"] if node["inactive"]] == ["constant"]


@pytest.mark.parametrize("format", check_exports.ANY_NAME)
@pytest.mark.parametrize("name", ["hostile", "sachs", "ecoli70"])
def test_formats_that_allow_any_name_read_back(networks, tmp_path, name, format):
    if reason := check_exports.why_not(format):
        common.lacking(reason)
    network = expected(common.read_json(networks[name]))
    check_exports.ANY_NAME[format](exported(networks[name], format, tmp_path), network)


@pytest.mark.parametrize("format", check_exports.PLAIN_NAMES)
@pytest.mark.parametrize("name", ["sachs", "ecoli70"])
def test_formats_that_allow_plain_names_read_back(networks, tmp_path, name, format):
    if reason := check_exports.why_not(format):
        pytest.skip(reason)
    network = expected(common.read_json(networks[name]))
    check_exports.PLAIN_NAMES[format](exported(networks[name], format, tmp_path), network)


@pytest.mark.parametrize("name", ["sachs", "ecoli70"])
def test_lavaan_models_have_the_parameters(networks, tmp_path, name):
    """Parses the file without R."""
    network = expected(common.read_json(networks[name]))
    found = {}
    for line in exported(networks[name], "lavaan", tmp_path).read_text().splitlines():
        if not line or line.startswith("#"):
            continue
        left, operator, right = re.fullmatch(r"(\S+) (~~?) (.*)", line).groups()
        for term in right.split(" + "):
            start, target = re.fullmatch(r"start\((\S+)\)\*(\S+)", term).groups()
            found[left, operator, target] = float(start)
    wanted = {}
    for node in network["nodes"]:
        wanted[node["name"], "~", "1"] = node["intercept"]
        wanted[node["name"], "~~", node["name"]] = node["variance"]
    for edge in network["edges"]:
        wanted[edge["to"], "~", edge["from"]] = edge["weight"]
    assert found == wanted


@pytest.mark.parametrize("format", ["sif", "bnlearn", "lavaan"])
def test_names_that_a_format_does_not_allow_are_refused(networks, tmp_path, format):
    """An export either reads back, or is refused in one line and writes nothing."""
    path = tmp_path / "network"
    result = idealparent("export", networks["hostile"], "--format", format, "-o", path, ok=False)
    if result.returncode == 0:
        if reason := check_exports.why_not(format):
            pytest.skip(reason)
        network = expected(common.read_json(networks["hostile"]))
        check_exports.PLAIN_NAMES[format](path, network)
    else:
        assert result.returncode == 1 and result.stderr.count("\n") == 1
        assert result.stderr.startswith(f"error: {format} export") and not path.exists()


@pytest.mark.parametrize("format", check_exports.ANY_NAME | check_exports.PLAIN_NAMES)
def test_every_name_reads_back_or_is_refused(tmp_path, format):
    if reason := check_exports.why_not(format):
        pytest.skip(reason)
    check = (check_exports.ANY_NAME | check_exports.PLAIN_NAMES)[format]
    # Only some names for lavaan, since loading it takes seconds.
    names = ONE_BY_ONE[2::4] if format == "lavaan" else ONE_BY_ONE
    taken = 0
    for name in names:
        network = chain(["first", name, "third", "alone"])
        file, path = tmp_path / "network.json", tmp_path / "network"
        file.write_text(json.dumps(network), encoding="utf-8")
        result = idealparent("export", file, "--format", format, "-o", path, ok=False)
        if result.returncode == 0:
            check(path, expected(network))
            taken += 1
        else:
            assert result.returncode == 1 and result.stderr.count("\n") == 1, name
            assert result.stderr.startswith(f"error: {format} export: the name of variable '"), name
    assert taken > len(names) / 2


def test_the_example_export_sample_reads_back(tmp_path):
    """A sample network of the library with a hidden variable."""
    examples = os.environ.get("IDEALPARENT_EXAMPLES") or common.COMMAND.with_name("examples")
    program = pathlib.Path(examples) / "export_sample"
    if not program.exists():
        common.lacking("the example export_sample is not built (cargo build --release --workspace --examples)")
    subprocess.run([program, tmp_path], check=True)
    check_exports.main(tmp_path)
