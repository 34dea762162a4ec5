"""What a race says."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from .estimator import Estimate, plain

Numbers = NDArray[np.float64]


class RaceEstimate(Estimate):
    """Where the candidate stands that is ahead, and how all did."""

    rule: str
    rows: int
    refused: int
    chosen: int  # the number of the candidate that is ahead, from 0
    candidate: str  # and its rule
    theta: Numbers
    thetas: Numbers  # all candidates', a row each
    scores: Numbers  # recent mean losses; where they are paired, how much more than the middle candidate's
    score: str
    share_clipped: float  # of the rows, by the candidate that is ahead
    level: float  # its clipping level for the next row
    certificate: float  # how far at most one more row can move theta, a change of who is ahead included
    note: str = ""

    def to_dict(self) -> dict[str, Any]:
        return {name: plain(value) for name, value in self.__dict__.items()}

    def __repr__(self) -> str:
        shown = np.array2string(self.theta, precision=6, threshold=10)
        return (
            f"theta {shown} after {self.rows:,} rows, {self.refused:,} refused; candidate {self.chosen + 1} of "
            f"{len(self.scores)} is ahead: {self.candidate}, {100 * self.share_clipped:.3g} % clipped; one more row "
            f"moves it by at most {self.certificate:.3g}" + (f"; {self.note}" if self.note else "")
        )
