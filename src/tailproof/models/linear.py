"""LinearRegression: the conditional mean of a number as a linear function."""

from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import RegressorMixin
from sklearn.utils.validation import check_array, check_consistent_length, column_or_1d

from ..checkpoint import Saved
from ..errors import DataError
from ..losses import Squared
from .regression import Regression

Numbers = NDArray[np.float64]


class LinearRegression(RegressorMixin, Regression):  # type: ignore[misc]
    """The mean of y as a linear function of X, safe under heavy tails and gross rows, with error bars.

    Nothing has to be known: no scale of columns, no learning rate, no length of stream. Rows with NaN or inf, in X or
    in y, are refused whole and counted. Columns of a data frame are matched by name, extra ones left aside.

    solver: "gram" remembers products of features and the most extreme rows, handles correlated columns as least
        squares does, and parts merge to what one pass gives; "sgd" remembers a few vectors, and depends on the order
        of the rows. "auto" takes gram for up to 1000 features; `solver_` says which it took.
    fit_intercept: whether there is a constant.
    outliers: "auto" leaves rows out that are far beyond what finite variance shows, if they are few; "keep" never
        does. The sgd solver never leaves a row out, it holds back what each can do.
    radius: if the slopes shall be no longer than this, as a vector.
    confidence: of the intervals.
    """

    loss = Squared()

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Forget what was seen and take the rows of X and y in.

        X: an array, a frame of any library, or a stream of record batches, which is never held whole.
        y: the targets, or the name of the column that holds them; of a stream always the name.
        sample_weight: how often each row occurs, in whole numbers; 0 leaves it out. The same bits as rows that are
            written so often, and the time they take. A text names the column that holds it.
        """
        self._forget()
        self._take(X, y, sample_weight, first=True)
        self._refuse_nothing()
        self._warn()
        return self

    def partial_fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Take more rows in. The same rows in any pieces give the same model, to the bit."""
        return self._take(X, y, sample_weight, first=not hasattr(self, "state_"))

    def _take(self, X: Any, y: Any, sample_weight: Any, first: bool) -> Self:
        self._begin(X, y, first)
        self._absorb(X, first, self._take_rows, sample_weight, y=y)
        return self

    def _beside(self, targets: Any, rows: int) -> Any:
        targets = column_or_1d(_numbers(targets), warn=True)
        check_consistent_length(np.empty(rows), targets)
        return targets

    def predict(self, X: Any) -> Numbers:
        """The mean of y, as far as each row of X tells it; NaN for a row with NaN."""
        return self._scores(X)

    @classmethod
    def _of(cls, saved: Saved) -> Any:
        """The model whose rule this is, if there is one."""
        model = cls._with(saved.rule, saved.rule.columns(saved.state))
        return None if model is None else model._resume(saved)


def _numbers(y: Any) -> Any:
    try:
        return check_array(y, ensure_2d=False, ensure_all_finite=False, dtype=np.float64, input_name="y")
    except ValueError as error:
        if "could not convert" not in str(error):
            raise
        raise DataError(
            f"y holds something that is not a number ({error}); for labels use LogisticRegression"
        ) from error
