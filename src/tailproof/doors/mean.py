"""`tailproof mean`."""

import argparse
from typing import Any

from ..errors import RuleError
from . import streaming
from .exits import UsageError
from .show import OF_INTERVALS


def mean(options: argparse.Namespace) -> int:
    streaming.begin(options)
    job = _job(options)
    return streaming.stream(options, job, job.columns[0] if job.columns else "first mean", "--columns")


def _job(options: argparse.Namespace) -> Any:
    from ..runner import Job

    return Job(
        rule=_rule(options),
        columns=streaming.listed(options.columns),
        settings={name: getattr(options, name) for name in OF_INTERVALS},
        **streaming.reading(options),
        **streaming.keeping(options),
    )


def _rule(options: argparse.Namespace) -> Any:
    from ..clipped import ClippedSGD
    from ..extremes import GROUPS, Extremes

    if options.method != "sketch" and options.radius:
        raise UsageError("--radius needs --method sketch")
    if options.method != "sketch" and options.plot_tails:
        raise UsageError("--plot-tails needs --method sketch, which remembers extremes")
    if options.method != "sketch" and options.jobs:
        raise UsageError(f"--jobs needs --method sketch: what {options.method} learns depends on the order of the rows")
    if options.method == "clipped-sgd":
        return ClippedSGD(bars=True)
    if options.method == "race":
        from ..race import race_of_means

        return race_of_means()
    try:
        return Extremes(options.extremes, options.gross, options.h, GROUPS if options.radius else 0)
    except RuleError as error:
        raise UsageError(str(error)) from error
