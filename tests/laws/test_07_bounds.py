"""A clip never exceeds its level; a projection lands inside and does nothing the second time."""

import numpy as np
import pytest

from tailproof.loop import shrink
from tests.laws.catalogue import DOMAINS, LEVELS, name


@pytest.mark.parametrize("limit", [1e-300, 1e-3, 1.0, 1e200, np.inf])
@pytest.mark.parametrize("scale", [1e-160, 1.0, 1e150, 1e307])
def test_a_clip_never_exceeds_its_level(limit, scale):
    gradient = scale * np.random.default_rng(4).uniform(-1.0, 1.0, 50)
    with np.errstate(over="ignore"):
        squared = float((gradient * gradient).sum())
    clipped = shrink(gradient, squared, limit) * gradient
    # In units of the longest entry, so that the test itself does not overflow.
    longest = np.abs(gradient).max()
    assert np.linalg.norm(clipped / longest) <= limit / longest * (1 + 1e-12) or np.array_equal(clipped, gradient)
    assert np.linalg.norm(gradient / longest) <= limit / longest or not np.array_equal(clipped, gradient)


@pytest.mark.parametrize("level", LEVELS, ids=name)
def test_a_level_is_positive_and_never_below_what_it_was_told(level):
    memory = np.zeros(2)
    level.prepare(memory, 20)
    for squared in np.random.default_rng(5).pareto(0.5, 300):
        before = level.allow(memory)
        assert before > 0.0
        level.learn(memory, float(squared))
        assert level.allow(memory) >= before or before == np.inf


@pytest.mark.parametrize("domain", DOMAINS, ids=name)
@pytest.mark.parametrize("scale", [0.0, 0.1, 1.0, 1e3, 1e300])
def test_a_projection_lands_inside_and_stays(domain, scale):
    theta = scale * np.random.default_rng(6).uniform(-1.0, 1.0, 30)
    start = theta.copy()
    domain.pull(theta)
    once = theta.copy()
    domain.pull(theta)
    assert np.array_equal(once, theta)
    if hasattr(domain, "radius"):
        assert np.linalg.norm(once) <= domain.radius * (1 + 1e-13)
    if hasattr(domain, "low"):
        assert (once >= domain.low).all()
        assert (once <= domain.high).all()
    if scale <= 0.1:
        assert np.array_equal(start, once)
