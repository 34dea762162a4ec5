"""A run in parts: each is a state of its own, taken in by one of several threads, and they are merged in their order.

The parts are cut by the data, so the answer is the same, to the last bit, for any number of threads. Decoding and the
kernels leave Python's lock alone, so threads are enough, and nothing has to be copied from one process to another.
"""

from collections import deque
from collections.abc import Callable, Generator, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from itertools import islice
from threading import Event
from typing import Any, NamedTuple, TypeVar

from .blocks import Refusal, Source
from .blocks.parts import Part
from .errors import DataError
from .state import State

Item = TypeVar("Item")
Made = TypeVar("Made")


class Taken(NamedTuple):
    """What came of a part. Rows are counted from where the part begins in its first file, and anew in each other."""

    part: Part
    state: State
    rows: dict[int, int]  # by the number of the file
    refusals: list[tuple[int, Refusal]]  # with the number of the file


def take(rule: Any, source: Source, part: Part, most: int | None, stopped: Event) -> Taken:
    """A state of the part's rows, with at most so many of the rows that were refused."""
    state = rule.init(len(source.names))
    rows: dict[int, int] = {}
    refusals: list[tuple[int, Refusal]] = []
    for index, block in source.part_blocks(part):
        if stopped.is_set():
            break
        before = int(state.counts[1])
        state = rule.step(state, *block.taken)
        if int(state.counts[1]) > before and (most is None or len(refusals) < most):
            left = None if most is None else most - len(refusals)
            refusals += [(index, refusal) for refusal in islice(source.refusals(block), left)]
        rows[index] = rows.get(index, 0) + len(block.rows)
    return Taken(part, state, rows, refusals)


def in_order(items: Iterator[Item], work: Callable[[Item, Event], Made], threads: int) -> Generator[Made, None, None]:
    """What `work` makes of each item, by that many threads, in the order of the items. As many more wait for a thread
    to be free; what goes wrong is raised where it would be with one thread. When nobody asks for more, nothing is left
    running."""
    stopped, waiting = Event(), deque[Future[Made]]()
    if threads == 1:
        for item in items:
            yield work(item, stopped)
        return
    with ThreadPoolExecutor(threads, thread_name_prefix="tailproof-part") as pool:
        try:
            for item in _held_back(items):
                waiting.append(pool.submit(_worked, item, work, stopped))
                if len(waiting) >= 2 * threads:
                    yield waiting.popleft().result()
            while waiting:
                yield waiting.popleft().result()
        finally:
            stopped.set()
            pool.shutdown(wait=False, cancel_futures=True)


def _held_back(items: Iterator[Item]) -> Iterator[Any]:
    """The items; an error in making one takes its place, to be raised when all before it is done."""
    try:
        yield from items
    except (DataError, MemoryError) as error:
        yield error


def _worked(item: Any, work: Callable[[Item, Event], Made], stopped: Event) -> Made:
    if isinstance(item, Exception):
        raise item
    return work(item, stopped)
