"""Cholesky factors of matrices scaled to unit diagonal, with just enough ridge to exist.

SciPy is asked directly: what its `solve_triangular` or NumPy's `cholesky` do around LAPACK takes longer than the work
itself where there are few coefficients, and for many half of a product with a triangle is zeros.
"""

from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .one_thread import one_thread

Numbers = NDArray[np.float64]

# The ridge on the scaled diagonal; more only where a factor does not exist without.
RIDGE = 1e-13


class Factor:
    """A = diag(scale) lower lower' diag(scale), but for the ridge."""

    def __init__(self, lower: Numbers, scale: Numbers, ridge: float) -> None:
        self.lower, self.scale, self.ridge = lower, scale, ridge

    def solve(self, b: Numbers) -> Numbers:
        """A^-1 b for a vector: by substitution, which keeps the residual small where A is nearly singular."""
        from scipy.linalg import blas

        half = blas.dtrsv(self.lower, b / self.scale, lower=1)
        whole: Numbers = blas.dtrsv(self.lower, half, lower=1, trans=1)
        return whole / self.scale

    @cached_property
    def turned(self) -> Numbers:
        """lower^-1."""
        from scipy.linalg import lapack

        with one_thread():
            found: Numbers = lapack.dtrtri(self.lower, lower=1)[0]
        return found

    def white(self, X: Numbers) -> Numbers:
        """The rows z with z'z = x' A^-1 x."""
        from scipy.linalg import blas

        if not len(X):
            return np.zeros_like(X)
        found: Numbers = blas.dtrmm(1.0, self.turned, (X / self.scale).T, lower=1, overwrite_b=1).T
        return found

    def lengths(self, X: Numbers) -> Numbers:
        """x' A^-1 x for each row."""
        white = self.white(X)
        return np.asarray(np.einsum("ij,ij->i", white, white))

    def unroll(self, directions: Numbers) -> Numbers:
        """The matrix T with |x T|^2 = x' A^-1 x if the directions are orthonormal."""
        return np.asarray((self.turned.T @ directions) / self.scale[:, None])

    def inverse(self) -> Numbers:
        half = self.turned / self.scale
        found: Numbers = half.T @ half
        return found

    def ridged(self) -> float:
        """The trace of A^-1 times what the ridge adds to A."""
        return self.ridge * float(np.einsum("ij,ij->", self.turned, self.turned))


def factor(A: Any) -> Factor:
    """The factor of a symmetric matrix that is, but for rounding, not negative."""
    from scipy.linalg import lapack

    diagonal: Any = np.sqrt(np.maximum(np.diag(A), 0.0))
    scale = np.where(diagonal > 0.0, diagonal, 1.0)
    scaled = A / scale
    scaled /= scale[:, None]
    diagonal = np.diag(scaled).copy()
    ridge = RIDGE
    while True:
        np.fill_diagonal(scaled, diagonal + ridge)
        # What LAPACK reads as columns are our rows; the matrix is symmetric.
        with one_thread():
            lower, wrong = lapack.dpotrf(scaled.T, lower=1, clean=1)
        if not wrong:
            return Factor(lower, scale, ridge)
        ridge *= 100.0
