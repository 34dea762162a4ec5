"""Estimates of several targets: what a rule says of each, as one immutable record for people."""

from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .regression import RegressionEstimate, SideBySide

Numbers = NDArray[np.float64]


class TargetsEstimate(SideBySide):
    """Coefficients of several targets. Every array has a row for each target."""

    rule: str
    rows: int
    refused: int
    bare: list[RegressionEstimate]  # the estimates of the targets as they were read
    targets: list[str] | None = None
    names: list[str] | None = None
    confidence: float = 0.95
    anytime: bool = False

    @cached_property
    def outputs(self) -> list[RegressionEstimate]:
        """The estimate of each target, all of them named."""
        named = {name: getattr(self, name) for name in ("names", "confidence", "anytime")}
        return [part.replace(target=self.title(k), **named) for k, part in enumerate(self.bare)]

    def title(self, k: int) -> str:
        """The name of a target."""
        return self.targets[k] if self.targets else f"y{k}"

    @property
    def has_intercept(self) -> bool:
        return self.bare[0].has_intercept

    @property
    def coef(self) -> Numbers:
        return np.array([part.coef for part in self.bare])

    @property
    def intercept(self) -> Numbers:
        return np.array([part.intercept for part in self.bare])

    @property
    def settled(self) -> bool:
        return all(part.settled for part in self.bare)

    @property
    def warnings(self) -> list[str]:
        """What people should know before they use the coefficients."""
        saying: dict[str, list[str]] = {}
        for k, part in enumerate(self.outputs):
            for words in part.warnings:
                saying.setdefault(words, []).append(self.title(k))
        return [
            words if len(titles) == len(self.bare) else f"{', '.join(titles)}: {words}"
            for words, titles in saying.items()
        ]

    def to_dict(self) -> dict[str, Any]:
        """The estimate as plain values; what is not a number is None."""
        return {
            "rows": self.rows,
            "refused": self.refused,
            "rule": self.rule,
            "confidence": self.confidence,
            "targets": [part.to_dict() for part in self.outputs],
        }

    def __repr__(self) -> str:
        return "\n".join(f"{part.target}: {part!r}" for part in self.outputs)
