"""Panels drawn with matplotlib, which is an extra: no global state, and the same file for the same data."""

import io
from collections.abc import Mapping, Sequence
from math import ceil
from pathlib import Path
from typing import Any

from ...plots import canvas
from ...plots.canvas import DOTS
from ..telling import figure as number
from . import style
from .panels import Panel, Trace, panels_of

Plain = Mapping[str, Any]

WIDTH, HEIGHT = 4.6, 4.5  # of one panel, in inches
# Paths that have diverged would press all others flat: the axis ends at this many times the largest of the calm ones.
ROOM = 6.0
# Decades from one mark to the next, where there are many.
STRIDES = (50, 20, 10, 5, 3, 2)
# Round numbers in a decade, from few to many, and as many as an axis has room for.
STEPS = (
    (1.0,),
    (1.0, 3.0),
    (1.0, 2.0, 5.0),
    (1.0, 1.5, 2.0, 3.0, 5.0, 7.0),
    (1.0, 1.2, 1.4, 1.6, 1.8, 2.0, 2.5, 3.0, 3.5, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0),
    tuple(1.0 + 0.1 * k for k in range(20)) + tuple(3.0 + 0.2 * k for k in range(35)),
)
MOST_MARKS = 9
SHARES = (0.5, 0.05, 0.01, 0.005, 0.001)


def need_matplotlib() -> None:
    """Said before hours of work, not after them."""
    canvas.need_matplotlib(", or leave them out with --no-pictures")


def write(result: Plain, folder: str | Path) -> list[Path]:
    """All panels of an experiment in one picture, as PNG and as SVG."""
    panels = panels_of(result)
    if not panels:
        return []
    base = Path(folder)
    base.mkdir(parents=True, exist_ok=True)
    paths = [base / f"{result['experiment']}.{kind}" for kind in ("png", "svg")]
    need_matplotlib()
    with canvas.styled():
        picture = _picture(panels, _columns(len(panels)))
        for path in paths:
            _save(picture, path, path.suffix[1:])
    return paths


def panel_svg(panel: Panel) -> str:
    """One panel alone."""
    need_matplotlib()
    with canvas.styled():
        text = io.BytesIO()
        _save(_picture([panel], 1), text, "svg")
    return text.getvalue().decode("utf-8")


def _columns(count: int) -> int:
    return {1: 1, 2: 2, 4: 2}.get(count, 3)


def _save(picture: Any, target: Any, kind: str) -> None:
    """Without the date and the maker, which would differ from run to run."""
    picture.savefig(target, format=kind, dpi=DOTS, metadata=canvas.NAMELESS[f".{kind}"])


def _picture(panels: Sequence[Panel], columns: int) -> Any:
    from matplotlib.figure import Figure

    rows = ceil(len(panels) / columns)
    made = Figure(figsize=(WIDTH * columns, HEIGHT * rows), layout="constrained")
    for place, panel in enumerate(panels, start=1):
        _draw(made.add_subplot(rows, columns, place), panel)
    return made


def _draw(axes: Any, panel: Panel) -> None:
    _scale(axes, panel)
    for trace in panel.traces:
        gaps = [float("nan") if y is None else y for y in trace.y]
        drawn = style.look(trace.look, len(trace.x))
        if panel.names:
            # There is nothing between one name and the next.
            drawn["linestyle"] = "none"
        axes.plot(_places(panel, trace), gaps, label=trace.label, **drawn)
    for label, height, look in panel.levels:
        shade = style.look(look, 1)["color"]
        axes.axhline(height, color=shade, linestyle=(0, (1, 2)), linewidth=1.0, zorder=1)
        axes.annotate(label, (1.01, height), xycoords=("axes fraction", "data"), **style.BESIDE)
    axes.set_title(panel.title)
    axes.set_xlabel(panel.x_name)
    axes.set_ylabel(panel.y_name)
    _ticks(axes, panel)
    columns = 2 if max(len(trace.label) for trace in panel.traces) > 11 else 4
    axes.legend(loc="upper center", bbox_to_anchor=(0.5, -0.2), ncols=columns, **style.LEGEND)


def _places(panel: Panel, trace: Trace) -> list[float]:
    """Shares stand evenly in the logarithm of their inverse."""
    return [1.0 / share for share in trace.x] if panel.x_scale == "share" else trace.x


def _scale(axes: Any, panel: Panel) -> None:
    if panel.x_scale != "linear":
        axes.set_xscale("log")
    axes.set_yscale("log", base=panel.y_base)


def _ticks(axes: Any, panel: Panel) -> None:
    from matplotlib.ticker import FixedLocator, NullLocator

    calm = sorted(max(found) for trace in panel.traces if (found := [y for y in trace.y if y is not None]))
    low, high = axes.get_ylim()
    if calm and high > ROOM * calm[len(calm) // 2] * 10.0:
        axes.set_ylim(low, ROOM * calm[len(calm) // 2])
    low, high = axes.get_ylim()
    axes.yaxis.set_major_locator(FixedLocator(_marks(low, high)))
    axes.yaxis.set_minor_locator(NullLocator())
    axes.yaxis.set_major_formatter(_plain)
    axes.set_ylim(low, high)
    if panel.x_scale == "share":
        axes.set_xticks([1.0 / share for share in SHARES], [f"{share:g}" for share in SHARES], minor=False)
        axes.xaxis.set_minor_locator(NullLocator())
    elif panel.names:
        axes.set_xticks(range(len(panel.names)), panel.names)
    else:
        axes.xaxis.set_major_formatter(_plain)
    places = sorted({x for trace in panel.traces for x in trace.x})
    if panel.x_scale == "log" and len(places) < 8:
        axes.xaxis.set_major_locator(FixedLocator(places))
        axes.xaxis.set_minor_locator(NullLocator())


def _plain(value: float, _: int) -> str:
    return number(value)


def _marks(low: float, high: float) -> list[float]:
    """Round numbers for a logarithmic axis: as many as there is room for."""
    found: list[float] = []
    for stride, steps in [*((stride, (1.0,)) for stride in STRIDES), *((1, steps) for steps in STEPS)]:
        inside = [m for m in (step * 10.0**k for k in range(-300, 301, stride) for step in steps) if low <= m <= high]
        if len(inside) > MOST_MARKS:
            break
        found = inside
    return found
