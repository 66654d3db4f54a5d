"""The scikit-learn estimator."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
import numpy.typing as npt
from sklearn.base import BaseEstimator, DensityMixin
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted, validate_data

from ._declared import WORDS, EstimatorOptions
from ._errors import shown, whole
from ._learn import learn
from ._network import Network


def _seed(random_state: Any) -> int:
    """The seed by scikit-learn's rules.

    A whole number is the seed itself, a generator draws one, and None uses numpy's global state.
    """
    if isinstance(random_state, np.random.Generator):
        return int(random_state.integers(2**63))
    if random_state is None or isinstance(random_state, np.random.RandomState):
        return int(check_random_state(random_state).randint(2**31))
    return whole(random_state, "random_state", 0)


class IdealParent(EstimatorOptions, DensityMixin, BaseEstimator):
    """A Bayesian network as a scikit-learn density estimator.

    The parameters are options of `learn`. `fit` accepts the same data as other estimators, and also
    missing values. `score` is the mean log-likelihood per instance, so that `GridSearchCV` can
    select densities, scores and searches.

    Attributes
    ----------
    network_ : Network
        The learned network.
    n_features_in_ : int
        Number of variables.
    feature_names_in_ : array
        Names of the variables, if the data have any.

    >>> import numpy as np
    >>> from idealparent import IdealParent
    >>> x = np.random.default_rng(0).normal(size=(200, 1))
    >>> x = np.hstack([x, 2 * x + 1])
    >>> x[:, 1] += np.random.default_rng(1).normal(size=200)
    >>> len(IdealParent().fit(x).network_.edges)
    1
    """

    network_: Network

    def _options(self) -> dict[str, Any]:
        options: dict[str, Any] = self.get_params(deep=False)
        options["score"] = options.pop("criterion")
        if options["score"] not in (None, *WORDS["score"]):
            raise ValueError(f"criterion: {shown(options['score'])} is not one of {', '.join(WORDS['score'])}")
        options["seed"] = _seed(options.pop("random_state"))
        return options

    def _names(self) -> list[str]:
        names = getattr(self, "feature_names_in_", None)
        return [f"x{i}" for i in range(self.n_features_in_)] if names is None else [str(name) for name in names]

    def _checked(self, X: Any, *, reset: bool) -> npt.NDArray[np.float64]:
        checked: npt.NDArray[np.float64] = validate_data(
            self, X, reset=reset, dtype=np.float64, order="F", ensure_all_finite="allow-nan", ensure_min_samples=2 if reset else 1
        )
        return checked

    def fit(self, X: Any, y: Any = None) -> Self:
        """Learns a network."""
        array = self._checked(X, reset=True)
        options = self._options()
        threads = options.pop("threads")
        self.network_ = learn(array, names=self._names(), threads=threads, progress=False, **options)
        return self

    def score_samples(self, X: Any) -> npt.NDArray[np.float64]:
        """The log-likelihood of every instance."""
        check_is_fitted(self)
        array = self._checked(X, reset=False)
        return self.network_.log_likelihoods(dict(zip(self._names(), array.T, strict=True)))

    def score(self, X: Any, y: Any = None) -> float:
        """The mean log-likelihood per instance."""
        return float(np.mean(self.score_samples(X)))

    def sample(self, n_samples: int = 1, random_state: Any = None) -> npt.NDArray[np.float64]:
        """Draws instances from the network."""
        check_is_fitted(self)
        table = self.network_._native.sample(whole(n_samples, "n_samples", 1), _seed(random_state))
        return np.column_stack(table.columns())

    def impute(self, X: Any) -> npt.NDArray[np.float64]:
        """Replaces missing values by their posterior means."""
        check_is_fitted(self)
        array = self._checked(X, reset=False)
        filled = self.network_.impute(dict(zip(self._names(), array.T, strict=True)))
        return np.column_stack([filled[name] for name in self._names()])

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        return tags
