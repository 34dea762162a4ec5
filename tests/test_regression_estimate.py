"""What a regression says for people: terms, verdicts, warnings, plain values."""

import json

import numpy as np
import pytest

from tailproof.intervals import Spread
from tailproof.regression import RegressionEstimate


def estimate(**known):
    fields = {
        "rule": "Gram()",
        "rows": 1000,
        "refused": 2,
        "has_intercept": True,
        "spread": spread([2.0, -1.0, 0.5]),
        "certificate": np.array([0.1, 0.2, np.inf]),
        "least_squares": np.array([2.0, -1.0, 0.5]),
        "names": ["distance", "hour"],
        "target": "duration",
    }
    return RegressionEstimate(**{**fields, **known})


def spread(centre, error=0.1):
    nothing = np.zeros(len(centre))
    return Spread(np.array(centre), nothing + error, *[nothing] * 5)


def test_terms_have_names_and_the_intercept_comes_last():
    said = estimate()
    assert [term.name for term in said.terms] == ["distance", "hour", "intercept"]
    assert said.coef.tolist() == [2.0, -1.0]
    assert said.intercept == 0.5
    assert said.terms[0].low == pytest.approx(2.0 - 0.196, abs=1e-3)
    assert said.terms[1].certificate == 0.2
    assert estimate(names=None).name(1) == "x1"


def test_without_an_intercept_it_is_zero():
    said = estimate(has_intercept=False, names=None)
    assert said.intercept == 0.0
    assert len(said.coef) == 3


@pytest.mark.parametrize(
    ("known", "words"),
    [
        ({}, "light tail: least squares is as good"),
        ({"log_odds": True}, "light tail: maximum likelihood is as good"),
        ({"rows": 0}, "no rows"),
        ({"rows": 9}, "too few rows to judge"),
        ({"settled": False}, "not settled"),
        ({"set_aside": 7, "least_squares": np.array([90.0, -1.0, 0.5])}, "7 of 1,000 rows set aside as gross"),
        ({"clipped": 12, "least_squares": np.array([2.3, -1.0, 0.5])}, "heavy tail: 12 of 1,000 rows held back"),
        ({"clipped": 12, "least_squares": np.array([2.3, -1.0, 0.5])}, "up to 3.0 standard errors away (distance)"),
        ({"clipped": 12, "least_squares": np.array([9e9, -1.0, 0.5])}, "least squares is over 1,000 standard errors"),
        ({"least_squares": None}, "no row is held back"),
        ({"least_squares": None, "clipped": 3}, "3 of 1,000 rows held back"),
    ],
)
def test_the_verdict_says_what_to_think_of_the_rival(known, words):
    assert words in estimate(**known).verdict


def test_how_far_the_rival_is_needs_standard_errors_that_are_known():
    said = estimate(set_aside=7, spread=spread([2.0, -1.0, 0.5], np.nan), least_squares=np.array([9.0, -1.0, 0.5]))
    assert said.verdict.startswith("7 of 1,000 rows set aside as gross")
    assert said.to_json()


@pytest.mark.parametrize(
    ("known", "words"),
    [
        ({"redundant": (1,)}, "hour"),
        ({"rows": 2}, "fewer rows (2) than coefficients (3)"),
        ({"constant_target": True}, "the target is the same in every row"),
        ({"separable": True, "log_odds": True}, "separable"),
        ({"note": "merged from 3 parts"}, "merged from 3 parts"),
    ],
)
def test_warnings_say_what_is_wrong(known, words):
    assert any(words in warning for warning in estimate(**known).warnings)
    assert estimate().warnings == []


def test_with_fewer_rows_than_coefficients_no_column_is_to_blame():
    (said,) = estimate(rows=2, redundant=(0, 1)).warnings
    assert said.startswith("fewer rows (2) than coefficients (3)")


def test_many_redundant_columns_are_counted_not_listed():
    said = estimate(redundant=tuple(range(12)), names=None, spread=spread([0.0] * 13))
    assert "and 4 more" in said.warnings[0]


def test_json_has_no_infinity_and_names_the_rival():
    said = json.loads(estimate().to_json())
    assert said["target"] == "duration"
    assert said["terms"][2]["certificate"] is None
    assert said["terms"][0]["least_squares"] == 2.0
    odds = json.loads(estimate(log_odds=True).to_json())
    assert odds["terms"][0]["maximum_likelihood"] == 2.0
    assert "least_squares" not in odds["terms"][0]


def test_a_wider_confidence_is_worked_out_anew():
    said = estimate()
    wider = said.replace(confidence=0.99)
    assert wider.high[0] > said.high[0]
    assert wider.terms[0].high == wider.high[0]
    with pytest.raises(AttributeError):
        said.rows = 3


def test_it_prints_its_terms_and_warnings():
    text = repr(estimate(redundant=(1,)))
    assert "distance: 2 in [1.8" in text
    assert "leave such columns out" in text
    assert "and 5 more terms" in repr(
        estimate(names=None, spread=spread([0.0] * 25), least_squares=None, certificate=np.zeros(25))
    )
