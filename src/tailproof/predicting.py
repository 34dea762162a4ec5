"""What coefficients say of rows: scores, probabilities of classes, and the likeliest class."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

Numbers = NDArray[np.float64]


def scores(X: Any, coef: Numbers, intercept: Any) -> Numbers:
    """The linear predictor: a number a row, or a column a part where `coef` has several rows."""
    with np.errstate(over="ignore", invalid="ignore"):
        found: Numbers = np.asarray(X, np.float64) @ coef.T + intercept
    return found


def probabilities(scored: Numbers) -> Numbers:
    """A column a class from log-odds: of one part, the second class against the first; of more, each against all
    others, scaled to add up to 1."""
    ones = _shares(scored)
    if scored.shape[1] == 1:
        return np.hstack([_shares(-scored), ones])
    total = ones.sum(axis=1, keepdims=True)
    even = np.full_like(ones, 1.0 / ones.shape[1])
    shares: Numbers = np.divide(ones, total, out=even, where=total != 0.0)
    return shares


def likeliest(scored: Numbers) -> NDArray[np.int64]:
    """The number of each row's likeliest class."""
    if scored.shape[1] == 1:
        return np.asarray(scored[:, 0] > 0.0, np.int64)
    return np.asarray(scored.argmax(axis=1), np.int64)


def _shares(scored: Numbers) -> Numbers:
    """Log-odds as probabilities; neither end overflows."""
    small = np.exp(-np.abs(scored))
    shares: Numbers = np.where(scored >= 0.0, 1.0, small) / (1.0 + small)
    return shares
