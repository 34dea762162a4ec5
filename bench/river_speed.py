"""Microseconds a row of the River models beside River's own, in one run.

    python bench/river_speed.py

A row is a dict of 20 numbers. 'learn' hands all rows on one after the other; 'predict, then learn' does what
`evaluate.progressive_val_score` does. The median of 5 rounds.
"""

from collections.abc import Callable
from statistics import median
from time import perf_counter
from typing import Any

import numpy as np
from river import linear_model, preprocessing, stats

from tailproof import river as ours

ROWS, FEATURES, ROUNDS = 4000, 20, 5


def main() -> None:
    random = np.random.default_rng(1118)
    X = random.standard_t(3.0, (ROWS, FEATURES))
    y = (X @ np.linspace(-1.0, 1.0, FEATURES) + random.standard_t(2.1, ROWS)).tolist()
    rows = [{f"feature {j}": value for j, value in enumerate(row)} for row in X.tolist()]
    labels = [target > 0.0 for target in y]
    scaled = lambda model: preprocessing.StandardScaler() | model  # noqa: E731
    say("microseconds a row", "ours", "River's own", "ratio")
    for what, work in (("learn", learn), ("predict, then learn", both)):
        line(f"LinearRegression, {what}", work, (rows, y), ours.LinearRegression, linear_model.LinearRegression)
        line(
            f"LogisticRegression, {what}",
            work,
            (rows, labels),
            ours.LogisticRegression,
            linear_model.LogisticRegression,
        )
    line(
        "LinearRegression, predict, then learn; River's behind a StandardScaler",
        both,
        (rows, y),
        ours.LinearRegression,
        lambda: scaled(linear_model.LinearRegression()),
    )
    line("Mean, update", update, (y, y), ours.Mean, stats.Mean)


def learn(model: Any, rows: Any, targets: Any) -> None:
    for x, y in zip(rows, targets, strict=True):
        model.learn_one(x, y)


def both(model: Any, rows: Any, targets: Any) -> None:
    for x, y in zip(rows, targets, strict=True):
        model.predict_one(x)
        model.learn_one(x, y)


def update(model: Any, values: Any, _: Any) -> None:
    for x in values:
        model.update(x)
    model.get()


def line(what: str, work: Callable[..., None], data: Any, mine: Callable[[], Any], other: Callable[[], Any]) -> None:
    work(mine(), *data)  # what is compiled is compiled now
    seconds = [[timed(work, make(), data) for make in (mine, other)] for _ in range(ROUNDS)]
    here, there = (1e6 * median(column) / ROWS for column in zip(*seconds, strict=True))
    say(what, f"{here:.1f}", f"{there:.1f}", f"{here / there:.2f}")


def timed(work: Callable[..., None], model: Any, data: Any) -> float:
    begin = perf_counter()
    work(model, *data)
    return perf_counter() - begin


def say(what: str, here: str, there: str, ratio: str) -> None:
    print(f"{here:>6}  {there:>11}  {ratio:>5}  {what}", flush=True)


if __name__ == "__main__":
    main()
