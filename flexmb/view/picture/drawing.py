"""Contents of a picture for every renderer: surfaces with colours, sharp edges, ghosts, arrows, the ground grid.

A `Drawing` is made once per scene. Renderers draw its layers in order; labels of arrows and grid come on top.
"""

from __future__ import annotations

from collections.abc import Sequence
from copy import copy
from dataclasses import replace
from functools import cached_property

import numpy as np

from flexmb.arrays import Floats, Integers
from flexmb.view.camera import Camera, fitted_camera, following, world_axes
from flexmb.view.colors import ARROWS, SYMBOL, Theme, theme
from flexmb.view.picture.arrows import ArrowShape
from flexmb.view.picture.ground_grid import Grid, ground_grid
from flexmb.view.picture.items import ArrowItem, BendingItem, Item, RigidItem
from flexmb.view.picture.layers import Layer, layers_of
from flexmb.view.picture.surfaces import Surface, surface_of
from flexmb.view.picture.values import values_of
from flexmb.view.scene import Color, Look, Part, Scene

LIGHT = (-0.35, 0.55, 1.0)
"""Direction to the light in the axes of the camera: right, up, to the eye"""
AMBIENT, DIFFUSE, SPECULAR, SHININESS = 0.48, 0.58, 0.10, 24.0
EDGE_STRENGTH = 0.5
EDGE_LIFT = 8e-4
"""Shift of an edge towards the eye, so that its own surface does not hide it"""
GHOST_OPACITY = 0.28
GHOST_PUSH = 1e-3
"""Shift of a ghost away from the eye, so that it does not flicker where it meets its body"""


class Drawing:
    """A scene with a look, prepared for renderers."""

    def __init__(self, scene: Scene, look: Look, whole: Scene | None = None):
        """`whole`: the run that the frames come from; it sets the range of colours and the length of arrows."""
        self.scene, self.look, self.whole = scene, look, whole or scene
        self.theme: Theme = theme(look.dark)
        self.scale = look.scale_of(self.whole)
        self.values = values_of(self.whole, look.color)
        self.arrows = arrow_items(self.scene, self.whole, look)
        # A still picture is framed by its own content; a following camera is where the movie has it at that moment.
        seen = self.whole if look.follow else scene
        arrows = arrow_items(seen, self.whole, look)
        self._camera = fitted_camera(seen, look, lambda frames: _tips(arrows, frames))

    @cached_property
    def layers(self) -> tuple[Layer, ...]:
        """The solid layers first, then the transparent ghosts."""
        return layers_of((*self._parts, *self.arrows, *self._ghosts), self.values.table)

    @cached_property
    def _shown(self) -> tuple[tuple[Part, Surface], ...]:
        """Parts with their surfaces; identical parts, such as the links of a chain, share theirs."""
        surfaces: dict[tuple[bytes, bytes], Surface] = {}
        shown = []
        for part in self.scene.parts:
            if part.kind == "symbol" and not self.look.symbols:
                continue
            form = part.points.tobytes(), part.triangles.tobytes()
            if form not in surfaces:
                surfaces[form] = surface_of(part.points, part.triangles, not part.n_shapes)
            shown.append((part, surfaces[form]))
        return tuple(shown)

    @property
    def _parts(self) -> list[Item]:
        items: list[Item] = []
        for part, surface in self._shown:
            color: Color = self.theme.symbol if part.color == SYMBOL else part.color
            if not part.n_shapes:
                items.append(RigidItem(name=part.name, surface=surface, color=color, part=part))
                continue
            items.append(
                BendingItem(
                    name=part.name,
                    surface=surface,
                    color=color,
                    has_values=self.values.of(part, 0) is not None,
                    part=part,
                    scale=self.scale,
                    values=self.values,
                )
            )
        return items

    @property
    def _ghosts(self) -> list[BendingItem]:
        return [
            BendingItem(
                name=f"{part.name} undeformed",
                surface=surface,
                color=self.theme.ghost,
                opacity=GHOST_OPACITY,
                part=part,
                scale=0.0,
                values=self.values,
            )
            for part, surface in self._shown
            if self.look.ghost and part.kind == "flexible"
        ]

    def camera(self, frame: int) -> Camera:
        """Camera of a frame; it follows a body if the look says so."""
        name = self.look.follow
        return following(self._camera, self.scene.part(name), frame, self.whole.part(name)) if name else self._camera

    def with_scale(self, scale: float) -> Drawing:
        """The same drawing and camera with another deflection scale."""
        other = copy(self)
        other.look, other.scale = replace(self.look, scale=scale), scale
        other.arrows = arrow_items(self.scene, self.whole, other.look)
        other.__dict__.pop("layers", None)
        return other

    @property
    def is_still(self) -> bool:
        """Whether the camera is the same for all frames."""
        return not self.look.follow

    @cached_property
    def grid(self) -> Grid | None:
        """The ground grid; None if it would be seen from below."""
        up = world_axes(self.scene.up)[2]
        return None if self._camera.back @ up < -0.01 else ground_grid(self.whole, self.scale)


def _tips(arrows: Sequence[ArrowItem], frames: Integers) -> Floats:
    """(f, n, 3) world [m]"""
    return np.array([item.tip(frames) for item in arrows]).reshape(-1, len(frames), 3).swapaxes(0, 1)


def arrow_items(scene: Scene, whole: Scene, look: Look) -> tuple[ArrowItem, ...]:
    """The arrows of a scene; the largest of each unit in the whole run gets the full length."""
    if not look.arrows:
        return ()
    largest: dict[str, float] = {}
    for arrow in whole.arrows:
        size = float(np.linalg.norm(arrow.vector, axis=1).max(initial=0.0))
        largest[arrow.unit] = max(largest.get(arrow.unit, 0.0), size)
    shapes = {heads: ArrowShape(whole.radius, heads) for heads in (1, 2)}
    return tuple(
        ArrowItem(
            name=arrow.name,
            surface=shape.surface,
            color=ARROWS[arrow.kind],
            arrow=arrow,
            shape=shape,
            scale=look.scale_of(whole),
            largest=largest[arrow.unit],
        )
        for arrow in scene.arrows
        for shape in (shapes[2 if arrow.kind in ("reaction moment", "torque") else 1],)
        if largest[arrow.unit] > 0.0
    )
