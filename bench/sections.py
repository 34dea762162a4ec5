"""What the acceptance run measures, section by section, as tasks that are independent of each other.

The required figures are what we set out to reach; held-out laws only have to be no worse than the plain mean.
"""

import zlib
from collections.abc import Callable, Iterator
from functools import partial
from itertools import chain
from math import log, sqrt
from statistics import NormalDist
from typing import Any, NamedTuple

import numpy as np
from numpy.random import Generator

import laws
import trials as trial
from tailproof import Extremes
from tailproof.state import State, aligned

SIZES = (100, 1000, 10_000, 100_000)
POWERS = tuple(2**k for k in range(7, 17))
DEVIATE = NormalDist().inv_cdf(0.975)
# The line of the research for loss and coverage where a law has no line of its own.
NO_WORSE, COVERS = 1.02, 0.90


class Row(NamedTuple):
    """One line of a table: figures, what they have to be, and how far chance alone may carry them past it."""

    what: str
    trials: int
    measured: tuple[float, ...]
    sense: str = ""  # "<=" or ">=", or nothing where nothing is required
    required: tuple[float, ...] = ()
    slack: tuple[float, ...] = ()

    @property
    def verdict(self) -> str:
        if not self.sense:
            return ""
        if self._holds((0.0,) * len(self.required)):
            return "ok"
        return "ok within 2 s.e." if self.slack and self._holds(self.slack) else "MISS"

    def _holds(self, slack: tuple[float, ...]) -> bool:
        sign = 1.0 if self.sense == ">=" else -1.0
        checks = zip(self.measured, self.required, slack, strict=False)
        return all(sign * (value - bound) >= -room for value, bound, room in checks)


class Task(NamedTuple):
    section: str
    name: str
    work: Callable[[Generator, int], list[Row]]

    def run(self, seed: int, count: int) -> list[Row]:
        return self.work(np.random.default_rng([seed, zlib.crc32(self.name.encode())]), count)


def at_most(what: str, count: int, measured: float, bound: float | None) -> Row:
    return Row(what, count, (measured,), *(() if bound is None else ("<=", (bound,))))


def coverage(what: str, count: int, shares: list[float], bounds: tuple[float, ...] = ()) -> Row:
    """Shares of trials, each allowed two of its standard errors."""
    if not bounds:
        return Row(what, count, tuple(shares))
    slack = tuple(2.0 * sqrt(share * (1.0 - share) / count) for share in shares)
    return Row(what, count, tuple(shares), ">=", bounds, slack)


# ------------------------------------------------------------------------------------------------------- losses

# (law, rows, columns): at most this mean loss, Q.01 and Q.001.
LOSSES: dict[tuple[str, int, int], tuple[float | None, float | None, float | None]] = {
    ("Pareto 2.1", 1024, 256): (0.248, 0.270, 0.282),
    ("t 2.1", 1024, 256): (0.240, None, None),
    ("1% cells", 1024, 256): (0.51, None, None),
    ("1% rows", 1024, 256): (0.51, None, None),
    ("Pareto 2.1", 100, 20): (0.187, None, 0.285),
    ("Pareto 2.1", 500, 20): (0.0935, None, 0.150),
    ("Pareto 2.1", 1000, 20): (0.0695, None, 0.112),
    ("t 2.1", 1000, 20): (0.068, None, None),
    ("t 3", 1000, 20): (0.134, None, None),
    ("stable 1.5", 1000, 20): (0.38, None, None),
    ("lognormal 2", 1000, 20): (0.096, None, None),
    ("Pareto 1.5", 1000, 20): (1.34, None, None),
    ("asym9", 1000, 20): (0.076, None, None),
    ("1% cells", 1000, 20): (0.145, None, None),
    ("1% rows", 1000, 20): (0.145, None, None),
    ("1% +-rows", 1000, 20): (0.145, None, None),
    ("1% cells", 100, 20): (0.53, None, None),
    ("1% rows", 100, 20): (0.57, None, None),
    ("1% +-rows", 100, 20): (0.52, None, None),
}
SWITCHES = {100: 0.001, 1000: 0.0003}
EFFICIENCY = {5: 0.89, 10: 0.90, 20: 0.98, 50: 0.999, 100: 0.999, 1000: 0.999}


def loss_tasks() -> Iterator[Task]:
    others = [(law, rows, 20) for rows in (1000, 100) for law in laws.CLEAN]
    for law, rows, width in dict.fromkeys([*LOSSES, *others]):
        name = f"{law}, N={rows:,} p={width}"
        yield Task("loss", name, partial(loss_rows, name, law, rows, width))
    for rows in (1000, 10_000):
        yield Task("loss", f"gross values, N={rows:,}", partial(gross_rows, rows))
    for rows, bound in EFFICIENCY.items():
        yield Task("loss", f"efficiency, N={rows:,}", partial(efficiency_rows, rows, bound))
    for kind in laws.ODD:
        yield Task("loss", f"odd stream: {kind}", partial(odd_rows, kind))
    for law in ("Pareto 2.1", "Gaussian", "lognormal 2"):
        yield Task("loss", f"numerics, {law}", partial(numeric_rows, law))


def loss_rows(name: str, law: str, rows: int, width: int, random: Generator, count: int) -> list[Row]:
    """Losses of one law, and beside them false switches or, where gross values are in, the bar that trusts the cut."""
    count *= 1 if width > 20 else 5
    seen = trial.losses(laws.named(law, width), rows, width, count, random)
    bounds = LOSSES.get((law, rows, width), (None, None, None))
    measures = (trial.average, trial.worst(0.01), trial.worst(0.001))
    labels = ("mean loss", "Q.01", "Q.001")
    out = [
        at_most(f"{name}: {label}", count, measure(seen.robust), bound)
        for label, measure, bound in zip(labels, measures, bounds, strict=True)
        if bound is not None or label == "mean loss"
    ]
    if law in laws.CLEAN and rows in SWITCHES:
        out.append(at_most(f"{name}: false gap switches", count * width, seen.cut, SWITCHES[rows]))
    if law in laws.GROSSLY and rows == 1000:
        out.append(coverage(f"{name}: contaminated bar covers", count * width, [seen.trusted], (0.96,)))
    return out


def gross_rows(rows: int, random: Generator, count: int) -> list[Row]:
    """Ever more values of +1000 in each column, all on one side, against the same rows without them."""
    found = [gross_batch(rows, size, random) for size in trial.batches(rows, 20, count)]
    clean, *loss = np.concatenate(found, axis=1).mean(axis=1)
    excess = {number: float(value / clean - 1.0) for number, value in enumerate(loss, start=1)}
    most = max(range(4, 24), key=lambda number: abs(excess[number]))
    few = ", ".join(f"{number}: {100 * excess[number]:+.1f}%" for number in (1, 2, 3))
    return [
        Row(f"N={rows:,}, one-sided gross values, worst of 4..23 ({most}): loss over clean, less 1", count,
            (abs(excess[most]),), "<=", (0.05,)),
        Row(f"N={rows:,}, 1, 2, 3 gross values ({few}) and 24: loss over clean, less 1", count,
            (excess[1], excess[2], excess[3], excess[24])),
    ]  # fmt: skip


def gross_batch(rows: int, size: int, random: Generator) -> Any:
    """Losses by number of gross values (0..24) and trial. They stand at even distances from a random row on."""
    cells = random.standard_normal((rows, size * 20))
    start, column = random.integers(rows, size=size * 20), np.arange(size * 20)
    out = [trial.lengths(trial.RULE.read(trial.taken(cells)).mean, 20)]
    for number in range(24):
        cells[(start + number * (rows // 24)) % rows, column] += laws.GROSS
        out.append(trial.lengths(trial.RULE.read(trial.taken(cells)).mean, 20))
    return np.stack(out)


def efficiency_rows(rows: int, bound: float, random: Generator, count: int) -> list[Row]:
    seen = trial.losses(laws.gaussian, rows, 20, 5 * count, random)
    measured = float((seen.plain**2).mean() / (seen.robust**2).mean())
    return [Row(f"Gaussian, N={rows:,}: MSE efficiency", 5 * count, (measured,), ">=", (bound,))]


def odd_rows(kind: str, random: Generator, count: int) -> list[Row]:
    """Loss against the plain mean's where the order is odd; against Pareto's own where only location or scale is."""
    found = [odd_batch(kind, size, random) for size in trial.batches(1000, 20, count)]
    robust, plain = np.concatenate(found, axis=1).mean(axis=1)
    if kind in ("at 1e6", "scales 1e-6..1e6"):
        return [at_most(f"odd stream: Pareto 2.1, {kind}: mean loss", count, float(robust), 0.0695)]
    if kind == "first row 1e12":
        return [at_most(f"odd stream: {kind}: mean loss", count, float(robust), 0.145)]
    bound = None if "zero" in kind else 0.01
    return [at_most(f"odd stream: {kind}: loss over the plain mean's, less 1", count, abs(robust / plain - 1), bound)]


def odd_batch(kind: str, size: int, random: Generator) -> Any:
    stream = laws.odd(kind, random, 1000, size * 20)
    means = (trial.RULE.read(trial.taken(stream.cells)).mean, stream.cells.mean(axis=0))
    return np.stack([trial.lengths((mean - stream.truth) / stream.unit, 20) for mean in means])


def numeric_rows(law: str, random: Generator, count: int) -> list[Row]:
    """What the order of rows, chunks and parts does to the last digits."""
    cells = laws.named(law)(random, 1_000_000, 1)
    means = [float(trial.RULE.read(trial.taken(random.permutation(cells))).mean[0]) for _ in range(8)]
    said = trial.RULE.read(trial.taken(cells))
    deviation = float(said.spread.error[0]) * 1000.0
    out = [at_most(f"{law}: 8 orders of 1e6 rows, spread in sd", 8, float(np.ptp(means)) / deviation, 1e-15)]
    block = cells[:128_000].reshape(-1, 2) + 3.0
    out.append(at_most(f"{law}: chunks of 1, 7, 1000 rows, means that differ in any bit", 3, chunked(block), 0.0))
    for parts in (2, 16, 64):
        relative, errors = merged(block, parts, random)
        out.append(at_most(f"{law}: merge of {parts} parts, 6 orders: relative", 6, relative, 1e-12))
        out.append(at_most(f"{law}: merge of {parts} parts, 6 orders: in s.e.", 6, errors, 1e-12))
    return out


def chunked(cells: Any) -> int:
    """How many means change with the chunking."""
    whole, differ = trial.RULE.read(trial.taken(cells)).mean, 0
    for height in (1, 7, 1000):
        state = trial.RULE.init(cells.shape[1])
        for begin in range(0, len(cells), height):
            state = trial.RULE.step(state, cells[begin : begin + height])
        differ += int((trial.RULE.read(state).mean != whole).sum())
    return differ


def merged(cells: Any, parts: int, random: Generator) -> tuple[float, float]:
    """The farthest that merging parts, of even and of random sizes, gets from the single pass."""
    whole, off = trial.RULE.read(trial.taken(cells)), np.zeros(cells.shape[1])
    for order in range(6):
        even = np.linspace(0, len(cells), parts + 1)[1:-1].astype(int)
        cuts = even if order % 2 else np.sort(random.integers(len(cells), size=parts - 1))
        states = [trial.taken(part) for part in np.split(cells, cuts)]
        state = tree([states[k] for k in random.permutation(parts)], pairs=order >= 3)
        off = np.maximum(off, np.abs(trial.RULE.read(state).mean - whole.mean))
    return float((off / np.abs(whole.mean)).max()), float((off / whole.spread.error).max())


def tree(states: list[State], pairs: bool) -> State:
    """Merged two by two, or one after the other into the first."""
    while len(states) > 1:
        first, second, *rest = states
        joined = trial.RULE.merge(first, second)
        states = [*rest, joined] if pairs else [joined, *rest]
    return states[0]


# ---------------------------------------------------------------------------------------------------- intervals

ELSE = (0.97, 0.96, 0.95, 0.945)
COVER = {
    "Pareto 2.1": (0.925, 0.945, 0.955, 0.955),
    "Pareto 4.1": (0.96, 0.965, 0.955, 0.945),
    "lognormal": (0.96, 0.965, 0.955, 0.945),
    "t 2.1": ELSE,
    "t 3": ELSE,
    "Gaussian": ELSE,
}
LEVELS = {0.90: (0.88, 0.91, 0.92, 0.925), 0.99: (0.965, 0.98, 0.985, 0.99)}
WIDTHS = (1.30, 1.12, 1.06, 1.03)


def interval_tasks() -> Iterator[Task]:
    for law in laws.BAR:
        yield Task("intervals", f"{law}, one column", partial(path_rows, law))
    for law in laws.BAR:
        yield Task("intervals", f"{law}, 64 parts of 100", partial(merged_bar_rows, law))


def path_rows(law: str, random: Generator, count: int) -> list[Row]:
    """One pass over many streams gives coverage at every size and level, and that of all looks together."""
    count *= 4
    said = dict(trial.path(laws.named(law), count, {*SIZES, *POWERS}, random))
    at = "N=1e2/1e3/1e4/1e5"
    out = [coverage(f"{law}, 95%, {at}", count, shares(said, 0.95), COVER[law])]
    for level, bounds in LEVELS.items():
        needed = bounds if law == "Pareto 2.1" else ()
        out.append(coverage(f"{law}, {100 * level:.0f}%, {at}", count, shares(said, level), needed))
    widths = [trial.halfway(said[rows]) * sqrt(rows) / DEVIATE for rows in SIZES]
    needed = ("<=", WIDTHS) if law == "Gaussian" else ()
    out.append(Row(f"{law}, 95%, width over the ideal, {at}", count, tuple(widths), *needed))
    return out + anytime_rows(law, said, count)


def shares(said: dict[int, Any], level: float) -> list[float]:
    return [float(trial.holds(said[rows], level).mean()) for rows in SIZES]


def anytime_rows(law: str, said: dict[int, Any], count: int) -> list[Row]:
    together = {
        level: float(np.all([trial.holds(said[rows], level, anytime=True) for rows in POWERS], axis=0).mean())
        for level in (0.95, 0.90, 0.99)
    }
    looks = "any-time, all of 128, 256, ..., 65536"
    bound = 0.965 if law == "Pareto 2.1" else 0.98
    widths = [trial.halfway(said[rows], anytime=True) * sqrt(rows) / DEVIATE for rows in SIZES]
    return [
        coverage(f"{law}, {looks}, 95%", count, [together[0.95]], (bound,)),
        coverage(f"{law}, {looks}, 90% and 99%", count, [together[0.90], together[0.99]]),
        Row(f"{law}, any-time, width over the ideal, N=1e3/1e4/1e5", count, tuple(widths[1:]), "<=", (2.1,) * 3),
    ]


def merged_bar_rows(law: str, random: Generator, count: int) -> list[Row]:
    """The bar of 64 states of 100 rows merged."""
    count *= 4
    states = [trial.taken(laws.named(law)(random, 100, count)) for _ in range(64)]
    said = trial.RULE.read(tree(states, pairs=True))
    return [coverage(f"{law}, 64 parts of 100 merged, 95%", count, [float(trial.holds(said).mean())], (0.95,))]


# ------------------------------------------------------------------------------------- radius of the whole vector

GROUPED = Extremes(groups=16)
# Each trial is a state of its own here: at most this many cells a law, but never fewer than 100 trials.
CELLS = 50_000_000
# With the tail term and without it; dependent columns need the first only, one column that outweighs all is shown.
RADIUS_COVERS = {**dict.fromkeys(laws.BAR, (0.95, 0.93)), **dict.fromkeys(laws.UNEVEN, ())}
RADIUS_WIDTHS = {100: (1.20, 1.05), 1000: (1.08, 1.05), 10_000: (1.05, 1.05)}


def radius_tasks() -> Iterator[Task]:
    for width in (10, 256):
        for rows in (10_000, 1000, 100):
            dependent = chain(laws.VECTORS, laws.UNEVEN) if rows * width <= 256_000 else ()
            for law in chain(laws.BAR, dependent):
                name = f"{law}, N={rows:,} p={width}"
                yield Task("radius", name, partial(radius_rows, name, law, rows, width))


def radius_rows(name: str, law: str, rows: int, width: int, random: Generator, count: int) -> list[Row]:
    """Coverage with and without the share of the farthest row, and of the coordinates' own intervals."""
    count = max(100, min(count // 2, CELLS // (rows * width)))
    seen = np.array([radius_trial(laws.named(law), rows, width, random) for _ in range(count)])
    error, full, bare, own = seen.T
    both = [float((error <= full).mean()), float((error <= bare).mean())]
    out = [coverage(f"{name}: with tail term, without", count, both, RADIUS_COVERS.get(law, (0.95,)))]
    if law == "Gaussian":
        ideal = chi_quantile(width) / sqrt(rows)
        widths = (float(full.mean()) / ideal, float(bare.mean()) / ideal)
        out.append(Row(f"{name}: width over the ideal, with and without", count, widths, "<=", RADIUS_WIDTHS[rows]))
    if law in laws.BAR:
        bound = COVER[law][SIZES.index(rows)]
        out.append(coverage(f"{name}: coordinates", count * width, [float(own.mean())], (bound,)))
    return out


def radius_trial(law: laws.Law, rows: int, width: int, random: Generator) -> tuple[float, float, float, float]:
    """The error of the vector, its radius, the radius without the tail term, and the coordinates covered."""
    cells = aligned((rows, width))
    cells[...] = law(random, rows, width)
    state = GROUPED.step(GROUPED.init(width), cells)
    said, full = GROUPED.read(state), GROUPED.radius(state, 0.95)
    term = log(1.0 / 0.05) / 3.0 * float(state.farthest[0]) / rows
    return float(np.linalg.norm(said.mean)), full, full - term, float(trial.holds(said).mean())


def chi_quantile(width: int) -> float:
    from scipy.stats import chi2

    return sqrt(float(chi2.ppf(0.95, width)))


# ----------------------------------------------------------------------------------------------- held-out laws


def heldout_tasks() -> Iterator[Task]:
    for law in chain(laws.HELD_OUT, laws.OWN, laws.ADVERSE):
        yield Task("heldout", law, partial(heldout_rows, law))


def heldout_rows(law: str, random: Generator, count: int) -> list[Row]:
    """Loss against the plain mean's and coverage. Adverse laws are shown for what they cost, not required."""
    sizes = {100: count, 1000: count, 10_000: count // 4}
    seen = [trial.losses(laws.named(law), rows, 20, number, random) for rows, number in sizes.items()]
    means = tuple(item.ratio(trial.average) for item in seen)
    tails = tuple(item.ratio(trial.worst(0.01)) for item in seen)
    limits = (NO_WORSE,) * 3, (0.0, COVERS, COVERS)
    return [
        Row(f"{law}: mean loss over the plain mean's", count, means, *(() if adverse(law) else ("<=", limits[0]))),
        Row(f"{law}: Q.01 over the plain mean's", count, tails),
        Row(f"{law}: 95% interval covers", count, tuple(item.covered for item in seen),
            *(() if adverse(law) else (">=", limits[1]))),
    ]  # fmt: skip


def adverse(law: str) -> bool:
    return law in laws.ADVERSE


# ---------------------------------------------------------------------------------------------------- verdicts


def verdict_tasks() -> Iterator[Task]:
    yield Task("verdicts", "Gaussian", partial(verdict_rows, "Gaussian", 1, (0.0,) * 4))
    yield Task("verdicts", "exponential", partial(verdict_rows, "exponential", 5, (0.006, 0.001, 0.001, 0.001)))
    for law in ("t 3", "lognormal", "Pareto 2.1", "lognormal 2", "Pareto 1.5"):
        yield Task("verdicts", law, partial(verdict_rows, law, 1, ()))


def verdict_rows(law: str, times: int, bounds: tuple[float, ...], random: Generator, count: int) -> list[Row]:
    """The share of columns that are called heavy."""
    count *= times
    called = [heavy(said) for _, said in trial.path(laws.named(law), count, SIZES, random)]
    what = f'{law}: called "heavy tail", N=1e2/1e3/1e4/1e5'
    return [Row(what, count, tuple(called), *(("<=", bounds) if bounds else ()))]


def heavy(said: Any) -> float:
    return float(np.mean([said.verdict(j).startswith("heavy tail") for j in range(len(said.mean))]))


# A title and what makes the tasks.
Section = tuple[str, Callable[[], Iterator[Task]]]
SECTIONS: dict[str, Section] = {
    "loss": ("Distance to the truth (in standard deviations), and numerics", loss_tasks),
    "intervals": ("Intervals: share that covers", interval_tasks),
    "radius": ("Radius of the whole vector, 95%: share that covers", radius_tasks),
    "heldout": ("Laws that chose nothing, N=1e2/1e3/1e4, p=20", heldout_tasks),
    "verdicts": ("Verdicts: share of columns called heavy", verdict_tasks),
}
