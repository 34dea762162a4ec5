"""What the models of a target share: a tuned descent that grows with its features, and rows that wait to be learnt."""

from collections.abc import Callable, Hashable, Sequence
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from river import base
from river.utils import dataframe

from ..domains import Ball, Everywhere
from ..errors import RuleError
from ..predicting import scores
from ..state import State, aligned
from ..tuned import TunedSGD
from .named import Features, Names, as_number, matrix_of

Numbers = NDArray[np.float64]

# Rows wait until so many of them, or so many values, can be learnt at once, or until somebody asks.
HIGHEST, VALUES = 64, 4096


class Descent(base.Estimator):
    """A model of a target: coefficients of all features that have ever been seen, learnt row by row."""

    loss: Any

    def __init__(self, *, fit_intercept: bool = True, radius: float | None = None, average: bool = False) -> None:
        self.fit_intercept = fit_intercept
        self.radius = radius
        self.average = average
        domain = Everywhere() if radius is None else Ball(float(radius))
        self._rule = TunedSGD(loss=self.loss, intercept=bool(fit_intercept), domain=domain, bars="none")
        self._names = Names()
        self._state: State | None = None
        self._y_name: str | None = None
        self._empty = 0  # rows without any feature, before there was one
        self._rest()

    def _rest(self) -> None:
        """No row waits, and nothing is made ready."""
        width = len(self._names.known)
        height = max(1, min(HIGHEST, VALUES // max(width, 1)))
        self._rows, self._targets, self._waiting = aligned((height, width)), aligned(height), 0
        self._asked = np.empty(width)
        self._taker: Callable[[Any, Any], None] | None = None
        self._said: tuple[Numbers, float] | None = None

    def __getstate__(self) -> dict[str, Any]:
        self._settle()
        made = ("_rows", "_targets", "_asked", "_taker", "_said", "_waiting")
        return {name: value for name, value in self.__dict__.items() if name not in made}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._rest()

    def clone(self, new_params: dict[str, Any] | None = None, include_attributes: bool = False) -> Self:
        """A fresh model with the same settings, or with new ones; with `include_attributes` what was learnt, too."""
        if new_params and include_attributes:
            raise RuleError("what was learnt with one setting cannot be gone on with by another; leave one of both out")
        # What is made ready belongs to this model alone.
        self._settle()
        self._rest()
        return super().clone(new_params, include_attributes)

    # ------------------------------------------------------------------------------------------ taking rows in

    def _learn(self, x: Features, target: float) -> None:
        if not x.keys() <= self._names.places.keys():
            new = self._names.new(x)
            for name in new:
                as_number(name, x[name])
            self._widen(new)
        if self._state is None:
            self._empty += 1
            return
        self._names.fill(self._rows[self._waiting], x)
        self._targets[self._waiting] = target
        self._waiting += 1
        self._said = None
        if self._waiting == len(self._rows):
            self._settle()

    def _learn_many(self, frame: Any, targets: Numbers) -> None:
        values = matrix_of(frame)
        if not len(values):
            return
        self._settle()
        self._widen(self._names.new(frame.columns))
        if self._state is None:
            self._empty += len(values)
            return
        self._state = self._rule.step(self._state, self._names.matrix(frame.columns, values), targets)
        self._said = None

    def _widen(self, names: Sequence[Hashable]) -> None:
        """Know these features, too; they have been 0 so far."""
        if not names:
            return
        self._settle()
        self._names.learn(names)
        width = len(self._names.known)
        self._state = self._rule.init(width) if self._state is None else self._rule.widened(self._state, width)
        self._rest()

    def _settle(self) -> None:
        """Learn the rows that wait. Nobody can tell when: any chunking of a stream gives the same bits."""
        if self._waiting and self._state is not None:
            if self._taker is None:
                self._taker = self._rule.taker(self._state)
            self._taker(self._rows[: self._waiting], self._targets[: self._waiting])
            self._waiting = 0

    # ------------------------------------------------------------------------------------------ what is said

    def _plane(self) -> tuple[Numbers, float]:
        """The coefficients of the features, and the intercept."""
        if self._said is None:
            self._settle()
            width, last = len(self._names.known), 0.0
            follow = not self.average
            plane = np.zeros(width) if self._state is None else self._rule.coefficients(self._state, follow)
            if len(plane) > width:
                last = float(plane[-1])
            self._said = plane[:width], last
        return self._said

    @property
    def weights(self) -> dict[Hashable, float]:
        """The coefficient of each feature seen so far."""
        return dict(zip(self._names.known, self._plane()[0].tolist(), strict=True))

    @property
    def intercept(self) -> float:
        """What is predicted where all features are 0."""
        return self._plane()[1]

    @property
    def n_seen(self) -> int:
        """Rows used; rows refused are not among them."""
        return self._count(0)

    @property
    def n_refused(self) -> int:
        """Rows refused because they held NaN or inf, or nothing to learn."""
        return self._count(1) + self._empty

    def _count(self, which: int) -> int:
        self._settle()
        return 0 if self._state is None else int(self._state.counts[which])

    def _score(self, x: Features) -> float:
        """The linear predictor; features never seen say nothing."""
        slopes, last = self._plane()
        self._names.fill(self._asked, x)
        return float(self._asked @ slopes) + last

    def _score_many(self, X: Any) -> tuple[Any, Numbers]:
        frame = dataframe.into_frame(X)
        rows = self._names.matrix(frame.columns, matrix_of(frame))
        return frame, scores(rows, *self._plane())
