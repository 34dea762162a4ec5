"""The paper's Algorithm 1 over rows: theta <- P(theta - eta_t clip(g_t, lambda)), last iterate.

`descend` is the algorithm as printed, for any loss; it is the specification. `descend_linear` and
`descend_location` are the same algebra with fewer passes, for losses of a linear score and for the mean; a law
holds them to `descend`. All three are plain Python, and the same source becomes machine code in `compiled.py`.

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


def descend_linear(rule: Any, state: Descent, X: Any, y: Any) -> None:
    """`descend` for a loss of z = <x, theta>."""
    i = 0
    while i < X.shape[0]:
        i += run_linear(rule, state, X[i:], y[i:])
        if i < X.shape[0]:
            descend(rule, state, X[i : i + 1], y[i : i + 1])
            i += 1


def run_linear(rule: Any, state: Descent, X: Any, y: Any) -> int:
    """The rows up to the first that needs care; returns how many.

    clip(s x, l) = clamp(s, +-l/|x|) x, so one pass over x serves the score and the length.
    """
    theta, memory, used, clipped = state.theta, state.memory, state.counts[0], 0
    done = X.shape[0]
    for i in range(X.shape[0]):
        z, length = 0.0, 0.0
        for j in range(theta.shape[0]):
            z += X[i, j] * theta[j]
            length += X[i, j] * X[i, j]
        slope = rule.loss.slope(z, y[i])
        squared = slope * slope * length
        limit = rule.level.allow(memory)
        if not (squared < HUGE and length < HUGE and limit > FINE and y[i] - y[i] == 0.0):
            done = i
            break
        if squared > limit * limit:
            slope = (limit if slope > 0.0 else -limit) / sqrt(length)
            clipped += 1
        rule.level.learn(memory, squared)
        used += 1
        step = rule.steps.size(float(used)) * slope
        for j in range(theta.shape[0]):
            theta[j] -= step * X[i, j]
        rule.domain.pull(theta)
    state.counts[0] = used
    state.counts[2] += clipped
    return done  # type: ignore[no-any-return]


def descend_location(rule: Any, state: Descent, X: Any, y: Any) -> None:
    """`descend` for the mean. The targets, which a mean has no use for, must be finite."""
    i = 0
    while i < X.shape[0]:
        i += run_location(rule, state, X[i:])
        if i < X.shape[0]:
            descend(rule, state, X[i : i + 1], y[i : i + 1])
            i += 1


def run_location(rule: Any, state: Descent, X: Any) -> int:
    """The rows up to the first that needs care; returns how many.

    One pass over a row serves its length and, since most rows are not clipped, the step as well: it is made beside
    theta and becomes theta once the length is known. The root is taken only for a row that is clipped.
    """
    theta, ahead, memory = state.theta, state.scratch, state.memory
    used, clipped, done = state.counts[0], 0, X.shape[0]
    for i in range(X.shape[0]):
        step = rule.steps.size(float(used + 1))
        squared = 0.0
        for j in range(theta.shape[0]):
            gradient = theta[j] - X[i, j]
            squared += gradient * gradient
            ahead[j] = theta[j] - step * gradient
        limit = rule.level.allow(memory)
        if not (squared < HUGE and limit > FINE):
            done = i
            break
        used += 1
        if squared > limit * limit:
            step *= limit / sqrt(squared)
            clipped += 1
            for j in range(theta.shape[0]):
                ahead[j] = theta[j] - step * (theta[j] - X[i, j])
        rule.level.learn(memory, squared)
        theta, ahead = ahead, theta
        rule.domain.pull(theta)
    for j in range(theta.shape[0]):
        state.theta[j] = theta[j]
    state.counts[0] = used
    state.counts[2] += clipped
    return done  # type: ignore[no-any-return]


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
