"""What all models share: a rule, its state, and the scikit-learn contract around them."""

import os
from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from .. import checkpoint
from ..errors import RuleError
from ..estimator import fold, same_rule
from ..path import Path
from ..plots import IntervalDisplay, PathDisplay
from ..state import State


class Reading:
    """What the rule said last, so that it need not be asked twice of one state. No part of what is pickled."""

    def __init__(self) -> None:
        self.said: Any = None

    def __reduce__(self) -> tuple[type, tuple[()]]:
        return Reading, ()


class Model(BaseEstimator):  # type: ignore[misc]
    """A rule and its state. A model says how it takes rows in, and what its estimate is."""

    confidence: float

    def _forget(self) -> None:
        """As if no row had been seen."""
        for name in ("state_", "rule_", "_reading"):
            self.__dict__.pop(name, None)
        if hasattr(self, "path_"):
            self.keep_path(self.path_.each)

    def _know(self, rule: Any, state: State) -> None:
        """What was seen so far; all that is said from now on is said of it."""
        self.rule_, self.state_, self._reading = rule, state, Reading()

    def _step(self, *rows: Any) -> None:
        self._reading = Reading()
        self.state_ = fold(self.rule_, self.state_, [rows], getattr(self, "path_", None))

    def _said(self) -> Any:
        """What the rule says, with the names of the columns."""
        check_is_fitted(self, "state_")
        if self._reading.said is None:
            self._reading.said = self._read()
        return self._reading.said.replace(confidence=self.confidence, names=self._names())

    def _read(self) -> Any:
        return self.rule_.read(self.state_)

    def _names(self) -> list[str] | None:
        names = getattr(self, "feature_names_in_", None)
        return None if names is None else [str(name) for name in names]

    @property
    def n_samples_seen_(self) -> int:
        """Rows used; rows refused are not among them."""
        rows: int = self._said().rows
        return rows

    @property
    def n_samples_refused_(self) -> int:
        """Rows refused because they held NaN or inf."""
        check_is_fitted(self, "state_")
        return int(self.state_.counts[1])

    def keep_path(self, each: int = 2) -> Self:
        """From now on keep what is said after 16, 32, 64, ... rows, `each` readings a doubling, for `plot_path`.

        The path is no part of what `save` writes, and a clone keeps none.
        """
        self.path_ = Path(each)
        return self

    def plot(self, ax: Any = None, columns: Any = None) -> IntervalDisplay:
        """Draw the intervals beside those of the plain method, on `ax` or a new figure; needs the extra 'plot'."""
        return IntervalDisplay.from_estimator(self).plot(ax, columns)

    def plot_path(self, ax: Any = None, columns: Any = None) -> PathDisplay:
        """Draw how the estimate came to rest along the stream; ask for `keep_path()` before the first rows."""
        check_is_fitted(self, "state_")
        if not hasattr(self, "path_"):
            raise RuleError(
                f"no path was kept along the stream: ask for it before the first rows, as in "
                f"{type(self).__name__}().keep_path().partial_fit(...)"
            )
        return PathDisplay.from_estimator(self).plot(ax, columns)

    def merge(self, other: Any) -> Self:
        """Add all that another model has seen."""
        check_is_fitted(self, "state_")
        if not isinstance(other, type(self)):
            raise RuleError(
                f"a {type(self).__name__} cannot take in a {type(other).__name__}: they have different rules"
            )
        check_is_fitted(other, "state_")
        mine, theirs = self._names(), other._names()
        if mine is not None and theirs is not None and mine != theirs:
            raise RuleError(f"the two models have different columns: {mine} and {theirs}")
        self._merge(other)
        return self

    def _merge(self, other: Any) -> None:
        same_rule(self.rule_, other.rule_)
        self._know(self.rule_, self.rule_.merge(self.state_, other.state_.copy()))

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the model to one file, from which `tailproof.load` makes it again."""
        check_is_fitted(self, "state_")
        checkpoint.save(path, checkpoint.Saved(self.rule_, self.state_, self._names(), settings=self._settings()))

    def _settings(self) -> dict[str, Any]:
        """What the file must tell beside the rule."""
        return {"confidence": float(self.confidence)}

    def _resume(self, saved: checkpoint.Saved) -> Self:
        """Be as the model that was saved."""
        self.confidence = saved.settings.get("confidence", 0.95)
        self.n_features_in_ = saved.rule.columns(saved.state)
        if saved.names is not None:
            self.feature_names_in_ = np.array(saved.names, dtype=object)
        self._know(saved.rule, saved.state)
        return self

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        # Such rows are refused one by one and counted, not the whole block.
        tags.input_tags.allow_nan = True
        return tags
