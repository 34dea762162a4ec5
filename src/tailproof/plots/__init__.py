"""Pictures of what a stream has shown: intervals, tails, and how an estimate came to rest.

Displays work as scikit-learn's do: `from_estimator` or `from_estimate` makes one, `plot(ax=...)` draws it.
matplotlib is an extra and is loaded when something is drawn.
"""

from .bars import Bar
from .display import StreamDisplay
from .intervals import IntervalDisplay
from .paths import PathDisplay
from .tails import Tail, TailDisplay

__all__ = ["Bar", "IntervalDisplay", "PathDisplay", "StreamDisplay", "Tail", "TailDisplay"]
