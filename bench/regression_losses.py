"""How far the regressions are from the truth, beside least squares, Huber's two estimates and maximum likelihood.

The required figures are what we set out to reach; held-out laws only have to be no worse than least squares.
"""

from collections.abc import Iterator
from functools import partial
from itertools import chain
from math import sqrt
from typing import NamedTuple

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

import fits
import peers
import streams
from sections import Row, Section, Task
from tailproof import ClippedSGD, Everywhere, Fixed, Harmonic, Squared

# Cells that one row of a table may draw; trials follow from it.
CELLS = 52_500_000
# Huber's estimates take many passes; where one costs more than this, in rows times squared columns, they are left out.
HUBER = 100_000_000
# The line of the research for a law that chose nothing.
NO_WORSE = 1.02
Losses = NDArray[np.float64]
Size = tuple[str, int, int]


class Need(NamedTuple):
    """What a table's row asks for: at most this loss, and this many times the loss of peers on the same samples."""

    mean: float | None = None
    q01: float | None = None
    q001: float | None = None
    times: tuple[tuple[str, float], ...] = ()


def trials_of(rows: int, width: int, count: int, need: Need = Need()) -> int:  # noqa: B008
    """As many as the cells allow; a quantile that few trials exceed takes half of those asked for at any cost."""
    fewest = 12 if need.q001 is None else count // 2
    return max(fewest, min(count // 2, int(CELLS * min(1.0, count / 2000)) // (rows * width)))


def loss_rows(what: str, found: Losses, need: Need) -> Iterator[Row]:
    """The mean loss, and the losses that few trials exceed where they are asked for."""
    count = len(found)
    bound = () if need.mean is None else ("<=", (need.mean,), (2.0 * float(found.std()) / sqrt(count),))
    yield Row(f"{what}: mean loss", count, (float(found.mean()),), *bound)
    for label, share, limit in (("Q.01", 0.01, need.q01), ("Q.001", 0.001, need.q001)):
        if limit is not None:
            seen, slack = quantile(found, share)
            yield Row(f"{what}: {label}", count, (seen,), "<=", (limit,), (slack,))


def quantile(found: Losses, share: float) -> tuple[float, float]:
    """The loss that this share of the trials exceeds, and how far it may lie too high by the chance of ranks."""
    seen = float(np.quantile(found, 1.0 - share))
    likely = min(1.0, share + 2.0 * sqrt(share * (1.0 - share) / len(found)))
    return seen, seen - float(np.quantile(found, 1.0 - likely))


def ratio_rows(what: str, mine: str, found: fits.Found, need: Need) -> Iterator[Row]:
    for other, bound in need.times:
        measured = float(found[mine].mean() / found[other].mean())
        yield Row(f"{what}: mean loss over that of {other}", len(found[mine]), (measured,), "<=", (bound,))


def beside(what: str, found: fits.Found, names: list[str]) -> Row:
    shown = [name for name in names if name in found]
    means = tuple(float(found[name].mean()) for name in shown)
    return Row(f"{what}: {', '.join(shown)}", len(found[shown[0]]), means)


# ------------------------------------------------------------------------------------------ with a Gram matrix

LEAST, CLEAN = "least squares", "least squares, before"
PLAIN = ((LEAST, 1.002),)
GRAM: dict[Size, Need] = {
    ("paper", 1000, 20): Need(0.0350, 0.051, 0.056),
    ("paper, slopes x30", 1000, 20): Need(0.0350, 0.051, 0.056),
    ("Gaussian", 1000, 20): Need(times=PLAIN),
    ("Gaussian, slopes x1e6", 1000, 20): Need(times=PLAIN),
    ("Gaussian x, Pareto noise", 1000, 20): Need(),
    ("correlated .9", 1000, 20): Need(0.106, 0.165, 0.18),
    ("1% y +-1000", 1000, 20): Need(0.127, None, 0.20, ((CLEAN, 1.03),)),
    ("1% bad leverage", 1000, 20): Need(0.126, None, 0.20, ((CLEAN, 1.03),)),
    ("own units", 1000, 20): Need(times=(("gram, before", 1.01),)),
    ("offset", 1000, 20): Need(),
    ("t 2.5, t 2.1 noise", 1000, 20): Need(0.0590, 0.085),
    ("skewed uneven noise", 1000, 20): Need(0.0375, 0.052),
    ("10% not zero", 1000, 20): Need(),
    ("paper", 100, 20): Need(0.113, None, 0.22),
    ("Gaussian", 100, 20): Need(times=((LEAST, 1.012),)),
    ("paper", 1024, 256): Need(0.117, None, 0.145),
    ("Gaussian", 1024, 256): Need(times=((LEAST, 1.005),)),
    ("Gaussian", 5000, 256): Need(times=((LEAST, 1.001),)),
    ("1% bad leverage", 5000, 256): Need(times=((CLEAN, 1.03),)),
    ("paper", 3000, 1): Need(0.0053),
    ("skewed uneven noise", 3000, 1): Need(0.0088),
    ("paper", 20_000, 5): Need(0.0062),
    ("Gaussian", 20_000, 5): Need(times=PLAIN),
    ("skewed uneven noise", 20_000, 5): Need(0.0072),
    ("1% y +-1000", 20_000, 5): Need(times=((CLEAN, 1.05),)),
    ("1% bad leverage", 20_000, 5): Need(times=((CLEAN, 1.05),)),
    ("90% zeros", 20_000, 5): Need(times=((LEAST, 1.01),)),
    ("98% one value", 20_000, 5): Need(times=((LEAST, 1.01),)),
    ("paper", 100_000, 20): Need(),
    ("1% y +-1000", 100_000, 20): Need(times=((CLEAN, 1.05),)),
    ("1% bad leverage", 100_000, 20): Need(times=((CLEAN, 1.05),)),
}
# Shown for what they cost; nothing is required.
SHOWN = ("exponential scale", "paper, 1% y +-1000", "1% y +1000", "Pareto 1.5 noise", "lognormal 2 noise", "one-hot")
JUDGED = ("paper", "Gaussian", "correlated .9", "t 2.5, t 2.1 noise", "skewed uneven noise", "10% not zero", "one-hot")
ZEROS = ("90% zeros", "98% one value")


def gram_tasks() -> Iterator[Task]:
    extra = {(name, 1000, 20): Need() for name in SHOWN}
    for (name, rows, width), need in {**GRAM, **extra}.items():
        what = f"{name}, N={rows:,} p={width}"
        yield Task("regression-gram", what, partial(gram_rows, what, (name, rows, width), need))
    for name in JUDGED:
        yield Task("regression-gram", f"verdicts, {name}", partial(verdict_rows, name, 1000, 20, None))
    for name in ZEROS:
        yield Task("regression-gram", f"verdicts, {name}", partial(verdict_rows, name, 20_000, 5, 0.0))


def gram_rows(what: str, size: Size, need: Need, random: Generator, count: int) -> list[Row]:
    """Without an intercept, as in the research; what a fit with one loses is shown beside."""
    name, rows, width = size
    count = trials_of(rows, width, count if name not in SHOWN else count // 5, need)
    found = fits.losses(streams.named(name), rows, width, count, random, contenders(rows, width))
    mine = "gram with intercept" if name == "offset" else "gram"
    if name == "offset":
        need = Need(times=((f"{mine}, before", 1.01),))
    shown = [LEAST, CLEAN, "Huber", "adaptive Huber", "gram with intercept"]
    return [
        *loss_rows(what, found[mine], need),
        *ratio_rows(what, mine, found, need),
        beside(what, found, shown),
    ]


def contenders(rows: int, width: int) -> dict[str, fits.Slopes]:
    least: dict[str, fits.Slopes] = {LEAST: fits.peer(peers.least_squares)}
    huber = {"Huber": fits.peer(peers.huber), "adaptive Huber": fits.peer(peers.adaptive_huber)}
    mine = {"gram": fits.by(fits.GRAM), "gram with intercept": fits.by(fits.GRAM_CENTRED)}
    return {**least, **(huber if rows * width**2 <= HUBER else {}), **mine}


def verdict_rows(name: str, rows: int, width: int, most: float | None, random: Generator, count: int) -> list[Row]:
    """The share of clean streams some of whose rows are taken for gross."""
    count = trials_of(rows, width, count)
    drawn = fits.drawn(streams.named(name), rows, width, count, random)
    share = float(np.mean([fits.fitted(fits.GRAM, sample).set_aside > 0 for sample in drawn]))
    bound = () if most is None else ("<=", (most,))
    return [Row(f"{name}, N={rows:,} p={width}: trials with rows set aside", count, (share,), *bound)]


# ----------------------------------------------------------------------------------------- with a few vectors

SGD: dict[Size, Need] = {
    ("paper", 1024, 256): Need(0.320, 0.390, 0.41),
    ("paper", 100, 20): Need(0.262, None, 0.54),
    ("paper", 500, 20): Need(0.0650, None, 0.115),
    ("paper", 1000, 20): Need(0.0430, None, 0.074),
    ("Gaussian", 1000, 20): Need(0.142),
    ("Gaussian", 20_000, 5): Need(0.0143),
    ("Gaussian", 100_000, 20): Need(0.0127),
    ("1% y +-1000", 1000, 20): Need(0.157),
    ("Gaussian, slopes x1e6", 1000, 20): Need(0.30),
    ("own units", 1000, 20): Need(times=(("sgd, before", 1.03),)),
    ("correlated .9", 1000, 20): Need(0.51),
    ("correlated .9", 20_000, 5): Need(0.017),
    ("paper, slopes x30", 1000, 20): Need(),
    ("Gaussian x, Pareto noise", 1000, 20): Need(),
    ("1% bad leverage", 1000, 20): Need(),
    ("t 2.5, t 2.1 noise", 1000, 20): Need(),
    ("skewed uneven noise", 1000, 20): Need(),
    ("10% not zero", 1000, 20): Need(),
    ("paper", 20_000, 5): Need(),
    ("paper", 100_000, 20): Need(),
}


def sgd_tasks() -> Iterator[Task]:
    for (name, rows, width), need in SGD.items():
        what = f"{name}, N={rows:,} p={width}"
        yield Task("regression-sgd", what, partial(sgd_rows, what, (name, rows, width), need))


def sgd_rows(what: str, size: Size, need: Need, random: Generator, count: int) -> list[Row]:
    name, rows, width = size
    plain = ClippedSGD(Squared(), Fixed(float("inf")), Harmonic(1.0, float(width)), Everywhere())
    contenders: dict[str, fits.Slopes] = {
        LEAST: fits.peer(peers.least_squares),
        "plain SGD": lambda sample: fits.fitted(plain, sample).theta,
        "sgd": fits.by(fits.SGD),
        "sgd with intercept": fits.by(fits.SGD_CENTRED),
    }
    if name not in ("paper", "Gaussian"):
        del contenders["plain SGD"]
    count = min(2 * count, 4 * CELLS // (rows * width)) if need != Need() else trials_of(rows, width, count)
    found = fits.losses(streams.named(name), rows, width, max(count, 12), random, contenders)
    return [
        *loss_rows(what, found["sgd"], need),
        *ratio_rows(what, "sgd", found, need),
        beside(what, found, [LEAST, CLEAN, "plain SGD", "sgd with intercept"]),
    ]


# ------------------------------------------------------------------------------------------ laws that chose nothing


def heldout_tasks() -> Iterator[Task]:
    for name in chain(streams.HELD_OUT, streams.OWN):
        for rows in (1000, 20_000):
            yield Task("regression-heldout", f"{name}, N={rows:,}", partial(heldout_rows, name, rows))


def heldout_rows(name: str, rows: int, random: Generator, count: int) -> list[Row]:
    """With an intercept, as by default. Only the Gram matrix has to keep up: a few vectors cannot, but are shown."""
    contenders = {
        LEAST: fits.peer(peers.least_squares, intercept=True),
        "gram": fits.by(fits.GRAM_CENTRED),
        "Huber": fits.peer(peers.huber, intercept=True),
        "adaptive Huber": fits.peer(peers.adaptive_huber, intercept=True),
        "sgd": fits.by(fits.SGD_CENTRED),
    }
    count = max(12, count // (4 if rows == 1000 else 80))
    found = fits.losses(streams.named(name), rows, 20, count, random, contenders)
    what = f"{name}, N={rows:,} p=20"
    need = Need(times=((LEAST, NO_WORSE),))
    return [*ratio_rows(what, "gram", found, need), beside(what, found, list(contenders))]


# ------------------------------------------------------------------------------------------------- zeros and ones

LIKELY = "maximum likelihood"


def class_tasks() -> Iterator[Task]:
    for name in streams.CHANCES:
        for rows in (1000, 10_000, 100_000):
            yield Task("classification", f"{name}, N={rows:,}", partial(class_rows, name, rows))
    yield Task("classification", "separable", separable_rows)


def class_rows(name: str, rows: int, random: Generator, count: int) -> list[Row]:
    """Beside the loss: how often the 95 % interval holds the truth."""
    contenders = {
        LIKELY: fits.peer(peers.maximum_likelihood),
        "gram": fits.by(fits.GRAM_CHANCES),
        "sgd": fits.by(fits.SGD_CHANCES),
    }
    count = max(10, count * 200 // rows)
    found = fits.losses(streams.CHANCES[name], rows, 10, count, random, contenders)
    what = f"{name}, N={rows:,} p=10"
    bound = 1.02 if name == "Pareto x" else None
    out = [beside(what, found, list(contenders)), *class_ratio(what, "gram", found, bound)]
    out += class_ratio(what, "sgd", found, 1.3 if bound and rows == 100_000 else None)
    if "x30" in name and rows == 1000:
        out += loss_rows(f"{what}, gram", found["gram"], Need(0.28))
    return out


def class_ratio(what: str, mine: str, found: fits.Found, bound: float | None) -> list[Row]:
    measured = float(found[mine].mean() / found[LIKELY].mean())
    sense = () if bound is None else ("<=", (bound,))
    return [Row(f"{what}: mean loss of {mine} over that of {LIKELY}", len(found[mine]), (measured,), *sense)]


def separable_rows(random: Generator, count: int) -> list[Row]:
    """Labels that a plane tells apart have no best slopes: a finite answer and a warning are asked for."""
    count = max(10, count // 100)
    finite = warned = 0
    for _ in range(count):
        X = random.standard_normal((1000, 10))
        sample = streams.Sample(X, (X.sum(axis=1) > 0.0).astype(float), np.zeros(10))
        said = fits.fitted(fits.GRAM_CHANCES, sample)
        finite += bool(np.isfinite(said.coef).all())
        warned += bool(said.warnings)
    return [Row("separable labels: finite, warned", count, (finite / count, warned / count), ">=", (1.0, 1.0))]


SECTIONS: dict[str, Section] = {
    "regression-gram": ("Regression with a Gram matrix: distance to the true slopes", gram_tasks),
    "regression-sgd": ("Regression with a few vectors: distance to the true slopes", sgd_tasks),
    "regression-heldout": ("Regression on laws that chose nothing, with intercept", heldout_tasks),
    "classification": ("Logistic regression: distance to the true slopes", class_tasks),
}
