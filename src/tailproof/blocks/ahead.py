"""Runs an iterator in a second thread, a little ahead of whoever asks."""

import queue
import threading
from collections.abc import Iterator
from typing import Generic, TypeVar

Item = TypeVar("Item")
WAITING = 4  # items that wait: the parts of about one batch, so that the next can be decoded meanwhile
PATIENCE = 5.0


class _End:
    """The iterator is done, or it raised."""

    def __init__(self, error: BaseException | None) -> None:
        self.error = error


class Ahead(Generic[Item]):
    """The items of an iterator, made by a daemon thread; it raises where items are asked for."""

    def __init__(self, items: Iterator[Item]) -> None:
        self.items = items
        self.queue: queue.Queue[Item | _End] = queue.Queue(WAITING)
        self.stopped = threading.Event()
        self.thread = threading.Thread(target=self._run, name="tailproof-blocks", daemon=True)
        self.thread.start()

    def _run(self) -> None:
        error: BaseException | None = None
        try:
            for item in self.items:
                self.queue.put(item)
                if self.stopped.is_set():
                    return
        except BaseException as raised:
            error = raised
        self.queue.put(_End(error))

    def __iter__(self) -> Iterator[Item]:
        while not self.stopped.is_set():
            item = self.queue.get()
            if self.stopped.is_set():
                return
            if not isinstance(item, _End):
                yield item
            elif item.error is not None:
                raise item.error
            else:
                return

    def close(self) -> bool:
        """Stops the thread; False where it is stuck in a read that does not return."""
        self.stopped.set()
        for _ in range(int(PATIENCE / 0.05)):
            while not self.queue.empty():
                self.queue.get_nowait()
            self.thread.join(0.05)
            if not self.thread.is_alive():
                break
        if self.queue.empty():
            self.queue.put_nowait(_End(None))  # lets go whoever still waits
        return not self.thread.is_alive()
