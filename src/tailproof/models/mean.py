"""Mean: the mean of each column."""

from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from ..checkpoint import Saved
from ..clipped import ClippedSGD
from ..errors import RuleError
from ..estimate import MeanEstimate
from ..extremes import GROUPS, Extremes
from ..levels import SelfTuned
from ..race import Race, race_of_means
from .model import Model

Numbers = NDArray[np.float64]


class Mean(Model):
    """The mean of each column, safe under heavy tails and gross values, with an error bar.

    Nothing has to be known: no length of stream, no scale, no tail, no start. Rows with NaN or inf are refused whole
    and counted.

    method: "sketch" remembers the extremes and the sums of the rest, gives the same answer in any order and merges
        exactly; "clipped-sgd" remembers a few vectors only and depends on the order of the rows;
        "race" is four of those with unlike levels, of which the one speaks that predicts best.
    extremes: values remembered on each side; that many less one gross values do no harm. 16 for less memory.
    gross: "set-aside" leaves out values a gap apart from all others; "keep" never leaves a row out.
    h: how many times gross values must inflate the variance to be set aside. Larger spares real rare jumps.
    whole_vector: also keep what `radius` needs, 16 more floats a column.
    confidence: of the intervals.
    """

    def __init__(
        self,
        *,
        method: str = "sketch",
        extremes: int = 24,
        gross: str = "set-aside",
        h: float = 4.0,
        whole_vector: bool = False,
        confidence: float = 0.95,
    ) -> None:
        self.method = method
        self.extremes = extremes
        self.gross = gross
        self.h = h
        self.whole_vector = whole_vector
        self.confidence = confidence

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Forget what was seen and take the rows of X in.

        X: an array, a frame of any library, or a stream of record batches, which is never held whole.
        sample_weight: how often each row occurs, in whole numbers; 0 leaves it out. The same bits as rows that are
            written so often, and the time they take. A text names the column that holds it.
        """
        self._forget()
        self._absorb(X, True, self._take_rows, sample_weight)
        if sample_weight is not None:
            self._refuse_nothing()
        return self

    def partial_fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Take more rows in."""
        self._absorb(X, not hasattr(self, "state_"), self._take_rows, sample_weight)
        return self

    def _rule(self, columns: int) -> Any:
        return self.rule()

    def rule(self) -> Any:
        """The rule that these settings spell."""
        if self.method == "clipped-sgd":
            return ClippedSGD(level=SelfTuned(), bars=True)
        if self.method == "race":
            return race_of_means()
        if self.method != "sketch":
            raise RuleError(f'method must be "sketch", "clipped-sgd" or "race", not {self.method!r}')
        groups = GROUPS if self.whole_vector else 0
        return Extremes(self.extremes, self.gross, float(self.h), groups)

    def estimate(self) -> MeanEstimate:
        """Means, intervals, plain means and verdicts, as one record."""
        said: MeanEstimate = self._said()
        return said

    def interval(
        self, confidence: float | None = None, anytime: bool = False, contaminated: bool = False
    ) -> tuple[Numbers, Numbers]:
        """The low and the high end for each column.

        anytime: holds at every look at once, so that one may stop when one likes. contaminated: what was clipped or
        set aside does not belong to the law, so the interval need not reach out to it.
        """
        return self.estimate().interval(confidence, anytime, contaminated)

    def radius(self, confidence: float | None = None) -> float:
        """How far the whole vector of means may be from the truth, in Euclidean distance."""
        check_is_fitted(self, "state_")
        if not isinstance(self.rule_, Extremes):
            raise RuleError('the radius of the whole vector needs method="sketch" and whole_vector=True')
        return self.rule_.radius(self.state_, self.confidence if confidence is None else confidence)

    def certificate(self) -> Numbers:
        """How far at most one more row can move each column's mean."""
        check_is_fitted(self, "state_")
        found = self.rule_.certificate(self.state_)
        return np.broadcast_to(np.asarray(found, np.float64), (self.n_features_in_,)).copy()

    @property
    def mean_(self) -> Numbers:
        """The robust mean of each column."""
        return self.estimate().mean

    @property
    def plain_mean_(self) -> Numbers:
        """The plain mean of each column, gross values and all."""
        return self.estimate().plain_mean

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = False
        return tags

    @classmethod
    def _of(cls, saved: Saved) -> "Mean | None":
        """The model whose rule this is, if there is one."""
        rule = saved.rule
        if isinstance(rule, Extremes):
            whole = rule.groups > 0
            model = cls(extremes=rule.extremes, gross=rule.gross, h=rule.h, whole_vector=whole)
            return model._resume(saved)
        if not (isinstance(rule, ClippedSGD | Race) and rule.bars):
            return None
        return cls(method="race" if isinstance(rule, Race) else "clipped-sgd")._resume(saved)
