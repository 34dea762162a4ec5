"""The same as a document for the repository: every number comes out of results."""

from collections.abc import Iterable, Iterator, Sequence

from .claims import Verdict
from .story import Chapter, Story
from .telling import HEAD, panel_table
from .theorems import ERRATA, statements

PREFACE = """\
# The paper's experiments, run again

Made by `tailproof paper report {folder} --markdown {path}`; no number on this page is typed by hand. What the theory
says, and every misprint, is in [theory.md](theory.md). `tailproof paper run NAME` runs one experiment, `tailproof
paper report` makes a page with pictures.

Errors are l2 distances to the truth. Q.01 is the error that one trial in a hundred exceeds. c is the paper's constant:
lambda = c sqrt(Np), and so on. "Best" is the candidate of the least mean error over all trials, which an oracle knows;
"validated in each trial" is what the paper's sequential validation chooses from the same rows.
"""


RECIPE = """\
## Your own experiment

`tailproof paper run my.toml` runs what a file describes; `examples/my_experiment.toml` is one. Every key may be left
out. A key that is not known, or a value that makes no sense, is refused with its line.
"""
KEYS = (
    ("`name`", "names the folder of the results", "the name of the file"),
    ("`title`", "stands above the table", "none"),
    ("`task`", '`"mean"`, `"linear"` or `"logistic"`', '`"mean"`'),
    ("`rows`, `columns`", "N and p", "1000, 20"),
    (
        "`law`",
        'of the rows: `"pareto 2.1"` (tail parameter), `"gaussian"`, `"lognormal 1.5"` (sigma); standardised where the '
        "variance is finite, and said where it is not",
        '`"pareto 2.1"`; in regressions `"pareto 4.1"`',
    ),
    ("`noise`, `sigma2`", "of a linear model: law and variance", '`"pareto 2.1"`, 0.75'),
    (
        "`start`",
        'a number: in each coordinate; `"unit -1"`: times 1/sqrt(p); `"truth 0.75"`: times the truth',
        '0; logistic `"truth 0.75"`',
    ),
    ("`support`", "coefficients that are not 0; 0: all", "0"),
    ("`curvature`", "tau: steps are 1/(tau (t + gamma))", "1; logistic 0.1"),
    ("`radius`", "of the ball about the truth that descents stay in; 0: none", "0; logistic 1"),
    ("`buckets`", "of the medians of means", "24"),
    ("`validation`", "share of the rows that choose a candidate", "0.2"),
    ("`methods`", "names as `tailproof paper list` shows them", "all of the task"),
    ("`ours`", "share of the trials that our own rules run on, at least 20 of them; 0: none", "0.1"),
    ("`trials`, `seed`", "`--trials` and `--seed` override them", "1000, always the same"),
    (
        "`[candidates]`",
        'a table: `levels`, `level_unit` (`"root"`: c sqrt(Np), `"plain"`: c), `penalties`, `literal` (penalties on '
        "each row), `step_sizes`, `gammas`, `gamma` (what the other methods use)",
        "the paper's grids; gamma 0, p or 2N",
    ),
    (
        "`[[panel]]`",
        "a further picture: `vary` one of `law`, `noise`, `start`, `rows`, `columns`, `support`, `buckets`, `sigma2`, "
        "`curvature`, `radius` over `values`; with `methods` and a `share` of the trials of its own",
        "none",
    ),
)


def document(story: Story, folder: str, path: str) -> str:
    """The whole page as text."""
    parts = [PREFACE.format(folder=folder, path=path), *_summary(story), *_theory()]
    for chapter in story.chapters:
        parts += _chapter(chapter)
    parts += [*_errata(), RECIPE, _table(("key", "what it is", "default"), KEYS, numbers=False)]
    return "\n".join(parts).rstrip() + "\n"


def _summary(story: Story) -> Iterator[str]:
    yield "## In short\n"
    told = ", ".join(f"{number} {word}" for word, number in story.tally.items())
    yield f"Claims of figures: {told or 'none judged'}.\n"
    fallen = [
        (chapter.name, verdict) for chapter in story.chapters for verdict in chapter.verdicts if verdict.held is False
    ]
    if fallen:
        yield "What did not hold:\n"
        for name, verdict in fallen:
            yield f"- {name}: {_plain(verdict.says)}. {_plain(_sentence(verdict.figure))} {_reason(verdict)}".rstrip()
        yield ""
    for sentence in story.missing:
        yield f"- Missing: {_plain(sentence)}"
    if story.missing:
        yield ""


def _theory() -> Iterator[str]:
    yield "## The text\n"
    rows = [(said.place, said.says, said.found, said.word) for said in statements()]
    yield _table(("where", "the paper", "what we found", "verdict"), rows, numbers=False)


def _chapter(chapter: Chapter) -> Iterator[str]:
    yield f"## {chapter.name}: {_plain(chapter.title)}\n"
    yield f"{_plain(chapter.setting)}. {chapter.run}.\n"
    if chapter.verdicts:
        rows = [
            (v.place, v.says, " ".join([_sentence(v.figure), _reason(v)]).strip(), v.word) for v in chapter.verdicts
        ]
        yield _table(("where", "the paper", "ours", "verdict"), rows, numbers=False)
    if chapter.asides:
        yield "\n".join(f"- {_plain(sentence)}" for sentence in chapter.asides) + "\n"
    yield _table(HEAD, [line.cells for line in chapter.lines])
    if chapter.panels:
        yield _table(*panel_table(chapter.result))
    if chapter.notes:
        yield "\n".join(f"- {_plain(_sentence(sentence))}" for sentence in chapter.notes) + "\n"


def _errata() -> Iterator[str]:
    yield "## Where the paper errs or is silent\n"
    yield "Those that decide results; [theory.md](theory.md) has them all, under the same marks.\n"
    yield _table(("mark", "printed", "read as"), ERRATA, numbers=False)


def _reason(verdict: Verdict) -> str:
    return f"({_plain(verdict.reason)})" if verdict.reason else ""


def _table(head: Sequence[str], rows: Iterable[Sequence[str]], numbers: bool = True) -> str:
    rule = ["---", *(["---:" if numbers else "---"] * (len(head) - 1))]
    made = [head, rule, *([_cell(cell) for cell in row] for row in rows)]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in made) + "\n"


def _cell(text: str) -> str:
    return _plain(text).replace("|", "\\|")


def _plain(text: str) -> str:
    """Stars and brackets that mean themselves, but for what is code."""
    parts = text.split("`")
    parts[::2] = [part.replace("*", "\\*").replace("<", "&lt;").replace("_", "\\_") for part in parts[::2]]
    return "`".join(parts)


def _sentence(words: str) -> str:
    return words if words.endswith(".") else words + "."
