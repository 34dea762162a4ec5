"""The main setting's point in a panel is what the main setting gives on as many trials."""

import dataclasses

import pytest

from tailproof.paper import running
from tailproof.paper.figures import panels_of
from tailproof.paper.judges import panel_of
from tailproof.paper.settings import Experiment, Law, Setting, Start

MEAN = Setting(rows=50, columns=3, levels=(0.05, 0.2, 1.0), step_sizes=(0.1, 1.0), start=Start("each", 1.0))
LINE = Setting(
    task="linear", rows=40, columns=3, gammas=(0.3, 3.0), gamma=3.0, penalties=(0.01, 0.1), levels=(0.1, 1.0)
)


def start(x, share):
    fields = {"name": f"theta1={x:g}", "panel": "start", "value": x, "start": Start("each", x), "share": share}
    return dataclasses.replace(MEAN, **fields)


def ran(name, main, *others, trials=80):
    return running.run(Experiment(name, "", (main, *others), trials, 100), trials)


def same(found, wanted, methods):
    for method in methods:
        mine, theirs = found["methods"][method], wanted["methods"][method]
        for key in ("quantiles", "chosen", "trials"):
            assert mine[key] == theirs[key], (method, key)
        for key in ("mean", "standard_error"):
            assert mine[key] == pytest.approx(theirs[key], rel=1e-12), (method, key)


def test_it_is_the_main_setting_on_fewer_trials_and_stands_in_its_place():
    result = ran("matched", MEAN, start(0.0, 0.5), start(2.0, 0.5))
    assert [record["setting"]["name"] for record in result["panels"]] == ["theta1=0", "theta1=1", "theta1=2"]
    found = result["panels"][1]
    assert (found["of_main"], found["trials"], found["seconds"]) == (True, 40, 0.0)
    wanted = ran("matched", MEAN, trials=40)
    assert set(found["methods"]) == set(wanted["methods"])
    same(found, wanted, wanted["methods"])


def test_with_the_methods_and_delays_of_the_panel():
    few = dataclasses.replace(
        LINE, name="p=2", panel="p", value=2.0, columns=2, gammas=(2.0,), gamma=2.0, share=0.25,
        methods=("clipped-sgd", "huber"), ours=0.0,
    )  # fmt: skip
    found = ran("delays", LINE, few)["panels"][1]
    alone = dataclasses.replace(LINE, gammas=(3.0,), methods=("clipped-sgd", "huber"))
    wanted = ran("delays", alone, trials=20)
    assert found["setting"]["name"] == "p=3"
    assert "clipped-sgd-validated" not in found["methods"]  # in the main setting it chose among more delays
    same(found, wanted, ("clipped-sgd", "huber", "huber-validated"))


def test_there_is_none_where_the_panel_needs_none():
    for others in ([start(0.0, 1.0)], [start(0.0, 0.5), start(1.0, 0.5)]):
        assert not any(record.get("of_main") for record in ran("none", MEAN, *others, trials=20)["panels"])


def test_pictures_and_judges_take_it():
    result = ran("taken", MEAN, start(0.0, 0.5), start(2.0, 0.5))
    assert [(x, record["trials"]) for x, record in panel_of(result, "start")] == [(0.0, 40), (1.0, 40), (2.0, 40)]
    panel = next(panel for panel in panels_of(result) if panel.key == "start")
    at_main = next(trace for trace in panel.traces if trace.look == "sgd").y[1]
    assert at_main == result["panels"][1]["methods"]["sgd"]["quantiles"]["0.01"]
    light = dataclasses.replace(MEAN, name="law=Gaussian", panel="law", value=0.0, law=Law("gaussian"), share=0.5)
    laws = next(panel for panel in panels_of(ran("laws", MEAN, light)) if panel.key == "law")
    assert list(laws.names) == ["Gaussian", "Pareto 2.1"]
