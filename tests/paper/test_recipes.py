"""A user's own experiment: what a file means, and that what is wrong is told with its line."""

from pathlib import Path

import pytest

from tailproof.paper.recipes import Place, line_of, read_recipe
from tailproof.paper.settings import LEVELS, Law, Setting, SettingError, Start

EXAMPLE = Path(__file__).parents[2] / "examples" / "my_experiment.toml"


def made(folder: Path, text: str) -> Path:
    path = folder / "my.toml"
    path.write_text(text, encoding="utf-8")
    return path


def main_of(folder: Path, text: str) -> Setting:
    return read_recipe(made(folder, text)).experiment.settings[0]


class TestWhatAFileMeans:
    def test_the_example(self) -> None:
        experiment, seed = read_recipe(EXAMPLE)
        main = experiment.settings[0]
        assert (experiment.name, experiment.trials, seed) == ("lognormal-rows", 2000, 7)
        assert (main.law, main.rows, main.columns) == (Law("lognormal", 1.5), 500, 20)
        assert main.levels == (0.05, 0.1, 0.2, 0.4, 0.8)
        assert [s.name for s in experiment.settings[1:4]] == ["start=-1", "start=0.5", "start=1"]
        assert [s.law.index for s in experiment.settings[4:]] == [2.1, 3.0, 5.0]
        assert experiment.settings[1].methods == ("clipped-sgd", "sgd")
        assert experiment.settings[1].share == 0.5

    def test_nothing_is_a_mean_as_in_the_paper(self, tmp_path: Path) -> None:
        experiment, seed = read_recipe(made(tmp_path, ""))
        main = experiment.settings[0]
        assert (experiment.name, seed) == ("my", None)
        assert (main.task, main.rows, main.columns, main.gammas) == ("mean", 1000, 20, (0.0,))
        assert main.levels == LEVELS

    def test_a_regression_takes_gamma_p(self, tmp_path: Path) -> None:
        main = main_of(tmp_path, 'task = "linear"\ncolumns = 7')
        assert (main.gamma, main.gammas, main.law) == (7.0, (7.0,), Law("pareto", 4.1))

    def test_the_usual_delay_follows_a_panel(self, tmp_path: Path) -> None:
        panel = '[[panel]]\nvary = "columns"\nvalues = [3, 30]'
        usual = read_recipe(made(tmp_path, f'task = "linear"\n{panel}')).experiment.settings
        assert [setting.gamma for setting in usual] == [20.0, 3.0, 30.0]
        own = read_recipe(made(tmp_path, f'task = "linear"\n[candidates]\ngamma = 9\n{panel}')).experiment.settings
        assert [setting.gammas for setting in own] == [(9.0,)] * 3

    def test_log_odds_start_as_in_the_paper(self, tmp_path: Path) -> None:
        main = main_of(tmp_path, 'task = "logistic"\nrows = 400')
        assert (main.curvature, main.gamma, main.radius, main.start) == (0.1, 800.0, 1.0, Start("truth", 0.75))

    @pytest.mark.parametrize(
        ("text", "start"),
        [("0.5", Start("each", 0.5)), ('"unit -1"', Start("unit", -1.0)), ('"truth 0.75"', Start("truth", 0.75))],
    )
    def test_starts(self, tmp_path: Path, text: str, start: Start) -> None:
        assert main_of(tmp_path, f"start = {text}").start == start

    @pytest.mark.parametrize(
        ("text", "gamma", "gammas"),
        [
            ("gamma = 3", 3.0, (3.0,)),
            ("gammas = [1, 2, 4]", 2.0, (1.0, 2.0, 4.0)),
            ("gammas = [0, 9]", 0.0, (0.0, 9.0)),
        ],
    )
    def test_one_of_gamma_and_gammas_is_enough(
        self, tmp_path: Path, text: str, gamma: float, gammas: tuple[float, ...]
    ) -> None:
        main = main_of(tmp_path, f"[candidates]\n{text}")
        assert (main.gamma, main.gammas) == (gamma, gammas)

    def test_a_law_without_variance_is_taken_and_said(self, tmp_path: Path) -> None:
        (note,) = main_of(tmp_path, 'law = "pareto 1.5"').notes
        assert "no finite variance" in note


WRONG = {
    "unknown key": ('task = "mean"\n\n# row\nrow = 5', 4, "unknown key 'row'; did you mean rows?"),
    "unknown candidate": ("gamma_ = 1\n[candidates]\ngama = 3", 1, "unknown key 'gamma_'"),
    "in the wrong table": ("rows = 100\nlevels = [1]", 2, r"it belongs into the table \[candidates\]"),
    "candidate": ("rows = 100\n\n[candidates]\ngama = 3", 4, "unknown key 'gama'; did you mean gamma?"),
    "second panel": ('[[panel]]\nvary = "rows"\nvalues = [99]\n[[panel]]\nvary = "row"\nvalues = [99]', 5, "mean rows"),
    "key of a panel": ('[[panel]]\nvary = "rows"\nvalues = [99]\nrows = 3', 4, "unknown key 'rows'"),
    "panel without values": ('[[panel]]\nvary = "rows"', None, "a panel needs values of rows"),
    "value of a panel": ('[[panel]]\nvary = "rows"\nvalues = [100, 1.5]', 3, "rows must be a whole number, not 1.5"),
    "repeated": ('[[panel]]\nvary = "rows"\nvalues = [100, 200, 100]', 3, "rows 100 is named twice"),
    "no trials": ("\ntrials = 0", 2, "trials must be a whole number from 1 to 100,000,000, not 0"),
    "half a trial": ("trials = 1.5", 1, "trials must be a whole number"),
    "true": ("rows = true", 1, "rows must be a whole number, not True"),
    "huge": ("columns = 100000000000", 1, "columns must be a whole number from 1 to ten million"),
    "infinite": ("sigma2 = inf", 1, "sigma2 must be above 0, not inf"),
    "negative": ("rows = 90\nsigma2 = -1", 2, "sigma2 must be above 0"),
    "few rows": ("columns = 3\nrows = 10", 2, "medians of means need at least 48 rows"),
    "task": ('task = "men"', 1, "task must be mean, linear or logistic, not 'men'"),
    "method": ('methods = ["sgdd"]', 1, "'sgdd' is no method for mean; did you mean sgd"),
    "methods": ('methods = "sgd"', 1, "methods must be a list of names"),
    "law": ('law = "cauchy"', 1, 'a law is "pareto", "gaussian" or "lognormal"'),
    "law's number": ('law = "pareto two"', 1, "'two' is no number"),
    "no mean": ('law = "pareto 1"', 1, "above 1 to have a mean"),
    "law as a table": ('law = {kind = "pareto"}', 1, 'law must be like "pareto 2.1"'),
    "gamma": ("[candidates]\ngammas = [1, 2]\ngamma = 3", 3, "gamma, 3, must be one of gammas"),
    "levels": ("[candidates]\nlevels = []", 2, "levels must be a list of numbers"),
    "level": ("[candidates]\nlevels = [-1]", 2, "levels must be numbers above 0"),
    "name of the paper": ('name = "intro"', 1, "intro is an experiment of the paper; choose another name"),
    "name as a path": ('name = "../x"', 1, "as it names a folder"),
    "no tables": ("panel = 3", 1, r"panels are tables of their own, \[\[panel\]\]"),
}


class TestWhatIsWrong:
    @pytest.mark.parametrize("case", WRONG)
    def test_is_told_with_its_line(self, tmp_path: Path, case: str) -> None:
        text, line, complaint = WRONG[case]
        where = rf"my\.toml, line {line}: " if line else r"my\.toml: "
        with pytest.raises(SettingError, match=where + f".*{complaint}"):
            read_recipe(made(tmp_path, text))

    def test_no_toml(self, tmp_path: Path) -> None:
        with pytest.raises(SettingError, match=r"my\.toml is no TOML: .*line 2"):
            read_recipe(made(tmp_path, 'task = "mean"\nrows = = 3\n'))

    def test_no_text(self, tmp_path: Path) -> None:
        (tmp_path / "my.toml").write_bytes(b"\xff\xfe\x00")
        with pytest.raises(SettingError, match="no text in UTF-8"):
            read_recipe(tmp_path / "my.toml")

    def test_no_file(self, tmp_path: Path) -> None:
        with pytest.raises(SettingError, match="cannot be read: No such file"):
            read_recipe(tmp_path / "nowhere.toml")


def test_lines_are_found_below_their_table() -> None:
    text = 'rows = 1\n[candidates] # of all\n"rows" = 2\n[[panel]]\n  rows=3\n[[panel]]\nrows = 4\n'
    found = [
        line_of(text, "rows", place) for place in (Place(), Place("candidates"), Place("panel"), Place("panel", 1))
    ]
    assert found == [1, 3, 5, 7]
    assert line_of(text, "row", Place()) is None
