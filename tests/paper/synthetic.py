"""Results as a run writes them, made up: what the paper hopes for, in round numbers."""

import dataclasses
from typing import Any

from tailproof.paper.pieces import VERSION
from tailproof.paper.settings import EXPERIMENTS, OURS, Experiment, Setting

Plain = dict[str, Any]

SHARES = {"0.5": 0.95, "0.05": 1.1, "0.01": 1.2, "0.005": 1.25, "0.001": 1.3}
HEAVY = {"0.5": 0.9, "0.05": 1.5, "0.01": 3.0, "0.005": 5.0, "0.001": 12.0}
MEANS = {"clipped-sgd": 0.2, "tailproof": 0.22, "clipped-sgd-self-tuned": 0.24, "huber": 0.3, "lasso": 0.36}
TAME = ("clipped-sgd", "round-robin-mom", *OURS)


def results(name: str, trials: int = 20_000) -> Plain:
    return results_of(EXPERIMENTS[name], trials)


def results_of(experiment: Experiment, trials: int = 20_000) -> Plain:
    first, *others = (record_of(setting, trials) for setting in experiment.settings)
    head = {"version": VERSION, "experiment": experiment.name, "seed": 1, "asked": trials}
    return {**head, **first, "panels": others}


def record_of(setting: Setting, trials: int) -> Plain:
    methods = {name: method_of(setting, name, trials) for name in setting.methods}
    for name in setting.validated:
        each = summary(setting, name, trials) | {"curve": []}
        candidate = setting.candidates[setting.choice[name][0]]
        each["chosen"] = {"choices": [[candidate.c, setting.gamma, 0.75], [candidate.c, setting.gammas[0], 0.25]]}
        methods[f"{name}-validated"] = each
        methods[f"{name}-validated-once"] = summary(setting, name, trials) | {"chosen": {"gamma": setting.gamma}}
    plain = {**dataclasses.asdict(setting), "notes": setting.notes}
    return {"setting": plain, "trials": trials, "seconds": 1.5, "methods": methods}


def summary(setting: Setting, method: str, trials: int, factor: float = 1.0) -> Plain:
    gaussian = setting.law.kind == "gaussian"
    tails = SHARES if method in TAME or gaussian or setting.task == "logistic" else HEAVY
    mean = factor * MEANS.get(method, 0.4)
    return {
        "chosen": {},
        "mean": mean,
        "standard_error": 0.001,
        "quantiles": {share: mean * tail for share, tail in tails.items()},
        "trials": trials if method not in OURS else trials // 10,
        "curve": [[t, mean * (setting.rows / t) ** 0.5] for t in setting.looks],
    }


def method_of(setting: Setting, method: str, trials: int) -> Plain:
    said = summary(setting, method, trials)
    places = setting.places.get(method, [])
    if method == "clipped-sgd" and len(setting.levels) > 1:
        said |= by_level(setting, said["mean"])
        said["chosen"] = {"c": setting.levels[1], "gamma": setting.gamma, "value": setting.level(setting.levels[1])}
    delays = sorted({setting.candidates[k].gamma for k in places} - {None})
    if len(delays) > 1:
        said["by_gamma"] = [delay_of(setting, method, trials, gamma) for gamma in delays]
    return said


def by_level(setting: Setting, mean: float) -> Plain:
    """From too small a level to one that is like none."""
    best = 0.5 if setting.task == "logistic" else setting.levels[1]
    heights = [
        mean if c == best else min(2.0 * mean, mean * (1.02 + 0.05 * abs(k))) for k, c in enumerate(setting.levels)
    ]
    heights[0], heights[-1] = 2.5 * mean, 1.95 * mean
    found = list(zip(setting.levels, heights, strict=True))
    return {
        "by_level": [[c, height, height * SHARES["0.001"]] for c, height in found],
        "by_level_quantiles": {
            share: [[c, h * SHARES[share]] for c, h in found] for share in ("0.5", "0.05", "0.01", "0.001")
        },
        "level_curves": [[c, [[t, h * (setting.rows / t) ** 0.5] for t in setting.looks]] for c, h in found],
    }


def delay_of(setting: Setting, method: str, trials: int, gamma: float) -> Plain:
    factor = 1.0 if gamma == setting.gamma else 2.0
    return {"gamma": gamma, **summary(setting, method, trials, factor), "chosen": {"gamma": gamma}}
