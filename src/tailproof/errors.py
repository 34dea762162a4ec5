"""What goes wrong with people's data and settings, each said in a sentence that names the remedy."""


class TailproofError(Exception):
    """Anything that tailproof refuses, with a sentence for the person who asked."""


class DataError(TailproofError, ValueError):
    """The data cannot be used: the message names the file, the row, the column and the remedy."""


class CheckpointError(TailproofError, ValueError):
    """A saved state cannot be used: the message says why and what to do."""


class PictureError(TailproofError):
    """A picture cannot be drawn, or not where it was asked for."""


class RuleError(TailproofError, ValueError):
    """A rule or a piece has a setting that makes no sense, or two rules do not match."""
