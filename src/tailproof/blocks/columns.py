"""The columns of a file, by name and type, and what is said about those that are missing or cannot be used."""

import difflib
from collections import Counter
from collections.abc import Sequence
from typing import Any, NamedTuple

from tailproof.errors import DataError

SHOWN = 12
AS_NUMBERS = "leave it out or turn it into numbers first"


class Field(NamedTuple):
    """A column of a file: `kind` is 'number', 'boolean', 'text', 'partly' (numbers among text) or '' with `why`.

    A number with a `why` holds a few values that are none; a category is stored as numbers of a few values.
    """

    name: str
    kind: str
    why: str
    is_category: bool = False


def field_of(name: str, kind: Any) -> Field:
    """What an Arrow type means to us."""
    import pyarrow as pa

    inner, is_category = value_type(kind), pa.types.is_dictionary(kind)
    if pa.types.is_boolean(inner):
        return Field(name, "boolean", "", is_category)
    known = (pa.types.is_integer, pa.types.is_floating, pa.types.is_decimal, pa.types.is_null)
    if any(is_one(inner) for is_one in known):
        return Field(name, "number", "", is_category)
    why = spoken(kind)
    return Field(name, "text" if why == "text" else "", why)


def value_type(kind: Any) -> Any:
    """The type of the values behind a dictionary, a run-length or an extension type."""
    import pyarrow as pa

    while True:
        if pa.types.is_dictionary(kind) or pa.types.is_run_end_encoded(kind):
            kind = kind.value_type
        elif isinstance(kind, pa.BaseExtensionType):
            kind = kind.storage_type
        else:
            return kind


def spoken(kind: Any) -> str:
    import pyarrow as pa

    inner = value_type(kind)
    texts = (pa.types.is_string, pa.types.is_large_string, pa.types.is_string_view)
    return "text" if any(is_one(inner) for is_one in texts) else str(inner)


def locate(fields: list[Field], names: list[str], kinds: list[str], file: str) -> list[int]:
    """Where the named columns stand in this file; each must be there once and hold what its kind says."""
    places = {field.name: place for place, field in enumerate(fields)}
    repeated = {name for name, count in Counter(field.name for field in fields).items() if count > 1}
    refuse_missing([name for name in names if name not in places], list(places), file)
    for name, kind in zip(names, kinds, strict=True):
        if name in repeated:
            refuse_repeats([name, name], file)
        if not fits(fields[places[name]], kind):
            raise unusable(fields[places[name]], file, AS_NUMBERS)
    return [places[name] for name in names]


def fits(field: Field, kind: str) -> bool:
    """Whether a column can be read as that kind: numbers can be read as text, but not the other way."""
    return bool(field.kind) and (kind == "text" or field.kind != "text")


def refuse_missing(names: list[str], there: list[str], file: str) -> None:
    its = f"columns are {cut_list([repr(other) for other in there])}"
    if len(names) > 1:
        guesses = [(name, _near_name(name, there)) for name in names]
        listed = [f"{name!r}{f' (did you mean {guess!r}?)' if guess else ''}" for name, guess in guesses]
        raise DataError(f"{file} has no columns {cut_list(listed)}; its {its}")
    if names:
        guess = _near_name(names[0], there)
        said = f"; did you mean {guess!r}? Its" if guess else "; its"
        raise DataError(f"{file} has no column {names[0]!r}{said} {its}")


def _near_name(name: str, there: list[str]) -> str:
    near = difflib.get_close_matches(name, there, 1, 0.6)
    return (near or [other for other in there if other.lower() == name.strip().lower()] or [""])[0]


def unusable(field: Field, file: str, remedy: str) -> DataError:
    return DataError(f"{file}: column {field.name!r} holds {field.why}, not numbers; {remedy}")


def refuse_repeats(names: Sequence[str], where: str) -> None:
    twice = [repr(name) for name, count in Counter(names).items() if count > 1]
    if twice:
        raise DataError(f"{where}: column {cut_list(twice)} occurs more than once; give each column its own name")


def cut_list(words: list[str]) -> str:
    """A list for one line: the first dozen, then how many more."""
    more = len(words) - SHOWN
    return ", ".join(words[:SHOWN]) + (f" and {more} more" if more > 0 else "")


def cut(word: str, most: int = 40) -> str:
    return word if len(word) <= most else word[:most] + "..."
