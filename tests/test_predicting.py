"""Scores, probabilities and the likeliest class; and which solver is taken."""

import numpy as np
import pytest

from tailproof.errors import RuleError
from tailproof.gram import Gram
from tailproof.losses import Logistic, Squared
from tailproof.one_vs_rest import OneVsRest
from tailproof.predicting import likeliest, probabilities, scores
from tailproof.solvers import MOST_FEATURES, solver_of, solver_rule
from tailproof.tuned import TunedSGD


class TestPredictions:
    def test_scores_of_one_part_and_of_several(self) -> None:
        X = np.array([[1.0, 2.0], [3.0, np.nan]])
        np.testing.assert_array_equal(scores(X, np.array([10.0, 1.0]), 0.5), [12.5, np.nan])
        np.testing.assert_array_equal(scores(X[:1], np.array([[1.0, 0.0], [0.0, 1.0]]), [1.0, 2.0]), [[2.0, 4.0]])

    def test_two_classes(self) -> None:
        odds = np.array([[0.0], [np.log(3.0)], [-np.log(3.0)]])
        np.testing.assert_allclose(probabilities(odds), [[0.5, 0.5], [0.25, 0.75], [0.75, 0.25]])
        assert likeliest(odds).tolist() == [0, 1, 0]

    def test_more_classes_add_up_to_one(self) -> None:
        odds = np.random.default_rng(1).normal(size=(50, 4))
        shares = 1.0 / (1.0 + np.exp(-odds))
        np.testing.assert_allclose(probabilities(odds), shares / shares.sum(axis=1, keepdims=True))
        assert likeliest(odds).tolist() == probabilities(odds).argmax(axis=1).tolist()

    def test_odds_without_end(self) -> None:
        far = np.array([[1e308], [-1e308], [800.0]])
        np.testing.assert_array_equal(probabilities(far), [[0.0, 1.0], [1.0, 0.0], [np.exp(-800.0), 1.0]])
        np.testing.assert_array_equal(probabilities(np.full((1, 3), -1e308)), np.full((1, 3), 1 / 3))
        assert likeliest(np.array([[800.0, 900.0, -1.0]])).tolist() == [1]


class TestSolvers:
    def test_auto_goes_by_the_number_of_features(self) -> None:
        assert solver_rule("auto", MOST_FEATURES, Squared()) == Gram()
        assert solver_rule("auto", MOST_FEATURES + 1, Squared()) == TunedSGD()

    def test_the_one_asked_for_is_taken(self) -> None:
        for name in ("gram", "sgd"):
            for features in (1, 10 * MOST_FEATURES):
                assert solver_of(solver_rule(name, features, Logistic(), False, "keep", 2.0)) == name

    def test_it_is_known_of_what_a_rule_holds(self) -> None:
        assert solver_of(OneVsRest(of=TunedSGD(loss=Logistic()))) == "sgd"
        assert solver_of("no rule") == ""

    def test_settings_that_make_no_sense(self) -> None:
        with pytest.raises(RuleError, match='solver must be "auto", "gram" or "sgd"'):
            solver_rule("best", 1, Squared())
        with pytest.raises(RuleError, match='outliers must be "auto" or "keep"'):
            solver_rule("sgd", 1, Squared(), outliers="drop")
        with pytest.raises(RuleError, match="radius"):
            solver_rule("sgd", 1, Squared(), radius=-1.0)
