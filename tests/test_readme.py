"""What the README shows in Python runs as shown."""

import re
from pathlib import Path

import pytest

README = Path(__file__).parent.parent / "README.md"


def test_the_python_of_the_readme_runs(tmp_path, monkeypatch):
    pytest.importorskip("duckdb")
    (tmp_path / "examples").symlink_to(README.parent / "examples")
    monkeypatch.chdir(tmp_path)
    names: dict[str, object] = {}
    blocks = re.findall(r"```python\n(.*?)```", README.read_text(), re.DOTALL)
    assert len(blocks) >= 5
    for block in blocks:
        exec(compile(block, "README.md", "exec"), names)
    assert (tmp_path / "means.tps").exists()


def test_the_rule_of_the_readme_is_read_back():
    import tailproof

    text = re.search(r"rule = (ClippedSGD\(.*\))", README.read_text())
    assert text is not None
    assert isinstance(tailproof.parse(text.group(1)), tailproof.ClippedSGD)


@pytest.mark.parametrize(
    "command",
    [
        "mean examples/requests.parquet",
        "regress examples/trips.parquet --target duration --features distance,rush_distance,passengers",
    ],
)
def test_the_tables_of_the_readme_are_what_is_printed(command, capsys, monkeypatch):
    from tailproof.doors.cli import main

    monkeypatch.chdir(README.parent)
    monkeypatch.setenv("COLUMNS", "200")
    assert main([*command.split(), "--quiet"]) == 0
    shown = capsys.readouterr().out
    assert "".join(f"    {line}\n" for line in shown.splitlines()) in README.read_text()
