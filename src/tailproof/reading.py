"""What a solution says in the columns' own units: coefficients, their spread, what is redundant."""

import numpy as np

from .batch import Numbers, Problem, Solution
from .factor import Factor
from .intervals import Spread
from .state import State
from .units import Units

MOST = 1.7e308
# A coefficient whose variance the other columns inflate this many times is not told from theirs.
UNTOLD = 1e10


def turning(units: Units, width: int) -> Numbers:
    """The matrix that takes coefficients in units to those of the columns, the intercept's last."""
    features = len(units.exponent) - 1
    scale = np.ldexp(1.0, np.clip(units.exponent[-1] - units.exponent[:-1], -1020, 1020))
    turn = np.diag(np.append(scale, np.ldexp(1.0, units.exponent[-1]))[:width])
    if width > features:
        turn[-1, :-1] = -units.shift[:-1] * scale
    return turn


def placed(theta: Numbers, turn: Numbers, units: Units, of_targets: bool) -> Numbers:
    """Coefficients of the columns as they are."""
    found = turn @ theta
    if len(theta) == len(units.shift) and of_targets:
        found[-1] += units.shift[-1]
    return np.nan_to_num(np.clip(found, -MOST, MOST))


def errors_of(covariance: Numbers, turn: Numbers) -> Numbers:
    """Standard errors in the columns' own units."""
    found: Numbers = np.sqrt(np.maximum(((turn @ covariance) * turn).sum(axis=1), 0.0))
    return found


def redundant(cholesky: Factor, features: int) -> tuple[int, ...]:
    """Features that are constant, or that others tell."""
    inverse = cholesky.inverse()
    inflated = np.diag(inverse) * cholesky.scale**2
    return tuple(int(j) for j in np.flatnonzero(inflated[:features] > UNTOLD))


def spread_of(state: State, problem: Problem, solution: Solution, inverse: Numbers, turn: Numbers) -> Spread:
    """What the error bars are made of; the centre is not placed yet."""
    X, rows, weights, left = problem.X, problem.seen, solution.weights, solution.left
    back = turn @ inverse
    pulls = (X * left[:, None]) @ back.T
    held = pulls * weights[:, None]
    # What gross rows would have added is no part of the mean that is estimated.
    lost = 0.0 if solution.gross else back @ (state.removed + ((1.0 - weights) * left) @ X)
    whole = held if solution.gross else pulls
    return Spread(
        centre=solution.theta,
        error=_error(state, X * (weights * left)[:, None], back, rows),
        removed=np.zeros(len(back)) + lost,
        above=_farthest(whole, rows),
        below=_farthest(-whole, rows),
        kept_above=_farthest(held, rows),
        kept_below=_farthest(-held, rows),
    )


def lengths(rows: Numbers) -> Numbers:
    """The lengths of rows, whatever their size."""
    largest = np.abs(rows).max(axis=1, initial=0.0)
    unit = np.where(largest > 0.0, largest, 1.0)
    found: Numbers = unit * np.linalg.norm(rows / unit[:, None], axis=1)
    return found


def _farthest(pulls: Numbers, rows: int) -> Numbers:
    found: Numbers = np.maximum(pulls.max(axis=0, initial=0.0), 0.0) * rows
    return found


def _error(state: State, gradients: Numbers, back: Numbers, rows: int) -> Numbers:
    """The sandwich's standard errors; where no row is left over to judge by, endless ones."""
    width = len(back)
    if not state.meat.size:
        return np.full(width, np.nan)
    if rows <= width:
        return np.full(width, np.inf)
    meat = state.meat + gradients.T @ gradients
    # In the columns' own units the squares may overflow.
    largest = np.abs(back).max(axis=1)
    unit = np.where(largest > 0.0, largest, 1.0)
    turn = back / unit[:, None]
    variance = ((turn @ meat) * turn).sum(axis=1) * (rows / (rows - width))
    found: Numbers = unit * np.sqrt(np.maximum(variance, 0.0))
    return found
