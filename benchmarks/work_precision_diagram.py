"""The work-precision diagram: error against CPU time, logarithmic, readable without colour."""

from __future__ import annotations

from pathlib import Path
from typing import Any, NamedTuple

from work_precision_table import Point, curves, floors

FOLDER = Path(__file__).resolve().parent
PEAK = 3.18e-3
"""[m] of the deflection"""
REFERENCE = 1e-6
"""[m] to which two independent codes agree"""


class Look(NamedTuple):
    """A model in the diagram: family and line, marker (filled for flexmb), text of the legend."""

    family: str
    marker: str
    label: str
    line: str


FLEXMB, CABLES, FRAMES = "flexmb", "Exudyn, ANCF cables", "Exudyn, floating frame"
COLOURS = {FLEXMB: "#0b3c6f", CABLES: "#c2571a", FRAMES: "#5f5f5f"}
LOOKS = {
    ("flexmb", "3 sines a plane"): Look(FLEXMB, "o", "3 sines, the example", "-"),
    ("flexmb", "2 sines a plane"): Look(FLEXMB, "v", "2 sines", "-"),
    ("flexmb", "3 sines a plane, rk4"): Look(FLEXMB, "s", "3 sines, rk4", "-"),
    ("flexmb", "3 sines a plane, order 2, turbo"): Look(FLEXMB, "^", "order 2, turbo", "-"),
    ("flexmb", "3 sines a plane, order 2, turbo, rk4"): Look(FLEXMB, "D", "order 2, turbo, rk4", "-"),
    ("Exudyn", "4 ANCF cable elements"): Look(CABLES, "o", "4 elements", "--"),
    ("Exudyn", "6 ANCF cable elements"): Look(CABLES, "s", "6 elements", "--"),
    ("Exudyn", "8 ANCF cable elements"): Look(CABLES, "^", "8 elements", "--"),
    ("Exudyn", "16 ANCF cable elements"): Look(CABLES, "v", "16 elements", "--"),
    ("Exudyn", "4 ANCF cable elements, loose Newton"): Look(CABLES, "o", "4, loose Newton", ":"),
    ("Exudyn", "6 ANCF cable elements, loose Newton"): Look(CABLES, "s", "6, loose Newton", ":"),
    ("Exudyn", "8 ANCF cable elements, loose Newton"): Look(CABLES, "^", "8, loose Newton", ":"),
    ("Exudyn", "floating frame, 6 sines"): Look(FRAMES, "x", "6 sines", "-."),
    ("Exudyn", "floating frame, 8 Craig-Bampton modes"): Look(FRAMES, "+", "8 Craig-Bampton modes", "-."),
}


def draw(points: list[Point], folder: Path = FOLDER) -> list[Path]:
    """Write work_precision.svg and .png; returns their paths."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    style: dict[Any, Any] = {
        "font.size": 9.5,
        "svg.hashsalt": "work-precision",
        "svg.fonttype": "none",
        "axes.spines.right": True,
    }
    with pyplot.rc_context(style):
        figure, axes = pyplot.subplots(figsize=(10.2, 5.8), layout="constrained")
        handles = _draw_curves(axes, points)
        _label(axes)
        _notes(axes, points)
        _legend(figure, handles)
        paths = [folder / f"work_precision.{ending}" for ending in ("svg", "png")]
        for path in paths:
            extra = {"metadata": {"Date": None}} if path.suffix == ".svg" else {"dpi": 160}
            figure.savefig(path, **extra)
        pyplot.close(figure)
    return paths


def _draw_curves(axes: Any, points: list[Point]) -> dict[str, list[Any]]:
    """Every model as a line that ends in a bar at the error that remains with small steps; handles by family."""
    handles: dict[str, list[Any]] = {family: [] for family in COLOURS}
    every, remaining = curves(points), floors(points)
    for key, look in LOOKS.items():
        timed = [point for point in every.get(key, []) if point.seconds is not None]
        if not timed:
            continue
        colour = COLOURS[look.family]
        x, y = [point.seconds or 0.0 for point in timed], [point.error for point in timed]
        (line,) = axes.plot(
            x, y, look.line, color=colour, marker=look.marker, label=look.label, linewidth=1.2, markersize=5.5,
            markerfacecolor=colour if look.family == FLEXMB else "white", markeredgewidth=1.1, zorder=3,
        )  # fmt: skip
        handles[look.family].append(line)
        if key in remaining:
            bar = [x[-1] * 1.12, x[-1] * 1.4]
            axes.plot(bar, [remaining[key]] * 2, color=colour, linewidth=2.8, solid_capstyle="butt", zorder=2)
    return handles


def _label(axes: Any) -> None:
    from matplotlib.ticker import FuncFormatter

    axes.set_xscale("log")
    axes.set_yscale("log")
    axes.set_ylim(7e-7, 3e-3)
    axes.axhspan(1e-7, REFERENCE, facecolor="0.92", edgecolor="0.65", hatch="////", linewidth=0)
    axes.set_xlabel("CPU time of two turns [s]")
    axes.set_ylabel("largest error of the rod's mid-point deflection [m]")
    axes.grid(True, which="major", color="0.85", linewidth=0.7)
    axes.grid(True, which="minor", color="0.93", linewidth=0.4)
    axes.set_axisbelow(True)
    share = axes.secondary_yaxis("right", functions=(lambda error: 100 * error / PEAK, lambda part: part * PEAK / 100))
    share.yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g} %"))
    share.set_ylabel("part of the largest deflection, 3.18 mm")
    axes.set_title("Spatial slider-crank with a flexible rod: error against CPU time", loc="left", fontsize=11)


def _notes(axes: Any, points: list[Point]) -> None:
    """What the curves alone do not tell."""
    small = {"fontsize": 8.5, "fontstyle": "italic", "color": "0.25"}
    every = curves(points)
    frame = [p for p in every.get(("Exudyn", "floating frame, 6 sines"), []) if p.seconds is not None]
    if frame:
        text = "linear in the deflection:\nconverge to another rod"
        axes.text((frame[0].seconds or 0.0) * 0.85, frame[0].error * 1.2, text, ha="right", va="center", **small)
    cables = [p for p in every.get(("Exudyn", "4 ANCF cable elements"), []) if p.seconds is not None]
    if len(cables) > 4:
        dip = min(cables, key=lambda point: point.error)
        text, arrow = "errors of steps and\nelements cancel", {"arrowstyle": "-", "color": "0.25", "linewidth": 0.7}
        place = ((dip.seconds or 0.0) * 0.62, dip.error * 0.25)
        axes.annotate(text, (dip.seconds or 0.0, dip.error), place, ha="center", va="top", arrowprops=arrow, **small)


def _legend(figure: Any, handles: dict[str, list[Any]]) -> None:
    """One list of markers; the name of each family above its own."""
    from matplotlib.lines import Line2D
    from matplotlib.patches import Patch

    entries: list[Any] = []
    for family, lines in handles.items():
        if lines:
            entries += [Line2D([], [], linestyle="none", label=family), *lines]
    entries += [
        Line2D([], [], linestyle="none", label=" "),
        Line2D([], [], color="0.3", linewidth=2.8, label="error of the model itself"),
        Patch(facecolor="0.92", edgecolor="0.65", hatch="////", label="accuracy of the reference"),
    ]
    legend = figure.legend(handles=entries, loc="outside right upper", frameon=False, handlelength=3.2)
    for text, entry in zip(legend.get_texts(), entries, strict=True):
        if entry.get_label() in handles:
            text.set_fontweight("bold")
            text.set_x(-62)
