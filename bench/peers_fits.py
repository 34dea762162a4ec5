"""What each contender makes of a small sample, with the settings that it is tried with."""

from collections.abc import Callable
from itertools import product
from typing import Any, NamedTuple

import numpy as np

import fits
import tailproof
from laws import Cells
from peer import OURS
from peers_data import Rows
from peers_line import jax_in_doubles, optax_learner, rabbit_lines, rabbit_weights, torch_descent, weights_of
from streams import Sample
from tailproof.clipped import ClippedSGD

Fitting = Callable[[Sample], Cells]
MANY, FEWER, FEW = 100_000, 1000, 40
LIMITS, DELAYS = (2.0, 5.0, 10.0, 20.0, 40.0), (20.0, 100.0)


class Fit(NamedTuple):
    name: str
    package: str
    most: int  # trials that it may take, so that all are done in minutes
    settings: Callable[[], dict[str, Fitting]]


# ---------------------------------------------------------------------------------------------------------- means


def robust_mean() -> dict[str, Fitting]:
    return {"": lambda sample: fits.fitted(tailproof.Extremes(), sample).mean}


def descent_mean() -> dict[str, Fitting]:
    return {"": lambda sample: fits.fitted(ClippedSGD(), sample).theta}


def plain_mean() -> dict[str, Fitting]:
    return {"": lambda sample: sample.X.mean(axis=0)}


def trimmed_mean() -> dict[str, Fitting]:
    from scipy.stats import trim_mean

    return {
        f"{share:.1%} a side": lambda sample, share=share: trim_mean(sample.X, share, axis=0)
        for share in (0.001, 0.005, 0.02, 0.1)
    }


def river_mean() -> dict[str, Fitting]:
    from river import stats

    def fit(sample: Sample) -> Cells:
        means = [stats.Mean() for _ in range(sample.X.shape[1])]
        for mean, column in zip(means, sample.X.T.tolist(), strict=True):
            for value in column:
                mean.update(value)
        return np.array([mean.get() for mean in means])

    return {"": fit}


def median() -> dict[str, Fitting]:
    return {"": lambda sample: np.median(sample.X, axis=0)}


MEANS = [
    Fit("tailproof Mean", OURS, MANY, robust_mean),
    Fit("tailproof ClippedSGD, level set by the stream", OURS, MANY, descent_mean),
    Fit("the plain mean: NumPy, DuckDB, Polars", "numpy", MANY, plain_mean),
    Fit("River stats.Mean", "river", MANY, river_mean),
    Fit("SciPy trim_mean", "scipy", MANY, trimmed_mean),
    Fit("NumPy median", "numpy", MANY, median),
]


# ---------------------------------------------------------------------------------------------------------- lines


def ours_gram() -> dict[str, Fitting]:
    return {"": fits.by(fits.GRAM)}


def ours_sgd() -> dict[str, Fitting]:
    return {"": fits.by(fits.SGD)}


def ours_clipped() -> dict[str, Fitting]:
    def fit(rule: ClippedSGD) -> Fitting:
        return lambda sample: fits.fitted(rule, sample).theta

    return {
        f"level {limit:g}, delay {delay:g}": fit(
            ClippedSGD(tailproof.Squared(), tailproof.Fixed(limit), tailproof.Harmonic(1.0, delay))
        )
        for limit, delay in product(LIMITS, DELAYS)
    }


def scikit_line() -> dict[str, Fitting]:
    from sklearn.linear_model import LinearRegression

    return {"": lambda sample: LinearRegression(fit_intercept=False).fit(sample.X, sample.y).coef_}


def scikit_huber() -> dict[str, Fitting]:
    from sklearn.linear_model import HuberRegressor

    model = HuberRegressor(fit_intercept=False, alpha=0.0, max_iter=1000)
    return {"": lambda sample: model.fit(sample.X, sample.y).coef_}


def scikit_descent(loss: str) -> Callable[[], dict[str, Fitting]]:
    def settings() -> dict[str, Fitting]:
        from sklearn.linear_model import SGDRegressor

        def fit(eta0: float, average: bool) -> Fitting:
            def fitted(sample: Sample) -> Cells:
                model = SGDRegressor(
                    loss=loss, penalty=None, fit_intercept=False, shuffle=False, eta0=eta0, average=average
                )
                return model.partial_fit(sample.X, sample.y).coef_

            return fitted

        return {
            f"eta0 {eta0:g}{', averaged' if average else ''}": fit(eta0, average)
            for eta0, average in product((0.003, 0.01, 0.03, 0.1, 0.3), (False, True))
        }

    return settings


def river_line() -> dict[str, Fitting]:
    from river import linear_model, optim

    def fit(rate: float, clip: float) -> Fitting:
        def fitted(sample: Sample) -> Cells:
            model = linear_model.LinearRegression(optim.SGD(rate), intercept_lr=0.0, clip_gradient=clip)
            for x, y in zip(sample.X.tolist(), sample.y.tolist(), strict=True):
                model.learn_one(dict(enumerate(x)), y)
            return weights_of(model, sample.X.shape[1])

        return fitted

    return {f"rate {rate:g}, clip {clip:g}": fit(rate, clip) for rate, clip in product((0.003, 0.01), (1.0, 1e12))}


def river_blocks() -> dict[str, Fitting]:
    import pandas as pd
    from river import linear_model, optim

    def fit(rate: float) -> Fitting:
        def fitted(sample: Sample) -> Cells:
            columns = list(range(sample.X.shape[1]))
            model = linear_model.LinearRegression(optim.SGD(rate), intercept_lr=0.0)
            for i in range(0, len(sample.y), 100):
                frame = pd.DataFrame(sample.X[i : i + 100], columns=columns)
                model.learn_many(frame, pd.Series(sample.y[i : i + 100]))
            return weights_of(model, len(columns))

        return fitted

    return {f"rate {rate:g}": fit(rate) for rate in (0.03, 0.1, 0.3)}


def rabbit_line() -> dict[str, Fitting]:
    from vowpalwabbit import Workspace

    def fit(rate: float) -> Fitting:
        def fitted(sample: Sample) -> Cells:
            model = Workspace(f"--noconstant --quiet -l {rate}")
            for line in rabbit_lines(Rows(sample.X, sample.y, sample.slopes)):
                model.learn(line)
            weights = rabbit_weights(model, sample.X.shape[1])
            model.finish()
            return weights

        return fitted

    return {f"rate {rate:g}": fit(rate) for rate in (0.5, 2.0, 8.0)}


def optax_line() -> dict[str, Fitting]:
    jax, jnp = jax_in_doubles()

    def fit(limit: float, delay: float) -> Fitting:
        learn = jax.jit(optax_learner(limit, 1.0, delay))
        return lambda sample: np.asarray(learn(jnp.asarray(sample.X), jnp.asarray(sample.y))[0])

    return {f"clip {limit:g}, delay {delay:g}": fit(limit, delay) for limit, delay in product(LIMITS, DELAYS)}


def torch_line() -> dict[str, Fitting]:
    """Too slow to be tried out: the clip and the steps that are best for the same descent elsewhere."""
    import torch

    torch.set_num_threads(1)

    def fit(sample: Sample) -> Cells:
        found: Any = torch_descent(torch, torch.from_numpy(sample.X), torch.from_numpy(sample.y), 10.0, 1.0, 20.0)[0]
        return found  # type: ignore[no-any-return]

    return {"clip 10, delay 20": fit}


def statsmodels_line() -> dict[str, Fitting]:
    from statsmodels.robust.norms import HuberT
    from statsmodels.robust.robust_linear_model import RLM

    return {"": lambda sample: RLM(sample.y, sample.X, M=HuberT()).fit().params}


LINES = [
    Fit("tailproof LinearRegression, solver gram (the default)", OURS, MANY, ours_gram),
    Fit("tailproof LinearRegression, solver sgd", OURS, MANY, ours_sgd),
    Fit("tailproof ClippedSGD", OURS, MANY, ours_clipped),
    Fit("scikit-learn LinearRegression", "scikit-learn", MANY, scikit_line),
    Fit("scikit-learn HuberRegressor", "scikit-learn", FEWER, scikit_huber),
    Fit("statsmodels RLM", "statsmodels", FEWER, statsmodels_line),
    Fit("scikit-learn SGDRegressor.partial_fit", "scikit-learn", MANY, scikit_descent("squared_error")),
    Fit("scikit-learn SGDRegressor.partial_fit, Huber loss", "scikit-learn", MANY, scikit_descent("huber")),
    Fit("River LinearRegression.learn_one", "river", FEWER, river_line),
    Fit("River learn_many, blocks of 100", "river", FEWER, river_blocks),
    Fit("Vowpal Wabbit", "vowpalwabbit", FEWER, rabbit_line),
    Fit("Optax clip_by_global_norm, in lax.scan", "optax", MANY, optax_line),
    Fit("PyTorch autograd, clip_grad_norm_", "torch", FEW, torch_line),
]
