"""Pictures: the panels of the paper, told apart without colour, the same bytes for the same results."""

import subprocess
import sys
from pathlib import Path

import pytest

from tailproof.paper.figures import PictureError, panel_svg, panels_of, style, write
from tailproof.paper.figures.drawing import MOST_MARKS, _marks
from tailproof.paper.settings import EXPERIMENTS, Experiment, Law, Setting

from .synthetic import results, results_of

PANELS = {
    "intro": ["start-0", "start-1"],
    "mean-main": ["convergence", "quantiles", "levels", "start"],
    "linear-main": ["convergence", "quantiles", "levels", "delays", "sigma2", "p"],
    "logistic": ["delays", "level-convergence", "level-quantiles"],
}


@pytest.mark.parametrize("name", PANELS)
def test_the_panels_of_the_paper(name: str) -> None:
    assert [panel.key for panel in panels_of(results(name))] == PANELS[name]


@pytest.mark.parametrize("name", EXPERIMENTS)
def test_axes_are_named_and_traces_are_whole(name: str) -> None:
    for panel in panels_of(results(name)):
        assert panel.title
        assert panel.x_name
        assert "error" in panel.y_name
        assert panel.traces
        for trace in panel.traces:
            assert trace.label
            assert len(trace.x) == len(trace.y) > 1
            assert trace.label in panel.in_words


@pytest.mark.parametrize("name", EXPERIMENTS)
def test_traces_differ_without_colour(name: str) -> None:
    for panel in panels_of(results(name)):
        looks = [style.look(trace.look, len(trace.x)) for trace in panel.traces]
        seen = {(str(look["linestyle"]), look["marker"], look["markerfacecolor"] == "white") for look in looks}
        assert len(seen) == len(looks), panel.key


def test_main_setting_stands_on_the_panels() -> None:
    panels = {panel.key: panel for panel in panels_of(results("linear-main"))}
    assert panels["sigma2"].traces[0].x == [0.25, 0.5, 0.75, 1.0, 1.5, 2.0]
    assert panels["p"].traces[0].x == [16, 32, 64, 128, 256, 512]


def test_a_panel_may_have_the_main_value_itself() -> None:
    result = results("linear-main")
    own = next(r for r in result["panels"] if r["setting"]["name"] == "sigma2=1")
    own["setting"]["value"] = result["setting"]["sigma2"]
    own["methods"]["sgd"]["quantiles"]["0.01"] = 7.0
    panel = next(panel for panel in panels_of(result) if panel.key == "sigma2")
    assert dict(zip(panel.traces[1].x, panel.traces[1].y, strict=True))[0.75] == 7.0


def test_a_picture_is_the_same_file_again(tmp_path: Path) -> None:
    result = results("mean-main")
    first, second = write(result, tmp_path / "a"), write(result, tmp_path / "b")
    assert [path.name for path in first] == ["mean-main.png", "mean-main.svg"]
    for one, other in zip(first, second, strict=True):
        assert one.read_bytes() == other.read_bytes()
    assert first[0].read_bytes().startswith(b"\x89PNG")
    text = first[1].read_text(encoding="utf-8")
    assert "<svg" in text
    assert "dc:date" not in text


def test_taste_of_the_user_does_not_matter() -> None:
    import matplotlib

    panel = panels_of(results("intro"))[0]
    before = panel_svg(panel)
    with matplotlib.rc_context({"font.size": 30.0, "axes.facecolor": "red"}):
        assert panel_svg(panel) == before
    assert matplotlib.rcParams["svg.hashsalt"] != "tailproof"


def test_what_diverged_leaves_a_gap() -> None:
    result = results("linear-p20-n100")
    wild = result["methods"]["sgd"]["by_gamma"][0]
    wild["mean"], wild["curve"] = None, [[t, None if k > 5 else 10.0**k] for k, (t, _) in enumerate(wild["curve"])]
    delays = next(panel for panel in panels_of(result) if panel.key == "delays")
    assert any(None in trace.y for trace in delays.traces)
    assert "diverged" in delays.in_words
    assert "<svg" in panel_svg(delays)


def test_quantiles_that_no_trial_exceeds_are_not_drawn() -> None:
    tails = next(panel for panel in panels_of(results("mean-main", trials=2000)) if panel.key == "quantiles")
    shares = {trace.label: trace.x for trace in tails.traces}
    assert shares["clipped SGD"] == [0.5, 0.05, 0.01, 0.005, 0.001]
    assert shares["tailproof (ours)"] == [0.5, 0.05, 0.01, 0.005]


def test_laws_stand_beside_each_other_by_name() -> None:
    laws = (Law("pareto", 2.5), Law("gaussian", 0.0), Law("lognormal", 1.0))
    settings = [Setting(rows=200, columns=5)]
    settings += [Setting(rows=200, columns=5, name=str(law), panel="law", law=law, value=law.index) for law in laws]
    panel = panels_of(results_of(Experiment("mine", "mine", tuple(settings))))[-1]
    assert panel.names == ["Pareto 2.1", "Pareto 2.5", "Gaussian", "Lognormal 1"]
    assert "<svg" in panel_svg(panel)


@pytest.mark.parametrize(("low", "high"), [(0.9, 1.1), (0.2, 0.3), (0.01, 20.0), (1e-6, 1e6), (3.1, 3.2)])
def test_marks_are_round_and_few(low: float, high: float) -> None:
    marks = _marks(low, high)
    assert len(marks) <= MOST_MARKS
    assert all(low <= mark <= high for mark in marks)
    assert high / low < 1.1 or len(marks) > 1


def test_without_matplotlib_the_remedy_is_named(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    with pytest.raises(PictureError, match=r"pip install 'tailproof\[plot\]'.*--no-pictures"):
        write(results("intro"), tmp_path)


def test_pictures_need_no_window_and_no_state() -> None:
    code = (
        "import sys; from tests.paper.synthetic import results;"
        "from tailproof.paper.figures import panels_of, panel_svg;"
        "assert 'matplotlib' not in sys.modules; panel_svg(panels_of(results('intro'))[0]);"
        "assert 'matplotlib.pyplot' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True, cwd=Path(__file__).parents[2])
