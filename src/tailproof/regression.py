"""Estimates of regressions: what a rule says of a target, as immutable records for people."""

from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from .categories import OTHER
from .estimator import Estimate, plain
from .intervals import Spread, tail_extended
from .plots import Bar, IntervalDisplay

Numbers = NDArray[np.float64]

# Least squares counts as away from ours from this many standard errors on.
AWAY = 0.5
# With fewer rows a term than this nothing can be said of the tail.
FEW = 5
INTERCEPT = "intercept"


class Term(NamedTuple):
    """One coefficient's line in the table."""

    name: str
    coefficient: float
    low: float
    high: float
    least_squares: float | None  # None where the rule does not keep what it takes
    away: float | None  # how far that is from ours, in standard errors
    certificate: float  # how far at most one more row can move the coefficient


class RegressionEstimate(Estimate):
    """Coefficients with their intervals, beside those of least squares.

    Every array has a value for each feature and, where there is an intercept, one more for it at the end.
    """

    rule: str
    rows: int
    refused: int
    has_intercept: bool
    spread: Spread
    certificate: Numbers
    least_squares: Numbers | None = None  # None: not known to this rule
    least_squares_error: Numbers | None = None  # its standard errors by the textbook
    clipped: int = 0  # rows whose pull is held back
    set_aside: int = 0  # rows that count as gross and are left out, or nearly
    settled: bool = True
    redundant: tuple[int, ...] = ()  # features that are constant or follow from those before them
    unheard: tuple[int, ...] = ()  # features that too few rows say anything about
    constant_target: bool = False
    separable: bool = False  # labels that the features tell all but without error
    log_odds: bool = False
    note: str = ""
    names: list[str] | None = None
    target: str | None = None
    confidence: float = 0.95
    anytime: bool = False

    @property
    def features(self) -> int:
        """How many features there are."""
        return len(self.spread.centre) - self.has_intercept

    @property
    def coef(self) -> Numbers:
        """The coefficients of the features."""
        return self.spread.centre[: self.features]

    @property
    def intercept(self) -> float:
        """The intercept; 0 where there is none."""
        return float(self.spread.centre[-1]) if self.has_intercept else 0.0

    @cached_property
    def _ends(self) -> tuple[Numbers, Numbers]:
        return self.interval(self.confidence, self.anytime)

    @property
    def low(self) -> Numbers:
        """The low end of each interval, the intercept's last."""
        return self._ends[0]

    @property
    def high(self) -> Numbers:
        """The high end of each interval, the intercept's last."""
        return self._ends[1]

    def interval(self, confidence: float | None = None, anytime: bool = False) -> tuple[Numbers, Numbers]:
        """The low and the high end for each coefficient, the intercept's last."""
        return tail_extended(self.spread, self.rows, self.confidence if confidence is None else confidence, anytime)

    @property
    def share_clipped(self) -> float:
        """Share of rows held back or set aside."""
        return (self.clipped + self.set_aside) / max(self.rows, 1)

    @cached_property
    def away(self) -> Numbers | None:
        """How far least squares is from each coefficient, in standard errors."""
        if self.least_squares is None:
            return None
        apart = np.abs(self.least_squares - self.spread.centre)
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.where(apart > 0.0, apart / self.spread.error, 0.0)

    def name(self, j: int) -> str:
        """What coefficient j is called."""
        if j == self.features:
            return INTERCEPT
        return self.names[j] if self.names else f"x{j}"

    @cached_property
    def terms(self) -> list[Term]:
        """A record for each coefficient, the intercept's last."""
        return [self._term(j) for j in range(len(self.spread.centre))]

    def _term(self, j: int) -> Term:
        return Term(
            name=self.name(j),
            coefficient=float(self.spread.centre[j]),
            low=float(self.low[j]),
            high=float(self.high[j]),
            least_squares=None if self.least_squares is None else float(self.least_squares[j]),
            away=None if self.away is None else float(self.away[j]),
            certificate=float(self.certificate[j]),
        )

    @property
    def verdict(self) -> str:
        """What to think of least squares (of maximum likelihood, for log-odds) here, in words."""
        rival = self.rival
        if self.rows == 0:
            return "no rows"
        if self.rows < FEW * len(self.spread.centre):
            return f"too few rows to judge ({self.rows:,} for {len(self.spread.centre)} coefficients)"
        if not self.settled:
            return "not settled: more rows are needed before the intervals can be trusted"
        if self.set_aside:
            return f"{self.set_aside:,} of {self.rows:,} rows set aside as gross; {self._distance(rival)}"
        if self.away is None:
            return f"{self.clipped:,} of {self.rows:,} rows held back" if self.clipped else "no row is held back"
        if self.away.size and float(self.away.max()) > AWAY:
            return f"heavy tail: {self.clipped:,} of {self.rows:,} rows held back; {self._distance(rival)}"
        return f"light tail: {rival} is as good"

    @property
    def rival(self) -> str:
        """What the plain method is called."""
        return "maximum likelihood" if self.log_odds else "least squares"

    def bars(self) -> list[Bar]:
        """What a picture shows of each coefficient, the intercept's last."""
        unknown = np.full(len(self.spread.centre), np.nan)
        plain, errors = (
            unknown if known is None else known for known in (self.least_squares, self.least_squares_error)
        )
        numbers = zip(self.spread.centre, self.low, self.high, plain, errors, strict=True)
        return [Bar(self.name(j), *map(float, row)) for j, row in enumerate(numbers)]

    def plot(self, ax: Any = None, columns: Any = None) -> IntervalDisplay:
        """Draw the intervals beside those of the plain method, on `ax` or a new figure; needs the extra 'plot'."""
        return IntervalDisplay.from_estimate(self).plot(ax, columns)

    def _distance(self, rival: str) -> str:
        if self.away is None:
            return f"{rival} is not known to this rule"
        worst = int(np.nanargmax(self.away))
        away = float(self.away[worst])
        shown = "over 1,000" if away >= 1000.0 else f"up to {away:.1f}"
        return f"{rival} is {shown} standard errors away ({self.name(worst)})"

    @property
    def warnings(self) -> list[str]:
        """What people should know before they use the coefficients."""
        said = []
        if 0 < self.rows < len(self.spread.centre):
            said.append(
                f"fewer rows ({self.rows:,}) than coefficients ({len(self.spread.centre):,}): others fit as well"
            )
        elif redundant := self._chosen(self.redundant):
            # Of fewer rows than coefficients all columns would tell each other.
            said.append(
                f"constant, or told by other columns: {self._listed(redundant)}; "
                "their coefficients are one of many possible choices: leave such columns out"
            )
        if unheard := self._chosen(self.unheard):
            said.append(
                f"constant, or nearly so: {self._listed(unheard)}; "
                "nothing is learnt of their coefficients: leave such columns out"
            )
        if self.constant_target:
            said.append("the target is the same in every row so far")
        if self.separable:
            said.append(
                "separable: the features tell the labels all but without error so far; no coefficients are best, "
                "larger ones always fit better: take more rows, fewer features, or a ball for the coefficients (radius)"
            )
        if self.note:
            said.append(self.note)
        return said

    def _chosen(self, features: tuple[int, ...]) -> tuple[int, ...]:
        """Those that can be left out: the indicator of all other texts comes with its column."""
        return tuple(j for j in features if not self.name(j).endswith(f"={OTHER}"))

    def _listed(self, features: tuple[int, ...]) -> str:
        more = f" and {len(features) - 8} more" if len(features) > 8 else ""
        return ", ".join(self.name(j) for j in features[:8]) + more

    def to_dict(self) -> dict[str, Any]:
        """The estimate as plain values; what is not a number is None."""
        return {
            "rows": self.rows,
            "refused": self.refused,
            "rule": self.rule,
            "confidence": self.confidence,
            "target": self.target,
            "set_aside": self.set_aside,
            "share_clipped": self.share_clipped,
            "settled": self.settled,
            "verdict": self.verdict,
            "warnings": self.warnings,
            "terms": [self._named(term) for term in self.terms],
        }

    def _named(self, term: Term) -> dict[str, Any]:
        """A term as plain values; of log-odds least squares is not the rival, but maximum likelihood."""
        values = {name: plain(value) for name, value in term._asdict().items()}
        if self.log_odds:
            values["maximum_likelihood"] = values.pop("least_squares")
        return values

    def __repr__(self) -> str:
        lines = [f"{self.rows:,} rows, {self.refused:,} refused, {100 * self.confidence:g} % intervals; {self.verdict}"]
        for term in self.terms[:20]:
            lines.append(f"{term.name}: {term.coefficient:.6g} in [{term.low:.6g}, {term.high:.6g}]")
        if len(self.terms) > 20:
            lines.append(f"... and {len(self.terms) - 20:,} more terms")
        return "\n".join([*lines, *self.warnings])


class SideBySide(Estimate):
    """Several regressions of the same rows, a row for each in every array."""

    bare: list[RegressionEstimate]
    confidence: float

    @property
    def certificate(self) -> Numbers:
        """How far at most one more row can move each coefficient, the intercept's last."""
        return np.array([part.certificate for part in self.bare])

    def interval(self, confidence: float | None = None, anytime: bool = False) -> tuple[Numbers, Numbers]:
        """The low and the high end for each coefficient, the intercept's last."""
        level = self.confidence if confidence is None else confidence
        ends = [part.interval(level, anytime) for part in self.bare]
        return np.array([low for low, _ in ends]), np.array([high for _, high in ends])
