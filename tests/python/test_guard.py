"""The outputs of some eighty commands are those last recorded.

`tests/guard/guard.py record tests/guard/reference` records them again.
"""

import importlib.util
import sys

import pytest
from common import COMMAND, PAPER, ROOT

GUARD = ROOT / "tests/guard"
sys.path.insert(0, str(GUARD))
SPEC = importlib.util.spec_from_file_location("guard", GUARD / "guard.py")
guard = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(guard)

PROGRAMS = {"idealparent": COMMAND, "paper": PAPER, "python": sys.executable}


@pytest.mark.parametrize("case", guard.CASES, ids=lambda case: case[0])
def test_outputs_are_those_recorded(case):
    found = list(guard.differences(case, GUARD / "reference", PROGRAMS, exact=False))
    assert not found, "\n".join(found)
