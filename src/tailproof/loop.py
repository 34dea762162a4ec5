"""The paper's Algorithm 1 over rows: theta <- P(theta - eta_t clip(g_t, lambda)), last iterate.

`descend` is the algorithm as printed, for any loss; it is the specification, to which a law holds the faster loops of
`row_loop.py`. It is plain Python, and the same source becomes machine code in `compiled.py`.

A row with NaN or inf, or whose gradient overflows with no level to clip it to, is refused whole and counted.
"""

from math import sqrt
from typing import Any, NamedTuple

# Outside of these a squared length is on its way to overflow or to nothing, and is handled with care.
HUGE, TINY = 1e300, 1e-280
# The square of a level below this would vanish.
FINE = 1e-140
# Sums for the error bar stop here instead of overflowing.
MOST = 1.7e308


class Descent(NamedTuple):
    """The arrays that a descent remembers, and one of scratch."""

    theta: Any
    memory: Any  # the level's
    counts: Any  # rows used, refused, clipped
    bars: Any  # (4, p) sums for the error bar, or empty
    scratch: Any


def descend(rule: Any, state: Descent, X: Any, y: Any) -> None:
    """Take the rows one by one."""
    theta, gradient, counts, memory = state.theta, state.scratch, state.counts, state.memory
    for i in range(X.shape[0]):
        squared = rule.loss.gradient(theta, X[i], y[i], gradient)
        limit = rule.level.allow(memory)
        if not usable(X[i], y[i], gradient, squared, limit):
            counts[1] += 1
            continue
        factor = shrink(gradient, squared, limit)
        rule.level.learn(memory, squared)
        counts[0] += 1
        counts[2] += factor < 1.0
        if state.bars.shape[0] > 0:
            widen(state.bars, gradient, factor)
        step = rule.steps.size(float(counts[0])) * factor
        for j in range(theta.shape[0]):
            theta[j] -= step * gradient[j]
        rule.domain.pull(theta)


def usable(x: Any, y: float, gradient: Any, squared: float, limit: float) -> bool:
    """Whether a row is finite and its gradient can be stepped along."""
    if not (finite(x) and y - y == 0.0):
        return False
    return squared < HUGE or (limit < HUGE and finite(gradient))


def shrink(gradient: Any, squared: float, limit: float) -> float:
    """The factor min(1, limit/|gradient|), also where the squared length overflows or vanishes."""
    if TINY <= squared < HUGE:
        return 1.0 if squared <= limit * limit else limit / sqrt(squared)
    longest, total = 0.0, 0.0
    for j in range(gradient.shape[0]):
        longest = max(longest, abs(gradient[j]))
    if longest == 0.0:
        return 1.0
    for j in range(gradient.shape[0]):
        total += (gradient[j] / longest) * (gradient[j] / longest)
    return min(1.0, limit / longest / sqrt(total))


def widen(bars: Any, gradient: Any, factor: float) -> None:
    """Sums for the error bar: clipped squares, what clipping removed, the farthest pull up and down."""
    for j in range(gradient.shape[0]):
        pull = -gradient[j]
        bars[0, j] = min(bars[0, j] + (factor * pull) * (factor * pull), MOST)
        bars[1, j] = max(min(bars[1, j] + (1.0 - factor) * pull, MOST), -MOST)
        bars[2, j] = max(bars[2, j], pull)
        bars[3, j] = max(bars[3, j], -pull)


def finite(values: Any) -> bool:
    """Whether no value is NaN or inf."""
    doubt = 0.0
    for j in range(values.shape[0]):
        doubt += values[j] * 0.0
    return doubt == 0.0
