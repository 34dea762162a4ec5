"""Who learns a logistic regression in one pass: the same rows, in the same order, without intercept."""

from collections.abc import Callable
from typing import Any

import numpy as np

import tailproof
from peer import OURS, Contender, Learned
from peers_data import Rows
from peers_line import PLAIN, Run, level, named, rate, weights_of, whole

NOTE = "no clip, shuffle, penalty or intercept"
ODDS = {0.0: False, 1.0: True}


def contenders(rows: Rows) -> list[Contender]:
    many, some, few = len(rows), min(len(rows), 1 << 14), min(len(rows), 1 << 11)

    def made(name: str, package: str, count: int, prepare: Callable[[Rows], Run], note: str = "") -> Contender:
        return Contender(name, package, count, lambda: prepare(rows.first(count)), note)

    return [
        made("tailproof ClippedSGD", OURS, many, ours),
        *(
            made(f"scikit-learn partial_fit, blocks of {size:,}", "scikit-learn", count, scikit(size, PLAIN), NOTE)
            for size, count in ((10_000, many), (100, min(many, 1 << 17)), (1, few))
        ),
        made("scikit-learn partial_fit as it comes, blocks of 10,000", "scikit-learn", many, scikit(10_000, {}),
             "no clip; shuffles each block; penalty, intercept"),
        made("River LogisticRegression.learn_one", "river", some, river_one, "clips the loss's slope"),
    ]  # fmt: skip


def ours(rows: Rows) -> Run:
    steps = tailproof.Harmonic(5.0, 10.0 * rows.width)
    return whole(tailproof.ClippedSGD(loss=tailproof.Logistic(), level=tailproof.Fixed(level(rows)), steps=steps), rows)


def scikit(size: int, options: dict[str, Any]) -> Callable[[Rows], Run]:
    def prepare(rows: Rows) -> Run:
        from sklearn.linear_model import SGDClassifier

        classes = np.array([0.0, 1.0])

        def run() -> Learned:
            model = SGDClassifier(loss="log_loss", learning_rate="constant", eta0=2.0 * rate(rows), **options)
            for i in range(0, len(rows), size):
                model.partial_fit(rows.X[i : i + size], rows.y[i : i + size], classes=classes)
            return Learned(int(model.t_) - 1, model.coef_)

        return run

    return prepare


def river_one(rows: Rows) -> Run:
    from river import linear_model, optim

    pairs = [(x, ODDS[y]) for x, y in named(rows)]

    def run() -> Learned:
        model = linear_model.LogisticRegression(optimizer=optim.SGD(2.0 * rate(rows)), intercept_lr=0.0)
        for x, y in pairs:
            model.learn_one(x, y)
        return Learned(int(model.optimizer.n_iterations), weights_of(model, rows.width))

    return run
