"""The runner with a target: numbers to explain, and labels whose classes are known before the first row."""

import csv
import signal
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tailproof import checkpoint
from tailproof.blocks import open_source
from tailproof.checkpoint import load
from tailproof.errors import CheckpointError, DataError
from tailproof.extremes import Extremes
from tailproof.gram import Gram
from tailproof.losses import Logistic
from tailproof.one_vs_rest import OneVsRest
from tailproof.runner import Job, Outcome, Stopped, run

FILES, ROWS = 6, 20
CITIES = ["oslo", "bergen", "narvik"]
REGRESS = {"rule": Gram(), "target": "y", "one_hot": True}
CLASSIFY = {"rule": OneVsRest(), "target": "who", "target_kind": "label", "one_hot": True}


@pytest.fixture
def paths(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """A few small files, each of which is a block; in each, a city and a target are missing and one is infinite."""
    monkeypatch.chdir(tmp_path)
    return [written(f"day-{number}.csv", number) for number in range(FILES)]


def written(name: str, seed: int) -> str:
    random = np.random.default_rng(seed)
    with open(name, "w") as file:
        file.write("x,city,who,y\n")
        for row, (x, y) in enumerate(random.standard_t(3, (ROWS, 2)).tolist()):
            city = "" if row == 7 else CITIES[int(random.integers(3))]
            who = "" if row == 9 else "abc"[int(random.integers(3))]
            file.write(f"{x!r},{city},{who},{['', 'inf'][row // 3 - 1] if row in (3, 6) else repr(y)}\n")
    return name


def write(name: str, data: str) -> str:
    Path(name).write_text(data)
    return name


class AtFirst:
    """A watcher that asks for a stop after the first block."""

    def update(self, rows: int, share: float | None, running: Callable[[], float]) -> None:
        signal.raise_signal(signal.SIGTERM)

    def close(self) -> None:
        """There is nothing to close."""


def outcome_of(paths: list[str], **options: Any) -> Outcome:
    return run(Job(**{"paths": paths, **options}))


def quarantined(name: str) -> list[list[str]]:
    with open(name, newline="") as file:
        return list(csv.reader(file))[1:]


@pytest.mark.parametrize(
    "asked",
    [REGRESS, CLASSIFY, {**REGRESS, "features": ["x", "city"]}, {**CLASSIFY, "labels": ["b", "c"]}],
    ids=["regress", "classify", "some features", "some labels"],
)
def test_stopped_after_every_block_and_gone_on_with(paths: list[str], asked: dict[str, Any]) -> None:
    whole = outcome_of(paths, **asked, quarantine="whole.csv")
    job = Job(paths=paths, **asked, checkpoint="run.tps", quarantine="bad.csv")
    for done in range(1, FILES):
        with pytest.raises(Stopped):
            run(job, AtFirst())
        assert load("run.tps").position["file"] == paths[done - 1]
    last = run(job)
    assert last.state.same_bits(whole.state)
    assert last.state.same_bits(load("run.tps").state)
    assert last.resumed_at > 0
    assert last._replace(resumed_at=0)[1:] == whole[1:]
    assert Path("bad.csv").read_bytes() == Path("whole.csv").read_bytes()


def test_rows_without_a_target_are_refused_and_named(paths: list[str]) -> None:
    found = outcome_of(paths, **REGRESS, quarantine="bad.csv")
    assert found.first_refused == "day-0.csv: row 4: column 'y': missing"
    assert quarantined("bad.csv")[:3] == [
        ["day-0.csv", "4", "y", "missing"],
        ["day-0.csv", "7", "y", "infinite"],
        ["day-0.csv", "8", "city", "missing"],
    ]
    assert found.quarantined == int(found.state.counts[1]) == 4 * FILES
    assert int(found.state.counts[0]) == (ROWS - 4) * FILES


def test_the_first_row_without_a_target_may_stop_the_run(paths: list[str]) -> None:
    with pytest.raises(DataError, match=r"day-0.csv: row 4: column 'y': missing; fix the row"):
        outcome_of(paths, **REGRESS, missing="raise")


@pytest.mark.parametrize("asked", [REGRESS, CLASSIFY], ids=["regress", "classify"])
def test_a_checkpoint_knows_what_predicting_needs(paths: list[str], asked: dict[str, Any]) -> None:
    found = outcome_of(paths, **asked, checkpoint="run.tps")
    saved = load("run.tps")
    assert saved.settings.items() >= found.learned.items()
    assert (saved.rule, saved.names) == (found.rule, found.names)
    with open_source(paths, features=saved.names, levels=saved.settings["one_hot"]) as source:
        assert source.names == found.names
        assert sum(len(block.rows) for block in source.blocks()) == FILES * ROWS


def test_only_what_there_is_is_learned(paths: list[str]) -> None:
    assert outcome_of(paths, rule=Gram(), target="y").learned == {"target": "y"}
    assert outcome_of(paths, rule=Extremes()).learned == {}


class TestClasses:
    def test_the_rule_gets_as_many_as_there_are_labels(self, paths: list[str]) -> None:
        found = outcome_of(paths, **CLASSIFY)
        assert found.rule == OneVsRest(classes=3)
        assert found.labels == ["a", "b", "c"]
        assert int(found.state.tally.sum()) == int(found.state.counts[0])
        two = outcome_of([write("two.csv", "x,who\n1,b\n2,b\n")], **CLASSIFY)
        assert (two.rule.classes, two.labels, two.state.tally.tolist()) == (2, ["b"], [2, 0])

    def test_a_label_beyond_them_keeps_its_row_out(self, paths: list[str]) -> None:
        asked = {**CLASSIFY, "labels": ["b", "a"], "quarantine": "bad.csv"}
        found = outcome_of([write("a.csv", "x,who\n1,a\n2,b\n3,c\n4,a\n")], **asked)
        assert (found.rule.classes, found.labels, found.state.tally.tolist()) == (2, ["b", "a"], [1, 2])
        reason = "label 'c' is none of b, a; name all classes with --labels b,a,c"
        assert found.first_refused == f"a.csv: row 3: column 'who': {reason}"
        assert quarantined("bad.csv") == [["a.csv", "3", "who", reason]]

    def test_a_rule_for_two_classes_refuses_more(self, paths: list[str]) -> None:
        asked = {**CLASSIFY, "rule": Gram(loss=Logistic())}
        with pytest.raises(
            DataError, match=r"target 'who' has the labels a, b, c, which are 3 classes, and 2 are told"
        ):
            outcome_of(paths, **asked)
        two = outcome_of([write("two.csv", "x,who\n1,b\n2,a\n")], **asked)
        assert two.rule == Gram(loss=Logistic())

    def test_going_on_with_another_rule_or_other_labels(self, paths: list[str]) -> None:
        outcome_of(paths, **CLASSIFY, checkpoint="run.tps")
        with pytest.raises(CheckpointError, match=r"was written by OneVsRest.* asks for .*intercept=False"):
            outcome_of(
                paths, **{**CLASSIFY, "rule": OneVsRest(Gram(Logistic(), intercept=False))}, checkpoint="run.tps"
            )
        with pytest.raises(DataError, match="made with other labels asked for"):
            outcome_of(paths, **CLASSIFY, labels=["a", "b", "c"], checkpoint="run.tps")
        with pytest.raises(DataError, match="made with --one-hot"):
            outcome_of(paths, **{**CLASSIFY, "one_hot": False}, checkpoint="run.tps")


class TestForged:
    FORGERIES = (
        {"labels": ["a", "b"]},
        {"labels": ["a", "b", "c", "d"]},
        {"labels": ["a", "b", "b"]},
        {"labels": [1, 2, 3]},
        {"labels": "abc"},
        {"labels": None},
        {"levels": {}},
        {"levels": {"city": ["oslo"]}},
        {"levels": {"city": 7}},
        {"target": "x"},
    )

    @pytest.mark.parametrize("forged", FORGERIES, ids=repr)
    def test_a_place_is_trusted_no_further(self, paths: list[str], forged: dict[str, Any]) -> None:
        with pytest.raises(Stopped):
            run(Job(paths=paths, **CLASSIFY, checkpoint="run.tps"), AtFirst())
        saved = load("run.tps")
        assert saved.position is not None
        checkpoint.save("run.tps", saved._replace(position={**saved.position, **forged}))
        with pytest.raises(CheckpointError, match="holds no place that can be gone on from"):
            outcome_of(paths, **CLASSIFY, checkpoint="run.tps")
