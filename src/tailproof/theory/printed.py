"""The printed proof by its numbers: its sum, what its lost factors cost, and where its statement is false."""

from math import sqrt
from typing import NamedTuple

from ..errors import RuleError
from .constants import crossing
from .settings import Settings, theorem

# The constant of the induction as printed.
C = 5000.0


def printed_terms(C: float = C, fifth: float = 1.0) -> tuple[float, ...]:
    """The six terms of the printed induction step, over A; its fifth is rounded up from 3/4 sqrt(C) to sqrt(C)."""
    root = sqrt(C)
    return (
        1.0,
        20.0 * root + 2.0 * C**0.75,
        8.0 * root + C / 6.0,
        236.0 + 30.0 * sqrt(root),
        36.0 + fifth * root,
        64.0 + C / 36.0,
    )


class Repaired(NamedTuple):
    """What the printed proof gives once its unwinding keeps the factor 2 that it loses."""

    C: float
    factor: float  # of the bound, where 100 is printed
    delay: float  # of kappa L, where 144 is printed


def repaired(fifth: float = 1.0) -> Repaired:
    """The printed proof with every term but the first doubled; `fifth` is 0.75 for its fifth term before rounding.

    >>> [round(value) for value in repaired(fifth=0.75)]
    [39562, 281, 398]
    """
    least = crossing(lambda C: 2.0 * sum(printed_terms(C, fifth)) - 1.0)
    return Repaired(least, sqrt(2.0 * least), 2.0 * sqrt(least))


class Counterexample(NamedTuple):
    """A run without noise that ends farther from theta* than the printed bound."""

    error: float
    bound: float
    settings: Settings


def counterexample(push: float = 1e4, N: int = 1_000_000, delta: float = 0.05) -> Counterexample:
    """Theorem 1 is false as printed, where theta* minimises the risk only within the domain.

    The half plane x >= 0, the loss ((x + push)^2 + y^2)/2, the start (0, 1): every gradient is nearly (push, y), longer
    than the level, so that y shrinks far too slowly. The edge keeps x at 0.
    """
    if not push > 0.0:
        raise RuleError(f"push must be above 0, not {push}")
    printed = theorem(tau_l=1.0, tau_u=1.0, beta=0.0, r0=1.0, N=N, delta=delta, constants="paper")
    y, delay, level = 1.0, printed.delay, printed.level
    for t in range(1, printed.N + 1):
        y -= y * min(1.0, level / sqrt(push * push + y * y)) / (t + delay)
    return Counterexample(y, printed.bound, printed)
