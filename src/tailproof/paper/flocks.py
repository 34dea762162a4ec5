"""Candidates side by side: all candidates of one method learn from the same rows, a few rows at a time.

A flock that clips stays together while it can: candidates that differ in their level only are one and the same until
the first row that one of them clips, so they share the last row of `theta`, that of no level at all, and the lowest
level leaves it first. This is exact. Most levels of the paper's grids are reached by few rows, or by none.

Scores are for sequential validation: from row `scored` on, a candidate's loss on a row before it learns from it.
"""

from math import exp, log1p, sqrt
from typing import Any, NamedTuple


class Flock(NamedTuple):
    """Clipped descents with one delay: levels ascending, the last without bound."""

    theta: Any  # (m, p)
    levels: Any  # (m,)
    scores: Any  # (m,)
    squares: Any  # (m,) scratch: squared distances to the next row
    left: Any  # (1,) how many have left the common path
    delay: float
    curvature: float


class Flocks(NamedTuple):
    """Flocks that differ in their delay."""

    theta: Any  # (g, m, p)
    levels: Any  # (m,)
    scores: Any  # (g, m)
    squares: Any  # (m,)
    left: Any  # (g, 1)
    delays: Any  # (g,)
    curvature: float


class Shrunken(NamedTuple):
    """Descents with a penalty on their length (ridge) or on their coordinates (lasso)."""

    theta: Any  # (m, p)
    penalties: Any  # (m,)
    scores: Any  # (m,)
    delay: float
    curvature: float


# --------------------------------------------------------------------------------------------- clipped descents


def flock_of(flocks: Flocks, g: int) -> Flock:
    return Flock(
        flocks.theta[g],
        flocks.levels,
        flocks.scores[g],
        flocks.squares,
        flocks.left[g],
        flocks.delays[g],
        flocks.curvature,
    )


def gather(flock: Flock, start: Any) -> None:
    """All candidates at the start, together."""
    last = flock.theta.shape[0] - 1
    for j in range(start.shape[0]):
        flock.theta[last, j] = start[j]
    for k in range(last + 1):
        flock.scores[k] = 0.0
    flock.left[0] = 0


def leave(flock: Flock, pull: float) -> None:
    """Those whose level is below this pull go their own way."""
    last = flock.theta.shape[0] - 1
    while flock.left[0] < last and pull > flock.levels[flock.left[0]]:
        k = flock.left[0]
        for j in range(flock.theta.shape[1]):
            flock.theta[k, j] = flock.theta[last, j]
        flock.scores[k] = flock.scores[last]
        flock.squares[k] = flock.squares[last]
        flock.left[0] += 1


def take_locations(flock: Flock, X: Any, rows: int, first: int, scored: int) -> None:
    """Rows whose mean is wanted; the first of them is row number `first`, counted from 1.

    A candidate that steps towards one row measures its distance to the next on the way.
    """
    last = flock.theta.shape[0] - 1
    for k in range(last + 1):
        if k == last or k < flock.left[0]:
            flock.squares[k] = distance(flock.theta, k, X, 0)
    for i in range(rows):
        step = 1.0 / (flock.curvature * (first + i + flock.delay))
        squared = flock.squares[last]
        if squared > flock.levels[flock.left[0]] * flock.levels[flock.left[0]]:
            leave(flock, sqrt(squared))
        flock.scores[last] += 0.5 * squared if first + i >= scored else 0.0
        flock.squares[last] = approach(flock.theta, last, X, i, min(i + 1, rows - 1), step)
        for k in range(flock.left[0]):
            squared = flock.squares[k]
            if first + i >= scored:
                flock.scores[k] += 0.5 * squared
            shrink = flock.levels[k] / sqrt(squared) if squared > flock.levels[k] * flock.levels[k] else 1.0
            flock.squares[k] = approach(flock.theta, k, X, i, min(i + 1, rows - 1), step * shrink)


def distance(theta: Any, k: int, X: Any, i: int) -> float:
    """Squared, from a candidate to a row."""
    total = 0.0
    for j in range(theta.shape[1]):
        gap = theta[k, j] - X[i, j]
        total += gap * gap
    return total


def approach(theta: Any, k: int, X: Any, i: int, following: int, step: float) -> float:
    """A step towards one row. Returns the squared distance to another from there."""
    stay, total = 1.0 - step, 0.0
    for j in range(theta.shape[1]):
        here = stay * theta[k, j] + step * X[i, j]
        theta[k, j] = here
        gap = here - X[following, j]
        total += gap * gap
    return total


def take_lines(flock: Flock, X: Any, y: Any, lengths: Any, rows: int, first: int, scored: int) -> None:
    """Rows of a regression. clip(r x, l) = clamp(r, +-l/|x|) x; with lengths of 1 this is Huber's rule."""
    last = flock.theta.shape[0] - 1
    for i in range(rows):
        step = 1.0 / (flock.curvature * (first + i + flock.delay))
        slope = product(flock.theta, last, X, i) - y[i]
        if abs(slope) * lengths[i] > flock.levels[flock.left[0]]:
            leave(flock, abs(slope) * lengths[i])
        if first + i >= scored:
            flock.scores[last] += 0.5 * slope * slope
        move(flock.theta, last, X, i, step * slope)
        for k in range(flock.left[0]):
            slope = product(flock.theta, k, X, i) - y[i]
            if first + i >= scored:
                flock.scores[k] += 0.5 * slope * slope
            limit = flock.levels[k] / lengths[i]
            move(flock.theta, k, X, i, step * max(min(slope, limit), -limit))


def product(theta: Any, k: int, X: Any, i: int) -> float:
    total = 0.0
    for j in range(theta.shape[1]):
        total += theta[k, j] * X[i, j]
    return total


def move(theta: Any, k: int, X: Any, i: int, step: float) -> None:
    for j in range(theta.shape[1]):
        theta[k, j] -= step * X[i, j]


def take_odds(
    flock: Flock, X: Any, y: Any, lengths: Any, centre: Any, radius: float, rows: int, first: int, scored: int
) -> None:
    """Rows of a logistic regression, each step followed by projection on a ball, if it has a radius."""
    last = flock.theta.shape[0] - 1
    for i in range(rows):
        step = 1.0 / (flock.curvature * (first + i + flock.delay))
        z = product(flock.theta, last, X, i)
        slope = logistic_slope(z, y[i])
        if abs(slope) * lengths[i] > flock.levels[flock.left[0]]:
            leave(flock, abs(slope) * lengths[i])
        if first + i >= scored:
            flock.scores[last] += logistic_loss(z, y[i])
        move(flock.theta, last, X, i, step * slope)
        project(flock.theta, last, centre, radius)
        for k in range(flock.left[0]):
            z = product(flock.theta, k, X, i)
            slope = logistic_slope(z, y[i])
            if first + i >= scored:
                flock.scores[k] += logistic_loss(z, y[i])
            limit = flock.levels[k] / lengths[i]
            move(flock.theta, k, X, i, step * max(min(slope, limit), -limit))
            project(flock.theta, k, centre, radius)


def logistic_slope(z: float, y: float) -> float:
    e = exp(-abs(z))
    return (1.0 / (1.0 + e) if z >= 0.0 else e / (1.0 + e)) - y


def logistic_loss(z: float, y: float) -> float:
    return max(z, 0.0) + log1p(exp(-abs(z))) - y * z


def project(theta: Any, k: int, centre: Any, radius: float) -> None:
    if not radius > 0.0:
        return
    far = away(theta, k, centre)
    if far > radius:
        for j in range(theta.shape[1]):
            theta[k, j] = centre[j] + (theta[k, j] - centre[j]) * (radius / far)


def away(theta: Any, k: int, truth: Any) -> float:
    """How far a candidate is from the truth."""
    total = 0.0
    for j in range(theta.shape[1]):
        gap = theta[k, j] - truth[j]
        total += gap * gap
    return sqrt(total)


# -------------------------------------------------------------------------------------------- ridge and lasso


def begin_shrunken(shrunken: Shrunken, start: Any) -> None:
    for k in range(shrunken.theta.shape[0]):
        shrunken.scores[k] = 0.0
        for j in range(start.shape[0]):
            shrunken.theta[k, j] = start[j]


def take_ridge(ridge: Shrunken, X: Any, y: Any, rows: int, first: int, scored: int) -> None:
    """theta <- (theta - eta r x) / (1 + eta rho), two rows for one walk along theta."""
    i = 0
    while i + 1 < rows:
        two_ridge(ridge, X, y, i, first + i, scored)
        i += 2
    if i < rows:
        one_ridge(ridge, X, y, i, first + i, scored)


def one_ridge(ridge: Shrunken, X: Any, y: Any, i: int, t: int, scored: int) -> None:
    step = 1.0 / (ridge.curvature * (t + ridge.delay))
    for k in range(ridge.theta.shape[0]):
        slope = product(ridge.theta, k, X, i) - y[i]
        if t >= scored:
            ridge.scores[k] += 0.5 * slope * slope
        keep = 1.0 / (1.0 + step * ridge.penalties[k])
        pull = keep * step * slope
        for j in range(ridge.theta.shape[1]):
            ridge.theta[k, j] = keep * ridge.theta[k, j] - pull * X[i, j]


def two_ridge(ridge: Shrunken, X: Any, y: Any, i: int, t: int, scored: int) -> None:
    """Rows i and i + 1, whose product tells what the first step does to the second prediction."""
    step, then = 1.0 / (ridge.curvature * (t + ridge.delay)), 1.0 / (ridge.curvature * (t + 1 + ridge.delay))
    both = 0.0
    for j in range(X.shape[1]):
        both += X[i, j] * X[i + 1, j]
    for k in range(ridge.theta.shape[0]):
        z, w = 0.0, 0.0
        for j in range(ridge.theta.shape[1]):
            z += ridge.theta[k, j] * X[i, j]
            w += ridge.theta[k, j] * X[i + 1, j]
        keep, hold = 1.0 / (1.0 + step * ridge.penalties[k]), 1.0 / (1.0 + then * ridge.penalties[k])
        slope = z - y[i]
        pull = keep * step * slope
        second = keep * w - pull * both - y[i + 1]
        if t >= scored:
            ridge.scores[k] += 0.5 * slope * slope
        if t + 1 >= scored:
            ridge.scores[k] += 0.5 * second * second
        keep, pull, tug = keep * hold, pull * hold, hold * then * second
        for j in range(ridge.theta.shape[1]):
            ridge.theta[k, j] = keep * ridge.theta[k, j] - pull * X[i, j] - tug * X[i + 1, j]


def take_lasso(lasso: Shrunken, X: Any, y: Any, rows: int, first: int, scored: int) -> None:
    """theta <- soft(theta - eta r x, eta rho)."""
    for i in range(rows):
        step = 1.0 / (lasso.curvature * (first + i + lasso.delay))
        for k in range(lasso.theta.shape[0]):
            slope = product(lasso.theta, k, X, i) - y[i]
            if first + i >= scored:
                lasso.scores[k] += 0.5 * slope * slope
            pull, soft = step * slope, step * lasso.penalties[k]
            for j in range(lasso.theta.shape[1]):
                value = lasso.theta[k, j] - pull * X[i, j]
                lasso.theta[k, j] = max(value - soft, 0.0) + min(value + soft, 0.0)
