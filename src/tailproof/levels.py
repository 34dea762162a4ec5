"""Levels: how long a gradient may be before it is clipped.

Each level keeps a small memory of floats (`size` of them): `prepare` fills it for p columns, `allow` says the level
for the next row, `learn` is told the squared length of that row's gradient.
"""

from math import frexp, isfinite, log, sqrt
from typing import Any

from .errors import RuleError
from .piece import piece


@piece
class Fixed:
    """The same level for every row; `inf` clips nothing."""

    level: float

    def check(self) -> None:
        """Refuse settings that make no sense."""
        if not self.level > 0.0:
            raise RuleError(f"Fixed needs a level above 0, not {self.level}; Fixed(inf) clips nothing")

    def prepare(self, memory: Any, columns: int) -> None:
        """Set the memory that the level learns in, before the first row."""

    def allow(self, memory: Any) -> float:
        """The level at which the next gradient is clipped."""
        return self.level

    def learn(self, memory: Any, squared: float) -> None:
        """Take in the squared length of the gradient that was clipped last."""


@piece
class Theorem:
    """The level of the paper's Theorem 1, from what it supposes known.

    lambda = factor sqrt(tau^2 delay (delay - 1) start^2 / L^2 + (rows + delay) noise / L), L = log(2/delta), where
    `start` bounds the distance from the first to the best point, `noise` is beta and `curvature` is tau.
    """

    rows: float
    start: float
    noise: float
    curvature: float = 1.0
    delay: float = 1.0
    delta: float = 0.05
    factor: float = 1.0

    def check(self) -> None:
        """Refuse settings that make no sense."""
        if not 0.0 < self.delta < 0.7357588823428847:  # 2/e: beyond it L < 1 and the theorem is silent
            raise RuleError(f"Theorem needs delta between 0 and 2/e, not {self.delta}")
        for name in ("rows", "start", "noise", "curvature", "factor"):
            if not (getattr(self, name) >= 0.0 and isfinite(getattr(self, name))):
                raise RuleError(f"Theorem needs a finite {name} of at least 0, not {getattr(self, name)}")
        if not self.delay >= 1.0:
            raise RuleError(f"Theorem needs a delay of at least 1, not {self.delay}")

    def prepare(self, memory: Any, columns: int) -> None:
        """Set the memory that the level learns in, before the first row."""
        confidence = log(2.0 / self.delta)
        begin = self.curvature**2 * self.delay * (self.delay - 1.0) * self.start**2 / confidence**2
        memory[0] = self.factor * sqrt(begin + (self.rows + self.delay) * self.noise / confidence)

    def allow(self, memory: Any) -> float:
        """The level at which the next gradient is clipped."""
        return memory[0]  # type: ignore[no-any-return]

    def learn(self, memory: Any, squared: float) -> None:
        """Take in the squared length of the gradient that was clipped last."""


@piece
class AnyTime:
    """The level of the any-time theorem, from what it supposes known: it grows with the rows t and needs no number of
    them.

    lambda_t = factor sqrt(tau^2 delay^2 start^2 / L_0^2 + (t + delay) noise / L_t), with
    L_t = log(2 (k + 1)(k + 2)/delta), k the number of times that t + delay has doubled, and L_0 = log(4/delta).
    Where L_t jumps the level is held instead of falling: the proof looks at its greatest value so far only.
    """

    start: float
    noise: float
    curvature: float = 1.0
    delay: float = 1.0
    delta: float = 0.05
    factor: float = 1.0

    def check(self) -> None:
        """Refuse settings that make no sense."""
        if not 0.0 < self.delta < 1.0:
            raise RuleError(f"AnyTime needs delta between 0 and 1, not {self.delta}")
        for name in ("start", "noise", "curvature", "factor"):
            if not (getattr(self, name) >= 0.0 and isfinite(getattr(self, name))):
                raise RuleError(f"AnyTime needs a finite {name} of at least 0, not {getattr(self, name)}")
        if not (self.delay >= 1.0 and isfinite(self.delay)):
            raise RuleError(f"AnyTime needs a finite delay of at least 1, not {self.delay}")

    def prepare(self, memory: Any, columns: int) -> None:
        """Set the memory that the level learns in, before the first row."""
        # Rows so far, and the part of the level that does not grow.
        memory[0] = 0.0
        begin = self.curvature * self.delay * self.start / log(4.0 / self.delta)
        memory[1] = begin * begin

    def allow(self, memory: Any) -> float:
        """The level at which the next gradient is clipped."""
        reach = memory[0] + 1.0 + self.delay
        k = frexp(reach / self.delay)[1] - 1
        growing = reach / log(2.0 * (k + 1) * (k + 2) / self.delta)
        if k > 0:
            growing = max(growing, 2.0**k * self.delay / log(2.0 * k * (k + 1) / self.delta))
        return self.factor * sqrt(memory[1] + self.noise * growing)

    def learn(self, memory: Any, squared: float) -> None:
        """Take in the squared length of the gradient that was clipped last."""
        memory[0] += 1.0


@piece
class SelfTuned:
    """A level that the stream sets itself: level^2 = V/(c L), V the sum of the clipped squared lengths so far.

    It needs no length of stream, no scale and no tail. `factor` is c; 0 takes it from the number of columns,
    c = 1/(3/sqrt(p) + 1/L), L = log(2/delta). A stream that is one of several shards to be merged says how many,
    so that the shards' clipping biases do not add up.
    """

    delta: float = 0.001
    factor: float = 0.0
    shards: float = 1.0

    def check(self) -> None:
        """Refuse settings that make no sense."""
        if not 0.0 < self.delta < 1.0:
            raise RuleError(f"SelfTuned needs delta between 0 and 1, not {self.delta}")
        if not (self.factor >= 0.0 and self.shards >= 1.0):
            raise RuleError("SelfTuned needs a factor of at least 0 and at least 1 shard")

    def prepare(self, memory: Any, columns: int) -> None:
        """Set the memory that the level learns in, before the first row."""
        confidence = log(2.0 / self.delta)
        factor = self.factor if self.factor > 0.0 else 1.0 / (3.0 / sqrt(columns) + 1.0 / confidence)
        memory[0] = 0.0
        memory[1] = 1.0 / (factor * confidence)

    def allow(self, memory: Any) -> float:
        """The level at which the next gradient is clipped."""
        # Nothing has moved yet: there is no scale to clip by.
        if memory[0] == 0.0:
            return float("inf")
        return sqrt(memory[0] * memory[1] * self.shards)

    def learn(self, memory: Any, squared: float) -> None:
        """Take in the squared length of the gradient that was clipped last."""
        level = memory[0] * memory[1]
        memory[0] += squared if memory[0] == 0.0 or squared < level else level
