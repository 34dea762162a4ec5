"""Regression in O(p) with nothing to tune, row by row.

A row's step goes along its features, each centred, held to a level and divided by its mean square; its length is that
of the residual, held to a level that grows with the rows, over the step size and the row's own length, so that no row
overshoots itself. The steps shrink slowly and the iterates are averaged, late ones weighing more; when the residuals
of a window are plainly smaller than those of the one before, the average starts afresh.

Plain Python throughout; the same source becomes machine code in `compiled.py`. Distances beyond FAR count as FAR and
squares below TINY as nothing, so that no product of two of them overflows.
"""

from math import copysign, exp, inf, log, sqrt
from typing import Any, NamedTuple

FAR, TINY = 1e70, 1e-140
# Products of clamped numbers with coefficients are held to this.
MOST = 1e200
# What `clock` holds: the fitted value at the middle of the features, and of the average's; the log of the typical
# residual; rows since the last fresh start and the average's weight; the mean curvature of the loss; the window, and
# the first target.
BASE, AVERAGE_BASE, LOG_SCALE, AGE, WEIGHT, CURVE, WINDOW, IN_WINDOW, LOG_SUM, BEFORE, FIRST, CLOCK = range(12)
# No window has been completed yet.
NEVER = 1e300
# A feature's square is held to this share of the sum of squares so far.
SHARE = 0.5
# A step is 1 / (p (START + SLOWING (age/p)^3/4)).
START, SLOWING = 0.5, 0.1
# A residual is held to this many typical ones, and to more as the rows grow: the more features and this, the slower.
# The average's intercept is a mean of residuals, which takes a milder hand: there it is as if this all were 1.
RESIDUALS, CALM = 2.5, 6.9
# A rounding error of a fitted value is no residual.
ROUNDING = 2.0**-52
# The typical residual follows the stream by at least this factor's log a row, and never sinks below this.
FOLLOW, FAINTEST = 0.02, -160.0
# A feature that has been other than its middle fewer times than this has its scale set by its largest value; up to
# UNHEARD times it sets the scale only.
YOUNG, UNHEARD = 5, 2
# However sure a classifier is, its rows count as at least this much curvature.
FLATTEST = 1e-4
# Groups of the jackknife.
GROUPS = 8


class Tuning(NamedTuple):
    """The arrays of p features; q = p, or p + 1 with an intercept."""

    theta: Any  # (p,) the last iterate
    average: Any  # (p,)
    middle: Any  # (p,) what features are centred at; 0 without an intercept
    squares: Any  # (p,) sums of the centred and held features' squares
    seen: Any  # (p,) how often a feature was not at its middle, up to YOUNG
    clock: Any
    counts: Any  # rows used, refused, held back, not with the first target; 0s and 1s told right since the last error
    curvature: Any  # (q, q) for the sandwich, or empty
    products: Any  # (q, q) of pulls, for the sandwich, or empty
    removed: Any  # (q,) pulls less what they were held to, or empty
    pulls: Any  # (4, q) sums of squares, of curvatures and of the pulls themselves, and the largest, or empty
    replicas: Any  # (GROUPS, q) last iterates that each leave a group of rows out, base last, or empty
    averages: Any  # (GROUPS, q) and their averages
    earlier: Any  # (4, q) the coefficients at the last two powers of two rows, and the sums of pulls until then
    marks: Any  # (2,) and after how many rows these were
    step: Any  # (p,) scratch: the direction of a row's step
    lever: Any  # (q,) scratch: its features as they are held


def tune(loss: Any, domain: Any, intercept: bool, state: Tuning, X: Any, y: Any, held: int) -> None:
    """Take the rows one by one. The first `held` have set the scale, which their replay leaves as it is."""
    theta, middle, squares, step = state.theta, state.middle, state.squares, state.step
    clock, counts, columns = state.clock, state.counts, state.theta.shape[0]
    young = count_young(state.seen)
    for i in range(X.shape[0]):
        score = fitted(X, i, middle, theta, clock[BASE])
        if not (score - score == 0.0 and y[i] - y[i] == 0.0):
            counts[1] += 1
            continue
        t, target = counts[0], min(max(y[i], -FAR), FAR)
        live, rows = t >= held, float(max(t, held))
        if young > 0:
            ripen(X, i, middle, squares, state.seen, rows)
        length = direct(X, i, middle, squares, rows, live, step)
        if young > 0:
            length = hush(X, i, middle, state.seen, step)
            young = count_young(state.seen)
        limit, mild = hold(loss, clock, columns + CALM), hold(loss, clock, 1.0)
        size = step_size(loss, clock, columns)
        brake = size + loss.curve(0.0) * length
        share = weigh(clock, columns)
        if state.pulls.shape[0] > 0:
            measure(squares, step, rows, state.lever)
            weight = share * clock[WEIGHT] * size / brake
            score_there = fitted(X, i, middle, state.average, clock[AVERAGE_BASE])
            witness(loss, state, score_there, target, limit, mild, weight)
        if live and state.replicas.shape[0] > 0:
            replicate(loss, domain, intercept, state, X, i, target, limit, mild, brake, share)
        residual = -loss.slope(score, target)
        pull = held_to(residual, limit)
        if intercept:
            recentre(theta, state.average, middle, squares, step, clock, rows * float(t + 1))
            clock[BASE] += farther(pull / brake, pull / (clock[CURVE] * float(t + 1)))
            lift = held_to(residual, mild) - pull
            clock[AVERAGE_BASE] += share * (clock[BASE] + lift - clock[AVERAGE_BASE])
        move(domain, theta, state.average, step, pull / brake, share)
        counts[0] += 1
        counts[2] += pull != residual
        counts[3] += target != clock[FIRST]
        tell(counts, score, target)
        follow(clock, max(abs(residual), ROUNDING * (abs(score) + abs(target))), float(t + 1), live)
        clock[CURVE] += (max(loss.curve(score), FLATTEST) - clock[CURVE]) / float(t + 2)
        if progress(clock, columns):
            forget(state)
        if state.marks.shape[0] > 0 and counts[0] & (counts[0] - 1) == 0:
            remember(state)


# ------------------------------------------------------------------------------------------------ where a row points


def fitted(X: Any, i: int, middle: Any, theta: Any, base: float) -> float:
    """The score of a row, held to FAR; NaN where the row is not finite."""
    score = base
    for j in range(theta.shape[0]):
        score += (X[i, j] - middle[j]) * theta[j]
    return score if abs(score) < FAR else fitted_far(X, i, middle, theta, base)


def fitted_far(X: Any, i: int, middle: Any, theta: Any, base: float) -> float:
    """The same where the sum may overflow."""
    score, doubt = base, 0.0
    for j in range(theta.shape[0]):
        doubt += X[i, j] * 0.0
        away = min(max(X[i, j] - middle[j], -FAR), FAR)
        score += min(max(away * theta[j], -MOST), MOST)
    return min(max(score, -FAR), FAR) + doubt


def direct(X: Any, i: int, middle: Any, squares: Any, rows: float, live: bool, step: Any) -> float:
    """Write where the row points into `step`: each feature, held to its level, over its mean square. The row's length
    is that along the step."""
    length, taken = 0.0, 1.0 if live else 0.0
    for j in range(squares.shape[0]):
        away = min(max(X[i, j] - middle[j], -FAR), FAR)
        square = away * away
        kept = min(square if square > TINY else 0.0, SHARE * squares[j])
        total = squares[j] + taken * kept
        squares[j] = total
        along = copysign(sqrt(kept), away) * (rows / max(total, TINY))
        step[j] = along
        length += abs(away * along)
    return length


def count_young(seen: Any) -> int:
    young = 0
    for j in range(seen.shape[0]):
        young += seen[j] < YOUNG
    return young


def ripen(X: Any, i: int, middle: Any, squares: Any, seen: Any, rows: float) -> None:
    """A feature that is nearly always at its middle has its scale set by the largest of its first values."""
    for j in range(seen.shape[0]):
        away = min(max(X[i, j] - middle[j], -FAR), FAR)
        if seen[j] < YOUNG and away * away > TINY:
            seen[j] += 1
            squares[j] = max(squares[j], rows * (away * away))


def hush(X: Any, i: int, middle: Any, seen: Any, step: Any) -> float:
    """Too few values to step along: the feature keeps still. Returns the length without it."""
    length = 0.0
    for j in range(seen.shape[0]):
        if seen[j] <= UNHEARD:
            step[j] = 0.0
        length += abs(min(max(X[i, j] - middle[j], -FAR), FAR) * step[j])
    return length


# ------------------------------------------------------------------------------------------------ how far it goes


def hold(loss: Any, clock: Any, calm: float) -> float:
    """What a residual is held to: ever more typical ones, the later the calmer. A slope that flattens out holds
    itself."""
    if loss.curve(FAR) == 0.0:
        return inf
    return exp(clock[LOG_SCALE]) * sqrt(RESIDUALS * RESIDUALS + clock[AGE] / calm)


def held_to(value: float, limit: float) -> float:
    return min(max(value, -limit), limit)


def step_size(loss: Any, clock: Any, columns: int) -> float:
    """One over the step: it grows slowly, so that the start is forgotten, and the average does the rest.

    Where the loss bends the average of iterates lies beside what they are drawn to, by their spread: curvatures are in
    units of the steepest, which makes steps on log-odds a quarter as long.
    """
    root = sqrt(clock[AGE] / columns)
    return clock[CURVE] / loss.curve(0.0) * columns * (START + SLOWING * root * sqrt(root))  # type: ignore[no-any-return]


def weigh(clock: Any, columns: int) -> float:
    """The share of this row's iterate in the average: the first p or so rows after a fresh start weigh next to
    nothing."""
    clock[AGE] += 1.0
    ramp = clock[AGE] / (clock[AGE] + columns)
    weight = ramp * ramp * ramp * ramp
    clock[WEIGHT] += weight
    return weight / clock[WEIGHT]  # type: ignore[no-any-return]


def tell(counts: Any, score: float, label: float) -> None:
    """Count the labels of either kind that have been told right, before they were learnt from, since the last error."""
    if (score > 0.0) == (label > 0.5):
        counts[5 if label > 0.5 else 4] += 1
    else:
        counts[4], counts[5] = 0, 0


def farther(a: float, b: float) -> float:
    return a if abs(a) > abs(b) else b


def recentre(theta: Any, average: Any, middle: Any, squares: Any, step: Any, clock: Any, rows: float) -> None:
    """Move the middle as a mean does; the plane stays where it is, so its value at the middle moves along."""
    here, there = 0.0, 0.0
    for j in range(theta.shape[0]):
        shift = step[j] * squares[j] / rows
        middle[j] += shift
        here += theta[j] * shift
        there += average[j] * shift
    clock[BASE] += here
    clock[AVERAGE_BASE] += there


def move(domain: Any, theta: Any, average: Any, step: Any, factor: float, share: float) -> None:
    for j in range(theta.shape[0]):
        theta[j] += factor * step[j]
    domain.pull(theta)
    for j in range(theta.shape[0]):
        average[j] += share * (theta[j] - average[j])


# ------------------------------------------------------------------------------------------------ the stream's clock


def follow(clock: Any, residual: float, rows: float, live: bool) -> None:
    """Follow the median of the residuals' logarithms, and add them up for the window."""
    size = log(residual) if residual > 0.0 else clock[LOG_SCALE] - 5.0
    clock[LOG_SUM] += size
    clock[IN_WINDOW] += 1.0
    if live:
        pace = max(1.0 / sqrt(rows), FOLLOW)
        clock[LOG_SCALE] = max(clock[LOG_SCALE] + (pace if size > clock[LOG_SCALE] else -pace), FAINTEST)


def progress(clock: Any, columns: int) -> bool:
    """At the end of a window: whether its residuals are plainly smaller than those of the one before."""
    if clock[IN_WINDOW] < clock[WINDOW]:
        return False
    mean, before = clock[LOG_SUM] / clock[IN_WINDOW], clock[BEFORE]
    plainly = before < NEVER and before - mean > 4.5 / sqrt(clock[IN_WINDOW]) + 0.1
    if plainly:
        clock[WINDOW] = first_window(columns)
    elif before < NEVER:
        clock[WINDOW] *= 2.0
    clock[BEFORE], clock[LOG_SUM], clock[IN_WINDOW] = mean, 0.0, 0.0
    return plainly  # type: ignore[no-any-return]


def first_window(columns: int) -> float:
    return max(2.0 * columns, 64.0)


def forget(state: Tuning) -> None:
    """A fresh start from where the last iterate is: what was learnt on the way here is not averaged in."""
    state.clock[AGE] = 0.0
    state.clock[WEIGHT] = 0.0
    state.curvature[:] = 0.0
    state.products[:] = 0.0
    state.removed[:] = 0.0
    state.pulls[:] = 0.0
    state.earlier[2:] = 0.0


def remember(state: Tuning) -> None:
    """After 1, 2, 4, 8, ... rows: where the average is, and how it has been pulled at."""
    columns, total, earlier = state.theta.shape[0], state.clock[AVERAGE_BASE], state.earlier
    for j in range(columns):
        total -= state.middle[j] * state.average[j]
    for j in range(earlier.shape[1]):
        earlier[1, j], earlier[0, j] = earlier[0, j], state.average[j] if j < columns else total
        earlier[3, j], earlier[2, j] = earlier[2, j], state.pulls[2, j]
    state.marks[1], state.marks[0] = state.marks[0], state.counts[0]


# ------------------------------------------------------------------------------------------------ for the error bars


def measure(squares: Any, step: Any, rows: float, lever: Any) -> None:
    """The row's features, centred and held; 1 for the intercept."""
    for j in range(squares.shape[0]):
        lever[j] = step[j] * squares[j] / rows
    for j in range(squares.shape[0], lever.shape[0]):
        lever[j] = 1.0


def witness(loss: Any, state: Tuning, score: float, target: float, limit: float, mild: float, weight: float) -> None:
    """How the row pulls at the average, which has not seen it."""
    residual, lever = -loss.slope(score, target), state.lever
    held, curve = held_to(residual, limit), weight * max(loss.curve(score), FLATTEST)
    for j in range(lever.shape[0]):
        mine = held if j < state.theta.shape[0] else held_to(residual, mild)
        pull = weight * mine * lever[j]
        state.pulls[0, j] += pull * pull
        state.pulls[1, j] += curve * lever[j] * lever[j]
        state.pulls[2, j] += pull
        state.pulls[3, j] = max(state.pulls[3, j], abs(weight * residual * lever[j]))
        state.removed[j] += weight * (residual - mine) * lever[j]
    for j in range(state.curvature.shape[0]):
        bend = curve * lever[j]
        mine = held if j < state.theta.shape[0] else held_to(residual, mild)
        product = weight * held * (weight * mine * lever[j])
        for k in range(j + 1):
            state.curvature[j, k] += bend * lever[k]
            state.products[j, k] += product * lever[k]
        state.products[j, j] += weight * mine * lever[j] * (weight * (mine - held) * lever[j])


def replicate(
    loss: Any,
    domain: Any,
    intercept: bool,
    state: Tuning,
    X: Any,
    i: int,
    target: float,
    limit: float,
    mild: float,
    brake: float,
    share: float,
) -> None:
    """Step with all replicas but the one that leaves this row's group out. They share the scale and the clock."""
    columns, middle, step = state.theta.shape[0], state.middle, state.step
    t, clock = state.counts[0], state.clock
    for k in range(GROUPS):
        theta, average = state.replicas[k], state.averages[k]
        pull, lift, base = 0.0, 0.0, theta[columns] if intercept else 0.0
        score, here, there = survey(X, i, middle, state.lever, theta, average)
        if t % GROUPS != k:
            score += base
            if not abs(score) < FAR:
                score = fitted_far(X, i, middle, theta[:columns], base)
            residual = -loss.slope(score, target)
            pull = held_to(residual, limit)
            lift = (held_to(residual, mild) - pull) * GROUPS / (GROUPS - 1.0)
        if intercept:
            theta[columns] += here / float(t + 1) + farther(pull / brake, pull / (clock[CURVE] * float(t + 1)))
            average[columns] += there / float(t + 1)
            average[columns] += share * (theta[columns] + lift - average[columns])
        move(domain, theta[:columns], average[:columns], step, pull / brake, share)


def survey(X: Any, i: int, middle: Any, lever: Any, theta: Any, average: Any) -> tuple[float, float, float]:
    """A replica's score of the row but for its base, and what both bases gain when the middle moves by the lever. All
    in one go: the replicas together are more than the nearest memory holds."""
    score, here, there = 0.0, 0.0, 0.0
    for j in range(middle.shape[0]):
        score += (X[i, j] - middle[j]) * theta[j]
        here += theta[j] * lever[j]
        there += average[j] * lever[j]
    return score, here, there
