"""One page of all results: offline, no scripts, nothing from elsewhere; readable narrow and wide, light and dark."""

import base64
from collections.abc import Iterable, Iterator, Sequence
from html import escape
from pathlib import Path

from .. import __version__
from .claims import Verdict
from .figures import Panel, panel_svg, panels_of
from .story import Chapter, Story, story_of
from .telling import HEAD, panel_table
from .theorems import ERRATA, statements

STYLE = """
:root { color-scheme: light dark; --ink: #1a1a1a; --soft: #555; --page: #fdfdfb; --line: #ccc; --good: #005a2b;
  --bad: #9c1c00; --unsure: #6b5200; --link: #0050a0; }
@media (prefers-color-scheme: dark) { :root { --ink: #e8e8e4; --soft: #aaa; --page: #161616; --line: #444;
  --good: #6fd49a; --bad: #ff9b80; --unsure: #e0c060; --link: #8cc0ff; } }
* { box-sizing: border-box; }
body { margin: 0 auto; padding: 1rem; max-width: 78rem; color: var(--ink); background: var(--page);
  font: 1rem/1.5 system-ui, sans-serif; overflow-wrap: anywhere; }
a { color: var(--link); }
h1, h2, h3 { line-height: 1.25; }
h2 { margin-top: 3rem; padding-top: 1rem; border-top: 1px solid var(--line); }
.soft { color: var(--soft); }
.pictures { display: grid; gap: 1rem; grid-template-columns: repeat(auto-fit, minmax(min(100%, 20rem), 1fr)); }
.by-two { grid-template-columns: repeat(auto-fit, minmax(min(100%, 27rem), 1fr)); }
.pictures figure { margin: 0; }
.pictures img { display: block; width: 100%; height: auto; background: #fff; border-radius: .3rem; }
.wide { overflow-x: auto; overflow-wrap: normal; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; }
caption { text-align: left; padding: .3rem 0; color: var(--soft); }
th, td { padding: .25rem .7rem; text-align: right; border-bottom: 1px solid var(--line); white-space: nowrap; }
th:first-child, td:first-child, .words th, .words td { text-align: left; }
.words th, .words td { white-space: normal; vertical-align: top; min-width: 6rem; }
.claims { list-style: none; padding: 0; }
.claims li { margin: .8rem 0; padding-left: .8rem; border-left: .3rem solid var(--line); }
.word { font-weight: bold; }
.held .word { color: var(--good); } .claims .held { border-color: var(--good); }
.not-held .word { color: var(--bad); } .claims .not-held { border-color: var(--bad); border-left-style: double; }
.cannot-say .word, .held-in-part .word { color: var(--unsure); } .claims .cannot-say { border-left-style: dotted; }
pre { overflow-x: auto; font-size: .8rem; line-height: 1.35; padding: .8rem; border: 1px solid var(--line); }
"""


def write_report(folder: str | Path, path: str | Path, pictures: bool = True) -> Story:
    """Make the page of a folder and return what it tells."""
    story = story_of(folder)
    Path(path).write_text(page(story, pictures), encoding="utf-8")
    return story


def page(story: Story, pictures: bool = True) -> str:
    """The whole page as text."""
    parts = [*_head(story), *_contents(story)]
    for chapter in story.chapters:
        parts += _chapter(chapter, pictures)
    parts += [*_theory(), *_errata()]
    body = "\n".join(parts)
    return (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>The paper, run by tailproof</title>\n<style>{STYLE}</style>\n</head>\n"
        f"<body>\n{body}\n</body>\n</html>\n"
    )


def _head(story: Story) -> Iterator[str]:
    told = ", ".join(f"{number} {word}" for word, number in story.tally.items())
    yield "<h1>Streaming estimation with heavy tails: the paper&#39;s experiments, run again</h1>"
    yield (
        f"<p>Each figure of the paper with what the paper says of it, our numbers, and whether the claim held. "
        f"Claims of figures: {told or 'none judged'}. Errors are l2 distances to the truth; "
        "Q.01 is the error that one trial in a hundred exceeds. "
        f"<span class=soft>Made by tailproof {escape(__version__)}.</span></p>"
    )
    if story.missing:
        yield "<h2>What is missing</h2>"
        yield _listed(story.missing)


def _contents(story: Story) -> Iterator[str]:
    links = [(c.name, f"{c.name}: {c.title}") for c in story.chapters]
    links += [("theory", "The theory, and Table 1"), ("errata", "Where the paper errs or is silent")]
    items = "".join(f'<li><a href="#{escape(name)}">{escape(words)}</a></li>' for name, words in links)
    yield f'<nav aria-label="Contents"><ul>{items}</ul></nav>'


def _chapter(chapter: Chapter, pictures: bool) -> Iterator[str]:
    yield f'<section id="{escape(chapter.name)}"><h2>{escape(chapter.name)}: {escape(chapter.title)}</h2>'
    yield f"<p>{escape(chapter.setting)}.<br><span class=soft>{escape(chapter.run)}</span></p>"
    if chapter.panels:
        yield f"<p class=soft>Varied besides: {escape('; '.join(chapter.panels))}.</p>"
    if pictures:
        shown = [_figure(panel) for panel in panels_of(chapter.result)]
        # Four would stand as three and one.
        yield f'<div class="pictures{" by-two" if len(shown) == 4 else ""}">{"".join(shown)}</div>'
    if chapter.verdicts:
        yield "<h3>What the paper claims</h3>"
        yield f'<ul class="claims">{"".join(map(_claim, chapter.verdicts))}</ul>'
    if chapter.asides:
        yield f"<h3>What it shows besides</h3>{_listed(chapter.asides)}"
    yield "<h3>Numbers</h3>"
    yield _table(f"{chapter.name}, {chapter.run}", HEAD, (line.cells for line in chapter.lines))
    if chapter.panels:
        yield _table("Mean error and Q.01 in every setting", *panel_table(chapter.result))
    if chapter.notes:
        yield _listed(chapter.notes)
    yield "</section>"


def _figure(panel: Panel) -> str:
    data = base64.b64encode(panel_svg(panel).encode("utf-8")).decode("ascii")
    return f'<figure><img src="data:image/svg+xml;base64,{data}" alt="{escape(panel.in_words)}"></figure>'


def _claim(verdict: Verdict) -> str:
    reason = f'<br><span class="soft">{escape(_sentence(verdict.reason))}</span>' if verdict.reason else ""
    return (
        f'<li class="{_css(verdict.word)}"><span class="word">{verdict.word.capitalize()}.</span> '
        f"{escape(_sentence(verdict.says))} <span class=soft>({escape(verdict.place)})</span><br>"
        f"Ours: {escape(_sentence(verdict.figure))}{reason}</li>"
    )


def _css(word: str) -> str:
    return word.replace(" ", "-")


def _sentence(words: str) -> str:
    begun = words[:1].upper() + words[1:]
    return begun if begun.endswith(".") else begun + "."


def _listed(sentences: Iterable[str]) -> str:
    return f"<ul>{''.join(f'<li>{escape(sentence)}</li>' for sentence in sentences)}</ul>"


def _table(caption: str, head: Sequence[str], rows: Iterable[Sequence[str]], kind: str = "") -> str:
    top = "".join(f'<th scope="col">{escape(cell)}</th>' for cell in head)
    body = "".join(_row(row) for row in rows)
    return (
        f'<div class="wide" tabindex="0" role="region" aria-label="{escape(caption)}"><table class="{kind}">'
        f"<caption>{escape(caption)}</caption><thead><tr>{top}</tr></thead><tbody>{body}</tbody></table></div>"
    )


def _row(cells: Sequence[str]) -> str:
    first, *others = cells
    return f'<tr><th scope="row">{escape(first)}</th>{"".join(f"<td>{escape(cell)}</td>" for cell in others)}</tr>'


def _theory() -> Iterator[str]:
    from ..theory import table1_text

    yield '<section id="theory"><h2>The theory</h2>'
    rows = [(said.place, said.says, said.found, said.word) for said in statements()]
    yield _table("What the text claims", ("where", "the paper", "what we found", "verdict"), rows, "words")
    yield f"<h3>Table 1, corrected</h3><pre tabindex=0>{escape(table1_text(110))}</pre></section>"


def _errata() -> Iterator[str]:
    yield '<section id="errata"><h2>Where the paper errs or is silent</h2>'
    rows = [(erratum.mark, erratum.printed, erratum.read) for erratum in ERRATA]
    yield _table("Those that decide results; marks as in docs/theory.md", ("mark", "printed", "read as"), rows, "words")
    yield "</section>"
