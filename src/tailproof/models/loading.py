"""Loading: which model a file holds."""

import os
from typing import Any

from .. import checkpoint
from ..errors import CheckpointError
from .difference import MeanDifference
from .linear import LinearRegression
from .logistic import LogisticRegression
from .mean import Mean
from .scaler import StreamScaler

MODELS: tuple[Any, ...] = (Mean, LinearRegression, LogisticRegression, StreamScaler, MeanDifference)


def load(path: str | os.PathLike[str]) -> Any:
    """The model saved in a file, or what a command-line run wrote with --save or to its checkpoint."""
    saved = checkpoint.load(path)
    for kind in MODELS:
        model = kind._of(saved)
        if model is not None:
            return model
    raise CheckpointError(f"{path} holds {saved.rule!r}, which is no model; read it with tailproof.checkpoint.load")
