"""Log-odds with each row's gradient clipped in Newton coordinates, from a quadratic core and extreme rows.

Rows that join the core leave the second-order expansion of their likelihood at the coefficients of that time; all
others keep their own. A little curvature, a row's worth, gives separable rows a finite answer.
"""

from math import sqrt
from typing import Any, NamedTuple

import numpy as np

from .batch import Numbers, Problem, Solution, first_weights, most_clipped, share_of, threshold
from .factor import Factor, factor

# Targets are 0 and 1: they have no units.
OF_TARGETS = False
# In units; what lies beyond is held back in arithmetic. A row far out that is told right must not change any unit.
FARTHEST_VALUE = 1e29
# The gradient of a row is as long as its residual times the root of its leverage.
EVEN = 0.0
# How much farther than the limit a row may pull while most rows are still looked at one by one: until the others have
# found their place the limit is high, and a row that is on its right side by then has no reason to leave it.
EARLY = 4.0
ROUNDS = 60
DONE, NEAR = 1e-8, 1e-2
# The metric is kept after as many rounds, or after more where Newton has not come near by then.
FROZEN, LATEST = 6, 12
# No row that is told wrong counts for less than this.
LEAST_CURVATURE = 1e-12
MOST_GROSS = 0.05
# Labels are separable if at most this share of the rarer ones is told wrong, and in some direction at least this share
# of what is known is the little curvature.
MOST_WRONG, SUPPORTED = 0.08, 0.04
# By how much the number that speaks for it is eased where a row more might call them so.
LENIENT = 0.6


class Lengths(NamedTuple):
    """How long gradients are."""

    metric: Factor
    heft: float
    leverage: Numbers  # of the rows
    base: float  # sum of the core's squared lengths


def prior(X: Numbers) -> Numbers:
    """A quarter of the squared size of a column."""
    typical = (1.4826 * np.median(np.abs(X), axis=0)) ** 2
    if len(X) < 4 * X.shape[1]:
        typical = (X**2).mean(axis=0)
    found: Numbers = 0.25 * np.where(typical > 0.0, np.minimum(typical, 1e100), 1.0)
    return found


def chance(z: Numbers) -> Numbers:
    """1/(1 + exp(-z)), without overflow."""
    small = np.exp(-np.abs(z))
    found: Numbers = np.where(z >= 0.0, 1.0, small) / (1.0 + small)
    return found


def leftover(seen: Numbers, theta: Numbers) -> Numbers:
    """The label less its chance."""
    return left_of(seen[:, -1], seen[:, :-1] @ theta)


def left_of(targets: Numbers, told: Numbers) -> Numbers:
    left: Numbers = targets - chance(told)
    return left


def wrong(left: Numbers) -> int:
    """Rows with the less likely label."""
    return int(np.count_nonzero(np.abs(left) > 0.5))


def curve(left: Numbers) -> Numbers:
    """How fast a row's gradient changes with its log-odds."""
    return np.abs(left) * (1.0 - np.abs(left))


def working(seen: Numbers, theta: Numbers, left: Numbers) -> Numbers:
    """What rows add to the core: features and working response of one Newton step, by the root of the curvature."""
    z = seen[:, :-1] @ theta
    p = chance(z)
    # What is told wrong with certainty would answer without bounds; what is told right needs no floor.
    root = np.sqrt(np.maximum(p * (1.0 - p), LEAST_CURVATURE * np.abs(left)))
    rows = seen * root[:, None]
    rows[:, -1] = root * z + left / np.maximum(root, 1e-300)
    return rows


class Newton:
    """The likelihood of the rows with their weights, on top of the core's quadratic."""

    def __init__(self, problem: Problem) -> None:
        self.problem = problem
        self.curvature = problem.squares + np.diag(np.zeros(problem.width) + problem.prior)
        self.theta = np.zeros(problem.width)
        self.weights = first_weights(problem)
        if problem.weight > 0.0:
            self.theta = factor(self.curvature).solve(problem.moments)
            self.weights = np.zeros(len(problem.rows))
        self.look()

    def look(self) -> None:
        """Chances and residuals at theta."""
        self.scores = self.problem.X @ self.theta
        p = chance(self.scores)
        self.spread, self.left = p * (1.0 - p), self.problem.y - p

    def matrix(self) -> Numbers:
        X = self.problem.X
        halves = X * np.sqrt(self.weights * self.spread)[:, None]
        found: Numbers = self.curvature + halves.T @ halves
        return found

    def worth(self, theta: Numbers, scores: Numbers) -> float:
        """What is made as large as can be."""
        likelihood = self.problem.y * scores - np.logaddexp(0.0, scores)
        core = self.problem.moments @ theta - 0.5 * theta @ (self.curvature @ theta)
        return float(core + (self.weights * likelihood).sum())

    def advance(self, heft: float) -> float:
        """One Newton step, halved until it is worth it. Returns its length in the metric of the matrix."""
        H, X = self.matrix(), self.problem.X
        slope = self.problem.moments - self.curvature @ self.theta + X.T @ (self.weights * self.left)
        step = factor(H).solve(slope)
        length = sqrt(max(float(step @ H @ step), 0.0))
        share = min(1.0, 3.0 * sqrt(heft) / max(length, 1e-300))
        along, here = X @ step, self.worth(self.theta, self.scores)
        for _ in range(30):
            there = self.worth(self.theta + share * step, self.scores + share * along)
            if there >= here + 1e-4 * share * float(slope @ step) - 1e-9 * abs(here):
                break
            share *= 0.5
        self.theta = self.theta + share * step
        self.look()
        return length


def solve(problem: Problem, done: float = DONE) -> Solution:
    """The coefficients; the metric follows the weights for a few rounds and is then kept."""
    width, most = problem.width, most_clipped(problem.seen, problem.width)
    newton = Newton(problem)
    length = newton.advance(float(len(problem.rows)))
    bound, lengths, limit, squares = 0.0, None, 0.0, newton.left
    for turn in range(1, ROUNDS):
        if lengths is None or turn <= FROZEN or (turn <= LATEST and length >= NEAR * sqrt(width)):
            lengths = _lengths(newton)
        squares = newton.left**2 * lengths.leverage
        limit = threshold(squares, lengths.base, most)
        bound = gross_from(problem, squares, squares, lengths.base, limit)
        newton.weights = _weights(squares, limit, bound)
        length = newton.advance(lengths.heft / width)
        if turn > 2 and length < done * sqrt(width):
            break
    assert lengths is not None
    return Solution(
        theta=newton.theta,
        matrix=newton.matrix(),
        metric=lengths.metric,
        heft=lengths.heft,
        noise=0.0,
        limit=limit,
        weights=newton.weights,
        left=newton.left,
        squares=squares,
        base=lengths.base,
        most=most,
        scores=np.sqrt(squares),
        gross=bool(bound),
        bound=bound,
    )


def _lengths(newton: Newton) -> Lengths:
    problem, width = newton.problem, newton.problem.width
    metric = factor(newton.matrix())
    heft = problem.core + float(newton.weights.sum())
    lengths = metric.lengths(problem.X)
    base = 0.0
    if problem.weight > 0.0:
        known = float(np.einsum("ij,ij->", metric.inverse(), problem.squares))
        base = known * heft / width
    return Lengths(metric, heft, lengths * (heft / width), base)


def gross_from(problem: Problem, squares: Numbers, scores: Numbers, base: float, limit: float) -> float:
    """The squared length from which on rows are gross, or 0 where none are."""
    seen, most, lean = problem.seen, most_clipped(problem.seen, problem.width), problem.lean
    if not problem.judge or problem.core == 0 or seen <= 20.0 * most - lean:
        return 0.0
    typical = base / problem.core
    few = int((scores > 25.0 * typical).sum()) + problem.rejected <= MOST_GROSS * seen + 2 * lean
    return 25.0 * typical if few and most * limit > 50.0 * LENIENT**lean * seen * typical else 0.0


def _weights(squares: Numbers, limit: float, bound: float) -> Numbers:
    return share_of(bound, squares) if bound else np.sqrt(share_of(limit, squares))


def plain(problem: Problem) -> Numbers:
    """Maximum likelihood: no row is held back."""
    newton = Newton(problem)
    newton.weights = np.ones(len(problem.rows))
    for _ in range(ROUNDS):
        if newton.advance(max(problem.seen, 1) / problem.width) < DONE * sqrt(problem.width):
            break
    return newton.theta


def plain_covariance(problem: Problem, theta: Numbers) -> Numbers:
    """The textbook's covariance of maximum likelihood: one over the curvature there."""
    p = chance(problem.X @ theta)
    halves = problem.X * np.sqrt(p * (1.0 - p))[:, None]
    core = problem.squares + np.diag(np.zeros(problem.width) + problem.prior)
    return factor(core + halves.T @ halves).inverse()


def separable(problem: Problem, theta: Numbers, cholesky: Factor, wrong_in_core: int) -> bool:
    """Whether hardly a label is told wrong, and it is the little curvature that keeps the coefficients finite."""
    fewer = min(problem.equal, problem.seen - problem.equal)
    wrong_ones = wrong_in_core + wrong(leftover(problem.rows, theta))
    if fewer == 0 or wrong_ones > MOST_WRONG * fewer:
        return False
    root = cholesky.white(np.diag(np.sqrt(np.zeros(problem.width) + problem.prior)))
    return float(np.linalg.norm(root, 2)) ** 2 > SUPPORTED


def within(problem: Problem, solution: Solution, radius: float, scale: Numbers, reference: Numbers) -> Solution:
    """The best coefficients whose slopes, by `scale` in the columns' own units, are no longer than `radius`."""

    def with_pull(pull: float) -> Solution:
        return solve(problem._replace(prior=problem.prior + pull * scale**2))

    def length(found: Any) -> float:
        return float(np.linalg.norm(found.theta * scale))

    if length(solution) <= radius:
        return solution
    low, high = 1e-12, 1.0
    while length(with_pull(high)) > radius:
        low, high = high, 100.0 * high
    for _ in range(60):
        pull = sqrt(low * high)
        low, high = (pull, high) if length(with_pull(pull)) > radius else (low, pull)
        if high < low * (1.0 + 1e-9):
            break
    return with_pull(high)
