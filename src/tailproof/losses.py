"""Losses: what the stream is asked to minimise.

A loss of a linear score z = <x, theta> says `value(z, y)` and `slope(z, y)`, its derivative in z; `@loss` adds the
rest. Those that `TunedSGD` takes say `curve(z)` too, the slope's derivative, which is largest at 0. Any other loss
says `value(theta, x, y)` and `gradient(theta, x, y, g)`, which writes the gradient into g and returns its squared
length.
"""

from math import exp, log1p
from typing import Any, TypeVar, dataclass_transform

from .errors import RuleError
from .piece import piece

Made = TypeVar("Made")


@dataclass_transform(frozen_default=True)
def loss(cls: type[Made]) -> type[Made]:
    """Make a loss of a small class; in any importable module it runs at the speed of the built-in ones.

    >>> @loss
    ... class Expectile:
    ...     weight: float = 0.5
    ...     def value(self, z, y):
    ...         return (self.weight if y > z else 1.0 - self.weight) * (z - y) ** 2
    ...     def slope(self, z, y):
    ...         return 2.0 * (self.weight if y > z else 1.0 - self.weight) * (z - y)
    """
    of_score = hasattr(cls, "slope")
    if not hasattr(cls, "value") or not (of_score or hasattr(cls, "gradient")):
        raise RuleError(
            f"{cls.__name__} needs value(z, y) and slope(z, y), or value(theta, x, y) and gradient(theta, x, y, g)"
        )
    if of_score and not hasattr(cls, "gradient"):
        cls.gradient = _gradient_of_score  # type: ignore[attr-defined]
    return piece(cls)


def _gradient_of_score(self: Any, theta: Any, x: Any, y: float, g: Any) -> float:
    """The gradient of a loss of z = <x, theta> is slope(z, y) x."""
    z = 0.0
    for j in range(theta.shape[0]):
        z += x[j] * theta[j]
    slope = self.slope(z, y)
    squared = 0.0
    for j in range(theta.shape[0]):
        g[j] = slope * x[j]
        squared += g[j] * g[j]
    return squared


def lost(loss: Any, z: float, y: float) -> float:
    """What a score loses."""
    return loss.value(z, y)  # type: ignore[no-any-return]


def lost_at(loss: Any, theta: Any, x: Any, y: float) -> float:
    """What theta loses on a row."""
    return loss.value(theta, x, y)  # type: ignore[no-any-return]


@loss
class Location:
    """Half the squared distance to the row: its minimiser is the mean of the rows."""

    def value(self, theta: Any, x: Any, y: float) -> float:
        """Half the squared distance of the row from theta."""
        total = 0.0
        for j in range(theta.shape[0]):
            total += (theta[j] - x[j]) * (theta[j] - x[j])
        return 0.5 * total

    def gradient(self, theta: Any, x: Any, y: float, g: Any) -> float:
        """Fill g with the gradient at theta, and return its squared length."""
        squared = 0.0
        for j in range(theta.shape[0]):
            g[j] = theta[j] - x[j]
            squared += g[j] * g[j]
        return squared


@loss
class Squared:
    """Half the squared error of a linear prediction."""

    def value(self, z: float, y: float) -> float:
        """The loss of what is predicted, z, where y is true."""
        return 0.5 * (z - y) * (z - y)

    def slope(self, z: float, y: float) -> float:
        """The derivative of the value by z."""
        return z - y

    def curve(self, z: float) -> float:
        """The second derivative of the value by z."""
        return 1.0


@loss
class Logistic:
    """The negative log-likelihood of y in {0, 1} under a linear log-odds."""

    def value(self, z: float, y: float) -> float:
        """The loss of what is predicted, z, where y is true."""
        # log(1 + exp(z)) - y z, without overflow on either side
        return (z if z > 0.0 else 0.0) + log1p(exp(-abs(z))) - y * z

    def slope(self, z: float, y: float) -> float:
        """The derivative of the value by z."""
        # No branch on the sign, which nobody can guess: a wrong guess costs as much as the exponential.
        e = exp(-abs(z))
        larger = 1.0 / (1.0 + e)
        return (larger if z >= 0.0 else e * larger) - y

    def curve(self, z: float) -> float:
        """The second derivative of the value by z."""
        e = exp(-abs(z))
        return e / ((1.0 + e) * (1.0 + e))


@loss
class Huber:
    """Squared error near zero, absolute error beyond `width`."""

    width: float = 1.345

    def check(self) -> None:
        """Refuse settings that make no sense."""
        if not self.width > 0.0:
            raise RuleError(f"Huber needs a width above 0, not {self.width}")

    def value(self, z: float, y: float) -> float:
        """The loss of what is predicted, z, where y is true."""
        r = abs(z - y)
        return 0.5 * r * r if r <= self.width else self.width * (r - 0.5 * self.width)

    def slope(self, z: float, y: float) -> float:
        """The derivative of the value by z."""
        r = z - y
        return -self.width if r < -self.width else self.width if r > self.width else r
