"""States within states: what a rule remembers for a rule that it holds, under names that begin alike."""

from typing import Any

from .state import Layout, State


def laid_out(prefix: str, layout: Layout) -> Layout:
    """The held rule's arrays as they are called here."""
    return {prefix + name: shape for name, shape in layout.items()}


def held(state: State, prefix: str) -> State:
    """The held rule's state: the same arrays, by their own names."""
    return State(**{name.removeprefix(prefix): array for name, array in state.items() if name.startswith(prefix)})


def keep(state: State, prefix: str, inner: State) -> None:
    """Remember what the held rule made of its state; what it wrote in place is there already."""
    for name, array in inner.items():
        if array is not state[prefix + name]:
            state[prefix + name][...] = array


def laid_out_slots(prefix: str, layout: Layout, slots: int) -> Layout:
    """Several of the held rule's states side by side: its arrays with a leading axis."""
    return laid_out(prefix, {name: (dtype, (slots, *shape)) for name, (dtype, shape) in layout.items()})


def first_slot(state: State, prefix: str) -> State:
    """The first of several states, to see how many columns they have. A forged file may hold anything: what has no
    first slot is left out, and then missed."""
    return slot(State(**{name: array[:1] for name, array in state.items() if array.ndim and len(array)}), prefix, 0)


def begin_slots(state: State, prefix: str, empty: State) -> State:
    """Every slot as the held rule begins."""
    for name, array in empty.items():
        state[prefix + name][...] = array
    return state


def slot(state: State, prefix: str, number: int) -> State:
    """One of several states that are kept side by side, along the first axis of each array."""
    return State(**{name: array[number] for name, array in held(state, prefix).items()})


def step_slot(rule: Any, state: State, prefix: str, number: int, *rows: Any) -> None:
    """Have the held rule take rows in, into one of the states."""
    one = slot(state, prefix, number)
    keep(one, "", rule.step(one, *rows))


def merge_slots(rule: Any, a: State, b: State, prefix: str, slots: int) -> None:
    """Into each state of `a` its twin in `b`, as the held rule merges them."""
    for number in range(slots):
        one = slot(a, prefix, number)
        keep(one, "", rule.merge(one, slot(b, prefix, number)))
