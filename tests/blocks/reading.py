"""What the tests of all formats share: reading whole sources, and the law of resuming."""

import copy
import json
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from tailproof.blocks import Block, open_source
from tailproof.blocks.position import is_sound


class Everything(NamedTuple):
    names: list[str]
    rows: np.ndarray
    problems: list[tuple[str, int, str, str]]  # file, row of the file, column, reason
    blocks: list[Block]
    targets: np.ndarray | None = None
    levels: dict[str, list[str]] | None = None
    labels: list[Any] | None = None
    classes: int = 0


def read_all(paths: Sequence[str], **options: Any) -> Everything:
    """All rows of a source, with the laws that hold for each block."""
    with open_source(list(map(str, paths)), **options) as source:
        blocks = []
        for block in source.blocks():
            assert block.rows.dtype == np.float64
            assert block.rows.flags.c_contiguous
            assert block.rows.flags.writeable
            assert block.rows.ctypes.data % 64 == 0
            assert block.position == json.loads(json.dumps(block.position))
            share = source.share()
            assert share is None or 0 <= share <= 1
            assert is_sound(block.position, source.names)
            assert source.classes == (0 if source.labels is None else max(2, len(source.labels)))
            blocks.append(_copied(block))
            block.rows[:] = -1  # a block is the caller's to write in
            if block.targets is not None:
                block.targets[:] = -1
        rows = [block.rows for block in blocks] or [np.empty((0, len(source.names)))]
        targets = [block.targets for block in blocks if block.targets is not None]
        return Everything(
            source.names,
            np.concatenate(rows),
            _problems(blocks),
            blocks,
            np.concatenate(targets) if targets else None,
            source.levels,
            source.labels,
            source.classes,
        )


def _copied(block: Block) -> Block:
    targets = None if block.targets is None else block.targets.copy()
    return block._replace(rows=block.rows.copy(), position=copy.deepcopy(block.position), targets=targets)


def _problems(blocks: list[Block]) -> list[tuple[str, int, str, str]]:
    return [
        (block.file, block.first_row + problem.index, problem.column, problem.reason)
        for block in blocks
        for problem in block.problems
    ]


def resumes(paths: Sequence[str], **options: Any) -> Everything:
    """From every position the rest of the rows, numbers and problems follow, and nothing else."""
    whole = read_all(paths, **options)
    assert len(whole.blocks) > 2
    options.pop("columns", None)
    done = 0
    for number, block in enumerate(whole.blocks):
        done += len(block.rows)
        if callable(getattr(options.get("stdin"), "seek", None)):
            options["stdin"].seek(0)
        rest = read_all(paths, position=json.loads(json.dumps(block.position)), **options)
        np.testing.assert_array_equal(rest.rows, whole.rows[done:])
        assert (rest.names, rest.levels, rest.labels, rest.classes) == (
            whole.names,
            whole.levels,
            whole.labels if len(rest.rows) else block.position.get("labels"),
            whole.classes,
        )
        if whole.targets is not None:
            np.testing.assert_array_equal(whole.targets[done:], [] if rest.targets is None else rest.targets)
        assert rest.problems == whole.problems[len(whole.problems) - len(rest.problems) :]
        left = [(item.file, item.first_row) for item in whole.blocks[number + 1 :]]
        assert [(item.file, item.first_row) for item in rest.blocks][:1] == left[:1]
    return whole
