"""Steps: how far to go along the clipped gradient of row t = 1, 2, ..."""

from .errors import RuleError
from .piece import piece


@piece
class Harmonic:
    """gain / (t + delay): the paper's 1/(tau (t + gamma)) with gain = 1/tau and delay = gamma."""

    gain: float = 1.0
    delay: float = 0.0

    def check(self) -> None:
        """Refuse settings that make no sense."""
        if not (self.gain > 0.0 and self.delay >= 0.0):
            raise RuleError("Harmonic needs a gain above 0 and a delay of at least 0")

    def size(self, t: float) -> float:
        """The length of step t, from 1."""
        return self.gain / (t + self.delay)


@piece
class Polynomial:
    """gain / (t + delay)^power, with a power between 0 and 1."""

    gain: float = 1.0
    delay: float = 0.0
    power: float = 0.5

    def check(self) -> None:
        """Refuse settings that make no sense."""
        if not (self.gain > 0.0 and self.delay >= 0.0 and 0.0 <= self.power <= 1.0):
            raise RuleError("Polynomial needs a gain above 0, a delay of at least 0 and a power within 0 and 1")

    def size(self, t: float) -> float:
        """The length of step t, from 1."""
        return self.gain / (t + self.delay) ** self.power  # type: ignore[no-any-return]


@piece
class Constant:
    """The same step for every row."""

    gain: float = 0.01

    def check(self) -> None:
        """Refuse settings that make no sense."""
        if not self.gain > 0.0:
            raise RuleError(f"Constant needs a gain above 0, not {self.gain}")

    def size(self, t: float) -> float:
        """The length of step t, from 1."""
        return self.gain
