"""Laws that rows and noise are drawn from, and places where descents begin."""

from dataclasses import dataclass
from math import exp, isfinite, sqrt

from ..errors import RuleError


class SettingError(RuleError):
    """A setting of an experiment that makes no sense, or an experiment that there is not."""


@dataclass(frozen=True)
class Law:
    """What rows or noise are drawn from, each coordinate on its own: mean 0 and, where there is one, variance 1.

    pareto: one-sided, index = tail parameter; with an index of at most 2 it is centred only. gaussian: no index.
    lognormal: index = sigma.
    """

    kind: str = "pareto"
    index: float = 2.1

    def __post_init__(self) -> None:
        if self.kind not in ("pareto", "gaussian", "lognormal"):
            raise SettingError(f'a law is "pareto", "gaussian" or "lognormal", not {self.kind!r}')
        if self.kind == "pareto" and not (isfinite(self.index) and self.index > 1.0):
            raise SettingError(f"a Pareto law needs a tail parameter above 1 to have a mean, not {self.index}")
        if self.kind == "lognormal" and not 0.0 < self.index <= 5.0:
            raise SettingError(f"a log-normal law needs a sigma above 0 and at most 5, not {self.index}")

    @property
    def finite_variance(self) -> bool:
        return self.kind != "pareto" or self.index > 2.0

    @property
    def centre(self) -> float:
        """The mean before standardising."""
        if self.kind == "pareto":
            return self.index / (self.index - 1.0)
        return exp(0.5 * self.index**2) if self.kind == "lognormal" else 0.0

    @property
    def deviation(self) -> float:
        """The standard deviation before standardising; 1 where there is none."""
        if self.kind == "pareto":
            return sqrt(self.index / (self.index - 2.0)) / (self.index - 1.0) if self.finite_variance else 1.0
        return self.centre * sqrt(exp(self.index**2) - 1.0) if self.kind == "lognormal" else 1.0

    def __str__(self) -> str:
        return "Gaussian" if self.kind == "gaussian" else f"{self.kind.capitalize()} {self.index:g}"


@dataclass(frozen=True)
class Start:
    """Where descents begin: `value` in each coordinate ("each"), value/sqrt(p) ("unit"), value theta* ("truth")."""

    kind: str = "each"
    value: float = 0.0

    def __post_init__(self) -> None:
        if self.kind not in ("each", "unit", "truth"):
            raise SettingError(f'a start is "each", "unit" or "truth", not {self.kind!r}')
        if not isfinite(self.value):
            raise SettingError("a start needs a finite value")
