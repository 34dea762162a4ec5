"""`tailproof regress` and `tailproof classify`."""

import argparse
from typing import Any

from . import streaming
from .exits import UsageError


def regress(options: argparse.Namespace) -> int:
    streaming.begin(options)
    from ..losses import Squared

    return _stream(options, lambda features: _solver(options, features, Squared()))


def classify(options: argparse.Namespace) -> int:
    streaming.begin(options)
    from ..losses import Logistic
    from ..one_vs_rest import OneVsRest

    return _stream(
        options,
        lambda features: OneVsRest(of=_solver(options, features, Logistic())),
        target_kind="label",
        labels=streaming.listed(options.labels),
    )


def _solver(options: argparse.Namespace, features: int, loss: Any) -> Any:
    from ..solvers import solver_rule

    return solver_rule(
        options.solver,
        features,
        loss,
        intercept=not options.no_intercept,
        outliers=options.outliers,
        radius=options.radius,
    )


def _stream(options: argparse.Namespace, rule: Any, **of_labels: Any) -> int:
    """`rule` makes the rule once the number of features is known."""
    from ..runner import Job

    if options.solver == "sgd" and options.jobs:
        raise UsageError("--jobs needs --solver gram: what sgd learns depends on the order of the rows")
    job = Job(
        rule=rule,
        target=options.target,
        features=streaming.listed(options.features),
        one_hot=options.one_hot,
        settings={"confidence": options.confidence, "anytime": options.anytime},
        **of_labels,
        **streaming.reading(options),
        **streaming.keeping(options),
    )
    # One column of text becomes several features.
    first = job.features[0] if job.features and not job.one_hot else "first coefficient"
    return streaming.stream(options, job, first, "--features")
