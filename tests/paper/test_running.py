"""Runs: the same numbers on any number of cores and after any stop; what is written is what is read."""

import dataclasses
import json
import time
from pathlib import Path

import numpy as np
import pytest

from tailproof.errors import TailproofError
from tailproof.paper import pieces, results, running, summaries
from tailproof.paper.settings import EXPERIMENTS, METHODS, Experiment, Setting, SettingError, Start, find

FIELDS = {"experiment", "setting", "trials", "seed", "seconds", "methods"}
QUANTILES = {"0.5", "0.05", "0.01", "0.005", "0.001"}


@pytest.fixture(autouse=True)
def small_pieces(monkeypatch):
    monkeypatch.setattr(Setting, "chunk", property(lambda self: 16))
    monkeypatch.setattr(Setting, "our_chunk", property(lambda self: 4))


def experiment():
    small = Setting(rows=50, columns=3, levels=(0.05, 0.2, 1.0), step_sizes=(0.1, 1.0), start=Start("each", 1.0))
    other = dataclasses.replace(small, name="theta1=0", panel="start", value=0.0, start=Start("each", 0.0), share=0.5)
    return Experiment("tiny", "A tiny one", (small, other), 40, 100)


def lines():
    line = Setting(task="linear", rows=40, columns=3, gammas=(0.3, 3.0), gamma=3.0, penalties=(0.01, 0.1), ours=0.1)
    return Experiment("lines", "Lines", (line,), 40, 100)


def bare(result):
    """Without what the clock says."""
    text = json.loads(json.dumps(result))
    for record in (text, *text["panels"]):
        del record["seconds"]
    return text


@pytest.mark.parametrize("make", [experiment, lines])
def test_the_same_seed_gives_the_same_numbers_on_any_number_of_cores(make):
    alone = running.run(make(), 40, threads=1)
    assert bare(alone) == bare(running.run(make(), 40, threads=3))
    assert bare(alone) != bare(running.run(make(), 40, seed=2, threads=1))


def test_a_stopped_run_goes_on_where_it_was(tmp_path, monkeypatch):
    whole = running.run(experiment(), 40)
    make, told, made = running._make, [], []

    def slower_and_slower(*given):
        made.append(given[1])
        if len(made) > 3:
            time.sleep(0.3)
        return make(*given)

    def stop(progress):
        told.append(progress)
        if len(told) == 3:
            raise KeyboardInterrupt

    monkeypatch.setattr(running, "_make", slower_and_slower)
    with pytest.raises(KeyboardInterrupt):
        running.run(experiment(), 40, out=tmp_path, tell=stop, threads=1)
    kept = set((tmp_path / "tiny" / "trials").iterdir())
    assert 3 <= len(kept) < 15
    assert not (tmp_path / "tiny" / results.FILE).exists()
    made.clear()
    assert bare(running.run(experiment(), 40, out=tmp_path)) == bare(whole)
    assert len(made) + len(kept) == len(set((tmp_path / "tiny" / "trials").iterdir())) == 15


def test_more_trials_use_those_that_are_there(tmp_path, monkeypatch):
    running.run(experiment(), 32, out=tmp_path)
    made = []
    make = running._make
    monkeypatch.setattr(running, "_make", lambda *given: made.append(given[1]) or make(*given))
    longer = running.run(experiment(), 64, out=tmp_path)
    assert all(piece.first > 0 for piece in made if not piece.ours)
    assert bare(longer) == bare(running.run(experiment(), 64))


def test_progress_ends_where_it_should():
    told = []
    running.run(experiment(), 40, tell=told.append)
    assert [progress.experiment for progress in told] == ["tiny"] * len(told)
    assert told[-1].done == pytest.approx(told[-1].of)
    assert told[-1].left == pytest.approx(0.0, abs=1e-6)


@pytest.mark.parametrize("make", [experiment, lines])
def test_results_have_the_promised_form(make, tmp_path):
    made = make()
    written = running.run(made, 40, out=tmp_path)
    found = results.read(tmp_path / made.name)
    assert found == json.loads(json.dumps(written))
    assert set(found) >= FIELDS
    setting = made.settings[0]
    for record in (found, *found["panels"]):
        assert set(METHODS[setting.task]) <= set(record["methods"])
        assert "clipped-sgd-validated" in record["methods"]
        assert [len(line) for line in record["by_level"]] == [3] * len(setting.levels)
        for said in record["methods"].values():
            assert {"chosen", "mean", "quantiles", "curve"} <= set(said)
            assert set(said["quantiles"]) == QUANTILES
            assert sorted(said["quantiles"].values(), reverse=True) == [said["quantiles"][q] for q in sorted(QUANTILES)]
    best = found["methods"]["clipped-sgd"]
    assert best["mean"] == min(mean for _, mean, _ in found["by_level"])
    assert best["curve"][-1][0] == setting.rows
    assert best["curve"][-1][1] == pytest.approx(best["mean"])
    assert sum(share for *_, share in found["methods"]["clipped-sgd-validated"]["chosen"]["choices"]) == pytest.approx(
        1.0
    )


def test_quantiles_are_what_at_most_that_share_exceeds():
    ordered = np.arange(1.0, 1001.0)
    for share in (0.5, 0.05, 0.01, 0.005, 0.001):
        value = summaries.beyond(ordered, share)
        assert (ordered > value).mean() <= share < (ordered >= value).mean()
    assert summaries.beyond(np.arange(5.0), 0.001) == 4.0


def test_trials_of_other_settings_seeds_and_versions_are_refused(tmp_path):
    running.run(experiment(), 8, out=tmp_path)
    with pytest.raises(pieces.ResultsError, match=r"seed 2108, not 2.*--out"):
        running.run(experiment(), 8, seed=2, out=tmp_path)
    changed = dataclasses.replace(experiment(), settings=(dataclasses.replace(experiment().settings[0], sigma2=2.0),))
    with pytest.raises(pieces.ResultsError, match="other settings"):
        running.run(changed, 8, out=tmp_path)


def test_a_damaged_piece_is_made_again(tmp_path):
    whole = running.run(experiment(), 8, out=tmp_path)
    piece = next((tmp_path / "tiny" / "trials").glob("main-all-0-*"))
    piece.write_bytes(piece.read_bytes()[:100])
    assert bare(running.run(experiment(), 8, out=tmp_path)) == bare(whole)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("{", "damaged"),
        ("[1]", "does not hold results"),
        ('{"experiment": "x", "methods": {}, "version": 99}', "another version"),
    ],
)
def test_what_is_not_ours_is_said(tmp_path, text, words):
    (tmp_path / "results.json").write_text(text)
    with pytest.raises(pieces.ResultsError, match=words):
        results.read(tmp_path / "results.json")
    with pytest.raises(pieces.ResultsError, match="cannot be read"):
        results.read(tmp_path / "nothing.json")


def test_a_place_that_cannot_be_written_is_said(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(pieces.ResultsError, match="cannot be written"):
        running.run(experiment(), 8, out=tmp_path / "file")


def test_what_has_diverged_is_no_number(tmp_path):
    wild = Setting(task="linear", rows=400, columns=40, gammas=(0.0,), methods=("sgd", "clipped-sgd"), curvature=1e-9)
    result = running.run(Experiment("wild", "Diverging", (wild,)), 4, out=tmp_path)
    assert result["methods"]["sgd"]["mean"] is None
    assert results.read(tmp_path / "wild") == json.loads(json.dumps(result))


def test_all_results_come_in_the_papers_order(tmp_path):
    for name in ("tiny", "mean-main", "intro"):
        results.write(tmp_path / name / results.FILE, {"version": 1, "experiment": name, "methods": {}})
    assert list(results.read_all(tmp_path)) == ["intro", "mean-main", "tiny"]
    with pytest.raises(pieces.ResultsError, match="no results"):
        results.read_all(Path(__file__).parent)


@pytest.mark.parametrize("trials", [0, -1, 2.5, True])
def test_trials_must_be_a_whole_number(trials):
    with pytest.raises(SettingError, match="trials"):
        running.run(experiment(), trials)


def test_experiments_are_those_of_the_paper():
    assert list(EXPERIMENTS) == [
        "intro",
        "mean-main",
        *(f"mean-p20-n{n}" for n in (100, 500, 1000)),
        "linear-main",
        *(f"linear-p20-n{n}" for n in (100, 500, 1000)),
        *(f"sparse-p20-n{n}" for n in (500, 1000)),
        "logistic",
    ]
    for made in EXPERIMENTS.values():
        assert 0.0 < made.seconds() < made.seconds(made.paper_trials)
        for setting in made.settings:
            assert setting.looks[-1] == setting.rows


def test_an_unknown_experiment_names_the_nearest():
    with pytest.raises(SettingError, match="did you mean mean-main"):
        find("mean-mian")
    with pytest.raises(TailproofError, match="there are intro"):
        find("qqqqqq")


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"task": "median"}, "task"),
        ({"rows": 0}, "rows"),
        ({"columns": 2.0}, "columns"),
        ({"methods": ("clipped-sdg",)}, "did you mean clipped-sgd"),
        ({"gamma": 3.0}, "must be one of gammas"),
        ({"levels": (0.0,)}, "levels"),
        ({"levels": (float("nan"),)}, "levels"),
        ({"validation": 0.0}, "validation"),
        ({"support": 300}, "support"),
        ({"rows": 30}, "at least 48 rows"),
        ({"sigma2": -1.0}, "sigma2"),
        ({"level_unit": "rooot"}, "level_unit"),
    ],
)
def test_settings_that_make_no_sense_are_refused(fields, words):
    with pytest.raises(SettingError, match=words):
        Setting(**fields)


def test_a_law_without_variance_is_said():
    from tailproof.paper.settings import Law

    assert "no finite variance" in Setting(law=Law("pareto", 1.5)).notes[0]
    assert Setting().notes == []
    with pytest.raises(SettingError, match="above 1"):
        Law("pareto", 1.0)
