"""The theory: its constants solved anew, its settings and bounds, where the paper's own numbers stand and fall."""

import math
import subprocess
import sys

import numpy as np
import pytest

import tailproof
from tailproof import theory
from tailproof.errors import RuleError
from tailproof.levels import AnyTime
from tailproof.theory.table1_text import magnitude

STATED = {"tau_l": 0.5, "tau_u": 2.0, "beta": 3.0, "r0": 1.5, "delta": 0.02}
KINDS = [
    {"constants": "paper"},
    {"constants": "paper", "alpha": 0.3},
    {},
    {"alpha": 0.001},
    {"alpha": 0.3},
    {"push": 2.0},
    {"push": 2.0, "alpha": 0.3},
    {"anytime": True},
    {"anytime": True, "alpha": 0.3},
    {"scale": 2.0},
]
L200 = math.log(200.0)

# -------------------------------------------------------------------------------------------------- constants


def test_the_printed_sum_is_what_the_paper_says():
    assert sum(theory.printed_terms()) == pytest.approx(4801.3, abs=0.05)
    assert sum(theory.printed_terms(5000.0)) <= 5000.0


def test_the_printed_sum_is_that_of_its_last_line():
    for C in (100.0, 5000.0):
        line = 337 + 30 * C**0.25 + 29 * C**0.5 + 2 * C**0.75 + 7 * C / 36
        assert sum(theory.printed_terms(C)) == pytest.approx(line)


@pytest.mark.parametrize(("fifth", "told"), [(0.75, (39_562, 281, 398)), (1.0, (39_963, 283, 400))])
def test_what_the_lost_factors_cost(fifth, told):
    assert tuple(round(value) for value in theory.repaired(fifth)) == told


@pytest.mark.parametrize(
    ("settings", "C"),
    [
        ({}, 39.177),
        ({"Cq": 0.25}, 46.511),
        ({"Cq": 1.0}, 70.014),
        ({"h": 2.0}, 113.855),
        ({"h": 2.0, "Cq": 1.0}, 192.37),
    ],
)
def test_the_constants_are_solved(settings, C):
    solved = theory.solve(**settings)
    assert pytest.approx(C, rel=1e-4) == solved.C
    assert theory.collected(solved.C, **settings) <= solved.C
    assert theory.collected(solved.C * (1.0 - 1e-12), **settings) > solved.C * (1.0 - 1e-12)


@pytest.mark.parametrize(
    ("stated", "settings", "wider"),
    [
        (theory.SHARP[0], {}, 1.0),
        (theory.SHARP[1], {"Cq": 0.25}, 1.0),
        (theory.SHARP[2], {"Cq": 1.0}, 1.0),
        (theory.EDGE[0], {}, 2.0),
        (theory.EDGE[1], {"Cq": 1.0}, 2.0),
        (theory.ANYTIME[0], {"h": 2.0}, 1.0),
        (theory.ANYTIME[1], {"h": 2.0, "Cq": 1.0}, 1.0),
    ],
)
def test_stated_constants_are_the_solved_ones_rounded_up(stated, settings, wider):
    solved = theory.solve(**settings)
    assert solved.factor <= stated.factor <= solved.factor + 0.05
    assert wider * solved.per_kappa <= stated.per_kappa <= wider * solved.per_kappa + 0.1
    assert solved.per_alpha <= stated.per_alpha <= solved.per_alpha + 1.0


def test_smaller_delta_gives_smaller_factors():
    assert theory.solve(L=math.log(40.0)).factor == pytest.approx(5.819, abs=1e-3)


def test_the_printed_level_is_in_the_sharp_band():
    # gamma (gamma - 1) for gamma^2, gamma at least 145
    band = theory.band(math.sqrt(144.0 / 145.0), 1.0)
    assert band.factor < 6.27
    assert band.per_kappa < 12.59


@pytest.mark.parametrize(
    ("high", "anytime", "factor", "per_kappa"),
    [(2.0, False, 9.62, 38.5), (2.0, True, 16.3, 65.0), (2.83, False, 11.9, 47.6), (2.83, True, 20.5, 82.0)],
)
def test_the_band_lemma(high, anytime, factor, per_kappa):
    band = theory.band(0.5, high, anytime)
    assert factor - 0.07 < band.factor <= factor
    assert per_kappa - 0.1 < band.per_kappa <= per_kappa


@pytest.mark.parametrize("wrong", [{"c_lo": 2.0}, {"rho": 1.0}, {"L": 0.5}, {"h": 0.5}, {"Cq": -1.0}, {"Cq": math.inf}])
def test_constants_outside_of_the_proof_are_refused(wrong):
    with pytest.raises(RuleError):
        theory.solve(**wrong)


# -------------------------------------------------------------------------------------------------- settings


def test_the_paper_as_printed():
    made = theory.theorem(tau_l=0.5, tau_u=2.0, alpha=0.01, beta=3.0, r0=1.5, N=5000, delta=0.02, constants="paper")
    L = math.log(100.0)
    gamma = 144.0 * max(4.0, 96.0 * 0.01 / 0.25) * L + 1.0
    level = math.sqrt(0.25 * gamma * (gamma - 1.0) * 2.25 / L**2 + (5000 + gamma) * 3.0 / L)
    bound = 100.0 * (gamma * 1.5 / (5000 + gamma) + math.sqrt(3.0 * L / (5000 + gamma)) / 0.5)
    assert (made.delay, made.gamma) == pytest.approx((gamma, gamma))
    assert made.level == pytest.approx(level)
    assert made.bound == pytest.approx(bound)


def test_the_sharp_theorem_as_proven():
    made = theory.theorem(tau_l=0.5, tau_u=2.0, beta=3.0, r0=1.5, N=5000, delta=0.02)
    L = math.log(100.0)
    gamma = 12.6 * 4.0 * L
    A = gamma**2 * 2.25 + (5000 + gamma) * 3.0 * L / 0.25
    assert made.delay == pytest.approx(gamma)
    assert made.level == pytest.approx(0.5 * math.sqrt(A) / L)
    assert made.bound == pytest.approx(6.26 * math.sqrt(A) / (5000 + gamma))
    assert made.error_bound(100) == pytest.approx(6.26 * math.sqrt(A) / (100 + gamma))


def test_the_edge_of_a_domain_adds_its_push():
    made = theory.theorem(tau_l=1.0, tau_u=1.0, beta=1.0, r0=0.1, N=1000, delta=0.05, push=100.0)
    L = math.log(40.0)
    assert made.delay == pytest.approx(25.1 * L)
    assert made.level == 400.0
    assert made.bound == pytest.approx(25.1 * 100.0 * L / (1000 + made.delay), rel=0.01)


@pytest.mark.parametrize("t", [1, 29, 1000, 1025, 2**20])
def test_the_any_time_theorem_as_proven(t):
    made = theory.theorem(tau_l=0.5, tau_u=1.0, beta=3.0, r0=1.5, N=10**7, delta=0.02, anytime=True)
    L_0 = math.log(200.0)
    gamma = 21.4 * 2.0 * L_0
    k = math.floor(math.log2((t + gamma) / gamma))
    L_t = math.log(2.0 * (k + 1) * (k + 2) / 0.02)
    A = gamma**2 * 2.25 * L_t**2 / L_0**2 + (t + gamma) * 3.0 * L_t / 0.25
    assert made.delay == pytest.approx(gamma)
    assert made.error_bound(t) == pytest.approx(10.7 * math.sqrt(A) / (t + gamma))
    # The level is that of the proof, or held from the end of the epoch before.
    assert 1.0 - 1e-12 < made.level_at(t) / (0.5 * math.sqrt(A) / L_t) < 1.35


def test_the_any_time_level_is_the_greatest_so_far():
    level, memory = AnyTime(start=0.1, noise=2.0, delay=30.0, delta=0.9), [0.0, 0.0]
    level.prepare(memory, 1)
    before, most = 0.0, 0.0
    for t in range(1, 4000):
        L_t = theory.any_time_logarithm(t, 30.0, 0.9)
        most = max(most, math.sqrt((30.0 * 0.1 / math.log(4.0 / 0.9)) ** 2 + (t + 30.0) * 2.0 / L_t))
        allowed = level.allow(memory)
        assert max(before, most) <= allowed <= most * 1.02
        before = allowed
        level.learn(memory, 1.0)


@pytest.mark.parametrize("kind", KINDS)
def test_more_of_anything_bad_does_not_lower_the_bound(kind):
    base = {**STATED, "N": 10**6, **kind}
    bound = theory.theorem(**base).bound
    grown = {"beta": 4.0, "r0": 2.0, "tau_u": 3.0, "delta": 0.01, "alpha": 0.6, "tau_l": 0.4}
    if "anytime" in kind:
        del grown["tau_u"]  # a longer delay makes later epochs
    for name, value in grown.items():
        assert theory.theorem(**{**base, name: value}).bound >= bound, name
    if "push" in kind:
        assert theory.theorem(**{**base, "push": 20_000.0}).bound > bound


@pytest.mark.parametrize("kind", [kind for kind in KINDS if "anytime" not in kind])
def test_more_rows_lower_the_bound(kind):
    bounds = [theory.theorem(**STATED, N=N, **kind).bound for N in (1, 10, 10**3, 10**4, 10**5, 10**6, 10**9)]
    assert bounds == sorted(bounds, reverse=True)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("error", [1.0, 0.1, 0.013])
def test_a_sample_size_inverts_the_bound(kind, error):
    N = theory.sample_size(error, **STATED, **kind)
    assert theory.theorem(**STATED, N=N, **kind).bound <= error < theory.theorem(**STATED, N=N - 1, **kind).bound


def test_an_any_time_sample_size_holds_from_then_on():
    for error in np.geomspace(0.3, 30.0, 40):
        stated = {"trace": 5.0, "r0": 2.0, "delta": 0.9, "anytime": True}
        N = theory.sample_size(float(error), theory.mean, **stated)
        made = theory.mean(N=N, **stated)
        later = [made.error_bound(t) for t in range(N, 20 * N, max(1, N // 100))]
        assert max(later) <= error
        assert N == 1 or made.error_bound(N - 1) > error


def test_a_sample_size_of_a_corollary():
    N = theory.sample_size(0.25, theory.mean, trace=20.0, r0=1.0, delta=0.01)
    assert theory.mean(trace=20.0, r0=1.0, N=N, delta=0.01).bound <= 0.25
    assert theory.sample_size(100.0, theory.mean, trace=20.0, r0=1.0) == 1


def test_another_unit_of_the_loss_or_the_length_changes_nothing():
    for kind in KINDS:
        base = {"alpha": 0.0, "push": 0.0, **STATED, **kind, "N": 4000}
        made = theory.theorem(**base)
        loss = {**base, "tau_l": 4 * base["tau_l"], "tau_u": 4 * base["tau_u"], "beta": 16 * base["beta"]}
        loss |= {"alpha": 16 * base["alpha"], "push": 4 * base["push"]}
        assert theory.theorem(**loss).bound == pytest.approx(made.bound)
        assert theory.theorem(**loss).level == pytest.approx(4.0 * made.level)
        length = {**base, "r0": 4 * base["r0"], "beta": 16 * base["beta"], "push": 4 * base["push"]}
        assert theory.theorem(**length).bound == pytest.approx(4.0 * made.bound)


def test_scale_multiplies_level_and_bound():
    for constants in ("paper", "sharp"):
        one, two = (theory.theorem(**STATED, N=4000, constants=constants, scale=scale) for scale in (1.0, 2.0))
        assert (two.level, two.bound, two.delay) == pytest.approx((2.0 * one.level, 2.0 * one.bound, one.delay))


def test_the_sharp_bound_is_far_below_the_printed_one():
    paper, sharp = (theory.theorem(**STATED, N=10**6, constants=constants) for constants in ("paper", "sharp"))
    assert 12.0 < paper.bound / sharp.bound < 30.0
    assert 9.0 < paper.delay / sharp.delay < 200.0


def test_settings_cannot_be_changed_and_say_what_they_are():
    made = theory.theorem(**STATED, N=4000, constants="paper")
    with pytest.raises(AttributeError):
        made.bound = 0.0  # type: ignore[misc]
    assert made.status == "proven"
    assert any("printed proof is not valid" in note for note in made.notes)
    assert made.to_dict()["bound"] == made.bound


def test_the_risk_bound_is_that_of_the_greatest_curvature():
    made = theory.theorem(**STATED, N=4000)
    assert made.risk_bound() == pytest.approx(made.bound**2)
    edge = theory.theorem(**STATED, N=4000, push=3.0)
    assert edge.risk_bound() == pytest.approx(edge.bound**2 + 3.0 * edge.bound)


@pytest.mark.parametrize(
    ("wrong", "told"),
    [
        ({"delta": 0.74}, "2/e"),
        ({"delta": 0.0}, "delta"),
        ({"delta": math.nan}, "delta"),
        ({"tau_l": 3.0}, "tau_l <= tau_u"),
        ({"tau_l": 0.0}, "tau_l"),
        ({"tau_u": math.inf}, "tau_u"),
        ({"beta": -1.0}, "beta"),
        ({"r0": math.nan}, "r0"),
        ({"alpha": math.inf}, "alpha"),
        ({"N": 0}, "whole number"),
        ({"N": 10.5}, "whole number"),
        ({"N": math.nan}, "whole number"),
        ({"scale": 0.5}, "C_1"),
        ({"constants": "printed"}, '"paper" or "sharp"'),
        ({"constants": "paper", "anytime": True}, "sharp"),
        ({"constants": "paper", "push": 1.0}, "counterexample"),
        ({"anytime": True, "push": 1.0}, "push"),
        ({"r0": 1e300}, "units"),
        ({"tau_l": 1e-300}, "units"),
    ],
)
def test_what_the_theorems_do_not_cover_is_refused(wrong, told):
    with pytest.raises(RuleError, match=told):
        theory.theorem(**{**STATED, "N": 1000, **wrong})


def test_the_any_time_theorem_takes_any_delta():
    assert theory.theorem(**{**STATED, "delta": 0.9}, N=1000, anytime=True).bound > 0.0


@pytest.mark.parametrize("error", [0.0, -1.0, math.nan, math.inf, 1e-12])
def test_an_error_that_no_stream_reaches_is_refused(error):
    with pytest.raises(RuleError):
        theory.sample_size(error, **STATED)
    with pytest.raises(RuleError):
        theory.sample_size(error, **STATED, anytime=True)


def test_bounds_beyond_the_named_rows_are_refused():
    made = theory.theorem(**STATED, N=1000)
    with pytest.raises(RuleError, match="1000"):
        made.error_bound(1001)
    with pytest.raises(RuleError, match="leave it out"):
        theory.sample_size(0.1, N=5, **STATED)


# -------------------------------------------------------------------------------------------------- rules


def test_the_rule_is_the_theorems_descent():
    made = theory.mean(trace=3.0, r0=1.0, N=500, delta=0.05)
    rule = made.rule(domain=tailproof.Ball(5.0))
    assert repr(rule.steps) == f"Harmonic(gain=1.0, delay={made.delay})"
    assert rule.level == tailproof.Fixed(made.level)
    X = np.random.default_rng(3).standard_normal((500, 3))
    theta = np.zeros(3)
    for t, x in enumerate(X, start=1):
        pull = theta - x
        theta = theta - pull * min(1.0, made.level / np.linalg.norm(pull)) / (t + made.delay)
    said = rule.read(rule.step(rule.init(3), X))
    assert said.theta == pytest.approx(theta)


def test_the_any_time_rule_grows_its_level():
    made = theory.linear(covariance=[1.0, 2.0], sigma2=1.0, C4=3.0, r0=1.0, N=10, anytime=True)
    rule = made.rule(tailproof.Squared())
    assert tailproof.parse(repr(rule)) == rule
    X = np.random.default_rng(3).standard_normal((500, 2))
    state = rule.step(rule.init(2), X, X @ [1.0, -1.0])
    assert rule.read(state).level == pytest.approx(made.level_at(501))
    both = rule.merge(state, state.copy())
    assert rule.read(both).level == pytest.approx(made.level_at(1001))


def test_nothing_to_estimate_is_said():
    with pytest.raises(RuleError, match="nothing to estimate"):
        theory.mean(trace=0.0, r0=0.0, N=10).rule()


# -------------------------------------------------------------------------------------------------- corollaries


def test_the_mean_corollary():
    made = theory.mean(trace=20.0, r0=3.0, N=5000, delta=0.01, constants="paper")
    assert (made.tau_l, made.tau_u, made.alpha, made.beta) == (1.0, 1.0, 0.0, 20.0)
    assert made.delay == pytest.approx(144.0 * L200 + 1.0)


def test_the_linear_corollary():
    printed = theory.linear(covariance=[0.5, 2.0], sigma2=3.0, C4=4.0, r0=1.0, N=100, delta=0.01, constants="paper")
    assert (printed.tau_l, printed.tau_u) == (0.5, 2.0)
    assert printed.delay == pytest.approx(144.0 * max(4.0, 192.0 * 5.0 * 2.0 * 4.0 / 0.25) * L200 + 1.0)
    assert printed.beta == 2 * 3.0 * 2.0
    sharp = theory.linear(covariance=[0.5, 2.0], sigma2=3.0, C4=4.0, r0=1.0, N=100, delta=0.01)
    assert (sharp.alpha, sharp.beta) == (4.0 * 2.5 * 2.0, 3.0 * 2.5)


def test_a_matrix_is_as_good_as_its_eigenvalues():
    turn = np.linalg.qr(np.random.default_rng(1).standard_normal((3, 3)))[0]
    matrix = turn @ np.diag([0.5, 1.0, 2.0]) @ turn.T
    for given in (matrix, matrix.tolist(), np.array([0.5, 1.0, 2.0])):
        assert theory.spectrum(given) == pytest.approx((0.5, 2.0, 3.5, 3))


@pytest.mark.parametrize(
    "wrong", [[], [0.0, 1.0], [1.0, math.nan], [[1.0, 2.0]], [[1.0, 5.0], [0.0, 1.0]], np.ones((2, 2))]
)
def test_what_is_no_covariance_is_refused(wrong):
    with pytest.raises(RuleError, match="covariance"):
        theory.spectrum(wrong)


def test_the_fourth_moment_is_a_bound_and_is_met():
    random = np.random.default_rng(2)
    X = random.choice([-1.0, 0.0, 1.0], p=[0.1, 0.8, 0.1], size=(200_000, 4)) / math.sqrt(0.2)  # kurtosis 5
    scaled = X * np.sqrt([1.0, 0.5, 2.0, 2.0])
    spread = theory.spectrum([1.0, 0.5, 2.0, 2.0])
    along = [((scaled**2).sum(axis=1) * (scaled @ v) ** 2).mean() for v in np.eye(4)]
    assert max(along) == pytest.approx(theory.fourth_moment(spread, 5.0, independent=True), rel=0.02)
    assert theory.fourth_moment(spread, 5.0, independent=True) <= theory.fourth_moment(spread, 5.0)
    ones = theory.spectrum([1.0] * 7)
    assert theory.fourth_moment(ones, 5.0, independent=True) == 7 - 1 + 5.0


def kurtosis_of_pareto(b: float) -> float:
    return 3.0 + 6.0 * (b**3 + b**2 - 6.0 * b - 2.0) / (b * (b - 3.0) * (b - 4.0))


def test_the_papers_regression_experiment_is_vacuous():
    kurtosis = kurtosis_of_pareto(4.1)
    assert kurtosis == pytest.approx(790.0, rel=0.001)
    stated = {"covariance": [1.0] * 256, "sigma2": 1.0, "C4": kurtosis, "r0": 1.0, "N": 1024, "delta": 0.01}
    printed = theory.linear(**stated, constants="paper")
    sharp = theory.linear(**stated, independent=True)
    assert printed.delay == pytest.approx(3e10, rel=0.02)
    assert sharp.delay == pytest.approx(4e5, rel=0.02)
    assert printed.vacuous
    assert sharp.vacuous
    assert "vacuous" in sharp.notes[0]
    assert sharp.bound > sharp.r0
    assert not theory.linear(**{**stated, "N": 10**6}, independent=True).vacuous


def test_the_papers_mean_experiment_is_vacuous_too():
    stated = {"trace": 256.0, "r0": 16.0, "N": 1024, "delta": 0.01}
    assert theory.mean(**{**stated, "N": 700}, constants="paper").vacuous
    assert not theory.mean(**stated).vacuous


def test_the_logistic_corollary():
    made = theory.logistic(covariance=[1.0, 2.0], C4=3.0, tau_l=0.1, r0=1.0, N=100)
    assert (made.tau_u, made.alpha, made.beta) == (0.5, 3.0 * 3.0 * 2.0 / 16.0, 0.75)
    assert "domain" in made.notes[-1]
    with pytest.raises(RuleError, match="impossible"):
        theory.logistic(covariance=[1.0] * 10, C4=3.0, tau_l=1.0, r0=1.0, N=100)


def test_bounded_noise_speaks_of_risks():
    made = theory.bounded_noise(tau_l=0.5, tau_u=2.0, sigma2=3.0, risk=4.0, N=10**6, delta=0.01)
    assert made.r0 == pytest.approx(4.0)
    twice = theory.bounded_noise(tau_l=0.5, tau_u=2.0, sigma2=3.0, risk=4.0, N=4 * 10**6, delta=0.01)
    assert made.risk_bound() / twice.risk_bound() == pytest.approx(4.0, rel=0.02)


def test_the_pilot_is_as_long_as_the_delay():
    assert theory.pilot_size(0.01) == 67
    assert theory.pilot_size(0.01, kappa=10.0) == math.ceil(126.0 * L200)
    with pytest.raises(RuleError):
        theory.pilot_size(0.01, kappa=0.5)


def test_a_pilot_inflates_the_bound_by_no_more_than_it_says():
    trace, rows, delta = 5.0, 20_000, 0.01
    pilot = theory.pilot_size(delta / 2.0)
    r0 = theory.median_of_means_bound(trace, pilot, delta / 2.0)
    made = theory.mean(trace=trace, r0=r0, N=rows - pilot, delta=delta / 2.0)
    known = theory.mean(trace=trace, r0=0.0, N=rows - pilot, delta=delta / 2.0)
    assert made.bound <= known.bound * math.sqrt(1.0 + 121.0 * pilot / rows)
    with pytest.raises(RuleError, match="rows"):
        theory.median_of_means_bound(trace, 10, delta)


# -------------------------------------------------------------------------------------------------- false, as printed


@pytest.mark.parametrize(("push", "error"), [(1e4, 0.897), (1e5, 0.989), (1e6, 0.9989)])
def test_the_printed_theorem_has_a_counterexample(push, error):
    run = theory.counterexample(push, 1_000_000, 0.05)
    assert run.error == pytest.approx(error, abs=5e-4)
    assert run.bound == pytest.approx(0.0532, abs=5e-5)
    repaired = theory.theorem(tau_l=1.0, tau_u=1.0, beta=0.0, r0=1.0, N=1_000_000, push=push, delta=0.05)
    assert repaired.bound > 0.08


def test_every_result_says_how_sure_it_is():
    assert {result.status for result in theory.RESULTS} == {"proven", "sketched", "heuristic", "false"}
    assert all(result.status == "proven" for result in theory.results("proven"))
    assert "the any-time theorem" in [result.name for result in theory.results("proven")]


# -------------------------------------------------------------------------------------------------- Table 1

AIM = {"tau_l": 0.5, "tau_u": 5.0, "sigma2": 2.0, "eps": 0.01, "delta": 0.05, "r0": 3.0, "R": 4.0}


def rows() -> dict[str, theory.Row]:
    return {row.method: row for row in theory.table1()}


def test_table1_has_the_papers_rows_in_order():
    names = "SIGMA2, MS-AC-SA, restarted-RSMD, proxBoost, RGD, clipped-SGD (constant), R-clipped-SGD, R-clipped-SSTM"
    assert len(rows()) == 9
    for printed, row in zip(names.split(", "), theory.table1(), strict=False):
        assert row.method.startswith(printed.split(" (")[0])
    assert [row.noise for row in theory.table1()] == ["sub-Gaussian"] * 2 + ["heavy-tailed"] * 7


def test_table1_is_what_is_printed():
    kappa, reach, noise = 10.0, math.log(300.0), 2.0 / 0.005
    last = math.log(1 / 0.05 * reach)
    assert rows()["SIGMA2"].samples(**AIM) == pytest.approx(max(kappa * reach, noise * last))
    assert rows()["SIGMA2"].batch(**AIM) == pytest.approx(noise * last)
    assert rows()["MS-AC-SA"].batch(**AIM) == pytest.approx(noise * math.log(math.log(3000.0) / 0.05))
    diameter = math.log(0.5 * 16.0 / 0.01)
    assert rows()["restarted-RSMD"].samples(**AIM) == pytest.approx(
        max(kappa * diameter, noise) * math.log(diameter / 0.05)
    )
    second = math.log(10.0) * math.log(math.log(10.0) / 0.05)
    assert rows()["proxBoost"].batch(**AIM) == pytest.approx(noise * math.log(10.0) * second)
    phi = math.log(3000.0) / math.log(5.5 / 4.5)
    assert rows()["RGD"].samples(**AIM) == pytest.approx(phi * 5.0 * 2.0 / (0.25 * 0.01) * math.log(phi / 0.05))
    restarted = math.log(10.0 / 0.05) + math.log(reach)
    assert rows()["R-clipped-SGD"].samples(**AIM) == pytest.approx(max(kappa * reach, noise) * restarted)
    assert rows()["R-clipped-SSTM"].batch(**AIM) == pytest.approx(noise * restarted)
    assert rows()["clipped-SGD, constant step"].samples(**AIM) == pytest.approx(10.0 * noise * reach * restarted)
    ours = rows()["clipped-SGD, step O(1/t)"]
    assert ours.samples(**AIM) == pytest.approx(max(math.sqrt(1000.0 * 300.0), 10.0 * noise) * math.log(20.0))
    assert ours.batch(**AIM) == 1.0


@pytest.mark.parametrize("row", theory.table1(), ids=lambda row: row.method)
def test_table1_does_not_know_the_unit_of_the_loss_or_the_length(row):
    loss = {**AIM, "tau_l": 2.0, "tau_u": 20.0, "sigma2": 32.0, "eps": 0.04, "r0": 12.0}
    length = {**AIM, "tau_l": 0.125, "tau_u": 1.25, "sigma2": 0.5, "R": 8.0}
    for other in (loss, length):
        assert row.samples(**other) == pytest.approx(row.samples(**AIM))
        assert row.batch(**other) == pytest.approx(row.batch(**AIM))


@pytest.mark.parametrize("row", theory.table1(), ids=lambda row: row.method)
def test_table1_asks_for_more_where_more_is_asked(row):
    wanted = row.samples(**AIM)
    for harder in ({"eps": 0.001}, {"delta": 0.001}, {"sigma2": 4.0}, {"tau_u": 9.0}):
        assert wanted <= row.samples(**{**AIM, **harder})
    assert math.isfinite(row.samples(**{**AIM, "tau_u": 0.5}))
    assert row.batch(**AIM) >= 1.0


def test_table1_names_what_was_misprinted():
    assert "upside down" in rows()["RGD"].corrections[0]
    assert "twice" in rows()["MS-AC-SA"].corrections[0]
    assert rows()["MS-AC-SA"].batch_is == "rows a stage, taken one a step"


@pytest.mark.parametrize(
    "wrong", [{"eps": 3.0}, {"delta": 1.0}, {"tau_l": 6.0}, {"sigma2": -1.0}, {"R": 0.0}, {"r0": math.nan}]
)
def test_table1_refuses_what_makes_no_sense(wrong):
    with pytest.raises(RuleError):
        rows()["RGD"].samples(**{**AIM, **wrong})


@pytest.mark.parametrize("width", [40, 80, 200])
@pytest.mark.parametrize("stated", [{}, AIM])
def test_the_table_fits_the_screen(width, stated):
    text = theory.table1_text(width, **stated)
    lines = text.splitlines()
    assert max(len(line) for line in lines) <= width
    assert all(line == line.rstrip() for line in lines)
    for row in theory.table1():
        assert row.method in text
    values = [magnitude(row.samples(**AIM)) for row in theory.table1()]
    assert [value in text for value in values] == [bool(stated)] * 9
    assert "upside" in text


# -------------------------------------------------------------------------------------------------- import


def test_theory_needs_nothing_heavy():
    code = (
        "import sys, tailproof; theory = tailproof.theory; theory.mean(trace=1.0, r0=1.0, N=9); theory.table1_text(80);"
        "print([name for name in ('numpy', 'numba', 'scipy', 'sklearn') if name in sys.modules])"
    )
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ran.stdout.strip() == "[]"
