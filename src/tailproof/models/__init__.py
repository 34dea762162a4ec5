"""Models: the scikit-learn contract over the rules."""

from .linear import LinearRegression
from .loading import load
from .logistic import LogisticRegression
from .mean import Mean
from .scaler import StreamScaler

__all__ = ["LinearRegression", "LogisticRegression", "Mean", "StreamScaler", "load"]
