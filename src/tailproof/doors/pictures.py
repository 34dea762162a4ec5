"""`--plot` and `--plot-tails`: what a run has found, as pictures."""

import argparse
from typing import Any

# The displays by the options that ask for them.
DISPLAYS = {"plot": "IntervalDisplay", "plot_tails": "TailDisplay"}


def ready(options: argparse.Namespace) -> None:
    """Refuse, before anything is read, what no picture can be written to."""
    for path in _asked(options).values():
        from ..plots.canvas import ready_to_save

        ready_to_save(path)


def draw(said: Any, options: argparse.Namespace) -> None:
    """Write the pictures that were asked for."""
    for name, path in _asked(options).items():
        from .. import plots

        getattr(plots, DISPLAYS[name]).from_estimate(said).save(path)


def _asked(options: argparse.Namespace) -> dict[str, str]:
    asked = {name: getattr(options, name, None) for name in DISPLAYS}
    return {name: path for name, path in asked.items() if path is not None}
