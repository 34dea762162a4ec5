"""Least squares and Huber from sums of products, which is all that they need of the rows.

The sums are of the terms: centred columns, the constant, and the centred target last; their lower triangle is kept.
Huber weighs each row by its distance from the fit of its time, in one pass; as that fit settles, this comes to weighing
all rows by the last one.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..racing import FAR, MOST

Numbers = NDArray[np.float64]

# Huber's usual threshold in standard deviations of Gaussian errors, and such a deviation in median absolute errors.
THRESHOLD, DEVIATION = 1.345, 1.4826
# Terms that follow from others share their coefficient instead of making the equations singular.
RIDGE = 1e-11
ROUNDS = 30
# What is left of a sum of squares is no smaller than this share of it.
DIGITS = 1e-12


class Fit(NamedTuple):
    weights: Numbers
    width: float  # how far from the fit a row starts to be far


def least_squares(sums: Numbers) -> Numbers:
    return solved(sums[0] + sums[1])


def huber(sums: Numbers) -> Numbers:
    return solved(sums[0])


def solved(products: Numbers) -> Numbers:
    """The weights of the least squared error."""
    gram, asked = _full(products[:-1, :-1]), products[-1, :-1]
    size = np.sqrt(np.diag(gram))
    size[~(size > 0.0)] = 1.0
    with np.errstate(all="ignore"):
        gram = gram / size / size[:, None]
        gram[np.diag_indices_from(gram)] += RIDGE
        weights = np.linalg.solve(gram, asked / size) / size
    return np.where(np.isfinite(weights), weights, 0.0)


def _full(lower: Numbers) -> Numbers:
    """The symmetric matrix whose lower triangle is known."""
    return np.asarray(lower + np.tril(lower, -1).T)


def means(sums: Numbers) -> Numbers:
    """The mean of each term, the constant's last."""
    row = (sums[0] + sums[1])[-2, :-1]
    return np.asarray(row / max(float(row[-1]), 1.0))


def size(sums: Numbers) -> float:
    """The root mean square of the centred targets."""
    products = sums[0] + sums[1]
    return float(np.sqrt(products[-1, -1] / max(float(products[-2, -2]), 1.0)))


def error_of_mean(sums: Numbers) -> float:
    """The standard error of the mean of least squares' errors."""
    products, rows = sums[0] + sums[1], float(sums[0, -2, -2] + sums[1, -2, -2])
    with np.errstate(over="ignore", invalid="ignore"):
        square = products[-1, -1] - products[-1, :-1] @ solved(products)
    # The difference of two large numbers has no more digits than these.
    square = max(float(np.nan_to_num(square)), DIGITS * float(products[-1, -1]))
    return square**0.5 / rows if rows > 0.0 else float("inf")


def moved(sums: Numbers, by: Numbers) -> Numbers:
    """The sums about other centres, which lie lower by so much: columns, then the constant (by 0), then the target."""
    moving = np.eye(len(by))
    moving[:, -2] += by
    return np.array([np.tril(moving @ _full(side) @ moving.T) for side in sums])


def huber_at_once(terms: Numbers, target: Numbers) -> Fit:
    """Huber on rows that are all there, its width from their errors, by weights from least squares on."""
    tame = (np.abs(terms) < FAR).all(axis=1) & (np.abs(target) < FAR)
    known = np.column_stack([terms, target])[tame]
    share, weights, width = np.ones(len(known)), np.zeros(terms.shape[1]), MOST
    for _ in range(ROUNDS if len(known) else 0):
        weights = solved((known * share[:, None]).T @ known)
        errors = np.abs(known[:, -1] - known[:, :-1] @ weights)
        width = width_of(float(np.median(errors)))
        share = width / np.maximum(errors, width)
    return Fit(weights, width)


def width_of(median: float) -> float:
    """Where most errors are nought there is no scale to call a row far by."""
    return THRESHOLD * DEVIATION * median if median > 0.0 else MOST
