"""Experiments: do groups in one stream differ? The answer may be looked at any time.

>>> from tailproof.experiment import MeanDifference
>>> test = MeanDifference().partial_fit([3.0, 4.0, 8.0, 9.0] * 100, ["a", "a", "b", "b"] * 100)
>>> low, high = test.interval()
>>> bool(low[0] > 0.0)
True
"""

from .difference_estimate import Comparison, DifferenceEstimate
from .grouped import GroupedMeans
from .models.difference import MeanDifference

__all__ = ["Comparison", "DifferenceEstimate", "GroupedMeans", "MeanDifference"]
