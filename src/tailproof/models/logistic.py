"""LogisticRegression: the odds of labels as linear functions."""

from functools import partial
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import ClassifierMixin

from ..checkpoint import Saved
from ..classes_estimate import ClassesEstimate
from ..errors import DataError, RuleError
from ..estimator import same_rule
from ..losses import Logistic
from ..one_vs_rest import OneVsRest
from ..predicting import likeliest, probabilities
from .growing import Known, grown
from .labels import (
    Labels,
    as_labels,
    chosen,
    distinct,
    for_a_file,
    from_a_file,
    numbers_of,
    refuse_measurements,
    same_labels,
    shown,
)
from .regression import Regression

Numbers = NDArray[np.float64]


class LogisticRegression(ClassifierMixin, Regression):  # type: ignore[misc]
    """The log-odds of labels as linear functions of X, safe under heavy tails and gross rows, with error bars.

    With two labels, those of the second against the first in `classes_`; with more, those of each against all others.
    Nothing has to be known but, for a stream of more than two labels, which there are. Rows with NaN or inf, or whose
    label is missing, are refused whole and counted. Columns of a data frame are matched by name, extra ones left
    aside.

    solver: "gram" remembers products of features and the most extreme rows, handles correlated columns as maximum
        likelihood does, and parts merge to what one pass gives; "sgd" remembers a few vectors, and depends on the
        order of the rows. "auto" takes gram for up to 1000 features; `solver_` says which it took.
    fit_intercept: whether there is a constant.
    outliers: "auto" leaves rows out that are far beyond what finite variance shows, if they are few; "keep" never
        does. The sgd solver never leaves a row out, it holds back what each can do.
    radius: if the slopes shall be no longer than this, as a vector.
    confidence: of the intervals.
    """

    loss = Logistic()
    classes_: Labels

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Forget what was seen and take the rows of X and their labels in.

        X: an array, a frame of any library, or a stream of record batches, which is never held whole.
        y: the labels, or the name of the column that holds them; of a stream always the name.
        sample_weight: how often each row occurs, in whole numbers; 0 leaves it out. The same bits as rows that are
            written so often, and the time they take. A text names the column that holds it.
        """
        self._forget()
        self._take(X, y, None, sample_weight, first=True)
        self._refuse_nothing()
        self._warn()
        return self

    def partial_fit(self, X: Any, y: Any, classes: ArrayLike | None = None, sample_weight: Any = None) -> Self:
        """Take more rows in. The same rows in any pieces give the same model, to the bit.

        classes: all labels there will be, given with the first rows. Without, they are the labels of the first rows;
            where these have only one, one more may come later.
        """
        return self._take(X, y, classes, sample_weight, first=not hasattr(self, "state_"))

    def _take(self, X: Any, y: Any, classes: ArrayLike | None, sample_weight: Any, first: bool) -> Self:
        self._begin(X, y, first)
        self._coming: Labels | None = None
        self._absorb(X, first, partial(self._take_labels, classes), sample_weight, y=y)
        self._coming = None
        return self

    def _foresee(self, **whole: Any) -> None:
        """Labels may come late in the rows, but not later than the first piece of them."""
        if "y" in whole:
            counts, labels = whole["sample_weight"], whole["y"]
            self._coming = distinct(labels if counts is None else labels[counts > 0])

    def _beside(self, targets: Any, rows: int) -> Any:
        return as_labels(targets, rows)

    def _take_labels(self, classes: ArrayLike | None, rows: Any, labels: Labels) -> None:
        unborn = not hasattr(self, "state_")
        known = self._named(self._unborn(rows.shape[1]) if unborn else self._known, classes)
        numbers = numbers_of(labels, known.classes)
        if (numbers < 0.0).any():
            new = distinct(labels[numbers < 0.0]) if self._coming is None else self._coming
            if len(known.classes) < 2:
                refuse_measurements(new)
            known = grown(known, new)
            numbers = numbers_of(labels, known.classes)
        self._be(known)
        self._step(rows, numbers)

    def _unborn(self, columns: int) -> Known:
        """What is known before the first row."""
        rule = OneVsRest(self._rule(columns))
        return Known(rule, rule.init(columns), np.array([]))

    def _named(self, known: Known, classes: ArrayLike | None) -> Known:
        """The same with the classes that somebody named. Those that are known already may only be named again."""
        if classes is None:
            return known
        found = distinct(as_labels(classes))
        if len(found) < 2:
            raise RuleError(f"classes must name at least two labels, not {shown(found) or 'none'}")
        if len(known.classes) == 0:
            return grown(known, found)
        if set(found.tolist()) != set(known.classes.tolist()):
            raise RuleError(
                f"the classes are {shown(known.classes)} since the first rows and cannot become {shown(found)}; "
                "name all of them at the first partial_fit of another model"
            )
        return known

    @property
    def _known(self) -> Known:
        return Known(self.rule_, self.state_, self.classes_)

    def _be(self, known: Known) -> None:
        self._know(known.rule, known.state)
        self.classes_ = known.classes

    # ------------------------------------------------------------------------------------------ what is said

    def _read(self) -> ClassesEstimate:
        rule, state = self._known.pair()
        said: ClassesEstimate = rule.read(state)
        return said.replace(labels=self.classes_.tolist())

    def decision_function(self, X: Any) -> Numbers:
        """The log-odds of each row: of the second label against the first, or of each against all others."""
        odds = self._scores(X)
        return odds[:, 0] if odds.shape[1] == 1 else odds

    def predict_proba(self, X: Any) -> Numbers:
        """The probability of each label, a column a label."""
        found = probabilities(self._scores(X))
        # A label that is the only one known is all that there is to choose from.
        return found if len(self.classes_) > 1 else found.sum(axis=1, keepdims=True)

    def predict_log_proba(self, X: Any) -> Numbers:
        """The logarithm of the probability of each label."""
        with np.errstate(divide="ignore"):
            return np.log(self.predict_proba(X))

    def predict(self, X: Any) -> Any:
        """The likeliest label of each row; NaN, or None where labels are texts or truths, for a row with NaN."""
        odds = self._scores(X)
        return chosen(self.classes_, likeliest(odds), np.isnan(odds).any(axis=1))

    # ------------------------------------------------------------------------------------------ together and apart

    def _merge(self, other: "LogisticRegression") -> None:
        try:
            mine, theirs = grown(self._known, other.classes_), grown(other._known, self.classes_)
        except DataError as error:
            raise self._unlike(other) from error
        if not same_labels(mine.classes, theirs.classes):
            raise self._unlike(other)
        same_rule(mine.rule, theirs.rule)
        self._be(mine._replace(state=mine.rule.merge(mine.state, theirs.state.copy())))

    def _unlike(self, other: "LogisticRegression") -> RuleError:
        return RuleError(
            f"the two models have different classes: {shown(self.classes_)} and {shown(other.classes_)}; "
            "name all of them at the first partial_fit(X, y, classes=[...]) of both"
        )

    def _settings(self) -> dict[str, Any]:
        labels = for_a_file(self.classes_)
        return super()._settings() | ({"labels": labels} if labels else {})

    def _resume(self, saved: Saved) -> Self:
        unnamed = range(saved.rule.classes) if saved.state.tally.any() else []
        self.classes_ = from_a_file(saved.settings.get("labels", unnamed))
        return super()._resume(saved)

    @classmethod
    def _of(cls, saved: Saved) -> Any:
        """The model whose rule this is, if there is one."""
        if not isinstance(saved.rule, OneVsRest):
            return None
        model = cls._with(saved.rule.of, saved.rule.columns(saved.state))
        return None if model is None else model._resume(saved)
