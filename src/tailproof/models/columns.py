"""The columns of a frame: matched by name to what a model was fitted on, and refused by name if not numbers."""

from collections.abc import Mapping, Sequence
from typing import Any

from ..blocks.columns import value_type
from ..categories import Levels, feature_columns
from ..errors import DataError

OF_TEXT = (
    "leave such columns out, or turn them into columns of numbers first, for example with scikit-learn's OneHotEncoder"
)
OF_TIMES = "leave such columns out, or turn them into numbers first, for example into days since the first"


def matched(there: Sequence[str], names: Sequence[str], levels: Levels) -> tuple[list[str], Levels]:
    """The columns to read for a model's features, in its order, whatever others there are; and the levels of those
    that are texts."""
    if set(names) <= set(there):
        return list(names), {}
    columns = feature_columns(names, levels)
    missing = [name for name in columns if name not in there]
    if missing:
        raise DataError(
            f"X lacks {shown(missing)}, which this model was fitted on; it has {shown(there)}: "
            "name its columns as they were then"
        )
    return columns, levels


def refuse_others(types: Mapping[str, Any]) -> None:
    """Refuse columns that hold no numbers, and say what helps."""
    said = {name: said_of(kind) for name, kind in types.items()}
    others = {name: words for name, words in said.items() if words}
    if not others:
        return
    # One sentence for one remedy: times first, as they are not to be one-hot encoded by mistake.
    kind = "times" if "times" in others.values() else next(iter(others.values()))
    names = [name for name, words in others.items() if words == kind]
    raise DataError(f"{shown(names)}: {kind}, not numbers; {remedy_for(kind)}")


def said_of(kind: Any) -> str:
    """What a column of an Arrow type holds, if not numbers; '' for numbers and truths."""
    import pyarrow as pa

    if isinstance(kind, str):
        return kind
    if pa.types.is_dictionary(kind):
        return "categories"
    if isinstance(kind, pa.BaseExtensionType) and not kind.extension_name.endswith("bool8"):
        # Numbers that stand for something else, such as the months of pandas.
        return "times" if "period" in kind.extension_name else str(kind)
    inner = value_type(kind)
    known = (pa.types.is_integer, pa.types.is_floating, pa.types.is_decimal, pa.types.is_null, pa.types.is_boolean)
    if any(is_one(inner) for is_one in known):
        return ""
    texts = (pa.types.is_string, pa.types.is_large_string, pa.types.is_string_view)
    if any(is_one(inner) for is_one in texts):
        return "text"
    return "times" if pa.types.is_temporal(inner) else str(inner)


def remedy_for(kind: str) -> str:
    if kind == "times":
        return OF_TIMES
    return OF_TEXT if kind in ("text", "categories") else "leave such columns out, or give them one kind of number"


def shown(names: Sequence[str]) -> str:
    """Names in a sentence."""
    return ", ".join(map(repr, names[:8])) + (f" and {len(names) - 8} more" if len(names) > 8 else "")
