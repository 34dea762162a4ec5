"""What the documents show is run, and what they say comes out is compared.

Blocks of a page share their names and one folder. A block `python` is run; a block `text` right after it is what it
prints. In a block `console` each line that begins with `$ tailproof` is run, and the lines below it are what comes out.
`python -m tests.documents PAGE...` writes into the pages what comes out now.
"""

import contextlib
import io
import re
import shlex
import sys
from pathlib import Path

ROOT = Path(__file__).parent.parent
BLOCK = re.compile(r"^```(python|text|console)\n(.*?)^```$", re.DOTALL | re.MULTILINE)
# As wide as a page is.
COLUMNS = "88"


def run_page(path: Path) -> str:
    """The page with what comes out of its blocks in place of what it says."""
    source = path.read_text()
    names: dict[str, object] = {"__name__": "__page__"}
    out, end, printed = [], 0, None
    for block in BLOCK.finditer(source):
        between = source[end : block.start()]
        kind, text = block[1], block[2]
        follows = printed is not None and between.strip() == ""
        if kind == "python":
            printed = run_python(text, names, path)
        else:
            text = console(text) if kind == "console" else (printed or "") if follows else text
            printed = None
        out += [between, f"```{kind}\n{text}```"]
        end = block.end()
    return "".join([*out, source[end:]])


def run_python(text: str, names: dict[str, object], path: Path) -> str:
    """What a block prints."""
    said = io.StringIO()
    with contextlib.redirect_stdout(said):
        exec(compile(text, str(path), "exec"), names)
    return said.getvalue()


def console(text: str) -> str:
    """The commands of a block, each with what it says on stdout."""
    return "".join(f"$ {line}\n{command(line)}" for line in re.findall(r"^\$ (.*)$", text, re.MULTILINE))


def command(line: str) -> str:
    """What a command says; only ours are run, and without a shell."""
    from tailproof.doors.cli import main

    words = shlex.split(line, comments=True)
    if words[0] != "tailproof":
        return ""
    said = io.StringIO()
    with contextlib.redirect_stdout(said), contextlib.redirect_stderr(io.StringIO()):
        code = main(words[1:])
    if code:
        raise AssertionError(f"{line} ended with {code}")
    return said.getvalue()


def pages() -> list[Path]:
    """All pages that show something to run; what is written by commands is not among them."""
    made = {"limits.md", "changelog.md", "decisions.md", "figures.md", "paper.md", "benchmarks.md", "accuracy.md"}
    found = (path for path in (ROOT / "docs").rglob("*.md") if "_build" not in path.parts and path.name not in made)
    return sorted(path for path in found if re.search(r"^```(python|console)$", path.read_text(), re.MULTILINE))


if __name__ == "__main__":
    import os
    import tempfile

    os.environ.update(COLUMNS=COLUMNS, MPLBACKEND="Agg")
    for name in sys.argv[1:]:
        page = Path(name).absolute()
        with tempfile.TemporaryDirectory() as folder:
            os.symlink(ROOT / "examples", Path(folder) / "examples")
            os.chdir(folder)
            page.write_text(run_page(page))
            os.chdir(ROOT)
