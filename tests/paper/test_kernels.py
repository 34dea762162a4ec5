"""The machine code computes what the paper's formulas say, and nothing depends on how work is cut up."""

import dataclasses

import numpy as np
import pytest

from tailproof.paper.arena import run_trials
from tailproof.paper.ours import run_ours
from tailproof.paper.settings import Law, Setting, Start
from tests.paper import plain

SEED = np.uint64(12345)

MEAN = Setting(
    rows=61,
    columns=5,
    start=Start("each", 1.0),
    levels=(0.01, 0.06, 0.11, 0.3, 2.0),
    step_sizes=(0.1, 1.0, 3.0),
    buckets=7,
)
LINEAR = Setting(
    task="linear",
    rows=60,
    columns=4,
    law=Law("pareto", 4.1),
    support=3,
    start=Start("unit", -1.0),
    gammas=(0.4, 4.0, 40.0),
    gamma=4.0,
    levels=(0.01, 0.06, 0.11, 0.3, 2.0),
    penalties=(0.001, 0.02, 0.1),
)
LOGISTIC = Setting(
    task="logistic",
    rows=60,
    columns=3,
    law=Law("pareto", 4.1),
    start=Start("truth", 0.75),
    curvature=0.1,
    gammas=(5.0, 50.0),
    gamma=50.0,
    levels=(0.25, 1.0),
    level_unit="plain",
    radius=1.0,
)
SETTINGS = {
    "mean": MEAN,
    "mean, Gaussian": dataclasses.replace(MEAN, law=Law("gaussian"), columns=17, rows=97, buckets=24),
    "linear": LINEAR,
    "linear, long rows": dataclasses.replace(LINEAR, columns=37, rows=50, noise=Law("lognormal", 1.0), literal=True),
    "logistic": LOGISTIC,
}
TRIALS = 3


def expected(setting):
    """Errors by trial and candidate, scores, and the sums of errors at each look."""
    shape = (TRIALS, len(setting.candidates))
    errors, scores, paths = np.zeros(shape), np.zeros(shape), np.zeros((len(setting.looks), shape[1]))
    for trial in range(TRIALS):
        truth = plain.data(setting, SEED, trial).truth
        for k, candidate in enumerate(setting.candidates):
            if not candidate.method:
                continue
            path, scores[trial, k] = plain.run(setting, candidate, SEED, trial)
            along = [np.linalg.norm(path[look - 1] - truth) for look in setting.looks]
            errors[trial, k] = along[-1]
            if candidate.method != "round-robin-mom" or trial == 0:
                paths[:, k] += along
    return errors, scores, paths


@pytest.mark.parametrize("setting", SETTINGS.values(), ids=SETTINGS)
def test_every_candidate_does_what_its_formula_says(setting):
    asked = [k for k, candidate in enumerate(setting.candidates) if candidate.method]
    errors, scores, paths = expected(setting)
    work = run_trials(setting, SEED, 0, TRIALS)
    np.testing.assert_allclose(work.errors[:, asked], errors[:, asked], rtol=1e-6)
    np.testing.assert_allclose(work.paths[:, asked], paths[:, asked], rtol=1e-6)
    for k, method in enumerate(setting.validated):
        places = np.array(setting.choice[method])
        np.testing.assert_array_equal(work.choices[:, k], places[scores[:, places].argmin(axis=1)])


def test_there_is_a_column_for_every_method_of_the_task():
    for setting in (MEAN, LINEAR, LOGISTIC):
        assert [*setting.places, "tailproof", "clipped-sgd-self-tuned"] == [
            *sorted(setting.places, key=lambda method: min(setting.places[method])),
            "tailproof",
            "clipped-sgd-self-tuned",
        ]
        assert set(setting.places) | {"tailproof", "clipped-sgd-self-tuned"} == set(setting.methods)


@pytest.mark.parametrize("setting", [MEAN, LINEAR, LOGISTIC], ids=lambda setting: setting.task)
def test_a_trial_is_the_same_in_any_company(setting):
    together = run_trials(setting, SEED, 0, 9)
    for first, count in ((0, 1), (1, 3), (4, 5)):
        alone = run_trials(setting, SEED, first, count)
        np.testing.assert_array_equal(alone.errors, together.errors[first : first + count])
        np.testing.assert_array_equal(alone.choices, together.choices[first : first + count])


@pytest.mark.parametrize("setting", [MEAN, LINEAR, LOGISTIC], ids=lambda setting: setting.task)
def test_a_method_is_the_same_beside_any_others(setting):
    whole = run_trials(setting, SEED, 0, 3).errors
    for method, places in setting.places.items():
        alone = dataclasses.replace(setting, methods=(method,))
        np.testing.assert_array_equal(
            run_trials(alone, SEED, 0, 3).errors[:, alone.places[method]], whole[:, places], err_msg=method
        )


@pytest.mark.parametrize("setting", [MEAN, LINEAR, LOGISTIC], ids=lambda setting: setting.task)
def test_our_rules_see_the_same_rows(setting):
    work = run_ours(setting, SEED, 0, 3)
    later = run_ours(setting, SEED, 1, 2)
    np.testing.assert_allclose(later.errors, work.errors[1:], rtol=1e-12)
    rows = plain.data(setting, SEED, 2)
    from tailproof import ClippedSGD, Extremes, Gram, Logistic, Squared

    rule = (
        Extremes()
        if setting.task == "mean"
        else Gram(loss=Logistic() if setting.task == "logistic" else Squared(), intercept=False, bars=False)
    )
    said = rule.read(rule.step(rule.init(setting.columns), rows.X, None if setting.task == "mean" else rows.y))
    np.testing.assert_allclose(work.errors[2, 0], np.linalg.norm(said.spread.centre - rows.truth), rtol=1e-6)
    if setting.task == "mean":
        tuned = ClippedSGD()
        theta = tuned.read(tuned.step(tuned.init(setting.columns), rows.X)).theta
        np.testing.assert_allclose(work.errors[2, 1], np.linalg.norm(theta - rows.truth), rtol=1e-6)
    np.testing.assert_allclose(work.paths[-1], work.errors.sum(axis=0), rtol=1e-12)


def test_settings_of_one_experiment_share_their_rows():
    far = dataclasses.replace(MEAN, start=Start("each", -3.0), methods=("sgd",))
    near = dataclasses.replace(MEAN, methods=("sgd",))
    np.testing.assert_allclose(run_trials(far, SEED, 0, 4).errors, run_trials(near, SEED, 0, 4).errors, rtol=1e-12)
