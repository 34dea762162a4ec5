"""Resuming from a checkpoint gives the same bits."""

import pytest

from tailproof import checkpoint
from tests.laws.catalogue import RULES, dirty, name, taken, targets


@pytest.mark.parametrize("rule", RULES, ids=name)
@pytest.mark.parametrize("cut", [0, 5, 47, 50, 399])
def test_resuming_gives_the_same_bits(rule, cut, tmp_path):
    X, y = dirty()
    checkpoint.save(tmp_path / "run.tps", checkpoint.Saved(rule, taken(rule, X[:cut], y[:cut])))
    saved = checkpoint.load(tmp_path / "run.tps")
    assert saved.rule == rule
    assert rule.step(saved.state, X[cut:], targets(rule, y[cut:])).same_bits(taken(rule, X, y))
