"""What a tuned descent says: its coefficients, what their error bars are made of, whether it has settled, and how far
one more row could move it."""

from typing import Any

import numpy as np

from .intervals import Spread
from .state import State
from .tuned_loop import AGE, AVERAGE_BASE, BASE, CALM, CURVE, FAR, GROUPS, SHARE, UNHEARD, YOUNG, hold, step_size, weigh

# A standard error from eight replicas is itself uncertain: the 97.5 % point of Student's t with 7 degrees of freedom
# over the normal one.
FEW_REPLICAS = 2.364624 / 1.959964
# A curvature this flat beside its column's own is none.
FLAT = 1e-9
# The average may move, and be pulled, this many times farther than chance would have it.
UNSETTLED = 2.0
# Rows a feature since the last fresh start, before which nothing is called settled.
FEWEST = 5.0
# Labels of either kind, and at least one a feature, that must be told right before they may be called separable.
FEW_LABELS = 25


def centre(state: State, intercept: bool) -> Any:
    """The coefficients; of merged descents with the bias of their starts taken off, where replicas tell it."""
    mean = _average(state, intercept)
    if not _corrected(state):
        return mean
    return GROUPS * mean - (GROUPS - 1.0) * _averages(state, intercept).mean(axis=0)


def _corrected(state: State) -> bool:
    return bool(state.parts[0] > 1 and len(state.replicas))


def _average(state: State, intercept: bool) -> Any:
    return plane(state, state.average, state.clock[AVERAGE_BASE], intercept)


def _averages(state: State, intercept: bool) -> Any:
    columns = len(state.theta)
    return np.array([plane(state, row[:columns], row[columns:].sum(), intercept) for row in state.averages])


def plane(state: State, slopes: Any, base: float, intercept: bool) -> Any:
    """Coefficients of the features as they come, and the intercept last."""
    return np.append(slopes, base - slopes @ state.middle) if intercept else slopes.copy()


# ------------------------------------------------------------------------------------------------ error bars


def spread(state: State, intercept: bool) -> Spread:
    """What the error bars are made of. Without `bars` there is nothing to make them of."""
    middle = centre(state, intercept)
    error, wide, removed, unlike = _told(state, intercept, np.full(len(middle), np.nan))
    far = error * unlike * float(state.counts[0])
    # Nothing is known of a feature that has hardly been heard.
    error[: len(state.seen)][state.seen <= UNHEARD] = np.inf
    return Spread(
        centre=middle,
        error=error * wide,
        removed=removed,
        above=far,
        below=far,
        kept_above=far,
        kept_below=far,
    )


def _told(state: State, intercept: bool, nothing: Any) -> tuple[Any, float, Any, Any]:
    """Standard errors, by how much these are to be widened, what holding back took away, and the largest pull in
    units of the pulls' spread."""
    if state.counts[0] == 0 or not len(state.pulls):
        return nothing, 1.0, np.zeros_like(nothing), np.zeros_like(nothing)
    with np.errstate(divide="ignore", invalid="ignore"):
        unlike = np.where(state.pulls[0] > 0.0, state.pulls[3] / np.sqrt(state.pulls[0]), 0.0)
    if len(state.replicas):
        apart = _averages(state, intercept)
        error = np.sqrt((GROUPS - 1.0) / GROUPS * ((apart - apart.mean(axis=0)) ** 2).sum(axis=0))
        about = error if not intercept else np.append(error[:-1], state.averages[:, -1].std() * np.sqrt(GROUPS - 1.0))
        removed = _turned(state, _newton(state, state.removed), intercept)
        return error, FEW_REPLICAS, removed, _unlike(state, about, unlike, intercept)
    covariance, removed = _sandwich(state), _newton(state, state.removed)
    about = _deviations(covariance)
    turn = _turned(state, np.eye(len(about)), intercept)
    error = _deviations(turn @ covariance @ turn.T)
    return error, 1.0, _turned(state, removed, intercept), _unlike(state, about, unlike, intercept)


def _turned(state: State, about: Any, intercept: bool) -> Any:
    """What holds about the middle, for the features as they come."""
    if intercept:
        about = about.copy()
        about[-1] -= state.middle @ about[:-1]
    return about


def _deviations(covariance: Any) -> Any:
    """With few rows rounding can leave a variance just below 0."""
    return np.sqrt(np.maximum(np.diag(covariance), 0.0))


def _sandwich(state: State) -> Any:
    """The covariance of the coefficients about the middle."""
    products = state.products + np.tril(state.products, -1).T
    inverse, unit = _inverse(state)
    return inverse @ (products / unit[:, None] / unit) @ inverse / unit[:, None] / unit


def _newton(state: State, pulls: Any) -> Any:
    """Where such pulls would take the coefficients about the middle: without a matrix, as if the features had nothing
    to do with each other."""
    if len(state.curvature):
        inverse, unit = _inverse(state)
        return inverse @ (pulls / unit) / unit
    return np.divide(pulls, state.pulls[1], out=np.zeros_like(pulls), where=state.pulls[1] > 0.0)


def _inverse(state: State) -> tuple[Any, Any]:
    """The inverse of the curvature in units of each column's own, and these units."""
    curvature = state.curvature + np.tril(state.curvature, -1).T
    unit = np.sqrt(np.diag(curvature))
    unit = np.where(unit > 0.0, unit, 1.0)
    return np.linalg.inv(curvature / unit[:, None] / unit + FLAT * np.eye(len(unit))), unit


def _unlike(state: State, about: Any, unlike: Any, intercept: bool) -> Any:
    """The intercept's error is that of the base and of each slope times its middle; so is its largest pull."""
    if not intercept:
        return unlike
    shares = np.append((about[:-1] * state.middle) ** 2, about[-1] ** 2)
    total = float(shares.sum())
    joint = np.sqrt((shares * unlike**2).sum() / total) if total > 0.0 else 0.0
    return np.append(unlike[:-1], joint)


# ------------------------------------------------------------------------------------------------ has it settled


def settled(state: State, intercept: bool, spread: Spread) -> bool:
    """Whether the average of all rows is as near as chance would have it to that of a half, and to where the rows
    pulled it that it had not seen."""
    if state.clock[AGE] < FEWEST * len(spread.centre):
        return False
    if not len(state.marks) or state.marks[1] == 0:
        return True
    rows, before = float(state.counts[0]), float(state.marks[1])
    since = (spread.centre - state.earlier[1]) * np.sqrt(before / (rows - before))
    pulled = _turned(state, _newton(state, state.pulls[2] - state.earlier[3]), intercept)
    pulled *= np.sqrt(rows / (rows - before))
    return max(_apart(since, spread), _apart(pulled, spread)) <= UNSETTLED**2


def separable(state: State) -> bool:
    """Whether the later half of the rows, with enough of either label, has been told without an error."""
    told = state.counts[4:]
    return bool(told.sum() >= state.counts[0] / 2 and told.min() >= max(FEW_LABELS, len(state.theta)))


def _apart(moved: Any, spread: Spread) -> float:
    """The mean square of moves, in standard errors."""
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        return float((np.nan_to_num(moved / spread.error) ** 2).mean())


# ------------------------------------------------------------------------------------------------ one more row


def certificate(loss: Any, intercept: bool, everywhere: bool, state: State) -> Any:
    """How far at most one more row can move each coefficient that `centre` says."""
    reach = _reach(loss, intercept, everywhere, state)
    lift = np.append(np.zeros(len(state.theta)), _lift(loss, state)) if intercept else 0.0
    share = _next_share(state)
    moved = share * (np.abs(_last(state, intercept) - _average(state, intercept)) + reach + lift)
    if not _corrected(state):
        return moved
    apart = np.abs(_lasts(state, intercept) - _averages(state, intercept)) + reach
    return GROUPS * (moved + share * lift) + (GROUPS - 1.0) * share * apart.mean(axis=0)


def _last(state: State, intercept: bool) -> Any:
    return plane(state, state.theta, state.clock[BASE], intercept)


def _lasts(state: State, intercept: bool) -> Any:
    columns = len(state.theta)
    return np.array([plane(state, row[:columns], row[columns:].sum(), intercept) for row in state.replicas])


def _lift(loss: Any, state: State) -> float:
    """By how much more a residual counts for the average's base than for the last iterate's."""
    mild = hold(loss, state.clock, 1.0)
    return mild - hold(loss, state.clock, len(state.theta) + CALM) if np.isfinite(mild) else 0.0


def _next_share(state: State) -> float:
    clock = state.clock.copy()
    return weigh(clock, len(state.theta))


def _reach(loss: Any, intercept: bool, everywhere: bool, state: State) -> Any:
    """How far the last iterate can go.

    Along a feature of sum of squares V the step is limit n s / (V size + s^2 (size + n steepest)) where the row
    has s, at most sqrt(SHARE V), and nothing else: largest where both terms are equal, or at the end.
    """
    clock, columns, rows = state.clock, len(state.theta), float(state.counts[0])
    limit = min(hold(loss, clock, columns + CALM), abs(loss.slope(-FAR, 1.0)))
    size, steepest = step_size(loss, clock, columns), loss.curve(0.0)
    total = np.where(state.seen >= UNHEARD, state.squares, 0.0)
    brake = size + rows * steepest
    feature = np.sqrt(total * min(size / brake, SHARE))
    with np.errstate(divide="ignore", invalid="ignore"):
        slopes = np.nan_to_num(limit * rows * feature / (total * size + feature**2 * brake), posinf=0.0)
    if not everywhere:
        # A projection turns a step, and makes it no longer.
        slopes = np.full(columns, np.sqrt((slopes**2).sum()))
    if not intercept:
        return slopes
    base = limit * max(1.0 / size, 1.0 / (clock[CURVE] * (rows + 1.0)))
    return np.append(slopes, base + _tilt(state, slopes, everywhere))


def _tilt(state: State, slopes: Any, everywhere: bool) -> float:
    """What the intercept moves by because the slopes do, about a middle that moves as well."""
    if not everywhere and (state.seen < YOUNG).any():
        return float("inf")
    shift = np.sqrt(SHARE * state.squares) / (float(state.counts[0]) + 1.0)
    # The middle of a young feature may jump, but then it is the feature that hardly steps: the product is the same.
    return float((np.abs(state.middle) + shift) @ slopes)
