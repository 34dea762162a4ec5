"""LinearRegression for River."""

from typing import Any

import numpy as np
from river import base
from river.utils import dataframe, pretty

from ..losses import Squared
from .descent import Descent
from .named import Features, as_number


class LinearRegression(Descent, base.MiniBatchRegressor):
    """The mean of y as a linear function of the features, safe under heavy tails and gross rows, with nothing to tune.

    No feature has to be scaled first. Features may appear and disappear: one that is missing counts as 0, as everywhere
    in River. Rows with NaN, None or inf are refused whole and counted in `n_refused`. `learn_many` learns row by row:
    the same rows in any pieces give the same model, to the bit.

    fit_intercept: whether there is a constant.
    radius: if the coefficients shall be no longer than this, as a vector.
    average: predict from the average of all coefficients on the way: a little nearer where the stream stays as it is,
        and far off where it drifts.

    >>> from river import datasets, evaluate, metrics
    >>> from tailproof.river import LinearRegression
    >>> score = evaluate.progressive_val_score(datasets.TrumpApproval(), LinearRegression(), metrics.MAE())
    >>> round(score.get(), 1)
    0.3
    """

    loss = Squared()

    def learn_one(self, x: Features, y: Any) -> None:
        """Learn from one row."""
        self._learn(x, as_number("y", y))

    def predict_one(self, x: Features) -> float:
        """The mean of y for these features; 0 before the first row, NaN where a feature is NaN."""
        return self._score(x)

    def learn_many(self, X: Any, y: Any) -> None:
        """Learn from the rows of a frame, one after the other."""
        frame, targets = dataframe.into_frame(X), dataframe.into_series(y)
        self._y_name = targets.name
        self._learn_many(frame, np.array([as_number("y", y) for y in targets.to_list()]))

    def predict_many(self, X: Any) -> Any:
        """The mean of y for each row of a frame."""
        frame, found = self._score_many(X)
        return dataframe.to_native_series(found, name=self._y_name, like=frame)

    def debug_one(self, x: Features, decimals: int = 5) -> str:
        """What each feature adds to a prediction, as a table."""
        weights = self.weights
        lines = [(str(name), as_number(name, value), weights.get(name, 0.0)) for name, value in x.items()]
        lines = sorted([*lines, ("Intercept", 1.0, self.intercept)], key=lambda line: -line[1] * line[2])
        table: str = pretty.print_table(
            headers=["Name", "Value", "Weight", "Contribution"],
            columns=[
                [name for name, _, _ in lines],
                *([f"{number:,.{decimals}f}" for number in numbers] for numbers in _numbers(lines)),
            ],
        )
        return table


def _numbers(lines: list[tuple[str, float, float]]) -> list[list[float]]:
    return [
        [value for _, value, _ in lines],
        [weight for _, _, weight in lines],
        [value * weight for _, value, weight in lines],
    ]
