"""The laws and the batches of trials are those of the acceptance run."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2] / "bench"))
