"""Weights: how often each row occurs."""

from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from sklearn.base import clone
from sklearn.linear_model import LinearRegression as LeastSquares

from tailproof import DataError, LinearRegression, LogisticRegression, Mean, StreamScaler

RANDOM = np.random.default_rng(5)
ROWS = RANDOM.standard_t(3, (700, 3))
ROWS[[3, 90]] = np.nan
Y = np.nan_to_num(ROWS) @ [1.0, 2.0, 3.0] + RANDOM.standard_normal(700)
WORD = np.where(RANDOM.standard_normal(700) < Y, "yes", "no")
COUNTS = RANDOM.integers(0, 4, 700)
COUNTS[90] = 2

MODELS = [
    Mean(),
    Mean(method="race"),
    Mean(whole_vector=True),
    StreamScaler(),
    LinearRegression(),
    LinearRegression(solver="sgd"),
    LogisticRegression(),
    LogisticRegression(solver="sgd"),
]


@pytest.fixture(params=MODELS, ids=repr)
def model(request: pytest.FixtureRequest) -> Any:
    return clone(request.param)


def target(model: Any) -> Any:
    return WORD if isinstance(model, LogisticRegression) else Y


def table(model: Any, **more: Any) -> Any:
    aimed = {} if isinstance(model, Mean | StreamScaler) else {"y": target(model)}
    return pa.table({**dict(zip("abc", ROWS.T, strict=True)), **aimed, **more})


@pytest.mark.filterwarnings("ignore:not settled")
class TestWholeNumbers:
    @pytest.mark.parametrize("piece", [1 << 18, 50])
    def test_are_rows_that_occur_so_often(self, model: Any, piece: int, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr("tailproof.estimator.PIECE", piece)
        often = clone(model).fit(ROWS.repeat(COUNTS, axis=0), target(model).repeat(COUNTS))
        for counts in (COUNTS, COUNTS.tolist(), COUNTS.astype(float), COUNTS.astype(np.uint8)):
            found = clone(model).fit(ROWS, target(model), sample_weight=counts)
            assert found.state_.same_bits(often.state_)
        assert found.n_samples_seen_ + found.n_samples_refused_ == COUNTS.sum()
        assert found.n_samples_refused_ >= 2

    def test_in_pieces_are_the_same_at_once(self, model: Any) -> None:
        whole = clone(model).fit(ROWS, target(model), sample_weight=COUNTS)
        for rows in np.split(np.arange(700), [1, 40, 41, 300]):
            model.partial_fit(ROWS[rows], target(model)[rows], sample_weight=COUNTS[rows])
        assert model.state_.same_bits(whole.state_)

    def test_may_be_one_for_all(self, model: Any) -> None:
        once = clone(model).fit(ROWS, target(model))
        assert clone(model).fit(ROWS, target(model), sample_weight=1).state_.same_bits(once.state_)
        assert clone(model).fit(ROWS, target(model), sample_weight=np.ones(700)).state_.same_bits(once.state_)

    def test_may_be_a_column(self, model: Any) -> None:
        whole = clone(model).fit(ROWS, target(model), sample_weight=COUNTS)
        named = table(model, times=COUNTS)
        for handed in (named, named.to_reader(max_chunksize=33)):
            found = clone(model).fit(handed, "y", sample_weight="times")
            assert found.feature_names_in_.tolist() == ["a", "b", "c"]
            assert found.state_.same_bits(whole.state_)

    def test_of_nothing(self, model: Any) -> None:
        with pytest.raises(DataError, match=r"no row counts: .* at least one non-zero number"):
            model.fit(ROWS, target(model), sample_weight=np.zeros(700))
        model.fit(ROWS, target(model))
        before = model.state_.copy()
        assert model.partial_fit(ROWS, target(model), sample_weight=np.zeros(700)).state_.same_bits(before)

    def test_of_labels_that_do_not_occur(self) -> None:
        words = WORD.copy()
        words[5] = "maybe"
        counts = COUNTS.copy()
        counts[5] = 0
        assert LogisticRegression().fit(ROWS, words, sample_weight=counts).classes_.tolist() == ["no", "yes"]

    def test_give_what_least_squares_gives(self) -> None:
        rows, y = np.delete(ROWS, [3, 90], axis=0), np.delete(Y, [3, 90])
        counts = np.delete(COUNTS, [3, 90])
        ours = LinearRegression().fit(rows, y, sample_weight=counts)
        plain = LeastSquares().fit(rows, y, sample_weight=counts)
        np.testing.assert_allclose(ours.coef_, plain.coef_, atol=0.02)


class TestRefusing:
    @pytest.mark.parametrize(
        ("weight", "words"),
        [
            (-1.0, r"sample_weight of row 4 is -1: Negative .* give 0 to leave a row out"),
            (np.nan, r"sample_weight of row 4 is nan: .* or NaN, make no sense"),
            (np.inf, r"row 4 is inf: .* at most 1,000,000,000 times"),
            (2e9, r"row 4 is 2e\+09: .* at most 1,000,000,000 times"),
            (0.5, r"row 4 is 0.5: .* a whole number; .* X\[random < weight / weight.max\(\)\]"),
        ],
    )
    def test_a_weight_by_its_row(self, model: Any, weight: float, words: str) -> None:
        counts = COUNTS.astype(float)
        counts[4] = weight
        model.fit(table(model), "y")
        before = model.state_.copy()
        with pytest.raises(DataError, match=words):
            model.partial_fit(table(model), "y", sample_weight=counts)
        with pytest.raises(DataError, match=words):
            model.partial_fit(table(model, times=counts).to_reader(max_chunksize=3), "y", sample_weight="times")
        assert model.state_.same_bits(before)

    def test_weights_that_are_not_one_a_row(self, model: Any) -> None:
        with pytest.raises(ValueError, match="inconsistent numbers of samples"):
            model.fit(ROWS, target(model), sample_weight=COUNTS[:5])
        with pytest.raises(ValueError, match="1D array or scalar"):
            model.fit(ROWS, target(model), sample_weight=np.ones((700, 2)))
        with pytest.raises(DataError, match="'times' names a column, but X has no names"):
            model.fit(ROWS, target(model), sample_weight="times")
        with pytest.raises(DataError, match="X has no column 'times'"):
            model.fit(table(model), target(model), sample_weight="times")
