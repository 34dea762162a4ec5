"""The pictures of the site's pages, from the data that the repository ships: `python bench/pictures.py`."""

from pathlib import Path

import numpy as np

import tailproof
from tailproof.doors.cli import main

ROOT = Path(__file__).parent.parent
FOLDER = ROOT / "docs" / "pictures"


def draw() -> None:
    """All of them."""
    FOLDER.mkdir(exist_ok=True)
    requests = ["mean", str(ROOT / "examples" / "requests.parquet"), "--quiet"]
    main([*requests, "--plot", str(FOLDER / "intervals.png"), "--plot-tails", str(FOLDER / "tails.png")])
    rows = np.random.default_rng(0).pareto(2.1, (10_000, 2))
    model = tailproof.Mean().keep_path().fit(rows)
    tailproof.PathDisplay.from_estimator(model).save(FOLDER / "path.png")


if __name__ == "__main__":
    draw()
