"""The corollaries: what alpha, beta and the curvatures are for the mean, for a regression, and for bounded noise."""

from dataclasses import replace
from math import isfinite, sqrt
from typing import Any, NamedTuple

from ..errors import RuleError
from .settings import Settings, theorem


class Spectrum(NamedTuple):
    """What the corollaries need of a matrix of second moments."""

    least: float
    most: float
    trace: float
    columns: int


def mean(*, trace: float, r0: float, N: int, **options: Any) -> Settings:
    """The mean, where the trace of the covariance is known: curvature 1, alpha = 0, beta = trace.

    Options are those of `theorem`: delta, constants, anytime, scale.

    >>> round(mean(trace=20.0, r0=1.0, N=10_000, delta=0.01).delay, 1)
    66.8
    """
    _at_least(0.0, trace=trace)
    return theorem(tau_l=1.0, tau_u=1.0, beta=trace, r0=r0, N=N, **options)


def linear(
    *,
    covariance: Any,
    sigma2: float,
    C4: float,
    r0: float,
    N: int,
    independent: bool = False,
    constants: str = "sharp",
    **options: Any,
) -> Settings:
    """Linear regression y = <x, theta*> + w with E[w | x] = 0 and E[w^2 | x] <= sigma2, by half the squared error.

    covariance: Sigma = E x x', the matrix or its eigenvalues.
    C4: E <x, v>^4 <= C4 (E <x, v>^2)^2 for every v.
    independent: the coordinates of x are independent, with kurtosis of at most C4 (3 is normal), and Sigma is diagonal;
        then alpha is far smaller.
    """
    spread = spectrum(covariance)
    _at_least(0.0, sigma2=sigma2)
    if constants == "paper":
        _at_least(1.0, C4=C4)
        alpha = 2.0 * spread.columns * (C4 + 1.0) * spread.most**2
        beta = spread.columns * sigma2 * spread.most
    else:
        alpha, beta = fourth_moment(spread, C4, independent), sigma2 * spread.trace
    return theorem(
        tau_l=spread.least, tau_u=spread.most, alpha=alpha, beta=beta, r0=r0, N=N, constants=constants, **options
    )


def logistic(
    *,
    covariance: Any,
    C4: float,
    tau_l: float,
    r0: float,
    N: int,
    beta: float | None = None,
    independent: bool = False,
    **options: Any,
) -> Settings:
    """Logistic regression with E[y | x] = sigmoid(<x, theta*>): the paper states none; theorem 1 with our alpha, beta.

    covariance: E x x' (with the column of ones, if there is one), the matrix or its eigenvalues.
    tau_l: the least curvature of the risk over the domain, below a quarter of the greatest eigenvalue. It is not to be
        had from `covariance`: far from theta* = 0 the risk is flat.
    beta: E[sigmoid'(<x, theta*>) |x|^2] where known, else a quarter of the trace.
    """
    spread = spectrum(covariance)
    alpha = fourth_moment(spread, C4, independent) / 16.0
    noise = spread.trace / 4.0 if beta is None else beta
    if not tau_l <= spread.most / 4.0:
        raise RuleError(
            f"tau_l = {tau_l} is impossible: a logistic risk curves by at most a quarter of the greatest eigenvalue, "
            f"here {spread.most / 4.0:.6g}"
        )
    made = theorem(tau_l=tau_l, tau_u=spread.most / 4.0, alpha=alpha, beta=noise, r0=r0, N=N, **options)
    note = "supposes that theta never leaves a domain, with inner points, where the risk curves by at least tau_l"
    return replace(made, notes=(*made.notes, note))


def bounded_noise(*, tau_l: float, tau_u: float, sigma2: float, risk: float, N: int, **options: Any) -> Settings:
    """Corollary 1: gradient noise of variance sigma2 everywhere, starting at R(theta_1) - R(theta*) = risk.

    Read the result's `risk_bound()`.
    """
    _at_least(0.0, risk=risk, sigma2=sigma2)
    if not tau_l > 0.0:
        raise RuleError(f"the curvatures must be finite with 0 < tau_l <= tau_u, not {tau_l} and {tau_u}")
    return theorem(tau_l=tau_l, tau_u=tau_u, beta=sigma2, r0=sqrt(2.0 * risk / tau_l), N=N, **options)


def fourth_moment(spread: Spectrum, C4: float, independent: bool = False) -> float:
    """A bound on E |x|^2 <x, v>^2 over unit vectors v."""
    _at_least(1.0, C4=C4)
    if independent:
        return spread.most * (spread.trace + (C4 - 1.0) * spread.most)
    return C4 * spread.trace * spread.most


def spectrum(covariance: Any) -> Spectrum:
    """Of a symmetric matrix, or of the list of its eigenvalues."""
    values = _eigenvalues(covariance)
    if not values or not all(isfinite(value) for value in values) or min(values) <= 0.0:
        raise RuleError("the covariance must have finite eigenvalues above 0: drop columns that others determine")
    return Spectrum(min(values), max(values), sum(values), len(values))


def _eigenvalues(covariance: Any) -> list[float]:
    rows = list(covariance)
    if not rows or not hasattr(rows[0], "__len__"):
        return [float(value) for value in rows]
    import numpy as np

    matrix = np.asarray(covariance, np.float64)
    if matrix.ndim != 2 or matrix.shape[0] != matrix.shape[1] or not np.isfinite(matrix).all():
        raise RuleError(f"the covariance must be square and finite, not of shape {matrix.shape}")
    if not np.allclose(matrix, matrix.T, rtol=1e-8, atol=1e-12 * float(abs(matrix).max())):
        raise RuleError("the covariance must be symmetric")
    return [float(value) for value in np.linalg.eigvalsh(matrix)]


def _at_least(least: float, **values: float) -> None:
    for name, value in values.items():
        if not (value >= least and isfinite(value)):
            raise RuleError(f"{name} must be a finite number of at least {least:g}, not {value}")
