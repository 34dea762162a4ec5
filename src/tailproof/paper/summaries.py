"""What trials say of each method, as plain values."""

import dataclasses
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from .pieces import Arrays, Piece
from .settings import OURS, Candidate, Setting
from .trials import SELDOM

# Shares of trials whose loss is beyond the quantile.
SHARES = (0.5, 0.05, 0.01, 0.005, 0.001)
LEVEL_SHARES = (0.5, 0.05, 0.01, 0.001)

Numbers = NDArray[np.float64]
Part = tuple[Piece, Arrays, float]
Plain = dict[str, Any]


class Trials(NamedTuple):
    """All trials of a setting, in order."""

    setting: Setting
    errors: Numbers  # (trials, candidates)
    choices: NDArray[np.int64]  # (trials, methods with a choice)
    curves: Numbers | None  # (looks, candidates) mean errors; None where only the last were kept
    our_errors: Numbers  # (fewer trials, our methods)
    our_curves: Numbers | None
    seconds: float


def trials_of(setting: Setting, parts: Sequence[Part]) -> Trials:
    """Put pieces together, in the order of their trials."""
    theirs = [part for part in parts if not part[0].ours]
    ours = [part for part in parts if part[0].ours]
    errors = _joined(theirs, "errors")
    return Trials(
        setting=setting,
        errors=errors,
        choices=_joined(theirs, "choices"),
        curves=sum(_array(part, "paths") for part in theirs) / _looked(setting, len(errors)),
        our_errors=_joined(ours, "errors") if ours else np.empty((0, 0)),
        our_curves=_array(ours[0], "paths") / ours[0][0].trials if ours else np.empty((0, 0)),
        seconds=sum(part[2] for part in parts),
    )


def _array(part: Part, name: str) -> Any:
    return part[1][name]


def _joined(parts: Sequence[Part], name: str) -> Any:
    return np.concatenate([_array(part, name) for part in parts])


def _looked(setting: Setting, trials: int) -> Numbers:
    """In how many trials each candidate was looked at along the way."""
    seldom = -(-trials // SELDOM)
    return np.array([seldom if c.method == "round-robin-mom" else trials for c in setting.candidates], np.float64)


def record_of(trials: Trials) -> Plain:
    """What is written of one setting."""
    setting = trials.setting
    methods: dict[str, Plain] = {}
    with np.errstate(invalid="ignore", over="ignore"):
        for method in setting.methods:
            if method in setting.places:
                methods[method] = chosen_best(trials, method)
        for k, method in enumerate(setting.validated):
            if (trials.choices[:, k] >= 0).all():
                methods |= validated(trials, method, trials.choices[:, k])
        for k, method in enumerate(name for name in OURS if setting.asks(name)):
            if len(trials.our_errors):
                methods[method] = summary(setting, trials.our_errors[:, k], _column(trials.our_curves, k))
    record = {
        "setting": {**dataclasses.asdict(setting), "notes": setting.notes},
        "trials": len(trials.errors),
        "seconds": round(trials.seconds, 3),
        "methods": methods,
    }
    clipped = methods.get("clipped-sgd", {})
    if "by_level" in clipped:
        record["by_level"] = clipped["by_level"]
    return record


def chosen_best(trials: Trials, method: str) -> Plain:
    """A method with the candidate of the least mean loss, and what the others come to."""
    setting = trials.setting
    best = _best(trials, setting.choice[method])
    candidate = setting.candidates[best]
    said = summary(setting, trials.errors[:, best], path_of(trials, best))
    places = setting.places[method]
    if len(places) > 1:
        said["chosen"] = chosen(candidate)
    if candidate.c is not None and len(places) > 1:
        level = [k for k in places if setting.candidates[k].gamma == candidate.gamma]
        said |= by_level(trials, level)
    delays = sorted({gamma for k in places if (gamma := setting.candidates[k].gamma) is not None})
    if len(delays) > 1:
        said["by_gamma"] = [by_gamma(trials, places, gamma) for gamma in delays]
    return said


def _best(trials: Trials, places: list[int]) -> int:
    means = trials.errors[:, places].mean(axis=0)
    return places[int(np.where(np.isnan(means), np.inf, means).argmin())]


def chosen(candidate: Candidate) -> Plain:
    return {name: getattr(candidate, name) for name in ("c", "gamma", "value") if getattr(candidate, name) is not None}


def by_gamma(trials: Trials, places: list[int], gamma: float) -> Plain:
    """The best candidate with one delay."""
    best = _best(trials, [k for k in places if trials.setting.candidates[k].gamma == gamma])
    said = summary(trials.setting, trials.errors[:, best], path_of(trials, best))
    return {"gamma": gamma, **said, "chosen": chosen(trials.setting.candidates[best])}


def by_level(trials: Trials, places: list[int]) -> Plain:
    """Candidates that differ in their constant only."""
    levels = [trials.setting.candidates[k].c for k in places]
    ordered = np.sort(trials.errors[:, places], axis=0)
    means = [number(x) for x in trials.errors[:, places].mean(axis=0)]
    tails = {f"{share:g}": [number(x) for x in beyond(ordered, share)] for share in LEVEL_SHARES}
    return {
        "by_level": [list(item) for item in zip(levels, means, tails["0.001"], strict=True)],
        "by_level_quantiles": {
            share: [list(item) for item in zip(levels, tail, strict=True)] for share, tail in tails.items()
        },
        "level_curves": [
            [level, curve(trials.setting, path_of(trials, k))] for level, k in zip(levels, places, strict=True)
        ],
    }


def validated(trials: Trials, method: str, choices: NDArray[np.int64]) -> dict[str, Plain]:
    """A method with candidates chosen by sequential validation: in each trial, and once, as most trials do."""
    setting = trials.setting
    found, counts = np.unique(choices, return_counts=True)
    each = summary(setting, trials.errors[np.arange(len(choices)), choices], None)
    each["chosen"] = {
        "choices": [
            [setting.candidates[k].c, setting.candidates[k].gamma, count / len(choices)]
            for k, count in zip(found.tolist(), counts.tolist(), strict=True)
        ]
    }
    usual = int(found[counts.argmax()])
    once = summary(setting, trials.errors[:, usual], path_of(trials, usual))
    once["chosen"] = chosen(setting.candidates[usual])
    return {f"{method}-validated": each, f"{method}-validated-once": once}


def summary(setting: Setting, errors: Numbers, path: Numbers | None) -> Plain:
    """One method's losses over the trials."""
    spread = errors.std() / max(len(errors) - 1, 1) ** 0.5
    ordered = np.sort(errors)
    return {
        "chosen": {},
        "mean": number(errors.mean()),
        "standard_error": number(spread),
        "quantiles": {f"{share:g}": number(beyond(ordered, share)) for share in SHARES},
        "trials": len(errors),
        "curve": curve(setting, path),
    }


def beyond(ordered: Numbers, share: float) -> Any:
    """The least value that at most this share of the (sorted) values exceeds."""
    return ordered[len(ordered) - 1 - int(share * len(ordered) + 1e-9)]


def path_of(trials: Trials, candidate: int) -> Numbers | None:
    return _column(trials.curves, candidate)


def _column(curves: Numbers | None, k: int) -> Numbers | None:
    return None if curves is None else curves[:, k]


def curve(setting: Setting, path: Numbers | None) -> list[list[float | None]]:
    if path is None:
        return []
    return [[look, number(x)] for look, x in zip(setting.looks, path.tolist(), strict=True)]


def number(value: Any) -> float | None:
    """What has diverged is no number in JSON."""
    return float(value) if np.isfinite(value) else None
