"""Where a peer is ahead of us, found in the figures themselves so that no run can leave it out."""

from collections.abc import Iterator
from statistics import median
from typing import Any

from peer import OURS

# Who of ours is held against whom: those whose name ends so, or with "" everyone who is not ours.
SPEED = {
    "line": [
        ("tailproof ClippedSGD", ""),
        ("tailproof ClippedSGD, one row a call", "learn_one"),
        ("tailproof.river LinearRegression.learn_one", "learn_one"),
        ("tailproof ClippedSGD, one row a call", "blocks of 1"),
        ("tailproof ClippedSGD, one row a call", "a Python loop"),
    ],
    "odds": [("tailproof ClippedSGD", "")],
    "mean": [("tailproof ClippedSGD", ""), ("tailproof Mean (robust, with intervals)", "")],
    "batch": [("tailproof LinearRegression (robust, with intervals)", "")],
    "files on one core": [("tailproof mean (robust, with intervals)", "")],
    "files on all cores": [
        ("tailproof mean (robust, with intervals)", ""),
        ("tailproof mean --jobs, a job a thread", ""),
    ],
}
JOBS = {
    "line": "linear regression in one pass",
    "odds": "logistic regression in one pass",
    "mean": "means in memory",
    "batch": "regression, all rows at once",
    "files on one core": "means of a file, one core",
    "files on all cores": "means of a file, all cores",
    "accuracy of means": "means",
    "accuracy of lines": "regression",
}
# What ours there are to choose from without knowing anything about the stream.
FREE = {
    "accuracy of means": ("tailproof Mean",),
    "accuracy of lines": ("tailproof LinearRegression, solver gram (the default)",),
}
# They do less than the job and show what it cannot be faster than.
FLOOR = "nothing else"
HUBER = (
    "Huber's estimate is made for noise that has nothing to do with the features; where it does and is skewed, it "
    "estimates something else than the mean"
)
# Whose lead has a reason that can be said.
REASONS = {"HuberRegressor": HUBER, "RLM": HUBER}


def losses(sections: dict[str, Any]) -> Iterator[str]:
    for name, pairs in SPEED.items():
        tables = sections.get(name)
        for table in tables if isinstance(tables, list) else []:
            for ours, theirs in pairs:
                yield from slower(JOBS[name], table, ours, theirs)
    for name, mine in FREE.items():
        found = sections.get(name)
        if isinstance(found, dict) and "results" in found:
            yield from farther(JOBS[name], found["results"], mine)


def slower(job: str, table: dict[str, Any], ours: str, theirs: str) -> Iterator[str]:
    """Those who took less time a row than `ours`."""
    results = {result["name"]: median(result["ratios"]) for result in table["results"]}
    for peer in [r["name"] for r in table["results"] if r["package"] != OURS and r["name"].endswith(theirs)]:
        if FLOOR in peer:
            continue
        share = results[peer] / results[ours] if ours in results else 1.0
        if share < 1.0:
            yield f"Speed, {job}, {table['title']}: {peer} takes {share:.2f} of the time of {ours}."


def farther(job: str, results: list[dict[str, Any]], mine: tuple[str, ...]) -> Iterator[str]:
    """Those who ended nearer the truth than what we recommend."""
    ours = [result for result in results if result["name"] in mine]
    for peer in results if ours else []:
        mean, tail = (min(result[which] for result in ours) / peer[which] for which in ("mean", "tail"))
        nearer = [
            f"{words} is {ratio:.2f} times as large"
            for words, ratio in (
                ("our mean error", mean),
                (f"our error exceeded once in {round(1 / peer['share']):,}", tail),
            )
            if ratio > 1.0
        ]
        if peer["package"] != OURS and nearer:
            reason = next((f": {why}" for name, why in REASONS.items() if name in peer["name"]), "")
            yield f"Accuracy, {job}: beside {peer['name']} {' and '.join(nearer)}{reason}."
