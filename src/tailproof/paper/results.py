"""results.json: the results of an experiment, made from its pieces, written and read."""

import json
import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from .matching import matched
from .pieces import VERSION, ResultsError, writing
from .settings import EXPERIMENTS, Setting
from .summaries import Part, Trials, record_of, trials_of

FILE = "results.json"

Plain = dict[str, Any]


def result_of(experiment: str, settings: Sequence[tuple[Setting, Sequence[Part]]], asked: int, seed: int) -> Plain:
    """The results of an experiment from its pieces."""
    main, *others = (trials_of(setting, parts) for setting, parts in settings)
    head = {"version": VERSION, "experiment": experiment, "setting": None, "trials": None, "seed": seed}
    panels = [record for panel in _panels(main, others, asked) for record in panel]
    return {**head, **record_of(main), "asked": asked, "panels": panels}


def _panels(main: Trials, others: Sequence[Trials], asked: int) -> Iterator[list[Plain]]:
    """Settings by panel; with them, where a panel ran on fewer trials, the main one on as many."""
    for panel in dict.fromkeys(trials.setting.panel for trials in others):
        members = [trials for trials in others if trials.setting.panel == panel]
        found = [record_of(trials) for trials in members]
        again = matched(main, [trials.setting for trials in members], asked)
        if again:
            place = sum((trials.setting.value or 0.0) < (again.setting.value or 0.0) for trials in members)
            found.insert(place, {**record_of(again), "of_main": True})
        yield found


# ------------------------------------------------------------------------------------------------------- files


def write(path: Path, result: Plain) -> None:
    """All of it or nothing."""
    beside = path.with_suffix(f".{os.getpid()}.new")
    with writing(path):
        path.parent.mkdir(parents=True, exist_ok=True)
        beside.write_text(json.dumps(result, indent=1, allow_nan=False) + "\n", encoding="utf-8")
        os.replace(beside, path)


def read(path: str | Path) -> Plain:
    """The results in a file, or in an experiment's folder."""
    file = Path(path)
    file = file / FILE if file.is_dir() else file
    try:
        result = json.loads(file.read_text(encoding="utf-8"))
    except OSError as error:
        raise ResultsError(f"{file} cannot be read: {error.strerror or error}") from error
    except ValueError as error:
        raise ResultsError(f"{file} is damaged ({error}); run the experiment again, which keeps its trials") from error
    if not isinstance(result, dict) or "experiment" not in result or "methods" not in result:
        raise ResultsError(f"{file} does not hold results of tailproof paper run")
    if result.get("version") != VERSION:
        raise ResultsError(
            f"{file} was written by another version ({result.get('version')}, this is {VERSION}); run it again"
        )
    return result


def read_all(folder: str | Path) -> dict[str, Plain]:
    """The results of every experiment below a folder, the paper's first and in its order."""
    base = Path(folder)
    if not base.is_dir():
        raise ResultsError(f"{base} is not a folder")
    found = {result["experiment"]: result for result in map(read, sorted(base.glob(f"*/{FILE}")))}
    if not found and (base / FILE).exists():
        single = read(base / FILE)
        found = {single["experiment"]: single}
    if not found:
        raise ResultsError(f"there are no results in {base}; make some with: tailproof paper run all --out {base}")
    order = [*EXPERIMENTS, *found]
    return dict(sorted(found.items(), key=lambda item: order.index(item[0])))
