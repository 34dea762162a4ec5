"""How fast the regressions are, beside what scikit-learn and NumPy take for the same array in the same run."""

from collections.abc import Callable

import numpy as np

from contenders import line, turns
from tailproof.gram import Gram
from tailproof.state import aligned
from tailproof.tuned import TunedSGD

# Rows, and the bound on the whole fit over that of scikit-learn, by columns.
SIZES = {20: (200_000, 1.2), 64: (100_000, 0.5), 256: (40_000, 0.5)}
# A sketch of few bytes a feature is long settled by so many rows a feature.
SETTLED = 400


def regression_speed(repeats: int) -> None:
    """With all threads and with one: small products of matrices gain nothing from more."""
    from threadpoolctl import threadpool_limits

    for threads in (None, 1):
        label = ", one thread" if threads else ""
        with threadpool_limits(threads):
            for columns in SIZES:
                whole_fit(columns, label, repeats)
            steady_update(256, label, repeats)
    few_vectors(256, repeats)


def stream(rows: int, columns: int) -> tuple[np.ndarray, np.ndarray]:
    random = np.random.default_rng(1)
    X = aligned((rows, columns))
    X[...] = random.standard_normal((rows, columns))
    return X, X @ np.ones(columns) / np.sqrt(columns) + random.standard_normal(rows)


def fit(rule: Gram | TunedSGD, X: np.ndarray, y: np.ndarray) -> Callable[[], object]:
    return lambda: rule.read(rule.step(rule.init(X.shape[1]), X, y))


def whole_fit(columns: int, label: str, repeats: int) -> None:
    from sklearn.linear_model import LinearRegression

    rows, bound = SIZES[columns]
    X, y = stream(rows, columns)
    took = turns({"gram": fit(Gram(), X, y), "scikit-learn": lambda: LinearRegression().fit(X, y)}, repeats)
    line(f"Gram / LinearRegression().fit, p={columns}{label}", bound, took.ratio("gram", "scikit-learn"))


def steady_update(columns: int, label: str, repeats: int) -> None:
    rule, (X, y) = Gram(), stream(40_000, columns)
    state = rule.init(columns)
    while state.counts[0] < SETTLED * columns:
        state = rule.step(state, X, y)
    took = turns({"gram": lambda: rule.step(state, X, y), "product": lambda: X.T @ X}, repeats)
    line(f"Gram, rows after {SETTLED} p / X.T @ X, p={columns}{label}", 1.7, took.ratio("gram", "product"))


def few_vectors(columns: int, repeats: int) -> None:
    X, y = stream(32_768, columns)
    rules = {"bare": TunedSGD(bars="none"), "default": TunedSGD()}
    states = {name: rule.step(rule.init(columns), X, y) for name, rule in rules.items()}
    took = turns(
        {
            "numpy": lambda: X.mean(axis=0),
            **{name: (lambda name=name: rules[name].step(states[name], X, y)) for name in rules},
        },
        repeats,
    )
    line(f"TunedSGD without bars / X.mean(axis=0), p={columns}", 8.0, took.ratio("bare", "numpy"))
    line(f"TunedSGD / X.mean(axis=0), p={columns}", None, took.ratio("default", "numpy"))
