"""ClippedSGD against the paper's Algorithm 1, transcribed here with NumPy."""

import math

import numpy as np
import pytest

from tailproof import Ball, ClippedSGD, Fixed, Harmonic, Huber, Location, Logistic, SelfTuned, Squared, Theorem
from tailproof.clipped import PILOT, geometric_median
from tailproof.errors import RuleError

GRADIENTS = {
    Location(): lambda theta, x, y: theta - x,
    Squared(): lambda theta, x, y: (x @ theta - y) * x,
    Logistic(): lambda theta, x, y: (1.0 / (1.0 + math.exp(-(x @ theta))) - y) * x,
    Huber(1.0): lambda theta, x, y: float(np.clip(x @ theta - y, -1.0, 1.0)) * x,
}


def algorithm_1(gradient, X, y, level, gain, delay, radius):
    """theta <- P(theta - eta_t clip(g_t, lambda)), as printed."""
    theta = np.zeros(X.shape[1])
    for t, (x, target) in enumerate(zip(X, y, strict=True), start=1):
        g = gradient(theta, x, target)
        theta = theta - gain / (t + delay) * min(1.0, level / max(np.linalg.norm(g), 1e-300)) * g
        theta *= min(1.0, radius / max(np.linalg.norm(theta), 1e-300))
    return theta


@pytest.mark.parametrize("loss", GRADIENTS, ids=repr)
@pytest.mark.parametrize("radius", [0.5, 100.0])
def test_it_is_algorithm_1(loss, radius):
    random = np.random.default_rng(1)
    X = random.pareto(2.1, (500, 4)) - 0.9
    y = (X @ np.ones(4) > 0.5).astype(float)
    rule = ClippedSGD(loss, Fixed(2.0), Harmonic(1.5, 7.0), Ball(radius))
    said = rule.read(rule.step(rule.init(4), X, y))
    np.testing.assert_allclose(said.theta, algorithm_1(GRADIENTS[loss], X, y, 2.0, 1.5, 7.0, radius), rtol=1e-10)
    assert 0.0 < said.share_clipped < 1.0


def test_without_a_level_the_mean_is_the_plain_mean():
    X = np.random.default_rng(2).standard_normal((1000, 3))
    rule = ClippedSGD(level=Fixed(math.inf))
    np.testing.assert_allclose(rule.read(rule.step(rule.init(3), X)).theta, X.mean(axis=0), rtol=1e-10)


def test_the_level_of_the_theorem():
    level = Theorem(rows=1000.0, start=2.0, noise=3.0, curvature=0.5, delay=30.0, delta=0.1)
    memory = np.zeros(2)
    level.prepare(memory, 5)
    confidence = math.log(2 / 0.1)
    expected = math.sqrt(0.25 * 30 * 29 * 4.0 / confidence**2 + 1030 * 3.0 / confidence)
    assert level.allow(memory) == pytest.approx(expected)


def test_a_descent_can_start_anywhere_in_its_domain():
    rule = ClippedSGD(Squared(), Fixed(1.0), domain=Ball(1.0))
    assert np.array_equal(rule.init(2, start=[0.0, 0.5]).theta, [0.0, 0.5])
    assert np.allclose(rule.init(2, start=[0.0, 5.0]).theta, [0.0, 1.0])
    with pytest.raises(RuleError, match="finite"):
        rule.init(2, start=[math.nan, 0.0])


def test_the_self_tuned_mean_beats_the_plain_mean_on_a_heavy_tail():
    random = np.random.default_rng(3)
    rule = ClippedSGD(bars=True)
    plain, clipped, covered = [], [], []
    for _ in range(200):
        X = random.pareto(2.1, (1000, 20)) - 1 / 1.1
        said = rule.read(rule.step(rule.init(20), X))
        plain.append(np.linalg.norm(X.mean(axis=0)))
        clipped.append(np.linalg.norm(said.mean))
        covered.append((said.low <= 0.0) & (said.high >= 0.0))
    assert np.mean(clipped) < 0.9 * np.mean(plain)
    assert max(clipped) < 0.5 * max(plain)
    assert np.mean(covered) > 0.93


def test_a_bar_knows_the_plain_mean():
    X = np.random.default_rng(4).pareto(1.5, (500, 2))
    rule = ClippedSGD(bars=True)
    said = rule.read(rule.step(rule.init(2), X))
    np.testing.assert_allclose(said.plain_mean, X.mean(axis=0), rtol=1e-10)


def test_before_the_pilot_is_full_the_mean_is_the_median_of_its_rows():
    rule = ClippedSGD()
    state = rule.step(rule.init(2), [[1.0, 1.0], [3.0, 3.0], [2.0, 2.0]])
    said = rule.read(state)
    assert said.rows == 3 < PILOT
    np.testing.assert_allclose(said.theta, [2.0, 2.0], rtol=1e-6)
    assert said.certificate == math.inf


def test_the_geometric_median_ignores_a_wild_row():
    rows = np.random.default_rng(5).standard_normal((9, 3))
    rows[0] = 1e6
    assert np.abs(geometric_median(rows)).max() < 2.0


@pytest.mark.parametrize(
    "make",
    [
        lambda: ClippedSGD(loss=Squared),
        lambda: ClippedSGD(loss=3.0),
        lambda: ClippedSGD(level=Harmonic()),
        lambda: ClippedSGD(loss=Squared(), bars=True),
        lambda: Fixed(0.0),
        lambda: Fixed(math.nan),
        lambda: SelfTuned(delta=2.0),
        lambda: Theorem(rows=10.0, start=1.0, noise=math.inf),
        lambda: Ball(-1.0),
        lambda: ClippedSGD().init(0),
        lambda: ClippedSGD().step(ClippedSGD().init(3), np.ones((4, 2))),
        lambda: ClippedSGD().step(ClippedSGD().init(2), np.ones((4, 2)), np.ones(3)),
        lambda: ClippedSGD().step(ClippedSGD().init(1), [["a"]]),
        lambda: ClippedSGD().step(ClippedSGD().init(1), np.array([[1j]])),
    ],
)
def test_settings_and_rows_that_make_no_sense_are_refused_in_words(make):
    with pytest.raises(RuleError):
        make()


def test_a_loss_that_cannot_be_compiled_is_named():
    from tests.own_bad import Clever

    rule = ClippedSGD(Clever(), Fixed(1.0))
    with pytest.raises(RuleError, match="Clever"):
        rule.step(rule.init(1), np.ones((3, 1)), np.ones(3))
