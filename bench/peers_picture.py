"""The picture of the page: python bench/peers_picture.py draws docs/benchmarks.png from bench/results/peers.json."""

import json
from pathlib import Path
from statistics import median
from typing import Any

import matplotlib as mpl

from peer import OURS
from peers_speed import RESULTS

mpl.use("Agg")
import matplotlib.pyplot as plt
from matplotlib.ticker import FuncFormatter, LogLocator, NullLocator

TARGET = Path(__file__).parent.parent / "docs" / "benchmarks.png"
# The share of trials whose error the picture tells.
RARE = 0.001
DARK, PALE, OWN = "#555555", "#aaaaaa", "#0b5cad"
SHORT = {
    "tailproof ClippedSGD": "tailproof ClippedSGD",
    "River LinearRegression.learn_one": "River learn_one",
    "NumPy, a Python loop": "NumPy, a Python loop",
    "scikit-learn partial_fit, blocks of 10,000": "scikit-learn, blocks of 10,000",
    "scikit-learn partial_fit, blocks of 100": "scikit-learn, blocks of 100",
    "scikit-learn partial_fit, blocks of 1": "scikit-learn, blocks of 1",
    "Vowpal Wabbit, from its cache": "Vowpal Wabbit, from its cache",
    "Vowpal Wabbit, from text": "Vowpal Wabbit, from text",
    "JAX lax.scan with the clip": "JAX lax.scan",
    "Optax clip_by_global_norm, in lax.scan": "Optax, in lax.scan",
    "PyTorch autograd, clip_grad_norm_": "PyTorch autograd",
    "tailproof mean (robust, with intervals)": "tailproof",
    "DuckDB select avg(..)": "DuckDB",
    "Polars scan, mean": "Polars",
    "tailproof LinearRegression, solver gram (the default)": "tailproof, solver gram",
    "tailproof LinearRegression, solver sgd": "tailproof, solver sgd",
    "scikit-learn LinearRegression": "least squares",
    "scikit-learn HuberRegressor": "Huber, all rows at once",
    "scikit-learn SGDRegressor.partial_fit": "scikit-learn SGD",
    "scikit-learn SGDRegressor.partial_fit, Huber loss": "scikit-learn SGD, Huber loss",
    "Vowpal Wabbit": "Vowpal Wabbit",
}


def main() -> None:
    sections = json.loads(RESULTS.read_text())["sections"]
    plt.rcParams.update({"font.size": 10, "axes.spines.top": False, "axes.spines.right": False})
    figure = plt.figure(figsize=(12.0, 6.4), layout="constrained")
    grid = figure.add_gridspec(2, 2, height_ratios=(1.0, 1.9))
    left, above, below = (figure.add_subplot(place) for place in (grid[:, 0], grid[0, 1], grid[1, 1]))
    speeds(left, sections["line"], "Linear regression in one pass, rows in memory")
    speeds(above, sections["files on one core"], "Means of a file, one core", size=7.5)
    errors(below, sections["accuracy of lines"], "Error of a regression, 1,000 rows, 20 features")
    figure.savefig(TARGET, dpi=140)


def speeds(panel: Any, tables: Any, title: str, size: float = 8.0) -> None:
    """A dot for each table, as many times to the right as it took of our time."""
    found = {table["title"]: times(table) for table in tables if isinstance(tables, list)}
    names = sorted({name for ratios in found.values() for name in ratios}, key=lambda name: order(found, name))
    marks = ("o", "s", "^")
    for (label, ratios), mark, colour in zip(found.items(), marks, (DARK, PALE, DARK), strict=False):
        places = [names.index(name) for name in ratios]
        filled = "none" if mark == "^" else colour
        panel.plot(
            list(ratios.values()), places, mark, color=colour, markersize=size, markerfacecolor=filled, label=label
        )
    panel.axvline(1.0, color=OWN, linewidth=1.4)
    decorate(panel, names, title, "time a row, in times ours (log scale)")
    panel.margins(x=0.12, y=0.1)
    panel.legend(loc="best", handletextpad=0.1, framealpha=1.0, edgecolor="#dddddd")


def times(table: Any) -> dict[str, float]:
    return {SHORT[r["name"]]: median(r["ratios"]) for r in table["results"] if r["name"] in SHORT}


def order(found: dict[str, dict[str, float]], name: str) -> float:
    return max(ratios.get(name, 0.0) for ratios in found.values())


def errors(panel: Any, found: Any, title: str) -> None:
    """From the mean error to that of the worst trials, of all who took trials enough to tell."""
    told = [r for r in found.get("results", []) if r["name"] in SHORT and r["share"] <= RARE]
    results = sorted(told, key=lambda result: float(result["tail"]))
    for place, result in enumerate(results):
        colour = OWN if result["package"] == OURS else DARK
        panel.plot([result["mean"], result["tail"]], [place, place], color=colour, linewidth=2.0)
        panel.plot(result["mean"], place, "o", color=colour, markersize=6)
        panel.plot(result["tail"], place, "|", color=colour, markersize=13, markeredgewidth=2.2)
    names = [SHORT[result["name"]] for result in results]
    decorate(panel, names, title, "distance from the truth: mean (dot), 1 in 1,000 (bar)")


def decorate(panel: Any, names: list[str], title: str, axis: str) -> None:
    panel.set_xscale("log")
    panel.xaxis.set_major_locator(LogLocator(subs=(1.0,) if wide(panel) else (1.0, 2.0, 5.0)))
    panel.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:,g}"))
    panel.xaxis.set_minor_locator(NullLocator())
    panel.set_yticks(range(len(names)), names)
    for label in panel.get_yticklabels():
        if label.get_text().startswith(OURS):
            label.set(color=OWN, weight="bold")
    panel.invert_yaxis()
    panel.set_title(title, loc="left", size=11, weight="bold")
    panel.set_xlabel(axis, size=9)
    panel.grid(axis="x", color="#dddddd", linewidth=0.7)
    panel.set_axisbelow(True)


def wide(panel: Any) -> bool:
    """Whether it spans so much that powers of ten are ticks enough."""
    low, high = panel.get_xlim()
    return bool(high > 300.0 * low)


if __name__ == "__main__":
    main()
