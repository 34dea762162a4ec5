"""What all pictures share: matplotlib where it is installed, one look, panels side by side, files."""

import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from math import ceil, inf, isfinite, log10
from pathlib import Path
from typing import Any

from ..errors import PictureError, RuleError

SUFFIXES = (".png", ".svg", ".pdf")
DOTS = 130
# What differs from run to run without saying anything of the data stays out of the files.
NAMELESS: dict[str, dict[str, None]] = {
    ".png": {"Software": None},
    ".svg": {"Date": None, "Creator": None},
    ".pdf": {"CreationDate": None, "Creator": None, "Producer": None},
}
# Where pictures are drawn is nobody's choice of taste.
KEPT = ("backend", "backend_fallback", "interactive", "toolbar", "timezone")
SETTINGS: dict[str, Any] = {
    "font.family": "DejaVu Sans",
    "font.size": 9.0,
    "axes.titlesize": 10.0,
    "axes.titleweight": "bold",
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "grid.color": "#dddddd",
    "grid.linewidth": 0.6,
    "axes.axisbelow": True,
    "lines.linewidth": 1.5,
    "lines.markersize": 4.5,
    "svg.hashsalt": "tailproof",
    "svg.fonttype": "path",
    "figure.facecolor": "white",
}
# Ours is dark, solid and filled, the plain method lighter, dashed and hollow: told apart in grey as well.
ROBUST, PLAIN, FAINT = "#0b3c5d", "#c8641e", "#666666"
# Roughly how wide a sign of a title is, in points: of the name and of the numbers.
NAME_SIGN, NUMBER_SIGN, GAP = 6.4, 4.4, 12.0
SHORTEST_NAME = 8


def need_matplotlib(remedy: str = "") -> None:
    """Said before hours of work, not after them. `remedy` is what else the person may do."""
    try:
        import matplotlib.figure  # noqa: F401
    except ImportError as error:
        raise PictureError(
            f"pictures need matplotlib, which is not installed: pip install 'tailproof[plot]'{remedy}"
        ) from error


def ready_to_save(path: str | os.PathLike[str], remedy: str = "") -> None:
    """Refuse, before any work is done, a file that no picture can be written to."""
    place = Path(path)
    if place.suffix.lower() not in SUFFIXES:
        raise PictureError(f"{place} names no kind of picture: end it in {', '.join(SUFFIXES[:-1])} or {SUFFIXES[-1]}")
    if not place.absolute().parent.is_dir():
        raise PictureError(f"{place} cannot be written: there is no folder {place.parent}")
    need_matplotlib(remedy)


@contextmanager
def styled(settings: Mapping[str, Any] = SETTINGS) -> Iterator[None]:
    """One look, whatever a person's own settings are."""
    need_matplotlib()
    from matplotlib import rc_context, rcParamsDefault

    fixed: Any = {**{k: v for k, v in rcParamsDefault.items() if k not in KEPT}, **settings}
    with rc_context(fixed):
        yield


def save(figure: Any, path: str | os.PathLike[str]) -> None:
    """Write a picture, of the kind that its name ends in."""
    kind = Path(path).suffix.lower()
    try:
        figure.savefig(path, format=kind[1:], dpi=DOTS, metadata=NAMELESS[kind])
    except OSError as error:
        raise PictureError(f"{path} cannot be written: {error.strerror or error}") from error


def panels_across(count: int, size: tuple[float, float]) -> int:
    """Few flat panels stand below one another, many side by side too; high ones side by side at once."""
    if size[0] > 3.0 * size[1]:
        return 1 if count <= 6 else 2 if count <= 20 else 3
    return min(count, 2 if count <= 4 else 3)


def panels(ax: Any, figure: Any, count: int, size: tuple[float, float]) -> list[Any]:
    """So many axes: the one given if one is enough, else parts of it, or of a figure that grows to hold them."""
    across = panels_across(count, size)
    down = ceil(count / across)
    if ax is None:
        figure.set_size_inches(size[0] * across, size[1] * down + 0.55)
        return list(figure.subplots(down, across, squeeze=False).ravel())
    if count == 1:
        return [ax]
    place = ax.get_subplotspec()
    if place is None:
        raise RuleError(f"{count} panels need an axes made by subplots, which can be divided; or draw one column only")
    ax.set_axis_off()
    parts = place.subgridspec(down, across)
    return [figure.add_subplot(parts[k // across, k % across]) for k in range(down * across)]


def title(axes: Any, name: str, right: str, width: float) -> None:
    """The name to the left, a few numbers to the right, of a panel so many inches wide."""
    room = max(SHORTEST_NAME, int((72.0 * width - GAP - NUMBER_SIGN * len(right)) / NAME_SIGN))
    axes.set_title(printable(name, room), loc="left", fontsize=9.0, fontweight="bold")
    axes.set_title(right, loc="right", fontsize=7.5, fontweight="normal", color=FAINT)


def printable(name: str, longest: int) -> str:
    """Nothing that matplotlib would read as a formula, nothing that it cannot draw, nothing too long."""
    short = name if len(name) <= longest else name[: longest - 3] + "..."
    return "".join(sign if sign.isprintable() else "?" for sign in short).replace("$", r"\$")


def brief(value: float, apart: float = inf) -> str:
    """A number as people read it in a picture; with more digits where others are as close as `apart`."""
    more = log10(abs(value) / apart) if isfinite(value) and value and 0.0 < apart < inf else 0.0
    digits = min(13, 4 + max(0, int(more)))
    if 1e4 <= abs(value) < 1e7:
        return f"{value:,.{max(0, digits - 1 - int(log10(abs(value))))}f}"
    return f"{value:.{digits}g}"


def chosen(names: Sequence[str], wanted: Sequence[str | int] | None, most: int) -> list[int]:
    """Which to draw: those wanted, by name or number; else all, up to as many as a picture can hold."""
    if wanted is None:
        return list(range(min(len(names), most)))
    return [_place(names, one) for one in wanted]


def _place(names: Sequence[str], one: str | int) -> int:
    if isinstance(one, str):
        if one not in names:
            listed = ", ".join(names[:8]) + (", ..." if len(names) > 8 else "")
            raise RuleError(f"there is no column {one!r} to draw; there are {listed}")
        return list(names).index(one)
    if not 0 <= one < len(names):
        raise RuleError(f"there is no column {one} to draw; they are numbered from 0 to {len(names) - 1}")
    return one
