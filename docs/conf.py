"""How Sphinx builds these pages: `make docs`, from this folder to build/docs."""

import os
import sys
import warnings
from pathlib import Path

import matplotlib as mpl
import ziamath

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT))  # for docs.site and benchmarks, which are not installed

import maxmargin  # noqa: E402

mpl.use("Agg")
os.environ["PYTHONWARNINGS"] = "ignore"

project = "maxmargin"
author = "The maxmargin developers"
copyright = "The maxmargin developers"  # noqa: A001
version = release = maxmargin.__version__
language = "en"

extensions = [
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "numpydoc",
    "myst_parser",
    "sphinx_gallery.gen_gallery",
    "sphinx_design",
    "sphinx_copybutton",
    "sphinx_codeautolink",
    "docs.site.api",
    "docs.site.benchmarks",
    "docs.site.decision_tree",
    "docs.site.gallery",
    "docs.site.lab",
    "docs.site.lecture",
    "docs.site.literals",
    "docs.site.mathml",
]
source_suffix = {".md": "markdown", ".rst": "restructuredtext", ".py": "lecture"}
exclude_patterns = [
    "conf.py",
    "site",
    "_templates",
    "gallery/**/*.py",
    "gallery/**/*.ipynb",
    "gallery/**/*.codeobj.json",
    "gallery/**/*.md5",
    "gallery/**/*.zip",
]
nitpicky = False
suppress_warnings = ["codeautolink"]  # code in the gallery has links already, by sphinx-gallery

# Markdown
myst_enable_extensions = ["attrs_block", "attrs_inline", "colon_fence", "deflist", "dollarmath"]
myst_heading_anchors = 4
myst_heading_slug_func = "docs.site.page.name_of"
html_math_renderer = "mathml"

# The API: docstrings are numpydoc's
default_role = "obj"
templates_path = ["_templates"]
autosummary_generate = True
autosummary_ignore_module_all = False
autodoc_typehints = "none"
autodoc_member_order = "bysource"
numpydoc_show_class_members = False
numpydoc_class_members_toctree = False
numpydoc_xref_param_type = False
codeautolink_concat_default = True
codeautolink_warn_on_missing_inventory = False
codeautolink_warn_on_failed_resolve = False

# The gallery
sphinx_gallery_conf = {
    "examples_dirs": "../examples",
    "gallery_dirs": "gallery",
    "filename_pattern": r"plot_",
    "ignore_pattern": r"__init__\.py|README",
    "subsection_order": [
        f"../examples/{group}" for group in ("theory", "everyday", "large", "research")
    ],
    "within_subsection_order": "FileNameSortKey",
    "image_scrapers": ("docs.site.gallery.scraper",),
    "reset_modules": ("docs.site.gallery.reset",),
    "capture_repr": (),
    "abort_on_example_error": True,
    "doc_module": ("maxmargin",),
    "backreferences_dir": "api/backreferences",
    "inspect_global_variables": False,
    "download_all_examples": False,
    "remove_config_comments": True,
    "min_reported_time": 1e9,
    "show_memory": False,
    "show_signature": False,
    "parallel": 2,
    "copyfile_regex": r".*\.rst",
    "write_computation_times": False,
}
warnings.filterwarnings("ignore", category=UserWarning, message="FigureCanvasAgg is non-interact")

# The look
html_theme = "pydata_sphinx_theme"
html_title = "maxmargin"
# The font of formulas, which browsers do not bring along.
html_static_path = ["_static", str(Path(ziamath.__file__).parent / "fonts")]
html_css_files = ["site.css"]
html_js_files = [("site.js", {"defer": "defer"})]
html_favicon = "_static/mark.svg"
html_copy_source = False
html_show_sourcelink = False
html_show_search_summary = False  # it is fetched, which pages opened as files may not do
html_permalinks_icon = "#"
html_theme_options = {
    "logo": {
        "text": "maxmargin",
        "image_light": "_static/mark.svg",
        "image_dark": "_static/mark.svg",
        "alt_text": "maxmargin, first page",
    },
    "navbar_align": "left",
    "navbar_persistent": ["search-button-field"],
    "navbar_end": ["theme-switcher"],
    "header_links_before_dropdown": 7,
    "show_toc_level": 2,
    "secondary_sidebar_items": {"**": ["page-toc"], "index": []},
    "footer_start": ["copyright"],
    "footer_end": [],
    "back_to_top_button": False,
    "pygments_light_style": "a11y-high-contrast-light",
    "pygments_dark_style": "a11y-high-contrast-dark",
}
html_sidebars = {"index": []}
copybutton_prompt_text = r">>> |\.\.\. |\$ "
copybutton_prompt_is_regexp = True
copybutton_exclude = ".linenos, .gp, .go"
