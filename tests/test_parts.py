"""Runs in parts: the same answer for any number of threads, and all else as in a run of one pass."""

import gzip
import os
import signal
import threading
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import parquet

from tailproof.blocks import parts, text
from tailproof.checkpoint import load
from tailproof.clipped import ClippedSGD
from tailproof.errors import CheckpointError, DataError
from tailproof.extremes import Extremes
from tailproof.gram import Gram
from tailproof.losses import Logistic
from tailproof.one_vs_rest import OneVsRest
from tailproof.parts import in_order
from tailproof.runner import Job, Outcome, Stopped, run

from .test_runner import After

ROWS = 3000
JOBS = (1, 2, 7)


@pytest.fixture(autouse=True)
def paths(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, list[str]]:
    """Three files a format, each of which is cut into several parts, and some parts hold the end of one and the
    beginning of the next; a few rows of them are bad."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(text, "PIECE_BYTES", 9_000)
    monkeypatch.setattr(parts, "PART_BYTES", 17_000)
    made: dict[str, list[str]] = {"parquet": [], "csv": [], "csv.gz": [], "jsonl": [], "arrow": []}
    for number in range(3):
        table = table_of(number)
        for ending in made:
            made[ending].append(f"day-{number}.{ending}")
        parquet.write_table(table, f"day-{number}.parquet", row_group_size=400)
        words = csv_of(table)
        Path(f"day-{number}.csv").write_text(words)
        Path(f"day-{number}.csv.gz").write_bytes(gzip.compress(words.encode()))
        Path(f"day-{number}.jsonl").write_text(
            "".join(f'{{"a": {a!r}, "b": {b!r}, "y": {y!r}, "late": "{late}"}}\n' for a, b, y, late in rows_of(table))
        )
        with pa.ipc.new_file(f"day-{number}.arrow", table.schema) as writer:
            writer.write_table(table, max_chunksize=300)
    return made


def table_of(seed: int) -> Any:
    draw = np.random.default_rng(seed)
    a, b = draw.standard_t(2.5, (2, ROWS // 3))
    y = 1.0 + a - 2.0 * b + draw.standard_t(3.0, len(a))
    a[::97] = np.nan
    late = np.where(y + draw.standard_normal(len(a)) > 0.0, "yes", "no")
    return pa.table({"a": a, "b": b, "y": y, "late": late})


def rows_of(table: Any) -> Any:
    columns = [table.column(name).to_pylist() for name in ("a", "b", "y", "late")]
    return zip(*columns, strict=True)


def csv_of(table: Any) -> str:
    """With line ends within quotes, and words for numbers."""
    lines = [f'{"oops" if a != a else repr(a)},{b!r},{y!r},{late},"on\ntwo"' for a, b, y, late in rows_of(table)]
    return "a,b,y,late,note\n" + "".join(f"{line}\n" for line in lines)


CASES: list[tuple[Any, dict[str, Any]]] = [
    (Extremes(), {"columns": ["a", "b", "y"]}),
    (Extremes(groups=16), {"columns": ["a", "b"]}),
    (Gram(), {"target": "y"}),
    (OneVsRest(of=Gram(loss=Logistic())), {"target": "late", "target_kind": "label", "features": ["a", "b"]}),
    (Gram(), {"target": "y", "one_hot": True, "features": ["a", "late"]}),
]


def outcome(paths: list[str], rule: Any = CASES[0][0], jobs: int | None = None, **options: Any) -> Outcome:
    options = options or CASES[0][1]
    return run(Job(rule, paths, jobs=jobs, **options))


@pytest.mark.parametrize("ending", ["parquet", "csv", "csv.gz", "jsonl", "arrow"])
@pytest.mark.parametrize(("rule", "options"), CASES, ids=[f"{rule!r} {len(options)}" for rule, options in CASES])
def test_any_number_of_threads_gives_the_same_bits(
    paths: dict[str, list[str]], rule: Any, options: dict[str, Any], ending: str
) -> None:
    whole = outcome(paths[ending], rule, **options)
    first, *others = (outcome(paths[ending], rule, jobs, **options) for jobs in JOBS)
    for other in others:
        assert other.state.same_bits(first.state)
    assert first.state.counts[:2].tolist() == whole.state.counts[:2].tolist()
    assert first.state.counts[1] == 33
    assert (first.names, first.first_refused) == (whole.names, whole.first_refused)
    told, said = rule.read(first.state), rule.read(whole.state)
    if isinstance(rule, Extremes):
        np.testing.assert_allclose(told.mean, said.mean, rtol=1e-12)
    else:
        np.testing.assert_allclose(np.ravel(told.coef), np.ravel(said.coef), atol=0.05)


@pytest.mark.parametrize("ending", ["parquet", "csv", "jsonl"])
def test_refused_rows_have_their_own_numbers(paths: dict[str, list[str]], ending: str) -> None:
    outcome(paths[ending], columns=["a", "b"], quarantine="whole.csv")
    for jobs in JOBS:
        found = outcome(paths[ending], jobs=jobs, columns=["a", "b"], quarantine="bad.csv")
        assert found.quarantined == 33
        assert Path("bad.csv").read_bytes() == Path("whole.csv").read_bytes()


def test_the_first_bad_row_is_raised(paths: dict[str, list[str]]) -> None:
    good = [name for name in paths["csv"] if name != "day-1.csv"]
    Path("day-0.csv").write_text(Path("day-0.csv").read_text().replace("oops", "1.5"))
    for names in (good, paths["csv"]):
        said = set()
        for jobs in (None, *JOBS):
            with pytest.raises(DataError) as raised:
                outcome(names, jobs=jobs, columns=["a", "b"], missing="raise")
            said.add(str(raised.value))
        assert len(said) == 1
    assert said.pop().startswith("day-1.csv: row 1: column 'a': 'oops' is not a number; fix the row")


@pytest.mark.parametrize("ending", ["parquet", "csv", "csv.gz"])
@pytest.mark.parametrize("case", [0, 2], ids=["Extremes", "Gram"])
def test_stopped_after_every_part_and_gone_on_with(paths: dict[str, list[str]], case: int, ending: str) -> None:
    rule, options = CASES[case]
    whole = outcome(paths[ending], rule, 2, **options, quarantine="whole.csv")
    kept = {**options, "quarantine": "bad.csv", "checkpoint": "run.tps"}
    for turn in range(100):
        try:
            last = run(Job(rule, paths[ending], jobs=JOBS[turn % 3], **kept), After(1, terminate))
        except Stopped:
            continue
        break
    assert 3 < turn < 50
    assert last.state.same_bits(whole.state)
    assert load("run.tps").state.same_bits(whole.state)
    assert Path("bad.csv").read_bytes() == Path("whole.csv").read_bytes()


def terminate() -> None:
    signal.raise_signal(signal.SIGTERM)


def test_a_run_is_gone_on_with_as_it_was_begun(paths: dict[str, list[str]]) -> None:
    for begun, then, said in ((None, 2, "without --jobs: leave it out"), (2, None, "with --jobs: give it")):
        with pytest.raises(Stopped):
            run(Job(Extremes(), paths["parquet"], checkpoint="run.tps", jobs=begun), After(1, terminate))
        with pytest.raises(CheckpointError, match=said):
            outcome(paths["parquet"], jobs=then, checkpoint="run.tps")
        os.remove("run.tps")


def test_a_stop_leaves_nothing_running(paths: dict[str, list[str]]) -> None:
    before = threading.active_count()
    for _ in range(3):
        with pytest.raises(Stopped):
            run(Job(Extremes(), paths["csv"], columns=["a", "b"], jobs=4), After(2, terminate))
        assert threading.active_count() == before


def test_damage_is_said_in_its_turn_and_what_was_done_is_kept(paths: dict[str, list[str]]) -> None:
    Path("day-1.parquet").write_bytes(b"PAR1 and nothing else")
    for jobs in JOBS:
        with pytest.raises(DataError, match=r"day-1\.parquet is damaged"):
            outcome(paths["parquet"], jobs=jobs, columns=["a", "b", "y"], checkpoint=f"run-{jobs}.tps")
        assert load(f"run-{jobs}.tps").state.counts[0] > 500
        assert load(f"run-{jobs}.tps").state.same_bits(load("run-1.tps").state)


def test_what_cannot_be_cut_is_refused(paths: dict[str, list[str]]) -> None:
    with pytest.raises(DataError, match="ClippedSGD learns depends on the order"):
        outcome(paths["csv"], ClippedSGD(), jobs=2)
    os.mkfifo("pipe.csv")
    feeder = threading.Thread(target=Path("pipe.csv").write_text, args=("a,b\n1,2\n",))
    feeder.start()
    with pytest.raises(DataError, match="a pipe cannot be cut"):
        outcome(["pipe.csv"], jobs=2, columns=["a"])
    feeder.join()
    Path("one.csv").write_text("a,late\n" + "1,no\n" * 9)
    with pytest.raises(DataError, match="name them with --labels"):
        outcome(["one.csv"], CASES[3][0], jobs=2, target="late", target_kind="label")


def test_few_rows_wait_in_memory() -> None:
    """However slow the first part is, the others do not pile up."""
    made, go = [], threading.Event()

    def items() -> Any:
        for number in range(100):
            made.append(number)
            yield number

    def work(item: int, stopped: threading.Event) -> int:
        if item == 0:
            go.wait(5.0)
        return item

    found = in_order(items(), work, 3)
    threading.Timer(0.2, go.set).start()
    assert next(found) == 0
    assert len(made) <= 7
    assert list(found) == list(range(1, 100))
