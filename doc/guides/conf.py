# SPDX-License-Identifier: BSD-3-Clause
"""Sphinx configuration of the guides."""

from pathlib import Path

project = "leat"
author = "The leat authors"
copyright = author  # noqa: A001, the name is Sphinx's
release = (Path(__file__).resolve().parents[2] / "VERSION").read_text(encoding="utf-8").strip()
version = release
master_doc = "index"
extensions: list[str] = []
exclude_patterns: list[str] = []
html_theme = "alabaster"
html_theme_options = {"page_width": "1100px"}
html_show_copyright = False
html_show_sphinx = False
# A "--option" in the text is two hyphens, not a dash.
smartquotes = False
highlight_language = "none"
