"""The streams that the regressions are tried on: rows, targets, and the slopes that are true of them.

Unless its name says otherwise a stream has true slopes of length 1, all equal, intercept 0, features of variance 1 and
noise of variance .75 (so that `Pareto` is a skewed law of infinite kurtosis, centred). What damages or rescales a
stream keeps the sample as it was before, so that both can be fitted and compared.
"""

from collections.abc import Callable
from math import exp, sqrt
from typing import NamedTuple

import numpy as np
from numpy.random import Generator

import laws
from laws import Cells, Law

NOISE = sqrt(0.75)


class Sample(NamedTuple):
    X: Cells
    y: Cells
    slopes: Cells
    unit: Cells | float = 1.0  # in which errors of slopes count
    intercept: float = 0.0
    before: "Sample | None" = None  # undamaged, or in plain units

    @property
    def clean(self) -> "Sample":
        return self.before or self

    def loss(self, slopes: Cells) -> float:
        """The distance of these slopes from the true ones."""
        return float(np.linalg.norm(self.unit * (slopes - self.slopes)))


Stream = Callable[[Generator, int, int], Sample]


def even(width: int) -> Cells:
    return np.ones(width) / sqrt(width)


def alternating(width: int) -> Cells:
    return even(width) * (-1.0) ** np.arange(width)


def random_slopes(random: Generator, width: int) -> Cells:
    return random.standard_normal(width) / sqrt(width)


def made(features: Law, noise: Law, slopes: Callable[[int], Cells] = even, deviation: float = NOISE) -> Stream:
    """Features and independent noise of these laws."""

    def draw(random: Generator, rows: int, width: int) -> Sample:
        X, true = features(random, rows, width), slopes(width)
        return Sample(X, X @ true + deviation * noise(random, rows, 1)[:, 0], true)

    return draw


def correlated(step: float) -> Law:
    """Gaussian; each column is an autoregression on the one before it."""

    def draw(random: Generator, rows: int, width: int) -> Cells:
        X = random.standard_normal((rows, width))
        for j in range(1, width):
            X[:, j] = step * X[:, j - 1] + sqrt(1.0 - step * step) * X[:, j]
        return X

    return draw


def times(factor: float) -> Callable[[int], Cells]:
    """Slopes so many times as long."""
    return lambda width: factor * even(width)


def some(random: Generator, rows: int, share: float) -> Cells:
    """The rows that are hit, each with this chance."""
    return np.flatnonzero(random.random(rows) < share)


# --------------------------------------------------------------------------------------------- damage and units


def gross_targets(stream: Stream, one_sided: bool = False) -> Stream:
    """1 % of the targets 1000 off."""

    def draw(random: Generator, rows: int, width: int) -> Sample:
        before = stream(random, rows, width)
        hit, y = some(random, rows, 0.01), before.y.copy()
        y[hit] += laws.GROSS * (1.0 if one_sided else random.choice([-1.0, 1.0], len(hit)))
        return before._replace(y=y, before=before)

    return draw


def gross_features(random: Generator, rows: int, width: int) -> Sample:
    """Bad leverage: 1 % of the rows get features 100 standard deviations long that say nothing of the target."""
    before = made(laws.gaussian, laws.gaussian)(random, rows, width)
    hit, X = some(random, rows, 0.01), before.X.copy()
    X[hit] += 100.0 * random.standard_normal((len(hit), width))
    return before._replace(X=X, before=before)


def own_units(random: Generator, rows: int, width: int) -> Sample:
    """Each feature in a unit of its own, over twelve decades."""
    before = PAPER(random, rows, width)
    unit = 10.0 ** random.uniform(-6.0, 6.0, width)
    return Sample(before.X * unit, before.y, before.slopes / unit, unit, before=before)


def offset(random: Generator, rows: int, width: int) -> Sample:
    """Every feature 1e4 away from the origin, the target 3e3."""
    before = PAPER(random, rows, width)
    intercept = 3e3 - 1e4 * float(before.slopes.sum())
    return before._replace(X=before.X + 1e4, y=before.y + 3e3, intercept=intercept, before=before)


# ---------------------------------------------------------------------------------- noise that depends on the row


def skewed_uneven(features: Law = laws.gaussian) -> Stream:
    """Skewed noise, the wider the farther the first feature is from -1."""

    def draw(random: Generator, rows: int, width: int) -> Sample:
        X = features(random, rows, width)
        noise = NOISE * laws.pareto(2.1)(random, rows, 1)[:, 0] * np.abs(1.0 + X[:, 0]) / sqrt(2.0)
        return Sample(X, X @ even(width) + noise, even(width))

    return draw


def exponential_scale(random: Generator, rows: int, width: int) -> Sample:
    """Centred lognormal noise times exp of half the first feature."""
    X = random.standard_normal((rows, width))
    noise = np.exp(X[:, 0] / 2.0) * (np.exp(random.standard_normal(rows)) - exp(0.5))
    return Sample(X, X @ even(width) + noise, even(width))


def mostly_zero(random: Generator, rows: int, width: int) -> Sample:
    """Nine targets in ten are 0."""
    X = random.standard_normal((rows, width))
    y = 10.0 * (X @ even(width)) + sqrt(7.5) * random.standard_normal(rows)
    return Sample(X, y * (random.random(rows) < 0.1), even(width))


def rare_purchases(random: Generator, rows: int, width: int) -> Sample:
    """98 targets in 100 are one value, the others lognormal: how much is bought depends on the first feature."""
    X, share = random.standard_normal((rows, width)), 0.02
    bought = np.exp(random.standard_normal(rows) - 0.5 + 0.3 * X[:, 0]) / share
    slopes = np.zeros(width)
    slopes[0] = 0.3 * exp(0.045)
    return Sample(X, bought * (random.random(rows) < share) - exp(0.045), slopes)


# -------------------------------------------------------------------------------------------- sparse features


def sparse(random: Generator, rows: int, width: int) -> Sample:
    """A tenth of the features' cells are not 0."""
    X = random.standard_normal((rows, width)) * (random.random((rows, width)) < 0.1)
    y = X @ even(width) + NOISE * random.standard_normal(rows)
    return Sample(X, y, even(width), sqrt(0.1))


def one_hot(random: Generator, rows: int, width: int) -> Sample:
    X, slopes = np.zeros((rows, width)), random.standard_normal(width)
    X[np.arange(rows), random.integers(0, width, rows)] = 1.0
    return Sample(X, X @ slopes + NOISE * random.standard_normal(rows), slopes, 1.0 / sqrt(width))


# -------------------------------------------------------------------- laws that chose nothing: of the research


def rotated(random: Generator, rows: int, width: int) -> Sample:
    """Lognormal features turned by a fixed rotation; noise a squared exponential, wider on one side."""
    turn = np.linalg.qr(np.random.default_rng(0).standard_normal((width, width)))[0]
    X = laws.lognormal(1.0)(random, rows, width) @ turn
    noise = (random.standard_exponential(rows) ** 2 - 2.0) / sqrt(20.0) * np.abs(1.0 + X[:, 0])
    slopes = random_slopes(random, width)
    return Sample(X, X @ slopes + noise, slopes)


def moderate_outliers(random: Generator, rows: int, width: int) -> Sample:
    """3 % of the targets 30 standard deviations too high: too many and too near to be set aside."""
    sample = standard_noise(random, rows, width)
    sample.y[some(random, rows, 0.03)] += 30.0
    return sample


def unrelated_leverage(random: Generator, rows: int, width: int) -> Sample:
    """2 % of the rows 20 times as long, with targets that have nothing to do with them."""
    sample = standard_noise(random, rows, width)
    hit = some(random, rows, 0.02)
    sample.X[hit] *= 20.0
    sample.y[hit] = random.standard_normal(len(hit))
    return sample


def standard_noise(random: Generator, rows: int, width: int) -> Sample:
    slopes = random_slopes(random, width)
    return made(laws.gaussian, laws.gaussian, lambda _: slopes, 1.0)(random, rows, width)


def inverse_gamma_noise(random: Generator, rows: int, width: int) -> Sample:
    X, slopes = random.standard_normal((rows, width)), random_slopes(random, width)
    return Sample(X, X @ slopes + (1.0 / random.standard_gamma(2.3, rows) - 1.0 / 1.3) / 0.8, slopes)


def rare_events(random: Generator, rows: int, width: int) -> Sample:
    """Targets 0 and 1, a twentieth of them 1, by the tanh of the first feature."""
    X, slopes = random.standard_normal((rows, width)), np.zeros(width)
    slopes[0] = 0.04 * SLOPE_OF_TANH
    y = (random.random(rows) < 0.05 * (1.0 + 0.8 * np.tanh(X[:, 0]))).astype(float)
    return Sample(X, y, slopes, intercept=0.05)


def slope_of_tanh() -> float:
    """E Z tanh Z of a standard normal Z, which is the best slope of tanh Z, by quadrature."""
    at, weights = np.polynomial.hermite_e.hermegauss(120)
    return float((weights * at * np.tanh(at)).sum() / weights.sum())


SLOPE_OF_TANH = slope_of_tanh()


def uneven_counts(random: Generator, rows: int, width: int) -> Sample:
    """Overdispersed counts of mean exp(.3 x), whose best slope is .3."""
    X, slopes = random.standard_normal((rows, width)), np.zeros(width)
    slopes[0] = 0.3
    rate = np.exp(0.3 * X[:, 0] - 0.045) * random.gamma(0.3, 1.0 / 0.3, rows)
    return Sample(X, random.poisson(rate).astype(float), slopes, intercept=1.0)


def elliptic(random: Generator, rows: int, width: int) -> Sample:
    """Rows of Student's t with 3 degrees, far out as a whole; noise t 2.5, wider with the second feature."""
    X = random.standard_normal((rows, width)) * np.sqrt(3.0 / random.chisquare(3.0, (rows, 1)))
    noise = random.standard_t(2.5, rows) * np.exp(0.3 * np.minimum(np.abs(X[:, 1]), 3.0))
    slopes = random_slopes(random, width)
    return Sample(X, X @ slopes + noise, slopes)


# --------------------------------------------------------------------------- laws that chose nothing: of our own


def two_clouds(random: Generator, rows: int, width: int) -> Sample:
    """Two clouds of rows, one of them four times as noisy, with exponential noise."""
    apart = random.random(rows) < 0.2
    X = random.standard_normal((rows, width)) + 2.0 * apart[:, None] * np.sign(np.sin(np.arange(1, width + 1)))
    noise = (random.standard_exponential(rows) - 1.0) * np.where(apart, 2.0, 0.5)
    slopes = random_slopes(random, width)
    return Sample(X, X @ slopes + noise, slopes)


def bent(random: Generator, rows: int, width: int) -> Sample:
    """The model is wrong: a square and a product are left out. The best slopes of Gaussian rows are the linear ones."""
    X = random.standard_normal((rows, width))
    missing = 0.5 * (X[:, 0] ** 2 - 1.0) + X[:, 0] * X[:, -1]
    slopes = random_slopes(random, width)
    return Sample(X, X @ slopes + missing + 0.5 * random.standard_normal(rows), slopes)


def claims(random: Generator, rows: int, width: int) -> Sample:
    """One policy in ten has a claim, lognormal, in proportion to a risk that is linear in bounded features."""
    X, slopes = random.random((rows, width)), np.arange(1.0, width + 1.0) / width
    size = np.exp(random.standard_normal(rows) - 0.5) * (random.random(rows) < 0.1) / 0.1
    return Sample(X, (1.0 + X @ slopes) * size, slopes, sqrt(1.0 / 12.0), 1.0)


def whole_numbers(random: Generator, rows: int, width: int) -> Sample:
    """Targets rounded up or down by chance, so that their mean is right: a few distinct values."""
    X, slopes = laws.uniform(random, rows, width), random_slopes(random, width)
    return Sample(X, np.floor(X @ slopes + random.random(rows)), slopes)


def burr_features(random: Generator, rows: int, width: int) -> Sample:
    """Features with a tail of index 2.25 and noise skewed the other way."""
    X, slopes = laws.burr(random, rows, width), random_slopes(random, width)
    return Sample(X, X @ slopes - NOISE * laws.inverse_gamma(random, rows, 1)[:, 0], slopes)


def slow_noise(random: Generator, rows: int, width: int) -> Sample:
    """Noise of Student's t with 3 degrees that remembers: .8 of the last value stays."""
    X, slopes = random.standard_normal((rows, width)), random_slopes(random, width)
    noise = 0.6 * laws.student(3.0)(random, rows, 1)[:, 0]
    for row in range(1, rows):
        noise[row] += 0.8 * noise[row - 1]
    return Sample(X, X @ slopes + noise, slopes)


def own_slopes(random: Generator, rows: int, width: int) -> Sample:
    """Every row has slopes of its own about the common ones: noise as long as the row, with a tail of index 2.5."""
    X, slopes = random.standard_normal((rows, width)), random_slopes(random, width)
    own = 0.3 * random.standard_normal((rows, width)) * np.sqrt(2.5 / random.chisquare(2.5, (rows, 1)))
    return Sample(X, (X * (slopes + own)).sum(axis=1) + 0.3 * random.standard_normal(rows), slopes)


def dosage(random: Generator, rows: int, width: int) -> Sample:
    """Features 0, 1 or 2, some of them rarely; targets lognormal about a mean that is linear and positive."""
    share = np.linspace(0.05, 0.5, width)
    X, slopes = random.binomial(2, share, (rows, width)).astype(float), even(width)
    size = np.exp(1.2 * random.standard_normal(rows) - 0.72)
    return Sample(X, (0.5 + X @ slopes) * size, slopes, np.sqrt(2.0 * share * (1.0 - share)), 0.5)


# ------------------------------------------------------------------------------------------------- zeros and ones


def chances(features: Law) -> Stream:
    """Targets 1 with the logistic chance of x'theta."""

    def draw(random: Generator, rows: int, width: int) -> Sample:
        X = features(random, rows, width)
        chance = 1.0 / (1.0 + np.exp(-(X @ even(width))))
        return Sample(X, (random.random(rows) < chance).astype(float), even(width))

    return draw


def blown_up(random: Generator, rows: int, width: int) -> Sample:
    """1 % of the rows 30 times as long, their labels the toss of a coin."""
    before = chances(laws.pareto(4.1))(random, rows, width)
    hit, X, y = some(random, rows, 0.01), before.X.copy(), before.y.copy()
    X[hit] *= 30.0
    y[hit] = random.random(len(hit)) < 0.5
    return before._replace(X=X, y=y, before=before)


# ------------------------------------------------------------------------------------------------------- by name

PAPER = made(laws.pareto(4.1), laws.pareto(2.1))
PLAIN = made(laws.gaussian, laws.gaussian)

STREAMS: dict[str, Stream] = {
    "paper": PAPER,
    "paper, slopes x30": made(laws.pareto(4.1), laws.pareto(2.1), times(30.0)),
    "Gaussian": PLAIN,
    "Gaussian, slopes x1e6": made(laws.gaussian, laws.gaussian, times(1e6)),
    "Gaussian x, Pareto noise": made(laws.gaussian, laws.pareto(2.1)),
    "correlated .9": made(correlated(0.9), laws.pareto(2.1), alternating),
    "correlated .5": made(correlated(0.5), laws.pareto(2.1)),
    "1% y +-1000": gross_targets(PLAIN),
    "1% y +1000": gross_targets(PLAIN, one_sided=True),
    "paper, 1% y +-1000": gross_targets(PAPER),
    "1% bad leverage": gross_features,
    "own units": own_units,
    "offset": offset,
    "t 2.5, t 2.1 noise": made(laws.student(2.5), laws.student(2.1)),
    "t 5, t 2.1 noise": made(laws.student(5.0), laws.student(2.1)),
    "skewed uneven noise": skewed_uneven(),
    "correlated .5, skewed uneven": skewed_uneven(correlated(0.5)),
    "exponential scale": exponential_scale,
    "90% zeros": mostly_zero,
    "98% one value": rare_purchases,
    "10% not zero": sparse,
    "one-hot": one_hot,
    "Pareto 1.5 noise": made(laws.gaussian, laws.pareto(1.5), deviation=1.0),
    "lognormal 2 noise": made(laws.gaussian, laws.lognormal(2.0), deviation=1.0),
}
HELD_OUT: dict[str, Stream] = {
    "rotated lognormal": rotated,
    "3% y +30": moderate_outliers,
    "2% unrelated leverage": unrelated_leverage,
    "inverse gamma 2.3 noise": inverse_gamma_noise,
    "5% events": rare_events,
    "uneven counts": uneven_counts,
    "elliptic t 3": elliptic,
}
OWN: dict[str, Stream] = {
    "two clouds": two_clouds,
    "bent": bent,
    "claims": claims,
    "whole numbers": whole_numbers,
    "Burr features": burr_features,
    "slow noise": slow_noise,
    "own slopes": own_slopes,
    "dosage": dosage,
}
CHANCES: dict[str, Stream] = {
    "Pareto x": chances(laws.pareto(4.1)),
    "Gaussian x": chances(laws.gaussian),
    "correlated .9": chances(correlated(0.9)),
    "1% rows x30, random labels": blown_up,
}


def named(name: str) -> Stream:
    return {**STREAMS, **HELD_OUT, **OWN}[name]
