"""What is written on pictures: handy units, legends, and values of arrows that keep off other text.

Covers: view.picture.quantities, view.picture.values.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from PIL import ImageDraw

from flexmb.view.picture.drawing import Drawing
from flexmb.view.picture.overlay import Overlay
from flexmb.view.picture.quantities import clock_for, length_text, value_text
from flexmb.view.picture.values import Values
from flexmb.view.scene import Look, Scene
from tests.support.scenes import bending_scene

SIZE = (320, 180)


@pytest.fixture(scope="module")
def scene() -> Scene:
    return bending_scene(31, 20)


@pytest.mark.parametrize(
    ("end", "frames", "now", "text"),
    [
        (2.0, 201, 1.234, "1.23 s"), (0.1, 101, 0.0123, "12 ms"), (0.1, 1001, 0.0123, "12.3 ms"),
        (1e-4, 101, 1.23e-5, "12 \u00b5s"), (1e-9, 11, 3e-10, "0.3 ns"), (0.0, 1, 0.0, "0.000 s"),
        (1e3, 11, 300.0, "300 s"),
    ],
)  # fmt: skip
def test_times_have_a_handy_unit_and_figures_that_change(end, frames, now, text):
    assert clock_for(np.linspace(0.0, end, frames)).text(now) == text


def test_lengths_and_forces_have_a_handy_unit():
    assert [length_text(size) for size in (1e5, 1e3, 2.0, 0.5, 1e-3, 5e-8, 2e-10)] == [
        "100 km", "1 km", "2 m", "500 mm", "1 mm", "50 nm", "0.2 nm",
    ]  # fmt: skip
    forces = (1602.0, 999.7, 177.4, 1.0, 0.0981, 9.81e-15, 0.0)
    assert [value_text(size, "N*m") for size in forces] == [
        "1.60 kN·m", "1.00 kN·m", "177 N·m", "1.00 N·m", "98.1 mN·m", "9.81e-15 N·m", "0 N·m",
    ]  # fmt: skip
    shown = [(Values(color, size).unit, Values(color, size).shown_range[1]) for color, size in (
        ("displacement", 3e-3), ("displacement", 3e-8), ("x", 3e-11), ("stress", 5e6), ("stress", 20.0),
    )]  # fmt: skip
    assert [unit for unit, _ in shown] == ["mm", "µm", "nm", "MPa", "Pa"]
    assert [value for _, value in shown] == pytest.approx([3.0, 0.03, 0.03, 5.0, 20.0])


def test_values_of_arrows_keep_off_other_text(scene, monkeypatch):
    """However the tips lie, a label is within the picture, and on neither the title nor another label."""
    written = []
    draw_text = ImageDraw.ImageDraw.text

    def text(self, at, words, *args, **options):
        if words:
            written.append((words, self.textbbox(at, words, options.get("font") or args[1], anchor=options["anchor"])))
        draw_text(self, at, words, *args, **options)

    monkeypatch.setattr(ImageDraw.ImageDraw, "text", text)
    look = Look(size=(320, 180), arrows=True)
    drawing = Drawing(replace(scene, title=30 * "title "), look)
    labels = 0
    for frame in range(0, 31, 3):
        written.clear()
        Overlay(drawing).on(np.zeros((180, 320, 3), np.uint8), frame)
        boxes = [(words, box) for words, box in written if words not in ("x", "y", "z")]
        for words, box in boxes:
            if not words.endswith(("N", "N·m")):
                continue
            labels += 1
            assert box[0] >= 0 and box[1] >= 0 and box[2] <= 320 and box[3] <= 180
            others = [other for other in boxes if other != (words, box)]
            assert not [o for _, o in others if o[0] < box[2] and box[0] < o[2] and o[1] < box[3] and box[1] < o[3]]
    assert labels > 5


def test_a_legend_of_nothing_is_left_out(scene):
    stiff = replace(scene, parts=tuple(part for part in scene.parts if part.kind != "flexible"))
    drawing = Drawing(stiff, Look(size=SIZE))
    assert drawing.values.largest == 0.0
    blank = np.zeros((SIZE[1], SIZE[0], 3), np.uint8)
    assert Overlay(drawing).on(blank, 0)[40:140, 250:].max() == 0
    assert Overlay(Drawing(scene, Look(size=SIZE))).on(blank, 0)[40:140, 250:].max() > 0
