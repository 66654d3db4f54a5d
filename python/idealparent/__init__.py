"""Learns Bayesian networks over continuous variables from data.

Learns the structure, the parameters and hidden variables, also from data with missing values.
Dependencies can be linear, sigmoid or products as in chemical reactions. The method is ideal parent
search (Nachman, Elidan and Friedman 2004).

>>> import idealparent as ip
>>> cells = ip.example("sachs")
>>> net = ip.learn(cells)
>>> ("PKC", "Jnk") in net.edges or ("Jnk", "PKC") in net.edges
True
"""

from typing import TYPE_CHECKING

from ._bootstrap import Bootstrap, bootstrap
from ._cross_validate import CrossValidation, cross_validate
from ._learn import compare, example, example_truth, examples, fit, impute, learn, load, rank_parents
from ._native import __version__
from ._network import Cpd, Imputation, Network
from ._notes import Note

if TYPE_CHECKING:
    from ._estimator import IdealParent

__all__ = [
    "Bootstrap",
    "Cpd",
    "CrossValidation",
    "IdealParent",
    "Imputation",
    "Network",
    "Note",
    "__version__",
    "bootstrap",
    "compare",
    "cross_validate",
    "example",
    "example_truth",
    "examples",
    "fit",
    "impute",
    "learn",
    "load",
    "rank_parents",
]


def __getattr__(name: str) -> object:
    # scikit-learn is optional and slow to import.
    if name == "IdealParent":
        try:
            from ._estimator import IdealParent
        except ModuleNotFoundError as error:
            if (error.name or "").split(".")[0] != "sklearn":
                raise
            raise ImportError("IdealParent needs scikit-learn (pip install scikit-learn)") from None
        return IdealParent
    raise AttributeError(f"module 'idealparent' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
