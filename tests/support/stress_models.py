"""Models whose stress over time is known in closed form."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from flexmb.bodies.body_file import write_body
from flexmb.bodies.reduce_mesh import reduce_mesh
from flexmb.elements.material import Material
from flexmb.model.model import Model
from flexmb.reduction.request import ReductionRequest, TieRequest
from flexmb.verification.solid_meshes import box_mesh

E, LENGTH, WIDTH, HEIGHT = 2.0e11, 0.3, 0.012, 0.008
INERTIA = WIDTH * HEIGHT**3 / 12.0
MASS, G = 2.0, 9.81
PERIOD = 2.0 * np.pi * np.sqrt(MASS * LENGTH**3 / (3.0 * E * INERTIA))
"""Of a mass at the end of a massless cantilever [s]"""
STEP = PERIOD / 400.0


def bending(x: float) -> float:
    """Largest stress at x of the cantilever on whose end a mass is put at rest: twice that of its weight [Pa]."""
    return 2.0 * MASS * G * (LENGTH - x) * 0.5 * HEIGHT / INERTIA


def with_mass(body: dict[str, Any], periods: float = 0.8, step: float = STEP, **analysis: Any) -> Model:
    """A cantilever along x, clamped at the origin, and a mass on its end that is released at rest."""
    tables = {
        "model": {"name": "cantilever", "gravity": [0, 0, -G]},
        "bodies": {"bar": body, "weight": {"mass": MASS, "inertia": [1e-9, 1e-9, 1e-9], "at": [LENGTH, 0, 0]}},
        "joints": {
            "wall": {"type": "fixed", "bodies": ["ground", "bar"], "at": [0, 0, 0]},
            "seat": {"type": "fixed", "bodies": ["bar", "weight"], "at": [LENGTH, 0, 0]},
        },
        "analysis": analysis or {"end": periods * PERIOD, "step": step},
    }
    return Model.from_tables(tables)


@lru_cache
def bar_file(folder: Path, field: str = "linear", stress: bool = True) -> Path:
    """The cantilever of 12 x 1 x 2 hex20 with its static shapes alone, almost without mass."""
    mesh = box_mesh("hex20", (12, 1, 2), (LENGTH, WIDTH, HEIGHT))
    mesh.points[:, 1:] -= [0.5 * WIDTH, 0.5 * HEIGHT]
    ends = (TieRequest("root", "xmin", "rbe2"), TieRequest("tip", "xmax", "rbe2"))
    request = ReductionRequest(
        interfaces=ends, modes=0, frame="clamped root", field=field, stress=stress, compare=False
    )
    body = reduce_mesh(mesh, Material.isotropic(E, 0.3, 1.0), request)
    return write_body(body, folder / f"bar_{field}_{stress}.h5")


def beam(density: float = 1.0, **keys: Any) -> dict[str, Any]:
    """The same cantilever as a beam."""
    return {
        "beam": [[0, 0, 0], [LENGTH, 0, 0]],
        "y_axis": "y",
        "material": {"E": E, "nu": 0.3, "density": density},
        "section": {"type": "rectangle", "y": WIDTH, "z": HEIGHT},
        "frame": "start",
        "field": "linear",
        **keys,
    }
