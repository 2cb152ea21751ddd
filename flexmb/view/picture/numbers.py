"""Numbers on a picture, each at a point that nothing hides."""

from __future__ import annotations

import numpy as np
from PIL import ImageDraw

from flexmb.arrays import Floats
from flexmb.view.picture.fonts import font

SIZE = 22
"""Size of the numbers [pixels]"""


def write_number(draw: ImageDraw.ImageDraw, at: tuple[float, float], text: str) -> None:
    """Write a number in a box about a place in the picture."""
    words = font(SIZE, bold=True)
    left, top, right, bottom = draw.textbbox(at, text, font=words, anchor="mm")
    draw.rounded_rectangle((left - 5, top - 4, right + 5, bottom + 4), 5, fill="white", outline="black")
    draw.text(at, text, font=words, anchor="mm", fill="black")


def is_hidden(point: Floats, eye: Floats, corners: Floats, radius: float) -> bool:
    """Whether a triangle of corners (n, 3, 3) is between a point and the eye (Moeller and Trumbore, 1997)."""
    ray = eye - point
    a, b, c = corners[:, 0], corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]
    p = np.cross(ray, c)
    det = np.einsum("ij,ij->i", b, p)
    safe = np.where(np.abs(det) > 1e-300, det, np.inf)
    from_a = point - a
    u = np.einsum("ij,ij->i", from_a, p) / safe
    q = np.cross(from_a, b)
    v = q @ ray / safe
    t = np.einsum("ij,ij->i", c, q) / safe
    before = 1e-3 * radius / float(np.linalg.norm(ray))
    return bool(((u >= 0.0) & (v >= 0.0) & (u + v <= 1.0) & (t > before) & (t < 1.0)).any())
