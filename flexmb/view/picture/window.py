"""An interactive window of a scene, by pyvista.

Mouse: turn, shift and zoom. Sliders: time and deflection scale. Keys: see `KEYS`.
"""

from __future__ import annotations

import importlib.util
import sys
import time
from typing import Any

import numpy as np

from flexmb.arrays import Floats
from flexmb.errors import InputError
from flexmb.view.picture.checks import check
from flexmb.view.picture.gl_probe import window_fault
from flexmb.view.picture.quantities import clock_for
from flexmb.view.scene import Look, Scene, playing_speed, rotations

KEYS = "space: play, pause    left, right: one frame    Home: start    q: close"
_TICK = 33  # ms between two pictures
_LARGEST_SCALE = 1000.0


def can_show() -> str:
    """Reason why no window can open; empty if one can."""
    if importlib.util.find_spec("pyvista") is None:
        return "pyvista is not installed"
    return window_fault()


def show(scene: Scene, look: Look | None = None) -> None:
    """Open a window and wait until it is closed."""
    look = look or Look()
    check(scene, look)
    reason = can_show()
    if reason:
        raise InputError(f"No window can open: {reason}. Write a page (.html) instead and open it in a browser.")
    Window(scene, look).open()


class Window:
    """The window and its current state."""

    def __init__(self, scene: Scene, look: Look):
        from flexmb.view.picture.drawing import Drawing
        from flexmb.view.picture.pyvista_renderer import DrawnMeshes, new_plotter, place_camera

        self.scene, self.look = scene, look
        self.frame, self.is_playing = 0, len(scene.time) > 1
        self._speed = playing_speed(scene, look)
        self._clock = time.perf_counter()
        self._now = float(scene.time[0])
        self._times = clock_for(scene.time)
        drawing = Drawing(scene, look)
        native = "vtkXOpenGLRenderWindow" if sys.platform.startswith("linux") else ""
        self.plotter = new_plotter(look.size, native, off_screen=False)
        self.plotter.renderer.SetUseFXAA(True)
        self.plotter.title = f"{scene.title} - flexmb" if scene.title else "flexmb"
        self.meshes = DrawnMeshes(self.plotter, drawing)
        place_camera(self.plotter, drawing.camera(0))
        self._add_texts()
        self._add_legend()
        self._add_sliders()
        for key, action in {"space": self.toggle, "Left": lambda: self.step(-1), "Right": lambda: self.step(1),
                            "Home": lambda: self.go_to(0)}.items():  # fmt: skip
            self.plotter.add_key_event(key, action)

    def open(self) -> None:
        """Show it until it is closed."""
        self.plotter.iren.initialize()
        self.plotter.iren.add_observer("TimerEvent", lambda *_: self._tick())
        self.plotter.iren.create_timer(_TICK, repeating=True)
        self._clock = time.perf_counter()
        self.plotter.show(auto_close=True)

    def toggle(self) -> None:
        """Play or pause."""
        self.is_playing = not self.is_playing
        self._clock = time.perf_counter()

    def step(self, by: int) -> None:
        """Pause and step forwards or backwards."""
        self.is_playing = False
        self.go_to((self.frame + by) % len(self.scene.time))

    def go_to(self, frame: int) -> None:
        """Show a frame."""
        self._now = float(self.scene.time[frame])
        self._draw(frame)

    def set_scale(self, scale: float) -> None:
        """Exaggerate the deflection by this factor."""
        self.meshes.drawing = self.meshes.drawing.with_scale(scale)
        self._draw(self.frame)

    def _tick(self) -> None:
        clock, before = time.perf_counter(), self._clock
        self._clock = clock
        if not self.is_playing:
            return
        start, end = float(self.scene.time[0]), float(self.scene.time[-1])
        self._now += self._speed * min(clock - before, 0.25)
        if self._now > end:
            self._now = start
        self._draw(self.scene.frame_at(self._now))

    def _draw(self, frame: int) -> None:
        self._follow(frame)
        self.frame = frame
        self.meshes.move(frame, np.array(self.plotter.camera.position))
        self._time_text.SetInput(self._state())
        self._time_slider.GetRepresentation().SetValue(float(self.scene.time[frame]) / self._times.factor)
        self.plotter.renderer.ResetCameraClippingRange()
        self.plotter.render_window.Render()

    def _follow(self, frame: int) -> None:
        """Move the camera along with the body, keeping the view chosen by the user."""
        if not self.look.follow:
            return
        part, view = self.scene.part(self.look.follow), self.plotter.camera
        turn = rotations(part.quaternion[frame]) @ rotations(part.quaternion[self.frame]).T
        old, new = part.position[self.frame], part.position[frame]

        def carried(place: Any) -> Floats:
            return new + turn @ (np.asarray(place) - old)

        view.position, view.focal_point = carried(view.position), carried(view.focal_point)
        view.up = turn @ np.asarray(view.up)

    def _state(self) -> str:
        scale = self.meshes.drawing.scale
        text = "" if self.scene.chapters else f"t = {self._times.text(float(self.scene.time[self.frame]))}"
        return f"{text}   deflection x {scale:.4g}".strip() if self.scene.flexible else text

    def _add_texts(self) -> None:
        theme = self.meshes.drawing.theme
        font = {"font": "arial", "color": theme.text, "viewport": True}
        title = f"{self.scene.title}\n{self.scene.subtitle}".strip()
        if title:
            words = self.plotter.add_text(title, position=(0.02, 0.97), font_size=10, **font)
            words.prop.SetVerticalJustificationToTop()
        self._time_text = self.plotter.add_text(self._state(), position=(0.02, 0.05), font_size=11, **font)
        self.plotter.add_text(KEYS, position=(0.02, 0.015), viewport=True, font_size=7, font="arial", color=theme.muted)
        self.plotter.add_axes(color=theme.text, viewport=(0.0, 0.1, 0.12, 0.3))

    def _add_legend(self) -> None:
        import pyvista
        from vtkmodules.vtkRenderingAnnotation import vtkScalarBarActor

        values = self.meshes.drawing.values
        if values.largest <= 0.0:
            return
        table = pyvista.LookupTable()
        table.values = np.concatenate([values.table, np.full((256, 1), 255, np.uint8)], axis=1)
        table.scalar_range = values.shown_range
        bar = vtkScalarBarActor()
        bar.SetLookupTable(table)
        # VTK treats a vertical bar in a text as a column separator.
        bar.SetTitle(f"{values.label.replace('|', '')} [{values.unit}]\n")
        bar.SetNumberOfLabels(5)
        bar.SetLabelFormat("%.3g")
        bar.SetUnconstrainedFontSize(True)
        bar.SetPosition(0.88, 0.3)
        bar.SetPosition2(0.09, 0.45)
        for words, size in ((bar.GetTitleTextProperty(), 14), (bar.GetLabelTextProperty(), 14)):
            words.SetColor(self.meshes.drawing.theme.text)
            words.SetFontFamilyToArial()
            words.SetFontSize(size)
            words.SetShadow(False)
            words.SetBold(False)
            words.SetItalic(False)
        self.plotter.add_actor(bar, reset_camera=False)

    def _add_sliders(self) -> None:
        theme = self.meshes.drawing.theme
        style = {"color": theme.muted, "title_color": theme.text, "style": "modern", "title_height": 0.018,
                 "interaction_event": "always", "tube_width": 0.004, "slider_width": 0.016}  # fmt: skip
        times = self._times
        start, end = (float(time) / times.factor for time in self.scene.time[[0, -1]])
        self._time_slider = self.plotter.add_slider_widget(
            self._slide_time, (start, end if end > start else start + 1.0), value=start, title=f"time [{times.unit}]",
            fmt=f"%.{times.decimals}f",
            pointa=(0.34, 0.07), pointb=(0.64, 0.07), **style,
        )  # fmt: skip
        if self.scene.flexible:
            scale = min(max(self.meshes.drawing.scale, 1.0), _LARGEST_SCALE)
            self.plotter.add_slider_widget(
                self._slide_scale, (0.0, float(np.log10(_LARGEST_SCALE))), value=float(np.log10(scale)),
                title="deflection scale (1 to 1000)", fmt=" ", pointa=(0.70, 0.07), pointb=(0.94, 0.07), **style,
            )  # fmt: skip

    def _slide_time(self, value: float) -> None:
        """Pause and go to a time in the unit of the slider."""
        frame = self.scene.frame_at(value * self._times.factor)
        if frame != self.frame:
            self.is_playing = False
            self.go_to(frame)

    def _slide_scale(self, value: float) -> None:
        self.set_scale(round(10.0**value, 2))
