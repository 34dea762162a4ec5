"""LogisticRegression for River."""

from math import exp, isnan, nan
from typing import Any

import numpy as np
from river import base
from river.utils import dataframe

from ..errors import DataError
from ..losses import Logistic
from ..predicting import probabilities
from .descent import Descent
from .named import Features, is_missing


class LogisticRegression(Descent, base.MiniBatchClassifier):
    """The chance of True as a function of the features, safe under heavy tails and gross rows, with nothing to tune.

    For more than two labels put it into `river.multiclass.OneVsRestClassifier`. No feature has to be scaled first.
    Features may appear and disappear: one that is missing counts as 0, as everywhere in River. Rows with NaN, None or
    inf are refused whole and counted in `n_refused`. `learn_many` learns row by row: the same rows in any pieces give
    the same model, to the bit.

    fit_intercept: whether there is a constant.
    radius: if the coefficients shall be no longer than this, as a vector.
    average: predict from the average of all coefficients on the way: a little nearer where the stream stays as it is,
        and far off where it drifts.

    >>> from river import datasets, evaluate, metrics
    >>> from tailproof.river import LogisticRegression
    >>> score = evaluate.progressive_val_score(datasets.Phishing(), LogisticRegression(), metrics.Accuracy())
    >>> round(score.get(), 1)
    0.9
    """

    loss = Logistic()

    def learn_one(self, x: Features, y: Any) -> None:
        """Learn from one row, whose label is true or false."""
        self._learn(x, as_truth(y))

    def predict_proba_one(self, x: Features, **kwargs: Any) -> dict[Any, float]:
        """The probability of False and of True; even before the first row, NaN where a feature is NaN."""
        score = self._score(x)
        # Neither end overflows.
        small = exp(-abs(score))
        true = (1.0 if score >= 0.0 else small) / (1.0 + small)
        return {False: 1.0 - true, True: true}

    def predict_one(self, x: Features, **kwargs: Any) -> Any:
        """The likelier label; None where a feature is NaN."""
        score = self._score(x)
        return None if isnan(score) else score > 0.0

    def learn_many(self, X: Any, y: Any) -> None:
        """Learn from the rows of a frame, one after the other."""
        frame, labels = dataframe.into_frame(X), dataframe.into_series(y)
        self._y_name = labels.name
        self._learn_many(frame, np.array([as_truth(label) for label in labels.to_list()]))

    def predict_proba_many(self, X: Any) -> Any:
        """The probability of False and of True for each row of a frame."""
        frame, found = self._score_many(X)
        false, true = probabilities(found[:, None]).T
        return dataframe.to_native_frame({False: false, True: true}, like=frame)

    def predict_many(self, X: Any) -> Any:
        """The likelier label for each row of a frame."""
        frame, found = self._score_many(X)
        return dataframe.to_native_series(found > 0.0, name=self._y_name, like=frame)


def as_truth(label: Any) -> float:
    """1 for true, 0 for false, NaN for a missing label."""
    if is_missing(label):
        return nan
    if label == 0 or label == 1:
        return float(label)
    raise DataError(
        f"label {label!r:.60} is neither true nor false; for other labels put the model into "
        "river.multiclass.OneVsRestClassifier"
    )
