"""A small scene for tests of pages, pictures and files: a crank turns, a rod bends, a block slides."""

from __future__ import annotations

import numpy as np

from flexmb.view.scene import Arrow, Curve, Part, Scene, quaternions

LENGTH, RADIUS, SPEED = 0.3, 0.1, 20.0


def prism(length: float, width: float, n_along: int, axis: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """Points and triangles of a closed square bar from the origin along an axis."""
    corners = 0.5 * width * np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]])
    stations = np.linspace(0.0, length, n_along + 1)
    points = np.array([[x, *corner] for x in stations for corner in corners])
    triangles = []
    for i in range(n_along):
        for j in range(4):
            a, b, c, d = 4 * i + j, 4 * i + (j + 1) % 4, 4 * i + 4 + (j + 1) % 4, 4 * i + 4 + j
            triangles += [[a, c, d], [a, b, c]]
    last = 4 * n_along
    triangles += [[0, 2, 1], [0, 3, 2], [last, last + 1, last + 2], [last, last + 2, last + 3]]
    return np.roll(points, axis, axis=1), np.array(triangles)


def bending_scene(n_frames: int = 61, n_along: int = 40, stress: bool = True) -> Scene:
    """A slider-crank in the x-z plane whose rod bows by 2 mm; one carried shape shortens its chord by 1 %."""
    time = np.linspace(0.0, 2.0 * np.pi / SPEED, n_frames)
    angle = SPEED * time
    A = RADIUS * np.stack([np.cos(angle), 0.0 * angle, np.sin(angle)], axis=1)
    shrink = -0.01 * np.sin(angle) ** 2
    B = np.stack([A[:, 0] + np.sqrt((LENGTH * (1.0 + shrink)) ** 2 - A[:, 2] ** 2), 0.0 * angle, 0.0 * angle], axis=1)
    x = (B - A) / np.linalg.norm(B - A, axis=1)[:, None]
    y = np.broadcast_to([0.0, 1.0, 0.0], x.shape)
    along_rod = quaternions(np.stack([x, y, np.cross(x, y)], axis=2))
    arm = np.stack([np.cos(angle), 0.0 * angle, np.sin(angle)], axis=1)
    along_crank = quaternions(np.stack([arm, y, np.cross(arm, y)], axis=2))
    still = np.tile([1.0, 0.0, 0.0, 0.0], (n_frames, 1))

    points, triangles = prism(LENGTH, 0.012, n_along)
    s = points[:, 0] / LENGTH
    shapes = np.zeros((4, len(points), 3), np.float32)
    shapes[0, :, 0] = s
    for k in (1, 2):
        shapes[k, :, 2] = np.sin(k * np.pi * s)
        shapes[k, :, 0] = -points[:, 2] * k * np.pi / LENGTH * np.cos(k * np.pi * s)
    shapes[3, :, 1] = np.sin(np.pi * s)
    bow = np.stack([LENGTH * shrink, 2e-3 * np.sin(angle), 5e-4 * np.sin(2 * angle), 1e-3 * np.cos(angle) ** 2], axis=1)
    sigma = np.zeros((4, len(points), 6), np.float32)
    for k in (1, 2):
        sigma[k, :, 0] = 2e11 * points[:, 2] * (k * np.pi / LENGTH) ** 2 * np.sin(k * np.pi * s)
    rod = Part(
        "rod", "flexible", points, triangles, A, along_rod, (0.5, 0.6, 0.7), shapes, bow, 1,
        sigma if stress else None, bow if stress else None, np.arange(len(points)) + 100, {"middle": 2 * n_along},
    )  # fmt: skip
    crank = Part("crank", "rigid", *prism(RADIUS, 0.02, 1), 0.0 * A, along_crank, (0.8, 0.55, 0.28))
    block = prism(0.05, 0.04, 1)
    slider = Part("slider", "rigid", block[0] - [0.025, 0.0, 0.0], block[1], B, still, (0.36, 0.52, 0.68))
    pin = Part("bearing", "symbol", *prism(0.03, 0.008, 1, 1), 0.0 * A, still, (0.3, 0.34, 0.38))
    force = Arrow("big_end", "reaction force", "N", A, 0.0 * A, 50.0 * arm)
    curves = (
        Curve("rod_mid", "m", bow[:, 1]),
        Curve("crank_angle", "rad", angle),
        Curve("slider_x", "m", B[:, 0]),
    )
    middle, radius = (0.15, 0.0, 0.0), 0.3
    return Scene(
        "Slider-crank", "a scene for tests", time, (rod, crank, slider, pin), (force,), curves, 10.0, middle, radius
    )
