"""River's contract over the rules: `learn_one`, `predict_one`, features that come and go by name.

>>> from tailproof import river
>>> model = river.LinearRegression()
>>> for k in range(100):
...     model.learn_one({"x": float(k)}, 2.0 * k + 1.0)
>>> round(model.predict_one({"x": 200.0}))
401
"""

try:
    import river as _river  # noqa: F401
except ImportError as error:
    raise ImportError("tailproof.river needs River: install it with  pip install 'tailproof[river]'") from error

from .linear import LinearRegression
from .logistic import LogisticRegression
from .mean import Mean

__all__ = ["LinearRegression", "LogisticRegression", "Mean"]
