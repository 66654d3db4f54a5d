"""Every option is declared once, in the library, and is available everywhere."""

import inspect
import json
import pathlib
import re
import subprocess
import sys

import idealparent as ip
import pytest
from common import COMMAND, idealparent
from idealparent import _declared

ROOT = pathlib.Path(__file__).resolve().parents[2]
DECLARED = json.loads(subprocess.run([COMMAND, "options"], check=True, capture_output=True).stdout)
LEARN = {option["name"]: option for option in DECLARED["learn"]}
READ = {option["name"]: option for option in DECLARED["read"]}
# A value other than the default for every recorded option, and the options that it needs.
GIVEN = {
    "cpd": ("sigmoid", {}),
    "bias": (True, {"cpd": "sigmoid"}),
    "baseline": (True, {"cpd": "product"}),
    "score": ("bic", {}),
    "gamma": (0.5, {}),
    "penalty": (2.0, {}),
    "alpha_w": (20.0, {"score": "bge"}),
    "missing": ("mean-field", {}),
    "exp2": (True, {}),
    "standardize": (True, {}),
    "method": ("greedy", {}),
    "candidates": (1, {}),
    "measure": ("c2", {}),
    "hidden": (1, {}),
    "min_children": (4, {"hidden": 1}),
    "two_layer": (True, {"hidden": 1}),
    "search": ("hill", {}),
    "tabu_length": (7, {"search": "tabu"}),
    "effort": (0.5, {}),
    "restarts": (1, {}),
    "perturb": (3, {}),
    "moves": (["add", "delete"], {}),
    "max_parents": (1, {}),
    "require": ([("a", "b")], {}),
    "forbid": ([("a", "b")], {}),
    "start": ([("a", "b")], {}),
    "tiers": ([["a"], ["b"]], {}),
}
NOT_RECORDED = {"seed"}


def in_help(command):
    text = idealparent(command, "--help-all")
    return set(re.findall(r"^ +(?:-\w, )?--([a-z0-9-]+)", text, re.MULTILINE))


def test_every_option_is_in_the_help_of_learn():
    words = {name.replace("_", "-") for name in [*LEARN, *READ]}
    assert words <= in_help("learn")


@pytest.mark.parametrize("command", ["rank", "score", "fit", "learn", "cv", "bootstrap"])
def test_commands_take_the_options_declared_for_them(command):
    name = "learn" if command == "bootstrap" else command
    taken = {option for option in LEARN if name in LEARN[option]["commands"]}
    # `fit --hidden` names the hidden variables of a structure.
    own = {"hidden"} if command == "fit" else set()
    found = {word.replace("-", "_") for word in in_help(command)}
    assert found & {*LEARN, *READ} == taken | {*READ} | own


@pytest.mark.parametrize(("function", "command"), [(ip.fit, "fit"), (ip.cross_validate, "cv")])
def test_functions_take_the_options_declared_for_their_command(function, command):
    refused = [name for name in LEARN if command not in LEARN[name]["commands"] and name != "hidden"]
    first = ([("a", "b")],) if function is ip.fit else ()
    for name in refused:
        with pytest.raises(TypeError, match=f"there is no option '{name}'"):
            function(*first, {"a": [1.0, 2.0, 4.0], "b": [2.0, 1.0, 3.0]}, **{name: GIVEN.get(name, (1,))[0]})


def test_the_short_help_is_short():
    shown = set(re.findall(r"^ +(?:-\w, )?--([a-z0-9-]+)", idealparent("learn", "--help"), re.MULTILINE))
    everyday = {name.replace("_", "-") for name, option in {**LEARN, **READ}.items() if option["everyday"]}
    assert everyday <= shown and len(shown) < 22


def test_python_takes_every_option():
    assert set(_declared.Options.__annotations__) == {*LEARN, *READ, "names"}
    parameters = set(inspect.signature(ip.IdealParent).parameters)
    renamed = {"score": "criterion", "seed": "random_state"}
    assert parameters == {renamed.get(name, name) for name in LEARN} | {"threads"}


def test_every_option_is_on_the_reference_page():
    page = (ROOT / "docs/options.md").read_text()
    for name in [*LEARN, *READ]:
        assert f"`--{name.replace('_', '-')}" in page


def test_generated_files_are_up_to_date():
    command = [sys.executable, ROOT / "scripts/options.py", "--check", "--idealparent", COMMAND]
    checked = subprocess.run(command, capture_output=True, text=True)
    assert checked.returncode == 0, checked.stdout


def test_every_option_is_tested_here():
    assert set(GIVEN) | NOT_RECORDED == set(LEARN)


@pytest.mark.parametrize("name", GIVEN)
def test_every_option_is_recorded(name):
    rows = [[i % 7, (i * i) % 11, (3 * i) % 5 + i % 7, (i * 5) % 9, (i * 7) % 13] for i in range(1, 60)]
    columns = dict(zip("abcde", map(list, zip(*rows, strict=True)), strict=True))
    columns = {key: [float(value) + 0.5 for value in values] for key, values in columns.items()}
    value, others = GIVEN[name]
    network = json.loads(ip.learn(columns, **{name: value}, **others).to_json())
    plain = json.loads(ip.learn(columns, **others).to_json())
    recorded = network["provenance"]["options"]
    assert name in recorded
    assert recorded != plain["provenance"]["options"]


def test_earlier_names_are_accepted():
    columns = {"a": [1.0, 2.0, 3.5, 4.0, 5.5, 6.0], "b": [2.0, 1.0, 4.0, 3.0, 6.0, 5.0]}
    assert ip.learn(columns, k=1).to_json() == ip.learn(columns, candidates=1).to_json()
    assert ip.learn(columns, posterior="mean-field").to_json() == ip.learn(columns, missing="mean-field").to_json()
    with pytest.raises(TypeError, match="are the same option"):
        ip.learn(columns, k=1, candidates=2)
