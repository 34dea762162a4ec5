"""Merging: an empty state is neutral, counts add, unequal states are refused; sketches equal the single pass, Gram
matrices nearly do, and descents say that they are averages."""

import numpy as np
import pytest

from tailproof.domains import Everywhere
from tailproof.errors import RuleError
from tailproof.losses import Logistic
from tests.laws.catalogue import DESCENTS, GRAMS, GROUPED, RULES, SKETCHES, TUNED, dirty, estimate, name, stream, taken


@pytest.mark.parametrize("rule", RULES, ids=name)
@pytest.mark.parametrize("rows", [0, 3, 30, 700])
def test_an_empty_state_is_neutral(rule, rows):
    X, y = stream()
    state = taken(rule, X[:rows], y[:rows])
    assert rule.merge(state.copy(), rule.init(5)).same_bits(state)
    assert rule.merge(rule.init(5), state.copy()).same_bits(state)


@pytest.mark.parametrize("rule", RULES, ids=name)
@pytest.mark.parametrize("first", [4, 40, 350])
@pytest.mark.parametrize("second", [4, 40, 350])
def test_counts_add(rule, first, second):
    X, y = dirty()
    a, b = taken(rule, X[:first], y[:first]), taken(rule, X[first : first + second], y[first : first + second])
    expected = [rule.read(a).rows + rule.read(b).rows, rule.read(a).refused + rule.read(b).refused]
    said = rule.read(rule.merge(a, b))
    assert [said.rows, said.refused] == expected


@pytest.mark.parametrize("rule", RULES, ids=name)
def test_other_columns_are_refused(rule):
    with pytest.raises(RuleError, match="cannot be merged"):
        rule.merge(rule.init(5), rule.init(4))


@pytest.mark.parametrize("rule", SKETCHES, ids=name)
@pytest.mark.parametrize("parts", [2, 16, 64])
def test_a_sketch_equals_the_single_pass_in_any_order(rule, parts):
    X, y = stream(rows=6400)
    whole = taken(rule, X, y)
    said = rule.read(whole)
    random = np.random.default_rng(parts)
    for _ in range(3):
        states = [taken(rule, rows, y[: len(rows)]) for rows in np.array_split(X, parts)]
        while len(states) > 1:
            b = states.pop(int(random.integers(len(states))))
            a = states.pop(int(random.integers(len(states))))
            states.append(rule.merge(a, b))
        merged = rule.read(states[0])
        np.testing.assert_allclose(merged.mean, said.mean, rtol=1e-12)
        np.testing.assert_allclose(merged.plain_mean, said.plain_mean, rtol=1e-12)
        np.testing.assert_allclose(merged.interval(), said.interval(), rtol=1e-9)
        for field in ("low", "high"):
            assert np.array_equal(states[0][field], whole[field])


@pytest.mark.parametrize("rule", GROUPED, ids=name)
@pytest.mark.parametrize("parts", [2, 16, 64])
def test_merged_groups_equal_the_single_pass_in_any_order(rule, parts):
    X, _ = stream(rows=6400)
    random = np.random.default_rng(parts)
    y = random.integers(rule.groups, size=len(X)).astype(float)
    whole = rule.read(taken(rule, X, y)).replace(baseline=1)
    pieces = zip(np.array_split(X, parts), np.array_split(y, parts), strict=True)
    states = [taken(rule, *piece) for piece in pieces]
    while len(states) > 1:
        b = states.pop(int(random.integers(len(states))))
        a = states.pop(int(random.integers(len(states))))
        states.append(rule.merge(a, b))
    merged = rule.read(states[0]).replace(baseline=1)
    np.testing.assert_allclose(merged.mean, whole.mean, rtol=1e-12)
    np.testing.assert_allclose(merged.interval(), whole.interval(), rtol=1e-8)
    assert (merged.rows, merged.refused) == (whole.rows, whole.refused)


@pytest.mark.parametrize("rule", SKETCHES, ids=name)
def test_parts_far_apart_and_of_unlike_size_merge(rule):
    random = np.random.default_rng(3)
    parts = [random.standard_normal((400, 2)), 1e9 + 1e-3 * random.standard_normal((500, 2)), 1e300 * np.ones((60, 2))]
    whole = rule.read(taken(rule, np.concatenate(parts), np.zeros(960)))
    a, b, c = (taken(rule, part, np.zeros(len(part))) for part in parts)
    merged = rule.read(rule.merge(rule.merge(c, a), b))
    np.testing.assert_allclose(merged.mean, whole.mean, rtol=1e-9)
    np.testing.assert_allclose(merged.plain_mean, whole.plain_mean, rtol=1e-12)


@pytest.mark.parametrize("rule", DESCENTS, ids=name)
def test_a_merged_descent_says_that_it_is_an_average(rule):
    X, y = stream()
    a, b = taken(rule, X[:300], y[:300]), taken(rule, X[300:], y[300:])
    middle = (300 * estimate(rule, a) + 400 * estimate(rule, b)) / 700
    merged = rule.merge(a, b)
    np.testing.assert_allclose(estimate(rule, merged), middle, rtol=1e-12)
    assert "2 separate descents" in rule.read(merged).note


@pytest.mark.parametrize("rule", [rule for rule in TUNED if rule.bars != "jackknife"], ids=name)
def test_a_merged_tuned_descent_says_that_it_is_an_average(rule):
    X, y = stream()
    a, b = taken(rule, X[:300], y[:300]), taken(rule, X[300:], y[300:])
    middle = (300 * estimate(rule, a) + 400 * estimate(rule, b)) / 700
    merged = rule.merge(a, b)
    np.testing.assert_allclose(estimate(rule, merged), middle, rtol=1e-9)
    assert "2 separate descents" in rule.read(merged).note


@pytest.mark.parametrize("rule", [rule for rule in TUNED if rule.bars == "jackknife"], ids=name)
def test_replicas_take_the_bias_of_the_starts_off_a_merged_descent(rule):
    X, y = stream()
    merged = rule.merge(taken(rule, X[:300], y[:300]), taken(rule, X[300:], y[300:]))
    columns = len(merged.theta)
    plain, others = merged.average, merged.averages[:, :columns].mean(axis=0)
    np.testing.assert_allclose(estimate(rule, merged)[:columns], 8 * plain - 7 * others, rtol=1e-9)
    assert "2 separate descents" in rule.read(merged).note


@pytest.mark.parametrize("rule", GRAMS, ids=name)
@pytest.mark.parametrize("parts", [2, 8, 32])
def test_merged_gram_matrices_nearly_equal_the_single_pass_in_any_order(rule, parts):
    X, y = stream(rows=6400)
    told = rule._replace(bars=True, domain=Everywhere())
    error = told.read(taken(told, X, y)).spread.error
    single = estimate(rule, taken(rule, X, y))
    random = np.random.default_rng(parts)
    pieces = zip(np.array_split(X, parts), np.array_split(y, parts), strict=True)
    states = [taken(rule, rows, targets) for rows, targets in pieces]
    while len(states) > 1:
        b = states.pop(int(random.integers(len(states))))
        a = states.pop(int(random.integers(len(states))))
        states.append(rule.merge(a, b))
    # The working residuals of log-odds are those at the coefficients of the day.
    share = 1.5 if isinstance(rule.loss, Logistic) else 0.01
    assert (np.abs(estimate(rule, states[0]) - single) <= share * error).all()
