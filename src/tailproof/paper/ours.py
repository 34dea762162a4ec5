"""The library's own rules on the rows of the same trials, with nothing told but the rows.

They run as users run them, so their trials are fewer: rows are drawn again, from the same counters.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from .. import compiled
from ..clipped import ClippedSGD
from ..extremes import Extremes
from ..gram import Gram
from ..levels import SelfTuned
from ..losses import Location, Logistic, Squared
from ..state import aligned
from ..steps import Harmonic
from .arena import course
from .settings import OURS, Setting
from .trials import Course

Numbers = NDArray[np.float64]


class OurWork(NamedTuple):
    """What a range of trials gave: a column a rule."""

    errors: Numbers
    paths: Numbers  # (looks, rules) sums of errors; over no trials in most pieces of work


def our_methods(setting: Setting) -> list[str]:
    return [method for method in OURS if setting.asks(method)]


def run_ours(setting: Setting, seed: Any, first: int, count: int) -> OurWork:
    """Trials first, first + 1, ... Those of the first piece of work are also looked at along the way."""
    here = course(setting, seed)
    looks = setting.looks if first == 0 else (setting.rows,)
    along = (
        _means(setting, here, first, count, looks)
        if setting.task == "mean"
        else _fits(setting, here, first, count, looks)
    )
    paths = along.sum(axis=1) if first == 0 else np.zeros((len(setting.looks), along.shape[2]))
    return OurWork(along[-1], paths)


def _means(setting: Setting, here: Course, first: int, count: int, looks: tuple[int, ...]) -> Numbers:
    """Errors by look, trial and rule. Columns are strangers to each other in Extremes: trials stand side by side."""
    methods, columns = our_methods(setting), setting.columns
    X = aligned((setting.rows, count * columns))
    compiled.kernel("draw_trials")(here, first, X)
    along = np.empty((len(looks), count, len(methods)))
    if "tailproof" in methods:
        rule = Extremes()
        found = followed(rule, rule.init(count * columns), X, None, looks)
        along[:, :, methods.index("tailproof")] = lengths(np.array(found), columns)
    if "clipped-sgd-self-tuned" in methods:
        for k in range(count):
            tuned = ClippedSGD(loss=Location(), level=SelfTuned())
            mine = np.ascontiguousarray(X[:, k * columns : (k + 1) * columns])
            found = followed(tuned, tuned.init(columns), mine, None, looks)
            along[:, k, methods.index("clipped-sgd-self-tuned")] = lengths(np.array(found), columns)[:, 0]
    return along


def _fits(setting: Setting, here: Course, first: int, count: int, looks: tuple[int, ...]) -> Numbers:
    """Errors by look, trial and rule."""
    methods, odds = our_methods(setting), setting.task == "logistic"
    X, y = aligned((setting.rows, setting.columns)), aligned(setting.rows)
    along = np.empty((len(looks), count, len(methods)))
    for k in range(count):
        compiled.kernel("draw_problem")(here, first + k, odds, X, y)
        for m, method in enumerate(methods):
            rule, state = _rule(setting, here, method)
            found = np.array(followed(rule, state, X, y, looks))
            along[:, k, m] = np.linalg.norm(found - here.truth, axis=1)
    return along


def _rule(setting: Setting, here: Course, method: str) -> tuple[Any, Any]:
    loss = Logistic() if setting.task == "logistic" else Squared()
    if method == "tailproof":
        rule: Any = Gram(loss=loss, intercept=False, bars=False)
        return rule, rule.init(setting.columns)
    rule = ClippedSGD(loss=loss, level=SelfTuned(), steps=Harmonic(1.0 / setting.curvature, setting.gamma))
    return rule, rule.init(setting.columns, here.start)


def followed(rule: Any, state: Any, X: Numbers, y: Numbers | None, looks: tuple[int, ...]) -> list[Numbers]:
    """Where a rule stands at each look."""
    found, t = [], 0
    for look in looks:
        state = rule.step(state, X[t:look], None if y is None else y[t:look])
        found.append(_centre(rule.read(state)))
        t = look
    return found


def _centre(said: Any) -> Numbers:
    centre = said.theta if hasattr(said, "theta") else said.spread.centre
    return np.array(centre, np.float64)


def lengths(errors: Numbers, columns: int) -> Numbers:
    """Of the vectors that lie side by side in each row."""
    return np.asarray(np.linalg.norm(errors.reshape(len(errors), -1, columns), axis=2), np.float64)
