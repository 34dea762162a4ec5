"""The laws that the estimates are tried on.

A law fills a matrix of cells: every column is a sample of its own. Each has mean 0 and, where its variance is finite,
variance 1, but for what its name says (`stable 1.5` has scale 1; gross values are 1000 standard deviations out and do
not belong to the law: the truth is the mean of the clean part).
"""

from collections.abc import Callable
from math import exp, gamma, log, sqrt
from typing import NamedTuple

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

Cells = NDArray[np.float64]
Law = Callable[[Generator, int, int], Cells]

GROSS = 1000.0
# Zeta at 1.5 and 2.5, for the mean of Zipf's law.
ZETA = {1.5: 2.612375348685488, 2.5: 1.341487257250917}


# ------------------------------------------------------------------------------------------ continuous, one shape


def gaussian(random: Generator, rows: int, columns: int) -> Cells:
    return random.standard_normal((rows, columns))


def exponential(random: Generator, rows: int, columns: int) -> Cells:
    return random.standard_exponential((rows, columns)) - 1.0


def uniform(random: Generator, rows: int, columns: int) -> Cells:
    return sqrt(12.0) * (random.random((rows, columns)) - 0.5)


def pareto(index: float) -> Law:
    """Density index / x^(index + 1) from 1 on; without its variance where that is infinite."""
    deviation = sqrt(index / (index - 2.0)) / (index - 1.0) if index > 2.0 else 1.0

    def draw(random: Generator, rows: int, columns: int) -> Cells:
        return (power_tail(random, rows, columns, index) - index / (index - 1.0)) / deviation

    return draw


def power_tail(random: Generator, rows: int, columns: int, index: float) -> Cells:
    """Above x with chance x^-index, from 1 on."""
    cells = random.standard_exponential((rows, columns))
    cells /= index
    return np.exp(cells, out=cells)


def student(freedom: float) -> Law:
    """Student's t over its standard deviation, by Bailey's polar formula."""
    deviation = sqrt(freedom / (freedom - 2.0))

    def draw(random: Generator, rows: int, columns: int) -> Cells:
        return polar_student(random, rows, columns, freedom) / deviation

    return draw


def polar_student(random: Generator, rows: int, columns: int, freedom: float) -> Cells:
    cells = random.standard_exponential((rows, columns))
    cells *= 2.0 / freedom
    np.expm1(cells, out=cells)
    cells *= freedom
    np.sqrt(cells, out=cells)
    cells *= np.cos(2.0 * np.pi * random.random((rows, columns)))
    return cells


def lognormal(sigma: float) -> Law:
    square = sigma * sigma
    mean, deviation = exp(square / 2.0), sqrt((exp(square) - 1.0) * exp(square))

    def draw(random: Generator, rows: int, columns: int) -> Cells:
        return (np.exp(sigma * random.standard_normal((rows, columns))) - mean) / deviation

    return draw


def stable(index: float) -> Law:
    """Symmetric, scale 1, by Chambers, Mallows and Stuck."""

    def draw(random: Generator, rows: int, columns: int) -> Cells:
        angle = (random.random((rows, columns)) - 0.5) * np.pi
        weight = random.standard_exponential((rows, columns))
        bent = (np.cos((1.0 - index) * angle) / weight) ** ((1.0 - index) / index)
        return np.sin(index * angle) / np.cos(angle) ** (1.0 / index) * bent

    return draw


def two_sided_pareto(right: float) -> Law:
    """Pareto 2.1, a share `right` of it turned to the right and the rest to the left."""
    mean = (2.0 * right - 1.0) * 2.1 / 1.1
    deviation = sqrt(21.0 - mean * mean)

    def draw(random: Generator, rows: int, columns: int) -> Cells:
        signs = np.where(random.random((rows, columns)) < right, 1.0, -1.0)
        return (signs * power_tail(random, rows, columns, 2.1) - mean) / deviation

    return draw


# ------------------------------------------------------------------------------------------------- gross values


def gross_cells(random: Generator, rows: int, columns: int) -> Cells:
    """Gaussian, 1 % of the cells gross, on either side."""
    cells = random.standard_normal((rows, columns))
    hit = np.nonzero(random.random((rows, columns)) < 0.01)
    cells[hit] += GROSS * random.choice([-1.0, 1.0], len(hit[0]))
    return cells


def gross_rows(width: int, both_sides: bool) -> Law:
    """Gaussian vectors of `width` columns, 1 % of them wholly gross: all to the right, or each to a side of its own."""

    def draw(random: Generator, rows: int, columns: int) -> Cells:
        cells = random.standard_normal((rows, columns // width, width))
        hit = np.nonzero(random.random(cells.shape[:2]) < 0.01)
        signs = random.choice([-1.0, 1.0], len(hit[0])) if both_sides else np.ones(len(hit[0]))
        cells[hit] += GROSS * signs[:, None]
        return cells.reshape(rows, columns)

    return draw


# -------------------------------------------------------------------------------------- streams in an odd order


class Stream(NamedTuple):
    """Rows as they come, their true mean and the unit in which errors count."""

    cells: Cells
    truth: float | Cells
    unit: float | Cells


def odd(kind: str, random: Generator, rows: int, columns: int) -> Stream:
    return ODD[kind](random, rows, columns)


def sorted_rows(random: Generator, rows: int, columns: int) -> Stream:
    return Stream(np.sort(random.standard_normal((rows, columns)), axis=0), 0.0, 1.0)


def drift(random: Generator, rows: int, columns: int) -> Stream:
    """A slope of ten standard deviations from the first row to the last."""
    slope = 10.0 * (np.arange(rows)[:, None] / (rows - 1) - 0.5)
    return Stream(random.standard_normal((rows, columns)) + slope, 0.0, 1.0)


def shifted(by: float, unit: float) -> Callable[[Generator, int, int], Stream]:
    """The second half lies elsewhere."""

    def draw(random: Generator, rows: int, columns: int) -> Stream:
        cells = random.standard_normal((rows, columns))
        cells[rows // 2 :] += by
        return Stream(cells, by / 2.0, unit)

    return draw


def warm_up(random: Generator, rows: int, columns: int) -> Stream:
    """The first twentieth is next to nothing."""
    cells, few = random.standard_normal((rows, columns)), rows // 20
    cells[:few] *= 1e-6
    cells[few:] += 1.0
    return Stream(cells, (rows - few) / rows, 1.0)


def sparse(share: float) -> Callable[[Generator, int, int], Stream]:
    """Zeros, and a share of exponential values."""

    def draw(random: Generator, rows: int, columns: int) -> Stream:
        cells = random.standard_exponential((rows, columns)) * (random.random((rows, columns)) < share)
        return Stream(cells, share, sqrt(2.0 * share - share**2))

    return draw


def far_away(random: Generator, rows: int, columns: int) -> Stream:
    return Stream(pareto(2.1)(random, rows, columns) + 1e6, 1e6, 1.0)


def own_scales(random: Generator, rows: int, columns: int) -> Stream:
    """Each column in a unit of its own, over twelve decades."""
    scales = 10.0 ** random.uniform(-6.0, 6.0, columns)
    return Stream(pareto(2.1)(random, rows, columns) * scales, 0.0, scales)


def first_gross(random: Generator, rows: int, columns: int) -> Stream:
    cells = random.standard_normal((rows, columns))
    cells[0] = 1e12
    return Stream(cells, 0.0, 1.0)


ODD: dict[str, Callable[[Generator, int, int], Stream]] = {
    "sorted": sorted_rows,
    "drift": drift,
    "shift of 20 sd": shifted(20.0, 1.0),
    "shift of 1e6 sd": shifted(1e6, 1e6),
    "warm-up": warm_up,
    "at 1e6": far_away,
    "scales 1e-6..1e6": own_scales,
    "first row 1e12": first_gross,
    "1% not zero": sparse(0.01),
    "10% not zero": sparse(0.1),
}


# --------------------------------------------------------------------------------- vectors of dependent columns


def correlated(random: Generator, rows: int, columns: int) -> Cells:
    """Gaussian, every two columns correlated .9."""
    return sqrt(0.9) * random.standard_normal((rows, 1)) + sqrt(0.1) * random.standard_normal((rows, columns))


def elliptic(random: Generator, rows: int, columns: int) -> Cells:
    """Student's t with 2.1 degrees: all columns of a row far out together, in a random direction."""
    reach = np.sqrt(0.1 / random.chisquare(2.1, (rows, 1)))
    return random.standard_normal((rows, columns)) * reach


def common_factor(random: Generator, rows: int, columns: int) -> Cells:
    """Half of each column's variance is one Pareto 2.1 factor, the rest Gaussian noise."""
    return sqrt(0.5) * (pareto(2.1)(random, rows, 1) + random.standard_normal((rows, columns)))


def one_heavy_column(random: Generator, rows: int, columns: int) -> Cells:
    """Gaussian, but for a first column of 50 standard deviations whose tail is Pareto 2.1."""
    cells = random.standard_normal((rows, columns))
    cells[:, :1] = 50.0 * pareto(2.1)(random, rows, 1)
    return cells


def one_sparse_column(random: Generator, rows: int, columns: int) -> Cells:
    """Gaussian, but for a first column of 30 standard deviations, 90 % zeros."""
    cells = random.standard_normal((rows, columns))
    cells[:, :1] = 30.0 * some_lognormal(random, rows, 1)
    return cells


# -------------------------------------------------------------------------- laws that chose nothing: first set


def burr(random: Generator, rows: int, columns: int) -> Cells:
    """Burr XII with c = k = 1.5: a tail of index 2.25."""
    cells = (np.exp(random.standard_exponential((rows, columns)) / 1.5) - 1.0) ** (1 / 1.5)
    return standard(cells, *moments(lambda r: 1.5 * gamma(1.5 - r / 1.5) * gamma(1.0 + r / 1.5) / gamma(2.5)))


def weibull(shape: float) -> Law:
    def draw(random: Generator, rows: int, columns: int) -> Cells:
        cells = random.standard_exponential((rows, columns)) ** (1.0 / shape)
        return standard(cells, *moments(lambda r: gamma(1.0 + r / shape)))

    return draw


def log_gamma(random: Generator, rows: int, columns: int) -> Cells:
    """exp of a gamma variable of shape 2 and rate 3: E x^r = (3 / (3 - r))^2."""
    cells = np.exp(random.standard_gamma(2.0, (rows, columns)) / 3.0)
    return standard(cells, *moments(lambda r: (3.0 / (3.0 - r)) ** 2))


def two_scales(random: Generator, rows: int, columns: int) -> Cells:
    """Normal, a tenth of it six times as wide."""
    cells = random.standard_normal((rows, columns))
    cells *= np.where(random.random((rows, columns)) < 0.1, 6.0, 1.0)
    return cells / sqrt(0.9 + 3.6)


def chi_square(random: Generator, rows: int, columns: int) -> Cells:
    return (random.standard_normal((rows, columns)) ** 2 - 1.0) / sqrt(2.0)


def bernoulli(chance: float) -> Law:
    def draw(random: Generator, rows: int, columns: int) -> Cells:
        return standard(random.random((rows, columns)) < chance, chance, sqrt(chance * (1.0 - chance)))

    return draw


def some_lognormal(random: Generator, rows: int, columns: int) -> Cells:
    """90 % zeros, else lognormal."""
    cells = np.exp(random.standard_normal((rows, columns)))
    cells *= random.random((rows, columns)) < 0.1
    return standard(cells, *moments(lambda r: 0.1 * exp(r * r / 2.0)))


# ------------------------------------------------------------------------- laws that chose nothing: second set


def uneven_laplace(random: Generator, rows: int, columns: int) -> Cells:
    """Nearly symmetric: exponential tails of mean 1 to the right and 0.8 to the left."""
    cells = random.standard_exponential((rows, columns)) - 0.8 * random.standard_exponential((rows, columns))
    return standard(cells, 0.2, sqrt(1.64))


def pareto_less_exponential(random: Generator, rows: int, columns: int) -> Cells:
    """A heavy right tail of index 2.3 and a light left one of about its size."""
    cells = power_tail(random, rows, columns, 2.3) - 2.0 * random.standard_exponential((rows, columns))
    return standard(cells, 2.3 / 1.3 - 2.0, sqrt(2.3 / (1.3**2 * 0.3) + 4.0))


def inverse_gamma(random: Generator, rows: int, columns: int) -> Cells:
    cells = 1.0 / random.standard_gamma(2.2, (rows, columns))
    return standard(cells, 1 / 1.2, sqrt(1.0 / (1.2**2 * 0.2)))


def fisher(random: Generator, rows: int, columns: int) -> Cells:
    """Fisher's F with 5 and 5 degrees of freedom: a tail of index 2.5."""
    cells = random.standard_gamma(2.5, (rows, columns)) / random.standard_gamma(2.5, (rows, columns))
    return standard(cells, 5 / 3, sqrt(2 * 25 * 8 / (5 * 9 * 1)))


def two_exponentials(random: Generator, rows: int, columns: int) -> Cells:
    """Mixed scales, skewed: one row in ten is 20 times as long."""
    cells = random.standard_exponential((rows, columns))
    cells *= np.where(random.random((rows, columns)) < 0.1, 20.0, 1.0)
    return standard(cells, *moments(lambda r: gamma(1.0 + r) * (0.9 + 0.1 * 20.0**r)))


def many_scales(random: Generator, rows: int, columns: int) -> Cells:
    """Normal with a scale spread evenly over three decades."""
    scale = 10.0 ** (3.0 * random.random((rows, columns)))
    return random.standard_normal((rows, columns)) * scale / sqrt((10.0**6 - 1.0) / (6.0 * log(10.0)))


def wild_percent(random: Generator, rows: int, columns: int) -> Cells:
    """Gaussian, 1 % of it ten times Student's t with 1.2 degrees: symmetric, nearly Cauchy."""
    cells = random.standard_normal((rows, columns))
    hit = np.nonzero(random.random((rows, columns)) < 0.01)
    cells[hit] = 10.0 * random.standard_t(1.2, len(hit[0]))
    return cells


def u_shaped(random: Generator, rows: int, columns: int) -> Cells:
    """Beta(0.3, 0.3) by the arcsine-like ratio of two gammas."""
    return standard(random.beta(0.3, 0.3, (rows, columns)), 0.5, sqrt(0.25 / 1.6))


def skewed_share(random: Generator, rows: int, columns: int) -> Cells:
    """Bounded and skewed: Beta(0.1, 2), most of it next to zero."""
    return standard(random.beta(0.1, 2.0, (rows, columns)), 0.1 / 2.1, sqrt(0.2 / (2.1**2 * 3.1)))


def zipf(random: Generator, rows: int, columns: int) -> Cells:
    """Whole numbers with chance k^-2.5: infinite variance; in units."""
    return random.zipf(2.5, (rows, columns)) - ZETA[1.5] / ZETA[2.5]


def negative_binomial(random: Generator, rows: int, columns: int) -> Cells:
    """Overdispersed counts: mean 9.8, most of them zero, by a gamma of shape 0.2."""
    cells = random.negative_binomial(0.2, 0.02, (rows, columns))
    return standard(cells, 0.2 * 0.98 / 0.02, sqrt(0.2 * 0.98) / 0.02)


def rare_counts(random: Generator, rows: int, columns: int) -> Cells:
    return standard(random.poisson(0.05, (rows, columns)), 0.05, sqrt(0.05))


def claims(random: Generator, rows: int, columns: int) -> Cells:
    """95 % zeros, else Pareto 2.5."""
    cells = power_tail(random, rows, columns, 2.5)
    cells *= random.random((rows, columns)) < 0.05
    return standard(cells, *moments(lambda r: 0.05 * 2.5 / (2.5 - r)))


def heaped(random: Generator, rows: int, columns: int) -> Cells:
    """Lognormal of median 100 told in tens, or, by seven in ten, in fifties: few distinct values, many ties."""
    step = np.where(random.random((rows, columns)) < 0.7, 50.0, 10.0)
    cells = np.exp(log(100.0) + random.standard_normal((rows, columns)))
    return standard(np.rint(cells / step) * step, *HEAPED)


def heaped_moments() -> tuple[float, float]:
    """E x = step sum S((k + 1/2) step) and E x^2 = step^2 sum (2k + 1) S((k + 1/2) step), S the chance to be above."""
    from scipy.special import ndtr

    first = second = 0.0
    for share, step in ((0.7, 50.0), (0.3, 10.0)):
        k = np.arange(1_000_000)
        above = ndtr(-np.log((k + 0.5) * step / 100.0))
        first += share * step * float(above.sum())
        second += share * step**2 * float(((2 * k + 1) * above).sum())
    return first, sqrt(second - first**2)


HEAPED = heaped_moments()


def with_atoms(random: Generator, rows: int, columns: int) -> Cells:
    """A fifth at 0, a fifth at 1, else lognormal of sigma 1.2."""
    kind = random.random((rows, columns))
    cells = np.exp(1.2 * random.standard_normal((rows, columns)))
    cells = np.where(kind < 0.2, 0.0, np.where(kind < 0.4, 1.0, cells))
    return standard(cells, *moments(lambda r: 0.2 + 0.6 * exp(0.72 * r * r)))


def rare_jumps(random: Generator, rows: int, columns: int) -> Cells:
    """Adverse: Gaussian with real jumps of 50 in one cell of 500, which hold 83 % of the variance."""
    jumps = random.random((rows, columns)) < 1 / 500
    cells = random.standard_normal((rows, columns)) + 50.0 * jumps
    return standard(cells, 0.1, sqrt(1.0 + 2500.0 * 0.002 * 0.998))


def mostly_zero(random: Generator, rows: int, columns: int) -> Cells:
    """Adverse: 97 % zeros, else exponential: at 1,000 rows about as many values as are remembered."""
    cells = random.standard_exponential((rows, columns))
    cells *= random.random((rows, columns)) < 0.03
    return standard(cells, 0.03, sqrt(0.06 - 0.03**2))


def dropouts(random: Generator, rows: int, columns: int) -> Cells:
    """Adverse: three readings in 100 are really zero, 100 standard deviations below the others."""
    cells = random.standard_normal((rows, columns)) + 100.0
    cells *= random.random((rows, columns)) < 0.97
    return standard(cells, 97.0, sqrt(0.97 * 10_001.0 - 97.0**2))


def standard(cells: NDArray[np.generic], mean: float, deviation: float) -> Cells:
    return (cells.astype(np.float64) - mean) / deviation


def moments(raw: Callable[[float], float]) -> tuple[float, float]:
    """Mean and standard deviation from E x^r."""
    return raw(1.0), sqrt(raw(2.0) - raw(1.0) ** 2)


# ------------------------------------------------------------------------------------------------------ by name

CLEAN: dict[str, Law] = {
    "Pareto 2.1": pareto(2.1),
    "Pareto 1.5": pareto(1.5),
    "t 2.1": student(2.1),
    "t 3": student(3.0),
    "lognormal 2": lognormal(2.0),
    "Gaussian": gaussian,
    "stable 1.5": stable(1.5),
    "asym7": two_sided_pareto(0.7),
    "asym9": two_sided_pareto(0.9),
    "exponential": exponential,
}
GROSSLY: dict[str, Law] = {
    "1% cells": gross_cells,
    "1% rows": gross_rows(20, both_sides=False),
    "1% +-rows": gross_rows(20, both_sides=True),
}
BAR: dict[str, Law] = {
    "Pareto 2.1": pareto(2.1),
    "Pareto 4.1": pareto(4.1),
    "lognormal": lognormal(1.0),
    "t 2.1": student(2.1),
    "t 3": student(3.0),
    "Gaussian": gaussian,
}
HELD_OUT: dict[str, Law] = {
    "Burr 1.5, 1.5": burr,
    "Weibull .35": weibull(0.35),
    "t 2.2": student(2.2),
    "log-gamma": log_gamma,
    "two normals": two_scales,
    "chi-square 1": chi_square,
    "Bernoulli .02": bernoulli(0.02),
    "90% zeros, lognormal": some_lognormal,
}
OWN: dict[str, Law] = {
    "uneven Laplace": uneven_laplace,
    "Pareto less exponential": pareto_less_exponential,
    "inverse gamma 2.2": inverse_gamma,
    "F 5, 5": fisher,
    "Weibull .4": weibull(0.4),
    "two exponentials": two_exponentials,
    "many scales": many_scales,
    "1% nearly Cauchy": wild_percent,
    "U-shaped": u_shaped,
    "Beta .1, 2": skewed_share,
    "Zipf 2.5": zipf,
    "negative binomial": negative_binomial,
    "Poisson .05": rare_counts,
    "95% zeros, Pareto 2.5": claims,
    "heaped lognormal": heaped,
    "lognormal with atoms": with_atoms,
    "97% zeros, exponential": mostly_zero,
}
ADVERSE: dict[str, Law] = {
    "real jumps 1 in 500": rare_jumps,
    "real dropouts 3%": dropouts,
}
VECTORS: dict[str, Law] = {
    "correlated .9": correlated,
    "elliptic t 2.1": elliptic,
    "common Pareto factor": common_factor,
}
UNEVEN: dict[str, Law] = {"one heavy column": one_heavy_column, "one sparse column": one_sparse_column}


def named(name: str, width: int = 20) -> Law:
    """A law by its name; `width` tells those that hit whole rows how many columns a row has."""
    if name in ("1% rows", "1% +-rows"):
        return gross_rows(width, both_sides=name == "1% +-rows")
    return {**CLEAN, **BAR, **GROSSLY, **HELD_OUT, **OWN, **ADVERSE, **VECTORS, **UNEVEN}[name]
