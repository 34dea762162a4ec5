"""Judges of claims: each takes the results of an experiment, and says our figure and whether the claim held."""

from collections.abc import Mapping
from functools import partial
from math import log, log2, sqrt
from typing import Any, NamedTuple

from .telling import figure, records, seen, spoken

Plain = Mapping[str, Any]

RIVALS = {
    "mean": ("sgd", "coordinate-mom", "geometric-mom", "coordinate-mom-literal", "geometric-mom-literal"),
    "linear": ("sgd", "ridge", "lasso", "huber"),
}
# How words of the paper are read as numbers. Similar: within half as much again; in control: within twice; much
# worse: by a quarter or more; like SGD: within a tenth; linear: a correlation of at least .99.
SIMILAR, CONTROLLED, MUCH, LIKE = 1.5, 2.0, 1.25, 0.1
STRAIGHT = 0.99


class Finding(NamedTuple):
    """Our figure, and whether the claim held; None: these results cannot say."""

    figure: str
    held: bool | None


class Missing(KeyError):
    """A number that these results do not have."""


# ---------------------------------------------------------------------------------------- numbers out of results


def method_of(record: Plain, method: str) -> Plain:
    if method not in record["methods"]:
        raise Missing(spoken(method))
    found: Plain = record["methods"][method]
    return found


def mean_of(record: Plain, method: str) -> float:
    return number_of(method_of(record, method)["mean"])


def tail_of(record: Plain, method: str, share: str = "0.001") -> float:
    """A quantile, where at least one error of these trials is beyond it."""
    known = seen(method_of(record, method))
    if share not in known:
        raise Missing(f"Q{share.removeprefix('0')}: the trials are too few")
    return number_of(known[share])


def number_of(value: float | None) -> float:
    """What has diverged is beyond all numbers."""
    return float("inf") if value is None else value


def ratio_of(record: Plain, method: str) -> float:
    return tail_of(record, method) / mean_of(record, method)


def levels_of(record: Plain, method: str = "clipped-sgd") -> list[tuple[float, float, float]]:
    found = method_of(record, method).get("by_level")
    if not found:
        raise Missing("losses by level")
    return [(c, number_of(mean), number_of(tail)) for c, mean, tail in found]


def delays_of(record: Plain, method: str) -> dict[float, float]:
    found = method_of(record, method).get("by_gamma")
    if not found:
        raise Missing("losses by gamma")
    return {said["gamma"]: number_of(said["mean"]) for said in found}


def panel_of(result: Plain, panel: str) -> list[tuple[float, Plain]]:
    """The settings of a panel with the main one, by what varies."""
    field = {"p": "columns"}.get(panel, panel)
    found = [(r["setting"]["value"], r) for r in result["panels"] if r["setting"]["panel"] == panel]
    if not found:
        raise Missing(f"settings that vary {panel}")
    main = result["setting"][field]
    place = main["value"] if isinstance(main, dict) else main
    # Where the panel has the main value itself, it is on as many trials as its neighbours.
    found += [] if any(x == place for x, _ in found) else [(place, result)]
    return sorted(found, key=lambda item: item[0])


def setting_named(result: Plain, name: str) -> Plain:
    for record in records(result):
        if record["setting"]["name"] == name:
            return record
    raise Missing(f"setting {name}")


def rivals_of(record: Plain, ending: str = "") -> list[str]:
    """The paper's own rivals that were run; with an ending, chosen as the paper's method is."""
    task = record["setting"]["task"]
    found = [name + ending if name + ending in record["methods"] else name for name in RIVALS[task]]
    found = [name for name in found if name in record["methods"]]
    if not found:
        raise Missing("rivals")
    return found


# ----------------------------------------------------------------------------------------------------- judges


def deviation(result: Plain) -> Finding:
    """Figure 1: SGD under the heavy tail against SGD under the light one."""
    heavy, light = (ratio_of(setting_named(result, f"{law}, theta1=0"), "sgd") for law in ("Pareto 2.1", "Gaussian"))
    said = f"SGD's Q.001 is {figure(heavy)} times its mean under Pareto 2.1, {figure(light)} times under the Gaussian"
    return Finding(said, heavy > 2.0 * light)


def tail_under(law: str, result: Plain) -> Finding:
    """Figure 1: clipped SGD's tail against SGD's, from both starts."""
    pairs = [
        (tail_of(record, "clipped-sgd"), tail_of(record, "sgd"))
        for record in (setting_named(result, f"{law}, theta1={start}") for start in (0, 1))
    ]
    told = "; ".join(
        f"{figure(clipped)} against {figure(sgd)} from theta1={start}" for start, (clipped, sgd) in enumerate(pairs)
    )
    return Finding(f"Q.001 of clipped SGD against that of SGD: {told}", all(2.0 * a < b for a, b in pairs))


def rate(result: Plain) -> Finding:
    """The slope of the squared error in N over the last three quarters of a decade."""
    curve = [(t, y) for t, y in method_of(result, "clipped-sgd")["curve"] if y and t >= result["setting"]["rows"] / 5]
    if len(curve) < 2:
        raise Missing("convergence curve")
    (begin, first), (end, last) = curve[0], curve[-1]
    slope = 2.0 * log(last / first) / log(end / begin)
    said = f"the squared error falls as N^{slope:.2f} from row {begin:.0f} to {end:.0f}, with the level best at the end"
    return Finding(said, slope <= -0.9)


def ten_times(result: Plain) -> Finding:
    said = method_of(result, "sgd")
    ratio, mean, tail = ratio_of(result, "sgd"), mean_of(result, "sgd"), tail_of(result, "sgd")
    squares = mean**2 + number_of(said["standard_error"]) ** 2 * max(said["trials"] - 1, 1)
    return Finding(
        f"Q.001 of SGD is {figure(tail)}, {figure(ratio)} times its mean {figure(mean)}; in squared loss "
        f"{figure(tail**2 / squares)} times",
        ratio > 10.0,
    )


def tame(method: str, limit: float, result: Plain) -> Finding:
    ratio = ratio_of(result, method)
    return Finding(
        f"Q.001 of {spoken(method)} is {figure(ratio)} times its mean ({figure(tail_of(result, method))} to "
        f"{figure(mean_of(result, method))})",
        ratio <= limit,
    )


def medians_worse(result: Plain) -> Finding:
    ours = mean_of(result, "clipped-sgd")
    found = {name: mean_of(result, name) for name in rivals_of(result) if name != "sgd"}
    if not found:
        raise Missing("medians of means")
    told = ", ".join(f"{spoken(name)} {figure(mean)}" for name, mean in found.items())
    return Finding(f"mean of clipped SGD {figure(ours)}; {told}", min(found.values()) >= MUCH * ours)


def medians_wild(result: Plain) -> Finding:
    found = {name: ratio_of(result, name) for name in rivals_of(result) if name != "sgd"}
    if not found:
        raise Missing("medians of means")
    told = ", ".join(f"{spoken(name)} {figure(ratio)}" for name, ratio in found.items())
    return Finding(f"Q.001 over the mean: {told}", min(found.values()) > CONTROLLED)


def better_at_levels(result: Plain) -> Finding:
    mean, tail = mean_of(result, "sgd"), tail_of(result, "sgd")
    levels = levels_of(result)[1:]  # the smallest has a claim of its own
    better = [c for c, m, q in levels if m <= mean and q <= tail]
    said = f"mean and Q.001 are below SGD's at {len(better)} of {len(levels)} levels beyond the smallest"
    least, greatest = min(q for _, _, q in levels), max(q for _, _, q in levels)
    return Finding(
        f"{said} (Q.001 from {figure(least)} to {figure(greatest)}; SGD {figure(tail)})", len(better) == len(levels)
    )


def too_small(result: Plain) -> Finding:
    levels = levels_of(result)
    (c, smallest, _), (best, least, _) = levels[0], min(levels, key=lambda item: item[1])
    said = f"mean {figure(smallest)} at the smallest level, c={c:g}; the best is {figure(least)} at c={best:g}"
    return Finding(said, smallest > least)


def too_large(result: Plain) -> Finding:
    (c, largest, tail), mean = levels_of(result)[-1], mean_of(result, "sgd")
    said = f"mean {figure(largest)} at c={c:g}, SGD {figure(mean)}"
    said += f"; but Q.001 {figure(tail)} against {figure(tail_of(result, 'sgd'))}"
    return Finding(said, abs(largest / mean - 1.0) <= LIKE)


def starts(result: Plain) -> Finding:
    told, held = [], True
    for method in ("clipped-sgd", "sgd"):
        means = [(x, mean_of(record, method)) for x, record in panel_of(result, "start") if 0.0 < x <= 1.0]
        least, most = min(m for _, m in means), max(m for _, m in means)
        told.append(f"{spoken(method)} {figure(least)} to {figure(most)}")
        held = held and most <= (1.0 + LIKE) * least
    return Finding(f"means from starts 1/16 to 1: {', '.join(told)}", held)


def outperforms(ending: str, result: Plain) -> Finding:
    """In the mean and in the tail: the nearest rival is told."""
    ours = "clipped-sgd" + ending
    rivals = rivals_of(result, ending)
    told, held = [], True
    for words, number in (("mean", mean_of), ("Q.01", partial(tail_of, share="0.01")), ("Q.001", tail_of)):
        nearest = min(rivals, key=lambda name: number(result, name))
        mine, theirs = number(result, ours), number(result, nearest)
        told.append(f"{words} {figure(mine)}, next {spoken(nearest)} {figure(theirs)}")
        held = held and mine < theirs
    return Finding("; ".join(told) + (_tail_by_level(result) if not ending else ""), held)


def _tail_by_level(result: Plain) -> str:
    """The level that is best on average need not have the best tail."""
    by_level = method_of(result, "clipped-sgd").get("by_level") or []
    if not by_level:
        return ""
    c, _, least = min(levels_of(result), key=lambda item: item[2])
    if least > 0.9 * tail_of(result, "clipped-sgd"):
        return ""
    return f" (the level that is best for the tail, c={c:g}, has Q.001 {figure(least)})"


def delay_chosen(result: Plain) -> Finding:
    best = method_of(result, "clipped-sgd")["chosen"].get("gamma")
    usual = method_of(result, "clipped-sgd-validated")["chosen"].get("choices") or []
    if best is None or not usual:
        raise Missing("choice of gamma")
    wanted = result["setting"]["gamma"]
    share = sum(part for _, gamma, part in usual if gamma == wanted)
    said = f"least mean loss at gamma={best:g}; validation takes {wanted:g} in {100 * share:.0f} % of the trials"
    return Finding(said, best == wanted and share > 0.5)


def straight(result: Plain) -> Finding:
    """How well Q_delta is a straight line in sqrt(log2(1/delta))."""
    quantiles = method_of(result, "clipped-sgd")["quantiles"]
    points = [(sqrt(log2(1.0 / float(share))), number_of(q)) for share, q in quantiles.items() if float(share) < 0.5]
    found = correlation(points)
    return Finding(f"correlation of Q with sqrt(log2(1/delta)) for delta <= .05: {found:.4f}", found >= STRAIGHT)


def correlation(points: list[tuple[float, float]]) -> float:
    n = len(points)
    x, y = sum(a for a, _ in points) / n, sum(b for _, b in points) / n
    across = sum((a - x) * (b - y) for a, b in points)
    spread = sum((a - x) ** 2 for a, _ in points) * sum((b - y) ** 2 for _, b in points)
    return across / sqrt(spread) if spread > 0.0 else 0.0


def delay_needed(result: Plain) -> Finding:
    told, held = [], True
    for method in ("clipped-sgd", "sgd"):
        means = delays_of(result, method)
        small, best = means[min(means)], min(means.values())
        told.append(f"{spoken(method)} {figure(small)} at gamma={min(means):g}, {figure(best)} at best")
        held = held and small > MUCH * best
    return Finding("means: " + "; ".join(told), held)


def best_along(panel: str, result: Plain) -> Finding:
    """Q.01 of clipped SGD is below that of every rival at every point of a panel."""
    members = panel_of(result, panel)
    won = [
        x
        for x, r in members
        if tail_of(r, "clipped-sgd", "0.01") < min(tail_of(r, name, "0.01") for name in rivals_of(r))
    ]
    first, last = (tail_of(record, "clipped-sgd", "0.01") for _, record in (members[0], members[-1]))
    said = f"Q.01 is below every rival's at {len(won)} of {len(members)} values of {panel}"
    return Finding(f"{said}; it goes from {figure(first)} to {figure(last)}", len(won) == len(members))


def lasso(result: Plain) -> Finding:
    clipped, lasso, sgd = (mean_of(result, name) for name in ("clipped-sgd", "lasso", "sgd"))
    said = f"means: clipped SGD {figure(clipped)}, lasso {figure(lasso)}, SGD {figure(sgd)}, which has no penalty"
    return Finding(said, clipped < lasso < 0.97 * sgd)


def best_delay(result: Plain) -> Finding:
    means = delays_of(result, "sgd")
    told = ", ".join(f"{gamma:g}: {figure(mean)}" for gamma, mean in means.items())
    return Finding(f"mean of SGD by gamma: {told}", means[2000.0] <= min(means.values()))


def half_wins(result: Plain) -> Finding:
    at, sgd = {c: mean for c, mean, _ in levels_of(result)}, mean_of(result, "sgd")
    if 0.5 not in at:
        raise Missing("level .5")
    return Finding(f"mean {figure(at[0.5])} at lambda=.5, SGD {figure(sgd)}", MUCH * at[0.5] < sgd)


def half_tail(result: Plain) -> Finding:
    tails = {c: tail for c, _, tail in levels_of(result)}
    told = ", ".join(f"{c:g}: {figure(tail)}" for c, tail in tails.items())
    best = min(tails, key=lambda c: tails[c])
    return Finding(f"Q.001 by lambda: {told}; SGD {figure(tail_of(result, 'sgd'))}", best == 0.5)
