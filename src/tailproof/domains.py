"""Domains: where the estimate must stay. `pull` moves theta to the nearest point of the domain, in place."""

from math import sqrt
from typing import Any

from .errors import RuleError
from .piece import piece


@piece
class Everywhere:
    """No constraint."""

    def pull(self, theta: Any) -> None:
        """Move theta into the domain, in place, by the shortest way."""


@piece
class Ball:
    """Within `radius` of the origin."""

    radius: float

    def check(self) -> None:
        """Refuse settings that make no sense."""
        if not self.radius > 0.0:
            raise RuleError(f"Ball needs a radius above 0, not {self.radius}")

    def pull(self, theta: Any) -> None:
        """Move theta into the domain, in place, by the shortest way."""
        # Lengths in units of the longest coordinate, so that no square overflows.
        longest = 0.0
        for j in range(theta.shape[0]):
            if abs(theta[j]) > longest:
                longest = abs(theta[j])
        total = 0.0
        if longest > 0.0:
            for j in range(theta.shape[0]):
                total += (theta[j] / longest) * (theta[j] / longest)
        # A hair of slack makes a second projection leave the first one's result alone.
        if longest * sqrt(total) > self.radius * (1.0 + 1e-15 * (8.0 + theta.shape[0])):
            shrink = self.radius / (longest * sqrt(total))
            for j in range(theta.shape[0]):
                theta[j] *= shrink


@piece
class Box:
    """Every coordinate between `low` and `high`."""

    low: float
    high: float

    def check(self) -> None:
        """Refuse settings that make no sense."""
        if not self.low <= self.high:
            raise RuleError(f"Box needs low <= high, not {self.low} and {self.high}")

    def pull(self, theta: Any) -> None:
        """Move theta into the domain, in place, by the shortest way."""
        for j in range(theta.shape[0]):
            if theta[j] < self.low:
                theta[j] = self.low
            elif theta[j] > self.high:
                theta[j] = self.high
