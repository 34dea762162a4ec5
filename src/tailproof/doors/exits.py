"""How the command line ends: 0 done, 1 the data could not be used, 2 wrong usage, 3 stopped by a signal."""

import sys

from ..errors import TailproofError

UNUSABLE, WRONG_USAGE, STOPPED = 1, 2, 3


class UsageError(TailproofError):
    """Options that make no sense together."""


def say(sentence: str, code: int) -> int:
    """One line on stderr; returns the code."""
    print(f"tailproof: {' '.join(sentence.splitlines())}", file=sys.stderr)
    return code
