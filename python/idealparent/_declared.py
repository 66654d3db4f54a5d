"""Options as the library declares them. Written by scripts/options.py: do not edit."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, TypedDict

ALIASES = {"posterior": "missing", "k": "candidates"}
"""Names from earlier versions, and short ones."""


class ReadOptions(TypedDict, total=False):
    """Which part of a table is meant, and how it is read."""

    names: Iterable[str] | None
    """Names of an array's columns."""
    delimiter: str
    """What separates fields: one character, or tab, comma, semicolon, space (default: found from the file)."""
    transpose: bool
    """The variables are the rows of the table, as in expression tables."""
    variables: Iterable[str] | None
    """Keep only these variables; a file lists them one a line, "quoted" as in CSV where needed."""
    instances: Iterable[str] | None
    """Keep only these instances; a file lists them one a line, "quoted" as in CSV where needed."""
    drop: Iterable[str]
    """Leave these columns out: names separated by commas, "quoted" where they hold one."""
    row_names: bool | None
    """Whether the first column names the rows (default: found from the column)."""


class ScoreOptions(ReadOptions, total=False):
    """What decides the score of a table."""

    score: str
    """The score, in nats, larger is better: ebic, bic, aic or bge (default: ebic)."""
    gamma: float
    """EBIC's price of an edge, on top of its parameters, in units of the logarithm of the number of variables
    (default: 1.0).
    """
    penalty: float
    """Multiplies the price of a parameter: half the logarithm of the number of instances, or 1 with aic (default:
    1.0).
    """
    alpha_w: float
    """BGe's degrees of freedom (default: number of variables + 2)."""


class FitOptions(ReadOptions, total=False):
    """What decides the parameters of a given structure."""

    cpd: str | Iterable[str]
    """How a variable depends on its parents: linear, sigmoid or product. Several, separated by commas: the best for
    each family (default: linear).
    """
    bias: bool
    """Fit a bias inside the sigmoid."""
    baseline: bool
    """Fit an offset of the product."""
    score: str
    """The score, in nats, larger is better: ebic, bic, aic or bge (default: ebic)."""
    gamma: float
    """EBIC's price of an edge, on top of its parameters, in units of the logarithm of the number of variables
    (default: 1.0).
    """
    penalty: float
    """Multiplies the price of a parameter: half the logarithm of the number of instances, or 1 with aic (default:
    1.0).
    """
    alpha_w: float
    """BGe's degrees of freedom (default: number of variables + 2)."""
    missing: str
    """Which distribution stands for missing values: exact, or mean-field (every entry independent of the others)
    (default: exact for linear networks, mean-field for others).
    """
    exp2: bool
    """Learn from 2^x of every value: turns log-ratios into ratios."""
    standardize: bool
    """Scale columns to unit variance while learning; parameters are reported in the data's units."""
    seed: int
    """Seed of the random numbers (default: 0)."""


class Options(ReadOptions, total=False):
    """What decides the learned network."""

    cpd: str | Iterable[str]
    """How a variable depends on its parents: linear, sigmoid or product. Several, separated by commas: the best for
    each family (default: linear).
    """
    bias: bool
    """Fit a bias inside the sigmoid."""
    baseline: bool
    """Fit an offset of the product."""
    score: str
    """The score, in nats, larger is better: ebic, bic, aic or bge (default: ebic)."""
    gamma: float
    """EBIC's price of an edge, on top of its parameters, in units of the logarithm of the number of variables
    (default: 1.0).
    """
    penalty: float
    """Multiplies the price of a parameter: half the logarithm of the number of instances, or 1 with aic (default:
    1.0).
    """
    alpha_w: float
    """BGe's degrees of freedom (default: number of variables + 2)."""
    missing: str
    """Which distribution stands for missing values: exact, or mean-field (every entry independent of the others)
    (default: exact for linear networks, mean-field for others).
    """
    exp2: bool
    """Learn from 2^x of every value: turns log-ratios into ratios."""
    standardize: bool
    """Scale columns to unit variance while learning; parameters are reported in the data's units."""
    method: str
    """Which candidate parents are scored: ideal (those most similar to the ideal parent) or greedy (all) (default:
    ideal).
    """
    candidates: int | str
    """How many candidate parents per family the ideal method scores: a number, all, or auto (as many as could still
    win) (default: 2).
    """
    measure: str
    """How candidates are compared with the ideal parent: tangent, c2 or c1 (default: tangent)."""
    hidden: int | str
    """How many hidden variables to add, where the ideal parents of several variables agree: at most this many, or auto
    (as many as raise the score) (default: 0).
    """
    min_children: int
    """The fewest children a hidden variable may have (default: 3, or 2 with two layers)."""
    two_layer: bool
    """Hidden variables are roots, and all others have hidden parents only."""
    search: str
    """The search procedure: hill (climbing), tabu, anneal, order (over orders of the variables), or auto (order where
    that takes seconds, otherwise hill) (default: auto).
    """
    tabu_length: int
    """Tabu search: for how many steps a changed edge is left alone (default: depends on the number of variables)."""
    restarts: int
    """How often to search again from the best network so far, perturbed (default: 10 with order, otherwise 0)."""
    perturb: int
    """How many random moves perturb a network before a restart (default: depends on the number of variables)."""
    moves: str | Iterable[str]
    """The kinds of moves: add, delete, reverse, replace (default: add,delete,reverse,replace)."""
    max_parents: int
    """The most parents a variable may have (default: no limit)."""
    require: Any
    """Edges that must be there: a table with columns from, to (* matches every variable)."""
    forbid: Any
    """Edges that must not be there: a table with columns from, to (* matches every variable)."""
    start: Any
    """Structure to begin the search from: a network file, or a table with columns from, to."""
    tiers: Any
    """One tier a line, names separated by tabs: edges go to the same or a later tier."""
    seed: int
    """Seed of the random numbers (default: 0)."""


class EstimatorOptions:
    """The estimator's parameters: every option of `learn`, and the number of threads."""

    def __init__(
        self,
        cpd: str | Iterable[str] = "linear",
        *,
        bias: bool = False,
        baseline: bool = False,
        criterion: str = "ebic",
        gamma: float = 1.0,
        penalty: float = 1.0,
        alpha_w: float | None = None,
        missing: str = "exact",
        exp2: bool = False,
        standardize: bool = False,
        method: str = "ideal",
        candidates: int | str = 2,
        measure: str = "tangent",
        hidden: int | str = 0,
        min_children: int | None = None,
        two_layer: bool = False,
        search: str = "auto",
        tabu_length: int | None = None,
        restarts: int | None = None,
        perturb: int | None = None,
        moves: str | Iterable[str] | None = None,
        max_parents: int | None = None,
        require: Any = None,
        forbid: Any = None,
        start: Any = None,
        tiers: Any = None,
        random_state: Any = 0,
        threads: int | None = None,
    ) -> None:
        self.cpd = cpd
        self.bias = bias
        self.baseline = baseline
        self.criterion = criterion
        self.gamma = gamma
        self.penalty = penalty
        self.alpha_w = alpha_w
        self.missing = missing
        self.exp2 = exp2
        self.standardize = standardize
        self.method = method
        self.candidates = candidates
        self.measure = measure
        self.hidden = hidden
        self.min_children = min_children
        self.two_layer = two_layer
        self.search = search
        self.tabu_length = tabu_length
        self.restarts = restarts
        self.perturb = perturb
        self.moves = moves
        self.max_parents = max_parents
        self.require = require
        self.forbid = forbid
        self.start = start
        self.tiers = tiers
        self.random_state = random_state
        self.threads = threads
