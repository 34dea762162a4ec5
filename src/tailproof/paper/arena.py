"""What machine code needs to run a setting: laws as numbers, and room for its candidates."""

import hashlib
from math import sqrt
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from .. import compiled
from ..state import aligned
from . import buckets, draws, flocks, trials
from .buckets import Medians, Robin
from .flocks import Flocks, Shrunken
from .settings import MEDIANS, Law, Setting, Start
from .trials import Course, Outcome

Numbers = NDArray[np.float64]

KINDS = {"pareto": draws.PARETO, "gaussian": draws.GAUSSIAN, "lognormal": draws.LOGNORMAL}
# Values drawn at once: they stay in the nearest cache while all candidates learn from them.
BLOCK = 4096

compiled.invite({draws: compiled.DRAWING, **dict.fromkeys((flocks, buckets, trials), compiled.DESCENT)})


class Work(NamedTuple):
    """What a range of trials gave, as it is kept."""

    errors: Numbers  # (trials, candidates)
    choices: NDArray[np.int64]  # (trials, methods with a choice) what sequential validation takes
    paths: Numbers  # (looks, candidates) sums of errors


def seed_of(seed: int, experiment: str) -> Any:
    """The settings of one experiment share their random numbers, so that their differences are seen clearly."""
    digest = hashlib.sha256(f"{seed} {experiment}".encode()).digest()
    return np.uint64(int.from_bytes(digest[:8], "little"))


def run_trials(setting: Setting, seed: Any, first: int, count: int) -> Work:
    """Trials first, first + 1, ... of a setting: the same whoever runs them, and with whatever others."""
    width = len(setting.candidates)
    outcome = Outcome(np.empty((count, width)), np.zeros((count, width)), np.zeros((len(setting.looks), width)))
    arguments = {"mean": _mean, "linear": _linear, "logistic": _logistic}[setting.task](setting)
    compiled.kernel(f"{setting.task}_trials")(course(setting, seed), *arguments, first, outcome)
    return Work(outcome.errors, choices(setting, outcome.scores), outcome.paths)


def choices(setting: Setting, scores: Numbers) -> NDArray[np.int64]:
    """For each method with something to choose, the candidate of the least score in each trial."""
    found = np.empty((len(scores), len(setting.validated)), np.int64)
    for k, method in enumerate(setting.validated):
        places = np.array(setting.choice[method])
        theirs = np.where(np.isnan(scores[:, places]), np.inf, scores[:, places])
        found[:, k] = places[theirs.argmin(axis=1)]
    return found


def course(setting: Setting, seed: Any) -> Course:
    columns, block = setting.columns, max(1, BLOCK // setting.columns)
    values = aligned(block * columns)
    truth = truth_of(setting)
    return Course(
        seed=seed,
        rows=setting.rows,
        scored=setting.scored,
        looks=np.array(setting.looks, np.int64),
        law=KINDS[setting.law.kind],
        law_numbers=_law_numbers(setting.law, 1.0),
        noise=KINDS[setting.noise.kind],
        noise_numbers=_law_numbers(setting.noise, sqrt(setting.sigma2)),
        truth=truth,
        start=start_of(setting.start, truth),
        radius=float(setting.radius),
        values=values,
        X=values.reshape(block, columns),
        y=aligned(block),
        lengths=aligned(block),
        ones=np.ones(block),
    )


def truth_of(setting: Setting) -> Numbers:
    truth = aligned(setting.columns)
    truth[...] = 0.0
    if setting.task != "mean":
        support = setting.support or setting.columns
        truth[:support] = support**-0.5
    return truth


def start_of(start: Start, truth: Numbers) -> Numbers:
    begin = aligned(len(truth))
    begin[...] = truth if start.kind == "truth" else len(truth) ** -0.5 if start.kind == "unit" else 1.0
    begin *= start.value
    return begin


def _law_numbers(law: Law, scale: float) -> Numbers:
    return np.array([law.index, law.centre, scale / law.deviation])


def _mean(setting: Setting) -> tuple[Any, ...]:
    repaired, literal = (
        _medians(setting, pair, height, most)
        for pair, height, most in (
            (MEDIANS[0], setting.rows // setting.buckets, setting.buckets),
            (MEDIANS[1], setting.buckets, setting.rows),
        )
    )
    groups = setting.buckets if setting.asks("round-robin-mom") else 0
    robin = Robin(
        aligned((groups, setting.columns)),
        np.zeros(groups, np.int64),
        aligned((groups, groups)),
        aligned((2, groups)),
        aligned(setting.columns),
    )
    return _flocks(setting, setting.grid("clipped-sgd", setting.levels), setting.gammas), repaired, literal, robin


def _linear(setting: Setting) -> tuple[Any, ...]:
    thresholds = tuple(c * setting.root for c in setting.grid("huber", setting.penalties))
    return (
        _flocks(setting, setting.grid("clipped-sgd", setting.levels), setting.gammas),
        _flock_of(setting, thresholds, (setting.gamma,) if setting.asks("huber") else ()),
        _shrunken(setting, "ridge"),
        _shrunken(setting, "lasso"),
    )


def _logistic(setting: Setting) -> tuple[Any, ...]:
    return (_flocks(setting, setting.grid("clipped-sgd", setting.levels), setting.gammas),)


def _flocks(setting: Setting, grid: tuple[float, ...], gammas: tuple[float, ...]) -> Flocks:
    return _flock_of(setting, tuple(setting.level(c) for c in grid), gammas)


def _flock_of(setting: Setting, levels: tuple[float, ...], gammas: tuple[float, ...]) -> Flocks:
    count = len(levels) + 1
    return Flocks(
        aligned((len(gammas), count, setting.columns)),
        np.array([*levels, np.inf]),
        aligned((len(gammas), count)),
        aligned(count),
        np.zeros((len(gammas), 1), np.int64),
        np.array(gammas, np.float64),
        float(setting.curvature),
    )


def _shrunken(setting: Setting, method: str) -> Shrunken:
    penalties = np.array([setting.penalty(c) for c in setting.grid(method, setting.penalties)], np.float64)
    count = len(penalties)
    theta = aligned((count, setting.columns))
    return Shrunken(theta, penalties, aligned(count), float(setting.gamma), float(setting.curvature))


def _medians(setting: Setting, pair: tuple[str, str], height: int, most: int) -> Medians:
    steps = np.array(setting.step_sizes if pair in setting.medians else (), np.float64)
    columns, count = setting.columns, len(steps)
    return Medians(
        aligned((2, count, columns)),
        steps,
        aligned((2, count)),
        aligned(columns),
        aligned(columns),
        np.zeros(3, np.int64),
        np.zeros(1),
        height,
        most,
    )
