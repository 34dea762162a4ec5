"""Ways to predict a target, side by side on the same rows: each row is predicted by all before any learns from it.

`race` is the loop. Ours, least squares and Huber stand still between two looks at what they have gathered; plain and
clipped descents learn row by row, all candidates at once. Inner loops run over candidates, so that their sums need no
reordering to be fast: the same bits come out for any chunking, as plain Python and as machine code.
"""

from math import frexp, sqrt
from typing import Any, NamedTuple

# The first candidates stand still within a window.
OURS, LEAST_SQUARES, HUBER, STILL = 0, 1, 2, 3
# What errors are counted for: the three, then the plain and the clipped descent chosen so far, and the unscaled one.
PLAIN, CLIPPED, UNSCALED, COUNTED = 3, 4, 5, 6
# Bins between a power of two and the next, and in all: errors within a relative .8 % share a bin.
FINENESS, BINS = 64, 64 * 64
# Numbers stop here instead of overflowing; from the second on a square would, and a descent counts as diverged.
MOST, FAR = 1.7e308, 1e140
# Scores forget as fast as a mean over the last fifth of the rows.
FORGETTING = 5.0
# What people write first: steps of this over the fourth root of t, scikit-learn's schedule, on columns as they come.
WRITTEN_GAIN = 0.01


class Field(NamedTuple):
    """The arrays that a race remembers, and two of scratch."""

    weights: Any  # of centred columns, then the constant; a column a candidate
    unscaled: Any  # of the columns as they come, then the constant
    candidates: Any  # (candidates, 3): gain, delay, level in units of scale sqrt(t + delay)
    scores: Any  # recent mean absolute error of each candidate
    lost: Any  # the row at which each candidate was lost, the unscaled one last; 0: it was not
    chosen: Any  # the plain and the clipped candidate that is ahead
    centre: Any  # of the columns, then of the target
    second: Any  # mean squares about it, the constant's last
    scale: Any  # of the errors, and Huber's width
    sums: Any  # (2, p + 2, p + 2) of products: what Huber takes of them, and the rest; empty: neither is raced
    bins: Any  # (counted, bins) how often each size of error occurred
    origin: Any  # the power of two of the first bin
    tails: Any  # (2, kept) our largest errors, below and above
    lengths: Any  # of the longest steps, the longest first
    rows: Any  # and whose they were
    counts: Any  # rows used, refused, scored
    row: Any  # scratch: centred columns, 1, centred target
    errors: Any  # scratch: each candidate's, the unscaled one's last
    moves: Any  # scratch: each candidate's step


def race(field: Field, X: Any, y: Any, scored: bool) -> None:
    """Take finite rows one by one."""
    for i in range(X.shape[0]):
        field.counts[0] += 1
        t = float(field.counts[0])
        stretch = centred(field.row, field.second, field.centre, X[i], y[i], t)
        predict(field.errors, field.lost, field.weights, field.row)
        field.errors[field.weights.shape[1]] = unscaled_error(field.unscaled, field.lost, X[i], y[i])
        if scored:
            field.counts[2] += 1
            count(field.bins, int(field.origin[0]), field.errors, field.chosen, field.lost)
            keep_tail(field.tails, field.errors[OURS])
        keep_longest(field.lengths, field.rows, min(abs(field.errors[OURS]) * sqrt(stretch), MOST), field.counts[0])
        if field.sums.shape[1] > 0:
            gather(field.sums, field.lost, field.row, field.errors[HUBER], field.scale[1], field.counts[0])
        set_moves(field.moves, field.scores, field.lost, field.candidates, field.errors, field.scale[0], stretch, t)
        descend(field.weights, field.moves, field.row, field.second)
        descend_unscaled(field.unscaled, field.lost, X[i], field.errors[field.weights.shape[1]], t)


def centred(row: Any, second: Any, centre: Any, x: Any, y: float, t: float) -> float:
    """Centre a row and widen the mean squares by it; returns its squared length in running standard deviations."""
    columns, stretch = x.shape[0], 0.0
    for j in range(columns + 2):
        row[j] = within(x[j] - centre[j]) if j < columns else 1.0 if j == columns else within(y - centre[columns])
    for j in range(columns + 1):
        square = min(row[j] * row[j], MOST)
        second[j] += (square - second[j]) / t
        if second[j] > 0.0:
            stretch += square / second[j]
    return stretch


def predict(errors: Any, lost: Any, weights: Any, row: Any) -> None:
    """Each candidate's error: the target less the prediction."""
    columns, candidates = weights.shape
    for k in range(candidates):
        errors[k] = 0.0
    for j in range(columns):
        value = row[j]
        for k in range(candidates):
            errors[k] += value * weights[j, k]
    for k in range(candidates):
        errors[k] = MOST if lost[k] > 0 else within(row[columns] - errors[k])


def unscaled_error(weights: Any, lost: Any, x: Any, y: float) -> float:
    if lost[lost.shape[0] - 1] > 0:
        return MOST
    predicted = weights[x.shape[0]]
    for j in range(x.shape[0]):
        predicted += x[j] * weights[j]
    return within(y - predicted)


def within(value: float) -> float:
    """What is beyond all numbers becomes the largest; what is none does too."""
    return value if -MOST < value < MOST else -MOST if value < 0.0 else MOST


def count(bins: Any, origin: int, errors: Any, chosen: Any, lost: Any) -> None:
    """One more error for each of those that are counted."""
    for k in range(STILL):
        bins[k, bin_of(errors[k], origin)] += 1
    bins[PLAIN, bin_of(errors[chosen[0]], origin)] += 1
    bins[CLIPPED, bin_of(errors[chosen[1]], origin)] += 1
    bins[UNSCALED, bin_of(errors[lost.shape[0] - 1], origin)] += 1


def bin_of(value: float, origin: int) -> int:
    """The bin of a size: each power of two is cut into equal parts. The first and the last hold what is beyond."""
    if value == 0.0:
        return 0
    part, power = frexp(abs(value))
    return max(0, min(BINS - 1, (power - origin) * FINENESS + int((2.0 * part - 1.0) * FINENESS)))


def keep_tail(tails: Any, error: float) -> None:
    """The largest errors below and above, in order."""
    side = 1 if error > 0.0 else 0
    last = tails.shape[1] - 1
    if not abs(error) > tails[side, last]:
        return
    while last > 0 and abs(error) > tails[side, last - 1]:
        tails[side, last] = tails[side, last - 1]
        last -= 1
    tails[side, last] = abs(error)


def keep_longest(lengths: Any, rows: Any, length: float, row: int) -> None:
    """The rows with the longest steps, in order."""
    last = lengths.shape[0] - 1
    if not length > lengths[last]:
        return
    while last > 0 and length > lengths[last - 1]:
        lengths[last], rows[last] = lengths[last - 1], rows[last - 1]
        last -= 1
    lengths[last], rows[last] = length, row


def gather(sums: Any, lost: Any, row: Any, error: float, width: float, number: int) -> None:
    """Products for least squares, split into what Huber's weight takes of them and the rest.

    Whoever meets a value whose square overflows is lost.
    """
    terms, farthest = row.shape[0], 0.0
    for j in range(terms - 1):
        farthest = max(farthest, abs(row[j]))
    weight = 1.0 if abs(error) <= width else width / abs(error)
    if lost[HUBER] == 0 and farthest >= FAR:
        lost[HUBER] = number
    if lost[LEAST_SQUARES] == 0 and max(farthest, abs(row[terms - 1])) >= FAR:
        lost[LEAST_SQUARES] = number
    if max(farthest, abs(row[terms - 1])) >= FAR:
        return
    add_products(sums[0], row, weight)
    if weight < 1.0:
        add_products(sums[1], row, 1.0 - weight)


def add_products(sums: Any, row: Any, weight: float) -> None:
    for j in range(row.shape[0]):
        value = weight * row[j]
        for k in range(j + 1):
            sums[j, k] += value * row[k]


def set_moves(
    moves: Any, scores: Any, lost: Any, candidates: Any, errors: Any, scale: float, stretch: float, t: float
) -> None:
    """How far each candidate goes along the row: clip(e x, l) = clamp(e, +-l/|x|) x."""
    memory = min(1.0, FORGETTING / t)
    for k in range(STILL, candidates.shape[0]):
        gain, delay, level = candidates[k, 0], candidates[k, 1], candidates[k, 2]
        scores[k] += memory * (min(abs(errors[k]), FAR) - scores[k])
        limit = MOST
        if level < MOST and stretch > 0.0:
            limit = level * scale * sqrt((t + delay) / stretch)
        elif abs(errors[k]) >= FAR and lost[k] == 0:
            lost[k] = int(t)
        moves[k] = 0.0 if lost[k] > 0 else gain / (t + delay) * max(-limit, min(limit, errors[k]))


def descend(weights: Any, moves: Any, row: Any, second: Any) -> None:
    """Each candidate's step, every column in its running standard deviation."""
    columns, candidates = weights.shape
    for j in range(columns):
        value = row[j] / second[j] if second[j] > 0.0 else 0.0
        for k in range(STILL, candidates):
            weights[j, k] = max(-MOST, min(MOST, weights[j, k] + moves[k] * value))


def descend_unscaled(weights: Any, lost: Any, x: Any, error: float, t: float) -> None:
    """A step on the columns as they come, until it leaves all bounds."""
    last = lost.shape[0] - 1
    move = WRITTEN_GAIN / sqrt(sqrt(t)) * error
    if lost[last] == 0 and not abs(error) < FAR:
        lost[last] = int(t)
    if lost[last] > 0:
        return
    for j in range(x.shape[0]):
        weights[j] = max(-FAR, min(FAR, weights[j] + move * x[j]))
    weights[x.shape[0]] = max(-FAR, min(FAR, weights[x.shape[0]] + move))
