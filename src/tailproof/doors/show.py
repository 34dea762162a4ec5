"""What a rule says, as a table or as JSON, on stdout."""

import json
from typing import Any

# What the settings of a run say about intervals, and about what was learned.
OF_INTERVALS = ("confidence", "anytime", "contaminated")
OF_MODELS = ("target", "targets", "labels", "baseline", "one_hot")


def said_by(rule: Any, state: Any, names: list[str] | None, settings: dict[str, Any]) -> Any:
    """The rule's estimate as the run that made the settings wants it told."""
    told = (*OF_INTERVALS, "target", "targets", "labels", "baseline")
    known = {name: settings[name] for name in told if name in settings}
    return rule.read(state).replace(names=names, **known)


def show(said: Any, rule: Any, state: Any, as_json: bool) -> None:
    """The table, or the JSON, of what the rule says."""
    if not hasattr(said, "to_dict"):
        print(json.dumps(_of_descent(said)) if as_json else said)
    elif hasattr(said, "columns"):
        _show_mean(said, rule, state, as_json)
    elif hasattr(said, "comparisons"):
        _show_difference(said, as_json)
    else:
        _show_model(said, rule, as_json)


def _show_mean(said: Any, rule: Any, state: Any, as_json: bool) -> None:
    radius = rule.radius(state, said.confidence) if getattr(rule, "groups", 0) and said.rows else None
    if as_json:
        whole = {} if radius is None else {"radius": radius if radius < float("inf") else None}
        print(json.dumps({**said.to_dict(), **whole}, allow_nan=False))
        return
    from .mean_table import mean_table
    from .table import number

    print(mean_table(said))
    if hasattr(said, "scales_told"):
        print(said.scales_told)
    if said.note:
        print(said.note)
    if radius == float("inf"):
        print("too few rows to say how far the whole vector of means may be from the truth")
    elif radius is not None:
        print(f"the whole vector of means is within {number(radius)} of the truth ({100 * said.confidence:g} %)")


def _show_difference(said: Any, as_json: bool) -> None:
    if as_json:
        print(said.to_json())
        return
    from .difference_table import difference_table

    print(difference_table(said))


def _show_model(said: Any, rule: Any, as_json: bool) -> None:
    from ..solvers import solver_of

    if as_json:
        told = said.to_dict()
        begin = {name: told[name] for name in ("rows", "refused", "rule")}
        print(json.dumps({**begin, "solver": solver_of(rule), **told}, allow_nan=False))
        return
    from .regression_table import classes_table, regression_table

    if hasattr(said, "outputs"):
        print("\n\n".join(regression_table(part, solver_of(rule)) for part in said.outputs))
        return
    print((classes_table if hasattr(said, "parts") else regression_table)(said, solver_of(rule)))


def _of_descent(said: Any) -> dict[str, Any]:
    return {
        "rows": said.rows,
        "refused": said.refused,
        "rule": said.rule,
        "theta": said.theta.tolist(),
        "share_clipped": said.share_clipped,
    }
