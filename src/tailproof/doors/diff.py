"""`tailproof diff`."""

import argparse
from collections.abc import Sequence
from typing import Any

from ..errors import DataError, RuleError
from . import streaming
from .exits import UsageError


def diff(options: argparse.Namespace) -> int:
    streaming.begin(options)
    metrics = streaming.listed(options.metric)
    if metrics is not None and options.group in metrics:
        raise UsageError(f"--group {options.group} is also among --metric; a column is one or the other")
    job = _job(options, metrics)
    return streaming.stream(options, job, metrics[0] if metrics else "first mean", "--metric")


def _job(options: argparse.Namespace, metrics: list[str] | None) -> Any:
    from ..grouped import GroupedMeans
    from ..runner import Job

    settings = {
        "confidence": options.confidence,
        "anytime": not options.one_look,
        "contaminated": options.contaminated,
    }
    return Job(
        rule=GroupedMeans(of=_rule(options)),
        target=options.group,
        target_kind="group",
        labels=streaming.listed(options.labels),
        features=metrics,
        settings=settings if options.baseline is None else {**settings, "baseline": options.baseline},
        judge=lambda groups: _judge(groups, options),
        **streaming.reading(options),
        **streaming.keeping(options),
    )


def _rule(options: argparse.Namespace) -> Any:
    from ..extremes import Extremes

    try:
        return Extremes(options.extremes, options.gross, options.h)
    except RuleError as error:
        raise UsageError(str(error)) from error


def _judge(groups: Sequence[Any], options: argparse.Namespace) -> None:
    """Refuse groups that no answer could be about, before all rows are read."""
    from ..difference_estimate import find, several

    if len(groups) > 2 and options.baseline is None:
        remedy = f"say which one the others are compared with, for example --baseline {groups[0]}"
        raise DataError(f"{options.group}: {several(groups, remedy)}")
    # Where one group has been seen, the next that comes is the other.
    if len(groups) > 1 and options.baseline is not None:
        find(options.baseline, groups)
