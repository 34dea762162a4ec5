"""Estimates of regressions and classifications as tables."""

import math
import textwrap
from collections.abc import Sequence
from typing import Any

from ..classes_estimate import ClassesEstimate
from ..regression import RegressionEstimate, Term
from .table import INDENT, aligned, cut, fitted, number, printable, screen, widest

HEAD = ["term", "coefficient"]
LARGEST_AWAY = 1000.0


def regression_table(estimate: RegressionEstimate, solver: str, width: int | None = None) -> str:
    """A line a term: coefficient, interval, least squares and how far that is away; the verdict below."""
    wide = screen(width)
    lines = [
        *_wrapped(_counted(estimate, solver), wide),
        *_terms(estimate, wide),
        *_wrapped(printable(estimate.verdict), wide),
        *_warned(estimate.warnings, wide),
    ]
    return "\n".join(lines)


def classes_table(estimate: ClassesEstimate, solver: str, width: int | None = None) -> str:
    """One table for two classes, of the second against the first; else one a class, against all others."""
    wide = screen(width)
    lines = _wrapped(_counted(estimate, solver), wide)
    for k, part in enumerate(estimate.parts):
        apart = [""] if len(estimate.parts) > 1 else []
        lines += [*apart, *_wrapped(f"log-odds of {printable(estimate.title(k))}", wide), *_terms(part, wide)]
        lines += _wrapped(printable(estimate.verdict_of(k)), wide)
    return "\n".join([*lines, *_warned(estimate.warnings, wide)])


def _counted(estimate: Any, solver: str) -> str:
    target = f"{cut(printable(estimate.target))}: " if estimate.target else ""
    rows = "1 row" if estimate.rows == 1 else f"{estimate.rows:,} rows"
    return f"{target}{rows} used, {estimate.refused:,} refused; solver: {solver}"


def _warned(warnings: Sequence[str], wide: int) -> list[str]:
    return [line for warning in warnings for line in _wrapped(f"warning: {printable(warning)}", wide)]


def _wrapped(text: str, wide: int) -> list[str]:
    return textwrap.wrap(text, wide, subsequent_indent=INDENT)


def _terms(estimate: RegressionEstimate, wide: int) -> list[str]:
    head = [*HEAD, f"{100 * estimate.confidence:g} % interval"]
    body = [_cells(term) for term in estimate.terms]
    if estimate.least_squares is None:
        return fitted(head, body, wide)
    rival = "max. likelihood" if estimate.log_odds else "least squares"
    rivals = [_rival_cells(term) for term in estimate.terms]
    whole = [*head, rival, "s.e. away"], [[*cells, *others] for cells, others in zip(body, rivals, strict=True)]
    lines = aligned(*whole)
    if widest(lines) > wide:
        lines = fitted(*whole, wide)
    return lines if widest(lines) <= wide else _narrow(head, body, rival, rivals, wide)


def _narrow(head: list[str], body: list[list[str]], rival: str, rivals: list[list[str]], wide: int) -> list[str]:
    """The rival on a line of its own below each term."""
    first, *lines = fitted(head, body, wide)
    below = [f"{INDENT}{rival} {theirs}, {away} s.e. away" for theirs, away in rivals]
    return [first, *(line for pair in zip(lines, below, strict=True) for line in pair)]


def _cells(term: Term) -> list[str]:
    told = not math.isnan(term.low) and not math.isnan(term.high)
    interval = f"{number(term.low)} .. {number(term.high)}" if told else "unknown"
    return [cut(printable(term.name)), number(term.coefficient), interval]


def _rival_cells(term: Term) -> list[str]:
    theirs = "" if term.least_squares is None else number(term.least_squares)
    return [theirs, "" if term.away is None else _away(term.away)]


def _away(away: float) -> str:
    if math.isnan(away):
        return "unknown"
    return f"over {LARGEST_AWAY:,.0f}" if away >= LARGEST_AWAY else f"{away:.1f}"
