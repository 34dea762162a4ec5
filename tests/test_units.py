"""Rows in units, and the one thread that small products are done by."""

import threading

import numpy as np
import pytest

from tailproof import compiled
from tailproof.core import add_outer, mirror
from tailproof.gram import Gram
from tailproof.one_thread import SMALL, one_thread
from tailproof.state import aligned
from tailproof.units import Units, in_units, measure


def rows_with(value, rows=300, columns=7):
    X = np.random.default_rng(0).standard_normal((rows, columns)) * 10.0 ** np.arange(columns)
    X[rows // 2, columns // 2] = value
    return X, X[:, 0] * 3.0


def seen_of(X, y, intercept, far=1e60):
    seen = aligned((len(X), X.shape[1] + 1 + intercept))
    units = Units(np.append(X[0], y[0]), np.arange(X.shape[1] + 1, dtype=np.int32))
    return in_units(X, y, measure(units, far), seen), seen


@pytest.mark.parametrize("intercept", [True, False])
@pytest.mark.parametrize("value", [0.0, 1e40, 1e300, np.inf, np.nan])
def test_numpy_and_machine_code_give_the_same_bits(intercept, value, monkeypatch):
    X, y = rows_with(value)
    monkeypatch.setattr(compiled, "worth_waking", lambda work: True)
    with np.errstate(all="ignore"):
        fast = seen_of(X, y, intercept)
        wide = np.column_stack([X, y])
        strided = seen_of(wide[:, :-1], wide[:, -1], intercept)
        monkeypatch.setattr(compiled, "worth_waking", lambda work: False)
        slow = seen_of(X, y, intercept)
    assert fast[0] == strided[0] == slow[0] == (value == 0.0)
    assert fast[1].tobytes() == strided[1].tobytes() == slow[1].tobytes()


def test_a_fit_that_wakes_the_compiler_half_way_has_the_same_bits(monkeypatch):
    X, y = rows_with(0.0, rows=3000)
    states = []
    for patient in (0, 10_000, 10**9):
        monkeypatch.setattr(compiled, "_awake", False)
        monkeypatch.setattr(compiled, "_by_numpy", 0)
        monkeypatch.setattr(compiled, "PATIENT", patient)
        states.append(Gram().step(Gram().init(7), X, y))
    assert states[0].same_bits(states[1])
    assert states[0].same_bits(states[2])


def test_outer_products_are_added_to_one_half_and_mirrored():
    total, rows = aligned((6, 6)), aligned((50, 6))
    total[...], rows[...] = 1.0, np.random.default_rng(0).standard_normal((50, 6))
    add_outer(total, rows)
    add_outer(total, rows[:0])
    add_outer(total, rows[:20].copy(), 2.0)
    mirror(total)
    np.testing.assert_allclose(total, 1.0 + rows.T @ rows + 2.0 * rows[:20].T @ rows[:20], rtol=1e-12)
    assert np.array_equal(total, total.T)


def test_sums_are_whole_after_every_step():
    X, y = rows_with(0.0, rows=2000)
    state = Gram().init(7)
    for part in np.array_split(np.arange(len(X)), 13):
        state = Gram().step(state, X[part], y[part])
        assert np.array_equal(state.sums, state.sums.T)
        assert np.array_equal(state.meat, state.meat.T)


def threads():
    from threadpoolctl import threadpool_info

    return [library["num_threads"] for library in threadpool_info() if library["user_api"] == "blas"]


def test_small_products_are_done_by_one_thread_and_then_all_are_back():
    with one_thread(5):
        pass
    before = threads()
    with one_thread(5):
        assert set(threads()) == {1}
        with one_thread(5):
            pass
        assert set(threads()) == {1}
    assert threads() == before
    with one_thread(SMALL + 1):
        assert threads() == before


def test_threads_that_overlap_leave_all_as_it_was():
    with one_thread(5):
        pass
    before, inside, leave = threads(), threading.Event(), threading.Event()

    def stay():
        with one_thread(5):
            inside.set()
            leave.wait(10.0)

    other = threading.Thread(target=stay)
    with one_thread(5):
        other.start()
        assert inside.wait(10.0)
    leave.set()
    other.join()
    assert threads() == before
    other = threading.Thread(target=stay)
    inside.clear()
    leave.clear()
    other.start()
    assert inside.wait(10.0)
    with one_thread(5):
        assert set(threads()) == {1}
    leave.set()
    other.join()
    assert threads() == before
