"""Mean: the scikit-learn contract over the rules."""

import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.utils.estimator_checks import check_estimator

import tailproof
from tailproof import CheckpointError, Mean, RuleError
from tailproof.checkpoint import Saved, save
from tailproof.clipped import ClippedSGD
from tailproof.doors.cli import main

ROWS = np.random.default_rng(8).standard_t(2, (150, 3)) * [1.0, 100.0, 1e-6] + [0.0, 5.0, 1.0]
MODELS = [
    Mean(),
    Mean(method="clipped-sgd"),
    Mean(method="race"),
    Mean(whole_vector=True, extremes=16),
    Mean(gross="keep", h=9),
]


@pytest.fixture(params=MODELS, ids=repr)
def model(request: pytest.FixtureRequest) -> Mean:
    return clone(request.param)


@pytest.mark.filterwarnings("ignore")
def test_the_contract_of_scikit_learn(model: Mean) -> None:
    found = check_estimator(model, on_skip=None, on_fail=None)
    assert [(check["check_name"], str(check["exception"])) for check in found if check["status"] == "failed"] == []
    assert sum(check["status"] == "passed" for check in found) >= 35


class TestFitting:
    @pytest.mark.parametrize("cuts", [[1], [149], [8, 9, 60], list(range(1, 150))], ids=len)
    def test_in_pieces_is_fitting_at_once(self, model: Mean, cuts: list[int]) -> None:
        whole = clone(model).fit(ROWS)
        for piece in np.split(ROWS, cuts):
            model.partial_fit(piece)
        assert model.state_.same_bits(whole.state_)

    def test_forgets_what_was_seen(self, model: Mean) -> None:
        model.fit(ROWS[:, :1] * 9.0).fit(ROWS)
        assert model.state_.same_bits(clone(model).fit(ROWS).state_)
        assert model.n_features_in_ == 3

    def test_new_settings_begin_with_the_next_fit(self) -> None:
        model = Mean().fit(ROWS)
        model.set_params(extremes=16)
        assert model.partial_fit(ROWS).rule_.extremes == 24
        assert model.fit(ROWS).rule_.extremes == 16

    def test_rows_with_nan_or_inf_are_refused_whole_and_counted(self, model: Mean) -> None:
        dirty = np.insert(ROWS, [0, 40, 150], [[np.nan, 1, 1], [1, np.inf, 1], [np.nan, np.nan, -np.inf]], axis=0)
        model.fit(dirty)
        assert (model.n_samples_seen_, model.n_samples_refused_) == (150, 3)
        assert np.array_equal(model.mean_, clone(model).fit(ROWS).mean_)

    @pytest.mark.parametrize(
        "rows", [ROWS.tolist(), np.asfortranarray(ROWS), ROWS.astype(np.longdouble), ROWS[::-1][::-1]], ids=type
    )
    def test_any_layout(self, rows: Any) -> None:
        assert Mean().fit(rows).state_.same_bits(Mean().fit(ROWS).state_)

    def test_integers_and_booleans(self) -> None:
        assert Mean().fit([[1], [2], [3]]).mean_ == [2.0]
        assert Mean().fit([[True], [False]]).mean_ == [0.5]


class TestSaying:
    def test_the_mean_and_the_plain_mean(self, model: Mean) -> None:
        model.fit(ROWS)
        assert model.mean_.shape == model.plain_mean_.shape == (3,)
        np.testing.assert_allclose(model.plain_mean_, ROWS.mean(axis=0), rtol=1e-9, atol=1e-12)

    def test_one_gross_row_does_no_harm(self, model: Mean) -> None:
        clean = clone(model).fit(ROWS)
        model.fit(np.vstack([ROWS, [1e12, -1e12, 1e12]]))
        moved = np.abs(model.mean_ - clean.mean_)
        assert (moved < 1e-6 * np.abs(model.plain_mean_ - clean.plain_mean_)).all()
        if model.method == "sketch":
            assert (moved < clean.estimate().high - clean.estimate().low).all()

    def test_intervals_hold_the_mean_and_grow_with_confidence(self, model: Mean) -> None:
        model.fit(ROWS)
        low, high = model.interval()
        lower, higher = model.interval(0.99)
        assert ((lower < low) & (low < model.mean_) & (model.mean_ < high) & (high < higher)).all()
        assert np.array_equal(model.set_params(confidence=0.99).interval(), (lower, higher))
        anytime = model.interval(0.99, anytime=True)
        assert ((anytime[0] <= lower) & (higher <= anytime[1])).all()
        contaminated = model.interval(0.99, contaminated=True)
        assert np.isfinite(contaminated).all()

    @pytest.mark.parametrize("confidence", [0.0, 1.0, 95, -1, float("nan")])
    def test_a_confidence_lies_between_0_and_1(self, confidence: float) -> None:
        with pytest.raises(RuleError, match="a confidence lies between 0 and 1"):
            Mean().fit(ROWS).interval(confidence)

    def test_the_certificate_bounds_what_one_more_row_can_do(self, model: Mean) -> None:
        model.fit(ROWS)
        bound = model.certificate()
        assert bound.shape == (3,)
        before = model.mean_
        for wild in (-1e300, -1e3, 0.0, 1e3, 1e300):
            moved = pickle.loads(pickle.dumps(model)).partial_fit([[wild] * 3]).mean_ - before
            assert (np.abs(moved) <= bound * (1.0 + 1e-9)).all()

    def test_the_radius_of_the_whole_vector(self) -> None:
        model = Mean(whole_vector=True).fit(ROWS)
        assert 0.0 < model.radius(0.9) < model.radius(0.99)
        for other in (Mean(), Mean(method="clipped-sgd")):
            with pytest.raises(RuleError, match="radius of the whole vector needs"):
                other.fit(ROWS).radius()

    def test_the_estimate_is_for_people_and_cannot_be_changed(self, model: Mean) -> None:
        said = model.fit(ROWS).estimate()
        assert repr(said).startswith("150 rows, 0 refused, 95 % intervals\nx0: ")
        with pytest.raises(AttributeError, match="cannot be changed"):
            said.rows = 5


class TestNames:
    @pytest.fixture
    def frame(self) -> Any:
        return pytest.importorskip("pandas").DataFrame(ROWS, columns=["a", "b", "c"])

    def test_of_a_frame(self, model: Mean, frame: Any, tmp_path: Path) -> None:
        model.fit(frame)
        assert list(model.feature_names_in_) == ["a", "b", "c"]
        assert [column.name for column in model.estimate().columns] == ["a", "b", "c"]
        model.save(tmp_path / "mean.tps")
        assert list(tailproof.load(tmp_path / "mean.tps").feature_names_in_) == ["a", "b", "c"]

    @pytest.mark.filterwarnings("ignore:X does not have valid feature names")
    def test_must_stay(self, model: Mean, frame: Any) -> None:
        model.fit(frame)
        seen = model.state_.copy()
        with pytest.raises(ValueError, match="feature names"):
            model.partial_fit(frame[["b", "a", "c"]])
        with pytest.raises(ValueError, match="features"):
            model.partial_fit(frame[["a", "b"]].to_numpy())
        assert model.state_.same_bits(seen)
        with pytest.raises(RuleError, match=r"different columns: \['a', 'b', 'c'\] and \['b', 'a', 'c'\]"):
            model.merge(clone(model).fit(frame[["b", "a", "c"]]))


class TestMerging:
    def test_is_one_pass(self, model: Mean) -> None:
        merged = clone(model).fit(ROWS[:60]).merge(clone(model).fit(ROWS[60:]))
        whole = model.fit(ROWS)
        assert merged.n_samples_seen_ == 150
        if model.method == "sketch":
            np.testing.assert_allclose(merged.mean_, whole.mean_, rtol=1e-9, atol=1e-12)
        else:
            assert "an average of 2 separate descents" in merged.estimate().note

    def test_leaves_the_other_as_it_was(self, model: Mean) -> None:
        other = clone(model).fit(ROWS[60:])
        before = other.state_.copy()
        model.fit(ROWS[:60]).merge(other)
        assert other.state_.same_bits(before)

    def test_refuses_what_does_not_fit(self) -> None:
        with pytest.raises(RuleError, match="different rules"):
            Mean().fit(ROWS).merge(Mean(extremes=16).fit(ROWS))
        with pytest.raises(RuleError, match="different columns"):
            Mean().fit(ROWS).merge(Mean().fit(ROWS[:, :2]))


class TestSavingAndLoading:
    def test_gives_the_same_model(self, model: Mean, tmp_path: Path) -> None:
        model.set_params(confidence=0.9).fit(ROWS).save(tmp_path / "mean.tps")
        found = tailproof.load(tmp_path / "mean.tps")
        assert found.get_params() == model.get_params()
        assert found.state_.same_bits(model.state_)
        assert np.array_equal(found.interval(), model.interval())
        assert found.partial_fit(ROWS).state_.same_bits(model.partial_fit(ROWS).state_)

    def test_pickling_too(self, model: Mean) -> None:
        found = pickle.loads(pickle.dumps(model.fit(ROWS)))
        assert found.partial_fit(ROWS).state_.same_bits(model.partial_fit(ROWS).state_)

    @pytest.mark.parametrize("method", ["sketch", "clipped-sgd", "race"])
    def test_a_run_of_the_command_line(self, tmp_path: Path, method: str) -> None:
        (tmp_path / "x.csv").write_text("a,b,c\n" + "".join(f"{a!r},{b!r},{c!r}\n" for a, b, c in ROWS.tolist()))
        run = str(tmp_path / "run.tps")
        assert (
            main(["mean", str(tmp_path / "x.csv"), "--checkpoint", run, "--method", method, "--confidence", "0.9"]) == 0
        )
        found = tailproof.load(run)
        model = Mean(method=method, confidence=0.9).fit(ROWS)
        assert found.state_.same_bits(model.state_)
        assert found.get_params() == model.get_params()
        assert found.merge(model).n_samples_seen_ == 300

    def test_what_is_no_model(self, tmp_path: Path) -> None:
        rule = ClippedSGD()
        save(tmp_path / "descent.tps", Saved(rule, rule.init(2)))
        with pytest.raises(CheckpointError, match=r"which is no model; read it with tailproof.checkpoint.load"):
            tailproof.load(tmp_path / "descent.tps")


class TestRefusing:
    @pytest.mark.parametrize(
        "ask", ["estimate", "interval", "radius", "certificate", "mean_", "plain_mean_", "n_samples_seen_"]
    )
    def test_questions_before_fitting(self, model: Mean, ask: str) -> None:
        with pytest.raises(NotFittedError):
            getattr(model, ask)()

    def test_saving_and_merging_before_fitting(self, model: Mean, tmp_path: Path) -> None:
        with pytest.raises(NotFittedError):
            model.save(tmp_path / "mean.tps")
        with pytest.raises(NotFittedError):
            model.merge(model)
        with pytest.raises(NotFittedError):
            clone(model).fit(ROWS).merge(model)

    @pytest.mark.parametrize(
        ("settings", "sentence"),
        [
            ({"method": "median"}, 'method must be "sketch", "clipped-sgd" or "race", not \'median\''),
            ({"extremes": 3}, "extremes must be a whole number from 8 to 4096, not 3"),
            ({"extremes": 24.0}, "extremes must be a whole number"),
            ({"gross": "drop"}, 'gross must be "set-aside" or "keep", not \'drop\''),
            ({"h": 0.5}, "h must be at least 1"),
        ],
        ids=str,
    )
    def test_settings(self, settings: dict[str, Any], sentence: str) -> None:
        with pytest.raises(RuleError, match=sentence):
            Mean(**settings).fit(ROWS)

    @pytest.mark.parametrize("rows", [[["x"]], [[1j]], [1.0, 2.0], np.empty((0, 2)), np.empty((2, 0)), 5])
    def test_rows(self, model: Mean, rows: Any) -> None:
        with pytest.raises((ValueError, TypeError)):
            model.fit(rows)
