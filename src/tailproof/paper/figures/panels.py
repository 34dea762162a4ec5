"""What a picture shows, as plain data: panels with named axes, and traces with names of looks."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from ..settings import Law
from ..telling import GAMMA, figure, records, seen, short

Plain = Mapping[str, Any]
Points = Sequence[Sequence[float | None]]

TAIL = "0.01"
# What is drawn of all that is written: the rivals' best candidates, and the paper's method also as it was chosen.
DRAWN = (
    "clipped-sgd",
    "clipped-sgd-validated",
    "sgd",
    "ridge",
    "lasso",
    "huber",
    "coordinate-mom",
    "geometric-mom",
    "round-robin-mom",
    "clipped-sgd-self-tuned",
    "tailproof",
)
AXES = {
    "start": "start, the same in each coordinate",
    "sigma2": "variance of the noise, σ²",
    "p": "columns, p",
    "columns": "columns, p",
    "rows": "rows, N",
    "law": "law of the rows",
    "noise": "law of the noise",
    "curvature": "assumed curvature, τ",
    "buckets": "buckets of the medians of means",
    "support": "coefficients that are not 0",
}
WIDE = ("p", "columns", "rows")


class Trace(NamedTuple):
    """One line: `look` is a method's name; ("series", k) is the k-th of like things, ("beside", k) its rival, and
    (method, k) a method under the k-th law."""

    label: str
    x: list[float]
    y: list[float | None]
    look: str | tuple[str, int]


class Panel(NamedTuple):
    """One pair of axes."""

    key: str
    title: str
    x_name: str
    y_name: str
    traces: list[Trace]
    x_scale: str = "linear"  # "linear", "log" or "share": shares from a half to a thousandth
    y_base: int = 10  # of the logarithmic axis
    levels: Sequence[tuple[str, float, tuple[str, int]]] = ()  # horizontal lines: name, height, look
    names: Sequence[str] = ()  # of the places 0, 1, ... on the axis

    @property
    def in_words(self) -> str:
        """What a person who cannot see the picture is told."""
        said = [f"{trace.label} from {figure(trace.y[0])} to {figure(trace.y[-1])}" for trace in self.traces if trace.y]
        return f"{self.title}: {self.y_name} against {self.x_name}. {'; '.join(said)}."


def panels_of(result: Plain) -> list[Panel]:
    """The panels of an experiment: those of the paper's figure where it is one of the paper's."""
    task = result["setting"]["task"]
    made = _of_intro(result) if result["experiment"] == "intro" else _of_odds(result) if task == "logistic" else None
    return [panel for panel in made or _of_any(result) if panel.traces]


def _of_any(result: Plain) -> Iterator[Panel]:
    yield _convergence(result)
    yield _quantiles(result)
    yield _against_level(result)
    if len(result["setting"]["gammas"]) > 1:
        yield _delays(result, "clipped-sgd", f"Convergence for different {GAMMA}, best level")
    for panel in dict.fromkeys(record["setting"]["panel"] for record in result["panels"]):
        yield _varied(result, panel)


def _loss(setting: Plain) -> str:
    return "l2 error, in standard deviations" if setting["task"] == "mean" else "l2 error (the truth has length 1)"


def _share_axis() -> str:
    return "δ: share of trials with a larger error"


def _shown(record: Plain) -> Iterator[tuple[str, Plain]]:
    for method in DRAWN:
        if method in record["methods"]:
            yield method, record["methods"][method]


def _convergence(result: Plain) -> Panel:
    traces = [_path(short(method), said["curve"], method) for method, said in _shown(result) if said["curve"]]
    return Panel(
        "convergence", "Expected convergence", "rows seen, t", f"mean {_loss(result['setting'])}", traces, "log"
    )


def _path(label: str, points: Points, look: str | tuple[str, int]) -> Trace:
    return Trace(label, [float(t) for t, _ in points if t is not None], [y for _, y in points], look)


def _tail(label: str, quantiles: Plain, look: str | tuple[str, int]) -> Trace:
    shares = sorted(quantiles, key=float, reverse=True)
    return Trace(label, [float(share) for share in shares], [quantiles[share] for share in shares], look)


def _quantiles(result: Plain) -> Panel:
    traces = [_tail(short(method), seen(said), method) for method, said in _shown(result)]
    name = f"Qδ of the {_loss(result['setting'])}"
    return Panel("quantiles", "Quantile loss of the last iterate", _share_axis(), name, traces, "share")


def _against_level(result: Plain) -> Panel:
    """Quantile loss against the clipping level, and where SGD without one stands."""
    by_share = result["methods"].get("clipped-sgd", {}).get("by_level_quantiles", {})
    shares = sorted(by_share, key=float, reverse=True)
    traces = [
        Trace(
            f"δ = {share}",
            [_level(result, c) for c, _ in by_share[share]],
            [q for _, q in by_share[share]],
            ("series", k),
        )
        for k, share in enumerate(shares)
    ]
    sgd = result["methods"].get("sgd", {}).get("quantiles", {})
    levels = [(f"SGD, {s}", sgd[s], ("series", k)) for k, s in enumerate(shares) if sgd.get(s) is not None]
    name = f"Qδ of the {_loss(result['setting'])}"
    return Panel("levels", "Quantile loss against the clipping level", "level λ", name, traces, "linear", 2, levels)


def _level(result: Plain, c: float) -> float:
    setting = result["setting"]
    return c * float(setting["rows"] * setting["columns"]) ** 0.5 if setting["level_unit"] == "root" else c


def _delays(result: Plain, method: str, title: str) -> Panel:
    """Convergence for each delay, and what plain SGD does with the same, where that is another method."""
    names = [method] if method == "sgd" else [method, "sgd"]
    traces = [
        _path(f"{short(name)}, {GAMMA} = {said['gamma']:g}", said["curve"], ("beside" if n else "series", k))
        for n, name in enumerate(names)
        for k, said in enumerate(result["methods"].get(name, {}).get("by_gamma", []))
    ]
    return Panel("delays", title, "rows seen, t", f"mean {_loss(result['setting'])}", traces, "log")


def _varied(result: Plain, panel: str) -> Panel:
    """The tail of each method against what varies; the main setting stands among the others."""
    members, names = _members(result, panel)
    methods = [m for m, _ in _shown(result) if sum(m in r["methods"] for _, r in members) > 1]
    traces = [
        Trace(short(method), [x for x, _ in there], [r["methods"][method]["quantiles"][TAIL] for _, r in there], method)
        for method in methods
        if not method.endswith("-validated")
        for there in [[(x, r) for x, r in members if method in r["methods"]]]
    ]
    axis = AXES.get(panel, panel)
    title = f"Quantile loss against {axis.split(',')[0]}, δ = {TAIL}"
    name = f"Qδ of the {_loss(result['setting'])}"
    return Panel(panel, title, axis, name, traces, "log" if panel in WIDE else "linear", 2, names=names)


def _members(result: Plain, panel: str) -> tuple[list[tuple[float, Plain]], list[str]]:
    """Settings by their place on a panel's axis; where they are of different kinds, one after the other by name."""
    mine = [r for r in records(result) if r["setting"]["panel"] in (panel, "main")]
    # Where a panel has the main setting itself, it is on as many trials as its neighbours, and is taken.
    mine = mine[1:] if any(r.get("of_main") for r in mine) else mine
    if panel in ("law", "noise") or len({_kind(r["setting"], panel) for r in mine}) > 1:
        return [(float(k), r) for k, r in enumerate(mine)], [_name(r["setting"], panel) for r in mine]
    placed = {x: r for r in mine if (x := _place(r["setting"], panel)) is not None}
    return sorted(placed.items(), key=lambda item: item[0]), []


def _kind(setting: Plain, panel: str) -> str:
    varied = setting.get(panel)
    return str(varied["kind"]) if isinstance(varied, dict) else ""


def _name(setting: Plain, panel: str) -> str:
    if panel in ("law", "noise"):
        return _law(setting, panel)
    return f"{setting[panel]['kind']} {setting[panel]['value']:g}"


def _place(setting: Plain, panel: str) -> float | None:
    """Where a setting stands on a panel's axis; None where it belongs to another panel."""
    if setting["panel"] == panel:
        return None if setting["value"] is None else float(setting["value"])
    if setting["panel"] != "main":
        return None
    found = setting["start"]["value"] if panel == "start" else setting.get({"p": "columns"}.get(panel, panel))
    return float(found) if isinstance(found, int | float) else None


def _of_intro(result: Plain) -> Iterator[Panel]:
    """Figure 1: tails under two laws, for each start."""
    starts = dict.fromkeys(record["setting"]["start"]["value"] for record in records(result))
    for start in starts:
        traces = [
            _tail(f"{short(method)}, {_law(record['setting'])}", seen(record["methods"][method]), (method, k))
            for k, record in enumerate(r for r in records(result) if r["setting"]["start"]["value"] == start)
            for method in ("sgd", "clipped-sgd", "tailproof")
            if method in record["methods"]
        ]
        name = f"Qδ of the {_loss(result['setting'])}"
        yield Panel(
            f"start-{start:g}", f"Tails, from θ₁ = ({start:g}, ..., {start:g})", _share_axis(), name, traces, "share"
        )


def _law(setting: Plain, which: str = "law") -> str:
    return str(Law(**setting[which]))


def _of_odds(result: Plain) -> Iterator[Panel]:
    """Delays for SGD; then levels, in convergence and in the tail."""
    yield _delays(result, "sgd", f"Convergence of SGD for different {GAMMA}")
    clipped, sgd = result["methods"].get("clipped-sgd", {}), result["methods"].get("sgd", {})
    curves = clipped.get("level_curves", [])
    delay = f"{GAMMA} = {result['setting']['gamma']:g}"
    traces = [_path(f"λ = {_level(result, c):g}", points, ("series", k)) for k, (c, points) in enumerate(curves)]
    traces += [_path("SGD", sgd["curve"], "sgd")] if sgd else []
    loss = _loss(result["setting"])
    yield Panel(
        "level-convergence", f"Convergence for different λ ({delay})", "rows seen, t", f"mean {loss}", traces, "log"
    )
    by_share = clipped.get("by_level_quantiles", {})
    tails = [
        _tail(f"λ = {_level(result, c):g}", {share: by_share[share][k][1] for share in by_share}, ("series", k))
        for k, (c, _) in enumerate(curves)
    ]
    tails += [_tail(short(m), seen(result["methods"][m]), m) for m in ("sgd", "tailproof") if m in result["methods"]]
    yield Panel(
        "level-quantiles",
        f"Quantile loss for different λ ({delay})",
        _share_axis(),
        f"Qδ of the {loss}",
        tails,
        "share",
    )
