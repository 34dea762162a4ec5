"""Clipped descents side by side: a row is read once, all candidates are scored on it, then all learn from it.

`race_lines` serves losses of a linear score, `race_spots` the mean, `race_any` whatever else a descent takes, in the
words of `loop.descend`; a law holds the fast ones to it. All are plain Python, and the same source becomes machine
code in `compiled.py`.

Each walk along a candidate does two things: the step along the row before, and what the next row asks of it. Few
columns are laid out with the candidates side by side, many with the columns of one candidate side by side.
"""

from math import sqrt
from typing import Any, NamedTuple

from .loop import FINE, HUGE, Descent, descend, finite
from .losses import lost, lost_at
from .piece import nth

# No score is worse than this.
WORST = 1e300
# A row on which all lose more than this tells nothing of who is better.
BEYOND = 1e150
# What is lost on a row that is refused.
NOTHING = float("nan")


class Alone(NamedTuple):
    """One candidate's pieces, as a descent wants them."""

    loss: Any
    level: Any
    steps: Any
    domain: Any


class Racers(NamedTuple):
    """The arrays of candidates that differ in numbers only, and some of scratch."""

    theta: Any  # (m, p), or (p, m) where `across`
    memory: Any  # (2, m) the levels'
    counts: Any  # (3, m) rows used, refused, clipped
    bars: Any  # (m, 4, p) sums for error bars, or (m, 0, p)
    levels: Any  # (numbers of a level, m), and so on
    steps: Any
    domains: Any
    across: bool
    bounded: bool  # whether the domain is any but all of space
    asked: Any  # scratch (m,), or more: scores, or squared distances to a row
    moves: Any  # scratch, as long: how far each goes along a row, or towards it
    limits: Any  # scratch (m,)
    own: Any  # scratch (2,): one level's memory
    scratch: Any  # scratch (p,)


def race_lines(rule: Any, racers: Racers, board: Any, X: Any, y: Any, losses: Any) -> None:
    """Rows of a loss of z = <x, theta>. `losses` has room for what each candidate loses on a few rows at a time."""
    for first in range(0, X.shape[0], losses.shape[0]):
        last = min(first + losses.shape[0], X.shape[0])
        lines(rule, racers, X[first:last], y[first:last], losses)
        if board.alone:
            keep_scores(board, losses[: last - first])


def race_spots(rule: Any, racers: Racers, board: Any, X: Any, y: Any, losses: Any) -> None:
    """Rows whose mean is wanted."""
    for first in range(0, X.shape[0], losses.shape[0]):
        last = min(first + losses.shape[0], X.shape[0])
        spots(rule, racers, X[first:last], y[first:last], losses)
        if board.alone:
            keep_scores(board, losses[: last - first])


def race_any(rule: Any, racers: Racers, board: Any, X: Any, y: Any, losses: Any) -> None:
    """Rows of any loss."""
    for first in range(0, X.shape[0], losses.shape[0]):
        last = min(first + losses.shape[0], X.shape[0])
        for i in range(last - first):
            take(rule, racers, X[first:last], y[first:last], losses, i)
        if board.alone:
            keep_scores(board, losses[: last - first])


def lines(rule: Any, racers: Racers, X: Any, y: Any, losses: Any) -> None:
    """What each candidate loses on each row, NaN if the row is refused."""
    i = 0
    while i < X.shape[0]:
        # A run begins with no step at all along its first row, which must not be made of what is no number.
        if length_of(X, i) < HUGE:
            i = run_lines(rule, racers, X, y, losses, i)
        if i < X.shape[0]:
            take_line(rule, racers, X, y, losses, i)
            i += 1


def spots(rule: Any, racers: Racers, X: Any, y: Any, losses: Any) -> None:
    i = 0
    while i < X.shape[0]:
        if length_of(X, i) < HUGE:
            i = run_spots(rule, racers, X, y, losses, i)
        if i < X.shape[0]:
            take(rule, racers, X, y, losses, i)
            i += 1


# ------------------------------------------------------------------------------------- losses of a linear score


def run_lines(rule: Any, racers: Racers, X: Any, y: Any, losses: Any, first: int) -> int:
    """The rows from the first up to one that needs care; returns which."""
    rows, before = X.shape[0], first
    # Each array by itself: to hand a record on, row by row, costs more than to walk along one.
    theta, asked, moves, limits = racers.theta, racers.asked, racers.moves, racers.limits
    levels, memory, own, steps, counts = racers.levels, racers.memory, racers.own, racers.steps, racers.counts
    rest(moves)
    for i in range(first, rows + 1):
        # After the last row there is a step to make, but nothing to ask.
        here = min(i, rows - 1)
        if racers.across:
            walk_across(theta, moves, asked, X, before, here)
        else:
            walk(theta, moves, asked, X, before, here)
        if racers.bounded and i > first:
            pull_lines(rule, racers, X, here)
        rest(moves)
        if i == rows:
            return rows  # type: ignore[no-any-return]
        length = length_of(X, i)
        allow(rule.level, levels, memory, own, limits)
        if not (length < HUGE and y[i] - y[i] == 0.0 and slopes(rule.loss, asked, moves, limits, y[i], length)):
            rest(moves)
            return i
        lose(rule.loss, asked, losses, i, y[i])
        learn(rule.level, levels, memory, own, moves, length)
        clamp(rule.steps, steps, counts, moves, limits, sqrt(length))
        before = i
    return rows  # type: ignore[no-any-return]


def rest(moves: Any) -> None:
    for k in range(moves.shape[0]):
        moves[k] = 0.0


def walk(theta: Any, moves: Any, scores: Any, X: Any, before: int, here: int) -> None:
    """Each candidate's step along a row, and its score of another; two candidates for one walk along the rows."""
    for k in range(0, theta.shape[0] - 1, 2):
        scores[k], scores[k + 1] = walk_two(theta, k, moves[k], moves[k + 1], X, before, here)
    if theta.shape[0] % 2 == 1:
        k = theta.shape[0] - 1
        scores[k] = walk_one(theta, k, moves[k], X, before, here)


def walk_one(theta: Any, k: int, move: float, X: Any, before: int, here: int) -> float:
    score = 0.0
    for j in range(X.shape[1]):
        theta[k, j] -= move * X[before, j]
        score += theta[k, j] * X[here, j]
    return score


def walk_two(theta: Any, k: int, move: float, other: float, X: Any, before: int, here: int) -> tuple[float, float]:
    z, w = 0.0, 0.0
    for j in range(X.shape[1]):
        t = theta[k, j] - move * X[before, j]
        u = theta[k + 1, j] - other * X[before, j]
        theta[k, j] = t
        theta[k + 1, j] = u
        z += t * X[here, j]
        w += u * X[here, j]
    return z, w


def walk_across(theta: Any, moves: Any, scores: Any, X: Any, before: int, here: int) -> None:
    """The same where candidates are side by side; four columns for one walk along the scores."""
    rest(scores)
    j, columns = 0, X.shape[1]
    while j + 3 < columns:
        x, x1, x2, x3 = X[before, j], X[before, j + 1], X[before, j + 2], X[before, j + 3]
        v, v1, v2, v3 = X[here, j], X[here, j + 1], X[here, j + 2], X[here, j + 3]
        for k in range(moves.shape[0]):
            move = moves[k]
            t, t1 = theta[j, k] - move * x, theta[j + 1, k] - move * x1
            t2, t3 = theta[j + 2, k] - move * x2, theta[j + 3, k] - move * x3
            theta[j, k], theta[j + 1, k], theta[j + 2, k], theta[j + 3, k] = t, t1, t2, t3
            scores[k] += (t * v + t1 * v1) + (t2 * v2 + t3 * v3)
        j += 4
    while j < columns:
        x, v = X[before, j], X[here, j]
        for k in range(moves.shape[0]):
            theta[j, k] -= moves[k] * x
            scores[k] += theta[j, k] * v
        j += 1


def pull_lines(rule: Any, racers: Racers, X: Any, here: int) -> None:
    """Back into the domain, and the scores from there."""
    for k in range(racers.limits.shape[0]):
        pull(rule, racers, k)
        racers.asked[k] = product(weights_of(racers, k), X[here])


def length_of(X: Any, i: int) -> float:
    """Squared."""
    total = 0.0
    for j in range(X.shape[1]):
        total += X[i, j] * X[i, j]
    return total


def slopes(loss: Any, scores: Any, moves: Any, limits: Any, y: float, length: float) -> bool:
    """Each candidate's slope; whether squares and levels keep within bounds."""
    careful = 0
    for k in range(limits.shape[0]):
        slope = loss.slope(scores[k], y)
        moves[k] = slope
        careful += 0 if slope * slope * length < HUGE and limits[k] > FINE else 1
    return careful == 0


def lose(loss: Any, scores: Any, losses: Any, i: int, y: float) -> None:
    for k in range(losses.shape[1]):
        losses[i, k] = within(lost(loss, scores[k], y))


def clamp(like: Any, steps: Any, counts: Any, moves: Any, limits: Any, root: float) -> None:
    """clip(s x, l) = clamp(s, +-l/|x|) x; a row of zeros goes nowhere."""
    shorter = 1.0 / root if root > 0.0 else HUGE
    for k in range(limits.shape[0]):
        counts[0, k] += 1
        counts[2, k] += 1 if abs(moves[k]) > limits[k] * shorter else 0
    for k in range(limits.shape[0]):
        limit = limits[k] * shorter
        size = nth(like, steps, k).size(float(counts[0, k]))
        moves[k] = size * max(-limit, min(limit, moves[k]))


def allow(like: Any, levels: Any, memory: Any, own: Any, limits: Any) -> None:
    """Each candidate's level."""
    for k in range(limits.shape[0]):
        own[0], own[1] = memory[0, k], memory[1, k]
        limits[k] = nth(like, levels, k).allow(own)


def learn(like: Any, levels: Any, memory: Any, own: Any, moves: Any, length: float) -> None:
    """Each level hears the squared length of its gradient, which is the squared slope times this."""
    for k in range(memory.shape[1]):
        own[0], own[1] = memory[0, k], memory[1, k]
        nth(like, levels, k).learn(own, moves[k] * moves[k] * length)
        memory[0, k], memory[1, k] = own[0], own[1]


# ----------------------------------------------------------------------------------------------------- the mean


def run_spots(rule: Any, racers: Racers, X: Any, y: Any, losses: Any, first: int) -> int:
    """The rows from the first up to one that needs care; returns which."""
    rows, before = X.shape[0], first
    theta, asked, moves, limits = racers.theta, racers.asked, racers.moves, racers.limits
    levels, memory, own, steps, counts = racers.levels, racers.memory, racers.own, racers.steps, racers.counts
    rest(moves)
    for i in range(first, rows + 1):
        here = min(i, rows - 1)
        if racers.across:
            approach_across(theta, moves, asked, X, before, here)
        else:
            approach(theta, moves, asked, X, before, here)
        if racers.bounded and i > first:
            pull_spots(rule, racers, X, here)
        rest(moves)
        if i == rows:
            return rows  # type: ignore[no-any-return]
        allow(rule.level, levels, memory, own, limits)
        if not (y[i] - y[i] == 0.0 and near(asked, limits)):
            return i
        halve(asked, losses, i)
        draw(asked, moves, limits)
        learn(rule.level, levels, memory, own, moves, 1.0)
        shorten(rule.steps, steps, counts, moves, limits)
        before = i
    return rows  # type: ignore[no-any-return]


def approach(theta: Any, moves: Any, squares: Any, X: Any, before: int, here: int) -> None:
    """Each candidate's step towards a row, and its squared distance to another."""
    for k in range(0, theta.shape[0] - 1, 2):
        squares[k], squares[k + 1] = approach_two(theta, k, moves[k], moves[k + 1], X, before, here)
    if theta.shape[0] % 2 == 1:
        k = theta.shape[0] - 1
        squares[k] = approach_one(theta, k, moves[k], X, before, here)


def approach_one(theta: Any, k: int, move: float, X: Any, before: int, here: int) -> float:
    squared = 0.0
    for j in range(X.shape[1]):
        theta[k, j] -= move * (theta[k, j] - X[before, j])
        squared += (theta[k, j] - X[here, j]) * (theta[k, j] - X[here, j])
    return squared


def approach_two(theta: Any, k: int, move: float, other: float, X: Any, before: int, here: int) -> tuple[float, float]:
    z, w = 0.0, 0.0
    for j in range(X.shape[1]):
        t = theta[k, j] - move * (theta[k, j] - X[before, j])
        u = theta[k + 1, j] - other * (theta[k + 1, j] - X[before, j])
        theta[k, j] = t
        theta[k + 1, j] = u
        z += (t - X[here, j]) * (t - X[here, j])
        w += (u - X[here, j]) * (u - X[here, j])
    return z, w


def approach_across(theta: Any, moves: Any, squares: Any, X: Any, before: int, here: int) -> None:
    """The same where candidates are side by side."""
    rest(squares)
    j, columns = 0, X.shape[1]
    while j + 1 < columns:
        x, x1, v, v1 = X[before, j], X[before, j + 1], X[here, j], X[here, j + 1]
        for k in range(moves.shape[0]):
            t = theta[j, k] - moves[k] * (theta[j, k] - x)
            t1 = theta[j + 1, k] - moves[k] * (theta[j + 1, k] - x1)
            theta[j, k], theta[j + 1, k] = t, t1
            squares[k] += (t - v) * (t - v) + (t1 - v1) * (t1 - v1)
        j += 2
    if j < columns:
        x, v = X[before, j], X[here, j]
        for k in range(moves.shape[0]):
            theta[j, k] -= moves[k] * (theta[j, k] - x)
            squares[k] += (theta[j, k] - v) * (theta[j, k] - v)


def pull_spots(rule: Any, racers: Racers, X: Any, here: int) -> None:
    """Back into the domain, and the squared distances from there."""
    for k in range(racers.limits.shape[0]):
        pull(rule, racers, k)
        racers.asked[k] = apart(weights_of(racers, k), X[here])


def apart(theta: Any, x: Any) -> float:
    """Their squared distance."""
    squared = 0.0
    for j in range(theta.shape[0]):
        squared += (theta[j] - x[j]) * (theta[j] - x[j])
    return squared


def pull(rule: Any, racers: Racers, k: int) -> None:
    """One candidate back into its domain."""
    if racers.across:
        nth(rule.domain, racers.domains, k).pull(racers.theta[:, k])
    else:
        nth(rule.domain, racers.domains, k).pull(racers.theta[k])


def near(squares: Any, limits: Any) -> bool:
    """Whether squared distances and levels keep within bounds."""
    careful = 0
    for k in range(limits.shape[0]):
        careful += 0 if squares[k] < HUGE and limits[k] > FINE else 1
    return careful == 0


def halve(squares: Any, losses: Any, i: int) -> None:
    for k in range(losses.shape[1]):
        losses[i, k] = 0.5 * squares[k]


def draw(squares: Any, moves: Any, limits: Any) -> None:
    """How hard the row draws at each."""
    for k in range(limits.shape[0]):
        moves[k] = sqrt(squares[k])


def shorten(like: Any, steps: Any, counts: Any, moves: Any, limits: Any) -> None:
    """From how hard a row draws to which share of the way each goes."""
    for k in range(limits.shape[0]):
        counts[0, k] += 1
        counts[2, k] += 1 if moves[k] > limits[k] else 0
    for k in range(limits.shape[0]):
        pull, limit = moves[k], limits[k]
        moves[k] = nth(like, steps, k).size(float(counts[0, k])) * (limit / pull if pull > limit else 1.0)


# ------------------------------------------------------------------------------------------------------ any row


def take(rule: Any, racers: Racers, X: Any, y: Any, losses: Any, i: int) -> None:
    """One row, with all care: each candidate is scored, then descends as it would alone."""
    taken = finite(X[i]) and y[i] - y[i] == 0.0
    for k in range(racers.limits.shape[0]):
        losses[i, k] = NOTHING
        if taken:
            losses[i, k] = within(lost_at(rule.loss, weights_of(racers, k), X[i], y[i]))
            go_alone(rule, racers, X[i : i + 1], y[i : i + 1], k)


def take_line(rule: Any, racers: Racers, X: Any, y: Any, losses: Any, i: int) -> None:
    """The same for a loss of a linear score."""
    taken = finite(X[i]) and y[i] - y[i] == 0.0
    for k in range(racers.limits.shape[0]):
        losses[i, k] = NOTHING
        if taken:
            losses[i, k] = within(lost(rule.loss, product(weights_of(racers, k), X[i]), y[i]))
            go_alone(rule, racers, X[i : i + 1], y[i : i + 1], k)


def within(loss: float) -> float:
    """What is beyond all numbers, or none, is the worst there is."""
    return max(loss, -WORST) if loss < WORST else WORST


def product(weights: Any, x: Any) -> float:
    total = 0.0
    for j in range(weights.shape[0]):
        total += weights[j] * x[j]
    return total


def weights_of(racers: Racers, k: int) -> Any:
    return racers.theta[:, k] if racers.across else racers.theta[k]


def go_alone(rule: Any, racers: Racers, x: Any, y: Any, k: int) -> None:
    """One candidate's own descent along one row."""
    alone = Alone(
        rule.loss,
        nth(rule.level, racers.levels, k),
        nth(rule.steps, racers.steps, k),
        nth(rule.domain, racers.domains, k),
    )
    memory, counts = racers.memory[:, k], racers.counts[:, k]
    descend(alone, Descent(weights_of(racers, k), memory, counts, racers.bars[k], racers.scratch), x, y)


# -------------------------------------------------------------------------------------------------- who is ahead


class Board(NamedTuple):
    """What is known of how the candidates do."""

    scores: Any  # (m,) recent mean losses, or what they are more than the reference's
    squares: Any  # (m,) recent mean squares of what moves these scores, or empty: losses are taken as they come
    counts: Any  # rows used, refused
    reference: int
    begin: float  # the scored rows come after so many; 0: all rows are scored, the latest most
    forgetting: float  # scores then forget as fast as a mean over so large a part of the rows: one over it
    alone: bool  # whether all candidates race in one kernel, which then scores as it goes
    loose: float  # squared levels are this many times the sum of squares


def keep_scores(board: Board, losses: Any) -> None:
    """Each candidate's score on each row, which it did not know when it was scored."""
    scores, squares, counts, reference = board.scores, board.squares, board.counts, board.reference
    for i in range(losses.shape[0]):
        if losses[i, 0] != losses[i, 0]:
            counts[1] += 1
            continue
        counts[0] += 1
        if not least_of(losses, i) < BEYOND:
            continue
        weight = weight_of(float(counts[0]), board.begin, board.forgetting)
        if squares.shape[0] > 0:
            keep_pairs(scores, squares, losses, i, losses[i, reference], weight, board.loose / weight)
            continue
        for k in range(losses.shape[1]):
            scores[k] += weight * (losses[i, k] - scores[k])


def least_of(losses: Any, i: int) -> float:
    least = WORST
    for k in range(losses.shape[1]):
        least = min(least, losses[i, k])
    return least


def weight_of(t: float, begin: float, forgetting: float) -> float:
    """What row t counts for: before the rows to be scored begin, scores are as those of any time."""
    if begin > 0.0 and t > begin:
        return 1.0 / (t - begin)
    return min(1.0, forgetting / t)


def keep_pairs(scores: Any, squares: Any, losses: Any, i: int, against: float, weight: float, wide: float) -> None:
    """Means of paired differences, by clipped descents on the line whose levels set themselves, as `SelfTuned` does."""
    beyond = 0
    for k in range(losses.shape[1]):
        pull = losses[i, k] - against - scores[k]
        beyond += 1 if pull * pull > squares[k] * wide else 0
    for k in range(losses.shape[1]):
        pull = losses[i, k] - against - scores[k]
        # Roots take longer than all else here, and few rows need them.
        if beyond > 0:
            limit = sqrt(squares[k] * wide) if squares[k] > 0.0 else WORST
            pull = max(-limit, min(limit, pull))
        scores[k] += weight * pull
        squares[k] += weight * (min(pull * pull, WORST) - squares[k])
