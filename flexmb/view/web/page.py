"""The viewer as a page of its own, or as pieces for another page.

The page is one file: style, markup, shaders, script and the packed scene. A content
security policy forbids every request. The script is joined from the files next to this one, which share one scope.
"""

from __future__ import annotations

import html
import os
import re
from dataclasses import dataclass
from pathlib import Path

from flexmb.output_files import drafted
from flexmb.view.scene import Look, Scene
from flexmb.view.web.pack import pack_scene, title_of

FOLDER = Path(__file__).parent
SCRIPTS = (
    "maths.js", "data.js", "mesh.js", "motion.js", "text.js", "shaders", "graphics.js", "fit.js", "camera.js",
    "picture.js", "pick.js", "plot.js", "probe.js", "controls.js", "input.js", "viewer.js", "public.js",
)  # fmt: skip
SPACED = re.compile(r" ?([=,{}();:?<>&|*]+) ?| ([-+/]) (?=[\w(\[])")
SHADERS = ("part.vert", "part.frag", "grid.vert", "grid.frag")
PAGE = """<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy"
  content="default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="generator" content="flexmb">
<title>{title}</title>
<style>
html, body {{ margin: 0; height: 100%; overflow: hidden; }}
.flexmb-viewer {{ height: 100vh; height: 100dvh; }}
{style}
</style>
</head>
<body class="flexmb-page">
{markup}
{data}
<script>
{script}
</script>
</body>
</html>
"""


@dataclass(frozen=True)
class ViewerParts:
    """The viewer for another page: `markup` at its place, `data` anywhere before `script`."""

    style: str
    """CSS, without its element; all rules are below .flexmb-viewer, which needs a height from the page"""
    markup: str
    """HTML"""
    script: str
    """JavaScript, without its element; makes window.flexmbViewer"""
    data: str
    """HTML: two inert script elements with the scene"""


def viewer_parts(scene: Scene, look: Look | None = None, playing: bool = True) -> ViewerParts:
    """The pieces of the viewer; `playing`: whether it starts by itself (never if the reader prefers reduced motion)."""
    header, arrays = pack_scene(scene, look or Look(), playing)
    data = (
        f'<script type="application/json" id="flexmb-viewer-header">{header}</script>\n'
        f'<script type="text/plain" id="flexmb-viewer-arrays">{arrays}</script>'
    )
    return ViewerParts(_style(), _shortened(_source("viewer.html")), _script(), data)


def write_page(scene: Scene, path: str | os.PathLike[str], look: Look | None = None) -> Path:
    """Write the viewer with a scene as one HTML file; returns its path."""
    parts = viewer_parts(scene, look)
    text = PAGE.format(
        title=html.escape(title_of(scene)), style=parts.style, markup=parts.markup, data=parts.data,
        script=parts.script,
    )  # fmt: skip
    with drafted(path, ".html") as draft:
        draft.write_text(text, encoding="utf-8")
    return Path(path)


def _source(name: str) -> str:
    return (FOLDER / name).read_text(encoding="utf-8")


def _style() -> str:
    return re.sub(r"\s*([{};])\s*", r"\1", _shortened(_source("viewer.css"))).replace(": ", ":")


def _script() -> str:
    """All files in one scope, so that nothing leaks into the surrounding page."""
    pieces = [_shaders() if name == "shaders" else _squeezed(_source(name)) for name in SCRIPTS]
    return "\n".join(['(() => {\n"use strict";', *pieces, "})();"])


def _shaders() -> str:
    texts = ",\n".join(f'"{name}": `{_squeezed(_source(f"{name}.glsl"))}`' for name in SHADERS)
    return f"const SHADERS = {{\n{texts}\n}};"


def _shortened(text: str) -> str:
    """The text without indentation, empty lines and comment lines."""
    lines = (line.strip() for line in text.splitlines())
    return "\n".join(line for line in lines if line and not line.startswith("//"))


def _squeezed(code: str) -> str:
    """The shortened code without blanks around operators; lines with strings stay as they are."""
    lines = _shortened(code).splitlines()
    return "\n".join(line if re.search("[`\"']|//", line) else SPACED.sub(r"\1\2", line) for line in lines)
