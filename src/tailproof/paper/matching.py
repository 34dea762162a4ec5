"""The main setting among those of a panel that ran on fewer trials: its point on the same first trials as theirs.

With heavy tails a quantile of many trials beside quantiles of few would stand out for no other reason than that. No
trial is run for it: errors are kept trial by trial.
"""

import dataclasses
from collections.abc import Sequence
from typing import Any

import numpy as np

from .laws import Law, Start
from .settings import OURS, Setting
from .summaries import Trials
from .telling import figure


def matched(main: Trials, members: Sequence[Setting], asked: int) -> Trials | None:
    """The main setting's first trials as one more setting of a panel; None where the panel needs none."""
    like = members[0]
    varied = _varied(main.setting, like.panel)
    count = like.trials_of(asked)
    if varied is None or count >= len(main.errors) or any(_varied(m, like.panel) == varied for m in members):
        return None
    setting = _setting(main.setting, like, varied)
    known = {_mark(candidate): place for place, candidate in enumerate(main.setting.candidates)}
    columns = [known.get(_mark(candidate), 0) for candidate in setting.candidates]
    theirs = [method for method in OURS if main.setting.asks(method)]
    ours = [k for k, method in enumerate(theirs) if setting.asks(method)]
    our_count = like.our_trials_of(asked) if len(main.our_errors) else 0
    return Trials(
        setting=setting,
        errors=main.errors[:count, columns],
        choices=_choices(main, setting, columns)[:count],
        curves=None,
        our_errors=main.our_errors[:our_count, ours] if our_count else np.empty((0, 0)),
        our_curves=None,
        seconds=0.0,
    )


def _varied(setting: Setting, panel: str) -> Any:
    return getattr(setting, {"p": "columns"}.get(panel, panel), None)


def _mark(candidate: Any) -> tuple[Any, ...]:
    return candidate.method, candidate.c, candidate.gamma


def _setting(main: Setting, like: Setting, varied: Any) -> Setting:
    """With the methods and as many delays as the panel has."""
    value = varied.index if isinstance(varied, Law) else varied.value if isinstance(varied, Start) else float(varied)
    told = str(varied) if isinstance(varied, Law) else figure(value)
    return dataclasses.replace(
        main,
        name=f"{like.name.partition('=')[0]}={told}",
        panel=like.panel,
        value=value,
        methods=tuple(method for method in main.methods if like.asks(method)),
        gammas=main.gammas if len(like.gammas) == len(main.gammas) else (main.gamma,),
        share=like.share,
        ours=like.ours,
    )


def _choices(main: Trials, setting: Setting, columns: list[int]) -> Any:
    """What validation took, where it chose among the same candidates; -1 where it did not."""
    found = np.full((len(main.errors), len(setting.validated)), -1, np.int64)
    here = np.full(main.errors.shape[1], -1, np.int64)
    for place, candidate in enumerate(setting.candidates):
        if candidate.method:
            here[columns[place]] = place
    for k, method in enumerate(setting.validated):
        theirs = main.setting.choice[method]
        if len(theirs) == len(setting.choice[method]):
            found[:, k] = here[main.choices[:, main.setting.validated.index(method)]]
    return found
