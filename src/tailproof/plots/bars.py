"""Bars: what is drawn of one mean or coefficient."""

from statistics import NormalDist
from typing import NamedTuple


class Bar(NamedTuple):
    """A robust estimate with its interval, and the plain one with the interval of the textbook."""

    name: str
    centre: float
    low: float
    high: float
    plain: float  # NaN where the rule does not keep what it takes
    plain_error: float  # its standard error, NaN where that is not known

    def plain_ends(self, confidence: float) -> tuple[float, float]:
        """The textbook's interval: so many standard errors to both sides, as if the tail were light."""
        width = NormalDist().inv_cdf(0.5 + confidence / 2.0) * self.plain_error
        return self.plain - width, self.plain + width
