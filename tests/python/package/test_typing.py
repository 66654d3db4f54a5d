"""Types of the package, and of a small program that uses it."""

import pathlib
import subprocess
import sys

import pytest

import idealparent

PROGRAM = '''
import numpy as np
import idealparent as ip

values = np.random.default_rng(0).normal(size=(50, 3))
net: ip.Network = ip.learn(values, names=["A", "B", "C"], cpd="sigmoid", candidates=5, seed=1)
edges: list[tuple[str, str]] = net.edges
variance: float = net["A"].variance
again: ip.Network = ip.fit(edges, values, names=["A", "B", "C"], cpd="linear")
sure: ip.Bootstrap = ip.bootstrap(values, 10, max_parents=2)
strengths: list[tuple[str, str, float, float]] = sure.edges
best: dict[str, dict[str, float]] = ip.cross_validate(values, ["greedy", "ideal"], folds=2).summary()
distance: int = net.compare(again)["skeleton"]["shd"]
'''


@pytest.fixture(scope="module")
def mypy(tmp_path_factory):
    """Runs mypy. All runs share a cache, so that only the first checks the types of numpy."""
    cache = tmp_path_factory.mktemp("mypy")

    def run(*words, folder):
        command = [sys.executable, "-m", "mypy", "--strict", f"--cache-dir={cache}", *words]
        return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)

    return run


def test_type_errors_in_programs_are_found(mypy, tmp_path):
    (tmp_path / "program.py").write_text(PROGRAM)
    found = mypy("program.py", folder=tmp_path)
    assert found.returncode == 0, found.stdout
    (tmp_path / "wrong.py").write_text(PROGRAM + "net.edges.foo\nip.learn(values, cdp=1)\n")
    found = mypy("wrong.py", folder=tmp_path)
    assert found.returncode == 1 and found.stdout.count("error:") == 2, found.stdout


def test_the_package_passes_mypy(mypy):
    root = pathlib.Path(__file__).resolve().parents[3]
    found = mypy("--config-file", str(root / "pyproject.toml"), "python/idealparent", folder=root)
    assert found.returncode == 0, found.stdout


def test_stubs_match_the_native_module():
    command = [sys.executable, "-m", "mypy.stubtest", "idealparent._native"]
    found = subprocess.run(command, capture_output=True, text=True, check=False)
    assert found.returncode == 0, found.stdout
    assert (pathlib.Path(idealparent.__file__).parent / "py.typed").exists()
