"""How far the River models are off, beside River's own, each row predicted before it is learnt from.

    python bench/river_accuracy.py

River's own stand behind its StandardScaler, which they need; ours see the features as they come. Ours are shown with
the default, which follows the stream, and with `average=True`; and as they would be if a new feature changed nothing
but the width.
"""

from collections.abc import Callable, Iterator
from typing import Any
from unittest import mock

import numpy as np
from river import datasets, linear_model, preprocessing

from tailproof import river as ours
from tailproof.tuned import TunedSGD

ROWS, SEED = 10_000, 1118
Rows = list[tuple[dict[str, Any], Any]]


def main() -> None:
    print(
        f"{'ours':>7} {'average':>8} {'not afresh':>11} {'River':>7}  mean absolute error, all rows and the last fifth"
    )
    for what, rows in regressions():
        several(what, rows, ours.LinearRegression, lambda: linear_model.LinearRegression(intercept_lr=0.1), distance)
    print("  share of labels missed")
    labelled = list(datasets.Phishing())
    several("Phishing", labelled, ours.LogisticRegression, linear_model.LogisticRegression, unlike)


def regressions() -> Iterator[tuple[str, Rows]]:
    yield "TrumpApproval, which drifts", list(datasets.TrumpApproval())
    random = np.random.default_rng(SEED)
    slopes, X = random.standard_normal(20), random.standard_t(3.0, (ROWS, 20))
    noise, small = random.standard_t(2.1, ROWS), 0.3 * random.standard_normal(ROWS)
    yield "20 heavy-tailed features, nothing drifts", named(X, X @ slopes + noise)
    late = X.copy()
    late[: ROWS // 2, 10:] = np.nan
    yield "ten of them appear half-way", named(late, np.nan_to_num(late) @ slopes + noise)
    X = random.standard_normal((ROWS, 5))
    walk = np.cumsum(0.02 * random.standard_normal((ROWS, 5)), axis=0)
    yield "5 features whose slopes walk about", named(X, (X * walk).sum(axis=1) + small)
    kinds, effects = np.minimum(random.zipf(1.5, ROWS), 300), 3.0 * random.standard_normal(301)
    yield (
        "one feature and 300 categories that appear as they come",
        [
            ({"a": float(a), f"is {kind}": 1}, float(2.0 * a + effects[kind] + error))
            for a, kind, error in zip(X[:, 0], kinds, small, strict=True)
        ],
    )


def named(X: Any, y: Any) -> Rows:
    """Rows as River takes them; what is NaN is not there."""
    return [
        ({f"f{j}": float(value) for j, value in enumerate(row) if value == value}, float(target))
        for row, target in zip(X, y, strict=True)
    ]


def several(what: str, rows: Rows, mine: Any, own: Callable[[], Any], loss: Callable[[Any, Any], float]) -> None:
    found = [losses(mine(), rows, loss), losses(mine(average=True), rows, loss)]
    with mock.patch.object(TunedSGD, "_afresh", return_value=None):
        found.append(losses(mine(), rows, loss))
    found.append(losses(preprocessing.StandardScaler() | own(), rows, loss))
    for part, chosen in (("", slice(None)), ("  the last fifth", slice(-len(rows) // 5, None))):
        means = [float(np.mean(one[chosen])) for one in found]
        print(
            " ".join(f"{mean:{width}.3f}" for mean, width in zip(means, (7, 8, 11, 7), strict=True)), f" {what}{part}"
        )


def losses(model: Any, rows: Rows, loss: Callable[[Any, Any], float]) -> list[float]:
    out = []
    for x, y in rows:
        out.append(loss(model.predict_one(x), y))
        model.learn_one(x, y)
    return out


def distance(said: Any, truth: Any) -> float:
    return abs(float(said) - float(truth))


def unlike(said: Any, truth: Any) -> float:
    return float(said != truth)


if __name__ == "__main__":
    main()
