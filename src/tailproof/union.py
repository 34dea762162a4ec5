"""Two states of the same rule made one: the cores add up, the extreme rows of the other come in as rows do."""

import numpy as np
from numpy.typing import NDArray

from .batch import Numbers
from .core import BLOCKS, CORE, EQUAL, KEPT, MIDDLE, OVER, PARTS, REFUSED, REJECTED, USED, WAITING, WEIGHT, WRONG
from .reservoir import Reservoir
from .state import State
from .units import ROOM


def union(a: Reservoir, b: Reservoir) -> State:
    """All rows of both, in a's state, or in b's where only b has a core."""
    refused, parts = a.counts[REFUSED] + b.counts[REFUSED], a.counts[PARTS] + b.counts[PARTS]
    if a.counts[USED] == 0 or b.counts[USED] == 0:
        parts -= 1
    host, guest = (b, a) if b.begun and not a.begun else (a, b)
    if guest.begun:
        _add_core(host, guest)
    _add_rows(host, guest)
    host.counts[REFUSED], host.counts[PARTS] = refused, parts
    if host is a:
        return a.state
    for name, array in b.state.items():
        a.state[name][...] = array
    return a.state


def _add_rows(host: Reservoir, guest: Reservoir) -> None:
    """The guest's rows as they came, through the same door as all others."""
    kept, waiting = int(guest.counts[KEPT]), int(guest.counts[WAITING])
    for rows in (guest.state.rows[:kept], guest.state.waiting[:waiting]):
        host.take(rows[:, :-1].copy(), rows[:, -1].copy())


def _add_core(host: Reservoir, guest: Reservoir) -> None:
    host.raise_to(_needed(host, guest))
    turn = _turn(host, guest)
    mine, theirs = host.state, guest.state
    inner, scale = turn[:-1, :-1], float(turn[-1, -1])
    mine.sums[...] += turn.T @ theirs.sums @ turn
    if mine.aside.size:
        mine.aside[...] += turn.T @ theirs.aside @ turn
    if mine.meat.size:
        mine.meat[...] += scale**2 * (inner.T @ theirs.meat @ inner)
    mine.removed[...] += scale * (theirs.removed @ inner)
    host.numbers[WEIGHT] += guest.numbers[WEIGHT]
    host.numbers[OVER] += scale**2 * guest.numbers[OVER]
    for count in (CORE, REJECTED, BLOCKS, WRONG):
        host.counts[count] += guest.counts[count]
    host.counts[USED] += guest.counts[CORE]
    if host.numbers[MIDDLE] == guest.numbers[MIDDLE]:
        kept = guest.state.rows[: int(guest.counts[KEPT]), -1]
        # The guest's kept rows will be counted when they come in.
        host.counts[EQUAL] += guest.counts[EQUAL] - int((kept == guest.numbers[MIDDLE]).sum())


def _needed(host: Reservoir, guest: Reservoir) -> NDArray[np.int32]:
    """Exponents in which the guest's columns are moderate numbers, too."""
    mine, theirs = host.units, guest.units
    apart = np.frexp(np.abs(mine.shift * 0.5 - theirs.shift * 0.5))[1] + 1
    apart = np.where(mine.shift != theirs.shift, apart, -1000)
    needed = np.maximum(theirs.exponent, apart)
    raised: NDArray[np.int32] = np.where(needed > mine.exponent + ROOM // 2, needed, mine.exponent)
    return raised


def _turn(host: Reservoir, guest: Reservoir) -> Numbers:
    """The matrix T that turns the guest's rows into the host's: v_host = v_guest T."""
    mine, theirs = host.units, guest.units
    scale = np.ldexp(1.0, theirs.exponent - mine.exponent)
    unit = np.ldexp(1.0, -mine.exponent)
    shift = theirs.shift * unit - mine.shift * unit
    features = len(scale) - 1
    turn = np.zeros((host.width + 1, host.width + 1))
    turn[np.arange(features), np.arange(features)] = scale[:-1]
    turn[-1, -1] = scale[-1]
    turn[:-1, -1] = scale[-1] * guest.state.reference
    if host.intercept:
        turn[-2, :features] = shift[:-1]
        turn[-2, -2] = 1.0
        turn[-2, -1] += shift[-1]
    turn[:-1, -1] -= turn[:-1, :-1] @ host.state.reference
    return turn
