"""The library's modules only use those above them, and ARCHITECTURE.md shows the current graph."""

import importlib.util

from common import ROOT

SPEC = importlib.util.spec_from_file_location("module_graph", ROOT / "scripts/module_graph.py")
module_graph = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(module_graph)


def test_no_module_uses_one_below_it():
    assert list(module_graph.problems()) == []


def test_the_graph_in_the_documentation_is_up_to_date():
    page = (ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8")
    assert page == module_graph.page_with_graph(page), "run scripts/module_graph.py --write"


def found(text, path="family/rows.rs"):
    path = module_graph.SOURCE / path
    return {word for word, _ in module_graph.uses(path, text)}


def test_every_kind_of_path_to_a_module_is_found():
    assert found("use crate::{search::Move, learn::{self, Learned}};") == {"search", "learn"}
    assert found("use super::super::learn::Learned;") == {"learn"}
    assert found("use super::Gram;") == set()
    assert found("use super::search::Move;", "family/mod.rs") == {"search"}
    assert found("mod tests {\n    use super::super::Gram;\n}") == set()
    assert found("mod tests {\n    use super::super::super::search::Move;\n}") == {"search"}
    assert found("/// use idealparent::{Table, learn};") == {"data", "learn"}
    assert found("/// use idealparent::learn::Learned;") == {"learn"}
    assert found("/// use idealparent::extend::{Gram, learn_by};") == {"family", "learn"}
    assert found("use crate::{\n    // a word\n    score::Prices,\n};") == {"score"}


def test_repeated_uses_of_a_module_are_found():
    text = "use crate::data::Table;\nuse crate::data::Column;\n"
    assert list(module_graph.repeated_uses("a.rs", text))
