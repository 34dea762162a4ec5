"""Sequential validation: candidates side by side are what they are alone, and the best of them speaks."""

import json

import numpy as np
import pytest

import tailproof
from tailproof import ClippedSGD, Race, compiled
from tailproof.domains import Ball, Box
from tailproof.errors import RuleError
from tailproof.levels import Fixed, SelfTuned
from tailproof.losses import Huber, Location, Logistic, Squared
from tailproof.steps import Harmonic, Polynomial
from tests.laws.catalogue import RACES, estimate, name, taken
from tests.laws.own import PulledIn

HARMONIC = Harmonic(1.0, 60.0)
# Each loop, with and without a domain, for an odd and an even number of candidates, and for kinds that are mixed.
GRIDS = [
    Race.over(ClippedSGD(Squared(), steps=HARMONIC), levels=[0.5, 2.0, 8.0, 30.0, float("inf")]),
    Race.over(ClippedSGD(Squared(), steps=HARMONIC, domain=Ball(0.7)), levels=[0.5, 2.0], delays=[60.0, 200.0]),
    Race.over(ClippedSGD(Logistic(), steps=HARMONIC), levels=[0.2, 1.0, SelfTuned()]),
    Race.over(ClippedSGD(Location()), levels=[1.0, 4.0, 10.0, SelfTuned(), SelfTuned(factor=3.0)]),
    Race.over(ClippedSGD(Location(), steps=HARMONIC, domain=Box(-0.02, 0.05)), levels=[3.0, 30.0]),
    Race.over(ClippedSGD(bars=True), levels=[SelfTuned(), SelfTuned(factor=3.0)]),
    Race.over(ClippedSGD(PulledIn(0.5), steps=HARMONIC), levels=[0.5, 5.0, 50.0]),
    Race((ClippedSGD(Huber(2), Fixed(3), HARMONIC), ClippedSGD(Huber(2), Fixed(2.5), Polynomial(0.5, 80.0)))),
]


def heavy(rows: int, columns: int, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """A heavy-tailed stream on which no descent is unstable, with rows that must be refused or handled with care."""
    random = np.random.default_rng(seed)
    X = np.minimum(random.pareto(2.1, (rows, columns)) - 0.9, 8.0) * min(1.0, 7.0 / columns)
    y = (X.sum(axis=1) + random.standard_normal(rows) > 0.0).astype(float)
    if rows > 100:
        X[40, 0], X[70, 1], y[60] = np.nan, np.inf, np.nan
    return X, y


@pytest.mark.parametrize("rule", GRIDS, ids=name)
@pytest.mark.parametrize("columns", [1, 2, 7, 50])
def test_a_race_equals_separate_passes(rule, columns):
    X, y = heavy(500, max(columns, 2))
    X = X[:, :columns]
    race = taken(rule, X, y)
    assert race.counts.tolist() == [498 - (columns > 1), 2 + (columns > 1)]
    for k, candidate in enumerate(rule.candidates):
        alone = taken(candidate, X, y)
        np.testing.assert_allclose(race.theta[k], alone.theta, rtol=1e-9, atol=1e-12)
        np.testing.assert_allclose(race.memory[:, k], alone.memory, rtol=1e-9)
        np.testing.assert_allclose(race.bars[k], alone.bars, rtol=1e-9, atol=1e-12)
        assert race.tallies[[0, 2], k].tolist() == alone.counts[[0, 2]].tolist()


@pytest.mark.parametrize("rule", GRIDS, ids=name)
@pytest.mark.parametrize("columns", [3, 49])
def test_machine_code_agrees_with_plain_python(rule, columns, monkeypatch):
    X, y = heavy(130, columns)
    fast = taken(rule, X, y)
    monkeypatch.setattr(compiled, "kernel", plain)
    slow = taken(rule, X, y)
    for array, other in zip(fast.values(), slow.values(), strict=True):
        np.testing.assert_allclose(array, other, rtol=1e-9, atol=1e-12 * np.abs(other).max(initial=0.0))


def plain(kernel, *pieces, work=0):
    return compiled._plain(getattr(compiled._room(kernel), kernel))


@pytest.mark.parametrize("score", ["paper", "paired"])
@pytest.mark.parametrize("rows", [0, 400])
def test_scores_are_of_rows_not_yet_learnt_from(score, rows):
    X, y = heavy(400, 3)
    rule = Race.over(ClippedSGD(Squared(), steps=HARMONIC), levels=[0.3, 3.0, 30.0], score=score, rows=rows)
    losses, states = [], [candidate.init(3) for candidate in rule.candidates]
    for x, target in zip(X, y, strict=True):
        if np.isfinite(x).all() and np.isfinite(target):
            losses.append([0.5 * (x @ state.theta - target) ** 2 for state in states])
            states = [c.step(s, x, [target]) for c, s in zip(rule.candidates, states, strict=True)]
    scores = scores_by_hand(np.array(losses), score, begin=320 if rows else None)
    state = taken(rule, X, y)
    np.testing.assert_allclose(state.scores, scores, rtol=1e-8, atol=1e-12)
    assert rule.read(state).chosen == np.argmin(scores)


def scores_by_hand(losses, score, begin):
    weights = [
        min(1.0, 5.0 / t) if begin is None or t <= begin else 1.0 / (t - begin) for t in range(1, 1 + len(losses))
    ]
    if score == "paper":
        means = np.zeros(3)
        for weight, row in zip(weights, losses, strict=True):
            means = (1 - weight) * means + weight * row
        return means if begin is None else losses[begin:].mean(axis=0)
    memory = np.zeros(2)
    SelfTuned().prepare(memory, 1)
    means, squares = np.zeros(3), np.zeros(3)
    for weight, row in zip(weights, losses - losses[:, [1]], strict=True):
        limits = np.where(squares > 0, np.sqrt(squares * memory[1] / weight), np.inf)
        pulls = np.clip(row - means, -limits, limits)
        means, squares = means + weight * pulls, (1 - weight) * squares + weight * pulls**2
    return means


def test_the_best_candidate_is_chosen():
    random = np.random.default_rng(3)
    X = random.standard_normal((4000, 4))
    y = X @ [1.0, 2.0, 3.0, 4.0] + random.standard_normal(4000)
    for score in ("paper", "paired"):
        rule = Race.over(ClippedSGD(Squared(), steps=HARMONIC), levels=[0.01, 50.0, 0.02], score=score)
        said = rule.read(taken(rule, X, y))
        assert said.chosen == 1
        assert np.abs(said.theta - [1.0, 2.0, 3.0, 4.0]).max() < 0.15
        assert (said.scores[1] < said.scores[[0, 2]]).all()
        assert said.thetas.shape == (3, 4)
        assert "candidate 2 of 3 is ahead" in repr(said)
        assert said.to_dict()["candidate"] == repr(rule.candidates[1])


def test_one_gross_row_does_not_decide_a_paired_race():
    random = np.random.default_rng(4)
    X = random.standard_normal((3000, 2))
    y = X @ [1.0, -1.0] + random.standard_normal(3000)
    rule = Race.over(ClippedSGD(Squared(), steps=HARMONIC), levels=[0.01, 5.0, 0.5])
    clean = rule.read(taken(rule, X, y)).chosen
    y[2900] = 1e6
    assert rule.read(taken(rule, X, y)).chosen == clean == 1


@pytest.mark.parametrize("rule", RACES, ids=name)
@pytest.mark.parametrize("rows", [3, 40, 700])
def test_no_row_moves_a_race_by_more_than_its_certificate(rule, rows):
    random = np.random.default_rng(rows)
    X, y = heavy(rows, 3)
    X, y = np.nan_to_num(X, posinf=0.0), np.nan_to_num(y)
    state = taken(rule, X, y)
    bound, here = rule.certificate(state), estimate(rule, state)
    assert rows < 8 or np.isfinite(bound) or any("inf" in repr(candidate) for candidate in rule.candidates)
    for size in 10.0 ** random.uniform(-3, 12, 60):
        for target in (0.0, 1.0, float(size)):
            there = estimate(rule, rule.step(state.copy(), size * random.standard_normal((1, 3)), [target]))
            assert np.linalg.norm(there - here) <= bound * (1 + 1e-9)


def test_memory_is_that_of_the_candidates():
    assert Race.over(ClippedSGD(Squared()), levels=range(1, 22)).init(1000).nbytes <= (21 * 1000 + 10 * 21 + 20) * 8
    assert Race.over(levels=[SelfTuned()] * 5).init(1000).nbytes <= (5 + 8 + 1) * 1000 * 8


def test_a_merged_race_says_that_it_is_an_average():
    X, y = heavy(700, 3, seed=5)
    rule = Race.over(ClippedSGD(Squared(), steps=HARMONIC), levels=[0.5, 5.0, 50.0])
    a, b = taken(rule, X[:300], y[:300]), taken(rule, X[300:], y[300:])
    used = int(a.counts[0]), int(b.counts[0])
    expected = (used[0] * a.theta + used[1] * b.theta) / sum(used)
    scores = (used[0] * a.scores + used[1] * b.scores) / sum(used)
    merged = rule.merge(a, b)
    np.testing.assert_allclose(merged.theta, expected, rtol=1e-12)
    np.testing.assert_allclose(merged.scores, scores, rtol=1e-12)
    assert "2 separate descents" in rule.read(merged).note


def test_a_grid_of_levels_and_delays():
    rule = Race.over(ClippedSGD(Squared()), levels=[1, SelfTuned()], delays=[0, 20], score="paper", rows=100)
    assert len(rule.candidates) == 4
    assert rule.candidates[3] == ClippedSGD(Squared(), SelfTuned(), Harmonic(1.0, 20.0))
    assert tailproof.parse(repr(rule)) == rule


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"candidates": ()}, "at least one"),
        ({"candidates": [ClippedSGD()]}, "a tuple"),
        ({"candidates": (Fixed(1.0),)}, "cannot be a candidate"),
        ({"candidates": (ClippedSGD(), ClippedSGD(Squared()))}, "share their loss"),
        ({"candidates": (ClippedSGD(),), "score": "best"}, '"paired" or "paper"'),
        ({"candidates": (ClippedSGD(),), "rows": -1}, "whole number"),
        ({"candidates": (ClippedSGD(),), "last": 0.0}, "a part of the rows"),
        ({"candidates": tuple(ClippedSGD(level=Fixed(1.0 + k)) for k in range(5000))}, "too many"),
    ],
)
def test_bad_settings_are_refused(settings, said):
    with pytest.raises(RuleError, match=said):
        Race(**settings)


def test_a_race_of_means_has_error_bars():
    rule = Race.over(ClippedSGD(bars=True), levels=[SelfTuned(), SelfTuned(factor=5.0)])
    said = rule.read(taken(rule, np.random.default_rng(1).standard_normal((2000, 3)), np.zeros(2000)))
    assert (said.low < 0.0).all()
    assert (said.high > 0.0).all()
    assert (said.high - said.low < 0.2).all()
    assert "of 2 speaks" in said.note


def test_what_it_says_can_be_written_as_json():
    rule = Race.over(ClippedSGD(), levels=[1.0, float("inf")])
    empty, fed = rule.init(2), rule.step(rule.init(2), np.arange(20.0).reshape(10, 2))
    for state in (empty, fed):
        assert json.loads(rule.read(state).to_json())["rows"] == int(state.counts[0])
