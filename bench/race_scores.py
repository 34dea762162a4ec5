"""`python bench/race_scores.py [trials]`: how well the scores of a race choose, on streams like the paper's.

Errors are distances of the chosen candidate from the truth; the best candidate is the one with the least mean error
over all trials, which nobody knows beforehand.
"""

import sys
from typing import Any

import numpy as np

import tailproof
from tailproof.state import aligned

SEED = 1118
GRID = np.arange(21) * 0.05 + 0.01
SETTINGS = (("mean", 20, 100), ("mean", 20, 1000), ("linear", 20, 1000))
SCORES = ("paper", "paired")


def main() -> None:
    trials = int(sys.argv[1]) if len(sys.argv) > 1 else 2000
    print(f"{trials} trials: mean error and Q.001")
    for task, columns, rows in SETTINGS:
        found, grid = run(task, columns, rows, trials)
        best = grid[:, grid.mean(axis=0).argmin()]
        print(f"{task} p={columns} N={rows}: the best candidate {told(best)}")
        for (score, known), errors in found.items():
            print(f"    {score}, N {'known' if known else 'not known'}: {told(errors)}", flush=True)


def told(errors: Any) -> str:
    return f"{np.mean(errors):.4f} {np.quantile(errors, 0.999):.4f}"


def run(task: str, columns: int, rows: int, trials: int) -> tuple[dict[tuple[str, bool], list[float]], Any]:
    """Errors of what each score chose, and of all candidates."""
    random = np.random.default_rng([SEED, columns, rows, task == "mean"])
    base = tailproof.ClippedSGD() if task == "mean" else line(columns)
    race = tailproof.Race.over(base, levels=(GRID * np.sqrt(rows * columns)).tolist())
    kinds = [(score, known) for score in SCORES for known in (True, False)]
    found: dict[tuple[str, bool], list[float]] = {kind: [] for kind in kinds}
    grid, X = [], aligned((rows, columns))
    for _ in range(trials):
        truth, start, y = stream(task, X, random)
        for score, known in kinds:
            rule = race._replace(score=score, rows=rows if known else 0)
            state = rule.step(rule.init(columns, start), X, y)
            errors = np.linalg.norm(state.theta - truth, axis=1)
            found[score, known].append(float(errors[rule.chosen(state)]))
        grid.append(errors)
    return found, np.array(grid)


def line(columns: int) -> Any:
    return tailproof.ClippedSGD(tailproof.Squared(), steps=tailproof.Harmonic(1.0, float(columns)))


def stream(task: str, X: Any, random: np.random.Generator) -> tuple[Any, float, Any]:
    """The paper's: fills X, and returns the truth, the start and the targets."""
    rows, columns = X.shape
    if task == "mean":
        X[...] = pareto(2.1, X.shape, random)
        return np.zeros(columns), 1.0, None
    X[...] = pareto(4.1, X.shape, random)
    truth = np.full(columns, columns**-0.5)
    return truth, 0.0, X @ truth + np.sqrt(0.75) * pareto(2.1, rows, random)


def pareto(index: float, shape: Any, random: np.random.Generator) -> Any:
    """Standardised."""
    mean = index / (index - 1.0)
    deviation = np.sqrt(index / (index - 2.0) - mean**2)
    return ((1.0 - random.random(shape)) ** (-1.0 / index) - mean) / deviation


if __name__ == "__main__":
    main()
