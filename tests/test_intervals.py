"""The tail-extended bar: its formula, its limits, and what it does with few rows."""

import math

import numpy as np
import pytest

from tailproof.errors import RuleError
from tailproof.extremes import Extremes
from tailproof.intervals import Spread, boundary, effective_dimension, tail_extended


def spread(**other) -> Spread:
    one = {name: np.array([0.0]) for name in Spread._fields}
    return Spread(**{**one, **{name: np.array([value]) for name, value in other.items()}})


def test_the_bar_is_what_it_says():
    low, high = tail_extended(spread(centre=1.0, error=0.1, removed=0.05, above=20.0, below=4.0), 100, 0.95)
    tail = 0.5 * math.log(2 / 0.05) / 100
    assert high[0] == pytest.approx(1.0 + 1.959964 * 0.1 + tail * 20.0 + 0.05)
    assert low[0] == pytest.approx(1.0 - 1.959964 * 0.1 - tail * 4.0)


def test_a_contaminated_bar_ignores_what_was_set_aside():
    low, high = tail_extended(
        spread(error=0.1, removed=50.0, above=1e6, kept_above=3.0, kept_below=2.0), 100, 0.95, contaminated=True
    )
    tail = math.log(2 / 0.05) / 100
    assert high[0] == pytest.approx(1.959964 * 0.1 + tail * 3.0)
    assert low[0] == pytest.approx(-1.959964 * 0.1 - tail * 2.0)


def test_an_any_time_bar_is_wider_and_tightest_near_a_thousand_rows():
    for rows in (100, 1000, 100_000):
        assert boundary(0.05, rows, True)[0] > boundary(0.05, rows, False)[0]
    widths = {rows: boundary(0.05, rows, True)[0] for rows in (100, 1000, 100_000)}
    assert min(widths, key=widths.__getitem__) == 1000


@pytest.mark.parametrize("confidence", [0.0, 1.0, 95.0, -0.5, math.nan])
def test_a_confidence_is_a_share(confidence):
    with pytest.raises(RuleError, match=r"0\.95"):
        tail_extended(spread(), 10, confidence)


def test_one_row_says_nothing():
    rule = Extremes()
    said = rule.read(rule.step(rule.init(1), [[5.0]]))
    assert said.mean[0] == 5.0
    assert said.interval()[0][0] == -math.inf
    assert said.to_dict()["columns"][0]["low"] is None


def test_no_rows_say_nothing():
    rule = Extremes()
    said = rule.read(rule.init(2))
    assert np.isnan(said.mean).all()
    assert said.columns[0].verdict == "no rows"
    assert said.to_dict()["columns"][0]["mean"] is None


def test_the_effective_dimension_of_known_covariances():
    random = np.random.default_rng(1)
    alike = np.mean([effective_dimension(random.standard_normal((16, 50))) for _ in range(200)])
    single = np.mean([effective_dimension(np.outer(random.standard_normal(16), np.ones(50))) for _ in range(200)])
    assert 35 < alike <= 50
    assert 1.0 <= single < 1.3
    assert effective_dimension(np.ones((16, 3))) == 1.0


def test_the_radius_of_a_gaussian_vector():
    random = np.random.default_rng(2)
    rule = Extremes(groups=16)
    radii, errors = [], []
    for _ in range(60):
        state = rule.step(rule.init(20), random.standard_normal((2000, 20)))
        radii.append(rule.radius(state))
        errors.append(np.linalg.norm(rule.read(state).mean))
    assert np.mean(np.array(errors) <= radii) >= 0.9
    assert np.mean(radii) < 1.25 * math.sqrt(31.4 / 2000)
    assert rule.radius(rule.step(rule.init(20), random.standard_normal((20, 20)))) == math.inf


def test_the_radius_must_be_asked_for():
    rule = Extremes()
    with pytest.raises(RuleError, match="groups=16"):
        rule.radius(rule.step(rule.init(2), np.ones((100, 2))))
