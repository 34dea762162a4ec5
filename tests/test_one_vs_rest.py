"""OneVsRest: a rule for several classes that holds a rule for two, and what it says."""

import json
from typing import Any

import numpy as np
import pytest

import tailproof
from tailproof import RuleError
from tailproof.checkpoint import Saved, load, save
from tailproof.classes_estimate import ClassesEstimate
from tailproof.domains import Ball
from tailproof.errors import CheckpointError
from tailproof.gram import Gram
from tailproof.losses import Logistic, Squared
from tailproof.one_vs_rest import OneVsRest
from tailproof.state import State
from tailproof.tuned import TunedSGD

HELD = [Gram(loss=Logistic()), TunedSGD(loss=Logistic()), Gram(loss=Logistic(), intercept=False)]
RULES = [OneVsRest(held, classes) for held in HELD for classes in (2, 3)]


def stream(classes: int, rows: int = 900) -> tuple[Any, Any]:
    """Heavy-tailed rows, the more of the later classes the larger the first column is."""
    random = np.random.default_rng(4)
    X = random.pareto(3.0, (rows, 3)) - 0.5
    y = np.digitize(X[:, 0] + 0.5 * random.standard_normal(rows), [0.0, 0.8][: classes - 1]).astype(float)
    return X, y


def dirty(classes: int) -> tuple[Any, Any]:
    X, y = stream(classes)
    X[[3, 40], [0, 2]] = np.nan, np.inf
    y[[7, 8, 9, 500]] = np.nan, -1.0, classes, 0.5
    X[600] = 1e308
    return X, y


def taken(rule: OneVsRest, X: Any, y: Any, height: int = 10**6) -> State:
    state = rule.init(X.shape[1])
    for begin in range(0, len(X), height):
        state = rule.step(state, X[begin : begin + height], y[begin : begin + height])
    return state


@pytest.fixture(params=RULES, ids=lambda rule: repr(rule)[:90] + str(rule.classes))
def rule(request: pytest.FixtureRequest) -> Any:
    return request.param


class TestTheRule:
    @pytest.mark.parametrize("height", [1, 37, 400])
    def test_any_chunking_gives_the_same_bits(self, rule: OneVsRest, height: int) -> None:
        X, y = dirty(rule.classes)
        assert taken(rule, X, y, height).same_bits(taken(rule, X, y))

    def test_counts_rows_of_each_class_and_rows_refused(self, rule: OneVsRest) -> None:
        X, y = dirty(rule.classes)
        state = taken(rule, X, y)
        assert state.counts.tolist() == [894, 6]
        kept = np.isfinite(X).all(axis=1) & np.isin(y, np.arange(rule.classes))
        assert state.tally.tolist() == np.bincount(y[kept].astype(int)).tolist()
        assert all(np.isfinite(array).all() for array in state.values())

    def test_each_slot_is_the_held_rule_alone(self, rule: OneVsRest) -> None:
        X, y = stream(rule.classes)
        said = rule.read(taken(rule, X, y))
        assert len(said.parts) == rule.slots == {2: 1, 3: 3}[rule.classes]
        for k in range(rule.slots):
            alone = rule.of.step(rule.of.init(3), X, (y == said.class_of(k)).astype(float))
            assert np.array_equal(said.coef[k], rule.of.read(alone).coef)
            assert said.intercept[k] == rule.of.read(alone).intercept

    def test_an_empty_state_is_neutral_and_counts_add(self, rule: OneVsRest) -> None:
        X, y = dirty(rule.classes)
        state = taken(rule, X, y)
        assert rule.merge(state.copy(), rule.init(3)).same_bits(state)
        assert rule.merge(rule.init(3), state.copy()).same_bits(state)
        merged = rule.merge(taken(rule, X[:200], y[:200]), taken(rule, X[200:], y[200:]))
        assert merged.counts.tolist() == state.counts.tolist()
        assert merged.tally.tolist() == state.tally.tolist()
        assert np.abs(rule.read(merged).coef - rule.read(state).coef).max() < 0.3

    def test_going_on_from_a_file_gives_the_same_bits(self, rule: OneVsRest, tmp_path: Any) -> None:
        X, y = dirty(rule.classes)
        save(tmp_path / "half.tps", Saved(rule, taken(rule, X[:450], y[:450])))
        saved = load(tmp_path / "half.tps")
        assert saved.rule == rule == tailproof.parse(repr(rule))
        assert rule.step(saved.state, X[450:], y[450:]).same_bits(taken(rule, X, y))

    def test_rows_of_other_types_and_layouts(self) -> None:
        rule = RULES[1]
        X, y = stream(3, rows=300)
        whole = taken(rule, X, y)
        for rows in (np.asfortranarray(X), X.tolist(), X[::-1][::-1]):
            assert taken_at_once(rule, rows, y.astype(int)).same_bits(whole)

    def test_more_rows_than_are_handed_on_at_once(self, monkeypatch: pytest.MonkeyPatch) -> None:
        rule = RULES[0]
        X, y = dirty(2)
        whole = taken(rule, X, y)
        monkeypatch.setattr("tailproof.estimator.PIECE", 50)
        assert taken(rule, X, y).same_bits(whole)


def taken_at_once(rule: OneVsRest, X: Any, y: Any) -> State:
    return rule.step(rule.init(3), X, y)


class TestRefusing:
    @pytest.mark.parametrize(
        ("settings", "sentence"),
        [
            ({"of": Gram(loss=Squared())}, r"holds Gram or TunedSGD with loss=Logistic\(\), not Gram"),
            ({"of": 5}, "holds Gram or TunedSGD"),
            ({"classes": 1}, "there must be 2 to 1,000 classes, not 1"),
            ({"classes": 10**9}, "there must be 2 to 1,000 classes"),
            ({"classes": 2.0}, "classes must be a whole number, not 2.0"),
            ({"classes": True}, "classes must be a whole number"),
        ],
        ids=str,
    )
    def test_settings(self, settings: dict[str, Any], sentence: str) -> None:
        with pytest.raises(RuleError, match=sentence):
            OneVsRest(**settings)

    def test_rows_without_targets_and_other_columns(self) -> None:
        rule = OneVsRest()
        with pytest.raises(RuleError, match="a classification needs targets"):
            rule.step(rule.init(2), [[1.0, 2.0]])
        with pytest.raises(RuleError, match="cannot be merged"):
            rule.merge(rule.init(2), rule.init(3))
        with pytest.raises(RuleError, match="cannot be merged"):
            rule.merge(rule.init(2), rule.with_classes(3).init(2))

    @pytest.mark.parametrize(
        "shift", [np.zeros((0, 3)), np.zeros(()), np.zeros((2, 3)), np.zeros((1, 0))], ids=np.shape
    )
    def test_a_file_that_was_tampered_with(self, tmp_path: Any, shift: Any) -> None:
        rule = OneVsRest()
        save(tmp_path / "forged.tps", Saved(rule, State(**{**rule.init(2), "of_shift": shift})))
        with pytest.raises(CheckpointError, match="does not hold what its rule remembers"):
            load(tmp_path / "forged.tps")


class TestTheEstimate:
    def test_the_coefficients_are_about_the_labels(self, rule: OneVsRest) -> None:
        said = self.said(rule)
        assert said.coef.shape == (rule.slots, 3)
        assert said.intercept.shape == (rule.slots,)
        assert said.certificate.shape == said.low.shape == (rule.slots, 3 + said.has_intercept)
        # The first column tells the last class from the others.
        assert said.coef[-1, 0] > 0.5 + np.abs(said.coef[-1, 1:]).max()
        inside = (said.low[:, :3] < said.coef) & (said.coef < said.high[:, :3])
        assert inside.all()
        lower, higher = said.interval(0.999)
        assert ((lower < said.low) & (said.high < higher)).all()

    def said(self, rule: OneVsRest, rows: int = 900) -> ClassesEstimate:
        X, y = stream(rule.classes, rows)
        said = rule.read(taken(rule, X, y))
        return said.replace(labels=["a", "b", "c"][: rule.classes], names=["p", "q", "r"], target="y")

    def test_names_reach_the_parts(self, rule: OneVsRest) -> None:
        said = self.said(rule)
        assert [term.name for term in said.parts[0].terms][:3] == ["p", "q", "r"]
        assert said.title(0) == ("b against a" if rule.classes == 2 else "a against all others")
        wider = said.replace(confidence=0.999)
        assert (wider.low < said.low).all()
        assert wider.parts[0].low.tolist() == wider.low[0].tolist()

    def test_as_json(self, rule: OneVsRest) -> None:
        found = json.loads(self.said(rule).to_json())
        assert [entry["label"] for entry in found["classes"]] == ["a", "b", "c"][: rule.classes]
        assert sum(entry["rows"] for entry in found["classes"]) == found["rows"] == 900
        assert [part["class"] for part in found["parts"]] == (["b"] if rule.classes == 2 else ["a", "b", "c"])
        first = found["terms"][0]
        assert (first["class"], first["against"], first["name"]) == (
            ("b", "a", "p") if rule.classes == 2 else ("a", None, "p")
        )

    def test_of_no_rows(self, rule: OneVsRest) -> None:
        said = rule.read(rule.init(3))
        assert (said.rows, said.verdict, said.warnings) == (0, "no rows", [])
        assert not np.isfinite(said.low).any()
        assert json.loads(said.to_json())["terms"][0]["low"] is None

    @pytest.mark.parametrize("only", [0, 1])
    def test_of_one_class_only(self, rule: OneVsRest, only: int) -> None:
        X, _ = stream(2)
        said = rule.read(taken(rule, X[:50], np.full(50, only))).replace(labels=["a", "b", "c"][: rule.classes])
        assert not said.coef.any()
        assert np.isfinite(said.intercept).all()
        wins = said.intercept[0] > 0.0 if rule.classes == 2 else said.intercept.argmax() == only
        assert wins == (only == 1 or rule.classes > 2)
        assert (
            said.warnings[0] == f"only the label {'ab'[only]} has been seen so far, so every prediction is {'ab'[only]}"
        )
        assert said.warnings[1].startswith("no row so far has the label")
        assert not said.settled
        assert np.isinf(said.certificate).all()
        assert np.isinf(said.low).all()

    def test_a_class_that_was_never_seen_is_never_the_likeliest(self) -> None:
        rule = RULES[5]
        assert not rule.of.intercept
        X, y = stream(2)
        said = rule.read(taken(rule, X, y))
        assert said.warnings == ["no row so far has the label 2"]
        assert ((X @ said.coef.T + said.intercept).argmax(axis=1) < 2).all()

    def test_few_rows_of_a_class_are_not_settled(self) -> None:
        rule = RULES[0]
        X, y = stream(2)
        y[:] = 0.0
        y[:5] = 1.0
        assert not rule.read(taken(rule, X, y)).settled
        y[:300] = 1.0
        assert rule.read(taken(rule, X, y)).settled

    def test_the_verdict_names_the_class_that_it_is_about(self) -> None:
        X, y = stream(3)
        X[:8] *= [[-1e4, 1.0, 1.0]]
        said = RULES[1].read(taken(RULES[1], X, y)).replace(labels=["a", "b", "c"])
        told = [said.verdict_of(k) for k in range(3)]
        assert any(not words.startswith("light tail") for words in told)
        assert said.verdict in told or said.verdict.split(": ")[0] in [said.title(k) for k in range(3)]
        assert repr(said).count("log-odds of") == 3

    def test_slopes_stay_within_a_ball(self) -> None:
        rule = OneVsRest(Gram(loss=Logistic(), domain=Ball(0.5)), 3)
        X, y = stream(3)
        lengths = np.linalg.norm(rule.read(taken(rule, X, y)).coef, axis=1)
        assert (lengths <= 0.5 * (1.0 + 1e-6)).all()
        assert lengths.max() > 0.4

    def test_a_warning_says_which_classes_it_is_about(self) -> None:
        X, _ = stream(2)
        y = np.digitize(X[:, 0], [-0.2, 0.3]).astype(float)
        said = RULES[1].read(taken(RULES[1], X, y)).replace(labels=["a", "b", "c"])
        assert [words[: words.index(" against")] for words in said.warnings if "separable" in words] == ["a, c"]
        assert not said.settled
