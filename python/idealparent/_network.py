"""The class Network, and functions of several networks."""

from __future__ import annotations

import copy
import json
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Unpack

import numpy as np
import numpy.typing as npt

from . import _native
from ._data import Data, TableOptions, given, to_frame
from ._declared import KINDS
from ._errors import one_name, path_of, shown, text_of, whole
from ._extras import extra
from ._files import check_places, write
from ._native import Network as NativeNetwork
from ._notes import some_of, tell
from ._options import ScoreOptions, parted, word

Array = npt.NDArray[np.float64]

_MAX_DRAWN = 300


@dataclass(frozen=True)
class Cpd:
    """The conditional density of a variable given its parents, in the units of the data.

    >>> import idealparent as ip
    >>> cpd = ip.learn(ip.example("sachs"))["Raf"]
    >>> cpd.kind, sorted(cpd.parameters)
    ('linear', ['intercept', 'variance', 'weights'])
    """

    variable: str
    """Name of the variable."""
    kind: str
    """linear, sigmoid or product."""
    parents: tuple[str, ...]
    """Names of the parents."""
    parameters: dict[str, Any]
    """The parameters, as in the network file."""
    inactive: bool = False
    """Whether the variable is constant or never observed in the training data."""

    def __hash__(self) -> int:
        return hash((self.variable, self.kind, self.parents))

    @property
    def variance(self) -> float:
        """The variance of the noise."""
        return float(self.parameters["variance"])

    def mean(self, parents: Mapping[str, Any] | None = None) -> Any:
        """The expected value given the parents' values: numbers, or arrays of equal length."""
        values = parents or {}
        absent = [name for name in self.parents if name not in values]
        if absent:
            raise ValueError(f"the value of '{absent[0]}' is missing")
        inputs = [np.asarray(values[name], dtype=np.float64) for name in self.parents]
        p = self.parameters
        if self.kind == "linear":
            terms = (w * u for w, u in zip(p["weights"], inputs, strict=True))
            return p["intercept"] + sum(terms, start=np.float64(0.0))
        if self.kind == "sigmoid":
            eta = p["bias"] + sum((w * u for w, u in zip(p["weights"], inputs, strict=True)), start=np.float64(0.0))
            return p["offset"] + p["scale"] * 0.5 * (1.0 + np.tanh(0.5 * eta))
        product = np.float64(1.0)
        for factor, u in zip(p["factors"], inputs, strict=True):
            y = np.maximum(factor["weight"] * u, 0.0)
            product = product * (y / (1.0 + y) if factor["kind"] == "activator" else 1.0 / (1.0 + y))
        return p["offset"] + p["scale"] * product


@dataclass(frozen=True)
class Imputation:
    """The result of an imputation."""

    mean: Any
    """The table with missing values replaced by posterior means."""
    sd: Any
    """Posterior standard deviations; 0 for observed values."""
    draws: list[Any]
    """Tables with missing values replaced by draws from the posterior."""


@dataclass(frozen=True)
class Run:
    """The run that learned a network, for its report."""

    table: _native.Table
    lines: list[str]
    """Lines of the trace."""
    name: str
    """File name of the data, or an empty string."""
    words: list[str]
    """Command-line options that select the table."""
    notes: list[str]


def command_words(table: TableOptions) -> list[str]:
    """Options of a table as on the command line; lists of names become names of files."""
    words: list[str] = []
    for name, kind in KINDS.items():
        value: Any = table.get(name)
        option = f"--{name.replace('_', '-')}"
        if value is None or (kind == "flag" and not value):
            continue
        if kind == "flag":
            words.append(option)
        elif kind == "name_file":
            words += [option, f"{name}.txt"]
        elif kind == "names":
            for part in value:
                words += [option, str(part)]
        elif kind == "yes_no":
            words += [option, "yes" if value else "no"]
        else:
            words += [option, str(value)]
    return words


def named(data: Any) -> str:
    """The file name of the data, or an empty string for a table in memory."""
    return os.fsdecode(data) if isinstance(data, (str, os.PathLike)) else ""


class Network:
    """A Bayesian network, as returned by `learn`, `fit` and `load`.

    >>> import idealparent as ip
    >>> net = ip.learn(ip.example("sachs"))
    >>> len(net), net.score_name
    (11, 'ebic')
    """

    __slots__ = ("__dict__", "_native", "_run", "info")

    _native: NativeNetwork
    _run: Run | None
    info: dict[str, Any]
    """Figures of the run, as printed by `learn --json`; empty for a loaded network."""

    def __init__(self, native: NativeNetwork, info: Mapping[str, Any] | None = None) -> None:
        if not isinstance(native, NativeNetwork):
            raise TypeError("networks are made by learn and fit; for a file use idealparent.load(path)")
        self._native = native
        self._run = None
        self.info = dict(info or {})

    @classmethod
    def from_json(cls, text: str) -> Network:
        """Reads a network from the text of a network file."""
        return cls(_native.Network.from_json(text_of(text, "text")))

    def to_json(self) -> str:
        """The text of the network file."""
        return self._native.to_json()

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes the network to a file atomically: the file is never incomplete."""
        write(path_of(path, "path"), self.to_json())

    @cached_property
    def _file(self) -> dict[str, Any]:
        content: dict[str, Any] = json.loads(self.to_json())
        return content

    @cached_property
    def _families(self) -> dict[str, Cpd]:
        def cpd(family: dict[str, Any]) -> Cpd:
            parameters = dict(family["cpd"])
            kind = parameters.pop("type")
            inactive = bool(family.get("inactive", False))
            return Cpd(family["variable"], kind, tuple(family["parents"]), parameters, inactive)

        return {family["variable"]: cpd(family) for family in self._file["families"]}

    @property
    def variables(self) -> list[str]:
        """Names of all variables, hidden ones last."""
        return [variable["name"] for variable in self._file["variables"]]

    @property
    def hidden(self) -> list[str]:
        """Names of the hidden variables."""
        return [variable["name"] for variable in self._file["variables"] if variable["hidden"]]

    @property
    def edges(self) -> list[tuple[str, str]]:
        """All edges, `(from, to)`."""
        return [(parent, cpd.variable) for cpd in self._families.values() for parent in cpd.parents]

    def parents(self, variable: str) -> list[str]:
        """Names of a variable's parents."""
        return list(self[variable].parents)

    def children(self, variable: str) -> list[str]:
        """Names of a variable's children."""
        self[variable]
        return [cpd.variable for cpd in self._families.values() if variable in cpd.parents]

    def strengths(self) -> dict[tuple[str, str], float]:
        """The strength of every edge: the score lost when the edge is deleted."""
        found: dict[tuple[str, str], float] = {}
        for family in self._file["families"]:
            for parent, strength in zip(family["parents"], family.get("strengths", []), strict=False):
                found[parent, family["variable"]] = strength
        return found

    @property
    def score(self) -> float:
        """The score on the training data; NaN if none is recorded."""
        return float((self._file.get("score") or {}).get("value", np.nan))

    @property
    def optimal(self) -> bool:
        """Whether the search has shown that no network scores higher (`search="exact"`)."""
        return bool(self.info.get("optimal", False))

    @property
    def score_name(self) -> str | None:
        """The name of the score, for example "ebic"; None if no score is recorded."""
        name: str | None = (self._file.get("score") or {}).get("name")
        return name

    @property
    def provenance(self) -> dict[str, Any]:
        """How the network was learned: version, options, seed and data."""
        return copy.deepcopy(self._file.get("provenance") or {})

    def __getitem__(self, variable: str) -> Cpd:
        try:
            own = self._families[variable]
            return replace(own, parameters=copy.deepcopy(own.parameters))
        except (KeyError, TypeError):
            raise KeyError(f"no variable is called {variable!r}") from None

    def __iter__(self) -> Iterator[str]:
        return iter(self.variables)

    def __contains__(self, variable: object) -> bool:
        return variable in self._families

    def __len__(self) -> int:
        return len(self._families)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Network):
            return NotImplemented
        return self.to_json() == other.to_json()

    def __hash__(self) -> int:
        return hash(self.to_json())

    def __reduce__(self) -> tuple[Any, ...]:
        return _restored, (self.to_json(), self.info)

    def __repr__(self) -> str:
        hidden = f", {len(self.hidden)} hidden" if self.hidden else ""
        kinds = sorted({cpd.kind for cpd in self._families.values() if cpd.parents})
        score = f", {self.score_name} {self.score:.6g}" if self.score_name else ""
        shown = f" {'/'.join(kinds)}" if kinds else ""
        return f"<Network: {len(self)} variables{hidden}, {len(self.edges)}{shown} edges{score}>"

    def _repr_svg_(self) -> str | None:
        # A picture of a large network is not useful in a notebook.
        if len(self) > _MAX_DRAWN:
            return None
        try:
            return self.to_svg()
        except ValueError:
            # A name has characters that SVG cannot represent.
            return None

    def report(
        self,
        path: str | os.PathLike[str],
        data: Data = None,
        *,
        trace: str | os.PathLike[str] | None = None,
        bootstrap: Any = None,
        title: str | None = None,
        **table: Unpack[TableOptions],
    ) -> None:
        """Writes a report: a self-contained HTML page that shows the network.

        The page contains the graph, the densities with the data, candidate parents, the search,
        missing values and hidden variables. By default it uses the data and the trace of the run
        that learned the network in this process. `data` and `trace` (a file) replace them.
        `bootstrap` is the result of `idealparent.bootstrap`.
        """
        check_places([data, trace], [("path", path)])
        run = self._run
        title = None if title is None else text_of(title, "title")
        edges = [] if bootstrap is None else _bootstrap_edges(bootstrap)
        notes: list[str] = []
        words: list[str] | None = None
        if data is not None:
            source, name = _given(data, table, self.variables).table, named(data)
            words = [name, *command_words(table)] if name else None
            learned = self.provenance.get("data", {}).get("sha256")
            if learned is not None and learned != source.sha256():
                notes.append("these are not the data the network was learned from")
                words = ["DATA"]
        else:
            source, name = (None, "") if run is None else (run.table, run.name)
            words = None if run is None or not name else [name, *run.words]
            notes = [] if run is None else run.notes
        lines = [] if run is None else run.lines
        if trace is not None:
            lines = _native.read_trace(path_of(trace, "trace"))
        shown = title or (f"Network of {os.path.basename(name).removesuffix('.gz').rsplit('.', 1)[0]}" if name else "Network")
        write(path, self._native.report(source, lines, edges, shown, words or ["DATA"], notes))

    def to_png(self, scale: float | None = None) -> bytes:
        """The picture of `to_svg` as a PNG.

        `scale` is the number of pixels per unit of the SVG. The default is 2, or less if the image
        would be too large.
        """
        return self._native.png(None if scale is None else float(scale))

    def to_svg(self) -> str:
        """A picture of the network as SVG.

        Parents are above their children. Hidden variables are dashed, positive edges are blue and
        negative edges orange.
        """
        return self.export("svg")

    def evaluate(self, data: Data, **options: Unpack[ScoreOptions]) -> dict[str, Any]:
        """Likelihood and score of a table, total and per variable, as printed by `score --json`.

        The score is the one that the network was learned with, unless changed by `score`, `gamma`,
        `penalty` or `alpha_w`.
        """
        table, score = parted(options, ScoreOptions)
        words = [(name, word(name, value)) for name, value in score.items() if value is not None]
        source = given(data, needed=self.variables, **table)
        result: dict[str, Any] = json.loads(self._native.evaluate(source.table, words))
        # JSON has no infinity, so that the number may be a text.
        result["score"] = float(result["score"])
        return result

    def log_likelihood(self, data: Data, **table: Unpack[TableOptions]) -> float:
        """The log-likelihood of a table.

        It is an estimate if the network is not linear and values are missing or variables hidden.
        """
        found = self.evaluate(data, **table)
        return float(found["log_likelihood"] if "log_likelihood" in found else found["estimate"])

    def log_likelihoods(self, data: Data, **table: Unpack[TableOptions]) -> Array:
        """The log-likelihood of every instance."""
        return self._native.log_likelihoods(_given(data, table, self.variables).table)

    def impute(self, data: Data, *, draws: int = 0, seed: int = 0, **table: Unpack[TableOptions]) -> Any:
        """Replaces missing values by their posterior means.

        With `draws`, the result is an `Imputation`. It also contains that many tables whose missing
        entries are drawn from the posterior.

        >>> import idealparent as ip
        >>> genes = ip.example("ecoli70-holes")
        >>> filled = ip.learn(genes).impute(genes)
        >>> int(filled.isna().sum().sum())
        0
        """
        found = impute([self], data, draws=draws, seed=seed, **table)
        return found if draws else found.mean

    def predict(self, data: Data, target: str, **table: Unpack[TableOptions]) -> Any:
        """The posterior mean and standard deviation of one variable given the others.

        The columns of the result are `mean` and `sd`.
        """
        target = one_name(target, "target")
        source = _given(data, table, self.variables)
        mean, sd, absent = self._native.predict(source.table, target)
        if absent:
            tell([f"not in the data, treated as missing: {some_of(absent)}"])
        return source.back(_native.Table(["mean", "sd"], [mean, sd], source.table.row_names))

    def sample(self, n: int, seed: int = 0) -> Any:
        """Draws instances: a pandas DataFrame if pandas is installed, otherwise arrays by name."""
        return to_frame(self._native.sample(whole(n, "n", 0), whole(seed, "seed", 0, 2**64 - 1)))

    def hidden_profiles(self, data: Data, **table: Unpack[TableOptions]) -> Any:
        """The posterior mean and standard deviation of every hidden variable, per instance."""
        source = _given(data, table, self.variables)
        return source.back(self._native.hidden_profiles(source.table))

    def export(self, format: str) -> str:
        """The network in the format of another program.

        Formats are dot, graphml, gexf, cyjs, sif, tsv, bnlearn, lavaan and svg.
        """
        return self._native.export(text_of(format, "format"))

    def to_dot(self) -> str:
        """The network in the format of Graphviz."""
        return self.export("dot")

    def to_networkx(self) -> Any:
        """The network as a networkx DiGraph.

        Nodes have the attribute `hidden`. Edges have `weight`, `kind` and, if known, `strength`.
        """
        nx = extra("networkx")

        graph = nx.DiGraph()
        hidden = set(self.hidden)
        for name in self.variables:
            graph.add_node(name, hidden=name in hidden)
        strengths = self.strengths()
        for cpd in self._families.values():
            weights = cpd.parameters.get("weights") or [f["weight"] for f in cpd.parameters.get("factors", [])]
            for parent, weight in zip(cpd.parents, weights, strict=True):
                known = {"strength": strengths[parent, cpd.variable]} if (parent, cpd.variable) in strengths else {}
                graph.add_edge(parent, cpd.variable, weight=weight, kind=cpd.kind, **known)
        return graph

    def to_numpy_adjacency(self) -> npt.NDArray[np.int8]:
        """The adjacency matrix, in the order of `variables`: 1 in row `from`, column `to`."""
        place = {name: i for i, name in enumerate(self.variables)}
        matrix = np.zeros((len(place), len(place)), dtype=np.int8)
        for parent, child in self.edges:
            matrix[place[parent], place[child]] = 1
        return matrix

    def to_pandas_adjacency(self) -> Any:
        """The adjacency matrix as a pandas DataFrame with names."""
        pd = extra("pandas")

        names = self.variables
        return pd.DataFrame(self.to_numpy_adjacency(), index=names, columns=names)

    def compare(self, other: Any) -> dict[str, Any]:
        """Compares the structure with another network or list of edges, like `compare --json`."""
        return compare(self, other)


def _given(data: Data, table: TableOptions, needed: Sequence[str]) -> Any:
    return given(data, needed=needed, **parted(table, TableOptions)[0])


def _restored(text: str, info: dict[str, Any]) -> Network:
    network = Network.from_json(text)
    network.info = info
    return network


def _bootstrap_edges(given: Any) -> list[tuple[str, str, float, float]]:
    from ._bootstrap import Bootstrap

    if not isinstance(given, Bootstrap):
        raise TypeError(f"bootstrap: {shown(given)} is not a result of idealparent.bootstrap")
    return list(given.edges)


def structure(given: Any, what: str) -> Any:
    """Converts a structure for the native module: to a native network, edges or a path.

    An error names the argument `what`.
    """
    from ._options import edges

    if isinstance(given, Network):
        return given._native
    if isinstance(given, (str, os.PathLike)):
        return path_of(given, what)
    if given is None or isinstance(given, Mapping):
        # Both would count as a network without edges.
        raise TypeError(f"{what}: {shown(given)} is not a network or a list of edges")
    return edges(given, what)


def compare(learned: Any, reference: Any) -> dict[str, Any]:
    """Compares two structures: networks, lists of edges, or files of either.

    Returns the structural Hamming distance, precision, recall and F1 of the skeletons, of the
    directed edges and of the equivalence classes.

    >>> import idealparent as ip
    >>> ip.compare([("A", "B")], [("B", "A")])["directed"]["f1"]
    0.0
    """
    result: dict[str, Any] = json.loads(_native.compare(structure(learned, "learned"), structure(reference, "reference")))
    return result


def impute(networks: Any, data: Data, *, draws: int = 0, seed: int = 0, **table: Unpack[TableOptions]) -> Imputation:
    """Imputes missing values with the average of several networks' posteriors."""
    several = [networks] if isinstance(networks, Network) else list(networks) if isinstance(networks, Iterable) else []
    if not several:
        raise ValueError("networks: expected a list of at least one network")
    for network in several:
        if not isinstance(network, Network):
            raise ValueError(f"networks: {shown(network)} is not a network")
    source = _given(data, table, [name for network in several for name in network.variables])
    natives = [network._native for network in several]
    draws, seed = whole(draws, "draws", 0), whole(seed, "seed", 0, 2**64 - 1)
    mean, sd, drawn, unknown, absent = _native.impute(natives, source.table, draws, seed)
    if unknown:
        tell([f"not in any network, left unfilled: {some_of(unknown)}"])
    if absent:
        tell([f"not in the data, treated as missing: {some_of(absent)}"])
    return Imputation(source.back(mean), source.back(sd), [source.back(table) for table in drawn])
