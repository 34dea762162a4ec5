"""Intervals of the regressions, and what merging parts does to estimates and intervals.

The required figures are what we set out to reach.
"""

from collections.abc import Iterator
from functools import partial, reduce
from typing import Any

import numpy as np
from numpy.random import Generator

import fits
import peers
import streams
from sections import Row, Section, Task
from tailproof.gram import Gram
from tailproof.losses import Logistic
from tailproof.state import State
from tailproof.tuned import TunedSGD

LEVELS = (0.90, 0.95, 0.99)
# What an interval of each level has to cover.
GRAM_COVERS = (0.93, 0.965, 0.99)
WIDTH = 1.30
GRAM = Gram(intercept=False)
LAWS = (
    ("paper", 5),
    ("paper", 20),
    ("correlated .5", 5),
    ("skewed uneven noise", 20),
    ("t 2.5, t 2.1 noise", 20),
    ("Gaussian", 5),
)
SGD_LAWS = (
    ("paper", 5),
    ("paper", 20),
    ("correlated .5", 5),
    ("correlated .5, skewed uneven", 20),
    ("t 5, t 2.1 noise", 20),
    ("Gaussian", 5),
)
# Not measured in the research: what comes out is said.
WIDE = (("paper", 50), ("paper", 100), ("Gaussian", 50), ("Gaussian", 100))
SGD_BARS = {"sandwich": 0.95, "jackknife": 0.94}
SGD_BARS_CHANCES = {"sandwich": 0.935, "jackknife": 0.94}
INTERCEPT, MERGED = 0.955, 0.95
TRIALS = {1000: 1.0 / 8.0, 10_000: 1.0 / 20.0, 100_000: 1.0 / 80.0}


def bar_tasks() -> Iterator[Task]:
    section = "regression-bars"
    for name, width in (*LAWS, *WIDE):
        yield Task(section, f"gram, {name}, p={width}", partial(gram_rows, name, width))
    yield Task(section, "gram, Pareto x, p=10", partial(chance_rows, Gram(loss=Logistic(), intercept=False), 0.935))
    for name, width in (*SGD_LAWS, *WIDE):
        for bars in SGD_BARS:
            yield Task(section, f"sgd, {name}, p={width}, {bars}", partial(sgd_rows, name, width, bars))
    for bars, bound in SGD_BARS_CHANCES.items():
        rule = TunedSGD(loss=Logistic(), intercept=False, bars=bars)
        yield Task(section, f"sgd, Pareto x, p=10, {bars}", partial(chance_rows, rule, bound))
    for label, rule in centred_rules().items():
        yield Task(section, f"{label}, intercept", partial(intercept_rows, label, rule))
        yield Task(section, f"{label}, 16 parts", partial(merged_bar_rows, label, rule))


def centred_rules() -> dict[str, Any]:
    return {"gram": Gram(), **{f"sgd, {bars}": TunedSGD(bars=bars) for bars in SGD_BARS}}


def covered(rule: Any, sample: streams.Sample, said: Any) -> np.ndarray:
    """The share of slopes in the interval of each level, then of the bare standard error's 95 %."""
    truth = true_terms(rule, sample)
    ends = [said.interval(level) for level in LEVELS] + [fits.bare(said.spread, 0.95)]
    return np.array([fits.holds(pair, truth).mean() for pair in ends])


def true_terms(rule: Any, sample: streams.Sample) -> np.ndarray:
    return np.append(sample.slopes, sample.intercept) if rule.intercept else sample.slopes


def share_row(what: str, shares: np.ndarray, bounds: tuple[float, ...]) -> Row:
    """Mean shares over trials, each allowed two of its standard errors."""
    slack = tuple(2.0 * fits.share_error(column) for column in shares.T)
    needed = (">=", bounds, slack) if bounds else ()
    return Row(what, len(shares), tuple(shares.mean(axis=0).tolist()), *needed)


def gram_rows(name: str, width: int, random: Generator, count: int) -> list[Row]:
    bounds = GRAM_COVERS if (name, width) in LAWS else ()
    out = []
    for rows in (1000, 10_000):
        trials = max(10, int(TRIALS[rows] * count))
        seen = [gram_trial(sample) for sample in fits.drawn(streams.named(name), rows, width, trials, random)]
        shares, widths = np.array([pair[0] for pair in seen]), np.array([pair[1] for pair in seen])
        what = f"gram, {name}, N={rows:,} p={width}"
        out.append(share_row(f"{what}: 90, 95, 99% cover", shares[:, :3], bounds))
        out.append(share_row(f"{what}: bare standard error 95%, least squares (HC1) 95%", shares[:, 3:], ()))
        ratio = float(widths[:, 0].mean() / widths[:, 1].mean())
        needed = ("<=", (WIDTH,)) if bounds else ()
        out.append(Row(f"{what}: 95% width over that of least squares (HC1)", trials, (ratio,), *needed))
    return out


def gram_trial(sample: streams.Sample) -> tuple[np.ndarray, tuple[float, float]]:
    """Shares covered, least squares' own last, and the widths of both."""
    said = fits.fitted(GRAM, sample)
    low, high = said.interval(0.95)
    half = 1.959964 * peers.standard_errors(sample.X, sample.y)
    least = np.abs(peers.least_squares(sample.X, sample.y) - sample.slopes) <= half
    widths = float((high - low).mean()), 2.0 * float(half.mean())
    return np.append(covered(GRAM, sample, said), least.mean()), widths


def sgd_rows(name: str, width: int, bars: str, random: Generator, count: int) -> list[Row]:
    rule = TunedSGD(intercept=False, bars=bars)
    bound = SGD_BARS[bars] if (name, width) in SGD_LAWS else None
    return size_rows(f"sgd, {name}, p={width}, {bars}", rule, streams.named(name), width, bound, random, count)


def chance_rows(rule: Any, bound: float, random: Generator, count: int) -> list[Row]:
    label = f"gram{'' if rule.bars is True else rule.bars}" if isinstance(rule, Gram) else f"sgd {rule.bars}"
    what = f"{label}, logistic, Pareto x, p=10"
    return size_rows(what, rule, streams.CHANCES["Pareto x"], 10, bound, random, count)


def size_rows(
    what: str, rule: Any, stream: streams.Stream, width: int, bound: float | None, random: Generator, count: int
) -> list[Row]:
    """A row for each size: coverage at 95 % and of the bare standard error, and how many estimates are settled."""
    out = []
    for rows, share in TRIALS.items():
        trials = max(10, int(share * count))
        shares = []
        for sample in fits.drawn(stream, rows, width, trials, random):
            said = fits.fitted(rule, sample)
            _, own, _, bare = covered(rule, sample, said)
            shares.append((own, bare, float(said.settled)))
        seen = np.array(shares)
        out.append(share_row(f"{what}, N={rows:,}: 95% covers", seen[:, :1], () if bound is None else (bound,)))
        out.append(share_row(f"{what}, N={rows:,}: bare standard error 95%, settled", seen[:, 1:], ()))
    return out


def intercept_rows(label: str, rule: Any, random: Generator, count: int) -> list[Row]:
    """The intercept's own interval under skewed noise, and the mean error of the intercept."""
    out = []
    for rows in (1000, 10_000):
        trials = max(10, int(TRIALS[rows] * count))
        held, errors = [], []
        for sample in fits.drawn(streams.named("paper"), rows, 5, trials, random):
            said = fits.fitted(rule, sample)
            held.append(fits.holds(said.interval(0.95), true_terms(rule, sample))[-1:].astype(float))
            errors.append(abs(said.intercept - sample.intercept))
        what = f"{label}, paper, N={rows:,} p=5, intercept"
        out.append(share_row(f"{what}: 95% covers", np.array(held), (INTERCEPT,)))
        out.append(Row(f"{what}: mean error", trials, (float(np.mean(errors)),)))
    return out


def merged_bar_rows(label: str, rule: Any, random: Generator, count: int) -> list[Row]:
    trials, shares, errors = max(10, count // 40), [], []
    for sample in fits.drawn(streams.named("paper"), 16_000, 5, trials, random):
        merged = rule.read(reduce(rule.merge, parts(rule, sample, 16)))
        single = fits.fitted(rule, sample)
        shares.append(covered(rule, sample, merged)[1:2])
        errors.append((sample.loss(merged.coef), sample.loss(single.coef)))
    what = f"{label}, paper, 16 parts of 1,000, p=5"
    ratio = float(np.divide(*np.mean(errors, axis=0)))
    return [
        share_row(f"{what}: 95% covers", np.array(shares), (MERGED,)),
        Row(f"{what}: mean loss over that of one stream", trials, (ratio,)),
    ]


# ------------------------------------------------------------------------------------------------------- merging

# (parts, rows of each): trials of a run of 2,000.
SPLITS = {(16, 1000): 20, (64, 1000): 8, (64, 100): 20}
MERGING = (
    ("paper", 20),
    ("paper", 5),
    ("Gaussian", 20),
    ("skewed uneven noise", 20),
    ("correlated .9", 20),
    ("1% y +-1000", 20),
    ("1% bad leverage", 20),
)
WITHIN, WITHIN_LEVERAGE, REPLAYED = 1.01, 1.03, 1e-10
MERGING_RULE = Gram(bars=False)


def merge_tasks() -> Iterator[Task]:
    for name, width in MERGING:
        for count, rows in SPLITS:
            what = f"{name}, {count} parts of {rows:,}, p={width}"
            yield Task("regression-merge", what, partial(merge_rows, what, name, width, (count, rows)))


def merge_rows(what: str, name: str, width: int, split: tuple[int, int], random: Generator, count: int) -> list[Row]:
    """One after the other, two by two and from the last to the first, against one stream of all rows."""
    trials = max(4, SPLITS[split] * count // 2000)
    samples = fits.drawn(streams.named(name), split[0] * split[1], width, trials, random)
    seen = np.array([merge_trial(sample, split[0]) for sample in samples])
    bound = WITHIN_LEVERAGE if "leverage" in name else WITHIN
    losses, moved, averaged = seen[:, :4].mean(axis=0), seen[:, 4], seen[:, 5]
    ratios = tuple((losses[1:] / losses[0]).tolist())
    out = [
        Row(f"{what}: loss in a row, in pairs, reversed, over one stream", trials, ratios, "<=", (bound,) * 3),
        Row(f"{what}: one stream, parts' coefficients averaged", trials, (float(losses[0]), float(averaged.mean()))),
    ]
    needed = ("<=", (REPLAYED,)) if split[1] == 100 and width == 20 else ()
    what_moved = f"{what}: in a row, distance from one stream over the error"
    return [*out, Row(what_moved, trials, (float(moved.mean()),), *needed)]


def merge_trial(sample: streams.Sample, count: int) -> tuple[float, ...]:
    rule = MERGING_RULE
    single, states = fits.fitted(rule, sample).coef, parts(rule, sample, count)
    in_a_row = rule.read(reduce(rule.merge, copies(states))).coef
    in_pairs = rule.read(paired(rule, copies(states))).coef
    reverse = rule.read(reduce(rule.merge, copies(states)[::-1])).coef
    averaged = np.mean([rule.read(state).coef for state in states], axis=0)
    error = sample.loss(single)
    rest = [sample.loss(slopes) for slopes in (in_a_row, in_pairs, reverse)]
    return error, *rest, fits.apart(in_a_row, single) / error, sample.loss(averaged)


def parts(rule: Any, sample: streams.Sample, count: int) -> list[State]:
    pieces = zip(np.array_split(sample.X, count), np.array_split(sample.y, count), strict=True)
    return [fits.taken(rule, X, y) for X, y in pieces]


def copies(states: list[State]) -> list[State]:
    """Merging spends the states that it is given."""
    return [state.copy() for state in states]


def paired(rule: Any, states: list[State]) -> State:
    while len(states) > 1:
        odd = states[len(states) // 2 * 2 :]
        states = [rule.merge(a, b) for a, b in zip(states[::2], states[1::2], strict=False)] + odd
    return states[0]


SECTIONS: dict[str, Section] = {
    "regression-bars": ("Intervals of regressions: share of coefficients covered", bar_tasks),
    "regression-merge": ("Regression from merged parts, with a Gram matrix", merge_tasks),
}
