"""What the command line understands. The verbs themselves are loaded when they run."""

import argparse
import importlib
from typing import Any

from .. import __version__
from . import groups, paper_arguments, teaching


def parser() -> argparse.ArgumentParser:
    whole = argparse.ArgumentParser(
        prog="tailproof",
        description="Means, regressions and classifications of heavy-tailed data in one pass, with\n"
        "honest error bars and nothing to tune.",
        epilog=teaching.WHOLE,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    whole.add_argument("--version", action="version", version=f"tailproof {__version__}")
    verbs = whole.add_subparsers(metavar="COMMAND", required=True)
    for add in (
        _add_mean,
        _add_diff,
        _add_regress,
        _add_classify,
        _add_predict,
        _add_compare,
        _add_inspect,
        _add_merge,
        _add_warm,
    ):
        add(verbs)
    paper_arguments.add(verbs)
    return whole


def _verb(verbs: Any, name: str, room: str, brief: str, description: str, epilog: str = "") -> Any:
    """A verb of that name, which a function of the same name in that room does."""

    def run(options: argparse.Namespace) -> int:
        code: int = getattr(importlib.import_module(f"{__package__}.{room}"), name)(options)
        return code

    verb = verbs.add_parser(
        name,
        help=brief,
        description=description,
        epilog=epilog,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    verb.set_defaults(run=run)
    return verb


def _add_mean(verbs: Any) -> None:
    verb = _verb(
        verbs,
        "mean",
        "mean",
        "robust means of columns, with intervals and verdicts",
        "The mean of each numeric column, safe under heavy tails and gross values, with\n"
        "an interval, beside the plain mean, and a verdict on whether to trust that one.",
        teaching.MEAN,
    )
    groups.add_files(verb)
    source = verb.add_argument_group("what is read")
    groups.add_columns(source)
    groups.add_reading(source)
    groups.add_jobs(source)
    groups.add_refusing(source)
    groups.add_rule_of_means(verb.add_argument_group("how the mean is taken"))
    groups.add_output_of_means(verb.add_argument_group("what comes out"))
    keeping = verb.add_argument_group("stopping and going on")
    groups.add_keeping(keeping, "means", "MEAN.tps", "merge or load later")


def _add_diff(verbs: Any) -> None:
    verb = _verb(
        verbs,
        "diff",
        "diff",
        "do groups differ? differences of means, to be looked at any time",
        "How far the mean of each metric in one group is from that in another, safe under\n"
        "heavy tails, with an interval that holds at every look at once: look every day,\n"
        "stop when you like, and the error rate stays what it was.",
        teaching.DIFF,
    )
    groups.add_files(verb)
    source = verb.add_argument_group("what is read")
    groups.add_groups(source)
    groups.add_reading(source)
    groups.add_refusing(source)
    rule = verb.add_argument_group("how the means are taken")
    groups.add_extremes(rule)
    output = verb.add_argument_group("what comes out")
    groups.add_output_of_differences(output)
    keeping = verb.add_argument_group("stopping and going on")
    groups.add_keeping(keeping, "differences", "TEST.tps", "merge or load later")


def _add_regress(verbs: Any) -> None:
    verb = _verb(
        verbs,
        "regress",
        "regress",
        "coefficients of a linear model, with intervals",
        "How the mean of a target depends on other columns: coefficients that heavy\n"
        "tails and gross rows cannot ruin, each with an interval and beside that of\n"
        "least squares. No column has to be scaled, and nothing has to be tuned.",
        teaching.REGRESS,
    )
    _add_model(verb)


def _add_classify(verbs: Any) -> None:
    verb = _verb(
        verbs,
        "classify",
        "regress",
        "log-odds of labels, with intervals",
        "How the odds of a label depend on other columns: coefficients of log-odds that\n"
        "wild rows cannot ruin, each with an interval and beside that of maximum\n"
        "likelihood. Labels may be text, numbers or truth values, two or more.",
        teaching.CLASSIFY,
    )
    _add_model(verb, labels=True)


def _add_model(verb: Any, labels: bool = False) -> None:
    """What a regression and a classification share."""
    groups.add_files(verb)
    source = verb.add_argument_group("what is read")
    groups.add_features(source)
    if labels:
        source.add_argument(
            "--labels", metavar="A,B", help="the classes, in this order (default: those in the first rows)"
        )
    groups.add_reading(source)
    groups.add_jobs(source)
    groups.add_refusing(source)
    groups.add_rule_of_models(verb.add_argument_group("how the coefficients are found"))
    output = verb.add_argument_group("what comes out")
    groups.add_confidence(output)
    groups.add_anytime(output)
    groups.add_plotting(output, "coefficients")
    groups.add_showing(output)
    keeping = verb.add_argument_group("stopping and going on")
    groups.add_keeping(keeping, "model", "MODEL.tps", "predict, merge or load later")


def _add_predict(verbs: Any) -> None:
    verb = _verb(
        verbs,
        "predict",
        "predict",
        "what a saved model says of new rows",
        "The predictions of a model that 'regress' or 'classify' wrote with --save.",
        teaching.PREDICT,
    )
    verb.add_argument("model", metavar="MODEL.tps", help="what --save, --checkpoint or merge wrote")
    groups.add_files(verb)
    groups.add_reading(verb)
    verb.add_argument(
        "-o",
        "--output",
        default="-",
        metavar="OUT",
        help="a .parquet, .csv or .jsonl file (default: -, which is CSV on stdout)",
    )
    groups.add_quiet(verb)


def _add_compare(verbs: Any) -> None:
    verb = _verb(
        verbs,
        "compare",
        "compare",
        "is this needed? rival methods side by side on your data",
        "Ours, least squares, Huber, and plain and clipped stochastic gradient descent in\n"
        "one pass over the same rows: errors on rows not seen before, coefficients apart,\n"
        "the tail of the errors, and a verdict. Without a target: means.",
        teaching.COMPARE,
    )
    groups.add_files(verb)
    source = verb.add_argument_group("what is read")
    groups.add_features(source, required=False)
    groups.add_columns(source)
    groups.add_reading(source)
    groups.add_refusing(source)
    output = verb.add_argument_group("what comes out")
    groups.add_confidence(output)
    groups.add_showing(output)


def _add_inspect(verbs: Any) -> None:
    verb = _verb(
        verbs,
        "inspect",
        "saved",
        "what a checkpoint or a saved model holds",
        "What a run has found so far, or what a saved model says.",
    )
    verb.add_argument("path", metavar="RUN.tps", help="what --checkpoint, --save or merge wrote")
    verb.add_argument(
        "--confidence", type=groups.confidence, metavar="P", help="of the intervals (default: as in the run)"
    )
    verb.add_argument("--json", action="store_true", help="one JSON object instead of the table")


def _add_merge(verbs: Any) -> None:
    verb = _verb(
        verbs,
        "merge",
        "saved",
        "add saved models up: the answer of one pass over all the data",
        "Add up what runs over parts of the data have saved: means, regressions or\n"
        "classifications, of the same columns with the same settings.",
    )
    verb.add_argument("paths", nargs="+", metavar="PART.tps", help="what --checkpoint, --save or merge wrote")
    verb.add_argument("-o", "--output", required=True, metavar="ALL.tps", help="where the sum is written")
    verb.add_argument("--json", action="store_true", help="one JSON object instead of the table")


def _add_warm(verbs: Any) -> None:
    verb = _verb(
        verbs,
        "warm",
        "warm",
        "compile ahead what the other commands need",
        "Compile for this machine, now, what mean, regress, classify and compare would\n"
        "compile when they first need it. It is kept on disk; a second call has nothing\n"
        "to do.",
        teaching.WARM,
    )
    groups.add_quiet(verb)
