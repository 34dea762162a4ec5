"""The reference: a page for each public name, whatever `tailproof.__all__` holds. What has no docstring is a warning,
and warnings stop the build."""

import inspect
import re
from pathlib import Path
from types import ModuleType
from typing import Any

from sphinx.util import logging

import tailproof

log = logging.getLogger(__name__)
FOLDER = Path(__file__).parents[1] / "reference"
# Where names are listed, by the room they live in; others come last.
GROUPS = {
    "Models": ("models",),
    "Pictures": ("plots", "path"),
    "Rules": ("clipped", "extremes", "gram", "tuned", "one_vs_rest", "race", "estimator", "piece"),
    "Losses, levels, steps, domains": ("losses", "levels", "steps", "domains"),
    "Theory": ("theory",),
    "Errors": ("errors",),
}
SETTING = re.compile(r"^(\w+): (\S.*)$")
SPECIAL = re.compile(r"([\\*|_])")


def group_of(name: str) -> str:
    """The heading under which a public name stands."""
    found = getattr(tailproof, name)
    home = found.__name__ if isinstance(found, ModuleType) else found.__module__
    room = home.removeprefix("tailproof.").split(".")[0]
    return next((title for title, rooms in GROUPS.items() if room in rooms), "More")


def write(app: Any) -> None:
    """A page for each name, and the list of them."""
    FOLDER.mkdir(exist_ok=True)
    names = [name for name in tailproof.__all__ if not _doubled(name)]
    grouped: dict[str, list[str]] = {title: [] for title in [*GROUPS, "More"]}
    for name in names:
        grouped[group_of(name)].append(name)
        _write(FOLDER / f"{name}.rst", _page(name))
    parts = ["Reference\n=========\n"]
    for title, inside in grouped.items():
        if inside:
            listed = "\n".join(f"   {name}" for name in inside)
            parts.append(f"{title}\n{'-' * len(title)}\n\n.. toctree::\n   :maxdepth: 1\n\n{listed}\n")
    _write(FOLDER / "index.rst", "\n".join(parts))
    for path in FOLDER.glob("*.rst"):
        if path.stem not in {*names, "index"}:
            path.unlink()


def _doubled(name: str) -> bool:
    """Rooms whose names all stand at the top already."""
    found = getattr(tailproof, name)
    return isinstance(found, ModuleType) and set(_public(found)) <= set(tailproof.__all__)


def _write(path: Path, text: str) -> None:
    """Only what has changed, so that Sphinx need not read it again."""
    if not path.exists() or path.read_text() != text:
        path.write_text(text)


def _page(name: str) -> str:
    found = getattr(tailproof, name)
    head = f"{name}\n{'=' * len(name)}\n\n"
    if not isinstance(found, ModuleType):
        return head + _directive("tailproof", name, found)
    inside = "\n".join(_directive(found.__name__, one, getattr(found, one)) for one in _public(found))
    return f"{head}.. automodule:: {found.__name__}\n   :no-members:\n   :no-index:\n\n{inside}"


def _public(module: ModuleType) -> list[str]:
    if hasattr(module, "__all__"):
        return list(module.__all__)
    return sorted(
        name
        for name, found in vars(module).items()
        if not name.startswith("_") and (inspect.isclass(found) or inspect.isfunction(found))
        if found.__module__ == module.__name__
    )


def _directive(module: str, name: str, found: Any) -> str:
    if inspect.isclass(found):
        return f".. autoclass:: {module}.{name}\n   :members:\n   :inherited-members: tuple, BaseEstimator\n"
    if callable(found):
        return f".. autofunction:: {module}.{name}\n"
    return f".. autodata:: {module}.{name}\n   :no-value:\n"


# ----------------------------------------------------------------------------------------- docstrings, as we write them


def plain_words(app: Any, what: str, name: str, found: Any, options: Any, lines: list[str]) -> None:
    """Our docstrings are plain English with settings as `name: what it is`; here they become what Sphinx reads."""
    if not any(line.strip() for line in lines):
        if what in ("class", "function", "method", "property", "module"):
            log.warning("%s has no docstring", name)
        return
    out: list[str] = []
    example = setting = False
    for number, line in enumerate(lines):
        example = line.lstrip().startswith(">>>") or (example and bool(line.strip()))
        bare = line.strip()
        if example:
            out.append(line)
        elif number and (found_setting := SETTING.match(line)):
            if out and out[-1].strip() and not setting:
                out.append("")
            setting = True
            out.append(f"- **{found_setting[1]}**: {_escaped(found_setting[2])}")
        elif setting and bare:
            out.append(f"  {_escaped(bare)}")
        else:
            setting = False
            out.append(_escaped(bare))
    lines[:] = out


# What type checkers know under a short name.
SHORT = [
    (re.compile(r"_Buffer \| _SupportsArray.*?complex \| bytes \| str\]"), "ArrayLike"),
    (re.compile(r"ndarray\[tuple\[Any, \.\.\.\], dtype\[(\w+)\]\]"), r"NDArray[\1]"),
]


def short_types(
    app: Any, what: str, name: str, found: Any, options: Any, signature: str | None, said: str | None
) -> tuple[str | None, str | None]:
    """Arrays by the names that people know."""
    for pattern, word in SHORT:
        signature = pattern.sub(word, signature) if signature else signature
        said = pattern.sub(word, said) if said else said
    return signature, said


def _escaped(text: str) -> str:
    """What is between backticks is code; all else is words, whatever signs they hold."""
    parts = text.split("`")
    if len(parts) % 2 == 0:
        return SPECIAL.sub(r"\\\1", text.replace("`", "'"))
    return "".join(f"``{part}``" if k % 2 else SPECIAL.sub(r"\\\1", part) for k, part in enumerate(parts))


def ours_only(app: Any, what: str, name: str, found: Any, skip: bool, options: Any) -> bool | None:
    """What scikit-learn and the standard library have written is documented there."""
    function = getattr(found, "fget", None) or getattr(found, "func", None) or found
    home = getattr(function, "__module__", None)
    if callable(function) and home is not None and not home.startswith("tailproof"):
        return True
    return True if name in ("set_fit_request", "set_score_request", "set_partial_fit_request") else None


def setup(app: Any) -> dict[str, bool]:
    """Before anything is read, and for each docstring."""
    app.connect("builder-inited", write)
    app.connect("autodoc-process-docstring", plain_words)
    app.connect("autodoc-process-signature", short_types)
    app.connect("autodoc-skip-member", ours_only)
    return {"parallel_read_safe": False}
