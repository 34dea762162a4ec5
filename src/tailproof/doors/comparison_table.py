"""Comparisons as tables: a line a method, then what stands out, then the verdict."""

import math
import textwrap
from collections.abc import Sequence

import numpy as np

from ..comparison import SHARES, SPOKEN, Comparison, Method
from ..means_comparison import SPOKEN_OF_MEANS, ColumnComparison, MeansComparison
from .table import GAP, INDENT, SHORTEST_NAME, aligned, cut, fitted, printable, screen, widest

# More coefficients than this are for --json; those that are farthest from ours are shown.
MOST_TERMS = 20
# The index from which on a tail is called light, and the one below which it has no variance.
LIGHT, INFINITE = 4.0, 2.0
LARGEST_AWAY, LARGEST_TIMES = 1000.0, 1e6
NAMES = 24


def comparison_table(said: Comparison, width: int | None = None) -> str:
    """Errors, coefficients, rows that stand out, the tail and the verdict."""
    wide = screen(width)
    target = f"{cut(printable(said.target))}: " if said.target else ""
    counted = f"{target}{_counted(said)}"
    if not said.methods:
        return "\n".join([counted, *_verdict(said.verdict, wide)])
    lines = [
        *_wrapped(f"{counted}; {said.scored:,} of them predicted before they were learnt from", wide),
        "",
        *_methods(said, wide),
        *_wrapped(
            "error: the size that errors on rows not seen before do not exceed, in that share of them; farthest: the "
            "coefficient that is farthest from ours, in standard errors (s.e.)",
            wide,
        ),
        "",
        *_coefficients(said, wide),
        "",
        *_standing_out("rows that would have moved plain SGD most:", said, wide),
        *_wrapped(f"tail index of the errors: {_index(said.tail_index, bool(said.ours.set_aside))}", wide),
        *_verdict(said.verdict, wide),
    ]
    return "\n".join(line.rstrip() for line in lines)


def means_table(said: MeansComparison, width: int | None = None) -> str:
    """The same for each column."""
    wide = screen(width)
    lines = [_counted(said)]
    for one in said.parts:
        lines += ["", *_column(one, wide)]
    if len(said.parts) > 1:
        lines += ["", said.verdict]
    return "\n".join(line.rstrip() for line in lines)


def _counted(said: Comparison | MeansComparison) -> str:
    rows = "1 row" if said.rows == 1 else f"{said.rows:,} rows"
    return f"{rows} used, {said.refused:,} refused"


def _column(one: ColumnComparison, wide: int) -> list[str]:
    title = _wrapped(f"{cut(printable(one.target or ''))}: tail index {_index(one.tail_index)}", wide)
    if not one.methods:
        return [*title, *_verdict(one.verdict, wide)]
    head = ["method", "mean", "s.e. away", *_shares()]
    body = [_mean_cells(one, method) for method in one.methods]
    low, high = (float(ends[one.column]) for ends in (one.ours.low, one.ours.high))
    interval = f"ours with {100 * one.ours.confidence:g} % confidence: {low:.6g} .. {high:.6g}"
    rows = _standing_out("rows that moved the plain mean most:", one, wide)
    return [*title, *fitted(head, body, wide), interval, *rows, *_verdict(one.verdict, wide)]


def _methods(said: Comparison, wide: int) -> list[str]:
    """A line a method; the name of the farthest term, which is last, gets the room that is left."""
    head, body = ["method", *_shares(), "s.e. away"], [_cells(said, method) for method in said.methods]
    left = max(SHORTEST_NAME, wide - widest(aligned(head, body)) - len(GAP))
    names = [cut(_farthest(said, method), left) for method in said.methods]
    return aligned([*head, "farthest"], [[*cells, name] for cells, name in zip(body, names, strict=True)])


def _farthest(said: Comparison, method: Method) -> str:
    return "" if method.name == "ours" or said.diverged(method) else printable(said.farthest(method)[0])


def _shares() -> list[str]:
    """The quantiles' heads: the first says of what they are."""
    first, *others = (f"{share:g}".removeprefix("0") for share in SHARES)
    return [f"error {first}", *others]


def _cells(said: Comparison, method: Method) -> list[str]:
    if said.diverged(method):
        return [SPOKEN[method.name], *_diverged(said, method), ""]
    away = "" if method.name == "ours" else _away(said.farthest(method)[1])
    return [SPOKEN[method.name], *_losses(method), away]


def _mean_cells(one: ColumnComparison, method: Method) -> list[str]:
    name = SPOKEN_OF_MEANS[method.name]
    if one.diverged(method):
        return [name, "", "", *_diverged(one, method)]
    away = "" if method.name == "ours" else _away(one.farthest(method)[1])
    return [name, f"{method.theta[0]:.6g}", away, *_losses(method)]


def _diverged(said: Comparison, method: Method) -> list[str]:
    """What stands where the errors would."""
    row = f"row {said.place(method.lost)[1]:,}" if method.lost else ""
    return ["diverged", row, *[""] * (len(SHARES) - 2)]


def _losses(method: Method) -> list[str]:
    return [_short(method.loss[share]) if share in method.loss else "-" for share in SHARES]


def _coefficients(said: Comparison, wide: int) -> list[str]:
    """A line a term; methods that do not fit on the screen, or diverged, are left out."""
    methods = [method for method in said.methods if not said.diverged(method)]
    shown = _telling(said, methods)
    while True:
        head = ["coefficient", *(SPOKEN[method.name] for method in methods)]
        body = [[_name(said.terms[j]), *(_short(float(method.theta[j])) for method in methods)] for j in shown]
        lines = aligned(head, body)
        if widest(lines) <= wide or len(methods) <= 2:
            break
        methods = methods[:-1]
    left = len(said.terms) - len(shown)
    return [*lines, f"... and {left:,} more: --json has them all"] if left else lines


def _telling(said: Comparison, methods: Sequence[Method]) -> list[int]:
    """The terms to show, in order: all of them if they are few, else those that are farthest from ours."""
    if len(said.terms) <= MOST_TERMS:
        return list(range(len(said.terms)))
    # The descent as people write it is far off anywhere, and says nothing of the terms.
    away = np.zeros(len(said.terms))
    for method in methods[1:3]:
        found = said.away(method)
        away[: len(found)] = np.maximum(away[: len(found)], found)
    return sorted(np.argsort(-away, kind="stable")[:MOST_TERMS].tolist())


def _standing_out(title: str, said: Comparison, wide: int) -> list[str]:
    """Under a title the rows that go farthest, if there are any."""
    lines = [line for row, length in said.longest for line in _row(said, row, length, wide)]
    return [title, *lines] if lines else []


def _row(said: Comparison, row: int, length: float, wide: int) -> list[str]:
    file, there = said.place(row)
    where = f"row {there:,} of those used" if file is None else f"{printable(_spoken(file))}: row {there:,}"
    times = said.times(length)
    far = f", {_times(times)}as far as a middling row" if math.isfinite(times) else ""
    return textwrap.wrap(f"{where}{far}", wide, initial_indent="  ", subsequent_indent=INDENT)


def _times(times: float) -> str:
    if times >= LARGEST_TIMES:
        return f"over {LARGEST_TIMES:,.0f} times "
    return f"{times:,.0f} times " if times >= 1.5 else ""


def _spoken(file: str) -> str:
    return "stdin" if file == "-" else file


def _index(index: float | None, gross: bool = False) -> str:
    if index is None:
        return "unknown (too few rows, or no tail)"
    if gross:
        return f"{index:,.1f} (gross rows are among the largest and may hide the tail)"
    if index < INFINITE:
        return f"{index:.1f} (so heavy that the variance may be infinite)"
    return f"{index:.1f} (heavy)" if index < LIGHT else f"{index:,.1f} (light)"


def _verdict(verdict: str, wide: int) -> list[str]:
    """A sentence a line."""
    first, *others = verdict.split("; ")
    return [*_wrapped(f"verdict: {printable(first)}", wide), *(x for y in others for x in _further(y, wide))]


def _further(said: str, wide: int) -> list[str]:
    return textwrap.wrap(printable(said), wide, initial_indent="  ", subsequent_indent=INDENT)


def _wrapped(text: str, wide: int) -> list[str]:
    return textwrap.wrap(text, wide, subsequent_indent=INDENT)


def _name(name: str) -> str:
    return cut(printable(name), NAMES)


def _short(value: float) -> str:
    return f"{value:.4g}"


def _away(away: float) -> str:
    return f"over {LARGEST_AWAY:,.0f}" if away >= LARGEST_AWAY else f"{away:.1f}"
