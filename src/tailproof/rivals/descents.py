"""The descents that are raced: for plain and for clipped ones some steps, and for these some levels."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..racing import STILL

# Levels in units of scale sqrt(p (t + delay)), the paper's c; most of its grid lies between the first and the last.
LEVELS = (0.03, 0.1, 0.3, 1.0)
# Gain and delay of gain/(t + delay), the delay in units of the terms: first steps of 1/p and of 1/(10 p) each, for
# columns that are not correlated (gain 1) and that are.
STEPS = ((1.0, 1.0), (1.0, 10.0), (8.0, 8.0), (8.0, 80.0))


def candidates(terms: int) -> NDArray[np.float64]:
    """Gain, delay and level of each candidate: blanks for those that do not descend, then plain ones, then clipped."""
    levels = (float("inf"), *(level * terms**0.5 for level in LEVELS))
    grid = [(gain, delay * terms, level) for level in levels for gain, delay in STEPS]
    return np.array([(0.0, 1.0, 0.0)] * STILL + grid)


def ahead(scores: Any, lost: Any) -> tuple[int, int]:
    """The plain and the clipped candidate with the least recent error."""
    known = np.where(lost[: len(scores)] > 0, np.inf, scores)
    plain = STILL + len(STEPS)
    return STILL + int(np.argmin(known[STILL:plain])), plain + int(np.argmin(known[plain:]))


def settings(candidate: Any, terms: int) -> dict[str, float]:
    """What a candidate is, for people."""
    gain, delay, level = (float(value) for value in candidate)
    steps = {"gain": gain, "delay": delay}
    return steps if level == float("inf") else {**steps, "level": level / terms**0.5}
