"""`tailproof predict`."""

import argparse
import sys
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import CheckpointError
from ..predicting import likeliest, probabilities, scores
from . import streaming
from .exits import STOPPED, say
from .show import said_by
from .table import printable
from .written import STDOUT, format_of, writing


def predict(options: argparse.Namespace) -> int:
    from ..checkpoint import load, ready
    from ..runner import Stopped

    format_of(options.output)
    output = None if options.output == STDOUT else options.output
    streaming.refuse_overwriting([options.model, *options.paths], {"--output": output})
    if output is not None:
        ready(output)
    done = _Pass(options, _Predictor(options.model, load(options.model)))
    try:
        done.take()
    except Stopped:
        return say(f"stopped by a signal; {'the rest is' if output is None else f'{output} was'} not written", STOPPED)
    if not options.quiet:
        done.note()
    return 0


class _Predictor:
    """What a saved model says of rows, as Arrow tables of one schema."""

    def __init__(self, path: str, saved: Any) -> None:
        import pyarrow as pa

        self.said = _model_in(path, saved)
        self.names, self.levels = saved.names, saved.settings.get("one_hot")
        self.labels = _labels(self.said) if hasattr(self.said, "parts") else None
        names = [f"prediction({part.target})" for part in getattr(self.said, "outputs", ())] or ["prediction"]
        fields = [(name, pa.float64() if self.labels is None else self._values().type) for name in names]
        fields += [(f"p({label})", pa.float64()) for label in self.labels or []]
        self.schema = pa.schema(fields)

    def of(self, rows: Any) -> tuple[Any, NDArray[np.bool_]]:
        """A table of as many rows, and which of them have no prediction."""
        import pyarrow as pa

        scored = scores(rows, self.said.coef, self.said.intercept)
        columns: list[NDArray[Any]]
        if self.labels is None:
            columns = list(scored.T) if scored.ndim == 2 else [scored]
            missing = np.asarray(~np.isfinite(columns).all(axis=0))
        else:
            # Odds may be endless.
            missing = np.isnan(scored).any(axis=1) | ~np.isfinite(rows).all(axis=1)
            columns = [likeliest(scored), *probabilities(scored).T[: len(self.labels)]]
        made = [pa.array(np.ascontiguousarray(column), mask=missing) for column in columns]
        if self.labels is not None:
            made[0] = self._values().take(made[0])
        return pa.table(made, schema=self.schema), missing

    def _values(self) -> Any:
        """The labels as one Arrow array; of mixed kinds as text."""
        import pyarrow as pa

        labels = self.labels or []
        texts = pa.array([str(label) for label in labels], pa.string())
        if len({float if type(label) is int else type(label) for label in labels}) > 1:
            return texts
        try:
            return pa.array(labels)
        except (pa.ArrowInvalid, OverflowError):
            return texts


def _model_in(path: str, saved: Any) -> Any:
    """What the model says, if it is one that predicts and knows its columns."""
    said = said_by(saved.rule, saved.state, saved.names, saved.settings)
    if not hasattr(said, "coef"):
        held = "means" if hasattr(said, "mean") else "what predicts nothing"
        raise CheckpointError(
            f"{path} holds {held}; name a model that 'tailproof regress' or 'classify' wrote with --save"
        )
    if said.rows == 0:
        raise CheckpointError(f"{path} has seen no row yet, so that it predicts nothing; name another model")
    if saved.names is None:
        raise CheckpointError(
            f"{path} does not know the names of its columns, by which they are found; "
            "fit it on a data frame, or predict in Python"
        )
    return said


def _labels(said: Any) -> list[Any]:
    return list(range(len(said.tally))) if said.labels is None else list(said.labels)


class _Pass:
    """One pass over the rows, in order, one prediction each."""

    def __init__(self, options: argparse.Namespace, model: _Predictor) -> None:
        self.options, self.model = options, model
        self.rows = self.missing = 0
        self.first = ""

    def take(self) -> None:
        """Raises `Stopped` after a signal; what was begun to be written is gone then."""
        from ..blocks import open_source
        from ..runner import signals

        options, watcher = self.options, streaming.watcher(self.options, "")
        words = streaming.missing_words(options.na)
        known: dict[str, Any] = {} if words is None else {"na": words}
        try:
            with signals() as stop:
                with stop.heeded():
                    source = open_source(
                        options.paths,
                        features=self.model.names,
                        levels=self.model.levels,
                        format=options.format,
                        **known,
                    )
                with source, writing(options.output, self.model.schema) as write:
                    self._blocks(source, write, stop, watcher)
        finally:
            if watcher is not None:
                watcher.close()

    def _blocks(self, source: Any, write: Any, stop: Any, watcher: Any) -> None:
        blocks = source.blocks()
        while True:
            with stop.heeded():
                block = next(blocks, None)
            if block is None:
                return
            table, missing = self.model.of(block.rows)
            if missing.any():
                self._count(source, block, missing)
            write(table)
            self.rows += len(missing)
            if watcher is not None:
                watcher.update(self.rows, source.share(), None)

    def _count(self, source: Any, block: Any, missing: NDArray[np.bool_]) -> None:
        self.missing += int(missing.sum())
        if self.first:
            return
        index = int(np.flatnonzero(missing)[0])
        column, reason = "", "its values are too large"
        if block.unfit[index]:
            _, column, reason = source.problem(block, index)
        where = f"column {printable(column)!r}: " if column else ""
        self.first = f"{printable(block.file)}: row {block.first_row + index:,}: {where}{reason}"

    def note(self) -> None:
        if self.missing:
            have = "has" if self.missing == 1 else "have"
            print(f"{streaming.rows(self.missing)} {have} no prediction; the first: {self.first}", file=sys.stderr)
