"""The valid files that are damaged: models, meshes, a body file, results and matrices, made in a few seconds.

Making them also compiles and loads what the calls need, so that processes which are forked afterwards are quick.
"""

from __future__ import annotations

import contextlib
import io
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import meshio
import numpy as np
from scipy import sparse
from scipy.io import mmwrite

from flexmb.cli import main
from flexmb.elements.material import MATERIALS
from flexmb.elements.solid.assemble import assemble
from flexmb.mesh.mesh import Mesh
from flexmb.verification.solid_meshes import box_mesh
from tests.campaigns.fuzzing.models import MODELS
from tests.support.places import ROOT

SECTORS = ROOT / "tests" / "data" / "meshes"
RESULTS = ("pendulum", "slider_crank", "beam", "with_file")
_IN_TEXT: dict[str, dict[str, Any]] = {
    "bar.vtk": {"binary": False},
    "bar.vtu": {"binary": False},
    "bar.msh": {"file_format": "gmsh"},
    "bar.xdmf": {"data_format": "XML"},
}
TIED = ("--material", "steel", "--unit", "m", "--interface", "a=plane(x=0)", "--interface", "b=plane(x=0.3):rbe3")


@dataclass(frozen=True)
class Corpus:
    """Names of the valid files by kind, and what is in them."""

    kinds: dict[str, tuple[str, ...]]
    contents: dict[str, bytes]


def make_corpus(folder: Path) -> Corpus:
    """Write the valid files to a folder and read them."""
    before = Path.cwd()
    os.chdir(folder)
    try:
        with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):  # meshio talks
            kinds = {"mesh": _meshes(), "matrix": _matrices(), "drawing": _drawings()}
        _call("reduce", "bar.vtk", *TIED, "--modes", "2", "--stress", "-o", "bar.h5")
        _call("reduce", "bar.vtk", *TIED, "--modes", "1", "--field", "linear", "-o", "plain.h5")
        kinds["body"] = ("bar.h5", "plain.h5")
        for name, text in MODELS.items():
            Path(f"{name}.toml").write_text(text, encoding="utf-8")
            _call("check", f"{name}.toml")
            _call("run", f"{name}.toml", "-o", f"{name}_run.h5")
        kinds["model"] = tuple(f"{name}.toml" for name in MODELS)
        kinds["result"] = tuple(f"{name}_run.h5" for name in RESULTS)
        names = [name for group in kinds.values() for name in group]
        return Corpus(kinds, {name: Path(name).read_bytes() for name in names})
    finally:
        os.chdir(before)


def load_all(folder: Path) -> None:
    """Call every verb once, so that all modules are loaded."""
    before = Path.cwd()
    os.chdir(folder)
    try:
        _call("inverse", "driven.toml", "-o", "warm.h5", "--verify")
        for name in ("beam", "slider_crank"):
            _try("inverse", f"{name}.toml", "-o", "warm.h5", "--elastic", "quasi-static", "--reactions", "recursive")
            _try("inverse", f"{name}.toml", "-o", "warm.h5", "--more-drives", "least-squares")
        _call("modes", "beam.toml", "-o", "warm.npz")
        _call("equations", "crane.toml", "--latex", "warm.tex")
        _call("equations", "crane.toml", "--code", "c", "-o", "warm_code")
        _call("export", "with_file_run.h5", "--csv", "--mat", "--parquet", "--vtkhdf", "--vtu", "--glb")
        _call("plot", "beam_run.h5", "-o", "warm.png")
        _call("animate", "with_file_run.h5", "-o", "warm.html", "--frames", "3")
        _call("animate", "bar.h5", "-o", "warm.glb", "--frames", "3")
        _call("animate", "pendulum_run.h5", "-o", "warm2.png", "--renderer", "flexmb", "--size", "160x120")
        _call("report", "slider_crank_run.h5", "-o", "warm3.html")
        for method in ("rk4", "rk45", "hht", "shi-mcphee"):
            for formulation in ("augmented", "embedding"):
                words = ("--set", f"analysis.method={method}", "--set", f"analysis.formulation={formulation}")
                _try("run", "slider_crank.toml", "-o", "warm.h5", *words)
        _try("run", "driven.toml", "-o", "warm.h5", "--set", "analysis.type=kinematic")
        _try("run", "beam.toml", "-o", "warm.h5", "--set", "analysis.type=static")
        _try("run", "beam.toml", "-o", "warm.h5", "--set", "analysis.tolerance=1e-4")
        for name in ("K.npz", "K.mtx"):
            _try(
                "reduce",
                "bar.vtk",
                "--stiffness",
                name,
                "--mass",
                name.replace("K", "M"),
                "--interface",
                "a=plane(x=0)",
            )
    finally:
        os.chdir(before)


def _try(*words: str) -> int:
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
        return main(words)


def _call(*words: str) -> None:
    """A call that must succeed: the corpus holds valid files."""
    said = io.StringIO()
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(said):
        code = main(words)
    if code:
        raise AssertionError(f"flexmb {' '.join(words)}: exit code {code}\n{said.getvalue()}")


def _meshes() -> tuple[str, ...]:
    """Every format; the first is the bar that is reduced."""
    bar = box_mesh("hex8", (3, 1, 1), (0.3, 0.02, 0.02))
    made = ["bar.vtk", "bar.vtu", "bar.inp", "bar.msh", "bar.xdmf", "bar.mesh", "bar.stl"]
    for name in made[:-1]:
        _as_meshio(bar).write(name, **_IN_TEXT.get(name, {}))
    _surface(bar).write("bar.stl")
    found = [path for path in sorted(SECTORS.glob("sector_hex20*")) if path.is_file()]
    for path in found:
        Path(path.name).write_bytes(path.read_bytes())
    if len(found) < 5:
        raise AssertionError(f"the meshes of {SECTORS} are missing")
    return (*made, *(path.name for path in found))


def _as_meshio(mesh: Mesh) -> meshio.Mesh:
    return meshio.Mesh(mesh.points, [("hexahedron", mesh.cells[0].nodes)])


def _surface(mesh: Mesh) -> meshio.Mesh:
    quads = mesh.cells[0].nodes[:, :4]
    return meshio.Mesh(mesh.points, [("triangle", np.concatenate([quads[:, [0, 1, 2]], quads[:, [0, 2, 3]]]))])


def _drawings() -> tuple[str, ...]:
    """Surfaces that a rigid body may be drawn as."""
    bar = _surface(box_mesh("hex8", (1, 1, 1), (0.1, 0.02, 0.02)))
    names = ("shape.stl", "shape.obj", "shape.ply", "shape.off")
    for name in names:
        bar.write(name)
    return names


def _matrices() -> tuple[str, ...]:
    """Stiffness, mass and shapes of the bar."""
    model = assemble(box_mesh("hex8", (3, 1, 1), (0.3, 0.02, 0.02)), MATERIALS["steel"])
    mass = sparse.csr_matrix(model.mass_times(np.eye(3 * model.n_blocks)))
    for name, matrix in (("K", sparse.csr_matrix(model.K)), ("M", mass)):
        sparse.save_npz(f"{name}.npz", matrix)
        mmwrite(f"{name}.mtx", matrix)
    np.save("vectors.npy", np.linspace(0.0, 1.0, 3 * model.n_blocks)[:, None])
    return ("K.npz", "M.npz", "K.mtx", "M.mtx", "vectors.npy")
