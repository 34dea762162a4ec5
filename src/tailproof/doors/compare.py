"""`tailproof compare`."""

import argparse
import json
from typing import Any

from . import streaming
from .exits import UsageError


def compare(options: argparse.Namespace) -> int:
    _refuse_contradictions(options)
    streaming.begin(options)
    from ..runner import Stopped, run

    job = _job(options)
    try:
        outcome = run(job, streaming.watcher(options, "first mean" if job.target is None else "first coefficient"))
    except Stopped:
        return streaming.stopped(None)
    said = _said(outcome, options.confidence)
    streaming.refuse_nothing(said, outcome.first_refused, "--columns" if job.target is None else "--features")
    if not options.quiet:
        streaming.notes(outcome, options)
    _show(said, options.json)
    return 0


def _refuse_contradictions(options: argparse.Namespace) -> None:
    if options.target is None and options.features is not None:
        raise UsageError("--features explain a --target: name that too, or the columns of means with --columns")
    if options.target is None and options.one_hot:
        raise UsageError("--one-hot needs a --target: text has no mean")
    if options.features is not None and options.columns is not None:
        raise UsageError("--features and --columns name the same thing here: give one of them")


def _job(options: argparse.Namespace) -> Any:
    from ..compare import Compare
    from ..compare_means import CompareMeans
    from ..losses import Squared
    from ..runner import Job
    from ..solvers import solver_rule

    columns = streaming.listed(options.columns)
    if options.target is None:
        return Job(rule=CompareMeans(), columns=columns, **streaming.reading(options))
    return Job(
        rule=lambda features: Compare(ours=solver_rule("auto", features, Squared())),
        target=options.target,
        features=streaming.listed(options.features) or columns,
        one_hot=options.one_hot,
        **streaming.reading(options),
    )


def _said(outcome: Any, confidence: float) -> Any:
    said = outcome.rule.read(outcome.state)
    told: dict[str, Any] = {"names": outcome.names, "confidence": confidence}
    if outcome.target is None:
        return said.replace(names=outcome.names, places=outcome.places, ours=said.ours.replace(**told))
    ours = said.ours.replace(**told, target=outcome.target)
    return said.replace(names=outcome.names, places=outcome.places, target=outcome.target, ours=ours)


def _show(said: Any, as_json: bool) -> None:
    if as_json:
        print(json.dumps(said.to_dict(), allow_nan=False))
        return
    from .comparison_table import comparison_table, means_table

    print((means_table if hasattr(said, "columns") else comparison_table)(said))
