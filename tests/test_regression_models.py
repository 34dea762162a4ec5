"""LinearRegression and LogisticRegression: the scikit-learn contract over the rules."""

import copy
import pickle
import warnings
from pathlib import Path
from typing import Any

import joblib
import numpy as np
import pytest
from sklearn.base import clone
from sklearn.datasets import load_digits
from sklearn.exceptions import ConvergenceWarning, DataConversionWarning, NotFittedError
from sklearn.model_selection import cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import check_estimator

import tailproof
from tailproof import CheckpointError, DataError, LinearRegression, LogisticRegression, Mean, RuleError
from tailproof.checkpoint import Saved, save
from tailproof.clipped import ClippedSGD
from tailproof.gram import Gram
from tailproof.losses import Logistic
from tailproof.one_vs_rest import OneVsRest
from tailproof.state import State

RANDOM = np.random.default_rng(12)
X = RANDOM.pareto(3.0, (600, 3)) * [1.0, 100.0, 1e-3] + [0.0, 5.0, 1.0]
SCORE = X @ [2.0, -0.02, 500.0] - 500.0
Y = SCORE + 3.0 + RANDOM.standard_t(2.5, 600)
NAMES = ["a", "b", "c"]
SOLVERS = ["auto", "sgd"]
LINEAR = [LinearRegression(solver=solver) for solver in SOLVERS]
LOGISTIC = [LogisticRegression(solver=solver) for solver in SOLVERS]
YES = np.where(SCORE - np.median(SCORE) + RANDOM.logistic(size=600) > 0.0, "yes", "no")
WORD = np.array(["low", "middle", "top"])[
    np.digitize(SCORE + RANDOM.logistic(size=600), np.quantile(SCORE, [0.4, 0.8]))
]

pytestmark = pytest.mark.filterwarnings("ignore:not settled")


def target(model: Any) -> Any:
    return Y if isinstance(model, LinearRegression) else YES


@pytest.fixture(params=[*LINEAR, *LOGISTIC], ids=repr)
def model(request: pytest.FixtureRequest) -> Any:
    return clone(request.param)


@pytest.fixture(params=LINEAR, ids=repr)
def linear(request: pytest.FixtureRequest) -> Any:
    return clone(request.param)


@pytest.fixture(params=LOGISTIC, ids=repr)
def logistic(request: pytest.FixtureRequest) -> Any:
    return clone(request.param)


@pytest.fixture
def frame() -> Any:
    return pytest.importorskip("pandas").DataFrame(X, columns=NAMES)


# The check shuffles 15 rows of 30 features. Many coefficients fit them without error, and which come out, the order of
# the rows decides; a descent depends on it in any case. Weights give the bits of rows repeated in their place.
SHUFFLED = {
    f"check_sample_weight_equivalence_on_{kind}_data": "the order of the rows decides, not the weights"
    for kind in ("dense", "sparse")
}


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("settings", [{}, {"solver": "gram", "fit_intercept": False}, {"solver": "sgd"}], ids=str)
@pytest.mark.parametrize("kind", [LinearRegression, LogisticRegression])
def test_the_contract_of_scikit_learn(kind: Any, settings: dict[str, Any]) -> None:
    bound_to_order = kind is LinearRegression or settings.get("solver") == "sgd"
    found = check_estimator(
        kind(**settings), on_skip=None, on_fail=None, expected_failed_checks=SHUFFLED if bound_to_order else None
    )
    assert [(check["check_name"], str(check["exception"])) for check in found if check["status"] == "failed"] == []
    assert sum(check["status"] == "passed" for check in found) >= 48


class TestFitting:
    @pytest.mark.parametrize("cuts", [[1], [599], [8, 9, 60], list(range(1, 600))], ids=len)
    def test_in_pieces_is_fitting_at_once(self, model: Any, cuts: list[int]) -> None:
        y = target(model)
        whole = clone(model).fit(X, y)
        for rows, theirs in zip(np.split(X, cuts), np.split(y, cuts), strict=True):
            model.partial_fit(rows, theirs)
        assert model.state_.same_bits(whole.state_)
        assert model.rule_ == whole.rule_
        assert np.array_equal(model.coef_, whole.coef_)

    def test_forgets_what_was_seen(self, model: Any) -> None:
        y = target(model)
        model.fit(X[:, :1] * 9.0, y).fit(X, y)
        assert model.state_.same_bits(clone(model).fit(X, y).state_)
        assert model.n_features_in_ == 3

    def test_finds_what_the_rows_were_made_with(self, linear: Any) -> None:
        linear.fit(X, Y)
        low, high = linear.interval(0.999)
        assert ((low <= [2.0, -0.02, 500.0]) & (high >= [2.0, -0.02, 500.0])).all()
        assert linear.score(X, Y) > 0.5

    def test_tells_labels_apart(self, logistic: Any) -> None:
        assert logistic.fit(X, YES).score(X, YES) > 0.6
        assert logistic.fit(X, WORD).score(X, WORD) > 0.5

    def test_rows_with_holes_are_refused_whole_and_counted(self, model: Any) -> None:
        y = target(model)
        dirty = np.insert(X, [0, 40, 600], [[np.nan, 1, 1], [1, np.inf, 1], [np.nan, np.nan, -np.inf]], axis=0)
        theirs = np.insert(y.astype(object), [0, 40, 600], y[:3])
        theirs[100:102] = None, float("nan")
        model.fit(dirty, theirs)
        assert (model.n_samples_seen_, model.n_samples_refused_) == (598, 5)
        kept = np.delete(np.arange(600), [98, 99])
        assert np.array_equal(model.coef_, clone(model).fit(X[kept], y[kept]).coef_)

    def test_no_warning_in_a_stream(self, model: Any) -> None:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            twins = np.column_stack([X, X[:, 0]])
            for begin in range(0, 600, 100):
                model.partial_fit(twins[begin : begin + 100], target(model)[begin : begin + 100])
                model.coef_, model.interval()

    def test_a_fit_warns_once_of_columns_that_tell_nothing_new(self) -> None:
        model = LinearRegression()
        with pytest.warns(UserWarning, match="told by other columns: x[03]") as told:
            model.fit(np.column_stack([X, X[:, 0]]), Y)
        assert len(told) == 1
        assert told[0].filename == __file__
        assert np.isfinite(model.coef_).all()
        assert model.estimate().warnings == [str(told[0].message)]

    @pytest.mark.filterwarnings("error::RuntimeWarning")
    def test_pixels_that_hardly_ever_light_up_make_no_noise(self) -> None:
        X, y = load_digits(return_X_y=True)
        model = LogisticRegression(solver="sgd").fit(X, y)
        assert model.score(X, y) > 0.9

    def test_a_fit_warns_of_labels_that_are_separable(self) -> None:
        parted = X[np.abs(SCORE - np.median(SCORE)) > 0.5]
        labels = parted @ [2.0, -0.02, 500.0] > 500.0 + np.median(SCORE)
        with pytest.warns(UserWarning, match="separable"):
            model = LogisticRegression().fit(parted, labels)
        assert np.isfinite(model.coef_).all()
        assert model.score(parted, labels) > 0.99

    @pytest.mark.filterwarnings("default:not settled")
    def test_a_fit_warns_of_a_descent_that_is_on_its_way(self) -> None:
        with pytest.warns(ConvergenceWarning, match="not settled after 5 rows"):
            LinearRegression(solver="sgd").fit(X[:5], Y[:5])

    @pytest.mark.parametrize("solver", ["gram", "sgd"])
    def test_without_an_intercept(self, solver: str) -> None:
        model = LinearRegression(solver=solver, fit_intercept=False).fit(X, Y)
        assert model.intercept_ == 0.0
        assert model.intercept_interval() == (0.0, 0.0)
        assert model.coef_.shape == model.interval()[0].shape == model.certificate().shape == (3,)
        assert np.allclose(model.predict(X), X @ model.coef_)

    def test_auto_takes_gram_up_to_a_thousand_features(self) -> None:
        few, many = np.zeros((2, 1000)), np.zeros((2, 1001))
        assert LinearRegression().partial_fit(few, [0, 1]).solver_ == "gram"
        assert LinearRegression().partial_fit(many, [0, 1]).solver_ == "sgd"
        assert LinearRegression(solver="gram").partial_fit(many, [0, 1]).solver_ == "gram"
        assert LogisticRegression().partial_fit(many, [0, 1]).solver_ == "sgd"

    def test_slopes_stay_within_the_radius(self, model: Any) -> None:
        model.set_params(radius=1.5).fit(X, target(model))
        assert 0.0 < np.linalg.norm(model.coef_) <= 1.5 * (1.0 + 1e-6)

    def test_one_gross_row_does_no_harm(self, model: Any) -> None:
        y = target(model)
        clean = clone(model).fit(X, y)
        low, high = clean.interval()
        model.fit(np.vstack([X, [1e9, -1e9, 1e9]]), [*y, y[np.argmax(SCORE)]])
        assert (np.abs(model.coef_ - clean.coef_) < high - low).all()

    def test_a_column_of_targets_is_taken_with_a_warning(self, model: Any) -> None:
        column = target(model).reshape(-1, 1)
        if isinstance(model, LinearRegression):
            # Several targets may come, of which this is one.
            assert model.fit(X, column).coef_.shape == (1, 3)
            return
        with pytest.warns(DataConversionWarning):
            model.fit(X, column)
        assert model.state_.same_bits(clone(model).fit(X, target(model)).state_)

    def test_any_layout(self, model: Any) -> None:
        whole = clone(model).fit(X, target(model))
        for rows in (X.tolist(), np.asfortranarray(X), X[::-1][::-1]):
            assert clone(model).fit(rows, target(model).tolist()).state_.same_bits(whole.state_)

    def test_in_pipelines_and_searches(self, model: Any) -> None:
        found = cross_val_score(make_pipeline(StandardScaler(), model), X, target(model), cv=3)
        assert (found > 0.3).all()


class TestSaying:
    def test_shapes(self, linear: Any, logistic: Any) -> None:
        linear.fit(X, Y)
        assert linear.coef_.shape == linear.interval()[1].shape == linear.certificate().shape == (3,)
        assert np.shape(linear.intercept_) == ()
        for y, slots, classes in ((YES, 1, 2), (WORD, 3, 3)):
            logistic.fit(X, y)
            assert logistic.coef_.shape == logistic.interval()[0].shape == logistic.certificate().shape == (slots, 3)
            assert logistic.intercept_.shape == logistic.intercept_interval()[0].shape == (slots,)
            assert logistic.predict_proba(X).shape == (600, classes)
            assert logistic.decision_function(X).shape == ((600,) if slots == 1 else (600, 3))

    def test_intervals_grow_with_confidence(self, model: Any) -> None:
        model.fit(X, target(model))
        low, high = model.interval()
        lower, higher = model.interval(0.999)
        assert ((lower < low) & (low < model.coef_) & (model.coef_ < high) & (high < higher)).all()
        assert np.array_equal(model.set_params(confidence=0.999).interval(), (lower, higher))
        anytime = model.interval(anytime=True)
        assert ((anytime[0] < lower) & (higher < anytime[1])).all()
        for end, wider in zip(model.intercept_interval(0.5), model.intercept_interval(0.9), strict=True):
            assert (np.abs(end - model.intercept_) < np.abs(wider - model.intercept_)).all()

    def test_the_certificate_bounds_what_one_more_row_can_do(self, model: Any) -> None:
        y = target(model)
        model.fit(X, y)
        bound, before = model.certificate(), model.coef_
        for wild in (-1e9, 0.0, 1e9):
            moved = copy.deepcopy(model).partial_fit([[wild, 3.0, -wild]], y[:1]).coef_ - before
            assert (np.abs(moved) <= bound * (1.0 + 1e-9) + 1e-12).all()

    def test_probabilities(self, logistic: Any) -> None:
        for y in (YES, WORD):
            chances = logistic.fit(X, y).predict_proba(X)
            assert np.allclose(chances.sum(axis=1), 1.0)
            assert (logistic.classes_[chances.argmax(axis=1)] == logistic.predict(X)).all()
            assert np.allclose(np.exp(logistic.predict_log_proba(X)), chances)
        logistic.fit(X, YES)
        odds = logistic.decision_function(X)
        assert np.allclose(odds, X @ logistic.coef_[0] + logistic.intercept_[0])
        assert ((odds > 0.0) == (logistic.predict(X) == "yes")).all()

    def test_the_estimate_names_features_target_and_labels(self, frame: Any) -> None:
        pandas = pytest.importorskip("pandas")
        said = LinearRegression(confidence=0.9).fit(frame, pandas.Series(Y, name="price")).estimate()
        assert [term.name for term in said.terms] == [*NAMES, "intercept"]
        assert (said.target, said.confidence) == ("price", 0.9)
        told = LogisticRegression().fit(frame, pandas.Series(YES, name="bought")).estimate()
        assert (told.target, told.labels, told.title(0)) == ("bought", ["no", "yes"], "yes against no")

    def test_the_estimate_is_made_once_and_follows_the_rows(self, model: Any, monkeypatch: pytest.MonkeyPatch) -> None:
        y = target(model)
        model.partial_fit(X[:300], y[:300])
        before = model.coef_
        calls: list[int] = []
        read = type(model)._read
        monkeypatch.setattr(type(model), "_read", lambda self: calls.append(1) or read(self))
        model.coef_, model.interval(), model.predict(X)
        assert calls == []
        model.partial_fit(X[300:], y[300:])
        assert not np.array_equal(model.coef_, before)
        assert calls == [1]


class TestLabels:
    @pytest.mark.parametrize(
        "labels",
        [
            ["no", "yes"],
            [0, 1],
            [-5, 7],
            [False, True],
            [1.0, 2.0],
            np.array(["no", "yes"], dtype=object),
            [("a", 1), ("b", 2)],
            np.array([1, 2], dtype=np.uint8),
            np.array([b"no", b"yes"]),
        ],
        ids=str,
    )
    def test_of_any_kind(self, labels: Any) -> None:
        kinds = np.empty(2, dtype=object)
        kinds[:] = list(labels) if not isinstance(labels, np.ndarray) else labels.tolist()
        y = kinds[(YES == "yes").astype(int)]
        if isinstance(labels, np.ndarray) and labels.dtype != object:
            y = y.astype(labels.dtype)
        model, plain = LogisticRegression().fit(X, y), LogisticRegression().fit(X, YES)
        assert model.classes_.tolist() == kinds.tolist()
        assert np.array_equal(model.coef_, plain.coef_)
        assert model.predict(X[:9]).tolist() == [kinds[int(word == "yes")] for word in plain.predict(X[:9])]
        parts = LogisticRegression().partial_fit(X[:5], y[:5]).partial_fit(X[5:], y[5:])
        assert parts.state_.same_bits(model.state_)

    def test_of_pandas(self, frame: Any) -> None:
        pandas = pytest.importorskip("pandas")
        plain = LogisticRegression().fit(X, YES)
        for kind in ("category", "string", "object"):
            assert LogisticRegression().fit(frame, pandas.Series(YES, dtype=kind)).state_.same_bits(plain.state_)
        codes = pandas.Series((YES == "yes").astype(int), dtype="Int64")
        codes[3] = pandas.NA
        model = LogisticRegression().fit(frame, codes)
        assert (model.n_samples_seen_, model.n_samples_refused_, model.classes_.tolist()) == (599, 1, [0, 1])

    def test_given_at_first_they_may_come_late(self, logistic: Any) -> None:
        order = np.argsort(WORD, kind="stable")
        rows, labels = X[order], WORD[order]
        for begin in range(0, 600, 50):
            logistic.partial_fit(rows[begin : begin + 50], labels[begin : begin + 50], classes=["top", "middle", "low"])
        assert logistic.classes_.tolist() == ["low", "middle", "top"]
        assert logistic.state_.same_bits(clone(logistic).fit(rows, labels).state_)

    @pytest.mark.parametrize("first", ["no", "yes"])
    @pytest.mark.parametrize("settings", [{}, {"solver": "sgd"}, {"fit_intercept": False}], ids=str)
    def test_the_second_of_two_may_come_late(self, settings: dict[str, Any], first: str) -> None:
        order = np.argsort(first != YES, kind="stable")
        rows, labels = X[order], YES[order]
        whole, model = LogisticRegression(**settings).fit(rows, labels), LogisticRegression(**settings)
        for begin in range(0, 600, 7):
            model.partial_fit(rows[begin : begin + 7], labels[begin : begin + 7])
        assert model.classes_.tolist() == ["no", "yes"]
        assert model.state_.same_bits(whole.state_)
        assert model.rule_ == whole.rule_

    def test_one_that_is_alone_is_what_is_predicted(self, logistic: Any) -> None:
        for settings, chances in (({}, 1), ({"classes": ["no", "yes"]}, 2)):
            model = clone(logistic).partial_fit(X[:50], ["yes"] * 50, **settings)
            assert (model.predict(X) == "yes").all()
            assert model.predict_proba(X).shape == (600, chances)
            assert (model.predict_proba(X)[:, -1] > 0.98).all()
            assert not model.coef_.any()
            assert "only the label yes has been seen so far" in model.estimate().warnings[0]
        with pytest.warns(UserWarning, match="only the label yes has been seen"):
            logistic.fit(X[:50], ["yes"] * 50)

    def test_without_an_intercept_too(self) -> None:
        model = LogisticRegression(fit_intercept=False).partial_fit(X, ["yes"] * 600, classes=["no", "yes", "other"])
        assert (model.predict(X) == "yes").all()

    def test_a_late_one_is_refused_and_nothing_is_lost(self, logistic: Any) -> None:
        logistic.fit(X, YES)
        before = logistic.state_.copy()
        with pytest.raises(DataError, match=r"the label 'maybe' came late.*'no', 'yes' only.*classes=\[\.\.\.\]"):
            logistic.partial_fit(X[:2], ["yes", "maybe"])
        with pytest.raises(DataError, match="the label 3 came late"):
            logistic.partial_fit(X[:1], [3])
        with pytest.raises(RuleError, match="cannot become 'maybe', 'no', 'yes'"):
            logistic.partial_fit(X, YES, classes=["no", "yes", "maybe"])
        assert logistic.state_.same_bits(before)
        alone = clone(logistic).partial_fit(X[:5], ["yes"] * 5)
        with pytest.raises(DataError, match="the labels 'maybe', 'no' came late"):
            alone.partial_fit(X[:2], ["no", "maybe"])
        assert logistic.partial_fit(X, YES, classes=["yes", "no"]).n_samples_seen_ == 1200
        named = clone(logistic).partial_fit(X[:1], [None]).partial_fit(X[:5], ["yes"] * 5, classes=["no", "yes"])
        assert named.classes_.tolist() == ["no", "yes"]

    def test_rows_without_any_are_counted_until_one_comes(self, logistic: Any) -> None:
        missing = np.array([None] * 3)
        logistic.partial_fit(X[:3], missing)
        assert (logistic.n_samples_seen_, logistic.n_samples_refused_) == (0, 3)
        with pytest.raises(NotFittedError, match="no row could be used so far, 3 were refused"):
            logistic.predict(X)
        logistic.partial_fit(X[3:], WORD[3:])
        assert logistic.state_.same_bits(clone(logistic).fit(X, [*missing, *WORD[3:]]).state_)


class TestColumns:
    def test_are_matched_by_name(self, model: Any, frame: Any) -> None:
        y = target(model)
        model.fit(frame, y)
        turned = frame.assign(more="text")[["more", "c", "a", "b"]]
        assert np.array_equal(model.predict(turned), model.predict(frame))
        assert clone(model).fit(frame, y).partial_fit(turned, y).state_.same_bits(model.partial_fit(frame, y).state_)

    def test_that_are_missing_are_named(self, model: Any, frame: Any) -> None:
        model.fit(frame, target(model))
        with pytest.raises(DataError, match="X lacks 'b', 'c', which this model was fitted on; it has 'a', 'z'"):
            model.predict(frame[["a"]].assign(z=1.0))

    def test_of_text_are_named(self, model: Any, frame: Any) -> None:
        with pytest.raises(DataError, match=r"'b', 'c': text, not numbers; .* OneHotEncoder"):
            model.fit(frame.assign(b="oslo", c="x"), target(model))
        truths = frame.assign(b=frame.b > 5.5)
        model.fit(truths, target(model))
        assert np.isfinite(model.coef_).all()
        with pytest.raises(DataError, match="'a': text"):
            model.predict(truths.assign(a="1 m"))

    def test_of_times_are_named(self, model: Any, frame: Any) -> None:
        times = frame.assign(b=np.datetime64("2024-01-01"), c=np.timedelta64(1, "s"))
        with pytest.raises(DataError, match=r"'b', 'c': times, not numbers; .* days since the first"):
            model.fit(times, target(model))

    def test_of_one_name_are_refused(self, model: Any, frame: Any) -> None:
        with pytest.raises(DataError, match="X: column 'a' occurs more than once; give each column its own name"):
            model.fit(frame.set_axis(["a", "a", "b"], axis=1), target(model))

    @pytest.mark.filterwarnings("ignore:X does not have valid feature names")
    def test_without_names_must_be_as_many(self, model: Any, frame: Any) -> None:
        model.fit(frame, target(model))
        with pytest.raises(ValueError, match="2 features"):
            model.predict(X[:, :2])
        found = model.predict(X), model.predict(frame)
        assert np.allclose(*found) if isinstance(model, LinearRegression) else (found[0] == found[1]).all()

    def test_polars(self, model: Any) -> None:
        polars = pytest.importorskip("polars")
        model.fit(polars.DataFrame(X, schema=NAMES), target(model))
        assert model.feature_names_in_.tolist() == NAMES
        assert model.predict(polars.DataFrame(X[:2], schema=NAMES)[["c", "a", "b"]]).shape == (2,)

    def test_of_text_become_what_they_were_in_the_saved_run(self, frame: Any, tmp_path: Path) -> None:
        rule, names = Gram(), ["a", "city=oslo", "city=(other)"]
        city = np.array(["bergen", "oslo", "rome", "bergen"])[np.arange(600) % 4]
        indicators = np.column_stack([X[:, 0], city == "oslo", city == "rome"]).astype(float)
        state = rule.step(rule.init(3), indicators, Y)
        settings = {"target": "price", "one_hot": {"city": ["bergen", "oslo"]}}
        save(tmp_path / "run.tps", Saved(rule, state, names, settings=settings))
        model = tailproof.load(tmp_path / "run.tps")
        assert model.feature_names_in_.tolist() == names
        expected = model.predict(type(frame)(indicators, columns=names))
        assert np.array_equal(model.predict(frame.assign(city=city)), expected)
        model.save(tmp_path / "again.tps")
        again = tailproof.load(tmp_path / "again.tps")
        assert np.array_equal(again.predict(frame.assign(city=city)[["city", "a"]]), expected)
        assert again.partial_fit(frame.assign(city=city), Y).n_samples_seen_ == 1200
        with pytest.raises(DataError, match="X lacks 'city'"):
            model.predict(frame)


class TestPredictingWithHoles:
    def test_a_number_is_missing(self, linear: Any) -> None:
        holed = X[:3].copy()
        holed[1, 2] = np.nan
        found = linear.fit(X, Y).predict(holed)
        assert np.isnan(found).tolist() == [False, True, False]
        with pytest.raises(ValueError, match="infinity"):
            linear.predict([[1.0, np.inf, 2.0]])

    @pytest.mark.parametrize(("labels", "hole"), [(["no", "yes"], None), ([0, 1], "nan"), ([False, True], None)])
    def test_a_label_is_missing(self, labels: list[Any], hole: Any) -> None:
        holed = X[:3].copy()
        holed[1, 2] = np.nan
        y = np.array(labels)[(YES == "yes").astype(int)]
        model = LogisticRegression().fit(X, y)
        found = model.predict(holed)
        assert found[[0, 2]].tolist() == model.predict(X)[[0, 2]].tolist()
        assert np.isnan(found[1]) if hole == "nan" else found[1] is None
        assert np.isnan(model.predict_proba(holed)).all(axis=1).tolist() == [False, True, False]


class TestMerging:
    def test_is_nearly_one_pass(self, model: Any) -> None:
        y = target(model)
        merged = clone(model).fit(X[:200], y[:200]).merge(clone(model).fit(X[200:], y[200:]))
        whole = model.fit(X, y)
        assert merged.n_samples_seen_ == 600
        low, high = whole.interval()
        slack = 0.1 if model.solver == "auto" else 3.0
        assert (np.abs(merged.coef_ - whole.coef_) < slack * (high - low)).all()

    def test_leaves_the_other_as_it_was(self, model: Any) -> None:
        y = target(model)
        other = clone(model).fit(X[300:], y[300:])
        before, told = other.state_.copy(), other.coef_
        small = clone(model).fit(X[:20], y[:20])
        small.merge(other)
        model.fit(X[:300], y[:300]).merge(other)
        assert other.state_.same_bits(before)
        assert np.array_equal(other.coef_, told)

    def test_labels_that_are_alone_come_together(self, logistic: Any) -> None:
        a, b = (clone(logistic).partial_fit(X[word == YES], YES[word == YES]) for word in ("yes", "no"))
        both = clone(logistic).fit(X, YES)
        for first, second in ((a, b), (copy.deepcopy(a), both), (copy.deepcopy(both), b), (a, a)):
            rows = first.n_samples_seen_ + second.n_samples_seen_
            merged = copy.deepcopy(first).merge(second)
            assert merged.n_samples_seen_ == rows == merged.state_.tally.sum()
        assert copy.deepcopy(a).merge(b).classes_.tolist() == ["no", "yes"]
        assert a.merge(copy.deepcopy(a)).classes_.tolist() == ["yes"]

    def test_refuses_what_does_not_fit(self, frame: Any) -> None:
        with pytest.raises(RuleError, match="different rules"):
            LinearRegression().fit(X, Y).merge(LinearRegression(outliers="keep").fit(X, Y))
        with pytest.raises(RuleError, match="different rules"):
            LinearRegression().fit(X, Y).merge(Mean().fit(X))
        with pytest.raises(RuleError, match="different columns"):
            LinearRegression().fit(X, Y).merge(LinearRegression().fit(X[:, :2], Y))
        with pytest.raises(RuleError, match="different columns"):
            LinearRegression().fit(frame, Y).merge(LinearRegression().fit(frame[["b", "a", "c"]], Y))
        with pytest.raises(RuleError, match=r"different classes: 'no', 'yes' and 'low', 'middle', 'top'; name all"):
            LogisticRegression().fit(X, YES).merge(LogisticRegression().fit(X, WORD))
        with pytest.raises(RuleError, match="different"):
            LogisticRegression().fit(X, YES).merge(LinearRegression().fit(X, Y))


class TestSavingAndLoading:
    def test_gives_the_same_model(self, model: Any, tmp_path: Path, frame: Any) -> None:
        y = target(model)
        model.set_params(confidence=0.9, radius=30.0, outliers="keep").fit(frame, y)
        model.save(tmp_path / "model.tps")
        found = tailproof.load(tmp_path / "model.tps")
        assert type(found) is type(model)
        expected = model.get_params()
        if model.solver == "sgd":
            expected["outliers"] = "auto"
        assert found.get_params() == expected
        assert found.feature_names_in_.tolist() == NAMES
        assert np.array_equal(found.predict(frame), model.predict(frame))
        assert np.array_equal(found.interval(), model.interval())
        assert found.partial_fit(frame, y).state_.same_bits(model.partial_fit(frame, y).state_)

    @pytest.mark.parametrize("y", [YES, WORD, YES == "yes", (YES == "yes") + 3, (YES == "yes") * 1.0], ids=str)
    def test_labels(self, y: Any, tmp_path: Path) -> None:
        model = LogisticRegression().fit(X, y)
        model.save(tmp_path / "model.tps")
        found = tailproof.load(tmp_path / "model.tps")
        assert found.classes_.dtype == model.classes_.dtype
        assert found.classes_.tolist() == model.classes_.tolist()

    def test_labels_that_no_file_can_hold(self, tmp_path: Path) -> None:
        model = LogisticRegression().fit(X, [("a", str(word)) for word in YES] and np.array(YES, dtype="S"))
        with pytest.raises(RuleError, match="labels that are bytes cannot be written to a file"):
            model.save(tmp_path / "model.tps")
        assert not (tmp_path / "model.tps").exists()

    @pytest.mark.parametrize("word", ["no", "yes"])
    def test_a_label_that_is_alone(self, word: str, tmp_path: Path) -> None:
        rows, others = X[word == YES], X[word != YES]
        model = LogisticRegression().partial_fit(rows, [word] * len(rows))
        model.save(tmp_path / "model.tps")
        found = tailproof.load(tmp_path / "model.tps")
        late = YES[word != YES]
        assert found.partial_fit(others, late).state_.same_bits(model.partial_fit(others, late).state_)

    @pytest.mark.filterwarnings("ignore:X does not have valid feature names")
    def test_what_a_run_knows_of_two_labels_of_which_one_came(self, tmp_path: Path) -> None:
        rule = OneVsRest()
        state = rule.step(rule.init(3), X[:50], np.zeros(50))
        save(tmp_path / "run.tps", Saved(rule, state, NAMES, settings={"target": "y", "labels": ["yes"]}))
        found = tailproof.load(tmp_path / "run.tps")
        assert (found.predict(X[:5]) == "yes").all()
        assert found.target_name_ == "y"
        found.partial_fit(X, YES)
        assert found.classes_.tolist() == ["yes", "no"]
        assert found.score(X, YES) > 0.6

    def test_before_any_label_came(self, tmp_path: Path) -> None:
        model = LogisticRegression().partial_fit(X[:3], [None] * 3)
        model.save(tmp_path / "model.tps")
        found = tailproof.load(tmp_path / "model.tps")
        assert found.partial_fit(X, WORD).state_.same_bits(model.partial_fit(X, WORD).state_)

    def test_a_state_whose_labels_nobody_named(self, tmp_path: Path) -> None:
        rule = OneVsRest(classes=3)
        save(tmp_path / "run.tps", Saved(rule, rule.step(rule.init(3), X, np.arange(600) % 3)))
        assert tailproof.load(tmp_path / "run.tps").classes_.tolist() == [0, 1, 2]

    @pytest.mark.parametrize("labels", [[1, "a"], [True, 2, "b"]], ids=str)
    def test_labels_of_several_kinds(self, labels: list[Any], tmp_path: Path) -> None:
        rule = OneVsRest(classes=max(2, len(labels)))
        state = rule.step(rule.init(3), X, np.arange(600) % len(labels))
        save(tmp_path / "run.tps", Saved(rule, state, None, settings={"labels": labels}))
        assert [type(label) for label in tailproof.load(tmp_path / "run.tps").classes_] == [
            type(label) for label in labels
        ]

    def test_pickling_and_copying_too(self, model: Any, tmp_path: Path) -> None:
        y = target(model)
        model.fit(X, y)
        joblib.dump(model, tmp_path / "model.joblib")
        for found in (
            pickle.loads(pickle.dumps(model)),
            copy.deepcopy(model),
            joblib.load(tmp_path / "model.joblib"),
        ):
            assert np.array_equal(found.coef_, model.coef_)
            assert found.partial_fit(X, y).state_.same_bits(pickle.loads(pickle.dumps(model)).partial_fit(X, y).state_)

    @pytest.mark.parametrize("rule", [ClippedSGD(), Gram(loss=Logistic())], ids=repr)
    def test_what_is_no_model(self, rule: Any, tmp_path: Path) -> None:
        state: State = rule.init(2)
        save(tmp_path / "no.tps", Saved(rule, state))
        with pytest.raises(CheckpointError, match=r"which is no model; read it with tailproof.checkpoint.load"):
            tailproof.load(tmp_path / "no.tps")


class TestRefusing:
    @pytest.mark.parametrize(
        "ask", ["estimate", "interval", "certificate", "coef_", "intercept_", "n_samples_seen_", "solver_"]
    )
    def test_questions_before_fitting(self, model: Any, ask: str) -> None:
        with pytest.raises(NotFittedError):
            getattr(model, ask)()
        with pytest.raises(NotFittedError):
            model.predict(X)

    @pytest.mark.parametrize(
        ("settings", "sentence"),
        [
            ({"solver": "newton"}, 'solver must be "auto", "gram" or "sgd", not \'newton\''),
            ({"outliers": "drop"}, 'outliers must be "auto" or "keep", not \'drop\''),
            ({"radius": -1.0}, "Ball needs a radius above 0, not -1.0"),
        ],
        ids=str,
    )
    def test_settings(self, model: Any, settings: dict[str, Any], sentence: str) -> None:
        with pytest.raises(RuleError, match=sentence):
            clone(model).set_params(**settings).fit(X, target(model))

    @pytest.mark.parametrize("confidence", [0.0, 1.0, 95])
    def test_a_confidence_lies_between_0_and_1(self, model: Any, confidence: float) -> None:
        with pytest.raises(RuleError, match="a confidence lies between 0 and 1"):
            model.fit(X, target(model)).interval(confidence)

    def test_targets_that_are_not_there(self, model: Any) -> None:
        with pytest.raises(ValueError, match="requires y to be passed, but the target y is None"):
            model.fit(X, None)
        with pytest.raises(ValueError, match="inconsistent numbers of samples"):
            model.fit(X, target(model)[:5])
        for nothing in (np.nan, None):
            with pytest.raises(DataError, match="no row can be used: each of the 600 holds NaN or inf"):
                model.fit(X, [nothing] * 600)
        with pytest.raises(DataError, match="no row can be used"):
            model.fit(X * np.nan, target(model))

    def test_targets_of_the_wrong_kind(self) -> None:
        with pytest.raises(DataError, match=r"could not convert string to float: .*for labels use LogisticRegression"):
            LinearRegression().fit(X, YES)
        with pytest.raises(DataError, match=r"Unknown label type: continuous.*use LinearRegression"):
            LogisticRegression().fit(X, Y)
        with pytest.raises(DataError, match="Unknown label type: continuous"):
            LogisticRegression().partial_fit(X[:2], [1.0, 1.0]).partial_fit(X[:1], [1.5])
        assert LogisticRegression().partial_fit(X[:2], [1.0, 1.5], classes=[1.0, 1.5]).n_samples_seen_ == 2
        with pytest.raises(DataError, match=r"labels of several kinds \(int, str\)"):
            LogisticRegression().fit(X, np.array(["a", 1] * 300, dtype=object))
        with pytest.raises(RuleError, match="there must be 2 to 1,000 classes, not 1,001"):
            LogisticRegression().partial_fit(X, YES, classes=np.arange(1001))
        with pytest.raises(RuleError, match="classes must name at least two labels, not 'yes'"):
            LogisticRegression().partial_fit(X, YES, classes=["yes"])

    def test_a_first_call_that_fails_leaves_nothing_behind(self, model: Any) -> None:
        with pytest.raises(ValueError, match="inconsistent"):
            model.partial_fit(X[:, :2], target(model)[:5])
        assert model.partial_fit(X, target(model)).n_features_in_ == 3
