"""Pages that stand elsewhere in the repository: limits from the README, the changelog, decisions; links mended."""

import re
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]


def limits() -> str:
    """The README's section on limits."""
    found = re.search(r"## (Honest limits\n.*?)\n## ", (ROOT / "README.md").read_text(), re.DOTALL)
    if found is None:
        raise ValueError("README.md has no section 'Honest limits'")
    return f"# {found[1]}"


def changelog() -> str:
    """The changelog as it is."""
    return (ROOT / "CHANGELOG.md").read_text()


def decisions() -> str:
    """A list of all pages in docs/decisions."""
    listed = "\n".join(f"decisions/{path.stem}" for path in sorted((ROOT / "docs" / "decisions").glob("*.md")))
    return f"# Decisions\n\nWhat was hard to reverse, and what was measured.\n\n```{{toctree}}\n{listed}\n```\n"


def results() -> str:
    """The pages of figures that there are; `make` targets write them."""
    names = {"accuracy": "make accuracy", "benchmarks": "make bench", "paper": "tailproof paper"}
    there = [name for name in names if (ROOT / "docs" / f"{name}.md").exists()]
    said = "\n".join(f"- [{name.capitalize()}]({name}.md), written by `{names[name]}`" for name in there)
    listed = "\n".join(there)
    return (
        f"# Figures\n\nEach number is one that a command prints.\n\n{said}\n\n```{{toctree}}\n:hidden:\n{listed}\n```\n"
    )


PAGES = {"limits": limits, "changelog": changelog, "decisions": decisions, "figures": results}


def write(app: Any) -> None:
    """Write the pages that are borrowed, where they have changed."""
    for name, made in PAGES.items():
        path, text = ROOT / "docs" / f"{name}.md", made()
        if not path.exists() or path.read_text() != text:
            path.write_text(text)


def setup(app: Any) -> dict[str, bool]:
    """Before anything is read."""
    app.connect("builder-inited", write)
    return {"parallel_read_safe": True}
