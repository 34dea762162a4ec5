"""A user's own experiment, read from a TOML file. What is wrong is told with the file and the line."""

import dataclasses
import difflib
import re
import tomllib
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

from .settings import EXPERIMENTS, Experiment, Law, Setting, SettingError, Start
from .telling import figure

Plain = Mapping[str, Any]

Made = TypeVar("Made")

LAWS: dict[str, type[Law] | type[Start]] = {"law": Law, "noise": Law, "start": Start}
WHOLE = ("rows", "columns", "support", "buckets")
NUMBERS = ("sigma2", "curvature", "radius", "validation", "ours")
CANDIDATES = ("levels", "level_unit", "penalties", "step_sizes", "gammas", "gamma", "literal")
OF_RUN = ("name", "title", "trials", "seed")
TOP = (*OF_RUN, "task", *LAWS, *WHOLE, *NUMBERS, "methods", "candidates", "panel")
VARIED = (*LAWS, *WHOLE, "sigma2", "curvature", "radius")
OF_PANEL = ("vary", "values", "methods", "share")
MOST_SETTINGS = 200
UNTITLED = "an experiment of your own"


class Recipe(NamedTuple):
    """An experiment, and the seed that its file names."""

    experiment: Experiment
    seed: int | None


class Place(NamedTuple):
    """Where a table stands in the file: its name, and which of several of that name it is."""

    table: str = ""
    number: int = 0


class _File:
    """A file with its text, to complain by line."""

    def __init__(self, path: Path) -> None:
        self.path = path
        try:
            self.text = path.read_text(encoding="utf-8")
            self.plain: dict[str, Any] = tomllib.loads(self.text)
        except OSError as error:
            raise SettingError(f"{path} cannot be read: {error.strerror or error}") from error
        except UnicodeDecodeError as error:
            raise SettingError(f"{path} is no text in UTF-8") from error
        except tomllib.TOMLDecodeError as error:
            raise SettingError(f"{path} is no TOML: {error}") from error

    def wrong(self, key: str, complaint: str, place: Place = Place()) -> SettingError:  # noqa: B008
        line = line_of(self.text, key, place)
        return SettingError(f"{self.path}{f', line {line}' if line else ''}: {complaint}")


def read_recipe(path: str | Path) -> Recipe:
    """The experiment that a file describes."""
    file = _File(Path(path))
    given = file.plain
    _refuse_unknown(file, given, TOP)
    name = _name(file, given)
    settings = [_main(file, given)]
    panels = given.get("panel", [])
    if not isinstance(panels, list) or not all(isinstance(panel, dict) for panel in panels):
        raise file.wrong("panel", "panels are tables of their own, [[panel]]")
    for number, panel in enumerate(panels):
        follows = not {"gamma", "gammas"} & set(given.get("candidates", {}))
        settings += _panel(file, settings[0], panel, follows, Place("panel", number))
    if len(settings) > MOST_SETTINGS:
        raise file.wrong("panel", f"{len(settings)} settings are more than {MOST_SETTINGS}; name fewer values")
    trials = _whole(file, given, "trials", 1, 100_000_000, 1000)
    title = given.get("title", UNTITLED)
    if not isinstance(title, str):
        raise file.wrong("title", f"title must be text, not {title!r}")
    made = _guarded(file, lambda: Experiment(name, title, tuple(settings), trials, trials), Place())
    return Recipe(made, _whole(file, given, "seed", 0, 2**63 - 1, None))


def _name(file: _File, given: Plain) -> str:
    name = given.get("name", file.path.stem)
    if not isinstance(name, str) or not re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}", name):
        raise file.wrong("name", f"name must be letters, digits, '.', '_' and '-', as it names a folder, not {name!r}")
    if name in EXPERIMENTS:
        raise file.wrong("name", f"{name} is an experiment of the paper; choose another name")
    return name


def _main(file: _File, given: Plain) -> Setting:
    candidates = given.get("candidates", {})
    if not isinstance(candidates, dict):
        raise file.wrong("candidates", "candidates are a table of their own, [candidates]")
    _refuse_unknown(file, candidates, CANDIDATES, Place("candidates"))
    task = given.get("task", "mean")
    fields: dict[str, Any] = dict(_usual(file, task, given))
    for key in ("task", *LAWS, *WHOLE, *NUMBERS, "methods"):
        if key in given:
            fields[key] = _value(file, key, given[key], Place())
    for key, value in candidates.items():
        fields[key] = _value(file, key, value, Place("candidates"))
    _settle_delay(fields, candidates)
    return _guarded(file, lambda: Setting(**fields), Place(), Place("candidates"))


def _usual(file: _File, task: Any, given: Plain) -> dict[str, Any]:
    """What the paper takes for a task, where the file does not say."""
    rows, columns = (
        _value(file, key, given.get(key, usual), Place()) for key, usual in (("rows", 1000), ("columns", 20))
    )
    usual: dict[str, Any] = {"rows": rows, "columns": columns}
    if task == "linear":
        return {**usual, "law": Law("pareto", 4.1), "gamma": usual_delay(task, rows, columns)}
    if task == "logistic":
        descent = {
            "curvature": 0.1,
            "gamma": usual_delay(task, rows, columns),
            "levels": (0.125, 0.25, 0.5, 1.0, 2.0),
            "level_unit": "plain",
        }
        return {**usual, **descent, "law": Law("pareto", 4.1), "radius": 1.0, "start": Start("truth", 0.75)}
    return usual


def usual_delay(task: str, rows: int, columns: int) -> float:
    """The paper's own: none for the mean, p for a regression, 2N for log-odds."""
    return {"linear": float(columns), "logistic": 2.0 * rows}.get(task, 0.0)


def _settle_delay(fields: dict[str, Any], candidates: Plain) -> None:
    """One of gamma and gammas is enough."""
    if "gammas" in candidates and "gamma" not in candidates:
        delays = sorted(fields["gammas"])
        usual = fields.get("gamma", 0.0)
        fields["gamma"] = usual if usual in delays else delays[len(delays) // 2] if delays else usual
    elif "gammas" not in candidates:
        fields["gammas"] = (fields.get("gamma", 0.0),)


def _panel(file: _File, main: Setting, given: Plain, follows: bool, place: Place) -> list[Setting]:
    """The settings of one panel: the main one with one thing varied. `follows`: the delay goes with N and p."""
    _refuse_unknown(file, given, OF_PANEL, place)
    key = given.get("vary")
    if key not in VARIED:
        near = difflib.get_close_matches(str(key), VARIED, 1)
        hint = f"did you mean {near[0]}?" if near else f"there are {', '.join(VARIED)}"
        raise file.wrong("vary", f"a panel must say what it varies, not {key!r}; {hint}", place)
    values = given.get("values")
    if not isinstance(values, list) or not values:
        raise file.wrong("values", f"a panel needs values of {key} in a list, not {values!r}", place)
    if repeated := [value for k, value in enumerate(values) if value in values[:k]]:
        raise file.wrong("values", f"{key} {repeated[0]!r} is named twice", place)
    more = {name: _value(file, name, given[name], place) for name in ("methods", "share") if name in given}
    made = [_varied(file, main, key, value, more, place) for value in values]
    return [_with_usual_delay(setting) for setting in made] if follows else made


def _with_usual_delay(setting: Setting) -> Setting:
    gamma = usual_delay(setting.task, setting.rows, setting.columns)
    return dataclasses.replace(setting, gamma=gamma, gammas=(gamma,))


def _varied(file: _File, main: Setting, key: str, value: Any, more: Plain, place: Place) -> Setting:
    made = _value(file, key, value, place, line="values")
    where = float(made) if isinstance(made, int | float) else made.index if isinstance(made, Law) else made.value
    told = str(made) if isinstance(made, Law) else figure(where)
    fields = {key: made, "name": f"{key}={told}", "panel": key, "value": where, **more}
    return _guarded(file, lambda: dataclasses.replace(main, **fields), place)


# ------------------------------------------------------------------------------------------------------ values


def _value(file: _File, key: str, value: Any, place: Place, line: str = "") -> Any:
    """What the file says as what a setting holds."""

    def wrong(complaint: str) -> SettingError:
        return file.wrong(line or key, complaint, place)

    if key in LAWS:
        return _law(LAWS[key], key, value, wrong)
    if key in WHOLE and (not isinstance(value, int) or isinstance(value, bool)):
        raise wrong(f"{key} must be a whole number, not {value!r}")
    if key in (*NUMBERS, "gamma", "share") and not _is_number(value):
        raise wrong(f"{key} must be a number, not {value!r}")
    if key in ("levels", "penalties", "step_sizes", "gammas"):
        if not isinstance(value, list) or not value or not all(map(_is_number, value)):
            raise wrong(f"{key} must be a list of numbers, not {value!r}")
        return tuple(map(float, value))
    if key == "methods":
        if not isinstance(value, list) or not value or not all(isinstance(name, str) for name in value):
            raise wrong(f"methods must be a list of names, not {value!r}")
        return tuple(value)
    if key == "literal" and not isinstance(value, bool):
        raise wrong(f"literal must be true or false, not {value!r}")
    return float(value) if key in (*NUMBERS, "gamma", "share") else value


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _law(kind: type[Law] | type[Start], key: str, value: Any, wrong: Callable[[str], SettingError]) -> Law | Start:
    """A law or a start: a name with its number, "pareto 2.1", or the number of a start in each coordinate."""
    if kind is Start and _is_number(value):
        value = f"each {value}"
    words = value.split() if isinstance(value, str) else []
    if len(words) not in (1, 2):
        example = '"pareto 2.1", "gaussian" or "lognormal 1"' if kind is Law else '0.5, "unit -1" or "truth 0.75"'
        raise wrong(f"{key} must be like {example}, not {value!r}")
    try:
        number = float(words[1]) if len(words) == 2 else 0.0
    except ValueError:
        raise wrong(f"{key} {value!r}: {words[1]!r} is no number") from None
    try:
        return kind(words[0].lower(), number)
    except SettingError as error:
        raise wrong(f"{key}: {error}") from error


def _whole(file: _File, given: Plain, key: str, least: int, most: int, usual: Any) -> Any:
    value = given.get(key, usual)
    if key in given and (not isinstance(value, int) or isinstance(value, bool) or not least <= value <= most):
        raise file.wrong(key, f"{key} must be a whole number from {least} to {most:,}, not {value!r}")
    return value


# ------------------------------------------------------------------------------------------------- complaints


def _refuse_unknown(file: _File, given: Plain, known: Sequence[str], place: Place = Place()) -> None:  # noqa: B008
    for key in given:
        if key not in known:
            raise file.wrong(key, f"unknown key {key!r}{_hint(key, known, place)}", place)


def _hint(key: str, known: Sequence[str], place: Place) -> str:
    if not place.table and key in CANDIDATES:
        return "; it belongs into the table [candidates]"
    near = difflib.get_close_matches(key, known, 1)
    return f"; did you mean {near[0]}?" if near else f"; there are {', '.join(known)}"


def _guarded(file: _File, make: Callable[[], Made], *places: Place) -> Made:
    """A complaint about a field, with the line where the field is."""
    try:
        return make()
    except SettingError as error:
        for key in re.findall(r"\w+", str(error)):
            for place in places:
                if line_of(file.text, key, place):
                    raise file.wrong(key, str(error), place) from error
        raise file.wrong("values" if places[0].table == "panel" else "methods", str(error), places[0]) from error


def line_of(text: str, key: str, place: Place) -> int | None:
    """The line, counted from 1, on which a key of a table is given: the TOML reader of Python does not tell."""
    wanted = re.compile(rf"""\s*["']?{re.escape(key)}["']?\s*=""")
    table, seen = "", {"": 0}
    for number, line in enumerate(text.splitlines(), start=1):
        if header := re.match(r"\s*\[+\s*([\w.\"'-]+)\s*\]", line):
            table = header.group(1).strip("\"'")
            seen[table] = seen.get(table, -1) + 1
            if table == key and not place.table:
                return number
        elif table == place.table and seen[table] == place.number and wanted.match(line):
            return number
    return None
