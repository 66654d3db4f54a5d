"""Reads exported networks with the programs that they are meant for.

    cargo run --example export_sample -- FOLDER
    python3 tests/python/check_exports.py FOLDER

test_exports.py checks learned networks with the same functions. Needs Graphviz (`dot`) and
networkx. If R is installed, the bnlearn script is run too, with the package or with substitutes for
its two functions. If lavaan is installed, it reads the model.
"""

import json
import math
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as ElementTree

import networkx as nx

EDGE_KEYS = ("weight", "sign", "strength", "direction")


def run(*command, **options):
    return subprocess.run(command, check=True, capture_output=True, text=True, **options).stdout


def wanted(network):
    """Attributes of the nodes by name, and of the edges by pair of names."""
    nodes = {n["name"]: {"hidden": n["hidden"], "inactive": n["inactive"]} for n in network["nodes"]}
    edges = {}
    for edge in network["edges"]:
        found = {key: edge[key] for key in EDGE_KEYS if edge[key] is not None}
        edges[edge["from"], edge["to"]] = found
    return nodes, edges


def same_graph(graph, network):
    """Compares a networkx graph, whose node ids are the names, with the expected network."""
    nodes, edges = wanted(network)
    assert graph.is_directed() and not graph.is_multigraph()
    assert list(graph.nodes) == list(nodes), list(graph.nodes)
    for name, attributes in nodes.items():
        data = graph.nodes[name]
        assert data.get("label", name) == name and data.get("name", name) == name
        for key, value in attributes.items():
            assert data[key] is value, (name, key, data)
    assert set(graph.edges) == set(edges)
    for pair, attributes in edges.items():
        data = {key: graph.edges[pair][key] for key in EDGE_KEYS if key in graph.edges[pair]}
        assert data == attributes, (pair, data, attributes)


def unescape(text):
    """The name that a Graphviz id stands for."""
    return re.sub(r"\\(.)", lambda m: "\n" if m[1] == "n" else m[1], text)


def without_space(text):
    """Removes spaces, which pictures may render in different ways."""
    return "".join(text.split())


def check_dot(path, network):
    nodes, edges = wanted(network)
    graph = json.loads(run("dot", "-Tjson", path))
    objects = graph["objects"]
    names = [unescape(node["name"]) for node in objects]
    assert names == list(nodes), names
    for name, node in zip(names, objects):
        for key, value in nodes[name].items():
            assert node[key] == str(value).lower(), node
    found = {}
    for edge in graph["edges"]:
        data = {key: edge[key] for key in EDGE_KEYS if key in edge}
        for key in ("weight", "strength"):
            if key in data:
                data[key] = float(data[key])
        found[names[edge["tail"]], names[edge["head"]]] = data
    assert found == edges, found
    # The picture shows the names literally: nothing is interpreted as markup or as an escape.
    svg = ElementTree.fromstring(run("dot", "-Tsvg", path))
    shown = ["".join(text.itertext()) for text in svg.iter("{http://www.w3.org/2000/svg}text")]
    lines = [line for name in names for line in name.split("\n")]
    # Lines without visible characters may be left out.
    shown, lines = (sorted(filter(None, map(without_space, part))) for part in (shown, lines))
    assert shown == lines, shown


def check_svg(path, network):
    nodes, edges = wanted(network)
    space = "{http://www.w3.org/2000/svg}"
    svg = ElementTree.fromstring(path.read_text(encoding="utf-8"))
    assert not list(svg.iter(space + "script"))
    titles = [title.text for group in svg.iter(space + "g") for title in group.iter(space + "title")]
    said = {True: " (hidden)"}
    marks = [name + (said.get(data["hidden"]) or (" (never varies)" if data["inactive"] else "")) for name, data in nodes.items()]
    assert titles == marks, titles
    lines = [title.text for line in svg.iter(space + "path") for title in line.iter(space + "title")]
    assert len(lines) == len(edges)
    for source, target in edges:
        assert any(line.startswith(f"{source} → {target}: weight ") for line in lines), (source, target)


def check_sif(path, network):
    nodes, edges = wanted(network)
    seen, pairs = set(), set()
    for line in path.read_text(encoding="utf-8").splitlines():
        source, *rest = line.split("\t")
        seen.add(source)
        if rest:
            assert rest[0] == "regulates" and len(rest) == 2
            seen.add(rest[1])
            pairs.add((source, rest[1]))
    assert seen == set(nodes) and pairs == set(edges)


def close(a, b):
    return math.isclose(a, b, rel_tol=1e-12)


def weights_by_child(network):
    found = {node["name"]: {} for node in network["nodes"]}
    for edge in network["edges"]:
        found[edge["to"]][edge["from"]] = edge["weight"]
    return found


def check_bnlearn(path, network):
    """Runs the script in R and compares the distributions."""
    script = r"""
    path <- commandArgs(TRUE)[1]
    real <- requireNamespace("bnlearn", quietly = TRUE)
    if (!real) {
      library <- function(...) NULL
      model2network <- function(string) string
      custom.fit <- function(x, dist) dist
    }
    source(path, encoding = "UTF-8")
    # Names are printed as code points, so that special characters do no harm.
    code <- function(names) {
      vapply(names, function(name) paste(utf8ToInt(enc2utf8(name)), collapse = "."), "")
    }
    cat(code(if (real) modelstring(dag) else dag), "\n", sep = "")
    for (node in names(fitted)) {
      part <- fitted[[node]]
      coefs <- if (real) part$coefficients else part$coef
      cat(code(node), sprintf("%.17g", part$sd), "", sep = "\t")
      cat(paste(code(names(coefs)), sprintf("%.17g", coefs), sep = "\t"), sep = "\t")
      cat("\n")
    }
    """

    def decode(text):
        return "".join(chr(int(number)) for number in text.split("."))

    lines = rscript(script, path).splitlines()
    model = decode(lines[0])
    assert sorted(re.findall(r"\[([^|\]]+)", model)) == sorted(
        node["name"] for node in network["nodes"]
    ), model
    found = {}
    for line in lines[1:]:
        name, sd, *rest = line.split("\t")
        numbers = map(float, rest[1::2])
        found[decode(name)] = (float(sd), dict(zip(map(decode, rest[::2]), numbers)))
    weights = weights_by_child(network)
    assert set(found) == set(weights)
    for node in network["nodes"]:
        sd, coefs = found[node["name"]]
        assert close(sd, math.sqrt(node["variance"])), node
        want = {"(Intercept)": node["intercept"], **weights[node["name"]]}
        assert coefs.keys() == want.keys() and all(close(coefs[k], want[k]) for k in want), coefs


def check_lavaan(path, network):
    """Reads the model with lavaan, as `lavaan()` does, and compares its parameter table."""
    script = r"""
    options(warn = 2)
    model <- paste(readLines(commandArgs(TRUE)[1], encoding = "UTF-8"), collapse = "\n")
    table <- lavaan::lavParTable(model, fixed.x = FALSE, meanstructure = TRUE)
    cat(sprintf("%s\t%s\t%s\t%.17g\t%d\n", table$lhs, table$op, table$rhs, table$ustart,
                as.integer(table$free > 0)), sep = "")
    names <- eval(parse(commandArgs(TRUE)[2], encoding = "UTF-8"))
    cat("names", make.names(names), sep = "\t")
    """
    names = [node["name"] for node in network["nodes"]]
    with tempfile.NamedTemporaryFile("w", suffix=".txt", encoding="utf-8") as file:
        # String literals of R are like those of JSON.
        quoted = (json.dumps(name, ensure_ascii=False) for name in names)
        file.write(f"c({', '.join(quoted)})\n")
        file.flush()
        *rows, made = rscript(script, path, file.name).splitlines()
    made = dict(zip(names, made.split("\t")[1:]))
    want = {}
    for node in network["nodes"]:
        if node["inactive"]:
            # The model leaves out variables that never vary, since lavaan cannot fit them.
            continue
        want[made[node["name"]], "~1", ""] = node["intercept"]
        want[made[node["name"]], "~~", made[node["name"]]] = node["variance"]
    for edge in network["edges"]:
        want[made[edge["to"]], "~", made[edge["from"]]] = edge["weight"]
    found = {}
    for row in rows:
        left, operator, right, start, free = row.split("\t")
        assert free == "1", row
        found[left, operator, right] = float(start)
    assert found.keys() == want.keys(), found.keys() ^ want.keys()
    assert all(close(found[key], want[key]) for key in want), found


def rscript(script, *arguments):
    with tempfile.NamedTemporaryFile("w", suffix=".R") as file:
        file.write(script)
        file.flush()
        return run("Rscript", "--vanilla", file.name, *arguments)


def has_package(name):
    if not shutil.which("Rscript"):
        return False
    code = f'quit(status = !requireNamespace("{name}", quietly = TRUE))'
    return subprocess.run(["Rscript", "-e", code], capture_output=True).returncode == 0


def check_graphml(path, network):
    same_graph(nx.read_graphml(path), network)


def check_gexf(path, network):
    same_graph(nx.read_gexf(path), network)


def check_cyjs(path, network):
    cytoscape = json.loads(path.read_text(encoding="utf-8"))
    same_graph(nx.cytoscape_graph(cytoscape), network)
    ids = [part["data"]["id"] for kind in ("nodes", "edges") for part in cytoscape["elements"][kind]]
    assert len(set(ids)) == len(ids), "ids of nodes and edges must be unique"


# Formats that allow any name, and formats that do not.
ANY_NAME = {
    "dot": check_dot,
    "graphml": check_graphml,
    "gexf": check_gexf,
    "cyjs": check_cyjs,
    "svg": check_svg,
}
PLAIN_NAMES = {"sif": check_sif, "bnlearn": check_bnlearn, "lavaan": check_lavaan}


def why_not(format):
    """Why a format cannot be checked here, or None."""
    if format == "dot" and not shutil.which("dot"):
        return "Graphviz (dot) is not installed"
    if format in ("bnlearn", "lavaan") and not shutil.which("Rscript"):
        return "R is not installed"
    if format == "lavaan" and not has_package("lavaan"):
        return "the R package lavaan is not installed"
    return None


def main(folder):
    expected = json.loads((folder / "expected.json").read_text(encoding="utf-8"))
    for checks, network in ((ANY_NAME, expected["hostile"]), (PLAIN_NAMES, expected["plain"])):
        for format, check in checks.items():
            if reason := why_not(format):
                print(f"{format}: not checked, {reason}")
                continue
            check(folder / f"sample.{format}", network)
            print(f"{format}: as expected")
    if not why_not("bnlearn") and not has_package("bnlearn"):
        print("bnlearn was checked without the package, with substitutes for its functions")


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    main(pathlib.Path(sys.argv[1]))
