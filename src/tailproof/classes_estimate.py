"""Estimates of classifications: what a rule says of labels, as immutable records for people."""

from functools import cached_property
from math import log
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .intervals import Spread
from .plots import Bar, IntervalDisplay
from .regression import RegressionEstimate, SideBySide

Numbers = NDArray[np.float64]

# What stands for the second of two labels until it comes.
NOT_SEEN = "(not seen yet)"
# Rows of a label, and of all others, for each coefficient, from which on its error bars hold.
SETTLED = 3


class ClassesEstimate(SideBySide):
    """The log-odds of labels: with two, one part, that of the second against the first; else a part for each label,
    against all others.

    Every array has a row for each part. While a label has not been seen, or only that one has, its coefficients are 0
    and its intercept is what the counts alone tell.
    """

    rule: str
    rows: int
    refused: int
    tally: NDArray[np.int64]  # rows of each label
    bare: list[RegressionEstimate]  # the parts as they were read
    labels: list[Any] | None = None
    names: list[str] | None = None
    target: str | None = None
    confidence: float = 0.95
    anytime: bool = False

    @cached_property
    def parts(self) -> list[RegressionEstimate]:
        """The estimate of each part, the features named."""
        named = {name: getattr(self, name) for name in ("names", "target", "confidence", "anytime")}
        return [part.replace(**named) for part in self.bare]

    @property
    def has_intercept(self) -> bool:
        """Whether there is a constant."""
        return self.bare[0].has_intercept

    @property
    def coef(self) -> Numbers:
        """The coefficients of the features, a row a part."""
        return np.array([part.coef for part in self.bare])

    @property
    def intercept(self) -> Numbers:
        """One for each part; 0 where the rule has none, but for labels that the counts alone tell."""
        return np.array([part.intercept if self._told(k) else self._counted(k) for k, part in enumerate(self.bare)])

    def _counted(self, k: int) -> float:
        ones = int(self.tally[self.class_of(k)])
        return count_odds(ones, self.rows - ones) if self.rows else float("nan")

    def _told(self, k: int) -> bool:
        return self._fewest(k) > 0

    def _fewest(self, k: int) -> int:
        """Rows of the part's label, or of all others if these are fewer."""
        ones = int(self.tally[self.class_of(k)])
        return min(ones, self.rows - ones)

    def class_of(self, k: int) -> int:
        """The number of the class whose log-odds part k tells."""
        return 1 if len(self.tally) == 2 else k

    @property
    def low(self) -> Numbers:
        """The low end of each interval, the intercept's last."""
        return self.interval(anytime=self.anytime)[0]

    @property
    def high(self) -> Numbers:
        """The high end of each interval, the intercept's last."""
        return self.interval(anytime=self.anytime)[1]

    def label(self, number: int) -> Any:
        """The label of a class; its number where labels are not known, None where it is yet to come."""
        if self.labels is None:
            return number
        return self.labels[number] if number < len(self.labels) else None

    def title(self, k: int) -> str:
        """What part k tells apart, in words."""
        rest = _shown(self.label(0)) if len(self.tally) == 2 else "all others"
        return f"{_shown(self.label(self.class_of(k)))} against {rest}"

    @property
    def settled(self) -> bool:
        """Whether there are rows enough of each label for the error bars to hold."""
        return all(self.settled_of(k) for k in range(len(self.bare)))

    def settled_of(self, k: int) -> bool:
        """Whether there are rows enough for part k."""
        part = self.bare[k]
        return part.settled and self._fewest(k) >= SETTLED * len(part.spread.centre)

    @property
    def verdict(self) -> str:
        """What to think of maximum likelihood here, in words: the first that is no praise of it, else that."""
        if self.rows == 0:
            return "no rows"
        said = [self.verdict_of(k) for k in range(len(self.bare))]
        if len(said) == 1 or len(set(said)) == 1:
            return said[0]
        k = next((k for k, words in enumerate(said) if not words.startswith("light tail")), 0)
        return f"{self.title(k)}: {said[k]}"

    def verdict_of(self, k: int) -> str:
        """What to think of maximum likelihood for part k."""
        return self.parts[k].replace(settled=self.settled_of(k)).verdict

    rival = "maximum likelihood"

    def bars(self) -> list[Bar]:
        """What a picture shows of each coefficient; with more than two labels, of each label's."""
        several = len(self.parts) > 1
        return [
            bar._replace(name=f"{_shown(self.label(self.class_of(k)))}: {bar.name}") if several else bar
            for k, part in enumerate(self.parts)
            for bar in part.bars()
        ]

    def plot(self, ax: Any = None, columns: Any = None) -> IntervalDisplay:
        """Draw the intervals beside those of maximum likelihood, on `ax` or a new figure; needs the extra 'plot'."""
        return IntervalDisplay.from_estimate(self).plot(ax, columns)

    @property
    def warnings(self) -> list[str]:
        """What people should know before they use the coefficients."""
        if self.rows == 0:
            return []
        saying: dict[str, list[int]] = {}
        for k, part in enumerate(self.parts):
            for words in part.warnings:
                saying.setdefault(words, []).append(k)
        return [*self._of_labels(), *(self._about(parts, words) for words, parts in saying.items())]

    def _about(self, parts: list[int], words: str) -> str:
        """A warning, and which parts it is about where it is not all."""
        if len(parts) == len(self.bare):
            return words
        listed = ", ".join(_shown(self.label(k)) for k in parts[:8])
        more = f" and {len(parts) - 8} more" if len(parts) > 8 else ""
        return f"{listed}{more} against all others: {words}"

    def _of_labels(self) -> list[str]:
        seen, missing = np.flatnonzero(self.tally), np.flatnonzero(self.tally == 0)
        named = [_shown(self.label(int(number))) for number in missing if self.label(int(number)) is not None]
        more = f" and {len(named) - 8} more" if len(named) > 8 else ""
        unseen = [f"no row so far has the label {', '.join(named[:8])}{more}"] if named else []
        if len(seen) > 1:
            return unseen
        only = _shown(self.label(int(seen[0])))
        return [f"only the label {only} has been seen so far, so every prediction is {only}", *unseen]

    def to_dict(self) -> dict[str, Any]:
        """The estimate as plain values; what is not a number is None."""
        return {
            "rows": self.rows,
            "refused": self.refused,
            "rule": self.rule,
            "confidence": self.confidence,
            "target": self.target,
            "set_aside": max(part.set_aside for part in self.parts),
            "share_clipped": max(part.share_clipped for part in self.parts),
            "settled": self.settled,
            "verdict": self.verdict,
            "warnings": self.warnings,
            "classes": [
                {"label": _plain(self.label(number)), "rows": int(rows)} for number, rows in enumerate(self.tally)
            ],
            "parts": [self._of_part(k) for k in range(len(self.parts))],
            "terms": [
                {**self._sides(k), **term} for k, part in enumerate(self.parts) for term in part.to_dict()["terms"]
            ],
        }

    def _sides(self, k: int) -> dict[str, Any]:
        """What part k tells apart; the other side is None for all other classes."""
        return {
            "class": _plain(self.label(self.class_of(k))),
            "against": _plain(self.label(0)) if len(self.tally) == 2 else None,
        }

    def _of_part(self, k: int) -> dict[str, Any]:
        part = self.parts[k]
        return {
            **self._sides(k),
            "settled": self.settled_of(k),
            "verdict": self.verdict_of(k),
            "set_aside": part.set_aside,
            "share_clipped": part.share_clipped,
        }

    def __repr__(self) -> str:
        lines = [f"{self.rows:,} rows, {self.refused:,} refused, {100 * self.confidence:g} % intervals; {self.verdict}"]
        for k, part in list(enumerate(self.parts))[:20]:
            lines.append(f"log-odds of {self.title(k)}:")
            lines += [
                f"  {term.name}: {term.coefficient:.6g} in [{term.low:.6g}, {term.high:.6g}]"
                for term in part.terms[:20]
            ]
            if len(part.terms) > 20:
                lines.append(f"  ... and {len(part.terms) - 20:,} more terms")
        if len(self.parts) > 20:
            lines.append(f"... and {len(self.parts) - 20:,} more labels")
        return "\n".join([*lines, *self.warnings])


def one_sided(said: RegressionEstimate, ones: int) -> RegressionEstimate:
    """All rows have one label, which says nothing of the features; the intercept is what the count alone tells."""
    nothing = np.zeros_like(said.spread.centre)
    endless = np.full_like(nothing, np.inf)
    centre = np.zeros_like(nothing)
    if said.has_intercept:
        centre[-1] = count_odds(ones, said.rows - ones)
    spread = Spread(centre, endless, *[nothing] * 5)
    unsaid = {
        "least_squares": None,
        "least_squares_error": None,
        "settled": False,
        "separable": False,
        "constant_target": False,
    }
    return said.replace(spread=spread, certificate=endless, redundant=(), unheard=(), **unsaid)


def count_odds(ones: int, others: int) -> float:
    """The log-odds that counts alone tell, with half a row of each added."""
    return log((ones + 0.5) / (others + 0.5))


def _shown(label: Any) -> str:
    return NOT_SEEN if label is None else str(label)


def _plain(label: Any) -> Any:
    value = label.item() if isinstance(label, np.generic) else label
    return value if value is None or isinstance(value, str | bool | int | float) else str(value)
