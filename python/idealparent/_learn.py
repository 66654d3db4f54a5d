"""Functions that learn networks from tables."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable
from typing import Any, Unpack

from . import _native
from ._data import Data, TableOptions, given, to_frame
from ._declared import WORDS
from ._errors import names_of, one_name, path_of, text_of
from ._files import check_places, write
from ._network import Imputation, Network, Run, command_words, compare, impute, named
from ._network import structure as native_structure
from ._notes import tell
from ._options import LISTS, FitOptions, Options, asked, check, parted
from ._watch import Callback, behaviour, check_callback, resumed, watching

__all__ = ["compare", "example", "example_truth", "examples", "fit", "impute", "learn", "load", "rank_parents", "Imputation"]


def learn(
    data: Data,
    *,
    threads: int | None = None,
    time_limit: float | None = None,
    callback: Callback | None = None,
    progress: bool | None = None,
    trace: str | os.PathLike[str] | None = None,
    checkpoint: str | os.PathLike[str] | None = None,
    checkpoint_every: float = 10.0,
    resume: bool = False,
    profiles: str | os.PathLike[str] | None = None,
    report: str | os.PathLike[str] | None = None,
    **options: Unpack[Options],
) -> Network:
    """Learns a network: structure, parameters and, on request, hidden variables.

    `data` is a numpy array (with `names`), a pandas or polars DataFrame, any Arrow table, a mapping
    of columns, or the name of a file. NaN, None and nulls are missing values. `variables`,
    `instances` and `drop` select a part of the data. With `transpose`, variables are the rows.
    Arrays are not copied if that can be avoided, and must not be changed during the run.

    Options have the names and defaults of the command's options. Among them are

    - `cpd`: "linear", "sigmoid" or "product"; with several, each family gets the best
    - `score`: "ebic", "bic", "aic" or "bge"; `gamma`, `penalty`
    - `candidates`: number of candidates that are scored per family (2), `measure`, `method`
    - `search`: "auto", "hill", "tabu", "anneal", "order" or "exact"; `restarts`, `max_parents`
    - `hidden`: number of hidden variables to look for, or "auto"; `two_layer`
    - `require`, `forbid`, `tiers`, `start`: lists, networks or files
    - `seed`: seed of all random numbers

    `callback` is called with every step, a dict. If it returns True, the run stops with the best
    network so far; so it does after `time_limit` seconds. Ctrl-C stops the run within a second. The
    result does not depend on `threads`.

    `trace` is a file for the steps of the search, `checkpoint` a file for its state, written every
    `checkpoint_every` seconds; with `resume` the run continues from that state. `profiles` is a
    file for the means and standard deviations of the hidden variables, and `report` a file for an
    HTML page that shows the network.

    >>> import idealparent as ip
    >>> net = ip.learn({"A": [1.0, 2.0, 3.1, 4.0, 5.2], "B": [2.1, 3.9, 6.0, 8.1, 9.9]}, score="bic")
    >>> len(net.edges)
    1
    """
    table, others = parted(options, also=learn.__kwdefaults__, makes_network=True)
    words = asked(others)
    if profiles is not None and not others.get("hidden"):
        raise ValueError("profiles needs hidden")
    check(words)
    check_callback(callback)
    behaviour(threads, time_limit, keep_every=checkpoint_every)
    read = [data, *(others.get(name) for name in LISTS)]
    check_places(read, [("trace", trace), ("checkpoint", checkpoint), ("profiles", profiles), ("report", report)])
    source = given(data, **table)
    begin = resumed(checkpoint, resume)
    with watching(
        threads=threads,
        time_limit=time_limit,
        callback=callback,
        progress=progress,
        trace=trace,
        checkpoint=checkpoint,
        checkpoint_every=checkpoint_every,
    ) as watched:
        native, figures, notes, ending, lines = _native.learn(source.table, words, watched, begin)
    tell(notes)
    if ending == "time limit":
        tell(["the time limit was reached: this is the best network so far"])
    found = Network(native, {**json.loads(figures), "ending": ending})
    found._run = Run(source.table, lines, named(data), command_words(table), notes)
    if profiles is not None and not found.hidden:
        tell([f"{os.fsdecode(profiles)}: not written (no hidden variables)"])
    elif profiles is not None:
        separator = "," if path_of(profiles, "profiles").removesuffix(".gz").endswith(".csv") else "\t"
        write(profiles, native.hidden_profiles(source.table).to_text(separator))
    if report is not None:
        found.report(report)
    return found


def fit(
    structure: Any,
    data: Data,
    *,
    hidden: Iterable[str] = (),
    threads: int | None = None,
    **options: Unpack[FitOptions],
) -> Network:
    """Fits the parameters of a given structure.

    `structure` is a network, a list of edges, or a file of either. The fit uses the densities of
    the network unless `cpd` is given. `hidden` names the hidden variables among the edges.

    >>> import idealparent as ip
    >>> net = ip.fit([("PKC", "Jnk")], ip.example("sachs"))
    >>> net.edges
    [('PKC', 'Jnk')]
    """
    table, others = parted(options, FitOptions, also=fit.__kwdefaults__, makes_network=True)
    words = asked(others)
    concealed = names_of(hidden, "hidden")
    form = native_structure(structure, "structure")
    settings = behaviour(threads)
    source = given(data, **table)
    native, figures, notes, ending, _ = _native.fit(form, source.table, words, concealed, settings)
    tell(notes)
    found = Network(native, {**json.loads(figures), "ending": ending})
    found._run = Run(source.table, [], named(data), command_words(table), notes)
    return found


def load(path: str | os.PathLike[str]) -> Network:
    """Reads a network file."""
    return Network(_native.Network.read(path_of(path, "path")))


def rank_parents(
    data: Data,
    child: str,
    parents: Iterable[str] = (),
    *,
    measure: str = "tangent",
    cpd: str = "linear",
    bias: bool = False,
    baseline: bool = False,
    exp2: bool = False,
    network: Network | None = None,
    **table: Unpack[TableOptions],
) -> Any:
    """Ranks the candidate parents of a variable by their similarity to its ideal parent.

    Each row contains the candidate, the measures C1, C2 and tangent, and the true change in
    log-likelihood, `delta`. Rows are sorted by `measure`, best first. `network` provides the
    expectations of missing values and hidden variables.

    >>> import idealparent as ip
    >>> ip.rank_parents(ip.example("sachs"), "Raf")["candidate"][0]
    'Mek'
    """
    measures = (*WORDS["measure"], "delta")
    if measure not in measures:
        raise ValueError(f"measure: {measure!r} is not one of {', '.join(measures)}")
    if network is not None and not isinstance(network, Network):
        raise TypeError(f"network: {network!r} is not a network")
    child = one_name(child, "child")
    if network is not None and child in network.hidden:
        raise ValueError(f"'{child}' is hidden, so it has no ideal parent to rank")
    own = names_of(parents, "parents")
    needed = None if network is None else network.variables
    source = given(data, needed=needed, **parted(table, TableOptions, also=rank_parents.__kwdefaults__)[0])
    given_words = {"cpd": cpd, "bias": bias or None, "baseline": baseline or None, "exp2": exp2 or None}
    native = None if network is None else network._native
    ranked = json.loads(_native.rank(source.table, child, own, asked(given_words), native))
    ranked.sort(key=lambda row: -row[measure] if row[measure] is not None else float("inf"))
    columns = {key: [row[key] for row in ranked] for key in ("candidate", "c1", "c2", "tangent", "delta")}
    try:
        import pandas as pd
    except ImportError:
        return columns
    return pd.DataFrame(columns)


def example(name: str) -> Any:
    """An embedded table: a pandas DataFrame if pandas is installed, otherwise a dict of arrays."""
    return to_frame(_native.Table.example(text_of(name, "name")))


def example_truth(name: str) -> list[tuple[str, str]] | None:
    """The true edges of an embedded table, or None if they are unknown."""
    return _native.example_truth(text_of(name, "name"))


def examples() -> dict[str, str]:
    """The titles of the embedded tables, by name."""
    return {name: title for name, title, _ in _native.examples()}

