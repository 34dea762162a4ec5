"""The River models: River's own checks, features that come and go, and what never enters."""

import copy
import pickle
import subprocess
import sys

import numpy as np
import pandas as pd
import polars as pl
import pytest

river = pytest.importorskip("river")

from river import (  # noqa: E402
    checks,
    compose,
    datasets,
    evaluate,
    feature_extraction,
    linear_model,
    metrics,
    multiclass,
    preprocessing,
)

from tailproof.errors import DataError, RuleError  # noqa: E402
from tailproof.river import LinearRegression, LogisticRegression, Mean  # noqa: E402
from tailproof.tuned import TunedSGD  # noqa: E402

MODELS = [LinearRegression, LogisticRegression]
OWN = {LinearRegression: linear_model.LinearRegression, LogisticRegression: linear_model.LogisticRegression}


def rows(count=400, columns=4, seed=1):
    random = np.random.default_rng(seed)
    X = random.standard_t(3.0, (count, columns)) + 3.0
    y = X @ np.arange(1.0, columns + 1.0) - 5.0 + random.standard_t(2.1, count)
    return [{f"f{j}": float(value) for j, value in enumerate(row)} for row in X], y


def targets(model, y):
    return (y > np.median(y)).tolist() if model is LogisticRegression else y.tolist()


def taught(model, data, y):
    made = model()
    for x, target in zip(data, y, strict=True):
        made.learn_one(x, target)
    return made


def same(a, b):
    a._settle(), b._settle()
    return a._state.same_bits(b._state) and a._names.known == b._names.known


class TestChecks:
    @pytest.mark.parametrize("model", MODELS)
    def test_all_of_rivers_checks_pass(self, model):
        done = set()
        for check in checks.yield_checks(model()):
            check(model())
            done.add(check.__name__)
        own = OWN[model]()
        passed = {check.__name__ for check in checks.yield_checks(own)}
        # A model without settings that may be changed on the way has none to check.
        assert passed - done <= {"check_mutable_attributes_exist"}
        assert own._unit_test_skips() <= done
        assert not model()._unit_test_skips()

    def test_before_the_first_row(self):
        assert LinearRegression().predict_one({"x": 3.0}) == 0.0
        assert LogisticRegression().predict_proba_one({"x": 3.0}) == {False: 0.5, True: 0.5}
        assert LogisticRegression().predict_one({"x": 3.0}) is False
        assert LinearRegression().weights == {}
        assert (Mean().get(), Mean().estimate().rows) == (0.0, 0)

    def test_they_show_what_they_are(self):
        assert " ".join(repr(LinearRegression(radius=3.0)).split()) == (
            "LinearRegression ( fit_intercept=True radius=3. average=False )"
        )
        assert repr(Mean()) == "Mean: 0."
        data, y = rows()
        assert "Contribution" in taught(LinearRegression, data, y).debug_one(data[0])

    def test_without_river_it_says_what_is_missing(self):
        program = "import sys; sys.modules['river'] = None; import tailproof; tailproof.river"
        done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
        assert "pip install 'tailproof[river]'" in done.stderr.splitlines()[-1]


class TestLearning:
    def test_it_is_the_tuned_descent(self):
        data, y = rows()
        model, rule = taught(lambda: LinearRegression(average=True), data, y), TunedSGD(bars="none")
        X = np.array([list(x.values()) for x in data])
        said = rule.read(rule.step(rule.init(4), X, y))
        assert list(model.weights.values()) == said.coef.tolist()
        assert model.n_seen == said.rows
        assert model.intercept == said.intercept
        np.testing.assert_allclose(said.coef, [1.0, 2.0, 3.0, 4.0], atol=0.2)
        assert (model.n_seen, model.n_refused) == (400, 0)

    @pytest.mark.parametrize("model", MODELS)
    def test_looking_changes_nothing(self, model):
        data, y = rows(200)
        y = targets(model, y)
        looked = model()
        for x, target in zip(data, y, strict=True):
            looked.predict_one(x)
            looked.learn_one(x, target)
        assert same(looked, taught(model, data, y))

    @pytest.mark.parametrize("model", MODELS)
    @pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame])
    def test_many_rows_are_learnt_as_one_by_one(self, model, frame):
        data, y = rows(300)
        y, series = targets(model, y), pd.Series if frame is pd.DataFrame else pl.Series
        many, one = model(), model()
        for names, begin, end in ((["f0", "f1"], 0, 5), (["f0", "f2"], 5, 90), (["f3", "f1", "f0"], 90, 300)):
            some = [{name: x[name] for name in names} for x in data[begin:end]]
            many.learn_many(frame(some), series(y[begin:end]))
            for x, target in zip(some, y[begin:end], strict=True):
                one.learn_one(x, target)
        assert same(many, one)
        found = many.predict_many(frame(data))
        assert isinstance(found, series)
        assert found.to_list() == pytest.approx([one.predict_one(x) for x in data])

    @pytest.mark.parametrize("model", MODELS)
    def test_pickled_copied_and_gone_on_with(self, model):
        data, y = rows(200)
        y = targets(model, y)
        whole, half = taught(model, data, y), taught(model, data[:77], y[:77])
        for again in (pickle.loads(pickle.dumps(half)), copy.deepcopy(half), half.clone(include_attributes=True)):
            for x, target in zip(data[77:], y[77:], strict=True):
                again.learn_one(x, target)
            assert same(again, whole)
        assert half.n_seen == 77
        assert half.clone().n_seen == 0
        with pytest.raises(RuleError, match="leave one of both out"):
            half.clone({"radius": 1.0}, include_attributes=True)

    def test_the_order_of_names_in_a_row_does_not_matter(self):
        data, y = rows(200)
        turned = [data[0], *(dict(reversed(x.items())) for x in data[1:])]
        assert same(taught(LinearRegression, turned, y), taught(LinearRegression, data, y))

    def test_a_feature_that_comes_late_is_learnt(self):
        data, y = rows(3000)
        random = np.random.default_rng(2)
        late = [x | ({"late": float(random.standard_normal())} if k >= 2000 else {}) for k, x in enumerate(data)]
        y = [target + 10.0 * x.get("late", 0.0) for x, target in zip(late, y, strict=True)]
        model = taught(LinearRegression, late, y)
        assert model.weights["late"] == pytest.approx(10.0, abs=1.0)
        assert model.weights["f0"] == pytest.approx(1.0, abs=0.5)

    def test_it_follows_where_the_stream_goes(self):
        random = np.random.default_rng(6)
        X = random.standard_normal((3000, 2))
        y = X @ [1.0, 1.0] + np.where(np.arange(3000) < 1500, 0.0, X @ [3.0, -2.0]) + 0.1 * random.standard_normal(3000)
        data = [{"a": a, "b": b} for a, b in X.tolist()]
        model, average = taught(LinearRegression, data, y), taught(lambda: LinearRegression(average=True), data, y)
        assert model.weights == pytest.approx({"a": 4.0, "b": -1.0}, abs=0.1)
        assert average.weights["a"] < 3.9

    def test_no_intercept_and_a_radius(self):
        data, y = rows()
        model = LinearRegression(fit_intercept=False, radius=2.0)
        for x, target in zip(data, y, strict=True):
            model.learn_one(x, target)
        assert model.intercept == 0.0
        assert np.linalg.norm(list(model.weights.values())) <= 2.0 * (1 + 1e-9)


class TestPipelines:
    def test_with_an_encoder_and_a_scaler(self):
        random = np.random.default_rng(3)
        cities = random.choice(["oslo", "rome", "bergen", "lima"], 1500)
        stream = [
            ({"city": str(city), "x": float(x)}, 2.0 * x + len(city))
            for city, x in zip(cities, random.random(1500), strict=True)
        ]
        encoded = compose.Select("city") | preprocessing.OneHotEncoder()
        model = (encoded + (compose.Select("x") | preprocessing.StandardScaler())) | LinearRegression()
        assert evaluate.progressive_val_score(stream, model, metrics.MAE()).get() < 0.1
        assert evaluate.progressive_val_score(stream, model.clone(), metrics.MAE()).get() < 0.1

    def test_beside_rivers_own(self):
        ours = evaluate.progressive_val_score(datasets.Phishing(), LogisticRegression(), metrics.Accuracy())
        scaled = preprocessing.StandardScaler() | linear_model.LogisticRegression()
        assert ours.get() > evaluate.progressive_val_score(datasets.Phishing(), scaled, metrics.Accuracy()).get() - 0.01

    def test_several_labels_by_rivers_own_wrapper(self):
        model = multiclass.OneVsRestClassifier(LogisticRegression())
        assert evaluate.progressive_val_score(datasets.ImageSegments(), model, metrics.Accuracy()).get() > 0.8

    def test_a_mean_for_each_group(self):
        agg = feature_extraction.Agg(on="x", by="group", how=Mean())
        for k in range(100):
            agg.learn_one({"x": float(k % 5) if k != 50 else 1e12, "group": k % 2})
        found = agg.transform_one({"group": 0, "x": 0.0})
        assert next(iter(found.values())) < 5.0


class TestWhatNeverEnters:
    @pytest.mark.parametrize("model", MODELS)
    @pytest.mark.parametrize("value", [float("nan"), float("inf"), -float("inf"), None, pd.NA, 10**400])
    def test_rows_that_cannot_be_used(self, model, value):
        data, y = rows(300)
        y = targets(model, y)
        clean, dirty = taught(model, data, y), model()
        for k, (x, target) in enumerate(zip(data, y, strict=True)):
            if k % 50 == 3:
                dirty.learn_one(x | {"f1": value}, target)
            dirty.learn_one(x, target)
        assert dirty.weights == clean.weights
        assert (dirty.n_seen, dirty.n_refused) == (300, 6)

    def test_river_itself_is_poisoned(self):
        data, y = rows(300)
        own, ours = preprocessing.StandardScaler() | linear_model.LinearRegression(), LinearRegression()
        for model in (own, ours):
            for x, target in zip([*data[:150], data[150] | {"f1": float("nan")}, *data[150:]], [0.0, *y], strict=True):
                model.learn_one(x, float(target))
        assert np.isnan(own.predict_one(data[0]))
        assert np.isfinite(ours.predict_one(data[0]))

    def test_missing_targets_and_rows_without_features(self):
        data, y = rows(50)
        model = LinearRegression()
        model.learn_one({}, 1.0)
        for x, target in zip(data, y, strict=True):
            model.learn_one(x, None)
            model.learn_one(x, target)
        assert (model.n_seen, model.n_refused) == (50, 51)
        classes = LogisticRegression()
        classes.learn_one(data[0], None)
        assert classes.n_refused == 1

    @pytest.mark.parametrize("model", MODELS)
    def test_text_is_refused_by_name_and_leaves_no_trace(self, model):
        data, y = rows(50)
        made = taught(model, data, targets(model, y))
        before = pickle.dumps(made)
        with pytest.raises(DataError, match=r"feature 'city' holds 'oslo', not a number.*OneHotEncoder"):
            made.learn_one(data[0] | {"city": "oslo"}, True)
        with pytest.raises(DataError, match="feature 'f1' holds 'oslo'"):
            made.learn_one(data[0] | {"f1": "oslo"}, True)
        with pytest.raises(DataError, match="feature 'city' holds 'oslo'"):
            made.learn_many(pd.DataFrame([data[0] | {"city": "oslo"}]), pd.Series([True]))
        assert pickle.dumps(made) == before

    def test_other_labels_are_sent_to_the_right_place(self):
        with pytest.raises(DataError, match=r"'late' is neither true nor false.*OneVsRestClassifier"):
            LogisticRegression().learn_one({"x": 1.0}, "late")

    def test_one_wild_target_does_little(self):
        data, y = rows(2000)
        wild = y.copy()
        wild[1000] = 1e12
        here, there = (taught(LinearRegression, data, some) for some in (y, wild))
        np.testing.assert_allclose(list(there.weights.values()), list(here.weights.values()), atol=0.2)


class TestMean:
    def test_it_is_the_sketch_and_refuses_what_is_none(self):
        random = np.random.default_rng(4)
        values = np.r_[random.standard_t(2.1, 1000), 1e9]
        mean, looked = Mean(), Mean()
        for value in [*values.tolist(), float("nan"), None, float("inf")]:
            mean.update(value)
            looked.update(value)
            looked.get()
        mean.estimate()
        assert mean._state.same_bits(looked._state)
        assert abs(mean.get()) < 0.3
        assert (mean.estimate().rows, mean.n_refused) == (1001, 3)
        low, high = mean.interval(0.9, anytime=True)
        assert low < mean.get() < high

    def test_cloned_pickled_and_copied(self):
        mean = Mean(extremes=16)
        mean.update_many([1.0, 2.0, 6.0])
        for again in (pickle.loads(pickle.dumps(mean)), copy.deepcopy(mean), mean.clone(include_attributes=True)):
            again.update(7.0)
            assert again.get() == 4.0
        assert mean.get() == 3.0
        assert (mean.clone().get(), mean.clone().extremes) == (0.0, 16)
