"""The library's modules use only those above them, and ARCHITECTURE.md shows how."""

import importlib.util

from common import ROOT

SPEC = importlib.util.spec_from_file_location("module_graph", ROOT / "scripts/module_graph.py")
module_graph = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(module_graph)


def test_no_module_uses_one_below_it():
    assert list(module_graph.problems()) == []


def test_the_graph_in_the_documentation_is_that_of_the_code():
    page = (ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8")
    shown = module_graph.edges_shown(page)
    assert shown == module_graph.edges_shown(module_graph.page_with_graph(page)), (
        "run scripts/module_graph.py --write"
    )
