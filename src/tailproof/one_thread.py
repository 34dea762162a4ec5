"""Small products of matrices on one thread of BLAS.

NumPy and SciPy each bring threads that wait for work by turning round and round. Products that are done in less than a
thread takes to wake gain nothing from a second one, and where other programs want the processors they lose manifold.
Factors of any size do so even on an idle machine.
"""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from typing import Any

# With more coefficients than this the products are large enough for all threads.
SMALL = 320

_limiting = threading.Lock()


@contextmanager
def one_thread(width: int = 0) -> Iterator[None]:
    """Within, products for so many coefficients are done by one thread. That holds for the whole process, so only the
    first to enter sets it, and undoes it on leaving."""
    if width > SMALL or not _limiting.acquire(blocking=False):
        yield
        return
    try:
        with _controller().limit(limits=1, user_api="blas"):
            yield
    finally:
        _limiting.release()


@cache
def _controller() -> Any:
    """It knows the libraries that are there when it is made, so both must be."""
    import scipy.linalg  # noqa: F401
    from threadpoolctl import ThreadpoolController

    return ThreadpoolController()
