"""Opens files: finds them, and decides on columns, levels and labels by the first rows, or by a saved position."""

from collections.abc import Iterator, Sequence
from contextlib import suppress
from itertools import chain
from typing import Any, BinaryIO, NamedTuple

from tailproof.blocks.arrow import Arrow
from tailproof.blocks.block import Batch, Reader
from tailproof.blocks.choice import Choice, Wish, choose, labels_asked
from tailproof.blocks.columns import locate, refuse_repeats
from tailproof.blocks.delimited import Delimited
from tailproof.blocks.files import Input
from tailproof.blocks.indicators import most_frequent
from tailproof.blocks.jsonlines import JsonLines
from tailproof.blocks.labels import first_groups, first_labels
from tailproof.blocks.parquet import Parquet
from tailproof.blocks.position import Place, check_unchanged, place_of, saved_choice
from tailproof.blocks.rows import rows_per_block
from tailproof.blocks.stream import Stream
from tailproof.categories import Label, Levels, feature_names
from tailproof.errors import DataError

# The first rows decide on the labels and on the levels of text: so many values of all columns are looked at, within
# these rows.
SCOUTED = 2**22
FEWEST_SCOUTED, MOST_SCOUTED = 2**10, 2**16
MOST_FILES = 64  # so many more are looked into where the first one is short


class Options(NamedTuple):
    na: Sequence[str]
    stdin: BinaryIO | None


class Opened(NamedTuple):
    """What is known when reading begins. `reader` stands in the first file, which `begun` goes on reading."""

    choice: Choice
    levels: Levels
    labels: Sequence[Label]
    place: Place
    reader: Reader | None = None
    begun: Iterator[Batch] | None = None


def open_reader(found: Input, options: Options) -> Reader:
    """The reader of a file's format."""
    if found.format == "parquet":
        return Parquet(found.name)
    stream = Stream(found.name, options.stdin)
    try:
        if found.format == "csv":
            return Delimited(stream, options.na)
        return JsonLines(stream, options.na) if found.format == "jsonl" else Arrow(stream)
    except BaseException:
        stream.close()
        raise


def at_position(inputs: list[Input], wish: Wish, position: dict[str, Any]) -> Opened:
    """Where an earlier run of the same wish stopped."""
    check_unchanged(position, inputs)
    choice = saved_choice(position, wish)
    return Opened(choice, position.get("levels", {}), position.get("labels", []), place_of(position))


def at_beginning(inputs: list[Input], wish: Wish, options: Options) -> Opened:
    """The first file that has rows decides."""
    reasons = []
    for index, found in enumerate(inputs):
        reader = open_reader(found, options)
        try:
            reason = reader.vacant()
            if not reason:
                return _decided(index, reader, wish, _Files(inputs[index:], options))
        except BaseException:
            reader.close()
            raise
        reasons.append(f"{found.name} {reason}")
        reader.close()
    raise DataError(reasons[0] if len(reasons) == 1 else f"none of {len(reasons)} files has rows: {reasons[0]}")


class _Files(NamedTuple):
    """The files from the first that has rows on."""

    inputs: list[Input]
    options: Options

    @property
    def first(self) -> str:
        return self.inputs[0].name


def _decided(index: int, reader: Reader, wish: Wish, files: _Files) -> Opened:
    fields = reader.fields(True)
    choice, known = choose(fields, wish, files.first), wish.levels or {}
    levels = {name: list(known[name]) for name in choice.texts if name in known}
    labels = (labels_asked(wish, choice.kinds[-1]) or []) if choice.labelled else []
    opened = Opened(choice, levels, labels, Place(index, 0, {}), reader)
    if len(levels) < len(choice.texts) or (choice.labelled and not labels):
        opened = _scouted(opened, reader, locate(fields, choice.names, choice.kinds, files.first), files, wish)
    refuse_repeats(feature_names(choice.features, opened.levels), "with the indicator columns")
    return opened


def _scouted(opened: Opened, reader: Reader, places: list[int], files: _Files, wish: Wish) -> Opened:
    """Look at the first rows for the levels and labels that are not known."""
    choice, labels = opened.choice, opened.labels
    most = max(FEWEST_SCOUTED, min(MOST_SCOUTED, SCOUTED // len(places)))
    batches = reader.batches(places, choice.kinds, {}, rows_per_block(len(places)))
    first = _first_rows(batches, most)
    seen = [*first, *_further_rows(files, choice, most - _size(first))]
    found = {
        name: most_frequent(name, _parts(seen, choice.names.index(name), most), files.first)
        for name in choice.texts
        if name not in opened.levels
    }
    if choice.labelled and not labels:
        first_of = first_groups if wish.grouped else first_labels
        labels = first_of(choice.names[-1], choice.kinds[-1], _parts(seen, len(choice.names) - 1, most), files.first)
    return opened._replace(levels={**opened.levels, **found}, labels=labels, begun=chain(first, batches))


def _first_rows(batches: Iterator[Batch], most: int) -> list[Batch]:
    """Batches that hold the rows to be looked at."""
    first: list[Batch] = []
    while _size(first) < most and (batch := next(batches, None)) is not None:
        first.append(batch)
    return first


def _further_rows(files: _Files, choice: Choice, most: int) -> list[Batch]:
    """Where the first file is short, the next ones are looked into; a pipe cannot be, as it is read only once."""
    found: list[Batch] = []
    for one in files.inputs[1 : 1 + MOST_FILES]:
        if one.size is None or _size(found) >= most:
            break
        with suppress(DataError):  # what is wrong with a file is said when it is reached
            found += _looked_into(one, choice, files.options, most - _size(found))
    return found


def _looked_into(found: Input, choice: Choice, options: Options, most: int) -> list[Batch]:
    reader = open_reader(found, options)
    try:
        if reader.vacant():
            return []
        places = locate(reader.fields(False), choice.names, choice.kinds, found.name)
        return _first_rows(reader.batches(places, choice.kinds, {}, rows_per_block(len(places))), most)
    finally:
        reader.close()


def _size(batches: list[Batch]) -> int:
    return sum(batch.size for batch in batches)


def _parts(batches: list[Batch], place: int, rows: int) -> list[Any]:
    """The first rows of one column, in parts, however they came in batches."""
    parts = []
    for batch in batches:
        parts.append(batch.columns[place].slice(0, rows))
        rows -= len(parts[-1])
    return parts
