"""What the regressions are compared with: estimators that hold all rows at once, each by its textbook definition."""

from collections.abc import Callable
from math import sqrt

import numpy as np
from numpy.typing import NDArray

from laws import Cells

TURNS = 50
# With fewer rows clipped the threshold of the adaptive Huber estimate is larger: so many more than slopes.
ADAPTIVE = 6.9


def centred(X: Cells, y: Cells) -> tuple[Cells, Cells]:
    return X - X.mean(axis=0), y - y.mean()


def least_squares(X: Cells, y: Cells) -> Cells:
    return np.linalg.lstsq(X, y, rcond=None)[0]


def huber(X: Cells, y: Cells) -> Cells:
    """Huber's estimate with the usual threshold, 1.345 scaled median residuals."""
    return reweighted(X, y, lambda sizes: 1.345 * float(np.median(sizes)) / 0.6745)


def adaptive_huber(X: Cells, y: Cells) -> Cells:
    """Huber's estimate with the threshold at which sum min(r^2, t^2) = z t^2: it grows with the rows."""
    share = min(X.shape[1] + ADAPTIVE, 0.8 * len(y))
    return reweighted(X, y, lambda sizes: self_normal(sizes, share))


def self_normal(sizes: Cells, share: float) -> float:
    squares = np.sort(sizes**2)[::-1]
    above = np.arange(min(len(squares), int(np.ceil(share))))
    left = np.cumsum(squares[::-1])[::-1][above] / (share - above)
    holds = squares[above] <= left
    return sqrt(float(left[np.argmax(holds)] if holds.any() else left[-1]))


def reweighted(X: Cells, y: Cells, threshold: Callable[[Cells], float]) -> Cells:
    slopes = least_squares(X, y)
    for _ in range(TURNS):
        sizes = np.abs(y - X @ slopes)
        weighed = X * np.minimum(1.0, threshold(sizes) / np.maximum(sizes, 1e-300))[:, None]
        last, slopes = slopes, np.linalg.solve(weighed.T @ X, weighed.T @ y)
        if np.linalg.norm(slopes - last) < 1e-7 * (1.0 + np.linalg.norm(slopes)):
            break
    return slopes


def maximum_likelihood(X: Cells, y: Cells) -> Cells:
    """Logistic regression without intercept or penalty, by Newton's method with short first steps."""
    slopes = np.zeros(X.shape[1])
    for _ in range(TURNS):
        chance = 1.0 / (1.0 + np.exp(-np.clip(X @ slopes, -700.0, 700.0)))
        curve = (X * (chance * (1.0 - chance) + 1e-12)[:, None]).T @ X
        move = np.linalg.solve(curve, X.T @ (y - chance))
        length = float(np.linalg.norm(move))
        slopes = slopes + move * min(1.0, 5.0 / max(length, 1e-300))
        if length < 1e-9:
            break
    return slopes


def standard_errors(X: Cells, y: Cells) -> Cells:
    """Of least squares, safe under uneven noise (HC1)."""
    left = y - X @ least_squares(X, y)
    inverse: NDArray[np.float64] = np.linalg.inv(X.T @ X)
    pulls = X * left[:, None]
    rows, columns = X.shape
    return np.sqrt(np.diag(inverse @ (pulls.T @ pulls) @ inverse) * rows / (rows - columns))
