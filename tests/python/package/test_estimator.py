"""The scikit-learn estimator."""

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.utils.estimator_checks import check_estimator

import idealparent as ip


@pytest.mark.filterwarnings("ignore")
def test_scikit_learn_checks_pass():
    # All checks that apply to a density estimator. Array API inputs are only checked if SciPy is
    # configured for them.
    results = check_estimator(ip.IdealParent(), on_fail=None)
    failed = [(r["check_name"], r["exception"]) for r in results if r["status"] not in ("passed", "skipped")]
    assert not failed
    assert {r["check_name"] for r in results if r["status"] == "skipped"} <= {"check_array_api_input"}


def test_the_estimator_gives_the_network_of_learn(chain):
    names, values = chain
    frame = pd.DataFrame(values, columns=names)
    fitted = ip.IdealParent(cpd="sigmoid", gamma=0.5).fit(frame)
    assert fitted.network_ == ip.learn(frame, cpd="sigmoid", gamma=0.5)
    assert list(fitted.feature_names_in_) == names
    assert fitted.score(frame) == pytest.approx(fitted.network_.log_likelihood(frame) / len(frame))
    assert fitted.sample(5, random_state=1).shape == (5, 4)
    assert clone(fitted).get_params() == fitted.get_params()


def test_missing_values_are_imputed(holes):
    fitted = ip.IdealParent().fit(holes[1])
    filled = fitted.impute(holes[1])
    assert not np.isnan(filled).any()
    known = ~np.isnan(holes[1])
    np.testing.assert_array_equal(filled[known], holes[1][known])


@pytest.mark.filterwarnings("ignore::idealparent.Note")
def test_grid_search_works(chain):
    grid = {"cpd": ["linear", "sigmoid"], "gamma": [0.5, 1.0], "candidates": [2, "all"]}
    search = GridSearchCV(ip.IdealParent(), grid, cv=3).fit(chain[1])
    assert search.best_params_["cpd"] == "linear"
    assert np.isfinite(search.cv_results_["mean_test_score"]).all()
    assert cross_val_score(ip.IdealParent(), chain[1], cv=3).shape == (3,)
