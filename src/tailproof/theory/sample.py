"""How many rows a wanted error asks for: the bound, inverted exactly."""

from collections.abc import Callable
from math import isfinite
from typing import Any

from ..errors import RuleError
from .settings import MOST_ROWS, Settings, epoch, theorem


def sample_size(error: float, of: Callable[..., Settings] = theorem, **stated: Any) -> int:
    """The least N whose bound is at most `error`: of `theorem`, or of the corollary given, for what is stated.

    For the any-time theorem, the first row from which on the bound stays at most `error`.

    >>> sample_size(0.5, tau_l=1.0, tau_u=1.0, beta=20.0, r0=1.0, delta=0.01)
    16586
    """
    if not (error > 0.0 and isfinite(error)):
        raise RuleError(f"the wanted error must be a finite number above 0, not {error}")
    if "N" in stated:
        raise RuleError("sample_size finds N: leave it out")
    whole = of(N=1, **stated)
    if whole.anytime:
        return _from_then_on(whole, error)
    return _first(lambda N: of(N=N, **stated).bound <= error, 1)


def _first(holds: Callable[[int], bool], low: int) -> int:
    """The least whole number from `low` on for which it holds; it must go on holding from there."""
    if holds(low):
        return low
    high = 2 * low
    while not holds(high):
        low, high = high, 2 * high
        if high > MOST_ROWS:
            raise RuleError("no stream is long enough for that error; ask for a larger one")
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if holds(middle) else (middle, high)
    return high


def _from_then_on(made: Settings, error: float) -> int:
    """The first row from which on the bound holds.

    The bound falls within an epoch, and from the first row of an epoch to that of the next; between them it may
    rise.
    """

    def holds(t: int) -> bool:
        return made.error_bound(t) <= error

    def opening(k: int) -> int:
        """The first row of epoch k."""
        t = max(1, int(made.delay * (2.0**k - 1.0)) - 1)
        while epoch(t, made.delay) < k:
            t += 1
        return t

    k = 0
    while not holds(opening(k)):
        k += 1
        if opening(k) > MOST_ROWS // 2:
            raise RuleError("no stream is long enough for that error; ask for a larger one")
    if k == 0:
        return 1
    return min(opening(k), _first(lambda t: t >= opening(k) or holds(t), opening(k - 1)))
