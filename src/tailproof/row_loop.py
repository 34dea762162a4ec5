"""`loop.descend` for losses of a linear score and for the mean, in the words of `lanes`: the same algebra with fewer
passes, which a law holds to it.

Rows of up to SHORT columns keep theta in registers; longer ones walk along it, and ask for rows ahead of time. All
sums are added in an order that depends on the number of columns alone. `room` is two rows of scratch, as long as whole
registers are, and `bounded` says whether the domain is any but all of space.
"""

from math import sqrt
from typing import Any

from .lanes import (
    FOUR,
    LANES,
    ONE,
    all_equal,
    dot,
    fetch,
    folded,
    fused,
    load,
    load_whole,
    store_whole,
    total,
)
from .loop import FINE, HUGE, Descent, descend

# Columns that fit into the registers of `FOUR`.
SHORT = LANES * len(FOUR)
# How many numbers ahead memory is asked for, at most, and how many rows.
FAR_AHEAD, ROWS_AHEAD = 16_384, 8


def line_in_registers(rule: Any, state: Descent, room: Any, like: Any, bounded: bool, X: Any, y: Any) -> None:
    """Rows of a loss of z = <x, theta>."""
    i = 0
    while i < X.shape[0]:
        i = run_line_in_registers(rule, state, room, like, bounded, X, y, i)
        if i < X.shape[0]:
            descend(rule, state, X[i : i + 1], y[i : i + 1])
            i += 1


def line(rule: Any, state: Descent, room: Any, like: Any, bounded: bool, X: Any, y: Any) -> None:
    i = 0
    while i < X.shape[0]:
        i = run_line(rule, state, room, bounded, X, y, i)
        if i < X.shape[0]:
            descend(rule, state, X[i : i + 1], y[i : i + 1])
            i += 1


def spot_in_registers(rule: Any, state: Descent, room: Any, like: Any, bounded: bool, X: Any, y: Any) -> None:
    """Rows whose mean is wanted. The targets, which a mean has no use for, must be finite."""
    i = 0
    while i < X.shape[0]:
        i = run_spot_in_registers(rule, state, room, like, bounded, X, i)
        if i < X.shape[0]:
            descend(rule, state, X[i : i + 1], y[i : i + 1])
            i += 1


def spot(rule: Any, state: Descent, room: Any, like: Any, bounded: bool, X: Any, y: Any) -> None:
    i = 0
    while i < X.shape[0]:
        i = run_spot(rule, state, room, bounded, X, i)
        if i < X.shape[0]:
            descend(rule, state, X[i : i + 1], y[i : i + 1])
            i += 1


# --------------------------------------------------------------------------------------- losses of a linear score


def run_line_in_registers(
    rule: Any, state: Descent, room: Any, like: Any, bounded: bool, X: Any, y: Any, first: int
) -> int:
    """The rows from the first up to one that needs care; returns which.

    clip(s x, l) = clamp(s, +-l/|x|) x. The step times x is made while the score is not yet known.
    """
    memory, used, clipped, done = state.memory, state.counts[0], 0, X.shape[0]
    lay_out(room, state.theta)
    inside = room[0, : X.shape[1]]
    theta = load_whole(room, 0, 0, like)
    for i in range(first, X.shape[0]):
        x = load(X, i, 0, like)
        z, length = dot(x, theta), dot(x, x)
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
        theta = fused(theta, x * all_equal(rule.steps.size(float(used)), like), -slope)
        if bounded:
            store_whole(room, 0, 0, like, theta)
            rule.domain.pull(inside)
            theta = load_whole(room, 0, 0, like)
    store_whole(room, 0, 0, like, theta)
    take_back(state, room, 0, used, clipped)
    return done  # type: ignore[no-any-return]


def run_line(rule: Any, state: Descent, room: Any, bounded: bool, X: Any, y: Any, first: int) -> int:
    """The same for long rows: one pass over x serves the score and the length, another the step."""
    memory, used, clipped, done = state.memory, state.counts[0], 0, X.shape[0]
    lay_out(room, state.theta)
    inside = room[0, : X.shape[1]]
    distance = min(ROWS_AHEAD * X.shape[1], FAR_AHEAD)
    for i in range(first, X.shape[0]):
        z, length = meet(room, X, i, distance)
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
        leave(room, X, i, -rule.steps.size(float(used)) * slope)
        if bounded:
            rule.domain.pull(inside)
    take_back(state, room, 0, used, clipped)
    return done  # type: ignore[no-any-return]


def meet(room: Any, X: Any, i: int, distance: int) -> Any:
    """The score and the squared length of a row."""
    scores, squares, j = all_equal(0.0, FOUR), all_equal(0.0, FOUR), 0
    while X.shape[1] - j >= SHORT:
        x = load_whole(X, i, j, FOUR)
        fetch(X, i, j, FOUR, distance)
        scores = fused(scores, x, load_whole(room, 0, j, FOUR))
        squares = fused(squares, x, x)
        j += SHORT
    score, square = folded(scores), folded(squares)
    while j < X.shape[1]:
        x = load(X, i, j, ONE)
        fetch(X, i, j, ONE, distance)
        score = fused(score, x, load_whole(room, 0, j, ONE))
        square = fused(square, x, x)
        j += LANES
    return total(score), total(square)


def leave(room: Any, X: Any, i: int, move: float) -> None:
    """Step along a row."""
    j = 0
    while X.shape[1] - j >= SHORT:
        store_whole(room, 0, j, FOUR, fused(load_whole(room, 0, j, FOUR), load_whole(X, i, j, FOUR), move))
        j += SHORT
    while j < X.shape[1]:
        store_whole(room, 0, j, ONE, fused(load_whole(room, 0, j, ONE), load(X, i, j, ONE), move))
        j += LANES


# ------------------------------------------------------------------------------------------------------- the mean


def run_spot_in_registers(rule: Any, state: Descent, room: Any, like: Any, bounded: bool, X: Any, first: int) -> int:
    """The rows from the first up to one that needs care; returns which.

    The root is taken only for a row that is clipped, so that the next row need not wait for this one's length.
    """
    memory, used, clipped, done = state.memory, state.counts[0], 0, X.shape[0]
    lay_out(room, state.theta)
    inside = room[0, : X.shape[1]]
    theta = load_whole(room, 0, 0, like)
    for i in range(first, X.shape[0]):
        pull = load(X, i, 0, like) - theta
        squared = dot(pull, pull)
        limit = rule.level.allow(memory)
        if not (squared < HUGE and limit > FINE):
            done = i
            break
        used += 1
        step = rule.steps.size(float(used))
        if squared > limit * limit:
            step *= limit / sqrt(squared)
            clipped += 1
        rule.level.learn(memory, squared)
        theta = fused(theta, pull, step)
        if bounded:
            store_whole(room, 0, 0, like, theta)
            rule.domain.pull(inside)
            theta = load_whole(room, 0, 0, like)
    store_whole(room, 0, 0, like, theta)
    take_back(state, room, 0, used, clipped)
    return done  # type: ignore[no-any-return]


def run_spot(rule: Any, state: Descent, room: Any, bounded: bool, X: Any, first: int) -> int:
    """The same for long rows. One pass over a row serves its length and, since most rows are not clipped, the step as
    well: it is made beside theta and becomes theta once the length is known."""
    memory, used, clipped, done = state.memory, state.counts[0], 0, X.shape[0]
    lay_out(room, state.theta)
    inside, outside = room[0, : X.shape[1]], room[1, : X.shape[1]]
    distance = min(ROWS_AHEAD * X.shape[1], FAR_AHEAD)
    here = 0
    for i in range(first, X.shape[0]):
        step = rule.steps.size(float(used + 1))
        squared = approach(room, here, X, i, step, distance)
        limit = rule.level.allow(memory)
        if not (squared < HUGE and limit > FINE):
            done = i
            break
        used += 1
        if squared > limit * limit:
            clipped += 1
            approach(room, here, X, i, step * (limit / sqrt(squared)), 0)
        rule.level.learn(memory, squared)
        here = 1 - here
        if bounded:
            rule.domain.pull(inside if here == 0 else outside)
    take_back(state, room, here, used, clipped)
    return done  # type: ignore[no-any-return]


def approach(room: Any, here: int, X: Any, i: int, step: float, distance: int) -> float:
    """Step towards a row, beside theta; returns the squared distance to it."""
    squares, j, there = all_equal(0.0, FOUR), 0, 1 - here
    while X.shape[1] - j >= SHORT:
        theta = load_whole(room, here, j, FOUR)
        pull = load_whole(X, i, j, FOUR) - theta
        fetch(X, i, j, FOUR, distance)
        squares = fused(squares, pull, pull)
        store_whole(room, there, j, FOUR, fused(theta, pull, step))
        j += SHORT
    square = folded(squares)
    while j < X.shape[1]:
        theta = load_whole(room, here, j, ONE)
        pull = load(X, i, j, ONE) - theta
        fetch(X, i, j, ONE, distance)
        square = fused(square, pull, pull)
        store_whole(room, there, j, ONE, fused(theta, pull, step))
        j += LANES
    return total(square)  # type: ignore[no-any-return]


# ------------------------------------------------------------------------------------------------- theta in and out


def lay_out(room: Any, theta: Any) -> None:
    """Theta where there is room for whole registers; beyond its end there is zero."""
    for j in range(theta.shape[0]):
        room[0, j] = theta[j]
    for j in range(theta.shape[0], room.shape[1]):
        room[0, j] = 0.0
        room[1, j] = 0.0


def take_back(state: Descent, room: Any, here: int, used: int, clipped: int) -> None:
    for j in range(state.theta.shape[0]):
        state.theta[j] = room[here, j]
    state.counts[0] = used
    state.counts[2] += clipped
