"""Lines that stand in columns and read well in a terminal."""

import shutil
import unicodedata
from collections.abc import Sequence

GAP = "  "
LONGEST_NAME = 40
SHORTEST_NAME = 12
INDENT = " " * 4


def screen(width: int | None = None) -> int:
    """How wide the terminal is; what is no terminal is wide."""
    return width if width is not None else shutil.get_terminal_size((200, 24)).columns


def aligned(head: list[str], body: list[list[str]]) -> list[str]:
    """Rows as lines: the first cell to the left, the others to the right."""
    widths = [max(places(row[k]) for row in [head, *body]) for k in range(len(head))]
    return [_line(row, widths) for row in [head, *body]]


def fitted(head: list[str], body: list[list[str]], wide: int) -> list[str]:
    """Rows as lines, with names cut where that makes them as narrow as the screen."""
    numbers = max(places(line) for line in aligned(head[1:], [cells[1:] for cells in body]))
    longest = max(SHORTEST_NAME, wide - numbers - len(GAP))
    return aligned(head, [[cut(cells[0], longest), *cells[1:]] for cells in body])


def _line(cells: Sequence[str], widths: Sequence[int]) -> str:
    padding = [" " * (width - places(cell)) for cell, width in zip(cells, widths, strict=True)]
    return GAP.join(
        [cells[0] + padding[0], *(space + cell for cell, space in zip(cells[1:], padding[1:], strict=True))]
    )


def widest(lines: Sequence[str]) -> int:
    return max(places(line) for line in lines)


def number(value: float) -> str:
    """Six digits, no more: a mean with an error bar has no use for others."""
    return f"{value:.6g}"


def printable(text: str) -> str:
    """Line ends and what else a terminal would obey instead of showing."""
    return "".join(sign if sign.isprintable() else ascii(sign)[1:-1] for sign in text)


def cut(name: str, longest: int = LONGEST_NAME) -> str:
    return name if len(name) <= longest else name[: longest - 3] + "..."


def places(text: str) -> int:
    """Places on the screen: some signs take two, and some none."""
    return sum(_places_of(sign) for sign in text)


def _places_of(sign: str) -> int:
    if unicodedata.combining(sign):
        return 0
    return 2 if unicodedata.east_asian_width(sign) in "WF" else 1
