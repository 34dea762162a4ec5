"""State: what a rule remembers, as named arrays of fixed dtype and shape. No objects, no functions."""

from collections.abc import Callable, Iterator, Mapping
from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]


CACHE_LINE = 64
# Bytes that are left free before an array that machine code writes: more than it ever reads or writes at a time, which
# is four registers of eight numbers.
GUARD = 1024
# What a state is to hold: each array's name, dtype and shape.
Layout = dict[str, tuple[type[np.generic], tuple[int, ...]]]


class State(Mapping[str, Array]):
    """Named arrays, in a fixed order; `state.name` and `state["name"]` are the same array."""

    # `at_hand` is no part of a state: machine code that waits for the next row, made for these very arrays.
    __slots__ = ("__dict__", "at_hand")

    def __init__(self, **arrays: Array) -> None:
        self.__dict__.update(arrays)
        self.at_hand: Callable[..., bool] | None = None

    def __setattr__(self, name: str, value: Any) -> None:
        super().__setattr__(name, value)
        if name != "at_hand":
            self.at_hand = None

    def __getitem__(self, name: str) -> Array:
        found: Array = self.__dict__[name]
        return found

    def __getattr__(self, name: str) -> Array:
        raise AttributeError(f"this state holds {', '.join(self.__dict__)}, not {name}")

    def __iter__(self) -> Iterator[str]:
        return iter(self.__dict__)

    def __len__(self) -> int:
        return len(self.__dict__)

    @classmethod
    def zeros(cls, layout: Layout) -> "State":
        """A state of that layout, all zero."""
        state = cls(**{name: _empty(dtype, shape) for name, (dtype, shape) in layout.items()})
        for array in state.values():
            array[...] = 0
        return state

    @classmethod
    def like(cls, arrays: Mapping[str, Array]) -> "State":
        """A state of copies of these arrays, laid out for the compiled loops."""
        state = cls(**{name: _empty(array.dtype.type, array.shape) for name, array in arrays.items()})
        for name, array in arrays.items():
            state[name][...] = array
        return state

    def copy(self) -> "State":
        return State.like(self)

    def __reduce__(self) -> tuple[Any, ...]:
        # What comes out of a pickle or of a deep copy is laid out as what `init` makes.
        return State.like, (dict(self),)

    @property
    def nbytes(self) -> int:
        return sum(array.nbytes for array in self.values())

    def same_bits(self, other: "State") -> bool:
        """Equal to the last bit, NaN and the sign of zero included."""
        return list(self) == list(other) and all(
            self[name].dtype == other[name].dtype
            and self[name].shape == other[name].shape
            and self[name].tobytes() == other[name].tobytes()
            for name in self
        )

    def same_shape(self, other: "State") -> bool:
        return self.layout == other.layout

    @property
    def layout(self) -> Layout:
        return {name: (array.dtype.type, array.shape) for name, array in self.items()}

    def __repr__(self) -> str:
        held = ", ".join(f"{name} {array.dtype}{list(array.shape)}" for name, array in self.items())
        return f"State({held})"


def aligned(shape: int | tuple[int, ...]) -> NDArray[np.float64]:
    """An uninitialised float64 array that starts on a cache line, with nothing of anybody's just before it.

    Unaligned rows cost up to twice the time. Machine code asks whether what it writes begins shortly after what it
    reads, and if so adds one by one, in another order, even where the two do not overlap: arrays that happened to lie
    near each other gave other last bits.
    """
    size = shape if isinstance(shape, int) else prod(shape)
    raw = np.empty(GUARD + size * 8 + CACHE_LINE, np.uint8)
    start = GUARD + -(raw.__array_interface__["data"][0] + GUARD) % CACHE_LINE
    return raw[start : start + size * 8].view(np.float64).reshape(shape)


def _empty(dtype: type[np.generic], shape: tuple[int, ...]) -> Array:
    return aligned(shape) if dtype is np.float64 else np.empty(shape, dtype)
