"""Table 1 for a terminal: beside each other where the screen is wide enough, else one method below the other."""

from shutil import get_terminal_size
from textwrap import wrap
from typing import Any

from .table1 import ROWS, Row, aim

GAP = "  "
INDENT = " " * 4
NARROWEST = 40
HEAD = ("method", "rows in all", "rows at a time")
LEGEND = (
    "Leading orders without their constants. κ = τu/τl; r0 = R(θ1) - R(θ*); R the diameter of the domain; "
    "σ² the variance of gradient noise; wanted: risk within ε with probability 1 - δ."
)


def table1_text(width: int | None = None, **stated: Any) -> str:
    """The formulas; and what they come to, where tau_l, tau_u, sigma2, eps, delta, r0 (and perhaps R) are given.

    Names and footnotes say what was misprinted and is corrected here.
    """
    wide = max(NARROWEST, width if width is not None else get_terminal_size((120, 24)).columns)
    if stated:
        aim(**stated)
    lines = _abreast(stated)
    if max(len(line) for line in lines) > wide:
        lines = _stacked(stated, wide)
    return "\n".join([*lines, "", *wrap(LEGEND, wide), *_stated(stated, wide), "", *_corrections(wide)])


def _cells(row: Row, stated: dict[str, Any]) -> tuple[str, ...]:
    values = (magnitude(row.samples(**stated)), magnitude(row.batch(**stated))) if stated else ()
    return (row.method + _marks(row), row.samples_formula, *values[:1], row.batch_formula, *values[1:])


def _marks(row: Row) -> str:
    """The numbers of its footnotes."""
    known = _footnotes()
    marks = ",".join(str(k) for k in sorted(known.index(text) + 1 for text in row.corrections))
    return f" [{marks}]" if marks else ""


def _footnotes() -> list[str]:
    """Each correction once, in the order of the rows."""
    return list(dict.fromkeys(text for row in ROWS for text in row.corrections))


def _abreast(stated: dict[str, Any]) -> list[str]:
    head = (HEAD[0], HEAD[1], "here", HEAD[2], "here") if stated else HEAD
    body = [_cells(row, stated) for row in ROWS]
    widths = [max(len(cells[k]) for cells in [head, *body]) for k in range(len(head))]
    lines = [_line(head, widths), _line(tuple("-" * width for width in widths), widths)]
    for noise in dict.fromkeys(row.noise for row in ROWS):
        lines.append(f"{noise} noise")
        lines += [_line(cells, widths) for cells, row in zip(body, ROWS, strict=True) if row.noise == noise]
    return lines


def _line(cells: tuple[str, ...], widths: list[int]) -> str:
    return GAP.join(cell.ljust(width) for cell, width in zip(cells, widths, strict=True)).rstrip()


def _stacked(stated: dict[str, Any], wide: int) -> list[str]:
    lines = []
    for row in ROWS:
        lines += wrap(f"{row.method}{_marks(row)}, {row.noise} noise", wide)
        cells = _cells(row, stated)[1:]
        values = cells[1::2] if stated else ("", "")
        formulas = cells[::2] if stated else cells
        for name, formula, value in zip(HEAD[1:], formulas, values, strict=True):
            text = f"{name}: {formula}" if value in ("", formula) else f"{name}: {formula} = {value}"
            lines += wrap(text, wide, initial_indent=INDENT, subsequent_indent=2 * INDENT)
    return lines


def _stated(stated: dict[str, Any], wide: int) -> list[str]:
    if not stated:
        return []
    given = ", ".join(f"{name} = {value:g}" for name, value in aim(**stated)._asdict().items())
    return wrap(f"Here {given}.", wide)


def _corrections(wide: int) -> list[str]:
    lines = []
    for mark, text in enumerate(_footnotes(), start=1):
        lines += wrap(f"[{mark}] {text}", wide, subsequent_indent=INDENT)
    return lines


def magnitude(value: float) -> str:
    """Three digits are more than a leading order has."""
    return f"{value:,.0f}" if value < 1e6 else f"{value:.2e}"
