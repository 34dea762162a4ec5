"""Settings, methods and numbers in words: one telling for the terminal, the page and the documents."""

from collections.abc import Iterator, Mapping
from math import isfinite
from typing import Any, NamedTuple

from .settings import Experiment, Law, Setting, Start

Plain = Mapping[str, Any]

# Quantiles of the table, in its order.
SHARES = ("0.05", "0.01", "0.001")
HEAD = ("method", "chosen", "mean", "Q.05", "Q.01", "Q.001", "trials")
# Below this many, Q.001 rests on less than ten losses.
MANY = 10_000

SPOKEN = {
    "clipped-sgd": "clipped SGD",
    "sgd": "SGD",
    "ridge": "ridge",
    "lasso": "lasso",
    "huber": "Huber",
    "coordinate-mom": "coordinate-wise MoM",
    "geometric-mom": "geometric MoM",
    "coordinate-mom-literal": "coordinate-wise MoM, as printed",
    "geometric-mom-literal": "geometric MoM, as printed",
    "round-robin-mom": "round-robin MoM (ours)",
    "tailproof": "tailproof, defaults (ours)",
    "clipped-sgd-self-tuned": "clipped SGD, self-tuned (ours)",
}
GAMMA = "\N{GREEK SMALL LETTER GAMMA}"
VALIDATED, ONCE = "-validated", "-validated-once"


class Line(NamedTuple):
    """A method's line in the table."""

    method: str
    cells: tuple[str, ...]  # as HEAD says


def spoken(method: str) -> str:
    """A method's name for people."""
    for ending, words in ((ONCE, "validated once"), (VALIDATED, "validated in each trial")):
        if method.endswith(ending):
            return f"{spoken(method.removesuffix(ending))}, {words}"
    return SPOKEN.get(method, method)


def below(method: str) -> str:
    """A method's name in a table where the validated ones stand below their own."""
    for ending, words in ((ONCE, "  validated once"), (VALIDATED, "  validated")):
        if method.endswith(ending):
            return words
    return short(method)


def short(method: str) -> str:
    """A method's name where there is little room."""
    return {
        "clipped-sgd-validated": "clipped SGD, validated",
        "clipped-sgd-self-tuned": "self-tuned clipped (ours)",
        "coordinate-mom-literal": "coord. MoM, printed",
        "geometric-mom-literal": "geom. MoM, printed",
        "tailproof": "tailproof (ours)",
    }.get(method, spoken(method))


def figure(value: float | None) -> str:
    """Three to four digits: more is Monte Carlo noise."""
    if value is None or not isfinite(value):
        return "diverged"
    if value == 0.0 or 1e-3 <= abs(value) < 1e4:
        return f"{value:.4g}"
    return f"{value:.2e}"


def lines(record: Plain) -> list[Line]:
    """The table of a setting's results: each method, then the same method as validation chose."""
    return [Line(method, _cells(method, record["methods"][method])) for method in sorted(record["methods"], key=_rank)]


def _rank(method: str) -> tuple[int, int]:
    for rank, ending in enumerate((ONCE, VALIDATED)):
        if method.endswith(ending):
            return _rank(method.removesuffix(ending))[0], 2 - rank
    known = list(SPOKEN)
    return known.index(method) if method in known else len(known), 0


def _cells(method: str, said: Plain) -> tuple[str, ...]:
    known = seen(said)
    tails = [figure(known[share]) if share in known else "-" for share in SHARES]
    return (spoken(method), chosen(said["chosen"]), figure(said["mean"]), *tails, f"{said['trials']:,}")


def panel_table(result: Plain) -> tuple[tuple[str, ...], list[tuple[str, ...]]]:
    """The settings of all panels, one a line: the mean and Q.01 of each method that was run there."""
    methods = [m for m in SPOKEN if any(m in record["methods"] for record in result["panels"])]
    head = ("mean / Q.01", *map(short, methods))
    return head, [(record["setting"]["name"], *(_pair(record, m) for m in methods)) for record in records(result)]


def _pair(record: Plain, method: str) -> str:
    said = record["methods"].get(method)
    if said is None:
        return "-"
    known = seen(said)
    return f"{figure(said['mean'])} / {figure(known['0.01']) if '0.01' in known else '-'}"


def seen(said: Plain) -> dict[str, float | None]:
    """The quantiles of which at least one loss of these trials is beyond: the others are but the largest loss."""
    return {share: value for share, value in said["quantiles"].items() if said["trials"] * float(share) >= 1.0}


def chosen(choice: Plain) -> str:
    """The hyper-parameters; of a choice in each trial the most frequent."""
    if "choices" in choice:
        c, gamma, share = max(choice["choices"], key=lambda item: item[2])
        return f"{_constants(c, gamma)} ({100 * share:.0f} %)"
    return _constants(choice.get("c"), choice.get("gamma"))


def _constants(c: float | None, gamma: float | None) -> str:
    said = [] if c is None else [f"c={c:.3g}"]
    return " ".join(said + ([f"{GAMMA}={gamma:g}"] if gamma else []))


def remarks(record: Plain) -> list[str]:
    """What a reader of the numbers must know."""
    said = [str(note) for note in record["setting"].get("notes", ())]
    if record["trials"] < MANY:
        beyond = record["trials"] // 1000
        found = f"{beyond} error{' is' if beyond == 1 else 's are'} beyond it" if beyond else "it cannot be told"
        said.append(f"{record['trials']:,} trials are few for Q.001: {found}")
    panels = sorted({r["trials"] for r in record.get("panels", ()) if r["trials"] < record["trials"]})
    if panels:
        counts = " or ".join(f"{n:,}" for n in panels)
        said.append(f"panels ran on the first {counts} of these trials, where the main setting stands among them too")
    fewer = sorted({m["trials"] for m in record["methods"].values() if m["trials"] < record["trials"]})
    if fewer:
        said.append("our own rules ran on the first " + " and ".join(f"{n:,}" for n in fewer) + " of these trials")
    return said


# -------------------------------------------------------------------------------------------------- settings


def in_words(setting: Setting) -> str:
    """A setting in a line, but for its methods."""
    said = [f"p={setting.columns}, N={setting.rows}", _rows_of(setting)]
    if setting.task != "mean" and setting.support:
        said.append(f"{setting.support} of {setting.columns} coefficients not 0")
    said.append(_start(setting.start))
    said.append(_step(setting))
    if setting.radius:
        said.append(f"within {setting.radius:g} of the truth")
    return f"{setting.task}: {'; '.join(said)}"


def _rows_of(setting: Setting) -> str:
    if setting.task == "linear":
        return f"rows {setting.law}, noise {setting.noise} of variance {setting.sigma2:g}"
    return f"rows {setting.law}"


def _start(start: Start) -> str:
    if start.value == 0.0:
        return "start 0"
    where = {"each": "each coordinate", "unit": "1/sqrt(p) each", "truth": "the truth"}[start.kind]
    return f"start {start.value:g} in {where}" if start.kind == "each" else f"start {start.value:g} times {where}"


def _step(setting: Setting) -> str:
    over = "t" if setting.gammas == (0.0,) else f"(t+{setting.gamma:g})"
    if setting.curvature != 1.0:
        return f"step {1.0 / setting.curvature:g}/{over}"
    return f"step 1/{over}"


def methods_in_words(setting: Setting) -> str:
    return ", ".join(setting.methods)


def panels_in_words(experiment: Experiment) -> list[str]:
    """What the further settings of an experiment vary."""
    varied: dict[str, list[str]] = {}
    for setting in experiment.settings[1:]:
        varied.setdefault(setting.panel, []).append(setting.name)
    return [f"{panel}: {'; '.join(names)}" for panel, names in varied.items()]


def panels_told(result: Plain) -> list[str]:
    """The same, of results."""
    varied: dict[str, list[str]] = {}
    for record in result["panels"]:
        varied.setdefault(record["setting"]["panel"], []).append(record["setting"]["name"])
    return [f"{panel}: {'; '.join(names)}" for panel, names in varied.items()]


def setting_of(plain: Plain) -> Setting:
    """The setting that results tell of."""
    known = {name: value for name, value in plain.items() if name in Setting.__dataclass_fields__}
    made = {"law": Law(**plain["law"]), "noise": Law(**plain["noise"]), "start": Start(**plain["start"])}
    return Setting(**{**known, **made, "methods": tuple(plain["methods"])})


def records(result: Plain) -> Iterator[Plain]:
    """The main setting's results and those of further panels."""
    yield result
    yield from result["panels"]


def duration(seconds: float) -> str:
    if seconds < 90.0:
        return f"{max(1, round(seconds))} s"
    if seconds < 5400.0:
        return f"{round(seconds / 60.0)} min"
    return f"{seconds / 3600.0:.1f} h"
