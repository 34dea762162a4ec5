"""The theorems: from what is supposed known of the problem, the delay, the level and the bound on the error.

Notation is the paper's. The risk R has curvature between tau_l and tau_u; a gradient's noise at theta has variance of
at most alpha |theta - theta*|^2 + beta; r0 = |theta_1 - theta*|; L = log(2/delta); kappa = tau_u/tau_l.
"""

from dataclasses import asdict, dataclass, replace
from math import e, frexp, hypot, isfinite, log, sqrt
from typing import Any

from ..errors import RuleError
from ..levels import AnyTime, Fixed, Theorem
from .constants import ANYTIME, EDGE, PAPER, SHARP, Constants

# No stream is longer, and whole numbers beyond it are no longer exact.
MOST_ROWS = 2**53

TOO_LARGE = "the delay or the bound is beyond what a number can hold; state the problem in other units"
GUARANTEE = (
    "a guarantee, not an estimate of the error, whose own 1 - delta quantile was about a quarter of it or less "
    "wherever we simulated it"
)
PRINTED = (
    "the printed proof is not valid, but the statement is true where theta* minimises the risk without constraint: "
    "it follows from the sharp theorem"
)
LOGLOG = "holds at all times at once; its logarithm L_t grows with the times that t + gamma has doubled, like log log t"
ON_THE_EDGE = "theta* is on the edge of the domain: the repaired theorem, which adds the push of the risk to the level"


@dataclass(frozen=True)
class Settings:
    """What a theorem prescribes and promises for N rows: theta_{N+1} is within `bound` with probability 1 - delta."""

    theorem: str
    constants: str
    status: str  # "proven", or what else it is
    tau_l: float
    tau_u: float
    alpha: float
    beta: float
    r0: float
    N: int
    delta: float
    push: float  # |grad R(theta*)|
    scale: float  # C_1
    anytime: bool
    kappa: float
    factor: float
    delay: float  # gamma
    level: float  # lambda; for the any-time theorem that of row N
    bound: float
    vacuous: bool
    notes: tuple[str, ...]

    @property
    def gamma(self) -> float:
        """The delay, by the paper's name."""
        return self.delay

    def level_at(self, t: int) -> float:
        """The clipping level of row t."""
        if not self.anytime:
            return self.level
        memory = [0.0, 0.0]
        rule = self.level_rule
        rule.prepare(memory, 1)
        memory[0] = float(_whole(t, "t") - 1)
        return float(rule.allow(memory))

    @property
    def level_rule(self) -> Any:
        """The level as a piece of `ClippedSGD`."""
        if self.anytime:
            return AnyTime(self.r0, self.beta, self.tau_l, self.delay, self.delta, self.scale)
        if not self.level > 0.0:
            raise RuleError("with r0 = 0 and beta = 0 there is nothing to estimate, and no level to clip by")
        return Fixed(self.level)

    def error_bound(self, t: int | None = None) -> float:
        """The bound on |theta_{t+1} - theta*|; it holds for all t (up to N, unless any-time) at once."""
        t = self.N if t is None else _whole(t, "t")
        if not self.anytime and t > self.N:
            raise RuleError(f"these settings are for {self.N} rows and say nothing at row {t}; name a larger N")
        return self.factor * self._amplitude(t) / (t + self.delay)

    def risk_bound(self, t: int | None = None) -> float:
        """The bound on R(theta_{t+1}) - R(theta*): the risk curves by at most tau_u."""
        error = self.error_bound(t)
        return self.push * error + 0.5 * self.tau_u * error**2

    def _amplitude(self, t: int) -> float:
        """sqrt(A); for N rows that is L lambda/tau_l, but the paper's bound adds the two roots."""
        L = logarithm(self.delta)
        if self.constants == "paper":
            noise = sqrt((self.N + self.delay) * self.beta * L) / self.tau_l
            return self.scale * (self.delay * self.r0 + noise)
        if self.anytime:
            L_t, L_0 = any_time_logarithm(t, self.delay, self.delta), log(4.0 / self.delta)
            noise = sqrt((t + self.delay) * self.beta * L_t) / self.tau_l
            return self.scale * hypot(self.delay * self.r0 * L_t / L_0, noise)
        return L * self.level / self.tau_l

    def rule(self, loss: Any = None, domain: Any = None) -> Any:
        """The descent that the theorem speaks of, as a rule: of the mean unless another loss is given.

        Row 1 must start within r0 of theta*: give the start to `init`.
        """
        from ..clipped import ClippedSGD
        from ..domains import Everywhere
        from ..losses import Location
        from ..steps import Harmonic

        steps = Harmonic(gain=1.0 / self.tau_l, delay=self.delay)
        return ClippedSGD(loss or Location(), self.level_rule, steps, domain or Everywhere())

    def to_dict(self) -> dict[str, Any]:
        """The settings as plain values."""
        return asdict(self)


def theorem(
    *,
    tau_l: float,
    tau_u: float,
    beta: float,
    r0: float,
    N: int,
    alpha: float = 0.0,
    delta: float = 0.05,
    constants: str = "sharp",
    anytime: bool = False,
    push: float = 0.0,
    scale: float = 1.0,
) -> Settings:
    """Theorem 1 and its relatives.

    constants: "paper" as printed, "sharp" as proven anew.
    anytime: the theorem that need not know N and holds at all times at once; N says where to read the bound.
    push: |grad R(theta*)|, 0 unless a constraint holds theta* back.
    scale: the paper's C_1, at least 1.

    >>> theorem(tau_l=1.0, tau_u=1.0, beta=20.0, r0=1.0, N=10_000, delta=0.01).bound  # doctest: +ELLIPSIS
    0.643...
    """
    _check(tau_l, tau_u, alpha, beta, r0, delta, push, scale)
    _check_kind(constants, anytime, push)
    N = _whole(N, "N")
    if not anytime and delta >= 2.0 / e:
        raise RuleError(f"delta must be below 2/e = 0.7357..., where the theorem falls silent, not {delta}")
    stated: dict[str, Any] = {"tau_l": tau_l, "tau_u": tau_u, "alpha": alpha, "beta": beta, "r0": r0, "delta": delta}
    stated |= {"N": N, "constants": constants, "anytime": anytime, "push": push, "scale": scale}
    try:
        candidates = [_settled(stated, one) for one in _choices(constants, anytime, alpha, push)]
    except OverflowError:
        raise RuleError(TOO_LARGE) from None
    # Where a bound promises nothing, the shorter delay is the better one.
    return min(candidates, key=lambda made: (made.vacuous, made.delay if made.vacuous else made.bound))


def logarithm(delta: float) -> float:
    """L."""
    return log(2.0 / delta)


def epoch(t: int, delay: float) -> int:
    """How many times t + gamma has doubled since gamma."""
    return frexp((t + delay) / delay)[1] - 1


def any_time_logarithm(t: int, delay: float, delta: float) -> float:
    """L_t = log(2 (k+1)(k+2)/delta), k the epoch of row t."""
    k = epoch(t, delay)
    return log(2.0 * (k + 1) * (k + 2) / delta)


def _choices(constants: str, anytime: bool, alpha: float, push: float) -> list[Constants]:
    rows = PAPER if constants == "paper" else ANYTIME if anytime else EDGE if push > 0.0 else SHARP
    return [one for one in rows if isfinite(one.per_alpha)] if alpha > 0.0 else [rows[0]]


def _settled(stated: dict[str, Any], one: Constants) -> Settings:
    """The settings that these constants give."""
    kappa = stated["tau_u"] / stated["tau_l"]
    L = log(4.0 / stated["delta"]) if stated["anytime"] else logarithm(stated["delta"])
    delay = one.delay(kappa, stated["alpha"], stated["tau_l"], L)
    draft = Settings(
        **stated,
        theorem=_name(stated),
        status="proven",
        kappa=kappa,
        factor=one.factor,
        delay=delay,
        level=0.0,
        bound=0.0,
        vacuous=delay > stated["N"],
        notes=_notes(stated, delay),
    )
    draft = replace(draft, level=draft.level_at(draft.N) if draft.anytime else _fixed_level(draft))
    made = replace(draft, bound=draft.error_bound())
    if not isfinite(made.bound):
        raise RuleError(TOO_LARGE)
    return made


def _fixed_level(made: Settings) -> float:
    """The level for N rows. The sharp one has gamma^2 r0^2 where the printed one has gamma (gamma - 1) r0^2."""
    start = made.r0 if made.constants == "paper" else made.r0 * sqrt(made.delay / (made.delay - 1.0))
    memory = [0.0]
    Theorem(float(made.N), start, made.beta, made.tau_l, made.delay, made.delta, made.scale).prepare(memory, 1)
    return max(memory[0], 4.0 * made.push)


def _name(stated: dict[str, Any]) -> str:
    if stated["anytime"]:
        return "the any-time theorem"
    if stated["constants"] == "paper":
        return "Theorem 1 as printed"
    return "the sharp theorem on the edge of a domain" if stated["push"] > 0.0 else "the sharp theorem"


def _notes(stated: dict[str, Any], delay: float) -> tuple[str, ...]:
    notes = [GUARANTEE]
    if stated["constants"] == "paper":
        notes.append(PRINTED)
    if stated["anytime"]:
        notes.append(LOGLOG)
    if stated["push"] > 0.0:
        notes.append(ON_THE_EDGE)
    if delay > stated["N"]:
        notes.insert(
            0, f"vacuous: the delay, {delay:.3g}, exceeds the {stated['N']:,} rows; the bound promises nothing"
        )
    return tuple(notes)


def _check(
    tau_l: float, tau_u: float, alpha: float, beta: float, r0: float, delta: float, push: float, scale: float
) -> None:
    if not (0.0 < tau_l <= tau_u and isfinite(tau_u)):
        raise RuleError(f"the curvatures must be finite with 0 < tau_l <= tau_u, not {tau_l} and {tau_u}")
    for name, value in (("alpha", alpha), ("beta", beta), ("r0", r0), ("push", push)):
        if not (value >= 0.0 and isfinite(value)):
            raise RuleError(f"{name} must be a finite number of at least 0, not {value}")
    if not 0.0 < delta < 1.0:
        raise RuleError(f"delta must be between 0 and 1, not {delta}: it is the probability that the bound may fail")
    if not (scale >= 1.0 and isfinite(scale)):
        raise RuleError(f"scale, the paper's C_1, must be a finite number of at least 1, not {scale}")


def _check_kind(constants: str, anytime: bool, push: float) -> None:
    if constants not in ("paper", "sharp"):
        raise RuleError(f'constants must be "paper" or "sharp", not {constants!r}')
    if constants == "paper" and anytime:
        raise RuleError('the paper has no any-time theorem; use constants="sharp"')
    if constants == "paper" and push > 0.0:
        raise RuleError(
            "the printed theorem is false where the risk still pushes against the edge of the domain at theta* "
            '(theory.counterexample shows it); use constants="sharp"'
        )
    if anytime and push > 0.0:
        raise RuleError("the any-time theorem is proven for push = 0 only; leave anytime out")


def _whole(value: Any, name: str) -> int:
    if isinstance(value, bool) or not (value == value and value >= 1 and value <= MOST_ROWS and int(value) == value):
        raise RuleError(f"{name} must be a whole number of rows, at least 1, not {value!r}")
    return int(value)
