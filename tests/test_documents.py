"""The pages of the site run as shown, and what comes out is what they say."""

import os
import re
import subprocess
import sys

import pytest

from . import documents


@pytest.mark.parametrize("page", documents.pages(), ids=lambda path: str(path.relative_to(documents.ROOT)))
def test_a_page_runs_and_says_what_comes_out(page, tmp_path, monkeypatch):
    pytest.importorskip("matplotlib")
    os.symlink(documents.ROOT / "examples", tmp_path / "examples")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", documents.COLUMNS)
    monkeypatch.setenv("MPLBACKEND", "Agg")
    assert documents.run_page(page) == page.read_text()


@pytest.mark.slow
def test_the_site_is_built_without_a_warning_and_needs_no_network(tmp_path):
    for needed in ("sphinx", "myst_parser", "sphinx_gallery", "pydata_sphinx_theme", "latex2mathml", "statsmodels"):
        pytest.importorskip(needed)
    built = [sys.executable, "-m", "sphinx", "-W", "-q", "-b", "html", "-d", str(tmp_path / "read")]
    where = [str(documents.ROOT / "docs"), str(tmp_path / "site")]
    subprocess.run([*built, *where], check=True, env={**os.environ, "MPLBACKEND": "Agg"})
    fetched = re.compile(r"<(?:script|link|img|iframe)[^>]+(?:src|href)=\"(?:https?:)?//")
    pages = list((tmp_path / "site").rglob("*.html"))
    assert len(pages) > 60
    assert [page.name for page in pages if fetched.search(page.read_text())] == []
