"""The numbers are what their laws say, to the last digits and into the far tail, and look like chance."""

from math import sqrt

import numpy as np
import pytest

from tailproof import compiled
from tailproof.paper import arena, draws
from tailproof.paper.draws_check import check
from tailproof.paper.settings import Law
from tests.paper import plain

KEY = np.uint64(0x1234_5678_9ABC_DEF0)
COUNT = 1 << 20


def drawn(law, count, key=KEY, first=0):
    out = np.empty(count)
    numbers = np.array([law.index, law.centre, 1.0 / law.deviation])
    compiled.kernel("fill")(arena.KINDS[law.kind], numbers, out, key, first)
    return out


def words(count, key=KEY):
    return plain.mixed(plain.one(key) + plain.STRIDE * np.arange(count, dtype=np.uint64))


@pytest.mark.parametrize(
    "law", [Law("pareto", 2.1), Law("pareto", 4.1), Law("gaussian"), Law("lognormal", 1.5)], ids=str
)
def test_values_are_right_one_by_one(law):
    expected = plain.values(law, words(COUNT // 4))
    np.testing.assert_allclose(drawn(law, COUNT // 4), expected, rtol=3e-12, atol=3e-13)


def test_powers_are_right_to_3e_13_from_the_largest_uniform_to_the_smallest():
    uniform = plain.uniforms(words(COUNT // 4)).astype(np.longdouble)
    for index in (1.05, 2.1, 4.1, 30.0):
        raw = drawn(Law("pareto", index), COUNT // 4) * Law("pareto", index).deviation + Law("pareto", index).centre
        np.testing.assert_allclose(raw, np.asarray(uniform ** (-1 / np.longdouble(index)), float), rtol=3e-13)


def test_the_gaussian_quantile_is_right_down_to_the_smallest_share():
    from scipy.special import ndtri

    shares = np.concatenate([np.linspace(1e-4, 0.5, 2001), 2.0 ** -np.arange(1.0, 65.0)])
    np.testing.assert_allclose([draws.quantile(share) for share in shares], ndtri(shares), rtol=1e-13, atol=1e-15)


@pytest.mark.parametrize("law", [Law("pareto", 2.1), Law("gaussian"), Law("lognormal", 0.5)], ids=str)
def test_a_value_depends_on_its_place_alone(law):
    whole = drawn(law, 5000)
    for first, count in ((0, 1), (1, 511), (511, 3), (700, 2000), (4999, 1)):
        np.testing.assert_array_equal(drawn(law, count, first=first), whole[first : first + count])


def test_the_far_tail_has_its_share():
    for line in check(3e7, seed=7):
        if line.expected > 20:
            assert abs(line.errors) < 4.5, line


@pytest.mark.slow
def test_the_very_far_tail_has_its_share():
    assert all(abs(line.errors) < 4.5 for line in check(1e10) if line.expected >= 10)


def test_every_part_of_the_word_is_uniform():
    """Chi-square over 256 cells, for each of the eight bytes."""
    found = words(COUNT)
    for byte in range(8):
        cells = np.bincount(((found >> np.uint64(8 * byte)) & np.uint64(255)).astype(np.int64), minlength=256)
        assert abs(z_of(cells)) < 5.0, byte


def z_of(cells):
    """The chi-square statistic of cells that should be equal, as a deviate."""
    expected, freedom = cells.sum() / cells.size, cells.size - 1
    return (((cells - expected) ** 2 / expected).sum() - freedom) / sqrt(2.0 * freedom)


@pytest.mark.parametrize("apart", [1, 2, 10, 20, 256, 257, 1024, 10 * 1024])
def test_neighbours_in_a_trial_know_nothing_of_each_other(apart):
    """Coordinates, rows, and the same coordinate of rows: pairs fill a square evenly, and ranks do not correlate."""
    uniform = plain.uniforms(words(COUNT))
    strangers(uniform[:-apart], uniform[apart:])


def test_trials_and_streams_know_nothing_of_each_other():
    count, trials = 256, 4096
    rows = np.array([plain.uniforms(plain.bits(5, trial, 0, count)) for trial in range(trials)])
    targets = np.array([plain.uniforms(plain.bits(5, trial, 1, count)) for trial in range(trials)])
    strangers(rows[:-1], rows[1:])
    strangers(rows, targets)
    strangers(rows[:, 0], rows[:, 1])
    other = np.array([plain.uniforms(plain.bits(6, trial, 0, count)) for trial in range(trials)])
    strangers(rows, other)


def strangers(a, b):
    a, b = a.ravel(), b.ravel()
    assert abs(np.corrcoef(a, b)[0, 1]) * sqrt(len(a)) < 5.0
    across = np.minimum((a * 32).astype(int), 31) * 32 + np.minimum((b * 32).astype(int), 31)
    assert abs(z_of(np.bincount(across, minlength=1024))) < 5.0


def test_the_keys_of_many_trials_are_all_different():
    keys = {int(arena.seed_of(seed, name)) for seed in range(100) for name in ("intro", "mean-main", "logistic")}
    assert len(keys) == 300
