"""Groups of options that several verbs share, and the values that options take."""

import argparse
from typing import Any

from ..errors import RuleError

MOST_JOBS = 256
FORMATS = ["parquet", "csv", "jsonl", "arrow"]


def add_files(verb: Any) -> None:
    verb.add_argument("paths", nargs="+", metavar="FILE", help="Parquet, CSV, JSON lines or Arrow files, globs, or -")


def add_reading(group: Any) -> None:
    """How files are read."""
    group.add_argument("--format", choices=FORMATS, help="default: by the file's name")
    group.add_argument("--na", metavar="A,B", help="what else stands for a missing value in text, e.g. NA,-,none")


def add_refusing(group: Any) -> None:
    """What becomes of rows that cannot be used."""
    group.add_argument(
        "--missing",
        choices=["refuse", "raise"],
        default="refuse",
        help="rows with a missing, infinite or unreadable value: refuse and count them, or stop at the first",
    )
    group.add_argument("--quarantine", metavar="BAD.csv", help="write refused rows here: file, row, column, reason")


def add_jobs(group: Any) -> None:
    group.add_argument(
        "--jobs",
        type=jobs,
        metavar="N",
        help="take files in on N cores, in parts that are summed: the same answer, to the last digit, for any N, which "
        "may differ in its last digits from that of a run without --jobs",
    )


def add_columns(group: Any) -> None:
    group.add_argument("--columns", metavar="A,B", help="only these columns (default: every numeric one)")


def add_features(group: Any, required: bool = True) -> None:
    """What is explained, and by which columns."""
    group.add_argument("--target", metavar="Y", required=required, help="the column that the others are to explain")
    group.add_argument("--features", metavar="A,B", help="by these columns (default: every other numeric one)")
    group.add_argument(
        "--one-hot",
        action="store_true",
        help="take text columns too: a column of 0 and 1 for each of their values but the most frequent",
    )


def add_groups(group: Any) -> None:
    """Which column says in which group a row is, and which columns are compared."""
    group.add_argument("--group", metavar="G", required=True, help="the column that says which group a row belongs to")
    group.add_argument("--metric", metavar="A,B", help="compare these columns (default: every other numeric one)")
    group.add_argument(
        "--baseline",
        metavar="A",
        help="the group that the others are compared with (default: the first; with more than two it must be named)",
    )
    group.add_argument(
        "--labels", metavar="A,B", help="only these groups, in this order (default: those in the first rows)"
    )


def add_confidence(group: Any) -> None:
    group.add_argument(
        "--confidence", type=confidence, default=0.95, metavar="P", help="of the intervals (default 0.95)"
    )


def add_anytime(group: Any) -> None:
    group.add_argument("--anytime", action="store_true", help="intervals that hold at every look at once")


def add_showing(group: Any) -> None:
    group.add_argument("--json", action="store_true", help="one JSON object instead of the table")
    add_quiet(group)


def add_plotting(group: Any, what: str) -> None:
    group.add_argument(
        "--plot", metavar="OUT.png", help=f"draw the intervals of robust and plain {what} (.png, .svg or .pdf)"
    )


def add_quiet(group: Any) -> None:
    group.add_argument("--quiet", action="store_true", help="no progress and no notes on stderr")


def add_rule_of_means(group: Any) -> None:
    group.add_argument("--method", choices=["sketch", "clipped-sgd", "race"], default="sketch", help="default: sketch")
    add_extremes(group)


def add_extremes(group: Any) -> None:
    """How many extremes are remembered, and what becomes of gross ones."""
    group.add_argument("--extremes", type=int, default=24, metavar="K", help="values kept a side (default 24)")
    group.add_argument(
        "--gross",
        choices=["set-aside", "keep"],
        default="set-aside",
        help="gross values (default: set-aside)",
    )
    group.add_argument(
        "--h",
        type=float,
        default=4.0,
        help="set aside only what inflates the variance this many times (default 4)",
    )


def add_output_of_means(group: Any) -> None:
    add_confidence(group)
    add_anytime(group)
    add_contaminated(group)
    group.add_argument("--radius", action="store_true", help="also how far the whole vector of means may be off")
    add_plotting(group, "means")
    group.add_argument("--plot-tails", metavar="OUT.png", help="draw how far the extremes of each column lie out")
    add_showing(group)


def add_contaminated(group: Any) -> None:
    group.add_argument(
        "--contaminated", action="store_true", help="intervals that do not reach out to what was set aside"
    )


def add_output_of_differences(group: Any) -> None:
    add_confidence(group)
    group.add_argument(
        "--one-look",
        action="store_true",
        help="narrower intervals that hold at one look only, at a number of rows fixed before",
    )
    add_contaminated(group)
    add_showing(group)


def add_rule_of_models(group: Any) -> None:
    group.add_argument(
        "--solver",
        choices=["auto", "gram", "sgd"],
        default="auto",
        help="gram remembers products of features, sgd only the features (default: gram for up to 1000)",
    )
    group.add_argument(
        "--outliers",
        choices=["auto", "keep"],
        default="auto",
        help="auto leaves out rows far beyond all others if they are few, keep never (default: auto)",
    )
    group.add_argument("--no-intercept", action="store_true", help="the target is 0 where all features are")
    group.add_argument(
        "--radius", type=above_zero, metavar="R", help="hold the slopes, as a vector, in a ball of this radius"
    )


def add_keeping(group: Any, what: str, file: str, use: str) -> None:
    """Stopping, going on, and what is left in the end."""
    group.add_argument("--checkpoint", metavar="RUN.tps", help="save here as it goes; start again and it goes on")
    group.add_argument(
        "--every",
        type=seconds,
        default=2.0,
        metavar="S",
        help="seconds between saves (default 2; 0: after each block)",
    )
    group.add_argument("--save", metavar=file, help=f"write the finished {what} here, to {use}")


def jobs(text: str) -> int:
    if not (text.isdecimal() and 1 <= int(text) <= MOST_JOBS):
        raise argparse.ArgumentTypeError(f"the number of cores is a whole number from 1 to {MOST_JOBS}, not {text}")
    return int(text)


def seconds(text: str) -> float:
    value = float(text)
    if not value >= 0.0:
        raise argparse.ArgumentTypeError(f"seconds are 0 or more, not {text}")
    return value


def above_zero(text: str) -> float:
    value = float(text)
    if not 0.0 < value < float("inf"):
        raise argparse.ArgumentTypeError(f"a radius is a number above 0, not {text}")
    return value


def confidence(text: str) -> float:
    from ..intervals import missed

    try:
        missed(float(text))
    except RuleError as error:
        raise argparse.ArgumentTypeError(str(error)) from error
    return float(text)
