"""Formulas as MathML, which browsers draw themselves: no script and no network."""

from typing import Any

from docutils import nodes
from latex2mathml.converter import convert


def inline(self: Any, node: nodes.math) -> None:
    """A formula in a line."""
    self.body.append(convert(node.astext()))
    raise nodes.SkipNode


def block(self: Any, node: nodes.math_block) -> None:
    """A formula on lines of its own; a wide one scrolls."""
    self.body.append(f'<div class="formula">{convert(node.astext(), display="block")}</div>')
    raise nodes.SkipNode


def setup(app: Any) -> dict[str, bool]:
    """Make it the renderer of this site."""
    app.add_html_math_renderer("mathml", inline_renderers=(inline, None), block_renderers=(block, None))
    app.config.html_math_renderer = "mathml"
    return {"parallel_read_safe": True, "parallel_write_safe": True}
