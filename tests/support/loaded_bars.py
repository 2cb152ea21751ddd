"""A straight bar of bricks with loads on its mesh, held in a mechanism, and a clamped column to compare it with."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from flexmb.bodies.reduce_mesh import reduce_mesh
from flexmb.bodies.reduced_body import ReducedBody
from flexmb.elements.material import Material
from flexmb.reduction.load_words import read_load
from flexmb.reduction.request import ReductionRequest, TieRequest
from flexmb.verification.solid_meshes import box_mesh

LENGTH, HEIGHT = 0.4, 0.01
E, ALPHA, DENSITY = 210e9, 12e-6, 7850.0
AREA, I = HEIGHT**2, HEIGHT**4 / 12.0
MIDDLE = [0.0, HEIGHT / 2, HEIGHT / 2]
END = [LENGTH, HEIGHT / 2, HEIGHT / 2]
LOADS = ("heat=temperature:all", "bend=temperature:all:z", "top=pressure:zmax", "push=force:xmax:y")


def bar(*words: str, nu: float = 0.0, **options: Any) -> ReducedBody:
    """A steel bar of bricks along x, without contraction across unless asked for, with loads."""
    mesh = box_mesh("hex20", (16, 1, 1), (LENGTH, HEIGHT, HEIGHT))
    faults: list[Any] = []
    loads = tuple(load for word in words or LOADS if (load := read_load(word, (), faults)) is not None)
    assert not faults
    ends = (TieRequest("a", "xmin"), TieRequest("b", "xmax"))
    material = Material.isotropic(E, nu, DENSITY, "steel", ALPHA)
    keys = {"interfaces": ends, "modes": 6, "compare": False, "loads": loads, **options}
    return reduce_mesh(mesh, material, ReductionRequest(**keys))


def held(file: Path, second: str | None, forces: dict[str, Any], **extra: Any) -> dict[str, Any]:
    """The bar, clamped at a; at b clamped, pinned or free."""
    joints: dict[str, Any] = {"a": {"type": "fixed", "bodies": ["ground", "bar"], "at": MIDDLE}}
    if second is not None:
        joints["b"] = {"type": second, "bodies": ["ground", "bar"], "at": END}
    analysis = extra.pop("analysis", {"type": "static"})
    body = {"file": str(file), "damping": {"ratio": 0.1}, **extra.pop("body", {})}
    return {
        "model": {"gravity": [0, 0, 0]},
        "bodies": {"bar": body},
        "joints": joints,
        "forces": forces,
        "sensors": {"tip": {"marker": "bar.b"}},
        "analysis": analysis,
        **extra,
    }


def shape(name: str, value: Any) -> dict[str, Any]:
    return {"type": "load-shape", "body": "bar", "shape": name, "value": value}


def clamped_column(part: float) -> float:
    """f^2/f0^2 of a clamped column under a part of its buckling load, by polynomials x^2 (1 - x)^2 x^k."""
    x, w = np.polynomial.legendre.leggauss(40)
    x, w = 0.5 * (x + 1.0), 0.5 * w
    bases = [np.polynomial.Polynomial([0, 0, 1, -2, 1]) * np.polynomial.Polynomial([0] * k + [1]) for k in range(8)]
    values, slopes, curved = (np.array([base.deriv(d)(x) if d else base(x) for base in bases]) for d in range(3))
    mass, tension, bending = ((one * w) @ one.T for one in (values, slopes, curved))
    lowest = [
        np.linalg.eigvals(np.linalg.solve(mass, bending - load * 4.0 * np.pi**2 * tension)).real.min()
        for load in (0.0, part)
    ]
    return float(lowest[1] / lowest[0])
