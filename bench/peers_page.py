"""The page: python bench/peers_page.py writes docs/benchmarks.md from bench/results/peers.json, without measuring."""

import json
from collections.abc import Iterator
from pathlib import Path
from statistics import median
from typing import Any

from peer import OURS
from peers_losses import losses
from peers_speed import RESULTS

PAGE = Path(__file__).parent.parent / "docs" / "benchmarks.md"
Found = dict[str, Any]

INTRODUCTION = """# Benchmarks

How fast and how accurate, beside the tools that people use for the same job. Every figure comes from one run on one
machine, by these commands:

    make bench           # builds an environment with all of them, runs every comparison, writes this page
    make bench-quick     # two minutes, in the ordinary environment, a few figures on the screen

All times are ratios: in each of five turns a contender's time a row is divided by that of the first of its table, run
just before it on the same rows in the same order; the figure is the median. Above 1 is slower than ours. In brackets
are the least and the greatest of the turns, which are fewer for those that take long. Before the clock starts every
contender has run once and was checked: it took every row, as far as it counts them, and ended near the truth. Slow
ones take the first of the rows only. All are held to one core, unless it says otherwise. A figure of another machine,
or of the same one on another day, may well be half as large again.

![Times and errors beside peers](benchmarks.png)
"""

SECTIONS = {
    "line": (
        "One pass over rows in memory: linear regression",
        "The paper's stream: features Pareto 4.1, noise Pareto 2.1, 64 megabytes of float64. Ours clips each row's "
        "gradient, with a fixed level; most others do not clip, which is less work.",
    ),
    "odds": ("One pass over rows in memory: logistic regression", "Features Pareto 4.1."),
    "mean": (
        "One pass over rows in memory: means",
        "Pareto 2.1 in every column. `Mean` also keeps what its intervals and verdicts need.",
    ),
    "batch": (
        "All rows at once: regressions",
        "The paper's stream. Ours takes the rows in one pass, holds none of them, and gives intervals and verdicts as "
        "well. Any core may be used, by one thread but where it says so.",
    ),
    "files on one core": (
        "The mean of every column of a file, on one core",
        "Twenty columns, files in the operating system's cache. The others take plain "
        "means; ours robust ones, with intervals and verdicts.",
    ),
    "files on all cores": (
        "The mean of every column of a file, on all cores",
        "The same files; each uses as many threads as it likes.",
    ),
}
ACCURACY = {
    "accuracy of means": "Errors of means",
    "accuracy of lines": "Errors of regressions",
}


def main() -> None:
    held = json.loads(RESULTS.read_text())
    PAGE.write_text("\n".join(page(held)).rstrip() + "\n")


def page(held: Found) -> Iterator[str]:
    sections = held["sections"]
    yield INTRODUCTION
    yield from lost(sections)
    for name, (title, words) in SECTIONS.items():
        yield f"## {title}\n\n{words}\n"
        yield from speed_table(sections.get(name))
    for name, title in ACCURACY.items():
        yield f"## {title}\n"
        yield from accuracy_table(sections.get(name))
    yield from own_table(sections.get("own"))
    yield from left_out(sections)
    yield from machine(held)


def lost(sections: Found) -> Iterator[str]:
    yield "## Where we lose\n"
    told = list(losses(sections))
    yield "\n".join(f"- {sentence}" for sentence in told) if told else "Nowhere in this run."
    yield ""


# --------------------------------------------------------------------------------------------------------- tables


def missing(found: Any) -> str:
    return f"Not measured: {found['failed']}\n" if isinstance(found, dict) and "failed" in found else "Not measured.\n"


def speed_table(tables: Any) -> Iterator[str]:
    """One row a contender, two columns a table: they are the same contenders on other data."""
    if not isinstance(tables, list):
        yield missing(tables)
        return
    titles = [table["title"] for table in tables]
    yield "| | " + " | ".join(f"ns a row, {title} | times ours" for title in titles) + " | |"
    yield "|---|" + "---:|---:|" * len(titles) + "---|"
    for name in dict.fromkeys(result["name"] for table in tables for result in table["results"]):
        found = [next((r for r in table["results"] if r["name"] == name), None) for table in tables]
        note = next((r["note"] for r in found if r), "")
        yield f"| {shown(name, found)} | " + " | ".join(map(cells, found)) + f" | {note} |"
    yield ""


def shown(name: str, found: list[Any]) -> str:
    return f"**{name}**" if any(r and r["package"] == OURS for r in found) else name


def cells(result: Any) -> str:
    if result is None:
        return "left out | "
    ratios = result["ratios"]
    middle = figure(median(ratios))
    spread = "" if max(ratios) == min(ratios) else f" ({figure(min(ratios))} to {figure(max(ratios))})"
    return f"{figure(result['nanoseconds'])} | {middle}{spread}"


def figure(value: float) -> str:
    """Three digits at most."""
    if value >= 100.0:
        return f"{float(f'{value:.3g}'):,.0f}"
    return f"{value:.2f}" if value < 10.0 else f"{value:.1f}"


def accuracy_table(found: Any) -> Iterator[str]:
    if not isinstance(found, dict) or "results" not in found:
        yield missing(found)
        return
    yield (
        f"{found['rows']:,} rows of the paper's stream, p={found['width']}; Euclidean distance from the truth, over "
        "many trials: its mean, and what one trial in so many exceeds. All take the same trials, slow ones the first "
        "of them. Descents that need a step or a clip were given the best of a few on other trials, by mean error; "
        "what stands without a setting was given none.\n"
    )
    yield "| | mean error | exceeded once in | by | trials | setting |\n|---|---:|---:|---:|---:|---|"
    for said in found["results"]:
        name = f"**{said['name']}**" if said["package"] == OURS else said["name"]
        once = f"{round(1.0 / said['share']):,} trials | {error(said['tail'])}"
        yield f"| {name} | {error(said['mean'])} | {once} | {said['trials']:,} | {said['setting']} |"
    yield ""


def error(value: float) -> str:
    return f"{value:.4f}" if value < 1.0 else f"{value:.3g}"


def own_table(said: Any) -> Iterator[str]:
    yield "## Beside NumPy and PyArrow\n"
    yield "What `python bench/speed.py --repeats 5 --rows 2000000` prints: times over those of what is named.\n"
    if not isinstance(said, list):
        yield missing(said)
        return
    yield "| | |\n|---|---:|"
    for line in said:
        unit = {"": "x", "s": " s"}.get(line["unit"], line["unit"])
        what = line["what"].replace("|", "\\|")
        yield f"| {what} | {line['measured']:.2f}{unit} |"
    yield ""


# ------------------------------------------------------------------------------------------------------ at the end


def left_out(sections: Found) -> Iterator[str]:
    yield "## Left out\n"
    seen: dict[str, None] = {}
    for found in sections.values():
        for table in found if isinstance(found, list) else [found]:
            for left in table.get("left_out", []):
                seen[f"- {left['name']}: {left['why']}."] = None
    yield from seen
    yield "- OnlineStats.jl: it needs a Julia, which pip does not bring; its packages fetch one from elsewhere.\n"


def machine(held: Found) -> Iterator[str]:
    told = held["machine"]
    yield "## Machine and versions\n"
    yield f"{told['cores']} cores ({told['processor']}), {told['system']}, Python {told['Python']}.\n"
    versions = [f"{name} {number or '(not installed)'}" for name, number in held["versions"].items()]
    yield ", ".join(versions) + ".\n"


if __name__ == "__main__":
    main()
