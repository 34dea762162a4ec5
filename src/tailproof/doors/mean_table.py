"""Estimates of means as a table."""

import textwrap

from ..estimate import Column, MeanEstimate
from .table import GAP, INDENT, aligned, cut, fitted, number, printable, screen, widest

COUNTED = ("rows used", "refused")


def mean_table(estimate: MeanEstimate, width: int | None = None) -> str:
    """A line a column: robust mean, interval, plain mean, rows, verdict. Narrow screens get the verdict below, and
    the rows, which are the same for all columns, above."""
    wide = screen(width)
    head = ["column", "mean", f"{100 * estimate.confidence:g} % interval", "plain mean"]
    body = [_cells(column) for column in estimate.columns]
    verdicts = [column.verdict for column in estimate.columns]
    counts = [f"{estimate.rows:,}", f"{estimate.refused:,}"]
    whole = aligned([*head, *COUNTED], [[*cells, *counts] for cells in body])
    lines = [line + GAP + verdict for line, verdict in zip(whole, ["verdict", *verdicts], strict=True)]
    if widest(lines) > wide:
        counted = ", ".join(f"{count} {what}" for count, what in zip(counts, COUNTED, strict=True))
        lines = [counted, *_narrow(head, body, verdicts, wide)]
    return "\n".join(lines)


def _narrow(head: list[str], body: list[list[str]], verdicts: list[str], wide: int) -> list[str]:
    first, *lines = fitted(head, body, wide)
    shown = [first]
    for line, verdict in zip(lines, verdicts, strict=True):
        shown += [line, *textwrap.wrap(verdict, wide, initial_indent=INDENT, subsequent_indent=INDENT)]
    return shown


def _cells(column: Column) -> list[str]:
    return [
        cut(printable(column.name)),
        number(column.mean),
        f"{number(column.low)} .. {number(column.high)}",
        number(column.plain_mean),
    ]
