"""Estimates of differences as a table."""

import textwrap
from typing import Any

from ..difference_estimate import Comparison, DifferenceEstimate
from .table import GAP, INDENT, aligned, cut, fitted, number, printable, screen, widest

BESIDE = ["lift", "plain difference", "set aside"]
LONGEST_LABEL = 16


def difference_table(estimate: DifferenceEstimate, width: int | None = None) -> str:
    """How many rows each group has, and a line a difference. Narrow screens get what is beside it below."""
    wide = screen(width)
    head, body = _head(estimate), [_cells(estimate, one) for one in estimate.comparisons]
    more = [[*_beside(one), printable(one.verdict)] for one in estimate.comparisons]
    whole = aligned([*head, *BESIDE], [[*cells, *rest[:-1]] for cells, rest in zip(body, more, strict=True)])
    lines = [line + GAP + rest for line, rest in zip(whole, ["verdict", *(rest[-1] for rest in more)], strict=True)]
    if widest(lines) > wide:
        lines = _narrow(head, body, more, wide)
    return "\n".join([*textwrap.wrap(_counted(estimate), wide), *lines])


def _narrow(head: list[str], body: list[list[str]], more: list[list[str]], wide: int) -> list[str]:
    first, *lines = fitted(head, body, wide)
    shown = [first]
    for line, (lift, plain, aside, verdict) in zip(lines, more, strict=True):
        said = [f"lift {lift}" if lift else "", f"plain difference {plain}", f"{aside} set aside"]
        below = f"{verdict} ({', '.join(part for part in said if part)})"
        shown += [line, *textwrap.wrap(below, wide, initial_indent=INDENT, subsequent_indent=INDENT)]
    return shown


def _counted(estimate: DifferenceEstimate) -> str:
    parts = [f"{part.rows:,} of {_label(estimate.groups[k])}" for k, part in enumerate(estimate.parts)]
    used = ", ".join(part for k, part in enumerate(parts) if estimate.groups[k] is not None)
    return f"{printable(estimate.target or 'group')}: {used} rows used; {estimate.refused:,} refused"


def _head(estimate: DifferenceEstimate) -> list[str]:
    groups, base = estimate.groups, estimate.base
    named = [_label(groups[k]) for k in (base, *estimate.others)] if len(groups) == 2 else [_label(groups[base])]
    others = [] if len(groups) == 2 else ["group", "mean"]
    kind = "any-time " if estimate.anytime else ""
    interval = f"{100 * estimate.confidence:g} % {kind}interval"
    return ["metric", *(f"mean of {name}" for name in named), *others, "difference", interval]


def _cells(estimate: DifferenceEstimate, one: Comparison) -> list[str]:
    means = [number(one.baseline_mean), number(one.mean)]
    if len(estimate.groups) > 2:
        means.insert(1, _label(one.group))
    return [
        cut(printable(one.metric)),
        *means,
        number(one.difference),
        f"{number(one.low)} .. {number(one.high)}",
    ]


def _beside(one: Comparison) -> list[str]:
    return [
        "" if one.lift is None else f"{100 * one.lift:+.3g} %",
        number(one.plain_difference),
        _aside(one),
    ]


def _aside(one: Comparison) -> str:
    """The share of all rows of both groups that were set aside as gross."""
    count, rows = one.set_aside + one.baseline_set_aside, one.rows + one.baseline_rows
    return f"{100 * count / max(rows, 1):.2g} %"


def _label(label: Any) -> str:
    return "(none yet)" if label is None else cut(printable(str(label)), LONGEST_LABEL)
