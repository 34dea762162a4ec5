"""`python -m tailproof` is the command `tailproof`."""

import sys

from .doors.cli import command

sys.exit(command())
