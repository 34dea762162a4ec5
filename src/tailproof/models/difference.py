"""MeanDifference: how far the means of groups in one stream are from each other."""

from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..categories import MOST_GROUPS
from ..checkpoint import Saved
from ..difference_estimate import DifferenceEstimate, shown
from ..errors import DataError
from ..estimator import same_rule
from ..extremes import Extremes
from ..grouped import GroupedMeans
from .labels import Labels, as_labels, distinct, for_a_file, from_a_file, numbers_of, together
from .model import Model

Numbers = NDArray[np.float64]


class MeanDifference(Model):
    """How far the mean of each metric in one group is from that in another, with intervals that may be looked at
    any time: peeking keeps the error rate.

    Each row is of one group, which a label says: text, whole numbers or truth values. Rows with NaN or inf, or whose
    label is missing, are refused whole and counted. The intervals suppose that rows are independent of each other:
    one row for each user, not one for each click.

    baseline: the label of the group that the others are compared with; None is the first of two in `groups_`. With
        more than two groups it must be named before anything is asked.
    extremes, gross, h: how each mean is taken, as in `Mean`.
    confidence: of the intervals.

    >>> from tailproof.experiment import MeanDifference
    >>> test = MeanDifference()
    >>> for _ in range(100):
    ...     test = test.partial_fit([1.0, 2.0, 4.0, 5.0], ["a", "a", "b", "b"])
    >>> test.estimate().comparisons[0].verdict
    'group b is higher than group a'
    """

    groups_: Labels

    def __init__(
        self,
        *,
        baseline: Any = None,
        extremes: int = 24,
        gross: str = "set-aside",
        h: float = 4.0,
        confidence: float = 0.95,
    ) -> None:
        self.baseline = baseline
        self.extremes = extremes
        self.gross = gross
        self.h = h
        self.confidence = confidence

    def fit(self, metrics: Any, groups: ArrayLike | str) -> Self:
        """Forget what was seen and take the rows of the metrics and their groups in."""
        self._forget()
        return self.partial_fit(metrics, groups)

    def partial_fit(self, metrics: Any, groups: ArrayLike | str) -> Self:
        """Take more rows in. The same rows in any pieces give the same answer, to the bit.

        metrics: a number a row, or a column a metric. groups: a label a row, or the name of a column where the metrics
            are a frame or a stream; new labels may come at any time.
        """
        first = not hasattr(self, "state_")
        if first:
            name = groups if isinstance(groups, str) else getattr(groups, "name", None)
            self.target_name_ = name if isinstance(name, str) else None
        self._absorb(_table(metrics), first, self._take_groups, None, groups=groups)
        return self

    def _beside(self, targets: Any, rows: int) -> Labels:
        return as_labels(targets, rows)

    def _take_groups(self, rows: Any, labels: Labels) -> None:
        first = not hasattr(self, "state_")
        known = np.array([]) if first else self.groups_
        numbers = numbers_of(labels, known)
        if (numbers < 0.0).any():
            known = _few(together(known, distinct(labels)) if len(known) else distinct(labels))
            numbers = numbers_of(labels, known)
        if first:
            rule = GroupedMeans(of=Extremes(self.extremes, self.gross, float(self.h)))
            self._know(rule, rule.init(rows.shape[1]))
            self.groups_ = known[:0]
        self._grow(known)
        self._step(rows, numbers)

    def _grow(self, known: Labels) -> None:
        """Know these groups, too."""
        before = self.groups_.tolist()
        if known.tolist() != before:
            places = [known.tolist().index(label) for label in before]
            self._know(*self.rule_.moved(self.state_, places, max(2, len(known))))
            self.groups_ = known

    # ------------------------------------------------------------------------------------------ what is said

    def estimate(self) -> DifferenceEstimate:
        """Means of the groups, differences, intervals and verdicts, as one record."""
        said: DifferenceEstimate = self._said()
        return said.replace(labels=self.groups_.tolist(), target=self.target_name_, baseline=self.baseline)

    def interval(
        self, confidence: float | None = None, anytime: bool = True, contaminated: bool = False
    ) -> tuple[Numbers, Numbers]:
        """The low and the high end of each difference, in the shape of `difference_`.

        anytime: holds at every look at once, so that one may stop when one likes; otherwise at one look, at a number
        of rows that was fixed before. contaminated: what was set aside does not belong to the law, so the interval
        need not reach out to it.
        """
        return self.estimate().interval(confidence, anytime, contaminated)

    @property
    def difference_(self) -> Numbers:
        """The mean of the other group less that of the baseline, a value a metric; with more groups a row for each."""
        return self.estimate().difference

    @property
    def mean_(self) -> Numbers:
        """The robust means, a row a group in the order of `groups_`."""
        return self.estimate().mean[: len(self.groups_)]

    # ------------------------------------------------------------------------------------------ together and apart

    def _merge(self, other: "MeanDifference") -> None:
        same_rule(self.rule_.of, other.rule_.of)
        both = _few(together(self.groups_, other.groups_))
        places = [both.tolist().index(label) for label in other.groups_.tolist()]
        _, theirs = other.rule_.moved(other.state_, places, max(2, len(both)))
        self._grow(both)
        self._know(self.rule_, self.rule_.merge(self.state_, theirs))

    def _settings(self) -> dict[str, Any]:
        more = {"labels": for_a_file(self.groups_) or None, "baseline": self.baseline, "target": self.target_name_}
        if isinstance(self.baseline, np.generic):
            more["baseline"] = self.baseline.item()
        return super()._settings() | {name: value for name, value in more.items() if value is not None}

    def _resume(self, saved: Saved) -> Self:
        unnamed = range(saved.rule.groups) if saved.state.counts.any() else []
        self.groups_ = from_a_file(saved.settings.get("labels", unnamed))
        self.target_name_ = saved.settings.get("target")
        self.baseline = saved.settings.get("baseline")
        return super()._resume(saved)

    @classmethod
    def _of(cls, saved: Saved) -> "MeanDifference | None":
        """The model whose rule this is, if there is one."""
        if not isinstance(saved.rule, GroupedMeans):
            return None
        of = saved.rule.of
        return cls(extremes=of.extremes, gross=of.gross, h=of.h)._resume(saved)


def _table(metrics: Any) -> Any:
    """One metric as a table of one column, which keeps its name."""
    if getattr(metrics, "ndim", 0) == 1 and hasattr(metrics, "to_frame"):
        return metrics.to_frame()
    if hasattr(metrics, "columns"):
        return metrics
    rows = np.asarray(metrics)
    return rows.reshape(-1, 1) if rows.ndim == 1 else rows


def _few(labels: Labels) -> Labels:
    if len(labels) > MOST_GROUPS:
        raise DataError(
            f"there are more than {MOST_GROUPS} groups ({shown(labels[:3].tolist())}, ...): give the column that says "
            "which group a row belongs to"
        )
    return labels
