"""Pictures of results, in the form of the paper's panels."""

from ...errors import PictureError
from .drawing import need_matplotlib, panel_svg, write
from .panels import Panel, Trace, panels_of

__all__ = ["Panel", "PictureError", "Trace", "need_matplotlib", "panel_svg", "panels_of", "write"]
