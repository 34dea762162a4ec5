"""Least squares with each row's gradient clipped in Newton coordinates, from core sums and extreme rows.

The clip's limit is set by the rows themselves: the squared lengths, each cut at the limit, sum to a small number times
the limit. Its minimiser is the conditional mean, whatever the skew of the noise.
"""

from math import sqrt
from typing import Any, NamedTuple

import numpy as np

from .batch import Numbers, Problem, Solution, first_weights, most_clipped, share_of, threshold, traced
from .factor import Factor, factor

# Targets are measured in units of their own, and less what the first rows said of them.
OF_TARGETS = True
# In units; what lies beyond is held back in arithmetic, so that its squares can be added up.
FARTHEST_VALUE = 1e60
# The gradient of a row is as long as its residual times sqrt(EVEN + (1 - EVEN) leverage). The metric is kept after
# FROZEN rounds: one that follows the weights to the end can be led astray.
EVEN = 0.1
# How much farther than the limit a row may pull while most rows are still looked at one by one.
EARLY = 1.0
FROZEN = 3
ROUNDS = 50
# A row this much longer than all others together, squared, would leave no digits for them.
FARTHEST = 1e6
DONE = 1e-9
# So many more rows of weight one and their sum is made anew.
MANY = 16
# A row this far within the limit is likely to stay there.
SURELY = 0.6
# Rows are called gross if at most this share is, and if they are far beyond what finite variance shows.
MOST_GROSS = 0.05
# By how much the numbers that speak for it are eased where a row more might call them so.
LENIENT = 0.6
# Noise, in units of the targets and squared, below which there is only rounding.
FAINT = 1e-24


class Metric(NamedTuple):
    """How long gradients are."""

    factor: Factor
    heft: float
    leverage: Numbers  # of the rows, 1 on average
    share: float  # mean squared length over squared residual, of the core


class Sums:
    """Weighted sums of the rows on top of the core's. Rows of weight one are added up once, and only added to: a huge
    row that was in could not be taken out again."""

    def __init__(self, problem: Problem) -> None:
        self.problem = problem
        self.whole: Any = None

    def of(self, weights: Numbers, whole: Any) -> tuple[Numbers, Numbers]:
        """`whole`: rows of weight one that are likely to keep it."""
        X, y = self.problem.X, self.problem.y
        if self.whole is None or (whole < self.whole).any() or whole.sum() > self.whole.sum() + MANY:
            self.whole = whole
            inside = X[whole]
            self.squares = self.problem.squares + inside.T @ inside
            self.moments = self.problem.moments + inside.T @ y[whole]
            self.X, self.y = X[~whole], y[~whole]
        rest = weights[~self.whole]
        if not rest.any():
            return self.squares, self.moments
        # A matrix times itself turned round takes half the time of two matrices.
        root = np.sqrt(rest)
        halves = self.X * root[:, None]
        return self.squares + halves.T @ halves, self.moments + halves.T @ (root * self.y)


def prior(X: Numbers) -> Numbers:
    return np.zeros(X.shape[1])


def leftover(seen: Numbers, theta: Numbers) -> Numbers:
    """What the coefficients do not tell of the targets."""
    return left_of(seen[:, -1], seen[:, :-1] @ theta)


def left_of(targets: Numbers, told: Numbers) -> Numbers:
    left: Numbers = targets - told
    return left


def wrong(left: Numbers) -> int:
    """Rows on the wrong side of what is predicted: numbers have no sides."""
    return 0


def curve(left: Numbers) -> Numbers:
    """How fast a row's gradient changes with what is predicted for it."""
    return np.ones_like(left)


def working(seen: Numbers, theta: Numbers, left: Numbers) -> Numbers:
    """What rows add to the core: themselves."""
    return seen


def solve(problem: Problem, done: float = DONE) -> Solution:
    """The coefficients; the metric follows the weights for a few rounds and is then kept."""
    X, y, width = problem.X, problem.y, problem.width
    most = most_clipped(problem.seen, width)
    if problem.massed:
        most = min(most, width / 2.0 + 5.0)
    sums, weights = Sums(problem), first_weights(problem)
    theta: Any = None
    whole = weights == 1.0
    limit, most_weight = 0.0, np.ones(len(weights))
    for turn in range(ROUNDS):
        A, b = sums.of(weights, whole)
        cholesky = factor(A)
        before, theta = theta, cholesky.solve(b)
        if turn > 1 and _settled(theta - before, A, done**2 * width * limit):
            break
        residuals = y - X @ theta
        if turn < FROZEN:
            metric = _metric(problem, A, cholesky, weights)
        if turn == 0:
            most_weight = share_of(FARTHEST, metric.leverage * (width / metric.heft))
        noise = _noise(problem, theta, residuals, weights)
        squares = residuals**2 * (EVEN + (1.0 - EVEN) * metric.leverage)
        scores = _scores(residuals, weights, metric, noise, width)
        base = noise * metric.share * problem.weight
        limit = threshold(squares, base, most)
        bound = gross_from(problem, squares, scores, base, limit)
        former, weights = weights, np.minimum(_weights(squares, scores, limit, bound), most_weight)
        if turn > 0 and np.array_equal(former, weights):
            break
        whole = (weights == 1.0) & ((scores < SURELY * bound) if bound else (squares < SURELY * limit))
    return Solution(
        theta=theta,
        matrix=A,
        metric=metric.factor,
        heft=metric.heft,
        noise=noise,
        limit=limit,
        weights=weights,
        left=y - X @ theta,
        squares=squares,
        base=base,
        most=most,
        scores=np.sqrt(np.minimum(scores, np.finfo(float).max)),
        gross=bool(bound),
        bound=bound,
    )


def _settled(change: Numbers, A: Numbers, size: float) -> bool:
    return bool(change @ A @ change <= max(size, 1e-300))


def _metric(problem: Problem, A: Numbers, cholesky: Factor, weights: Numbers) -> Metric:
    width, heft = problem.width, problem.weight + float(weights.sum())
    lent = _lent(problem, weights)
    if lent.any():
        cholesky = factor(A + np.diag(lent))
    lengths = cholesky.lengths(problem.X)
    share = 1.0
    if problem.weight > 0.0:
        known = traced(cholesky, weights, lengths)
        if lent.any():
            known = max(known - float(lent @ np.diag(cholesky.inverse())), 0.0)
        share = known * heft / (width * problem.weight)
    return Metric(cholesky, heft, lengths * (heft / width), EVEN + (1.0 - EVEN) * share)


def _lent(problem: Problem, weights: Numbers) -> Numbers:
    """The squares of columns in which the core has nothing but zeros, as far as the rows do not count yet, each row's
    as large as the middle one's: what is rare is not gross because nothing else tells how far it is."""
    lent = np.zeros(problem.width)
    for j in np.flatnonzero(np.diag(problem.squares) == 0.0) if problem.weight > 0.0 else ():
        sizes = np.abs(problem.X[:, j])
        there = sizes > 0.0
        if there.any():
            lent[j] = (1.0 - weights[there]).sum() * np.median(sizes[there]) ** 2
    return lent


def _noise(problem: Problem, theta: Numbers, residuals: Numbers, weights: Numbers) -> float:
    """The mean squared residual: of the core, or, while there is none, of the rows."""
    if problem.weight > 0.0:
        return max(core_residuals(problem, theta) - problem.over, 0.0) / problem.weight
    return float((weights * residuals**2).sum() / max(float(weights.sum()), 1e-300))


def core_residuals(problem: Problem, theta: Numbers) -> float:
    """The core's sum of squared residuals."""
    total = problem.sums[-1, -1]
    return max(float(total - 2.0 * theta @ problem.moments + theta @ problem.squares @ theta), 0.0)


def _scores(residuals: Numbers, weights: Numbers, metric: Metric, noise: float, width: int) -> Numbers:
    """How extreme each row would be if it had not pulled the fit towards itself, squared."""
    own = np.maximum(1.0 - weights * metric.leverage * (width / metric.heft), 1e-6)
    return ((residuals / own) ** 2 + noise / 4.0) * (EVEN + (1.0 - EVEN) * metric.leverage / own)


def _weights(squares: Numbers, scores: Numbers, limit: float, bound: float) -> Numbers:
    """Gradients are cut at the limit; those of gross rows are cut the more, the longer they are."""
    if bound:
        return share_of(bound, scores)
    return np.sqrt(share_of(limit, squares))


def gross_from(problem: Problem, squares: Numbers, scores: Numbers, base: float, limit: float) -> float:
    """The squared score from which on rows are gross, or 0 where none are.

    Few rows may be, and only where they carry so much of the variance as no law of finite variance would show.
    """
    seen, most, lean = problem.seen, most_clipped(problem.seen, problem.width), problem.lean
    if not problem.judge or problem.massed or problem.core == 0:
        return 0.0
    typical, room = max(base / problem.weight, FAINT), LENIENT**lean
    bound = typical * min(max(25.0, seen / most), 400.0)
    few = int((scores > bound).sum()) + problem.rejected <= MOST_GROSS * seen + 2 * lean
    several = int((squares > 900.0 * room * seen * typical / most).sum()) >= 5 - lean
    heavy = seen > 20.0 * most - lean and most * limit > 200.0 * room * seen * typical
    return bound if few and (several or heavy) else 0.0


def intercept(problem: Problem, solution: Solution) -> float:
    """The intercept, the last coefficient, by the mean's own light clip of what the slopes leave over."""
    joint = float(solution.theta[-1])
    if solution.gross or problem.seen < 2:
        return joint
    centre, limit, widest = lightly(problem, solution)
    # Gross values swamp so light a clip: then the joint one is the safer.
    return joint if min(5.0, problem.seen / 2.0) * limit > 9.0 * widest else centre


def lightly(problem: Problem, solution: Solution) -> tuple[float, float, float]:
    """The intercept by a light clip, the clip's squared limit, and what the joint solution's would hold."""
    slopes = np.append(solution.theta[:-1], 0.0)
    joint = float(solution.theta[-1])
    left = problem.y - problem.X @ slopes
    total = float(problem.sums[-2, -1] - problem.squares[-1] @ slopes)
    square = core_residuals(problem, slopes)
    most = most_clipped(problem.seen, problem.width)

    def limit_at(centre: float, clipped: float) -> float:
        base = max(square - 2.0 * centre * total + problem.weight * centre**2, 0.0)
        return threshold((left - centre) ** 2, base, clipped)

    light = min(5.0, problem.seen / 2.0)
    widest, centre = most * limit_at(joint, most), joint
    for _ in range(30):
        limit = limit_at(centre, light)
        level = sqrt(limit)
        clipped = np.clip(left - centre, -level, level).sum()
        step = (total + len(left) * centre + clipped) / (problem.weight + len(left)) - centre
        if abs(step) <= 1e-12 * level:
            break
        centre += float(step)
    return centre, limit, widest


def intercept_reach(problem: Problem, solution: Solution, along: float) -> float:
    """How far the intercept's own light clip lets one more row move it, where the slopes stay. `along`: the same of the
    joint intercept."""
    if solution.gross or problem.seen < 2:
        return along
    slopes = np.append(solution.theta[:-1], 0.0)
    joint, light = float(solution.theta[-1]), min(5.0, problem.seen / 2.0)
    centre, limit, widest = lightly(problem, solution)
    if light <= 1.5:
        return float("inf")
    left = problem.y - problem.X @ slopes - centre
    total = problem.weight + len(left)
    base = light * limit - float(np.minimum(left**2, limit).sum())
    level, higher = sqrt(limit), sqrt(threshold(left**2, max(base, 0.0), light - 1.0))
    firm = max(1.0 - float((left**2 > limit).sum()) / total, 0.1)
    let_go = np.abs(np.clip(left, -higher, higher) - np.clip(left, -level, level)).sum()
    moved = (1.25 if problem.core else 2.5) * (higher + float(let_go)) / (total * firm)
    if light * higher**2 * 2.0 > 9.0 * widest:
        moved += abs(joint - centre) + along
    return moved


def plain(problem: Problem) -> Numbers:
    """Least squares: no row is held back or set aside."""
    X, sums = problem.X, problem.sums + problem.aside
    return factor(sums[:-1, :-1] + X.T @ X).solve(sums[:-1, -1] + X.T @ problem.y)


def plain_covariance(problem: Problem, theta: Numbers) -> Numbers:
    """The textbook's covariance of least squares: one variance for all that is left over."""
    X, y, width = problem.X, problem.y, problem.width
    sums = problem.sums + problem.aside
    apart = np.append(-theta, 1.0)
    left = max(float(apart @ sums @ apart), 0.0) + float(((y - X @ theta) ** 2).sum())
    inverse = factor(sums[:-1, :-1] + X.T @ X).inverse()
    return inverse * (left / (problem.seen - width) if problem.seen > width else np.inf)


def within(problem: Problem, solution: Solution, radius: float, scale: Numbers, reference: Numbers) -> Solution:
    """The best coefficients, for the weights that the rows have, whose slopes are no longer than `radius`. They are
    told less the reference."""
    A, whole = solution.matrix, solution.theta + reference
    b = A @ whole

    def with_pull(pull: float) -> Numbers:
        return factor(A + np.diag(pull * scale**2)).solve(b)

    def length(theta: Numbers) -> float:
        return float(np.linalg.norm(theta * scale))

    if length(whole) <= radius:
        return solution
    low, high = 0.0, 1.0
    while length(with_pull(high)) > radius:
        low, high = high, 100.0 * high
    for _ in range(200):
        pull = 0.5 * (low + high)
        low, high = (pull, high) if length(with_pull(pull)) > radius else (low, pull)
        if high - low <= 1e-12 * high:
            break
    return solution._replace(theta=with_pull(high) - reference)
