"""How far from the truth each contender ends on the paper's streams: on average, and in the worst trials.

All see the same samples: trial k has a seed of its own. Descents that need a step or a clip get the best of a few,
by their mean error on samples of another seed; what needs nothing gets nothing. Slow ones see fewer of the samples,
and of those a less extreme quantile is told.
"""

import argparse
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

import laws
from peer import LeftOut, reason
from peers_fits import LINES, MEANS, Fit, Fitting
from streams import STREAMS, Sample

ROWS, WIDTH = 1000, 20
SEED, TUNING_SEED = 4100, 4200


class Accuracy(NamedTuple):
    """The mean error, and the error that a share of the trials exceeds."""

    name: str
    package: str
    trials: int
    mean: float
    tail: float
    share: float
    setting: str


def means(options: argparse.Namespace) -> Any:
    def draw(seed: int, trial: int) -> Sample:
        X = laws.pareto(2.1)(np.random.default_rng((seed, trial)), ROWS, WIDTH)
        return Sample(X, np.zeros(ROWS), np.zeros(WIDTH))

    return judged(MEANS, draw, options.trials)


def lines(options: argparse.Namespace) -> Any:
    def draw(seed: int, trial: int) -> Sample:
        return STREAMS["paper"](np.random.default_rng((seed, trial)), ROWS, WIDTH)

    return judged(LINES, draw, options.trials)


def judged(fits: list[Fit], draw: Callable[[int, int], Sample], trials: int) -> Any:
    results, left_out = [], []
    for fit in fits:
        try:
            results.append(tried(fit, draw, trials)._asdict())
            say(results[-1])
        except Exception as error:  # whatever a peer may throw, the others go on
            left_out.append(LeftOut(fit.name, reason(error))._asdict())
            print(f"  left out: {fit.name}: {left_out[-1]['why']}", flush=True)
    return {"rows": ROWS, "width": WIDTH, "results": results, "left_out": left_out}


def tried(fit: Fit, draw: Callable[[int, int], Sample], trials: int) -> Accuracy:
    trials = max(1, min(trials, fit.most))
    setting, found = best(fit.settings(), lambda trial: draw(TUNING_SEED, trial), max(1, trials // 20))
    errors = np.array([sample.loss(found(sample)) for sample in (draw(SEED, trial) for trial in range(trials))])
    if not np.isfinite(errors).all():
        errors = np.where(np.isfinite(errors), errors, np.inf)
    share = share_of(trials)
    tail = float(np.quantile(errors, 1.0 - share))
    return Accuracy(fit.name, fit.package, trials, float(errors.mean()), tail, share, setting)


def best(settings: dict[str, Fitting], draw: Callable[[int], Sample], samples: int) -> tuple[str, Fitting]:
    """The setting of least mean error; the only one, if there is only one."""
    if len(settings) == 1:
        return next(iter(settings.items()))
    drawn = [draw(trial) for trial in range(samples)]
    errors = {name: np.mean([sample.loss(fit(sample)) for sample in drawn]) for name, fit in settings.items()}
    chosen = min(errors, key=lambda name: np.nan_to_num(errors[name], nan=np.inf))
    return chosen, settings[chosen]


def share_of(trials: int) -> float:
    """The rarest tenfold share of which there is a trial at least."""
    return next(share for share in (0.001, 0.01, 0.1, 1.0) if trials * share >= 1.0)


def say(said: dict[str, Any]) -> None:
    print(
        f"  {said['name']:62} mean {said['mean']:8.4f}   Q{said['share']:g} {said['tail']:9.4f}"
        f"   {said['trials']:,} trials  {said['setting']}",
        flush=True,
    )
