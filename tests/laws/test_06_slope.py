"""A loss's slope is the derivative of its value, on inputs that are seen to vary."""

import numpy as np
import pytest

from tests.laws.catalogue import LOSSES, name

OF_SCORE = [loss for loss in LOSSES if hasattr(loss, "slope")]
OF_VECTOR = [loss for loss in LOSSES if not hasattr(loss, "slope")]


@pytest.mark.parametrize("loss", OF_SCORE, ids=name)
def test_slope_is_the_derivative_of_value(loss):
    random = np.random.default_rng(2)
    scores, targets = 3.0 * random.standard_normal(200), random.choice([0.0, 1.0, -2.5, 4.0], 200)
    slopes = np.array([loss.slope(z, y) for z, y in zip(scores, targets, strict=True)])
    assert np.ptp(scores) > 5.0
    assert len(set(np.round(slopes, 6))) > 50
    step = 1e-6
    for z, y, slope in zip(scores, targets, slopes, strict=True):
        numeric = (loss.value(z + step, y) - loss.value(z - step, y)) / (2.0 * step)
        assert slope == pytest.approx(numeric, abs=2e-5)


@pytest.mark.parametrize("loss", LOSSES, ids=name)
def test_gradient_is_the_derivative_of_value(loss):
    random = np.random.default_rng(3)
    for _ in range(20):
        theta, x, y, g = random.standard_normal(4), random.standard_normal(4), float(random.integers(2)), np.empty(4)
        squared = loss.gradient(theta, x, y, g)
        assert squared == pytest.approx(float((g * g).sum()))

        def value(at, x=x, y=y):
            return loss.value(at, x, y) if loss in OF_VECTOR or not hasattr(loss, "slope") else loss.value(at @ x, y)

        for j in range(4):
            step = np.zeros(4)
            step[j] = 1e-6
            assert g[j] == pytest.approx((value(theta + step) - value(theta - step)) / 2e-6, abs=2e-5)


def test_logistic_holds_at_the_edges():
    loss = next(loss for loss in LOSSES if type(loss).__name__ == "Logistic")
    for z in (-1e308, -800.0, 0.0, 800.0, 1e308):
        assert 0.0 <= loss.slope(z, 0.0) <= 1.0
        assert np.isfinite(loss.value(z, 1.0))
