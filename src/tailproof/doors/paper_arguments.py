"""What `tailproof paper` understands: verbs below a verb."""

import argparse
import importlib
from typing import Any

from . import teaching_paper as teaching


def add(verbs: Any) -> None:
    paper = _verb(
        verbs,
        "paper",
        "the paper's experiments, run again and judged",
        "Every figure of the paper behind clipped SGD, in one command: trials in machine\n"
        "code, pictures, numbers, and whether each claim of the paper held.",
        teaching.PAPER,
    )
    jobs = paper.add_subparsers(metavar="JOB", required=True)
    _add_list(jobs)
    _add_table1(jobs)
    _add_run(jobs)
    _add_report(jobs)


def _verb(verbs: Any, name: str, brief: str, description: str, epilog: str = "") -> Any:
    return verbs.add_parser(
        name,
        help=brief,
        description=description,
        epilog=epilog,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )


def _does(verb: Any, function: str) -> None:
    """The function of doors/paper.py that does it, loaded when it runs."""

    def run(options: argparse.Namespace) -> int:
        code: int = getattr(importlib.import_module(f"{__package__}.paper"), function)(options)
        return code

    verb.set_defaults(run=run)


def _add_list(jobs: Any) -> None:
    verb = _verb(
        jobs, "list", "every figure and table, with the time it takes", "What can be run, and how long it takes here."
    )
    verb.add_argument("--threads", type=_count, metavar="K", help="cores to reckon with (default: all)")
    verb.add_argument("--json", action="store_true", help="one JSON object instead of the text")
    _does(verb, "show_list")


def _add_table1(jobs: Any) -> None:
    verb = _verb(
        jobs,
        "table1",
        "Table 1: rows that each method needs, corrected",
        "Rows in all and rows at a time that each method needs, with the misprints\n"
        "corrected and named. Give all of the numbers to see what the formulas come to.",
        teaching.TABLE1,
    )
    for name, words in (
        ("tau-l", "least curvature of the risk"),
        ("tau-u", "greatest curvature of the risk"),
        ("sigma2", "variance of the gradient noise"),
        ("eps", "wanted accuracy of the risk"),
        ("delta", "probability of failing"),
        ("r0", "excess risk at the start"),
        ("R", "diameter of the domain (default: 2 sqrt(2 r0/tau_l))"),
    ):
        verb.add_argument(f"--{name}", type=float, metavar="X", help=words)
    _does(verb, "show_table1")


def _add_run(jobs: Any) -> None:
    verb = _verb(
        jobs,
        "run",
        "run experiments: numbers, verdicts and pictures",
        "Run one experiment of the paper, several, all of them, or your own from a TOML\n"
        "file. Stopped and started again, a run goes on where it was; the same seed\n"
        "gives the same numbers on any number of cores.",
        teaching.RUN,
    )
    verb.add_argument("names", nargs="+", metavar="NAME|all|FILE.toml", help="see 'tailproof paper list'")
    verb.add_argument("--trials", type=_count, metavar="N", help="trials of each setting (default: see 'list')")
    verb.add_argument("--seed", type=_whole, metavar="S", help="of the random numbers (default: always the same)")
    verb.add_argument("--out", default="results", metavar="DIR", help="where results are kept (default: results)")
    verb.add_argument("--threads", type=_count, metavar="K", help="cores to use (default: all)")
    verb.add_argument("--json", action="store_true", help="one JSON object an experiment, on a line of its own")
    verb.add_argument("--no-pictures", action="store_true", help="numbers only; needs no matplotlib")
    _add_quiet(verb)
    _does(verb, "run_experiments")


def _add_report(jobs: Any) -> None:
    verb = _verb(
        jobs,
        "report",
        "one page of all results, beside what the paper claims",
        "One HTML page: every figure beside what the paper claims of it and whether that\n"
        "held. It needs no network, and runs no scripts. What is missing is said.",
    )
    verb.add_argument("folder", metavar="DIR", help="what 'run' wrote with --out")
    verb.add_argument("-o", "--output", metavar="REPORT.html", help="the page (default: DIR/report.html)")
    verb.add_argument("--markdown", metavar="PAGE.md", help="a Markdown page without pictures, instead or besides")
    verb.add_argument("--no-pictures", action="store_true", help="numbers only; needs no matplotlib")
    _add_quiet(verb)
    _does(verb, "write_report")


def _add_quiet(verb: Any) -> None:
    verb.add_argument("--quiet", action="store_true", help="no progress and no notes on stderr")


def _count(text: str) -> int:
    return _number(text, 1)


def _whole(text: str) -> int:
    return _number(text, 0)


def _number(text: str, least: int) -> int:
    try:
        value = int(text.replace(",", "").replace("_", ""))
    except ValueError:
        value = least - 1
    if not least <= value < 2**63:
        raise argparse.ArgumentTypeError(f"must be a whole number of at least {least}, not {text!r}")
    return value
