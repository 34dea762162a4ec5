"""How things look: told apart without colour, by dash and by marker; colours that colour-blind people tell apart."""

from typing import Any

LEGEND: dict[str, Any] = {"frameon": False, "fontsize": 8.0, "handlelength": 3.6, "borderaxespad": 0.0}
BESIDE: dict[str, Any] = {
    "ha": "left",
    "va": "center",
    "annotation_clip": False,
    "fontsize": 7.0,
    "color": "#444444",
}

DASHED, DOTTED, DASH_DOT = (0, (5, 2)), (0, (1, 1.3)), (0, (5, 1.5, 1, 1.5))
LONG, TWO_DOTS = (0, (9, 2)), (0, (5, 1.5, 1, 1.5, 1, 1.5))
METHODS: dict[str, tuple[str, Any, str]] = {
    "clipped-sgd": ("#0072B2", "solid", "o"),
    "clipped-sgd-validated": ("#0072B2", DOTTED, "h"),
    "sgd": ("#D55E00", DASHED, "s"),
    "ridge": ("#E69F00", DOTTED, "^"),
    "lasso": ("#CC79A7", DASH_DOT, "v"),
    "huber": ("#009E73", LONG, "D"),
    "coordinate-mom": ("#E69F00", DOTTED, "^"),
    "geometric-mom": ("#CC79A7", DASH_DOT, "v"),
    "round-robin-mom": ("#009E73", LONG, "D"),
    "clipped-sgd-self-tuned": ("#666666", TWO_DOTS, "x"),
    "tailproof": ("#000000", "solid", "*"),
}
# Like things in their order: from light to dark, so that the order is seen in grey as well.
SERIES: tuple[tuple[str, Any, str], ...] = (
    ("#E69F00", "solid", "o"),
    ("#56B4E9", DASHED, "P"),
    ("#CC79A7", DASH_DOT, "^"),
    ("#009E73", LONG, "D"),
    ("#0072B2", TWO_DOTS, "v"),
    ("#000000", DOTTED, "x"),
)
MARKS = 9


def look(name: str | tuple[str, int], points: int) -> dict[str, Any]:
    """Colour, dash and marker of a trace. Markers are thinned out on long ones."""
    if isinstance(name, str):
        shade, dash, marker = METHODS[name]
        filled = shade if not name.endswith("-validated") else "white"
    elif name[0] in ("series", "beside"):
        shade, dash, marker = SERIES[name[1] % len(SERIES)]
        dash, filled = (dash, shade) if name[0] == "series" else (DOTTED, "white")
    else:
        # The same method under another law: the same colour and marker, hollow and dashed.
        shade, _, marker = METHODS[name[0]]
        dash, filled = (DASHED, "white") if name[1] else ("solid", shade)
    every = max(1, points // MARKS)
    return {
        "color": shade,
        "linestyle": dash,
        "marker": marker,
        "markerfacecolor": filled,
        "markevery": every,
        "markersize": 7.0 if marker == "*" else 4.5,
    }
