"""Small bodies reduced from meshes and from line cells, for the tests of reduction."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
from scipy.linalg import eigh

from flexmb.bodies.body_file import write_body
from flexmb.bodies.reduce_model import reduce_model
from flexmb.bodies.reduced_body import ReducedBody
from flexmb.elements.fe_model import FEModel
from flexmb.elements.line_beams import assemble_beams
from flexmb.elements.section import circle
from flexmb.mesh.mesh import Cells, Mesh
from flexmb.reduction.request import ReductionRequest, TieRequest
from tests.support.mesh_bodies import LENGTH, STEEL, bar, ties

ENDS = (("a", "xmin", "rbe2"), ("b", "xmax", "rbe2"))
AVERAGED = (("a", "xmin", "rbe3"), ("b", "xmax", "rbe3"))
FRAMES = ("mean", "chord", "clamped a", "clamped b")
Names = tuple[tuple[str, str, str], ...]


def reduce_with(mesh: Mesh, model: FEModel, names: Names, **options: Any) -> ReducedBody:
    interfaces = tuple(TieRequest(*name) for name in names if name[2] != "follower")
    vectors = options.pop("vectors", None)
    return reduce_model(
        model, ties(mesh, model, *names), ReductionRequest(interfaces=interfaces, **options), vectors=vectors
    )


@lru_cache
def reduced(names: Names = ENDS, **options: Any) -> ReducedBody:
    """The bar, with few modes unless asked otherwise."""
    return reduce_with(*bar(), names, **{"modes": 3, "compare": False, **options})


@lru_cache
def line_rod(count: int = 20) -> tuple[Mesh, FEModel]:
    """A straight round rod of line cells without shear and rotary inertia, 0.3 m long, 6 mm thick."""
    x = np.linspace(0.0, LENGTH, count + 1)
    cells = Cells("line2", np.stack([np.arange(count), np.arange(1, count + 1)], axis=1))
    sets = {"xmin": np.array([0]), "xmax": np.array([count]), "middle": np.array([count // 2])}
    mesh = Mesh(np.stack([x, 0.0 * x, 0.0 * x], axis=1), (cells,), (), sets)
    return mesh, assemble_beams(mesh, STEEL, circle(0.003), shear=False, rotary_inertia=False)


def free_frequencies(body: ReducedBody) -> np.ndarray:
    """(n,) [Hz] of the free body by its mass matrix of rigid and elastic motion, without the six zeros"""
    n = body.n_modes
    field = body.points if body.points is not None else body.invariants
    K = np.zeros((6 + n, 6 + n))
    K[6:, 6:] = body.stiffness
    squares = eigh(K, field.mass_matrix(np.zeros(n)), eigvals_only=True)
    np.testing.assert_allclose(squares[:6], 0.0, atol=1e-6 * squares[6])
    return np.sqrt(squares[6:]) / (2.0 * np.pi)


def rod_file(path: Path, modes: int = 4) -> Path:
    """The bar as a body file."""
    path.parent.mkdir(exist_ok=True)
    return write_body(reduced(modes=modes), path)
