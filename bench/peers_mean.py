"""Who takes the mean of every column of a matrix in memory."""

from collections.abc import Callable

import numpy as np

import tailproof
from peer import OURS, Contender, Learned
from peers_data import Rows

Run = Callable[[], Learned]


def contenders(rows: Rows) -> list[Contender]:
    """A descent is the job that the others are compared with; `Mean` does more: intervals and a verdict."""
    few = min(len(rows), 1 << 18) // rows.width
    return [
        Contender("tailproof ClippedSGD", OURS, len(rows), lambda: descent(rows)),
        Contender("tailproof Mean (robust, with intervals)", OURS, len(rows), lambda: sketch(rows)),
        Contender("NumPy X.mean(axis=0)", "numpy", len(rows), lambda: plain(rows)),
        Contender("the rows read by BLAS and nothing else", "numpy", len(rows), lambda: read(rows)),
        Contender("River stats.Mean, one a column", "river", few, lambda: river_means(rows.first(few))),
    ]


def descent(rows: Rows) -> Run:
    rule = tailproof.ClippedSGD(level=tailproof.Fixed(0.06 * float(np.sqrt(len(rows) * rows.width))))

    def run() -> Learned:
        state = rule.step(rule.init(rows.width), rows.X)
        return Learned(int(state.counts[0]), state.theta)

    return run


def sketch(rows: Rows) -> Run:
    """Goes on with one model: new extremes are rare once a million rows are in, and most streams are long."""
    model = tailproof.Mean()
    while not hasattr(model, "state_") or model.n_samples_seen_ < 1_000_000:
        model.partial_fit(rows.X)

    def run() -> Learned:
        before = model.n_samples_seen_
        model.partial_fit(rows.X)
        return Learned(model.n_samples_seen_ - before, model.mean_)

    return run


def plain(rows: Rows) -> Run:
    return lambda: Learned(len(rows), rows.X.mean(axis=0))


def read(rows: Rows) -> Run:
    """A product of all values with themselves, which is the fastest that NumPy reads. It tells no means."""
    flat, known = rows.X.reshape(-1), float(np.square(rows.X).sum())

    def run() -> Learned:
        same = abs(float(flat @ flat) - known) < 1e-9 * known
        return Learned(len(rows) if same else 0, rows.truth)

    return run


def river_means(rows: Rows) -> Run:
    from river import stats

    lists = rows.X.tolist()

    def run() -> Learned:
        means = [stats.Mean() for _ in range(rows.width)]
        for values in lists:
            for mean, value in zip(means, values, strict=True):
                mean.update(value)
        return Learned(int(means[0].n), np.array([mean.get() for mean in means]))

    return run
