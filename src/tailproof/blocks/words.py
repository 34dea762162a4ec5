"""Values that stand as words in text: which are numbers, and what is said about the others."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from tailproof.blocks.columns import Field

NUMBER = r"^[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?$|^[+-]?(?i:inf|infinity|nan)$"
TRUTHS = {"true": 1.0, "True": 1.0, "TRUE": 1.0, "false": 0.0, "False": 0.0, "FALSE": 0.0}
SHOWN = 40
MOSTLY = 0.5


def numbers_in_words(words: Any, kind: str) -> tuple[Any, list[tuple[int, str]]]:
    """Words as float64 with nulls, and (row, reason) for each that is no number."""
    import pyarrow as pa

    numeric = _is_number(words)
    values = _parsed(words, numeric)
    missing = np.asarray(words.is_null())
    bad = []
    for row in np.flatnonzero(~numeric & ~missing).tolist():
        word = words[row].as_buffer().to_pybytes().decode("utf-8", errors="replace")
        if kind == "boolean" and word in TRUTHS:
            values[row] = TRUTHS[word]
        else:
            missing[row] = True
            bad.append((row, f"{_shown(word)} is not a number"))
    return pa.array(values, mask=missing), bad


def judge(name: str, column: Any, na: Sequence[str]) -> Field:
    """What a column of words is: numbers with a few bad values, numbers in part, or text."""
    words = trimmed(column, na)
    there = len(words) - words.null_count
    numeric = int(_is_number(words).sum())
    if there == 0 or numeric >= MOSTLY * there:
        return Field(name, "number", "" if numeric == there else "text in part")
    return Field(name, "partly", "mostly text") if numeric else Field(name, "text", "text")


def trimmed(column: Any, na: Sequence[str]) -> Any:
    """The words without blanks around them; those that stand for 'missing' are null."""
    import pyarrow as pa
    import pyarrow.compute as compute

    words = compute.cast(column, options=compute.CastOptions(pa.string(), allow_invalid_utf8=True))
    words = compute.ascii_trim_whitespace(words)
    absent = compute.is_in(words, value_set=pa.array(list(na), pa.string()))
    return compute.if_else(absent, pa.scalar(None, pa.string()), words)


def _is_number(words: Any) -> npt.NDArray[np.bool_]:
    import pyarrow.compute as compute

    found = compute.fill_null(compute.match_substring_regex(words, NUMBER), False)
    return np.array(found.to_numpy(zero_copy_only=False), dtype=bool)


def _parsed(words: Any, numeric: npt.NDArray[np.bool_]) -> npt.NDArray[np.float64]:
    import pyarrow as pa
    import pyarrow.compute as compute

    kept = compute.ascii_ltrim(words.filter(pa.array(numeric)), characters="+")
    values = np.full(len(words), np.nan)
    values[numeric] = kept.cast(pa.float64()).to_numpy(zero_copy_only=False)
    return values


def _shown(word: str) -> str:
    return repr(word if len(word) <= SHOWN else word[:SHOWN] + "...")
