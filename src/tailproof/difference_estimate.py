"""Estimates of differences: what a rule says of groups in one stream, as immutable records for people."""

from collections.abc import Sequence
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from .errors import RuleError
from .estimate import MeanEstimate
from .estimator import Estimate, plain
from .intervals import difference, fewest

Numbers = NDArray[np.float64]

SHOWN = 12


class Comparison(NamedTuple):
    """One group beside the baseline, in one metric."""

    metric: str
    group: Any
    baseline: Any
    rows: int
    baseline_rows: int
    mean: float
    baseline_mean: float
    difference: float
    low: float
    high: float
    lift: float | None  # the difference over the size of the baseline's mean; None where that may be 0
    plain_difference: float
    set_aside: int  # rows of the group that are left out as gross
    baseline_set_aside: int
    verdict: str


class DifferenceEstimate(Estimate):
    """The means of several groups, and how far each group's is from that of the baseline.

    With two groups there is one difference a metric, that of the second against the first unless a baseline is named;
    with more, the baseline must be named, and there is a row of differences for each other group.
    """

    rule: str
    rows: int
    refused: int
    parts: list[MeanEstimate]  # one a group
    labels: list[Any] | None = None
    names: list[str] | None = None
    target: str | None = None
    baseline: Any = None
    confidence: float = 0.95
    anytime: bool = True
    contaminated: bool = False

    @property
    def mean(self) -> Numbers:
        """The robust means, a row a group; NaN where a group has no rows."""
        return np.array([part.mean for part in self.parts])

    @cached_property
    def base(self) -> int:
        """The number of the group that the others are compared with."""
        if self.baseline is not None:
            return find(self.baseline, self.groups)
        if self._baseless:
            raise RuleError(self._baseless)
        return 0

    @property
    def _baseless(self) -> str:
        """Why nothing can be compared yet, if nothing can."""
        if self.baseline is not None or len(self.parts) <= 2:
            return ""
        return several(self.groups, "name the one that the others are compared with: baseline=...")

    @property
    def groups(self) -> list[Any]:
        """The labels of the groups; their numbers where labels are not known, None for one that is yet to come."""
        if self.labels is None:
            return list(range(len(self.parts)))
        return [*self.labels, *[None] * (len(self.parts) - len(self.labels))]

    @property
    def others(self) -> list[int]:
        """The numbers of the groups that are compared with the baseline."""
        return [k for k in range(len(self.parts)) if k != self.base]

    @property
    def difference(self) -> Numbers:
        """The mean of each other group less that of the baseline: a value a metric, or with more than two groups a
        row a group."""
        return self._shaped([self.mean[k] - self.mean[self.base] for k in self.others])

    @property
    def plain_difference(self) -> Numbers:
        """The same of the plain means, gross values and all."""
        means = [part.plain_mean for part in self.parts]
        return self._shaped([means[k] - means[self.base] for k in self.others])

    def interval(
        self, confidence: float | None = None, anytime: bool = True, contaminated: bool = False
    ) -> tuple[Numbers, Numbers]:
        """The low and the high end of each difference, in the shape of `difference`; endless while a group has too
        few rows.

        anytime: holds at every look at once, so that one may stop when one likes; otherwise at one look, whose number
        of rows was chosen before. contaminated: what was set aside does not belong to the law.
        """
        ends = [self._ends(k, confidence, anytime, contaminated) for k in self.others]
        return self._shaped([low for low, _ in ends]), self._shaped([high for _, high in ends])

    def _ends(self, k: int, confidence: float | None, anytime: bool, contaminated: bool) -> tuple[Numbers, Numbers]:
        one, other = self.parts[self.base], self.parts[k]
        level = self.confidence if confidence is None else confidence
        return difference(one.spread, one.rows, other.spread, other.rows, level, anytime, contaminated)

    def _shaped(self, rows: Sequence[Numbers]) -> Numbers:
        return rows[0] if len(self.parts) == 2 else np.array(rows)

    # -------------------------------------------------------------------------------------------- line by line

    @cached_property
    def comparisons(self) -> list[Comparison]:
        """A record for each metric and each other group."""
        ends = {k: self._ends(k, None, self.anytime, self.contaminated) for k in self.others}
        metrics = range(len(self.parts[0].mean))
        return [self._compared(j, k, float(ends[k][0][j]), float(ends[k][1][j])) for j in metrics for k in self.others]

    def _compared(self, j: int, k: int, low: float, high: float) -> Comparison:
        one, other = self.parts[self.base], self.parts[k]
        apart = float(other.mean[j] - one.mean[j])
        return Comparison(
            metric=self.names[j] if self.names else f"x{j}",
            group=self.groups[k],
            baseline=self.groups[self.base],
            rows=other.rows,
            baseline_rows=one.rows,
            mean=float(other.mean[j]),
            baseline_mean=float(one.mean[j]),
            difference=apart,
            low=low,
            high=high,
            lift=self._lift(apart, j),
            plain_difference=float(other.plain_mean[j] - one.plain_mean[j]),
            set_aside=int(other.set_aside[j]),
            baseline_set_aside=int(one.set_aside[j]),
            verdict=self._verdict(j, k, low, high),
        )

    def _lift(self, apart: float, j: int) -> float | None:
        """A share of what may be nothing says nothing."""
        one = self.parts[self.base]
        low, high = one.interval(self.confidence, self.anytime, self.contaminated)
        return apart / abs(float(one.mean[j])) if low[j] > 0.0 or high[j] < 0.0 else None

    def _verdict(self, j: int, k: int, low: float, high: float) -> str:
        """Whether the groups differ, in words."""
        short = min((self.base, k), key=lambda group: self.parts[group].rows)
        if self.parts[short].rows < fewest(self.anytime):
            return self._too_few(short)
        name, base = self.name(k), self.name(self.base)
        said = "no difference shown yet" if self.anytime else "no difference shown"
        if low > 0.0 or high < 0.0:
            said = f"{name} is {'higher' if low > 0.0 else 'lower'} than {base}"
        gross = [(int(self.parts[group].set_aside[j]), self.name(group)) for group in (self.base, k)]
        left_out = " and ".join(f"{count:,} of {group}" for count, group in gross if count)
        return said + (f"; rows set aside as gross: {left_out}" if left_out else "")

    def _too_few(self, k: int) -> str:
        needed, rows = fewest(self.anytime), self.parts[k].rows
        if self.groups[k] is None:
            return "one group only: no other has been seen yet"
        return f"too few rows: {self.name(k)} has {rows:,}, and each group needs {needed}"

    def name(self, k: int) -> str:
        """What group k is called, in words."""
        return f"{self.target or 'group'} {self.groups[k]}"

    def to_dict(self) -> dict[str, Any]:
        """The estimate as plain values; what is not a number is None."""
        return {
            "rows": self.rows,
            "refused": self.refused,
            "rule": self.rule,
            "confidence": self.confidence,
            "anytime": self.anytime,
            "group": self.target,
            "baseline": self.groups[self.base],
            "groups": [{"group": self.groups[k], "rows": part.rows} for k, part in enumerate(self.parts)],
            "comparisons": [{name: plain(value) for name, value in one._asdict().items()} for one in self.comparisons],
        }

    def __repr__(self) -> str:
        counted = ", ".join(f"{part.rows:,} of {self.name(k)}" for k, part in enumerate(self.parts[:SHOWN]))
        kind = "any-time" if self.anytime else "one-look"
        lines = [f"{counted} rows, {self.refused:,} refused, {100 * self.confidence:g} % {kind} intervals"]
        if self._baseless:
            return "\n".join([*lines, self._baseless])
        lines += [
            f"{one.metric}: {one.group} less {one.baseline} {one.difference:.6g} in [{one.low:.6g}, {one.high:.6g}], "
            f"plain difference {one.plain_difference:.6g}; {one.verdict}"
            for one in self.comparisons[:20]
        ]
        if len(self.comparisons) > 20:
            lines.append(f"... and {len(self.comparisons) - 20:,} more differences")
        return "\n".join(lines)


def find(label: Any, groups: Sequence[Any]) -> int:
    """The number of the group of that label; a text may stand for a number or a truth value."""
    exact = [k for k, group in enumerate(groups) if type(group) is type(label) and group == label]
    known = [(k, group) for k, group in enumerate(groups) if group is not None]
    alike = [k for k, group in known if str(group).lower() == str(label).lower()]
    if not (exact or alike):
        raise RuleError(f"the baseline {str(label)!r} is none of the groups, which are {shown(groups)}")
    return (exact or alike)[0]


def several(groups: Sequence[Any], remedy: str) -> str:
    """That there are more than two groups, and what helps."""
    return f"there are {len(groups)} groups, {shown(groups)}: {remedy}"


def shown(groups: Sequence[Any]) -> str:
    """Groups in a sentence, the first dozen by name."""
    named = [repr(group if len(str(group)) <= 40 else str(group)[:40] + "...") for group in groups if group is not None]
    more = len(named) - SHOWN
    return ", ".join(named[:SHOWN]) + (f" and {more} more" if more > 0 else "")
