"""Several targets of one row: EachTarget, and LinearRegression of them."""

import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from sklearn.base import clone
from sklearn.exceptions import NotFittedError

import tailproof
from tailproof import CheckpointError, DataError, EachTarget, Gram, LinearRegression, Logistic, RuleError, TunedSGD
from tailproof.checkpoint import Saved, save
from tailproof.doors.cli import main

RANDOM = np.random.default_rng(21)
X = RANDOM.standard_t(3, (800, 3)) * [1.0, 30.0, 1e-2]
TRUTH = np.array([[1.0, 0.1, 200.0], [-2.0, 0.0, 50.0]])
Y = X @ TRUTH.T + [5.0, -1.0] + RANDOM.standard_t(3, (800, 2))
NAMES = ["u", "v"]


@pytest.fixture(params=["gram", "sgd"])
def model(request: pytest.FixtureRequest) -> LinearRegression:
    return LinearRegression(solver=request.param)


def table() -> Any:
    return pa.table({**dict(zip("abc", X.T, strict=True)), **dict(zip(NAMES, Y.T, strict=True))})


@pytest.mark.filterwarnings("ignore:not settled")
class TestModel:
    def test_each_target_is_as_if_alone(self, model: LinearRegression) -> None:
        model.fit(X, Y)
        assert (model.coef_.shape, model.intercept_.shape) == ((2, 3), (2,))
        assert model.predict(X[:7]).shape == (7, 2)
        for k in range(2):
            alone = clone(model).fit(X, Y[:, k])
            assert np.array_equal(model.coef_[k], alone.coef_)
            assert model.intercept_[k] == alone.intercept_
            for mine, theirs in zip(model.interval(0.9), alone.interval(0.9), strict=True):
                assert np.array_equal(mine[k], theirs)
            for mine, theirs in zip(model.intercept_interval(), alone.intercept_interval(), strict=True):
                assert mine[k] == theirs
            assert np.array_equal(model.certificate()[k], alone.certificate())
            np.testing.assert_allclose(model.predict(X)[:, k], alone.predict(X), rtol=1e-12)

    def test_finds_the_truth_beside_gross_rows(self) -> None:
        spoilt = Y.copy()
        spoilt[:5, 0] = 1e6
        model = LinearRegression().fit(X, spoilt)
        low, high = model.interval(0.999)
        assert ((low < TRUTH) & (high > TRUTH)).all()
        assert model.score(X[5:], spoilt[5:]) > 0.5

    def test_in_pieces_is_at_once(self, model: LinearRegression) -> None:
        whole = clone(model).fit(X, Y)
        for rows in np.split(np.arange(800), [1, 40, 300]):
            model.partial_fit(X[rows], Y[rows])
        assert model.state_.same_bits(whole.state_)

    def test_a_row_without_one_of_them_is_refused(self, model: LinearRegression) -> None:
        holed = Y.copy()
        holed[[3, 9], [0, 1]] = np.nan, np.inf
        model.fit(X, holed)
        assert (model.n_samples_seen_, model.n_samples_refused_) == (798, 2)
        assert model.state_["of_theta" if model.solver == "gram" else "of_counts"].shape[0] == 2

    def test_weights_count_rows(self, model: LinearRegression) -> None:
        counts = RANDOM.integers(0, 3, 800)
        often = clone(model).fit(X.repeat(counts, axis=0), Y.repeat(counts, axis=0))
        assert model.fit(X, Y, sample_weight=counts).state_.same_bits(often.state_)

    def test_merged_saved_and_pickled(self, model: LinearRegression, tmp_path: Path) -> None:
        frame = pytest.importorskip("pandas").DataFrame(Y, columns=NAMES)
        model.fit(table().select(["a", "b", "c"]), frame)
        model.merge(clone(model).fit(table().select(["a", "b", "c"]), frame)).save(tmp_path / "two.tps")
        found = tailproof.load(tmp_path / "two.tps")
        assert found.target_names_ == NAMES
        for other in (found, pickle.loads(pickle.dumps(model))):
            assert np.array_equal(other.coef_, model.coef_)
            assert other.n_samples_seen_ == 1600
            assert repr(other.estimate()) == repr(model.estimate())

    @pytest.mark.parametrize("stream", [False, True])
    def test_may_be_columns(self, model: LinearRegression, stream: bool) -> None:
        model.fit(table().to_reader(max_chunksize=70) if stream else table(), y=NAMES)
        assert model.state_.same_bits(clone(model).fit(X, Y).state_)
        assert model.feature_names_in_.tolist() == ["a", "b", "c"]
        assert [part["target"] for part in model.estimate().to_dict()["targets"]] == NAMES
        assert repr(model.estimate()).startswith("u: 800 rows, 0 refused, 95 % intervals; ")

    def test_their_number_stays(self, model: LinearRegression) -> None:
        model.fit(X, Y)
        with pytest.raises(DataError, match=r"y has one number a row, but .* fitted on 2 numbers; fit another"):
            model.partial_fit(X, Y[:, 0])
        with pytest.raises(DataError, match="y has 2 numbers a row, but this model was fitted on one number"):
            clone(model).fit(X, Y[:, 0]).partial_fit(X, Y)
        with pytest.raises(ValueError, match="inconsistent numbers of samples"):
            model.fit(X, Y[:9])
        with pytest.raises(NotFittedError):
            clone(model).estimate()

    def test_warnings_name_the_targets_they_are_about(self) -> None:
        same = Y.copy()
        same[:, 1] = 4.0
        with pytest.warns(UserWarning, match="^v: the target is the same in every row so far"):
            LinearRegression().fit(X, pytest.importorskip("pandas").DataFrame(same, columns=NAMES))


def test_texts_beside_an_array_are_no_names() -> None:
    with pytest.raises(DataError, match=r"y holds something that is not a number .* for labels use LogisticRegression"):
        LinearRegression().fit(X[:2], ["u", "v"])


class TestCommandLine:
    def test_predicts_and_looks_into_it(self, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
        path = str(tmp_path / "two.tps")
        model = LinearRegression().fit(table(), y=NAMES)
        model.save(path)
        assert main(["inspect", path]) == 0
        shown = capsys.readouterr().out
        assert "u: 800 rows used" in shown
        assert "v: 800 rows used" in shown
        (tmp_path / "x.csv").write_text("c,a,b\n1,2,3\n,1,1\n")
        assert main(["predict", path, str(tmp_path / "x.csv"), "--quiet"]) == 0
        lines = capsys.readouterr().out.splitlines()
        assert [word.strip('"') for word in lines[0].split(",")] == ["prediction(u)", "prediction(v)"]
        np.testing.assert_allclose([float(word) for word in lines[1].split(",")], model.predict([[2.0, 3.0, 1.0]])[0])
        assert lines[2] == ","

    def test_a_forged_list_of_targets_is_refused(self, tmp_path: Path) -> None:
        rule = EachTarget(Gram(), 2)
        save(tmp_path / "x.tps", Saved(rule, rule.init(3), settings={"targets": ["u"]}))
        with pytest.raises(CheckpointError, match="damaged or forged"):
            tailproof.load(tmp_path / "x.tps")


class TestRule:
    def test_refuses_what_it_cannot_hold(self) -> None:
        with pytest.raises(RuleError, match=r"holds Gram or TunedSGD with loss=Squared\(\), not Gram\(loss=Logistic"):
            EachTarget(Gram(loss=Logistic()))
        for number in (0, 1001, True, 2.0):
            with pytest.raises(RuleError, match="targets"):
                EachTarget(Gram(), number)
        assert tailproof.parse(repr(EachTarget(TunedSGD(), 3))) == EachTarget(TunedSGD(), 3)

    def test_refuses_targets_of_another_shape(self) -> None:
        rule = EachTarget(Gram(), 2)
        with pytest.raises(RuleError, match=r"targets have shape \(800,\); for these rows they must have \(800, 2\)"):
            rule.step(rule.init(3), X, Y[:, 0])
        with pytest.raises(RuleError, match="needs targets"):
            rule.step(rule.init(3), X)
