"""Every experiment of the paper as data, and the record a user's own is made of.

Where the paper is silent or errs, the reading is the one of the documents: penalties of ridge and lasso are on the sum
of losses, medians of means take 24 buckets, tau is a tenth for log-odds.
"""

import dataclasses
import difflib
from dataclasses import dataclass, field
from functools import cached_property
from math import ceil, isfinite, sqrt

from . import costs
from .laws import Law as Law
from .laws import SettingError as SettingError
from .laws import Start as Start

Numbers = tuple[float, ...]

TASKS = ("mean", "linear", "logistic")
OURS = ("tailproof", "clipped-sgd-self-tuned")
# What each task can be tried with, in the order in which machine code reports it; ours last.
METHODS = {
    "mean": (
        "clipped-sgd",
        "sgd",
        "coordinate-mom",
        "geometric-mom",
        "coordinate-mom-literal",
        "geometric-mom-literal",
        "round-robin-mom",
        *OURS,
    ),
    "linear": ("clipped-sgd", "sgd", "huber", "ridge", "lasso", *OURS),
    "logistic": ("clipped-sgd", "sgd", *OURS),
}
MEDIANS = (("coordinate-mom", "geometric-mom"), ("coordinate-mom-literal", "geometric-mom-literal"))
# The grids of the paper's tables.
LEVELS = tuple(round(0.01 + 0.05 * k, 2) for k in range(21))
PENALTIES = tuple(round(0.001 + 0.005 * k, 3) for k in range(21))
STEP_SIZES = tuple(10.0 ** (-1.0 + 0.25 * k) for k in range(8))
# Buckets at delta = .05: ceil(8 log 20).
BUCKETS = 24
# Trials that our own rules run on at least, where they run at all.
OUR_LEAST = 20
# Looks along a trial for the convergence curves.
LOOKS = 24


@dataclass(frozen=True)
class Candidate:
    """One method with all that has to be chosen, chosen. `value` is what the constant c comes to."""

    method: str
    c: float | None = None
    gamma: float | None = None
    value: float | None = None


@dataclass(frozen=True)
class Setting:
    """One set of trials: a law, sizes, methods and their candidates."""

    name: str = "main"
    panel: str = "main"  # what varies against the main setting
    value: float | None = None  # and where this one is
    task: str = "mean"
    rows: int = 1024
    columns: int = 256
    law: Law = field(default_factory=Law)
    noise: Law = field(default_factory=Law)
    sigma2: float = 0.75
    support: int = 0  # coordinates of theta* that are not 0, each 1/sqrt(support); 0: all of them
    start: Start = field(default_factory=Start)
    curvature: float = 1.0
    gammas: Numbers = (0.0,)
    gamma: float = 0.0
    gamma_fixed: bool = False  # candidates with another delay are shown, never chosen
    levels: Numbers = LEVELS
    level_unit: str = "root"  # lambda = c sqrt(N p), or c as it stands: "plain"
    penalties: Numbers = PENALTIES
    step_sizes: Numbers = STEP_SIZES
    buckets: int = BUCKETS
    literal: bool = False  # penalties on each row's loss, not on the sum of losses
    radius: float = 0.0  # of the ball about theta* that descents stay in; 0: none
    validation: float = 0.2
    methods: tuple[str, ...] = ()  # () is all of the task's
    share: float = 1.0  # of the trials asked for
    ours: float = 0.1  # share of these that our own rules run on

    def __post_init__(self) -> None:
        for name in ("gammas", "levels", "penalties", "step_sizes"):
            object.__setattr__(self, name, tuple(sorted(float(c) for c in getattr(self, name))))
        if self.task not in TASKS:
            raise SettingError(f"task must be {', '.join(TASKS[:-1])} or {TASKS[-1]}, not {self.task!r}")
        object.__setattr__(self, "methods", tuple(self.methods) or METHODS[self.task])
        for complaint in self._complaints():
            raise SettingError(complaint)

    def _complaints(self) -> list[str]:
        said = [self._positive(name) for name in ("rows", "columns", "buckets")]
        said += [
            f"{name} must be above 0, not {getattr(self, name)}"
            for name in ("sigma2", "curvature", "share")
            if not (isfinite(getattr(self, name)) and getattr(self, name) > 0.0)
        ]
        said += [
            f"{name} must be finite, at least 0 and at most a million, not {getattr(self, name)}"
            for name in ("gamma", "radius", "ours")
            if not 0.0 <= getattr(self, name) <= 1e6
        ]
        for name, least in (("gammas", 0.0), ("levels", 1e-300), ("penalties", 0.0), ("step_sizes", 1e-300)):
            if not all(least <= c < 1e300 for c in getattr(self, name)):
                said.append(
                    f"{name} must be numbers {'above' if least else 'of at least'} 0, not {getattr(self, name)}"
                )
        if self.gamma not in self.gammas:
            said.append(f"gamma, {self.gamma:g}, must be one of gammas, {self.gammas}")
        if self.level_unit not in ("root", "plain"):
            said.append(f'level_unit must be "root" or "plain", not {self.level_unit!r}')
        if not 0.0 < self.validation <= 1.0:
            said.append(f"validation must be a share above 0 and at most 1, not {self.validation}")
        if not 0 <= self.support <= self.columns:
            said.append(f"support must be from 0 to the {self.columns} columns, not {self.support}")
        said += [self._unknown(name) for name in self.methods if name not in METHODS[self.task]]
        if any(name.endswith("-mom") or "-mom-" in name for name in self.methods) and self.rows < 2 * self.buckets:
            said.append(f"medians of means need at least {2 * self.buckets} rows for {self.buckets} buckets")
        return [words for words in said if words]

    def _positive(self, name: str) -> str:
        value = getattr(self, name)
        if isinstance(value, int) and not isinstance(value, bool) and 1 <= value <= 10_000_000:
            return ""
        return f"{name} must be a whole number from 1 to ten million, not {value!r}"

    def _unknown(self, name: str) -> str:
        near = difflib.get_close_matches(name, METHODS[self.task], 1)
        return f"{name!r} is no method for {self.task}" + (
            f"; did you mean {near[0]}?" if near else f"; there are {', '.join(METHODS[self.task])}"
        )

    @property
    def notes(self) -> list[str]:
        """What is to be said of a law that some methods cannot stand."""
        laws = [self.law, self.noise] if self.task == "linear" else [self.law]
        return [
            f"{law} has no finite variance: it is centred, not standardised; plain SGD's error has no finite "
            "second moment, and no bound of the paper holds"
            for law in laws
            if not law.finite_variance
        ]

    @property
    def root(self) -> float:
        return sqrt(self.rows * self.columns)

    def level(self, c: float) -> float:
        return c * self.root if self.level_unit == "root" else c

    def penalty(self, c: float) -> float:
        """What ridge and lasso add to each row's loss."""
        return c * self.root if self.literal else c * self.root / self.rows

    @cached_property
    def candidates(self) -> tuple[Candidate, ...]:
        """In the order in which machine code reports them; a blank method is a column that nobody asked for."""
        made = [candidate for gamma in self.gammas for candidate in self._flock(gamma)]
        if self.task == "mean":
            for both in self.medians:
                made += [
                    Candidate(kind if self.asks(kind) else "", c, None, c) for kind in both for c in self.step_sizes
                ]
            made += [Candidate("round-robin-mom")] if self.asks("round-robin-mom") else []
        if self.task == "linear":
            made += [Candidate("huber", c, self.gamma, c * self.root) for c in self.grid("huber", self.penalties)]
            made += [Candidate("")] if self.asks("huber") else []
            for kind in ("ridge", "lasso"):
                made += [Candidate(kind, c, self.gamma, self.penalty(c)) for c in self.grid(kind, self.penalties)]
        return tuple(made)

    @cached_property
    def places(self) -> dict[str, list[int]]:
        """The columns of each method's candidates."""
        found: dict[str, list[int]] = {}
        for place, candidate in enumerate(self.candidates):
            if candidate.method:
                found.setdefault(candidate.method, []).append(place)
        return found

    @cached_property
    def choice(self) -> dict[str, list[int]]:
        """The columns that a method's hyper-parameters are chosen from."""
        if not self.gamma_fixed:
            return self.places
        return {
            method: [k for k in places if self.candidates[k].gamma in (None, self.gamma)]
            for method, places in self.places.items()
        }

    @property
    def validated(self) -> list[str]:
        """Methods that have something to choose."""
        return [method for method, places in self.choice.items() if len(places) > 1]

    @property
    def medians(self) -> list[tuple[str, str]]:
        """The readings of the streaming medians that are asked for; both kinds are computed where one is."""
        return [pair for pair in MEDIANS if any(self.asks(kind) for kind in pair)]

    def _flock(self, gamma: float) -> list[Candidate]:
        clipped = [Candidate("clipped-sgd", c, gamma, self.level(c)) for c in self.grid("clipped-sgd", self.levels)]
        return [*clipped, Candidate("sgd" if self.asks("sgd") else "", None, gamma)]

    def asks(self, method: str) -> bool:
        return method in self.methods

    def grid(self, method: str, grid: Numbers) -> Numbers:
        """A method's grid, or nothing where the method is not wanted."""
        return grid if self.asks(method) else ()

    @property
    def looks(self) -> tuple[int, ...]:
        """Rows after which errors are measured, evenly spaced in the logarithm; the last is all rows."""
        return tuple(sorted({max(1, round(self.rows ** (k / (LOOKS - 1)))) for k in range(LOOKS)} | {self.rows}))

    @property
    def scored(self) -> int:
        """The first row that counts for sequential validation, counted from 1."""
        return self.rows - ceil(self.validation * self.rows - 1e-9) + 1

    def trials_of(self, asked: int) -> int:
        """How many of the trials asked for this setting runs."""
        return max(1, ceil(self.share * asked - 1e-9))

    def our_trials_of(self, asked: int) -> int:
        """How many of them our own rules run on."""
        if not any(self.asks(name) for name in OURS):
            return 0
        wanted = max(OUR_LEAST, ceil(self.ours * self.trials_of(asked) - 1e-9)) if self.ours > 0.0 else 0
        return min(self.trials_of(asked), wanted)

    @cached_property
    def seconds_a_trial(self) -> float:
        """About what a trial takes in machine code on one core."""
        return costs.seconds_a_trial(self)

    @cached_property
    def our_seconds_a_trial(self) -> float:
        """About what our own rules take on a trial."""
        return costs.our_seconds_a_trial(self)

    @property
    def chunk(self) -> int:
        """Trials in one piece of work. It must not depend on the machine: sums are made piece by piece."""
        return costs.chunk(self)

    @property
    def our_chunk(self) -> int:
        return costs.our_chunk(self)


@dataclass(frozen=True)
class Experiment:
    """A figure or a table of the paper: its main setting, and further ones for other panels."""

    name: str
    title: str
    settings: tuple[Setting, ...]
    trials: int = 2000
    paper_trials: int = 50_000

    def __post_init__(self) -> None:
        names = [setting.name for setting in self.settings]
        if not names or len(set(names)) < len(names):
            raise SettingError(f"the settings of {self.name} need names of their own")

    def seconds(self, trials: int | None = None, threads: int = 2) -> float:
        """About how long a run takes on a machine like the one it was measured on."""
        asked = self.trials if trials is None else trials
        total = 0.0
        for setting in self.settings:
            total += setting.trials_of(asked) * setting.seconds_a_trial
            total += setting.our_trials_of(asked) * setting.our_seconds_a_trial
        return total / max(1, threads) + 1.0


# ------------------------------------------------------------------------------------------ the paper's settings


def _mean(rows: int, columns: int, **more: object) -> Setting:
    return Setting(**{"rows": rows, "columns": columns, "start": Start("each", 1.0), **more})  # type: ignore[arg-type]


def _linear(rows: int, columns: int, **more: object) -> Setting:
    p = float(columns)
    given = {"task": "linear", "rows": rows, "columns": columns, "law": Law("pareto", 4.1), "ours": 0.02}
    return Setting(**{**given, "gammas": (0.1 * p, p, 10.0 * p), "gamma": p, **more})  # type: ignore[arg-type]


def _sparse(rows: int) -> Setting:
    return _linear(rows, 20, support=3, start=Start("unit", -1.0))


def _intro() -> tuple[Setting, ...]:
    """The start is not printed, so there are two."""
    given = {
        "level_unit": "plain",
        "levels": (1.5,),
        "methods": ("clipped-sgd", "sgd", "round-robin-mom", *OURS),
        "panel": "law",
    }
    settings = [
        _mean(100, 10, name=f"{law}, theta1={x:g}", law=law, value=x, start=Start("each", x), **given)
        for law in (Law("pareto", 2.1), Law("gaussian", 0.0))
        for x in (0.0, 1.0)
    ]
    return (dataclasses.replace(settings[0], panel="main"), *settings[1:])


def _mean_main() -> tuple[Setting, ...]:
    clipped = ("clipped-sgd", "sgd")
    starts = [
        _mean(
            1024, 256, name=f"theta1={x:g}", panel="start", value=x, start=Start("each", x), methods=clipped, share=0.04
        )
        for x in (-1.0, 0.0, 0.0625, 0.125, 0.25, 0.5)
    ]
    return (_mean(1024, 256, ours=0.01), *starts)


def _linear_main() -> tuple[Setting, ...]:
    panels = [
        _linear(
            1024, 256, name=f"sigma2={s:g}", panel="sigma2", value=s, sigma2=s, gammas=(256.0,), share=0.1, ours=0.0
        )
        for s in (0.25, 0.5, 1.0, 1.5, 2.0)
    ]
    panels += [
        _linear(1024, p, name=f"p={p}", panel="p", value=float(p), gammas=(float(p),), share=0.1, ours=0.0)
        for p in (16, 32, 64, 128, 512)
    ]
    return (_linear(1024, 256, ours=0.002), *panels)


def _logistic() -> tuple[Setting, ...]:
    return (
        Setting(
            task="logistic",
            rows=1000,
            columns=10,
            law=Law("pareto", 4.1),
            start=Start("truth", 0.75),
            curvature=0.1,
            gammas=(500.0, 1000.0, 2000.0, 4000.0),
            gamma=2000.0,
            gamma_fixed=True,
            levels=(0.125, 0.25, 0.5, 1.0, 2.0),
            level_unit="plain",
            radius=1.0,
        ),
    )


def _experiments() -> list[Experiment]:
    made = [
        Experiment("intro", "Figure 1: tails of SGD and clipped-SGD, p=10, N=100", _intro(), 20_000, 100_000),
        Experiment("mean-main", "Mean estimation, p=256, N=1024", _mean_main(), 5000),
    ]
    small = (100, 500, 1000)
    made += [Experiment(f"mean-p20-n{n}", f"Mean estimation, p=20, N={n}", (_mean(n, 20),), 10_000) for n in small]
    made.append(Experiment("linear-main", "Linear regression, p=256, N=1024", _linear_main(), 1000))
    made += [Experiment(f"linear-p20-n{n}", f"Linear regression, p=20, N={n}", (_linear(n, 20),), 5000) for n in small]
    made += [
        Experiment(f"sparse-p20-n{n}", f"Sparse linear regression, p=20, r=3, N={n}", (_sparse(n),), 5000)
        for n in (500, 1000)
    ]
    made.append(Experiment("logistic", "Logistic regression, p=10, N=1000", _logistic(), 2000, 5000))
    return made


EXPERIMENTS: dict[str, Experiment] = {experiment.name: experiment for experiment in _experiments()}


def find(name: str) -> Experiment:
    """The experiment of that name."""
    if name in EXPERIMENTS:
        return EXPERIMENTS[name]
    near = difflib.get_close_matches(name, EXPERIMENTS, 1, 0.4)
    hint = f"did you mean {near[0]}?" if near else f"there are {', '.join(EXPERIMENTS)}"
    raise SettingError(f"there is no experiment {name!r}; {hint}")
