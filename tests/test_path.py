"""Paths: what was said at fixed row numbers, whatever the chunks."""

import pickle

import numpy as np
import pytest
from sklearn.base import clone

import tailproof
from tests.laws.catalogue import RULES, dirty, estimate, name, targets


def path_of(rule, X, y, cuts, each=2):
    path = tailproof.Path(each)
    pieces = zip(np.split(X, cuts), np.split(y, cuts), strict=True)
    return path, tailproof.fold(rule, rule.init(X.shape[1]), pieces, path)


@pytest.mark.parametrize("rule", RULES, ids=name)
def test_any_chunking_gives_the_same_path_and_the_same_state(rule):
    X, y = dirty(rows=300)
    y = targets(rule, y)
    one, state = path_of(rule, X, y, [])
    other, same = path_of(rule, X, y, [1, 17, 100, 101, 250])
    assert state.same_bits(same)
    assert state.same_bits(rule.step(rule.init(X.shape[1]), X, y))
    seen = [said.rows + said.refused for said in one.readings]
    assert seen == [said.rows + said.refused for said in other.readings] == [16, 23, 32, 45, 64, 91, 128, 181, 256]
    assert [repr(said) for said in one.readings] == [repr(said) for said in other.readings]


def test_readings_are_what_was_said_then():
    X, y = dirty(rows=200)
    rule = tailproof.Extremes()
    path, _ = path_of(rule, X, y, [64], each=1)
    then = rule.step(rule.init(X.shape[1]), X[:64])
    np.testing.assert_array_equal(path.readings[2].mean, estimate(rule, then))


def test_readings_grow_with_the_logarithm_of_the_rows():
    rule, path = tailproof.Extremes(), tailproof.Path(each=1)
    state = tailproof.fold(rule, rule.init(1), [np.zeros((1 << 14, 1))], path)
    assert (len(path.readings), state.counts[0]) == (11, 1 << 14)


def test_one_row_alone_is_one_row():
    rule, path = tailproof.Extremes(), tailproof.Path()
    state = tailproof.fold(rule, rule.init(40), [np.zeros(40)] * 20, path)
    assert state.counts[0] == 20
    assert [said.rows for said in path.readings] == [16]


def test_models_keep_a_path_only_if_asked_and_forget_it_with_what_they_saw():
    X, y = dirty(rows=300)
    plain, kept = tailproof.Mean().fit(X), tailproof.Mean().keep_path(each=1)
    kept.partial_fit(X[:100]).partial_fit(X[100:])
    assert not hasattr(plain, "path_")
    np.testing.assert_array_equal(plain.mean_, kept.mean_)
    assert len(kept.path_.readings) == 5
    assert len(kept.fit(X[:40]).path_.readings) == 2
    assert not hasattr(clone(kept), "path_")
    assert len(pickle.loads(pickle.dumps(kept)).path_.readings) == 2
    assert len(tailproof.LinearRegression().keep_path().partial_fit(X, y).path_.readings) == 9
    assert len(tailproof.LogisticRegression().keep_path().partial_fit(X, y).path_.readings) == 9


@pytest.mark.parametrize("each", [0, 65, 1.5, None])
def test_a_number_of_readings_that_makes_no_sense_is_refused(each):
    with pytest.raises(tailproof.RuleError, match="each must be a whole number"):
        tailproof.Path(each)
