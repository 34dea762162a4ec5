"""Mean for River."""

from typing import Any

from river import stats

from ..estimate import MeanEstimate
from ..extremes import Extremes
from ..state import aligned
from .named import as_number

# Values wait until so many of them can be taken in at once, or until somebody asks.
HEIGHT = 256


class Mean(stats.base.Univariate):
    """The running mean of a number, safe under heavy tails and gross values.

    Values that are NaN, None or inf are refused and counted in `n_refused`.

    extremes: values remembered on each side; that many less one gross values do no harm.
    gross: "set-aside" leaves out values a gap apart from all others; "keep" never leaves one out.
    h: how many times gross values must inflate the variance to be set aside.

    >>> from tailproof.river import Mean
    >>> mean = Mean()
    >>> for x in [1.0, 2.0, 3.0] * 20 + [1e9]:
    ...     mean.update(x)
    >>> round(mean.get())
    2
    """

    def __init__(self, *, extremes: int = 24, gross: str = "set-aside", h: float = 4.0) -> None:
        self.extremes = extremes
        self.gross = gross
        self.h = h
        self._rule = Extremes(extremes, gross, float(h))
        self._state = self._rule.init(1)
        self._values, self._waiting = aligned((HEIGHT, 1)), 0
        self._said: MeanEstimate | None = None

    def __getstate__(self) -> dict[str, Any]:
        self._settle()
        return {name: value for name, value in self.__dict__.items() if name not in ("_values", "_waiting", "_said")}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._values, self._waiting, self._said = aligned((HEIGHT, 1)), 0, None

    def update(self, x: float) -> None:
        """Take a value in."""
        self._values[self._waiting, 0] = as_number("x", x)
        self._waiting += 1
        self._said = None
        if self._waiting == HEIGHT:
            self._settle()

    def update_many(self, X: Any) -> None:
        """Take many values in, one after the other."""
        for x in X:
            self.update(x)

    def get(self) -> float:
        """The mean so far; 0 before the first value."""
        said = self.estimate()
        return float(said.mean[0]) if said.rows else 0.0

    def estimate(self) -> MeanEstimate:
        """Mean, interval, plain mean and verdict, as one record."""
        if self._said is None:
            self._settle()
            self._said = self._rule.read(self._state)
        return self._said

    def interval(self, confidence: float = 0.95, anytime: bool = False) -> tuple[float, float]:
        """The low and the high end; with `anytime` they hold at every look at once."""
        low, high = self.estimate().interval(confidence, anytime)
        return float(low[0]), float(high[0])

    @property
    def n_refused(self) -> int:
        """Values refused because they were no number."""
        return self.estimate().refused

    def _settle(self) -> None:
        if self._waiting:
            self._state = self._rule.step(self._state, self._values[: self._waiting])
            self._waiting = 0
