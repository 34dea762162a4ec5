"""Examples of every piece and every rule. A piece without an example here fails `test_every_piece_has_an_example`."""

import itertools

import numpy as np

import tailproof
from tailproof.clipped import ClippedSGD
from tailproof.compare import Compare
from tailproof.compare_means import CompareMeans
from tailproof.domains import Ball, Box, Everywhere
from tailproof.each_target import EachTarget
from tailproof.extremes import Extremes
from tailproof.gram import Gram
from tailproof.grouped import GroupedMeans
from tailproof.levels import AnyTime, Fixed, SelfTuned, Theorem
from tailproof.losses import Huber, Location, Logistic, Squared
from tailproof.one_vs_rest import OneVsRest
from tailproof.race import Race
from tailproof.scales import Scales
from tailproof.steps import Constant, Harmonic, Polynomial
from tailproof.tuned import TunedSGD
from tests.laws.own import Expectile, PulledIn

LOSSES = [Location(), Squared(), Logistic(), Huber(1.5), Expectile(0.7), PulledIn(0.5)]
LEVELS = [
    Fixed(3.0),
    SelfTuned(),
    Theorem(rows=1000.0, start=1.0, noise=4.0, delay=5.0),
    AnyTime(start=1.0, noise=4.0, delay=5.0),
]
STEPS = [Harmonic(1.0, 20.0), Polynomial(0.5, 4.0, 0.6), Constant(0.01)]
DOMAINS = [Everywhere(), Ball(2.0), Box(-0.5, 1.5)]
SKETCHES = [
    Extremes(),
    Extremes(extremes=16),
    Extremes(gross="keep", h=9.0),
    Extremes(groups=16),
    Scales(),
    Scales(of=Extremes(extremes=8)),
]
DESCENTS = [
    ClippedSGD(bars=True),
    *(ClippedSGD(loss, LEVELS[k % 3], STEPS[0], DOMAINS[k % 2]) for k, loss in enumerate(LOSSES)),
    ClippedSGD(Location(), SelfTuned(shards=4.0), Harmonic(), Everywhere()),
    ClippedSGD(Squared(), Fixed(float("inf")), STEPS[0], DOMAINS[1]),
    ClippedSGD(Squared(), SelfTuned(), STEPS[1], DOMAINS[2]),
    ClippedSGD(Logistic(), LEVELS[0], STEPS[2], DOMAINS[1]),
    ClippedSGD(Squared(), LEVELS[3], STEPS[0], DOMAINS[0]),
]
NEAR = Ball(0.5)
GRAMS = [
    Gram(),
    Gram(intercept=False, outliers="keep", bars=False),
    Gram(domain=NEAR),
    Gram(loss=Logistic()),
    Gram(loss=Logistic(), intercept=False, domain=NEAR, bars=False),
]
TUNED = [
    TunedSGD(),
    TunedSGD(intercept=False, bars="jackknife"),
    TunedSGD(domain=NEAR, bars="none"),
    TunedSGD(domain=NEAR, bars="jackknife"),
    TunedSGD(loss=Logistic(), bars="jackknife"),
    TunedSGD(loss=Logistic(), intercept=False, domain=NEAR, bars="sandwich"),
]
REGRESSIONS = [*GRAMS, *TUNED]
HOLDING = [
    OneVsRest(),
    OneVsRest(of=TunedSGD(loss=Logistic()), classes=3),
    EachTarget(),
    EachTarget(targets=2),
    EachTarget(of=TunedSGD(bars="jackknife"), targets=2),
    Compare(),
    Compare(ours=TunedSGD(bars="none")),
    CompareMeans(),
]
RACES = [
    Race.over(ClippedSGD(bars=True), levels=[SelfTuned(factor=0.05), SelfTuned(), SelfTuned(factor=5.0)]),
    Race.over(ClippedSGD(steps=STEPS[0], domain=DOMAINS[2]), levels=[0.5, 3.0, 30.0], score="paper", rows=500),
    Race.over(ClippedSGD(Squared(), steps=STEPS[0]), levels=[0.1, 1.0, float("inf")], delays=[20.0, 200.0]),
    Race((DESCENTS[3], DESCENTS[3]._replace(level=Fixed(1.0)), ClippedSGD(Logistic(), LEVELS[1], STEPS[1], NEAR))),
    Race.over(ClippedSGD(PulledIn(0.5), steps=STEPS[0]), levels=[SelfTuned(), 2.0], score="paper", last=1.0),
]
GROUPED = [GroupedMeans(), GroupedMeans(of=Extremes(extremes=16, gross="keep", groups=16), groups=3)]
RULES = [*SKETCHES, *DESCENTS, *REGRESSIONS, *HOLDING, *RACES, *GROUPED]
# Rules of a target, without which a row is of no use.
AIMED = [rule for rule in DESCENTS if not isinstance(rule.loss, Location)]
TARGETED = [*AIMED, *REGRESSIONS, *HOLDING[:-1], *RACES[2:4], *GROUPED]
PIECES = [*LOSSES, *LEVELS, *STEPS, *DOMAINS, *RULES]


def name(rule: object) -> str:
    return repr(rule).replace("tailproof.", "")[:110]


def stream(rows: int = 700, columns: int = 5, seed: int = 1) -> tuple[np.ndarray, np.ndarray]:
    """A heavy-tailed stream with targets in {0, 1} or so, and with rows that no rule may take in."""
    random = np.random.default_rng(seed)
    X = random.pareto(2.1, (rows, columns)) - 0.9
    X[:, columns // 2] *= 1e-3
    X[:, columns - 1] += 1e3 if columns > 3 else 0.0
    y = (X[:, 0] + random.standard_normal(rows) > 0).astype(float)
    return X, y


def dirty(rows: int = 700, columns: int = 5, seed: int = 1) -> tuple[np.ndarray, np.ndarray]:
    """The same with NaN, inf and values at the edge of what a float holds."""
    X, y = stream(rows, columns, seed)
    for row, value in ((3, np.nan), (60, np.inf), (61, -np.inf), (rows // 2, 1e308), (rows // 2 + 1, -1e308)):
        X[row, row % columns] = value
    X[rows - 5 : rows - 3] = np.nan
    return X, y


def wild(rows: int = 400, columns: int = 3) -> np.ndarray:
    """Finite rows only, over a third of them at the edge of what a float holds."""
    X, _ = stream(rows, columns, seed=9)
    X[50:120] = 1.7e308
    X[120:180, 0] = -1.7e308
    X[180:190] = 5e-324
    return X


def taken(rule, X, y, cuts=()):
    """The state after all rows, handed over in pieces that end at the cuts."""
    state = rule.init(X.shape[1])
    edges = [0, *sorted(cuts), len(X)]
    for begin, end in itertools.pairwise(edges):
        state = rule.step(state, X[begin:end], targets(rule, y[begin:end]))
    return state


def targets(rule, y):
    """As many targets a row as the rule is for."""
    many = getattr(rule, "targets", 1)
    return np.outer(y, [1.0, -0.5]) if many == 2 else y


def estimate(rule, state) -> np.ndarray:
    """What the rule says: means, or coefficients with the intercept's last."""
    said = rule.read(state)
    if hasattr(said, "bare"):
        return np.concatenate([part.spread.centre for part in said.bare])
    if isinstance(rule, GroupedMeans):
        return np.concatenate([part.mean for part in said.parts if part.rows])
    if hasattr(said, "theta"):
        return np.asarray(said.theta)
    return np.asarray(said.mean if hasattr(said, "mean") else said.spread.centre)


def known() -> dict[str, type]:
    """All pieces that the library makes, whatever the tests have added."""
    tailproof.parse("Extremes()")
    for room in tailproof.piece.ROOMS:
        __import__(f"tailproof.{room}")
    return {
        label: kind for label, kind in tailproof.piece.catalogue.items() if kind.__module__.startswith("tailproof.")
    }
