"""Differences of means: groups in one stream, intervals for any time, merging, saving."""

import pickle

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.base import clone

import tailproof
from tailproof.errors import DataError, RuleError
from tailproof.experiment import GroupedMeans, MeanDifference
from tailproof.intervals import FEWEST_ANY_TIME, difference


def visits(rows=4000, groups="ab", lift=1.0, seed=1):
    random = np.random.default_rng(seed)
    labels = np.array(list(groups))[random.integers(len(groups), size=rows)]
    metrics = np.exp(random.standard_normal((rows, 2)))
    metrics[labels == groups[-1]] *= lift
    return metrics, labels


class TestAnswers:
    def test_a_difference_is_that_of_the_groups_own_means(self):
        metrics, labels = visits(lift=1.5)
        test = MeanDifference().partial_fit(metrics, labels)
        means = [tailproof.Mean().partial_fit(metrics[labels == label]).mean_ for label in "ab"]
        np.testing.assert_array_equal(test.mean_, means)
        np.testing.assert_array_equal(test.difference_, means[1] - means[0])
        assert test.groups_.tolist() == ["a", "b"]
        assert test.n_samples_seen_ == 4000

    def test_a_clear_difference_is_shown_and_none_is_not(self):
        said = MeanDifference().partial_fit(*visits(lift=1.5)).estimate()
        assert [one.verdict for one in said.comparisons] == ["group b is higher than group a"] * 2
        assert all(one.lift == one.difference / one.baseline_mean > 0.3 for one in said.comparisons)
        said = MeanDifference(baseline="b").partial_fit(*visits(lift=1.5)).estimate()
        assert said.comparisons[0].verdict == "group a is lower than group b"
        said = MeanDifference().partial_fit(*visits()).estimate()
        assert said.comparisons[0].verdict == "no difference shown yet"
        assert said.replace(anytime=False).comparisons[0].verdict == "no difference shown"

    def test_one_look_is_narrower_and_more_confidence_wider(self):
        test = MeanDifference().partial_fit(*visits())
        (low, high), (near, far) = test.interval(), test.interval(anytime=False)
        assert (low < near).all()
        assert (far < high).all()
        assert (test.interval(0.99)[1] > high).all()
        with pytest.raises(RuleError, match="confidence"):
            test.interval(1.5)

    @pytest.mark.parametrize("rows", [0, 1, FEWEST_ANY_TIME - 1])
    def test_too_few_rows_show_nothing(self, rows):
        labels = ["a"] * 500 + ["b"] * rows
        values = np.r_[np.zeros(500), np.full(rows, 1e6)] + np.random.default_rng(0).random(500 + rows)
        said = MeanDifference().partial_fit(values, labels).estimate()
        (one,) = said.comparisons
        assert (one.low, one.high) == (-np.inf, np.inf)
        told = {0: "one group only: no other has been seen yet"}
        assert one.verdict == told.get(rows, f"too few rows: group b has {rows}, and each group needs 100")
        assert said.to_dict()["comparisons"][0]["low"] is None

    def test_gross_rows_are_set_aside_and_still_reached_out_to(self):
        metrics, labels = visits()
        metrics[np.flatnonzero(labels == "b")[:12], 0] = 1e6
        test = MeanDifference().partial_fit(metrics, labels)
        one, other = test.estimate().comparisons
        assert abs(one.difference) < 0.2
        assert one.plain_difference > 1000.0
        assert one.low < 0.0 < one.plain_difference < one.high
        assert (one.set_aside, one.baseline_set_aside) == (12, 0)
        assert one.verdict == "no difference shown yet; rows set aside as gross: 12 of group b"
        assert other.set_aside == 0
        assert test.interval(contaminated=True)[1][0] < 1.0

    def test_what_is_taken_from_both_groups_alike_cancels(self):
        random = np.random.default_rng(3)
        spread = (
            GroupedMeans().of.read(GroupedMeans().of.step(GroupedMeans().of.init(1), random.random((500, 1)))).spread
        )
        shifted = spread._replace(removed=spread.removed + 7.0)
        here, there = (
            difference(spread, 500, spread, 500, 0.95, True),
            difference(shifted, 500, shifted, 500, 0.95, True),
        )
        np.testing.assert_array_equal(here, there)
        assert difference(spread, 500, shifted, 500, 0.95, True)[1] > here[1] + 6.9

    def test_a_baseline_that_may_be_nothing_has_no_lift(self):
        random = np.random.default_rng(4)
        said = MeanDifference().partial_fit(random.standard_normal(2000), np.arange(2000) % 2).estimate()
        assert said.comparisons[0].lift is None


class TestGroups:
    @pytest.mark.parametrize(
        "labels", [["b", "a"] * 300, [2, 1] * 300, [True, False] * 300, pd.Series(["y", "x"] * 300, name="arm")]
    )
    def test_labels_of_any_kind(self, labels):
        test = MeanDifference().partial_fit(np.arange(600.0), labels)
        assert test.groups_.tolist() == sorted(set(labels))
        assert test.difference_[0] == -1.0
        assert test.estimate().target == getattr(labels, "name", None)

    def test_missing_labels_are_refused_and_counted(self):
        labels = np.array(["a", None, "b", np.nan] * 200, dtype=object)
        test = MeanDifference().partial_fit(np.ones(800), labels)
        assert (test.n_samples_seen_, test.n_samples_refused_) == (400, 400)
        metrics = np.ones(800)
        metrics[::8] = np.nan
        assert MeanDifference().partial_fit(metrics, labels).n_samples_refused_ == 500

    def test_more_than_two_need_a_baseline(self):
        metrics, labels = visits(groups="abc", lift=2.0)
        test = MeanDifference().partial_fit(metrics, labels)
        with pytest.raises(RuleError, match="there are 3 groups, 'a', 'b', 'c': name the one"):
            test.interval()
        test.baseline = "b"
        assert test.difference_.shape == (2, 2)
        assert [(one.group, one.baseline) for one in test.estimate().comparisons[:2]] == [("a", "b"), ("c", "b")]
        assert (test.interval()[0][1] > 0.0).all()
        test.baseline = "d"
        with pytest.raises(RuleError, match="'d' is none of the groups, which are 'a', 'b', 'c'"):
            test.estimate().comparisons  # noqa: B018

    def test_a_wrong_column_makes_no_million_groups(self):
        test = MeanDifference().partial_fit([1.0, 2.0], ["a", "b"])
        with pytest.raises(DataError, match="more than 100 groups"):
            test.partial_fit(np.ones(500), np.arange(500).astype(str))
        assert (test.groups_.tolist(), test.n_samples_seen_) == (["a", "b"], 2)

    def test_groups_may_come_at_any_time_and_in_any_pieces(self):
        metrics, labels = visits(groups="dbca")
        whole = MeanDifference(baseline="a").partial_fit(metrics, labels)
        order = np.argsort(labels == "a", kind="stable")
        pieces = MeanDifference(baseline="a")
        for rows in np.array_split(np.arange(4000), 301):
            pieces.partial_fit(metrics[rows], labels[rows])
        assert pieces.state_.same_bits(whole.state_)
        late = MeanDifference(baseline="a")
        for rows in np.array_split(order, 7):
            late.partial_fit(metrics[rows], labels[rows])
        assert late.groups_.tolist() == ["a", "b", "c", "d"]
        np.testing.assert_array_equal(late.mean_, whole.mean_)


class TestTogetherAndApart:
    def test_parts_merge_to_the_whole_whatever_groups_they_saw(self):
        metrics, labels = visits(groups="abc")
        order = np.argsort(labels, kind="stable")
        parts = [MeanDifference(baseline="a").partial_fit(metrics[k], labels[k]) for k in np.array_split(order, 3)]
        whole = MeanDifference(baseline="a").partial_fit(metrics, labels)
        merged = parts[2].merge(parts[0]).merge(parts[1])
        assert merged.n_samples_seen_ == 4000
        np.testing.assert_allclose(merged.interval(), whole.interval(), rtol=1e-9)
        with pytest.raises(RuleError, match="different rules"):
            whole.merge(MeanDifference(extremes=16).partial_fit(metrics, labels))

    def test_saved_and_loaded(self, tmp_path):
        metrics, labels = visits(groups="abc")
        frame = pd.DataFrame(metrics, columns=["revenue", "visits"])
        test = MeanDifference(baseline="c", extremes=16).partial_fit(frame, pd.Series(labels, name="arm"))
        test.save(tmp_path / "test.tps")
        again = tailproof.load(tmp_path / "test.tps")
        assert repr(again.estimate()) == repr(test.estimate())
        assert again.get_params() == test.get_params()
        more = test.partial_fit(frame, pd.Series(labels)).state_
        assert again.partial_fit(frame, labels).state_.same_bits(more)
        assert pickle.loads(pickle.dumps(test)).state_.same_bits(more)
        assert not hasattr(clone(test), "state_")

    @pytest.mark.parametrize("kind", [pd.DataFrame, pl.DataFrame])
    def test_frames_give_names(self, kind):
        frame = kind({"revenue": np.arange(400.0), "visits": np.ones(400), "arm": ["a", "b"] * 200})
        test = MeanDifference().partial_fit(frame[["revenue", "visits"]], frame["arm"])
        assert [one.metric for one in test.estimate().comparisons] == ["revenue", "visits"]
        assert MeanDifference().partial_fit(frame["revenue"], frame["arm"]).difference_ == [1.0]
        named = MeanDifference().partial_fit(frame, "arm")
        assert named.state_.same_bits(test.state_)
        assert repr(named.estimate()) == repr(test.estimate())


def test_peeking_keeps_the_error_rate():
    """At the nominal 5 % a test of 400 streams has at most 30 false alarms; Welch's t has over 100."""
    random, rule = np.random.default_rng(11), GroupedMeans()
    state, alarms, naive = rule.init(400), np.zeros(400, bool), np.zeros(400, bool)
    seen = [np.empty((0, 400)), np.empty((0, 400))]
    for _ in range(20):
        for group in (0, 1):
            rows = np.exp(1.5 * random.standard_normal((100, 400)))
            state = rule.step(state, rows, np.full(100, float(group)))
            seen[group] = np.concatenate([seen[group], rows])
        low, high = rule.read(state).interval()
        alarms |= (low > 0.0) | (high < 0.0)
        apart = seen[1].mean(axis=0) - seen[0].mean(axis=0)
        naive |= np.abs(apart) > 1.96 * np.sqrt(sum(rows.var(axis=0) / len(rows) for rows in seen))
    assert alarms.sum() <= 30
    assert naive.sum() >= 80
