"""The paper's Table 1 as functions: how many rows each method asks for, and how many a step or a stage.

Leading orders, their constants left out as in the table: they compare methods, they do not plan an experiment. What is
misprinted is corrected here, and each row says what that was. A number of stages, or a logarithm that multiplies, is
never taken below 1, so that a formula means something for kappa = 1 too.
"""

from collections.abc import Callable
from dataclasses import dataclass
from math import inf, isfinite, log, sqrt
from typing import NamedTuple

from ..errors import RuleError

SAME_UNITS = "the printed formula changes with the unit of the loss"


class Aim(NamedTuple):
    """A risk R with curvature between tau_l and tau_u and gradient noise sigma2, R(theta_1) - R(theta*) = r0, wanted
    within eps with probability 1 - delta. Only restarted-RSMD looks at R, the diameter of the domain."""

    tau_l: float
    tau_u: float
    sigma2: float
    eps: float
    delta: float
    r0: float
    R: float

    @property
    def kappa(self) -> float:
        """The condition number."""
        return self.tau_u / self.tau_l

    @property
    def noise(self) -> float:
        """sigma^2/(tau_l eps)."""
        return self.sigma2 / (self.tau_l * self.eps)

    def confidence(self, times: float) -> float:
        """log(times/delta)."""
        return log(times / self.delta)


def aim(
    *, tau_l: float, tau_u: float, sigma2: float, eps: float, delta: float, r0: float, R: float | None = None
) -> Aim:
    """Checked; without R the least ball about theta_1 that must hold theta*."""
    stated = {"tau_l": tau_l, "tau_u": tau_u, "eps": eps, "r0": r0, "R": 1.0 if R is None else R}
    for name, value in stated.items():
        if not (value > 0.0 and isfinite(value)):
            raise RuleError(f"{name} must be a finite number above 0, not {value}")
    if not tau_l <= tau_u:
        raise RuleError(f"the curvatures must be finite with 0 < tau_l <= tau_u, not {tau_l} and {tau_u}")
    if not (sigma2 >= 0.0 and isfinite(sigma2)):
        raise RuleError(f"sigma2 must be a finite number of at least 0, not {sigma2}")
    if not 0.0 < delta < 1.0:
        raise RuleError(f"delta must be between 0 and 1, not {delta}")
    if not eps < r0:
        raise RuleError(f"eps = {eps} is no smaller than r0 = {r0}: there is nothing left to do")
    return Aim(tau_l, tau_u, sigma2, eps, delta, r0, 2.0 * sqrt(2.0 * r0 / tau_l) if R is None else R)


@dataclass(frozen=True)
class Row:
    """A method of the table."""

    method: str
    source: str
    noise: str  # what the method supposes: "sub-Gaussian" or "heavy-tailed"
    samples_formula: str
    batch_formula: str
    batch_is: str  # what the batch column counts
    corrections: tuple[str, ...]
    samples_of: Callable[[Aim], float]
    batch_of: Callable[[Aim], float]

    def samples(self, **stated: float) -> float:
        """Rows in all, to leading order, for `tau_l, tau_u, sigma2, eps, delta, r0` and perhaps `R`."""
        return self.samples_of(aim(**stated))

    def batch(self, **stated: float) -> float:
        """Rows a step (or a stage: see `batch_is`), to leading order; never below 1."""
        return max(1.0, self.batch_of(aim(**stated)))


def table1() -> tuple[Row, ...]:
    """The rows, in the paper's order.

    >>> [row.method for row in table1()][-1]
    'clipped-SGD, step O(1/t)'
    """
    return ROWS


def stages(ratio: float) -> float:
    """The logarithm of how much smaller something must become; at least 1."""
    return max(1.0, log(ratio))


def _sigma2(a: Aim) -> float:
    return a.confidence(stages(a.r0 / a.eps))


def _acsa(a: Aim) -> float:
    return a.confidence(stages(a.kappa * a.r0 / a.eps))


def _rsmd(a: Aim) -> float:
    return a.confidence(stages(a.tau_l * a.R**2 / a.eps))


def _proxboost(a: Aim) -> float:
    return stages(a.kappa) * a.confidence(stages(a.kappa))


def _proxboost_samples(a: Aim) -> float:
    reach = stages(a.kappa**2 * a.r0 * stages(a.kappa) / a.eps)
    return max(sqrt(a.kappa) * reach, a.noise * stages(a.kappa)) * _proxboost(a)


def _rgd_stages(a: Aim) -> float:
    """Gradient steps: each shrinks the error by (tau_u - tau_l)/(tau_u + tau_l)."""
    shrink = (a.tau_u - a.tau_l) / (a.tau_u + a.tau_l)
    return max(1.0, log(a.kappa * a.r0 / a.eps) / (-log(shrink) if shrink > 0.0 else inf))


def _rgd_batch(a: Aim) -> float:
    return a.kappa * a.noise * a.confidence(_rgd_stages(a))


def _constant(a: Aim) -> float:
    return stages(a.r0 / a.eps) * a.confidence(a.kappa * stages(a.r0 / a.eps))


def _restarted(a: Aim) -> float:
    return a.confidence(a.kappa * stages(a.r0 / a.eps))


def _ours(a: Aim) -> float:
    return max(sqrt(a.kappa**3 * a.r0 / a.eps), a.kappa * a.noise) * a.confidence(1.0)


A_STEP = "rows a step"
A_STAGE = "rows a stage, taken one a step"
PER_STAGE = "the batch column counts the rows of a stage; the method takes them one a step"
ONE_LATER = "later versions (Gorbunov 2021, Sadiev 2023) take one row a step, with smaller steps"

ROWS = (
    Row(
        "SIGMA2",
        "Dvurechensky & Gasnikov 2016",
        "sub-Gaussian",
        "max(κ log(r0/ε), σ²/(τl ε) log(log(r0/ε)/δ))",
        "σ²/(τl ε) log(log(r0/ε)/δ)",
        A_STEP,
        (),
        lambda a: max(a.kappa * stages(a.r0 / a.eps), a.noise * _sigma2(a)),
        lambda a: a.noise * _sigma2(a),
    ),
    Row(
        "MS-AC-SA",
        "Ghadimi & Lan 2013",
        "sub-Gaussian",
        "max(√κ log(κ r0/ε), σ²/(τl ε) log(log(κ r0/ε)/δ))",
        "σ²/(τl ε) log(log(κ r0/ε)/δ)",
        A_STAGE,
        ("1/ε is printed twice in the batch size", PER_STAGE),
        lambda a: max(sqrt(a.kappa) * stages(a.kappa * a.r0 / a.eps), a.noise * _acsa(a)),
        lambda a: a.noise * _acsa(a),
    ),
    Row(
        "restarted-RSMD",
        "Nazin et al. 2019",
        "heavy-tailed",
        "max(κ log(τl R²/ε), σ²/(τl ε)) log(log(τl R²/ε)/δ)",
        "σ²/(τl ε) log(log(τl R²/ε)/δ)",
        A_STAGE,
        (PER_STAGE,),
        lambda a: max(a.kappa * stages(a.tau_l * a.R**2 / a.eps), a.noise) * _rsmd(a),
        lambda a: a.noise * _rsmd(a),
    ),
    Row(
        "proxBoost",
        "Davis et al. 2021",
        "heavy-tailed",
        "max(√κ log(κ² r0 log κ/ε), σ² log κ/(τl ε)) log κ log(log κ/δ)",
        "σ² log κ/(τl ε) log κ log(log κ/δ)",
        A_STAGE,
        (f"τu² r0² log κ/(τl ε) in the logarithm: r0² is a squared distance, r0/τl here ({SAME_UNITS})", PER_STAGE),
        _proxboost_samples,
        lambda a: a.noise * stages(a.kappa) * _proxboost(a),
    ),
    Row(
        "RGD",
        "Prasad et al. 2020",
        "heavy-tailed",
        "φ τu σ²/(τl² ε) log(φ/δ), φ = log(κ r0/ε)/log((τu+τl)/(τu-τl))",
        "τu σ²/(τl² ε) log(φ/δ)",
        A_STEP,
        ("the ratio in φ is printed upside down, so that φ < 0", f"1/τl² is missing twice ({SAME_UNITS})"),
        lambda a: _rgd_stages(a) * _rgd_batch(a),
        _rgd_batch,
    ),
    Row(
        "clipped-SGD, constant step",
        "Gorbunov et al. 2020",
        "heavy-tailed",
        "max(κ, τu σ²/(τl² ε)) log(r0/ε) log(κ log(r0/ε)/δ)",
        "τu σ²/(τl² ε) log(r0/ε) log(κ log(r0/ε)/δ)",
        A_STEP,
        (ONE_LATER,),
        lambda a: max(a.kappa, a.kappa * a.noise) * _constant(a),
        lambda a: a.kappa * a.noise * _constant(a),
    ),
    Row(
        "R-clipped-SGD",
        "Gorbunov et al. 2020",
        "heavy-tailed",
        "max(κ log(r0/ε), σ²/(τl ε)) log(κ log(r0/ε)/δ)",
        "σ²/(τl ε) log(κ log(r0/ε)/δ)",
        A_STEP,
        (ONE_LATER,),
        lambda a: max(a.kappa * stages(a.r0 / a.eps), a.noise) * _restarted(a),
        lambda a: a.noise * _restarted(a),
    ),
    Row(
        "R-clipped-SSTM",
        "Gorbunov et al. 2020",
        "heavy-tailed",
        "max(√κ log(r0/ε), σ²/(τl ε)) log(κ log(r0/ε)/δ)",
        "σ²/(τl ε) log(κ log(r0/ε)/δ)",
        A_STEP,
        (ONE_LATER,),
        lambda a: max(sqrt(a.kappa) * stages(a.r0 / a.eps), a.noise) * _restarted(a),
        lambda a: a.noise * _restarted(a),
    ),
    Row(
        "clipped-SGD, step O(1/t)",
        "the paper",
        "heavy-tailed",
        "max(√(κ³ r0/ε), τu σ²/(τl² ε)) log(1/δ)",
        "1",
        A_STEP,
        ("log(1/δ) stands for log(2/δ), δ < 2/e",),
        _ours,
        lambda a: 1.0,
    ),
)
