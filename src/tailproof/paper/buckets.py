"""Means of buckets of rows and their medians: the paper's streaming ones, and those of groups taken in turn.

Scores are for sequential validation, as in `flocks.py`; since theta stands still between buckets, sums of the rows to
be scored are all that they need.
"""

from math import sqrt
from typing import Any, NamedTuple


class Medians(NamedTuple):
    """The paper's streaming medians of means, over the first `most` buckets."""

    theta: Any  # (2, m, p) coordinate-wise, then geometric
    steps: Any  # (m,)
    scores: Any  # (2, m)
    bucket: Any  # (p,) sum of the rows in the bucket
    held: Any  # (p,) sum of the rows to be scored since theta last moved
    counts: Any  # rows in the bucket, buckets done, rows to be scored
    squares: Any  # (1,) sum of squares of the rows to be scored
    height: int  # rows in a bucket
    most: int


class Robin(NamedTuple):
    """Means of groups that take the rows in turn, and the geometric median of these means."""

    sums: Any  # (k, p)
    counts: Any  # (k,)
    gram: Any  # (k, k) scratch
    weights: Any  # (2, k) scratch
    theta: Any  # (p,)


# ------------------------------------------------------------------------------------------- medians of means


def begin_medians(medians: Medians) -> None:
    for j in range(medians.bucket.shape[0]):
        medians.bucket[j] = 0.0
        medians.held[j] = 0.0
    for n in range(3):
        medians.counts[n] = 0
    medians.squares[0] = 0.0
    for kind in range(2):
        for k in range(medians.steps.shape[0]):
            medians.scores[kind, k] = 0.0


def take_buckets(medians: Medians, X: Any, rows: int, first: int, scored: int) -> None:
    """As many rows at a time as the bucket still takes."""
    i = 0
    while i < rows:
        open_still = medians.counts[1] < medians.most
        end = min(rows, i + medians.height - medians.counts[0]) if open_still else rows
        hold(medians, X, max(i, scored - first), end)
        if open_still:
            add_rows(medians.bucket, X, i, end)
            medians.counts[0] += end - i
            if medians.counts[0] == medians.height:
                close_bucket(medians)
        i = end


def add_rows(total: Any, X: Any, begin: int, end: int) -> None:
    """Four rows for one walk along the sum."""
    i = begin
    while i + 3 < end:
        for j in range(total.shape[0]):
            total[j] += (X[i, j] + X[i + 1, j]) + (X[i + 2, j] + X[i + 3, j])
        i += 4
    while i < end:
        for j in range(total.shape[0]):
            total[j] += X[i, j]
        i += 1


def hold(medians: Medians, X: Any, begin: int, end: int) -> None:
    """Keep of rows what their squared distances to any theta need."""
    if begin >= end:
        return
    add_rows(medians.held, X, begin, end)
    total = 0.0
    for i in range(begin, end):
        for j in range(medians.held.shape[0]):
            total += X[i, j] * X[i, j]
    medians.squares[0] += total
    medians.counts[2] += end - begin


def settle_scores(medians: Medians) -> None:
    """Score the rows held so far by theta as it stood for all of them. There is no theta before the first bucket."""
    if medians.counts[2] > 0 and medians.counts[1] > 0:
        for kind in range(2):
            for k in range(medians.steps.shape[0]):
                square, cross = 0.0, 0.0
                for j in range(medians.held.shape[0]):
                    square += medians.theta[kind, k, j] * medians.theta[kind, k, j]
                    cross += medians.theta[kind, k, j] * medians.held[j]
                medians.scores[kind, k] += 0.5 * (medians.counts[2] * square - 2.0 * cross + medians.squares[0])
    for j in range(medians.held.shape[0]):
        medians.held[j] = 0.0
    medians.squares[0] = 0.0
    medians.counts[2] = 0


def close_bucket(medians: Medians) -> None:
    """The first bucket's mean is where all begin; each further one is a step towards it."""
    settle_scores(medians)
    for j in range(medians.bucket.shape[0]):
        medians.bucket[j] /= medians.height
    done = medians.counts[1]
    for k in range(medians.steps.shape[0]):
        if done == 0:
            begin_at_bucket(medians, k)
        else:
            step_by_signs(medians, k, medians.steps[k] / done)
            step_by_direction(medians, k, medians.steps[k] / done)
    for j in range(medians.bucket.shape[0]):
        medians.bucket[j] = 0.0
    medians.counts[0] = 0
    medians.counts[1] += 1


def begin_at_bucket(medians: Medians, k: int) -> None:
    for kind in range(2):
        for j in range(medians.bucket.shape[0]):
            medians.theta[kind, k, j] = medians.bucket[j]


def step_by_signs(medians: Medians, k: int, step: float) -> None:
    for j in range(medians.bucket.shape[0]):
        gap = medians.theta[0, k, j] - medians.bucket[j]
        medians.theta[0, k, j] -= step if gap > 0.0 else -step if gap < 0.0 else 0.0


def step_by_direction(medians: Medians, k: int, step: float) -> None:
    squared = 0.0
    for j in range(medians.bucket.shape[0]):
        gap = medians.theta[1, k, j] - medians.bucket[j]
        squared += gap * gap
    share = step / sqrt(squared) if squared > 0.0 else 0.0
    for j in range(medians.bucket.shape[0]):
        medians.theta[1, k, j] -= share * (medians.theta[1, k, j] - medians.bucket[j])


def median_away(medians: Medians, kind: int, k: int, truth: Any) -> float:
    """How far from the truth; the first bucket's rows so far stand for it while it is being filled."""
    total = 0.0
    for j in range(truth.shape[0]):
        here = medians.theta[kind, k, j] if medians.counts[1] > 0 else medians.bucket[j] / max(medians.counts[0], 1)
        total += (here - truth[j]) * (here - truth[j])
    return sqrt(total)


# ---------------------------------------------------------------------------------------------- round robin


def begin_robin(robin: Robin) -> None:
    for k in range(robin.sums.shape[0]):
        robin.counts[k] = 0
        for j in range(robin.sums.shape[1]):
            robin.sums[k, j] = 0.0


def take_turns(robin: Robin, X: Any, rows: int, first: int) -> None:
    for i in range(rows):
        k = (first + i - 1) % robin.sums.shape[0]
        robin.counts[k] += 1
        for j in range(robin.sums.shape[1]):
            robin.sums[k, j] += X[i, j]


def middle_of_groups(robin: Robin) -> None:
    """The geometric median of the groups' means, by Weiszfeld's steps from their mean.

    It lies among them, as a mean with weights; so products of the groups' sums are all that the steps need.
    """
    groups, columns = robin.sums.shape
    here, there = robin.weights[0], robin.weights[1]
    filled = 0
    for a in range(groups):
        filled += robin.counts[a] > 0
        for b in range(a + 1):
            total = 0.0
            for j in range(columns):
                total += robin.sums[a, j] * robin.sums[b, j]
            share = total / (max(robin.counts[a], 1) * max(robin.counts[b], 1))
            robin.gram[a, b] = share
            robin.gram[b, a] = share
    for a in range(groups):
        here[a] = 1.0 / filled if robin.counts[a] > 0 else 0.0
    for _ in range(100):
        if weiszfeld(robin.gram, robin.counts, here, there) < 1e-7:
            break
    for j in range(columns):
        robin.theta[j] = 0.0
    for a in range(groups):
        share = here[a] / max(robin.counts[a], 1)
        for j in range(columns):
            robin.theta[j] += share * robin.sums[a, j]


def weiszfeld(gram: Any, counts: Any, here: Any, there: Any) -> float:
    """One step: each mean weighs by one over its distance. Returns how much weight has moved."""
    groups, square, total, moved = gram.shape[0], 0.0, 0.0, 0.0
    for a in range(groups):
        cross = 0.0
        for b in range(groups):
            cross += gram[a, b] * here[b]
        there[a] = cross
        square += here[a] * cross
    for a in range(groups):
        squared = max(gram[a, a] - 2.0 * there[a] + square, 1e-30 * gram[a, a] + 1e-300)
        there[a] = 1.0 / sqrt(squared) if counts[a] > 0 else 0.0
        total += there[a]
    for a in range(groups):
        moved += abs(there[a] / total - here[a])
        here[a] = there[a] / total
    return moved
