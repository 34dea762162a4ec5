"""The site: pages in Markdown, the reference from docstrings, examples with their pictures; no network is needed."""

import os
import sys
from pathlib import Path

HERE = Path(__file__).parent
sys.path[:0] = [str(HERE / "_ext"), str(HERE.parent / "src")]
os.environ.setdefault("COLUMNS", "88")

import tailproof  # noqa: E402

project = "tailproof"
author = "the tailproof authors"
version = release = tailproof.__version__
html_title = f"tailproof {version}"

extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx_gallery.gen_gallery", "mathml", "reference", "borrowed"]
exclude_patterns = ["_build", "_ext", "_static"]
source_suffix = {".rst": "restructuredtext", ".md": "markdown"}
myst_enable_extensions = ["dollarmath", "amsmath", "colon_fence"]
myst_heading_anchors = 3

autodoc_member_order = "bysource"
autodoc_typehints = "signature"
autodoc_typehints_format = "short"
python_use_unqualified_type_names = True
add_module_names = False

sphinx_gallery_conf = {
    "examples_dirs": str(HERE.parent / "examples"),
    "gallery_dirs": "examples",
    "filename_pattern": r"/(?!make_)\w+\.py$",
    "ignore_pattern": r"make_",
    "download_all_examples": False,
    "show_signature": False,
    "show_memory": False,
    # That page asks for scripts from elsewhere.
    "write_computation_times": False,
    "remove_config_comments": True,
    "matplotlib_animations": False,
    "within_subsection_order": "FileNameSortKey",
    "first_notebook_cell": None,
    "notebook_extensions": set(),
}
suppress_warnings = ["config.cache"]

html_theme = "pydata_sphinx_theme"
html_static_path = ["_static"]
html_css_files = ["narrow.css"]
html_show_sourcelink = False
html_copy_source = False
html_theme_options = {
    "navigation_with_keys": False,
    "show_prev_next": False,
    "navbar_align": "left",
    "footer_start": [],
    "header_links_before_dropdown": 6,
    "footer_end": [],
    "show_toc_level": 2,
    "pygments_light_style": "a11y-high-contrast-light",
}
html_sidebars = {"start": [], "which": [], "limits": [], "changelog": []}
html_show_copyright = False
