"""The command line: one verb a job. Data on stdout, progress and warnings on stderr.

Exit codes: 0 done, 1 the data could not be used (said in one line), 2 wrong usage, 3 stopped by a signal.
"""

import argparse
import contextlib
import gc
import io
import os
import sys
from collections.abc import Sequence

from ..errors import TailproofError
from .arguments import parser
from .exits import STOPPED, UNUSABLE, WRONG_USAGE, UsageError, say

# Objects that are made before Python looks for cycles among them: most are parts of modules, which stay to the end, and
# looking through them again and again takes a fifth of a short run.
SELDOM = 100_000


def command() -> int:
    """The command `tailproof`, in a process of its own."""
    gc.set_threshold(SELDOM)
    code = main(alone=True)
    # The process ends: what it holds need not be taken apart, which would take another fifth.
    gc.freeze()
    return code


def main(arguments: Sequence[str] | None = None, alone: bool = False) -> int:
    """Run one command and return its exit code; `alone` says that this process has nothing else to do."""
    for stream in (sys.stdout, sys.stderr):
        # Names that the terminal cannot show are no reason to stop.
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")
    options = parser().parse_args(arguments)
    options.alone = alone
    try:
        code: int = options.run(options)
        sys.stdout.flush()
        return code
    except TailproofError as error:
        return say(str(error), WRONG_USAGE if isinstance(error, UsageError) else UNUSABLE)
    except BrokenPipeError:
        _drop_output()
        return 0
    except OSError as error:
        _drop_output()
        return say(f"{error.filename or 'the answer'} cannot be written: {error.strerror or error}", UNUSABLE)
    except KeyboardInterrupt:
        return STOPPED
    except MemoryError:
        return say(f"there is not enough memory for this many columns; {_with_less(options)}", UNUSABLE)


def _with_less(options: argparse.Namespace) -> str:
    if not hasattr(options, "features"):
        return "name fewer with --columns"
    return "name fewer with --features" + (", or take --solver sgd" if hasattr(options, "solver") else "")


def _drop_output() -> None:
    """Nobody takes our output any more; leave nothing for the interpreter to flush into the void."""
    with contextlib.suppress(OSError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
