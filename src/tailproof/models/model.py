"""What all models share: a rule, its state, and the scikit-learn contract around them."""

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator
from sklearn.exceptions import NotFittedError
from sklearn.utils.validation import check_is_fitted, validate_data

from .. import checkpoint
from ..blocks.block import Batch
from ..blocks.features import Features
from ..blocks.frames import Held, Stream, open_frame
from ..blocks.rows import rows_per_block
from ..categories import Levels
from ..errors import DataError, RuleError
from ..estimator import fold, same_rule
from ..path import Path
from ..plots import IntervalDisplay, PathDisplay
from ..state import State
from .beside import beside, refuse_names
from .columns import refuse_others
from .sparse import dense, refuse_wide
from .weights import counts_of, repeated

Numbers = NDArray[np.float64]


class Reading:
    """What the rule said last, so that it need not be asked twice of one state. No part of what is pickled."""

    def __init__(self) -> None:
        self.said: Any = None

    def __reduce__(self) -> tuple[type, tuple[()]]:
        return Reading, ()


class Model(BaseEstimator):  # type: ignore[misc]
    """A rule and its state. A model says how it takes rows in, and what its estimate is."""

    confidence: float
    # Where else than in X a row may hold NaN.
    _or_beside = ""
    _takes_sparse = True

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

    def _take_rows(self, rows: Any, *beside: Any) -> None:
        """Rows as `_absorb` hands them on, the first of which begin a state."""
        if not hasattr(self, "state_"):
            rule = self._rule(rows.shape[1])
            self._know(rule, rule.init(rows.shape[1]))
        self._step(rows, *beside)

    def _rule(self, columns: int) -> Any:
        """The rule that the settings spell for so many columns."""
        raise NotImplementedError

    # ------------------------------------------------------------------------------------------ rows of any kind

    def _absorb(self, X: Any, first: bool, take: Callable[..., None], sample_weight: Any, **given: Any) -> None:
        """Hand the rows of X on as often as they count, and what stands beside them: at once, or in pieces where X is a
        frame or a stream."""
        frame, given = open_frame(X), {"sample_weight": sample_weight, **given}
        if frame is None:
            refuse_names(given)
            rows = self._checked(X, reset=first, ensure_all_finite=False)
            whole = {role: self._valid(role, values, rows.shape[0], 0) for role, values in given.items()}
            self._foresee(**whole)
            for begin, some in dense(rows):
                cut = slice(begin, begin + len(some))
                self._hand_on(take, some, *(None if values is None else values[cut] for values in whole.values()))
            return
        with self._all_or_nothing():
            for part in self._pieces(frame, first, given):
                self._hand_on(take, *part)

    def _foresee(self, **whole: Any) -> None:
        """Look at all that stands beside the rows before the first is taken in; a stream does not let one."""

    def _hand_on(self, take: Callable[..., None], rows: Any, counts: Any, *beside: Any) -> None:
        for part in repeated(counts, rows, *beside):
            take(*part)

    def _valid(self, role: str, values: Any, rows: int, first: int) -> Any:
        """What stands beside so many rows, of which the first has this number, as the model takes it."""
        return counts_of(values, rows, first) if role == "sample_weight" else self._beside(values, rows)

    @contextmanager
    def _all_or_nothing(self) -> Iterator[None]:
        """A frame or stream that breaks off, or is found to be of no use on the way, leaves the model as it was."""
        before = {**vars(self), "state_": self.state_.copy()} if hasattr(self, "state_") else None
        try:
            yield
        except BaseException:
            if before is None:
                self._forget()
            else:
                self.__dict__.clear()
                self.__dict__.update(before)
            raise

    def _checked(self, X: Any, **how: Any) -> Any:
        """X as scikit-learn hands it on."""
        if self._takes_sparse:
            refuse_wide(X)
        return validate_data(self, X, dtype="numeric", accept_sparse="csr" if self._takes_sparse else False, **how)

    def _beside(self, targets: Any, rows: int) -> Any:
        """The targets of so many rows, as the model takes them."""
        return targets

    def _pieces(
        self, frame: Held | Stream, first: bool, given: Mapping[str, Any] | None = None
    ) -> Iterator[tuple[Any, ...]]:
        """Rows of a frame or stream, each piece valid until the next, with what stands beside them."""
        aside, there = beside(frame, given or {}, self._valid)
        if frame.size is not None:
            self._foresee(**aside.arrays)
        columns, levels = self._columns(there, first)
        refuse_others({n: kind for n, kind in zip(columns, frame.types(columns), strict=True) if n not in levels})
        wanted = list(dict.fromkeys([*columns, *aside.columns.values()]))
        most, begin, known = rows_per_block(len(columns)), 0, None
        features = Features(most, columns, levels)
        for batch in frame.batches(wanted):
            if batch.schema != known:
                known = batch.schema
                refuse_others({n: known.field(n).type for n in columns if n not in levels})
            some = Batch(batch.columns[: len(columns)], batch.num_rows, [], {}, {}, "")
            for start in range(0, batch.num_rows, most):
                count = min(most, batch.num_rows - start)
                yield features.rows(some, start, count), *aside.of(batch.slice(start, count), begin).values()
                begin += count
        if begin == 0:
            once = "; a stream can be read only once" if frame.size is None else ""
            raise DataError(f"X holds no rows: Found array with 0 sample(s), while a minimum of 1 is required{once}")

    def _columns(self, there: Sequence[str], first: bool) -> tuple[list[str], Levels]:
        """The columns of a frame to read, of those that are there, and the levels of those that are texts. They must be
        those of the first rows, in their order."""
        import pyarrow as pa

        heading = pa.schema([(name, pa.float64()) for name in there]).empty_table()
        validate_data(self, heading, reset=first, skip_check_array=True)
        return list(there), {}

    def _told(self, X: Any) -> Iterator[Numbers]:
        """Rows to say something of, which may hold NaN."""
        frame = open_frame(X)
        if frame is None:
            rows = self._checked(X, reset=False, ensure_all_finite="allow-nan")
            yield from (some for _, some in dense(rows))
            return
        for (rows,) in self._pieces(frame, first=False):
            if np.isinf(rows).any():
                column = int(np.flatnonzero(np.isinf(rows).any(axis=0))[0])
                names = self._names()
                name = column if names is None else names[column]
                raise DataError(f"X holds infinity in column {name!r}; leave such rows out, or put NaN in its place")
            yield rows

    def _refuse_nothing(self) -> None:
        """A fit must have something to fit."""
        if self.n_samples_seen_ == 0:
            refused = self.n_samples_refused_
            self._forget()
            if refused == 0:
                raise DataError("no row counts: Sample weights must contain at least one non-zero number")
            raise DataError(
                f"no row can be used: each of the {refused:,} holds NaN or inf, in X{self._or_beside}; "
                "mend them, or leave out the columns that hold nothing"
            )

    def _refuse_unread(self, task: str) -> None:
        """What is asked must rest on some row."""
        check_is_fitted(self, "state_")
        if self.n_samples_seen_ == 0:
            refused = f"{self.n_samples_refused_:,} were refused"
            raise NotFittedError(f"there is nothing to {task} from: no row could be used so far, {refused}")

    # -------------------------------------------------------------------------------------------------- what is said

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
        tags.input_tags.sparse = self._takes_sparse
        return tags
