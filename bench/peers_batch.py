"""Who fits a regression to all rows at once. Ours, `LinearRegression`, takes them in one pass and holds none."""

from collections.abc import Callable
from os import cpu_count
from typing import Any

import numpy as np
from threadpoolctl import threadpool_limits

import tailproof
from peer import OURS, Contender, Learned
from peers_data import Rows

Run = Callable[[], Learned]


def contenders(rows: Rows) -> list[Contender]:
    half = min(len(rows), (1 << 22) // rows.width)
    few = min(len(rows), (1 << 20) // rows.width)
    cores = cpu_count() or 1
    return [
        Contender("tailproof LinearRegression (robust, with intervals)", OURS, len(rows), lambda: ours(rows)),
        Contender("scikit-learn LinearRegression", "scikit-learn", len(rows), lambda: least_squares(rows, 1)),
        Contender(
            f"scikit-learn LinearRegression, {cores} BLAS threads", "scikit-learn", len(rows),
            lambda: least_squares(rows, cores),
        ),
        Contender("scikit-learn HuberRegressor", "scikit-learn", half, lambda: huber(rows.first(half))),
        Contender("statsmodels RLM", "statsmodels", few, lambda: weighted(rows.first(few))),
    ]  # fmt: skip


def ours(rows: Rows) -> Run:
    def run() -> Learned:
        model = tailproof.LinearRegression(solver="gram", fit_intercept=False).partial_fit(rows.X, rows.y)
        return Learned(int(model.n_samples_seen_), model.coef_)

    return run


def least_squares(rows: Rows, threads: int) -> Run:
    from sklearn.linear_model import LinearRegression

    return handed(rows, threads, lambda: LinearRegression(fit_intercept=False).fit(rows.X, rows.y).coef_)


def huber(rows: Rows) -> Run:
    from sklearn.linear_model import HuberRegressor

    return handed(
        rows, 1, lambda: HuberRegressor(fit_intercept=False, alpha=0.0, max_iter=1000).fit(rows.X, rows.y).coef_
    )


def weighted(rows: Rows) -> Run:
    from statsmodels.robust.norms import HuberT
    from statsmodels.robust.robust_linear_model import RLM

    return handed(rows, 1, lambda: RLM(rows.y, rows.X, M=HuberT()).fit().params)


def handed(rows: Rows, threads: int, fit: Callable[[], Any]) -> Run:
    """All rows are handed over at once, so there is nothing to count but them."""

    def run() -> Learned:
        with threadpool_limits(threads):
            return Learned(len(rows), np.asarray(fit()))

    return run
