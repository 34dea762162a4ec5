"""theory: what the theorems prescribe and promise, from what is supposed known of the problem.

>>> from tailproof import theory
>>> made = theory.mean(trace=20.0, r0=1.0, N=10_000, delta=0.01)
>>> round(made.level, 1), round(made.bound, 2), made.vacuous
(195.3, 0.64, False)
>>> theory.mean(trace=20.0, r0=1.0, N=10_000, delta=0.01, constants="paper").vacuous
False
"""

from .constants import ANYTIME, EDGE, PAPER, SHARP, Constants, Solution, band, collected, solve
from .corollaries import Spectrum, bounded_noise, fourth_moment, linear, logistic, mean, spectrum
from .pilot import buckets, median_of_means_bound, pilot_size
from .printed import Counterexample, Repaired, counterexample, printed_terms, repaired
from .results import RESULTS, Result, results
from .sample import sample_size
from .settings import Settings, any_time_logarithm, logarithm, theorem
from .table1 import Aim, Row, aim, table1
from .table1_text import table1_text

__all__ = [
    "ANYTIME",
    "EDGE",
    "PAPER",
    "RESULTS",
    "SHARP",
    "Aim",
    "Constants",
    "Counterexample",
    "Repaired",
    "Result",
    "Row",
    "Settings",
    "Solution",
    "Spectrum",
    "aim",
    "any_time_logarithm",
    "band",
    "bounded_noise",
    "buckets",
    "collected",
    "counterexample",
    "fourth_moment",
    "linear",
    "logarithm",
    "logistic",
    "mean",
    "median_of_means_bound",
    "pilot_size",
    "printed_terms",
    "repaired",
    "results",
    "sample_size",
    "solve",
    "spectrum",
    "table1",
    "table1_text",
    "theorem",
]
