"""The page that `make accuracy` writes."""

import argparse
import sys
from pathlib import Path

BENCH = Path(__file__).parent.parent / "bench"


def test_the_page_has_every_figure_beside_what_it_has_to_be(monkeypatch):
    monkeypatch.syspath_prepend(str(BENCH))
    for name in ("accuracy", "sections", "trials", "laws"):
        monkeypatch.delitem(sys.modules, name, raising=False)
    import accuracy
    from sections import Row

    rows = [
        Row("Pareto 2.1, N=100: mean loss | Q.01", 2000, (0.123456, 0.5), "<=", (0.2, 0.6)),
        Row("t 3: covers", 4000, (0.9,), ">=", (0.95,)),
        Row("for information", 2000, (3.0,)),
    ]
    text = accuracy.page({"Losses": rows}, argparse.Namespace(trials=2000, seed=1118))
    assert "1 of 2 required figures hold" in text
    assert r"| Pareto 2.1, N=100: mean loss \| Q.01 | .1235 .5 | <= .2 .6 | ok | 2,000 |" in text
    assert "| t 3: covers | .9 | >= .95 | MISS | 4,000 |" in text
    assert "| for information | 3 |  |  | 2,000 |" in text
