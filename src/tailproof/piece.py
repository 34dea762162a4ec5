"""Pieces: small immutable records of numbers (or of other pieces, or of tuples of these) with methods in plain Python.

A rule is a piece that holds pieces. Its `repr` is its one spelling, read back by `parse` against the catalogue;
nothing is ever evaluated and nothing is ever imported on a file's word.
"""

import ast
import importlib
import inspect
from collections import namedtuple
from collections.abc import Callable
from typing import Any, Protocol, TypeVar, cast, dataclass_transform

from .errors import RuleError

Made = TypeVar("Made")

# Fields are nouns and methods are verbs: machine code finds both by name, so they may not share one.
VERBS = {"value", "gradient", "slope", "curve", "prepare", "allow", "learn", "size", "pull"}

# No rule comes near this; what is longer is not read at all.
LONGEST = 50_000

catalogue: dict[str, type] = {}

# The rooms whose pieces come with the library: `parse` loads them on demand, and only them.
ROOMS = (
    "losses",
    "levels",
    "steps",
    "domains",
    "clipped",
    "extremes",
    "scales",
    "gram",
    "tuned",
    "one_vs_rest",
    "grouped",
    "each_target",
    "compare",
    "compare_means",
    "race",
)


class Piece(Protocol):
    """What every class made by `@piece` offers besides its own fields and methods."""

    _fields: tuple[str, ...]

    def _asdict(self) -> dict[str, Any]: ...


@dataclass_transform(frozen_default=True)
def piece(cls: type[Made]) -> type[Made]:
    """Turn a class of annotated fields and methods into an immutable record and enter it in the catalogue.

    The record is a named tuple, which is what machine code accepts; unlike a bare named tuple it is equal
    only to a record of its own class. A method `check(self)` may refuse bad settings with a `RuleError`.
    """
    record = _record(cls)
    known = catalogue.get(record.__name__)
    if known is not None and known.__module__ != record.__module__:
        raise RuleError(f"{record.__name__} is already the name of a piece of {known.__module__}; choose another name")
    catalogue[record.__name__] = record
    return cast(type[Made], record)


def _record(cls: type) -> type:
    fields = list(inspect.get_annotations(cls))
    for name in VERBS.intersection(fields):
        raise RuleError(f"{cls.__name__} may not have a field called {name!r}: that is the name of a method")
    defaults = [cls.__dict__[name] for name in fields if name in cls.__dict__]
    # A record without fields breaks Numba's calling convention: it carries one blank number.
    base = namedtuple(cls.__name__, fields or ["blank"], defaults=defaults if fields else [0.0])  # type: ignore[misc]
    hidden = ("__dict__", "__weakref__", "__annotations__", *fields)
    body = {name: value for name, value in cls.__dict__.items() if name not in hidden}
    body |= {
        "__slots__": (),
        "__new__": _checked(base, set(fields)),
        "__eq__": lambda a, b: type(a) is type(b) and tuple.__eq__(a, b),
        "__ne__": lambda a, b: not (type(a) is type(b) and tuple.__eq__(a, b)),
        "__hash__": lambda a: hash((type(a).__qualname__, tuple(a))),
        "__repr__": spell,
        "__module__": cls.__module__,
        "__qualname__": cls.__qualname__,
    }
    return type(cls.__name__, (base,), body)


def _checked(base: Any, fields: set[str]) -> Callable[..., Any]:
    def __new__(kind: Any, *values: Any, **named: Any) -> Any:
        for name in named:
            if name not in fields and name != "blank":
                raise RuleError(f"{kind.__name__} has no setting {name!r}; it has {', '.join(base._fields)}")
        made = base.__new__(kind, *values, **named)
        check = getattr(made, "check", None)
        if check is not None:
            check()
        return made

    return __new__


def spell(rule: Any) -> str:
    """The rule's one spelling, for example `Fixed(level=5.0)`."""
    if type(rule) is tuple:
        return f"({', '.join(spell(held) for held in rule)}{',' if len(rule) == 1 else ''})"
    if not hasattr(type(rule), "_fields"):
        return repr(rule)
    fields = [] if rule._fields == ("blank",) else rule._fields
    return f"{type(rule).__name__}({', '.join(f'{name}={spell(getattr(rule, name))}' for name in fields)})"


def nth(like: Any, numbers: Any, k: int) -> Any:
    """A piece like this one, whose numbers stand in column k; whatever else it holds stays."""
    return like._make(numbers[j, k] if isinstance(held, float) else held for j, held in enumerate(like))


def parse(text: str) -> Any:
    """Read a spelling back. Only names in the catalogue and plain values are understood."""
    if len(text) > LONGEST:
        raise RuleError(f"{_shown(text)} is too long to be the spelling of a rule")
    try:
        return _read(ast.parse(text, mode="eval").body, text)
    except (SyntaxError, ValueError, TypeError, RecursionError, MemoryError) as error:
        if isinstance(error, RuleError):
            raise
        raise RuleError(f"{_shown(text)} is not the spelling of a rule") from error


def _read(node: ast.expr, text: str) -> Any:
    if isinstance(node, ast.Constant) and isinstance(node.value, int | float | str | bool):
        return node.value
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        return _negated(_read(node.operand, text), text)
    # repr(float("inf")) is the bare name inf
    if isinstance(node, ast.Name) and node.id == "inf":
        return float("inf")
    if isinstance(node, ast.Tuple):
        return tuple(_read(item, text) for item in node.elts)
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and all(item.arg for item in node.keywords):
        kind = _known(node.func.id)
        values = [_read(item, text) for item in node.args]
        named = {str(item.arg): _read(item.value, text) for item in node.keywords}
        try:
            return kind(*values, **named)
        except TypeError as error:
            raise RuleError(f"{_shown(text)} does not fit {kind.__name__}: {error}") from error
    raise RuleError(f"{_shown(text)} is not the spelling of a rule")


def _negated(value: Any, text: str) -> Any:
    if type(value) in (int, float):
        return -value
    raise RuleError(f"{_shown(text)} is not the spelling of a rule")


def _known(name: str) -> type:
    if name not in catalogue:
        for room in ROOMS:
            importlib.import_module(f"{__package__}.{room}")
    if name not in catalogue:
        raise RuleError(f"{name} is not a known piece; if it is your own, import the module that defines it first")
    return catalogue[name]


def _shown(text: str) -> str:
    return repr(text if len(text) <= 80 else text[:77] + "...")
