"""How far at most one more row can move a solution.

In the metric in which gradients are clipped no row pulls farther than the limit. A row far out in one direction also
shortens the gradients of the rows that lie in it, which frees what was held back of them. And it may be the row that
changes the verdict: then the solution under the other verdict is what it moves to. What is proved is the first order;
the factors leave room for the rest, and are tried on rows made to do harm.
"""

from math import inf, sqrt
from types import ModuleType
from typing import NamedTuple

import numpy as np

from .batch import MASSED, Numbers, Problem, Solution, away, share_of, threshold, typical_of
from .factor import Factor

# One row can pull 1.55 limits, because it shortens its own gradient while the metric still follows it.
PULL = 2.6
# Rows a coefficient that it takes until a bad one among those that all begins from is found out.
FEWEST = 8
# How much more of what was held back of the rows in its direction it can free.
FREED = 3.0


class Pull(NamedTuple):
    """What holds a solution where it is."""

    longest: float  # the limit of a row's pull, in the metric of the matrix
    squared: float  # the same before it is turned into that metric: the squared limit of gradients
    V: Numbers  # the rows that are held back, whitened
    held: Numbers  # their weights
    left: Numbers  # and residuals


def reach(family: ModuleType, problem: Problem, solution: Solution, cholesky: Factor) -> float:
    """How far one more row can move the coefficients, in the metric of the solution's matrix."""
    start = _from_the_start(problem, cholesky, family.EARLY)
    if start == inf or solution.most <= 1.5:
        return inf
    pull = _pull(family, problem, solution, cholesky)
    firm = 1.0 - _top(pull.V, pull.held * family.curve(pull.left))
    if not firm > 1e-3:
        return inf
    moved = PULL * start * pull.longest + FREED * pull.longest * _in_one_direction(pull)
    return (moved + _let_go(problem, solution, pull, cholesky)) / firm


def _pull(family: ModuleType, problem: Problem, solution: Solution, cholesky: Factor) -> Pull:
    squared = solution.bound
    if not solution.gross:
        squared = threshold(solution.squares, solution.base, solution.most - 1.0)
    clipped = solution.weights < 1.0
    return Pull(
        longest=sqrt(squared * problem.width / ((1.0 - family.EVEN) * solution.heft)),
        squared=squared,
        V=cholesky.white(problem.X[clipped]),
        held=solution.weights[clipped],
        left=solution.left[clipped],
    )


def _from_the_start(problem: Problem, cholesky: Factor, early: float) -> float:
    """Where all begins from the core a row far out has no say at first. Where it begins from the rows near the middle
    one of them may lie far out by the matrix, and where these are few, or all that tell of a column, nothing holds it.
    """
    unseen = np.diag(problem.squares) == 0.0
    if problem.weight > 0.0 and problem.X[:, unseen].any():
        return inf
    if problem.weight >= 2 * problem.width:
        return 1.0 if problem.weight >= 2 * len(problem.rows) else early
    if len(problem.rows) < FEWEST * problem.width:
        return inf
    typical = typical_of(problem.X)
    middle = float(np.median(away(problem.X, typical)))
    farthest = middle * _top(cholesky.white(np.diag(typical)), np.ones(problem.width))
    return max(2.0 * sqrt(1.0 + farthest), early)


def _in_one_direction(pull: Pull) -> float:
    """The pulls of rows that are held back, in limits, as far as they may lie in one direction."""
    lengths = np.sqrt((pull.V**2).sum(axis=1))
    pulls = pull.held * np.abs(pull.left) * lengths / max(pull.longest, 1e-300)
    return _top(pull.V, pulls / np.maximum(lengths, 1e-300) ** 2)


def _let_go(problem: Problem, solution: Solution, pull: Pull, cholesky: Factor) -> float:
    """With one more row beyond it the limit rises, and all that were held back are held less."""
    if solution.gross:
        return 0.0
    weights = np.sqrt(share_of(pull.squared, solution.squares))
    more = ((weights - solution.weights) * solution.left) @ problem.X
    return 2.0 * float(np.linalg.norm(cholesky.white(more[None, :])))


def _top(V: Numbers, weights: Numbers) -> float:
    """The largest eigenvalue of V' diag(weights) V."""
    if not len(V):
        return 0.0
    V = V * np.sqrt(weights)[:, None]
    small = V @ V.T if len(V) < V.shape[1] else V.T @ V
    return float(np.linalg.eigvalsh(small)[-1])


def other_verdicts(family: ModuleType, problem: Problem, solution: Solution) -> list[Problem]:
    """The problem, once for each other verdict that one more row could bring about."""
    if not problem.judge:
        return []
    found = []
    lean = problem._replace(lean=-1 if solution.gross else 1)
    limit = threshold(solution.squares, solution.base, max(solution.most - 1.0, solution.most / 2.0))
    if bool(family.gross_from(lean, solution.squares, solution.scores**2, solution.base, limit)) != solution.gross:
        found.append(lean)
    for more in (0, 1):
        if (problem.equal + more > MASSED * (problem.seen + 1)) != problem.massed:
            found.append(problem._replace(equal=problem.equal + (-2 if problem.massed else 2)))
    return found
