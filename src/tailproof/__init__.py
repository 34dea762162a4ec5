"""tailproof: statistics on streams whose tails are heavy. One pass, small memory, honest error bars.

>>> import tailproof
>>> model = tailproof.Mean().partial_fit([[1.0], [2.0], [3.0]])
>>> float(model.mean_[0])
2.0
"""

import importlib
from typing import Any

__version__ = "0.1.0"

# Public names and the rooms they live in; each is loaded when it is first asked for.
_HOMES = {
    "Mean": "models",
    "LinearRegression": "models",
    "LogisticRegression": "models",
    "StreamScaler": "models",
    "load": "models",
    "ClippedSGD": "clipped",
    "Extremes": "extremes",
    "Scales": "scales",
    "Gram": "gram",
    "TunedSGD": "tuned",
    "OneVsRest": "one_vs_rest",
    "EachTarget": "each_target",
    "Race": "race",
    "fold": "estimator",
    "Path": "path",
    "StreamDisplay": "plots",
    "IntervalDisplay": "plots",
    "TailDisplay": "plots",
    "PathDisplay": "plots",
    "loss": "losses",
    "Location": "losses",
    "Squared": "losses",
    "Logistic": "losses",
    "Huber": "losses",
    "Fixed": "levels",
    "SelfTuned": "levels",
    "Theorem": "levels",
    "Harmonic": "steps",
    "Polynomial": "steps",
    "Constant": "steps",
    "Everywhere": "domains",
    "Ball": "domains",
    "Box": "domains",
    "parse": "piece",
    "TailproofError": "errors",
    "DataError": "errors",
    "CheckpointError": "errors",
    "RuleError": "errors",
    "PictureError": "errors",
}
_ROOMS = ("losses", "levels", "steps", "domains", "theory", "experiment", "river")

__all__ = [*_HOMES, *_ROOMS]


def __getattr__(name: str) -> Any:
    if name in _HOMES:
        found = getattr(importlib.import_module(f"{__name__}.{_HOMES[name]}"), name)
    elif name in _ROOMS:
        found = importlib.import_module(f"{__name__}.{name}")
    else:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    globals()[name] = found
    return found


def __dir__() -> list[str]:
    return sorted([*globals(), *__all__])
