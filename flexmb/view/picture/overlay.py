"""What is written on a picture: title, time, deflection scale, legend, axes, size of the grid, values of arrows.

The same for every renderer. What stays is drawn once; a frame gets its time and the values of its arrows.
"""

from __future__ import annotations

from functools import cached_property

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw

from flexmb.view.camera import projected
from flexmb.view.picture.drawing import Drawing
from flexmb.view.picture.fonts import Font, font
from flexmb.view.scene import Color

Pixels = NDArray[np.uint8]
_AXES: tuple[tuple[str, Color], ...] = (("x", (0.83, 0.28, 0.26)), ("y", (0.24, 0.60, 0.32)), ("z", (0.25, 0.45, 0.80)))


class Overlay:
    """Writes on the frames of a drawing."""

    def __init__(self, drawing: Drawing, speed: float | None = None):
        """`speed`: simulated seconds in a second of the film; None: a picture that does not move."""
        self.drawing, self.scene, self.look = drawing, drawing.scene, drawing.look
        self.speed = speed
        width, height = self.look.size
        self._unit = max(min(width / 1280.0, height / 720.0), 0.5)
        self._small_size = max(round(14 * self._unit), 10)
        self._small, self._normal = font(self._small_size), font(max(round(16 * self._unit), 11))
        self._large = font(max(round(21 * self._unit), 13), bold=True)
        self._gap = max(round(24 * self._unit), 10)
        self._axes_side = 4 * self._gap
        self._digits = _time_digits(drawing.whole.time)
        self._still = self._draw_still()

    def on(self, image: Pixels, frame: int) -> Pixels:
        """The picture with its text."""
        picture = Image.fromarray(image)
        picture.paste(self._still, (0, 0), self._still)
        draw = ImageDraw.Draw(picture)
        width, height = self.look.size
        line = 1.35 * _height(self._normal)
        x, y = self._gap + self._axes_side, height - self._gap
        axes = self._first_axes if self.drawing.is_still else self._axes(frame)
        picture.paste(axes, (self._gap // 2, height - self._gap // 2 - self._axes_side), axes)
        draw.text((x, y - line), self._time(frame), self._color("text"), self._normal, anchor="ls")
        draw.text((x, y), self._scale_text, self._color("muted"), self._small, anchor="ls")
        self._draw_arrow_values(draw, frame)
        chapter = self._chapter(frame)
        if chapter:
            draw.text((width / 2, self._gap), chapter, self._color("text"), self._normal, anchor="ma")
        return np.asarray(picture)

    def _draw_still(self) -> Image.Image:
        layer = Image.new("RGBA", self.look.size, (*_rgb(self.drawing.theme.background), 0))
        draw = ImageDraw.Draw(layer)
        room = self.look.size[0] - 2 * self._gap
        y = float(self._gap)
        if self.scene.title:
            draw.text((self._gap, y), _cut(self.scene.title, self._large, 0.7 * room), self._color("text"), self._large)
            y += 1.35 * _height(self._large)
        if self.scene.subtitle:
            draw.text(
                (self._gap, y), _cut(self.scene.subtitle, self._small, 0.7 * room), self._color("muted"), self._small
            )
        if self.drawing.grid is not None:
            width, height = self.look.size
            text = f"grid {_length(self.drawing.grid.cell)}"
            draw.text((width - self._gap, height - self._gap), text, self._color("muted"), self._small, anchor="rs")
        if self.drawing.values.largest > 0.0:
            self._draw_legend(draw)
        return layer

    def _draw_legend(self, draw: ImageDraw.ImageDraw) -> None:
        values = self.drawing.values
        lowest, largest = values.shown_range
        width, height = self.look.size
        bar, tall = max(round(14 * self._unit), 8), round(0.42 * height)
        ticks = np.linspace(lowest, largest, 5)
        labels = [_number(value, largest) for value in ticks]
        room = max(self._small.getlength(label) for label in labels) + 10 * self._unit
        left, top = round(width - self._gap - room - bar), round(0.5 * height - 0.5 * tall)
        steps = np.linspace(255, 0, tall).round().astype(int)
        draw._image.paste(Image.fromarray(np.repeat(values.table[steps][:, None], bar, axis=1)), (left, top))
        outline = self._color("muted")
        draw.rectangle((left - 1, top - 1, left + bar, top + tall), outline=outline)
        for label, part in zip(labels, np.linspace(1.0, 0.0, 5), strict=True):
            y = top + part * (tall - 1)
            draw.line((left + bar, y, left + bar + 4 * self._unit, y), outline)
            draw.text((left + bar + 8 * self._unit, y), label, self._color("text"), self._small, anchor="lm")
        title = f"{values.label} [{values.unit}]"
        y = top - 0.9 * _height(self._small)
        draw.text((width - self._gap, y), title, self._color("text"), self._small, anchor="rs")

    def _axes(self, frame: int) -> Image.Image:
        """World axes for the corner, the nearest last; drawn large and shrunk, which smooths the lines."""
        camera = self.drawing.camera(frame)
        side, over = self._axes_side, 4
        middle, length = 0.5 * over * side, 0.33 * over * side
        layer = Image.new("RGBA", (over * side, over * side), (*_rgb(self.drawing.theme.background), 0))
        draw = ImageDraw.Draw(layer)
        letters = font(round(over * self._small_size))
        toward = np.array([camera.right, camera.up, camera.back])
        for k in np.argsort(toward[2]):
            name, color = _AXES[k]
            dx, dy = length * toward[0, k], -length * toward[1, k]
            draw.line((middle, middle, middle + dx, middle + dy), _rgb(color), round(2.0 * over * self._unit))
            if np.hypot(dx, dy) > 0.25 * length:
                draw.text((middle + 1.25 * dx, middle + 1.25 * dy), name, _rgb(color), letters, anchor="mm")
        return layer.resize((side, side), Image.Resampling.BOX)

    @cached_property
    def _first_axes(self) -> Image.Image:
        return self._axes(0)

    def _draw_arrow_values(self, draw: ImageDraw.ImageDraw, frame: int) -> None:
        """Beyond the tips, the large ones first; a label that would lie on another is left out."""
        camera = self.drawing.camera(frame)
        taken: list[tuple[float, ...]] = []
        arrows = [(float(np.linalg.norm(item.arrow.vector[frame])), item) for item in self.drawing.arrows]
        for size, item in sorted(arrows, key=lambda pair: -pair[0] / pair[1].largest):
            ends = projected(camera, np.array([item.foot(frame), item.tip(frame)]), self.look.size)
            if size < 0.03 * item.largest or ends[:, 2].min() <= 0.0:
                continue
            text = _value(size, item.arrow.unit)
            along = ends[1, :2] - ends[0, :2]
            along /= max(float(np.hypot(*along)), 1e-9)
            half = 0.5 * np.array([self._small.getlength(text), _height(self._small)]) + 5.0 * self._unit
            x, y = ends[1, :2] + along * half
            box = draw.textbbox((x, y), text, self._small, anchor="mm")
            if any(_overlap(box, other) for other in taken):
                continue
            taken.append(box)
            draw.text(
                (x, y), text, self._color("text"), self._small, anchor="mm",
                stroke_width=max(round(2 * self._unit), 1), stroke_fill=self._color("background"),
            )  # fmt: skip

    @property
    def _scale_text(self) -> str:
        scale = self.drawing.scale
        text = "true deflection" if scale == 1.0 else f"deflection × {scale:.4g}"
        if not self.scene.flexible:
            text = ""
        if self.look.follow:
            text += f"{', ' if text else ''}riding with {self.look.follow}"
        return text

    def _time(self, frame: int) -> str:
        """Empty for mode shapes, whose time means nothing."""
        if self.scene.chapters:
            return ""
        text = f"t = {self.scene.time[frame]:.{self._digits}f} s"
        if self.speed is None or abs(self.speed - 1.0) < 1e-3:
            return text
        slower = f"{1.0 / self.speed:.3g} × slower" if self.speed < 1.0 else f"{self.speed:.3g} × faster"
        return f"{text}   ({slower})"

    def _chapter(self, frame: int) -> str:
        now = float(self.scene.time[frame]) + 1e-12
        return next((title for start, title in reversed(self.scene.chapters) if start <= now), "")

    def _color(self, name: str) -> tuple[int, int, int]:
        return _rgb(getattr(self.drawing.theme, name))


def _rgb(color: Color) -> tuple[int, int, int]:
    red, green, blue = (round(255 * value) for value in color)
    return red, green, blue


def _height(letters: Font) -> float:
    box = letters.getbbox("Ag")
    return float(box[3] - box[1])


def _cut(text: str, letters: Font, room: float) -> str:
    """The text, shortened to the room [pixels]."""
    text = " ".join(text.split())
    if letters.getlength(text) <= room:
        return text
    while text and letters.getlength(text + "...") > room:
        text = text[:-1]
    return text + "..."


def _overlap(a: tuple[float, ...], b: tuple[float, ...]) -> bool:
    return a[0] < b[2] and b[0] < a[2] and a[1] < b[3] and b[1] < a[3]


def _time_digits(time: NDArray[np.float64]) -> int:
    """Decimals that tell frames apart"""
    step = float(time[-1] - time[0]) / max(len(time) - 1, 1)
    return int(np.clip(np.ceil(-np.log10(step)), 0, 9)) if step > 0.0 else 3


def _length(value: float) -> str:
    return f"{value:g} m" if value >= 1.0 else f"{1e3 * value:g} mm"


def _value(size: float, unit: str) -> str:
    """Three digits with a prefix: 1.60 kN, 177 N·m"""
    factor, prefix = next(((f, p) for f, p in ((1e9, "G"), (1e6, "M"), (1e3, "k")) if size >= 0.9995 * f), (1.0, ""))
    value = size / factor
    decimals = int(np.clip(2 - np.floor(np.log10(value)), 0, 6)) if value > 0.0 else 0
    return f"{value:.{decimals}f} {prefix}{unit.replace('*', '·')}"


def _number(value: float, largest: float) -> str:
    """With as many decimals as the largest needs for three digits"""
    if not 1e-3 <= largest < 1e5:
        return f"{value:.2e}"
    decimals = int(np.clip(2 - np.floor(np.log10(largest)), 0, 6))
    return f"{value:.{decimals}f}"
