"""Meshed bodies in mechanisms: the flexible rod of the spatial slider-crank, a spinning blade, a pushed rod.

A mesh made in code is reduced, written to a body file and read by a model, as a user does.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from flexmb.analyses.modes import modes_of_model
from flexmb.arrays import Floats
from flexmb.bodies.body_file import write_body
from flexmb.bodies.reduce_mesh import reduce_mesh
from flexmb.elements.material import Material
from flexmb.mesh.mesh import Mesh
from flexmb.model.model import Model
from flexmb.output_files import temporary_folder
from flexmb.reduction.request import ReductionRequest, TieRequest
from flexmb.verification.case import Comparison, Curve, case, compare
from flexmb.verification.flexible_crank import CRANK, NONLINEAR_ROD, middle, middle_curves
from flexmb.verification.running import model_of, run, table
from flexmb.verification.solid_meshes import box_mesh, rod_mesh
from flexmb.verification.solid_models import moved

LENGTH, RADIUS = 0.3, 0.003
"""Length and radius of the rod [m]"""
STEEL = Material.isotropic(E=200e9, nu=0.3, density=7870.0)


def body_file(folder: Path, mesh: Mesh, request: ReductionRequest) -> str:
    """Path of the body file of a reduced mesh of steel."""
    return str(write_body(reduce_mesh(mesh, STEEL, request), folder / "body.h5"))


def first_frequency(tables: dict[str, Any], about: str) -> float:
    """Lowest angular frequency of a model [rad/s]."""
    report = modes_of_model(Model.from_tables(tables), about=about)
    return 2.0 * np.pi * min(mode.frequency for mode in report.shown)


def flapping(file: str, rate: float) -> float:
    """First angular frequency of a blade from a body file on a hub that turns at a rate [rad/s]."""
    hub = {"type": "revolute", "bodies": ["ground", "blade"], "at": [0, 0, 0], "axis": "z"}
    spin = {"joint": "hub", "rate": rate}
    tables = {"bodies": {"blade": {"file": file}}, "joints": {"hub": hub}, "motions": {"spin": spin}}
    return first_frequency(tables, "steady")


def meshed_crank(folder: Path, kind: str, n_along: int, n_across: int, tie: str) -> Model:
    """The mechanism with its rod reduced from a mesh: both ends tied, six eigenmodes, second-order field."""
    mesh = rod_mesh(kind, LENGTH, RADIUS, n_along, n_across)
    ends = (TieRequest("start", "start", tie), TieRequest("end", "end", tie))
    follower = TieRequest("middle", f"plane(x={LENGTH / 2})", "follower")
    file = body_file(folder, mesh, ReductionRequest(interfaces=ends, markers=(follower,), modes=6, compare=False))
    tables: dict[str, Any] = model_of(CRANK).identity
    tables["bodies"]["rod"] = {"file": file, "at": "A"}
    for axis in "yz":
        tables["sensors"][f"rod_mid_{axis}"]["chord"] = ["rod.start", "rod.end"]
    return Model.from_tables(tables)


@case("meshed-rod", "Spatial slider-crank with its round rod as a mesh", NONLINEAR_ROD)
def meshed_rod() -> Comparison:
    """The rod of quadratic hexahedra, rigidly tied, and of quadratic tetrahedra, tied by averages."""
    # A solid has shear and rotary inertia, which the reference has not: they lower the frequencies by 5e-4, a phase of
    # 0.03 rad after the eleven periods of two turns, or 2 % of the peak. A beam with both is the closer witness.
    # Hexahedra of 7.5 mm are converged (0.5 % of the peak from that beam, whose three shapes leave 0.15 %); tetrahedra
    # converge as the square of their length.
    time, y, z, *_ = table("jonker_reference")
    want = np.array([y, z])
    thick = run(
        CRANK,
        {
            "bodies.rod.section": '{ type = "circle", radius = "3 mm" }',
            "bodies.rod.shapes": '{ family = "elements", elements = 10, bending = 3 }',
            "bodies.rod.shear": "true",
            "bodies.rod.rotary_inertia": "true",
        },
    )
    findings, curves = [], []
    for kind, cells, tie in (("hex20", (40, 5), "rbe2"), ("tet10", (80, 5), "rbe3")):
        with temporary_folder() as folder:
            found = run(meshed_crank(folder, kind, *cells, tie))
        findings += [
            compare(f"{kind}: middle of the rod", "m", want, middle(found, 2), of_peak=0.03),
            compare(
                f"{kind}: middle against a thick beam",
                "m",
                middle(thick),
                middle(found),
                of_peak=0.01,
                source="beam of flexmb with shear and rotary inertia",
            ),
        ]
        curves = middle_curves(found, time, want)
    return Comparison(findings, curves)


@case("meshed-blade", "Spinning blade from a mesh: flapping", "Wright, Smith, Thresher & Wang 1982 (as B05a)")
def meshed_blade() -> Comparison:
    """First flapping frequency over the speed, both by the blade's own frequency at rest."""
    # Taken by its own frequency at rest, how stiff the mesh is drops out. Left are the rigid root, which acts as a hub
    # of some parts in a thousand of the length, shapes and stretch. Four times as wide as thick, the blade flaps first.
    length, width, height = 0.5, 0.024, 0.006
    box = box_mesh("hex20", (24, 1, 1), (length, width, height))
    mesh = moved(box, box.points - [0.0, width / 2, height / 2])
    _, speeds, flap, *_ = table("rotating_cantilever_flap")

    findings, curves = [], []
    for frame in ("mean", "clamped root"):
        request = ReductionRequest(
            interfaces=(TieRequest("root", "xmin"), TieRequest("tip", "xmax")), modes=8, frame=frame, compare=False
        )
        with temporary_folder() as folder:
            file = body_file(folder, mesh, request)
            unit = flapping(file, 0.0) / flap[0]
            found: Floats = np.array([flapping(file, unit * speed) / unit for speed in speeds])
        findings.append(compare(f"flapping, speeds 1 to 12, frame {frame!r}", "", flap[1:], found[1:], relative=4e-3))
        curves = [Curve("Flapping of the meshed blade", "speed", "1", "1", speeds, found, speeds, flap)]
    return Comparison(findings, curves)


@case("pushed-rod", "Rod from a mesh, pushed to its buckling load", "Euler: pi^2 E I/L^2")
def pushed_rod() -> Comparison:
    """Frequencies under a push F: omega^2 falls in proportion, by F over the load at which the rod buckles."""
    # Euler's rod neither shortens nor shears under its load; this one does both, by parts of the order of F/EA each,
    # 2.5e-4: hence 12 of these, 3e-3. Half as many cells along the rod change the load by 6e-5.
    bending = STEEL.E * np.pi * RADIUS**4 / 4.0
    euler = np.pi**2 * bending / LENGTH**2
    joints = {
        "A": {"type": "universal", "bodies": ["ground", "rod"], "at": [0, 0, 0], "axes": ["y", "z"]},
        "B": {"type": "point-on-line", "bodies": ["ground", "rod"], "at": [LENGTH, 0, 0], "line": "x"},
    }
    ends = (TieRequest("a", "start"), TieRequest("b", "end"))
    request = ReductionRequest(interfaces=ends, modes=8, frame="chord", compare=False)
    parts = np.array([0.0, 0.25, 0.5, 0.75])
    squares = []
    with temporary_folder() as folder:
        file = body_file(folder, rod_mesh("hex20", LENGTH, RADIUS, 40, 5), request)
        for part in parts:
            push = {"type": "force", "marker": "rod.b", "vector": [-float(part * euler), 0, 0]}
            tables = {"bodies": {"rod": {"file": file}}, "joints": joints, "forces": {"push": push}}
            squares.append(first_frequency(tables, "static") ** 2)
    fallen = 1.0 - np.array(squares) / squares[0]
    found = parts[1:] * euler / fallen[1:]
    curve = Curve(
        "Square of the frequency under a push", "push / Euler's load", "1", "1", parts, 1.0 - fallen, parts, 1.0 - parts
    )
    return Comparison(
        [compare("buckling load from three pushes", "N", np.full(3, euler), found, relative=3e-3)], [curve]
    )
