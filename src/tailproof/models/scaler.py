"""StreamScaler: columns moved to 0 and brought to width 1, by a mean and a scale that gross rows cannot ruin."""

from collections.abc import Iterator
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import OneToOneFeatureMixin, TransformerMixin
from sklearn.utils.validation import check_array, check_is_fitted

from ..blocks.frames import open_frame
from ..checkpoint import Saved
from ..errors import DataError
from ..extremes import Extremes
from ..scales import ScaleEstimate, Scales
from .model import Model

Numbers = NDArray[np.float64]


class StreamScaler(OneToOneFeatureMixin, TransformerMixin, Model):  # type: ignore[misc]
    """Each column less its robust mean, divided by its robust standard deviation.

    On clean rows it is scikit-learn's StandardScaler; up to 23 gross values on one side of a column do no harm, however
    long the stream. The same rows in any order and any pieces give the same answer, and parts merge exactly.

    The location is that of `Mean`. The scale is the standard deviation of the rows that are not set aside as gross,
    with the few farthest held back at the level at which the mean clips them. Where a variance is infinite it is that
    of the rows so far. A column whose rows are all the same has scale 1.

    Rows with NaN or inf are refused whole and counted when the scaler learns; `transform` hands NaN on as NaN. Fill
    what is often missing first, for example with scikit-learn's SimpleImputer.

    with_centering: whether the location is taken off.
    with_scaling: whether rows are divided by the scale.
    extremes: values remembered on each side; that many less one gross values do no harm. 16 for less memory.
    gross: "set-aside" leaves out values a gap apart from all others; "keep" never leaves a row out.
    h: how many times gross values must inflate the variance to be set aside. Larger spares real rare jumps.
    confidence: of the intervals of the locations.
    """

    # What is moved to 0 is not sparse any more.
    _takes_sparse = False

    def __init__(
        self,
        *,
        with_centering: bool = True,
        with_scaling: bool = True,
        extremes: int = 24,
        gross: str = "set-aside",
        h: float = 4.0,
        confidence: float = 0.95,
    ) -> None:
        self.with_centering = with_centering
        self.with_scaling = with_scaling
        self.extremes = extremes
        self.gross = gross
        self.h = h
        self.confidence = confidence

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Forget what was seen and take the rows of X in.

        X: an array, a frame of any library, or a stream of record batches, which is never held whole.
        sample_weight: how often each row occurs, in whole numbers; 0 leaves it out. The same bits as rows that are
            written so often, and the time they take. A text names the column that holds it.
        """
        self._forget()
        self._absorb(X, True, self._take_rows, sample_weight)
        self._refuse_nothing()
        return self

    def partial_fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Take more rows in. The same rows in any pieces give the same scaler, to the bit."""
        self._absorb(X, not hasattr(self, "state_"), self._take_rows, sample_weight)
        return self

    def _rule(self, columns: int) -> Scales:
        return self.rule()

    def rule(self) -> Scales:
        """The rule that these settings spell."""
        return Scales(Extremes(self.extremes, self.gross, float(self.h)))

    def transform(self, X: Any) -> Numbers:
        """Rows moved and scaled; NaN stays NaN."""
        location, scale = self._moves()
        with np.errstate(over="ignore"):
            return np.concatenate([(rows - location) / scale for rows in self._told(X)])

    def inverse_transform(self, X: Any) -> Numbers:
        """Rows as they were before `transform`."""
        location, scale = self._moves()
        with np.errstate(over="ignore"):
            return np.concatenate([rows * scale + location for rows in self._scaled(X)])

    def _scaled(self, X: Any) -> Iterator[Numbers]:
        """Rows as `transform` returns them; an array needs no names."""
        if open_frame(X) is not None:
            yield from self._told(X)
            return
        rows = check_array(X, dtype=np.float64, ensure_all_finite="allow-nan", estimator=self)
        if rows.shape[1] != self.n_features_in_:
            raise DataError(f"X has {rows.shape[1]} columns, this scaler was fitted on {self.n_features_in_}")
        yield rows

    def _moves(self) -> tuple[Any, Any]:
        self._refuse_unread("scale")
        return self.location_ if self.with_centering else 0.0, self.scale_ if self.with_scaling else 1.0

    def estimate(self) -> ScaleEstimate:
        """Locations with intervals, scales and verdicts, as one record."""
        said: ScaleEstimate = self._said()
        return said

    def interval(self, confidence: float | None = None, anytime: bool = False) -> tuple[Numbers, Numbers]:
        """The low and the high end for each column's location."""
        return self.estimate().interval(confidence, anytime)

    def certificate(self) -> Numbers:
        """How far at most one more row can move each column's location."""
        check_is_fitted(self, "state_")
        found: Numbers = self.rule_.certificate(self.state_)
        return found

    @property
    def location_(self) -> Numbers:
        """The robust mean of each column."""
        return self.estimate().location

    @property
    def scale_(self) -> Numbers:
        """What each column is divided by: its robust standard deviation, or 1 where all its rows are the same."""
        scale = self.estimate().scale
        return np.where(scale == 0.0, 1.0, scale)

    # ------------------------------------------------------------------------------------------ saving

    def _settings(self) -> dict[str, Any]:
        return super()._settings() | {"centering": bool(self.with_centering), "scaling": bool(self.with_scaling)}

    @classmethod
    def _of(cls, saved: Saved) -> "StreamScaler | None":
        """The model whose rule this is, if there is one."""
        rule = saved.rule
        if not isinstance(rule, Scales) or rule.of.groups:
            return None
        model = cls(
            with_centering=bool(saved.settings.get("centering", True)),
            with_scaling=bool(saved.settings.get("scaling", True)),
            extremes=rule.of.extremes,
            gross=rule.of.gross,
            h=rule.of.h,
        )
        return model._resume(saved)
