"""The picture of the tail error: python bench/picture.py [--trials 20000] writes docs/tail_error.png.

How far the robust and the plain mean are from the truth, by the share of trials that are no farther: the robust mean
is no better in the middle and much better where it matters.
"""

import argparse
from pathlib import Path
from statistics import NormalDist
from typing import Any

import matplotlib as mpl
import numpy as np

import laws
import trials as trial

mpl.use("Agg")
import matplotlib.pyplot as plt
from matplotlib.ticker import FuncFormatter, LogLocator, NullLocator

TARGET = Path(__file__).parent.parent / "docs" / "tail_error.png"
ROWS, WIDTH = 1000, 20
SHARES = np.concatenate([np.linspace(0.5, 0.9, 41), 1.0 - np.geomspace(0.1, 0.001, 60)])
TICKS = {0.5: "half", 0.9: "9 in 10", 0.99: "99 in 100", 0.999: "999 in 1000"}
PANELS = {
    "Pareto 2.1": "Skewed, heavy tail: Pareto with index 2.1",
    "1% cells": "Normal, 1 % of the cells gross: ±1000",
}
STYLES = {
    "plain": {"color": "#777777", "linestyle": (0, (5, 2)), "linewidth": 2.0},
    "robust": {"color": "#111111", "linestyle": "-", "linewidth": 2.4},
}


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--trials", type=int, default=20_000)
    parser.add_argument("--seed", type=int, default=1119)
    options = parser.parse_args()
    random = np.random.default_rng(options.seed)
    plt.rcParams.update({"font.size": 10.5, "axes.spines.top": False, "axes.spines.right": False})
    figure, panels = plt.subplots(1, 2, figsize=(10.4, 4.3), layout="constrained")
    for panel, (law, title) in zip(panels, PANELS.items(), strict=True):
        draw(panel, title, trial.losses(laws.named(law), ROWS, WIDTH, options.trials, random))
    panels[0].set_ylabel(f"error of the mean vector, {WIDTH} columns\n(Euclidean, standard deviations, log scale)")
    figure.supxlabel(
        f"share of samples of {ROWS:,} rows whose error is at most this (normal probability scale)", size=10.5
    )
    figure.savefig(TARGET, dpi=160)


def draw(panel: Any, title: str, seen: trial.Losses) -> None:
    """Both curves, each named where it ends, and what lies between them at the far end."""
    panel.set_title(title, loc="left", size=11.5)
    places = deviates(SHARES)
    ends = {name: np.quantile(getattr(seen, name), SHARES) for name in STYLES}
    for name, errors in ends.items():
        panel.plot(places, errors, **STYLES[name])
    panel.set_yscale("log")
    panel.yaxis.set_major_locator(LogLocator(subs=(1.0, 2.0, 5.0)))
    panel.yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
    panel.yaxis.set_minor_locator(NullLocator())
    panel.set_xticks(deviates(np.array(list(TICKS))), list(TICKS.values()))
    panel.set_xlim(0.0, places[-1])
    panel.grid(which="major", color="#dddddd", linewidth=0.7)
    label(panel, ends)


def label(panel: Any, ends: dict[str, Any]) -> None:
    """The name of each curve beside it, and the ratio at 99 in 100."""
    low, high = min(map(np.min, ends.values())), max(map(np.max, ends.values()))
    panel.set_ylim(low / (high / low) ** 0.12, high * 1.3)
    name_curve(panel, "plain mean", ends["plain"], STYLES["plain"], (-4, 6), ha="right", va="bottom")
    name_curve(panel, "robust mean", ends["robust"], STYLES["robust"], (0, -7), ha="center", va="top")
    last = int(np.searchsorted(SHARES, 0.99))
    place, plain, robust = deviates(SHARES)[last], ends["plain"][last], ends["robust"][last]
    panel.annotate("", (place, robust), (place, plain), arrowprops={"arrowstyle": "<->", "shrinkA": 2, "shrinkB": 3})
    panel.annotate(
        f"{float(f'{plain / robust:.2g}'):g} times", (place, robust * (plain / robust) ** 0.3), (-6, 0), ha="right",
        va="center", textcoords="offset points",
    )  # fmt: skip


def name_curve(panel: Any, name: str, errors: Any, style: dict[str, Any], offset: tuple[int, int], **side: str) -> None:
    at = int(np.searchsorted(SHARES, 0.9))
    panel.annotate(
        name, (deviates(SHARES)[at], errors[at]), offset, textcoords="offset points", weight="bold",
        color=style["color"], **side,
    )  # fmt: skip


def deviates(shares: Any) -> Any:
    return np.array([NormalDist().inv_cdf(float(share)) for share in shares])


if __name__ == "__main__":
    main()
