"""Text on a picture: title, time, deflection scale, legend, axes, size of the grid, values of arrows.

The same for every renderer. Static text is drawn once; a frame gets its time and the values of its arrows.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw

from flexmb.arrays import Floats
from flexmb.axes import AXES
from flexmb.view.camera import projected
from flexmb.view.picture.drawing import Drawing
from flexmb.view.picture.fonts import Font, font
from flexmb.view.picture.items import ArrowItem
from flexmb.view.picture.quantities import clock_for, length_text, tick_text, value_text
from flexmb.view.scene import Color

Pixels = NDArray[np.uint8]
Box = tuple[float, float, float, float]
"""Left, top, right, bottom"""
_BETWEEN = 3.0
"""Pixels between two texts"""
_SMALLEST_LABELLED, _MOST_LABELS = 0.03, 30
"""Part of the longest arrow below which an arrow has no label, and the most labels of a frame"""
_AXIS_COLORS: tuple[Color, ...] = ((0.83, 0.28, 0.26), (0.24, 0.60, 0.32), (0.25, 0.45, 0.80))


class Overlay:
    """Writes on the frames of a drawing."""

    def __init__(self, drawing: Drawing, speed: float | None = None):
        """`speed`: simulated seconds per second of the movie; None: a still picture."""
        self.drawing, self.scene, self.look = drawing, drawing.scene, drawing.look
        self.speed = speed
        width, height = self.look.size
        self._unit = max(min(width / 1280.0, height / 720.0), 0.5)
        self._small_size = max(round(14 * self._unit), 10)
        self._small, self._normal = font(self._small_size), font(max(round(16 * self._unit), 11))
        self._large = font(max(round(21 * self._unit), 13), bold=True)
        self._gap = max(round(24 * self._unit), 10)
        self._axes_side = 4 * self._gap
        self._clock = clock_for(drawing.whole.time if speed is None else self.scene.time)
        self._taken: list[Box] = []
        """Rectangles of text that values of arrows must not cover"""
        self._still = self._draw_still()

    def on(self, image: Pixels, frame: int) -> Pixels:
        """The picture with its text."""
        picture = Image.fromarray(image)
        for piece, corner in self._still:
            picture.paste(piece, corner, piece)
        draw = ImageDraw.Draw(picture)
        width, height = self.look.size
        line = 1.35 * _height(self._normal)
        x, y = self._gap + self._axes_side, height - self._gap
        axes = self._first_axes if self.drawing.is_still else self._axes(frame)
        picture.paste(axes, (self._gap // 2, height - self._gap // 2 - self._axes_side), axes)
        taken = [
            *self._taken,
            (0.0, height - self._gap / 2 - self._axes_side, x, height),
            self._write(draw, (x, y - line), self._time(frame), "text", self._normal, "ls"),
            self._write(draw, (x, y), self._scale_text, "muted", self._small, "ls"),
            self._write(draw, (width / 2, self._gap), self._chapter(frame), "text", self._normal, "ma"),
        ]
        self._draw_arrow_values(draw, frame, taken)
        return np.asarray(picture)

    def _write(
        self, draw: ImageDraw.ImageDraw, at: tuple[float, float], text: str, color: str, typeface: Font, anchor: str
    ) -> Box:
        """Write a text and return the rectangle that it covers."""
        draw.text(at, text, self._color(color), typeface, anchor=anchor)
        return draw.textbbox(at, text, typeface, anchor=anchor)

    def _draw_still(self) -> list[tuple[Image.Image, tuple[int, int]]]:
        """Pieces of static text with their corners: far less to overlay on a frame than a whole picture."""
        layer = Image.new("RGBA", self.look.size, (*_rgb(self.drawing.theme.background), 0))
        draw = ImageDraw.Draw(layer)
        room = self.look.size[0] - 2 * self._gap
        y = float(self._gap)
        for text, color, typeface in (
            (self.scene.title, "text", self._large),
            (self.scene.subtitle, "muted", self._small),
        ):
            cut = _cut(text, typeface, 0.7 * room)
            if cut:
                self._taken.append(self._write(draw, (self._gap, y), cut, color, typeface, "la"))
                y += 1.35 * _height(typeface)
        if self.drawing.grid is not None:
            width, height = self.look.size
            text = f"grid {length_text(self.drawing.grid.cell)}"
            corner = (width - self._gap, height - self._gap)
            self._taken.append(self._write(draw, corner, text, "muted", self._small, "rs"))
        if self.drawing.values.largest > 0.0:
            self._draw_legend(draw)
        boxes = [(int(x_0) - 1, int(y_0) - 1, int(x_1) + 2, int(y_1) + 2) for x_0, y_0, x_1, y_1 in self._taken]
        return [(layer.crop(box), (box[0], box[1])) for box in boxes]

    def _draw_legend(self, draw: ImageDraw.ImageDraw) -> None:
        values = self.drawing.values
        lowest, largest = values.shown_range
        width, height = self.look.size
        bar, tall = max(round(14 * self._unit), 8), round(0.42 * height)
        ticks = np.linspace(lowest, largest, 5)
        labels = [tick_text(value, largest) for value in ticks]
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
        title_box = self._write(draw, (width - self._gap, y), title, "text", self._small, "rs")
        self._taken.append((min(title_box[0], left), title_box[1], width, top + tall + _height(self._small)))

    def _axes(self, frame: int) -> Image.Image:
        """World axes for the corner, the nearest last; drawn large and shrunk, which smooths the lines."""
        camera = self.drawing.camera(frame)
        side, over = self._axes_side, 4
        middle, length = 0.5 * over * side, 0.33 * over * side
        layer = Image.new("RGBA", (over * side, over * side), (*_rgb(self.drawing.theme.background), 0))
        draw = ImageDraw.Draw(layer)
        typeface = font(round(over * self._small_size))
        toward = np.array([camera.right, camera.up, camera.back])
        for k in np.argsort(toward[2]):
            name, color = AXES[k], _AXIS_COLORS[k]
            dx, dy = length * toward[0, k], -length * toward[1, k]
            draw.line((middle, middle, middle + dx, middle + dy), _rgb(color), round(2.0 * over * self._unit))
            if np.hypot(dx, dy) > 0.25 * length:
                draw.text((middle + 1.25 * dx, middle + 1.25 * dy), name, _rgb(color), typeface, anchor="mm")
        return layer.resize((side, side), Image.Resampling.BOX)

    @cached_property
    def _first_axes(self) -> Image.Image:
        return self._axes(0)

    def _draw_arrow_values(self, draw: ImageDraw.ImageDraw, frame: int, taken: list[Box]) -> None:
        """Write values at the tips, the largest first; a label that would cover other text everywhere is left out."""
        for size, item in self._large_arrows(frame):
            foot_and_tip = np.array([item.foot(frame), item.tip(frame)])
            foot, tip = projected(self.drawing.camera(frame), foot_and_tip, self.look.size)
            if min(foot[2], tip[2]) <= 0.0:
                continue
            text = value_text(size, item.arrow.unit)
            boxes = ((at, draw.textbbox(at, text, self._small, anchor="mm")) for at in self._places(foot, tip, text))
            at, box = next((pair for pair in boxes if not any(_overlap(pair[1], one) for one in taken)), (None, None))
            if at is None or box is None:
                continue
            taken.append(box)
            draw.text(
                at, text, self._color("text"), self._small, anchor="mm",
                stroke_width=max(round(2 * self._unit), 1), stroke_fill=self._color("background"),
            )  # fmt: skip

    def _places(self, foot: Floats, tip: Floats, text: str) -> Iterator[tuple[float, float]]:
        """Centres of a text beyond the tip of an arrow and on either side of it, all within the picture"""
        half = 0.5 * np.array([self._small.getlength(text), _height(self._small)]) + 6.0 * self._unit
        along = (tip - foot)[:2] / max(float(np.hypot(*(tip - foot)[:2])), 1e-9)
        across = np.array([along[1], -along[0]])
        for direction in (along, across, -across):
            x, y = np.clip(tip[:2] + direction * half, half, self.look.size - half)
            yield float(x), float(y)

    def _large_arrows(self, frame: int) -> list[tuple[float, ArrowItem]]:
        """Sizes and arrows of a frame that get a label, the longest first"""
        arrows = [(float(np.linalg.norm(item.arrow.vector[frame])), item) for item in self.drawing.arrows]
        large = [(size, item) for size, item in arrows if size >= _SMALLEST_LABELLED * item.largest]
        return sorted(large, key=lambda pair: -pair[0] / pair[1].largest)[:_MOST_LABELS]

    @property
    def _scale_text(self) -> str:
        scale = self.drawing.scale
        true = "true deflection" if self.scene.magnified == 1.0 else ""
        text = true if scale == 1.0 else f"deflection × {scale:.4g}"
        if not self.scene.flexible:
            text = ""
        if self.look.follow:
            text += f"{', ' if text else ''}following {self.look.follow}"
        return text

    def _time(self, frame: int) -> str:
        """Text of the time; empty for mode shapes, whose time has no meaning."""
        if self.scene.chapters:
            return ""
        text = f"t = {self._clock.text(float(self.scene.time[frame]))}"
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


def _height(typeface: Font) -> float:
    box = typeface.getbbox("Ag")
    return float(box[3] - box[1])


def _cut(text: str, typeface: Font, room: float) -> str:
    """The text, shortened to the room [pixels]."""
    text = " ".join(text.split())
    if typeface.getlength(text) <= room:
        return text
    while text and typeface.getlength(text + "...") > room:
        text = text[:-1]
    return text + "..."


def _overlap(a: Box, b: Box) -> bool:
    """Whether two texts overlap or nearly touch"""
    gap = _BETWEEN
    return a[0] < b[2] + gap and b[0] < a[2] + gap and a[1] < b[3] + gap and b[1] < a[3] + gap
