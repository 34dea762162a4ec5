"""Sparse matrices, and models of scikit-learn's that hold ours."""

from typing import Any

import numpy as np
import pytest
import scipy.sparse as sparse
from sklearn.base import clone
from sklearn.compose import ColumnTransformer, TransformedTargetRegressor
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

from tailproof import DataError, LinearRegression, LogisticRegression, Mean, StreamScaler
from tailproof.blocks import rows as rows_room
from tailproof.models import sparse as sparse_room

RANDOM = np.random.default_rng(8)
X = np.where(RANDOM.random((900, 6)) < 0.3, RANDOM.standard_normal((900, 6)), 0.0)
Y = X @ np.arange(6.0) + RANDOM.standard_t(3, 900)
WORD = np.where(RANDOM.standard_normal(900) < Y, "yes", "no")
MODELS = [Mean(), LinearRegression(), LinearRegression(solver="sgd"), LogisticRegression()]
FORMATS = [sparse.csr_matrix, sparse.csc_array, sparse.coo_array]


def target(model: Any) -> Any:
    return WORD if isinstance(model, LogisticRegression) else Y


@pytest.mark.filterwarnings("ignore:not settled")
@pytest.mark.parametrize("model", MODELS, ids=repr)
class TestSparse:
    @pytest.mark.parametrize("form", FORMATS, ids=lambda form: form.__name__)
    def test_rows_are_those_of_the_array(self, model: Any, form: Any, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(rows_room, "MOST_ROWS", 100)
        dense, thin = clone(model).fit(X, target(model)), clone(model).fit(form(X), target(model))
        assert thin.state_.same_bits(dense.state_)
        if not isinstance(model, Mean):
            assert np.array_equal(thin.predict(form(X)), dense.predict(X))
        counts = RANDOM.integers(0, 3, 900)
        thin.partial_fit(form(X), target(model), sample_weight=counts)
        assert thin.state_.same_bits(dense.partial_fit(X, target(model), sample_weight=counts).state_)

    def test_are_never_dense_as_a_whole(self, model: Any, monkeypatch: pytest.MonkeyPatch) -> None:
        seen = []
        monkeypatch.setattr(sparse_room, "rows_per_block", lambda columns: 64)
        take = type(model)._hand_on
        monkeypatch.setattr(type(model), "_hand_on", lambda self, *how: seen.append(len(how[1])) or take(self, *how))
        model = clone(model).fit(sparse.csr_array(X), target(model))
        assert max(seen) == 64

    def test_of_too_many_columns_are_refused(self, model: Any) -> None:
        wide = sparse.csr_array((900, 100_001))
        with pytest.raises(DataError, match=r"has 100,001 columns; .* for up to 100,000: .* FeatureHasher"):
            clone(model).fit(wide, target(model))

    def test_missing_values_are_refused(self, model: Any) -> None:
        holed = X.copy()
        holed[5, 2] = np.nan
        model = clone(model).fit(sparse.csr_array(holed), target(model))
        assert (model.n_samples_seen_, model.n_samples_refused_) == (899, 1)


def test_a_scaler_refuses_them_with_a_remedy() -> None:
    with pytest.raises(TypeError, match=r"dense data is required.*toarray"):
        StreamScaler().fit(sparse.csr_array(X))


def test_labels_may_first_come_in_a_late_piece(monkeypatch: pytest.MonkeyPatch) -> None:
    pandas = pytest.importorskip("pandas")
    rows = RANDOM.standard_normal((70_000, 1))
    words = np.array(["a", "b"] * 34_990 + ["c"] * 20)
    whole = LogisticRegression().fit(rows, words)
    frame = pandas.DataFrame({"x": rows[:, 0], "y": words})
    for found in (
        LogisticRegression().fit(frame, y="y"),
        LogisticRegression().fit(frame[["x"]], words),
        LogisticRegression().fit(sparse.csr_array(rows), words),
        LogisticRegression().fit(rows, words, sample_weight=np.ones(70_000)),
    ):
        assert found.classes_.tolist() == ["a", "b", "c"]
        assert found.state_.same_bits(whole.state_)


@pytest.mark.filterwarnings("ignore:not settled")
class TestTogether:
    @pytest.mark.parametrize("solver", ["gram", "sgd"])
    def test_in_a_pipeline(self, solver: str) -> None:
        pipe = make_pipeline(StreamScaler(), LinearRegression(solver=solver))
        assert (cross_val_score(pipe, X, Y, cv=3) > 0.5).all()
        pipe.fit(X, Y, linearregression__sample_weight=RANDOM.integers(0, 3, 900))
        assert pipe.predict(X[:5]).shape == (5,)
        assert pipe[:-1].get_feature_names_out().tolist() == [f"x{j}" for j in range(6)]

    def test_in_a_search(self) -> None:
        pipe = make_pipeline(StandardScaler(), LogisticRegression())
        grid = {"logisticregression__outliers": ["auto", "keep"], "logisticregression__fit_intercept": [True, False]}
        search = GridSearchCV(pipe, grid, cv=3).fit(X, WORD)
        assert search.best_score_ > 0.6
        assert search.predict_proba(X[:3]).shape == (3, 2)

    @pytest.mark.parametrize("kind", ["pandas", "polars"])
    def test_beside_other_transformers(self, kind: str) -> None:
        library = pytest.importorskip(kind)
        frame = library.DataFrame({"a": X[:, 0], "b": X[:, 1] * 1e3, "city": RANDOM.choice(["x", "y", "z"], 900)})
        steps = [("scaled", StreamScaler(), ["a", "b"]), ("city", OneHotEncoder(drop="first"), ["city"])]
        chosen = ColumnTransformer(steps)
        model = make_pipeline(chosen, LinearRegression()).fit(frame, Y)
        assert model.score(frame, Y) > 0.0
        names = ["scaled__a", "scaled__b", "city__city_y", "city__city_z"]
        assert model[:-1].get_feature_names_out().tolist() == names
        chosen.set_params(city__sparse_output=False).set_output(transform=kind)
        model.fit(frame, Y)
        assert model[-1].feature_names_in_.tolist() == names
        assert [term.name for term in model[-1].estimate().terms] == [*names, "intercept"]

    def test_of_a_transformed_target(self) -> None:
        model = TransformedTargetRegressor(LinearRegression(), func=np.sinh, inverse_func=np.arcsinh)
        assert model.fit(X, np.arcsinh(Y)).predict(X[:2]).shape == (2,)

    def test_several_targets(self) -> None:
        assert (cross_val_score(make_pipeline(StreamScaler(), LinearRegression()), X, np.c_[Y, -Y], cv=3) > 0.5).all()
