"""What models of a target share: settings, columns matched by name, coefficients with their intervals."""

import warnings
from collections.abc import Sequence
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.validation import check_is_fitted

from ..categories import Levels
from ..checkpoint import Saved
from ..domains import Ball, Everywhere
from ..predicting import scores
from ..solvers import solver_of, solver_rule
from .columns import matched
from .model import Model

Numbers = NDArray[np.float64]


class Regression(Model):
    """A model of a target. It says what its loss is, and how it takes rows and targets in."""

    loss: Any
    _or_beside = " or in y"

    def __init__(
        self,
        *,
        solver: str = "auto",
        fit_intercept: bool = True,
        outliers: str = "auto",
        radius: float | None = None,
        confidence: float = 0.95,
    ) -> None:
        self.solver = solver
        self.fit_intercept = fit_intercept
        self.outliers = outliers
        self.radius = radius
        self.confidence = confidence

    def _rule(self, columns: int) -> Any:
        """The rule that these settings spell for so many columns."""
        return solver_rule(self.solver, columns, self.loss, bool(self.fit_intercept), self.outliers, self.radius)

    # ------------------------------------------------------------------------------------------ taking rows in

    def _begin(self, X: Any, y: Any, first: bool) -> None:
        """What must be known before the first row is looked at."""
        if y is None:
            raise ValueError(f"This {type(self).__name__} estimator requires y to be passed, but the target y is None.")
        if first:
            name = y if isinstance(y, str) else getattr(y, "name", None)
            self.target_name_ = name if isinstance(name, str) else None
            self.__dict__.pop("one_hot_", None)

    def _columns(self, there: Sequence[str], first: bool) -> tuple[list[str], Levels]:
        names = self._names()
        if first or names is None:
            return super()._columns(there, first)
        return matched(there, names, getattr(self, "one_hot_", {}))

    def _warn(self) -> None:
        """Say once, after a fit, what people should know before they use the coefficients."""
        said = self.estimate()
        for words in said.warnings:
            warnings.warn(words, UserWarning, stacklevel=3)
        if self.solver_ == "sgd" and not said.settled:
            words = f"not settled after {said.rows:,} rows: the coefficients are still on their way; give more rows"
            warnings.warn(words, ConvergenceWarning, stacklevel=3)

    # ------------------------------------------------------------------------------------------ what is said

    def estimate(self) -> Any:
        """Coefficients, intervals, verdict and warnings, as one record."""
        return self._said().replace(target=self.target_name_)

    @property
    def coef_(self) -> Numbers:
        """The coefficients of the features."""
        coefficients: Numbers = self.estimate().coef
        return coefficients

    @property
    def intercept_(self) -> Any:
        """The intercept; 0 where none is fitted."""
        return self.estimate().intercept

    @property
    def solver_(self) -> str:
        """The solver that "auto" took."""
        check_is_fitted(self, "state_")
        return solver_of(self.rule_)

    @property
    def n_samples_seen_(self) -> int:
        """Rows used; rows refused are not among them."""
        check_is_fitted(self, "state_")
        return int(self.state_.counts[0])

    def interval(self, confidence: float | None = None, anytime: bool = False) -> tuple[Numbers, Numbers]:
        """The low and the high end for each coefficient, in the shape of `coef_`.

        anytime: holds at every look at once, so that one may stop when one likes.
        """
        low, high = self.estimate().interval(confidence, anytime)
        return self._slopes(low), self._slopes(high)

    def intercept_interval(self, confidence: float | None = None, anytime: bool = False) -> tuple[Any, Any]:
        """The low and the high end for the intercept, in the shape of `intercept_`."""
        if not self._has_intercept:
            return self.intercept_, self.intercept_
        low, high = self.estimate().interval(confidence, anytime)
        return low[..., -1], high[..., -1]

    @property
    def _has_intercept(self) -> bool:
        return bool(self.estimate().has_intercept)

    def certificate(self) -> Numbers:
        """How far at most one more row can move each coefficient, in the shape of `coef_`."""
        return self._slopes(self.estimate().certificate)

    def _slopes(self, terms: Numbers) -> Numbers:
        return terms[..., : self.n_features_in_]

    def _scores(self, X: Any) -> Numbers:
        """What the coefficients say of each row; NaN where the row holds NaN."""
        self._refuse_unread("predict")
        said = self._said()
        return np.concatenate([scores(rows, said.coef, said.intercept) for rows in self._told(X)])

    # ------------------------------------------------------------------------------------------ saving

    def _settings(self) -> dict[str, Any]:
        one_hot, target = getattr(self, "one_hot_", None), self.target_name_
        more = {"target": target, "one_hot": one_hot or None}
        return super()._settings() | {name: value for name, value in more.items() if value is not None}

    def _resume(self, saved: Saved) -> Self:
        self.target_name_ = saved.settings.get("target")
        if saved.settings.get("one_hot"):
            self.one_hot_ = saved.settings["one_hot"]
        return super()._resume(saved)

    @classmethod
    def _with(cls, rule: Any, columns: int) -> "Regression | None":
        """The model whose settings spell this rule, if there is one."""
        solver = solver_of(rule)
        if not solver or getattr(rule, "loss", None) != cls.loss or not isinstance(rule.domain, Everywhere | Ball):
            return None
        radius = rule.domain.radius if isinstance(rule.domain, Ball) else None
        kept = {"fit_intercept": rule.intercept, "outliers": getattr(rule, "outliers", "auto"), "radius": radius}
        model = cls(**kept)
        if solver_of(model._rule(columns)) != solver:
            model.solver = solver
        return model
