"""Solvers: which rule takes a regression on. Gram remembers products of features, TunedSGD only the features."""

from typing import Any

from .domains import Ball, Everywhere
from .errors import RuleError
from .gram import Gram
from .tuned import TunedSGD

SOLVERS = ("auto", "gram", "sgd")
# Beyond so many features their products are too many: 8 MB for a matrix of them, and there are several.
MOST_FEATURES = 1000


def solver_rule(
    solver: str,
    features: int,
    loss: Any,
    intercept: bool = True,
    outliers: str = "auto",
    radius: float | None = None,
) -> Any:
    """The rule for that many features. TunedSGD never leaves a row out, so `outliers` says nothing to it."""
    if solver not in SOLVERS:
        raise RuleError(f'solver must be "auto", "gram" or "sgd", not {solver!r}')
    if outliers not in ("auto", "keep"):
        raise RuleError(f'outliers must be "auto" or "keep", not {outliers!r}')
    domain = Everywhere() if radius is None else Ball(float(radius))
    if solver == "gram" or (solver == "auto" and features <= MOST_FEATURES):
        return Gram(loss=loss, intercept=intercept, outliers=outliers, domain=domain)
    return TunedSGD(loss=loss, intercept=intercept, domain=domain)


def solver_of(rule: Any) -> str:
    """What the rule of a regression, or of one a class, is called; "" for other rules."""
    rule = getattr(rule, "of", rule)
    return "gram" if isinstance(rule, Gram) else "sgd" if isinstance(rule, TunedSGD) else ""
