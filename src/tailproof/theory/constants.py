"""The constants of the theorems: solved from the proof's inequality, and rounded up as the library states them.

The proof shows (t + gamma)^2 |theta_{t+1} - theta*|^2 <= C A by induction. What the induction needs is F(C) <= C, with
F the sum of all its terms over A; the least such C gives the factor sqrt(C) of the bound and the delay.
"""

from collections.abc import Callable
from math import inf, isfinite, sqrt
from typing import NamedTuple

from ..errors import RuleError


class Constants(NamedTuple):
    """error <= factor sqrt(A)/(t + gamma), where gamma is at least offset + per_kappa kappa L and at least
    1 + per_alpha alpha L/tau_l^2.

    `per_alpha` is inf where the constants are for alpha = 0 only.
    """

    factor: float
    per_kappa: float
    per_alpha: float = inf
    offset: float = 0.0

    def delay(self, kappa: float, alpha: float, tau_l: float, L: float) -> float:
        """The least gamma that the proof allows."""
        noise = 1.0 + self.per_alpha * alpha * L / tau_l**2 if alpha > 0.0 else 0.0
        return max(self.offset + self.per_kappa * kappa * L, noise)


# Theorem 1 as printed: 144 max(kappa, 96 alpha/tau_l^2) L + 1.
PAPER = (Constants(100.0, 144.0, 144.0 * 96.0, offset=1.0),)
# The sharp theorem for a known number of rows; for alpha > 0 there are two, and whichever bound is smaller is taken.
SHARP = (Constants(6.26, 12.6), Constants(6.82, 13.7, 187.0), Constants(8.37, 16.8, 71.0))
# The same where theta* lies on the edge of the domain and the risk still pushes outwards there.
EDGE = (Constants(6.26, 25.1), Constants(8.37, 33.5, 71.0))
# The any-time theorem; L is that of the first epoch.
ANYTIME = (Constants(10.7, 21.4), Constants(13.9, 27.8, 193.0))


def collected(
    C: float, c_lo: float = 1.0, c_hi: float = 1.0, rho: float = 0.5, Cq: float = 0.0, L: float = 1.0, h: float = 1.0
) -> float:
    """F(C): what the induction step adds up to, over A.

    The level is within c_lo and c_hi times the theorem's; the risk's gradient is at most rho times the level;
    Cq = C alpha L/(tau_l^2 (gamma - 1)); h is how much A and level^2 may grow within an epoch, 1 if N is known.
    """
    root, noise, reach = sqrt(C), 1.0 + Cq, (1.0 + rho) * c_hi
    start = 1.0
    martingale = 2.0 * h * root * (2.0 * c_hi / 3.0 + sqrt(4.0 * c_hi**2 / 9.0 + 2.0 * noise))
    bias = root * noise / (2.0 * (1.0 - rho) * c_lo)
    squares = noise / L + h / L * (reach**2 / 3.0 + sqrt(reach**4 / 9.0 + 2.0 * reach**2 * noise))
    return start + martingale + bias + squares


class Solution(NamedTuple):
    """The least C with F(C) <= C, not rounded, and what follows from it."""

    C: float
    factor: float  # sqrt(C)
    per_kappa: float  # gamma >= per_kappa kappa L
    per_alpha: float  # gamma >= 1 + per_alpha alpha L/tau_l^2


def solve(
    c_lo: float = 1.0, c_hi: float = 1.0, rho: float = 0.5, Cq: float = 0.0, L: float = 1.0, h: float = 1.0
) -> Solution:
    """The least C with F(C) <= C. F is concave in sqrt(C), so that F crosses C only once.

    >>> round(solve().factor, 3), round(solve(Cq=1.0).factor, 3)
    (6.259, 8.367)
    """
    if not (0.0 < c_lo <= c_hi and isfinite(c_hi)):
        raise RuleError(f"the band needs 0 < c_lo <= c_hi, not {c_lo} and {c_hi}")
    if not (0.0 < rho < 1.0 and Cq >= 0.0 and isfinite(Cq)):
        raise RuleError(f"solve needs rho between 0 and 1 and a finite Cq of at least 0, not {rho} and {Cq}")
    if not (L >= 1.0 and h >= 1.0 and isfinite(h)):
        raise RuleError(f"solve needs L >= 1 (delta < 2/e) and a finite h of at least 1, not {L} and {h}")
    C = crossing(lambda C: collected(C, c_lo, c_hi, rho, Cq, L, h))
    return Solution(C, sqrt(C), sqrt(C) / (rho * c_lo), C / Cq if Cq > 0.0 else inf)


def crossing(F: Callable[[float], float]) -> float:
    """The least C with F(C) <= C from there on, for F(0) > 0 concave in sqrt(C), to the last digit."""
    low, high = 0.0, 1.0
    while F(high) > high:
        low, high = high, 2.0 * high
    while low < (middle := 0.5 * (low + high)) < high:
        low, high = (low, middle) if F(middle) <= middle else (middle, high)
    return high


def band(low: float, high: float, anytime: bool = False) -> Constants:
    """The constants, for alpha = 0, of any predictable level that stays within `low` and `high` times the theorem's.

    If the level stays in the band only with probability 1 - delta', the bound holds with 1 - delta - delta'.
    """
    solved = solve(c_lo=low, c_hi=high, h=2.0 if anytime else 1.0)
    return Constants(solved.factor, solved.per_kappa)
