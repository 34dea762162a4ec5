"""LinearRegression: the conditional mean of a number as a linear function."""

from functools import partial
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import RegressorMixin
from sklearn.utils.validation import check_array, check_consistent_length, column_or_1d

from ..blocks.frames import ARRAYS
from ..checkpoint import Saved
from ..each_target import EachTarget
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
    target_names_: list[str] | None

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Forget what was seen and take the rows of X and y in.

        X: an array, a frame of any library, or a stream of record batches, which is never held whole.
        y: the targets, or the name of the column that holds them; of a stream always the name. Several targets a row,
            or a list of names, give coefficients with a row for each.
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
        given = {"y": y}
        if _are_names(y) and not isinstance(X, ARRAYS):
            given = {f"y[{k}]": name for k, name in enumerate(y)}
        if first:
            self.target_names_ = list(y) if "y" not in given else _names_of(y)
        self._absorb(X, first, partial(self._take_targets, "y" not in given), sample_weight, **given)
        return self

    def _beside(self, targets: Any, rows: int) -> Any:
        targets = _numbers(targets)
        check_consistent_length(np.empty(rows), targets)
        return targets if targets.ndim == 2 else column_or_1d(targets)

    def _take_targets(self, apart: bool, rows: Any, *targets: Numbers) -> None:
        aimed = np.column_stack(targets) if apart else targets[0]
        if not hasattr(self, "state_"):
            rule = self._rule(rows.shape[1])
            rule = EachTarget(rule, aimed.shape[1]) if aimed.ndim == 2 else rule
            self._know(rule, rule.init(rows.shape[1]))
        many = self.rule_.targets if isinstance(self.rule_, EachTarget) else 0
        if aimed.shape[1:] != ((many,) if many else ()):
            given = f"{aimed.shape[1]} numbers" if aimed.ndim == 2 else "one number"
            there = f"{many} numbers" if many else "one number"
            raise DataError(f"y has {given} a row, but this model was fitted on {there}; fit another for other targets")
        self._step(rows, aimed)

    def estimate(self) -> Any:
        """Coefficients, intervals, verdict and warnings, as one record; of several targets a record of records."""
        if hasattr(self, "rule_") and isinstance(self.rule_, EachTarget):
            return self._said().replace(targets=self.target_names_)
        return super().estimate()

    def predict(self, X: Any) -> Numbers:
        """The mean of y, as far as each row of X tells it; NaN for a row with NaN."""
        return self._scores(X)

    @classmethod
    def _of(cls, saved: Saved) -> Any:
        """The model whose rule this is, if there is one."""
        rule = saved.rule.of if isinstance(saved.rule, EachTarget) else saved.rule
        model = cls._with(rule, saved.rule.columns(saved.state))
        return None if model is None else model._resume(saved)

    def _settings(self) -> dict[str, Any]:
        names = self.target_names_
        return super()._settings() | ({} if names is None else {"targets": names})

    def _resume(self, saved: Saved) -> Self:
        self.target_names_ = saved.settings.get("targets")
        return super()._resume(saved)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.multi_output = True
        return tags


def _are_names(y: Any) -> bool:
    """Whether these may be names of columns. Beside an array they are texts that somebody took for targets."""
    return isinstance(y, list | tuple) and bool(y) and all(isinstance(name, str) for name in y)


def _names_of(y: Any) -> list[str] | None:
    """The names of several targets, where they are the columns of a frame."""
    names = getattr(y, "column_names", getattr(y, "columns", None))
    named = names is not None and all(isinstance(name, str) for name in names)
    return list(names) if named and names is not None else None


def _numbers(y: Any) -> Any:
    try:
        return check_array(y, ensure_2d=False, ensure_all_finite=False, dtype=np.float64, input_name="y")
    except ValueError as error:
        if "could not convert" not in str(error):
            raise
        raise DataError(
            f"y holds something that is not a number ({error}); for labels use LogisticRegression"
        ) from error
