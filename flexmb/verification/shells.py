"""Published deflections and frequencies of shells: MacNeal & Harder, NAFEMS, cylinders, plates; a spinning blade.

Quadrilaterals of four and of nine nodes, and triangles of six, reach the tolerances on the meshes given; triangles of
three nodes need finer ones and stand where theirs is.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse

from flexmb.arrays import Floats, Integers
from flexmb.bodies.body_file import write_body
from flexmb.bodies.reduce_mesh import reduce_mesh
from flexmb.elements.fe_model import FEModel
from flexmb.elements.material import Material
from flexmb.elements.shell.assemble import assemble_shells
from flexmb.elements.shell.faces import face_stress, faces
from flexmb.elements.shell.section import ShellSection
from flexmb.mesh.mesh import Cells, Mesh
from flexmb.output_files import temporary_folder
from flexmb.reduction.request import ReductionRequest, TieRequest
from flexmb.verification.case import Comparison, Finding, case, compare
from flexmb.verification.meshed import flapping
from flexmb.verification.running import entries, table
from flexmb.verification.shell_models import Surface, deflection, frequencies, held, point_force, sheet

MACNEAL = "MacNeal & Harder 1985; thin shells, independent of flexmb"


def shell_model(kind: str, cells: tuple[int, int], surface: Surface, data: dict[str, Any]) -> tuple[FEModel, Integers]:
    """A sheet with the material and the thickness of an entry, density 1 if it has none."""
    mesh, grid = sheet(kind, cells, surface)
    material = Material.isotropic(data["E"], data["nu"], data.get("rho", 1.0))
    return assemble_shells(mesh, ShellSection.plain(material, data["t"] if "t" in data else data["h"])), grid


def published(name: str, kind: str, label: str, unit: str, found: Any) -> list[Finding]:
    """A result against all numbers of an entry."""
    entry = entries()[name]
    return [
        compare(f"{kind}: {label}, {source}", unit, want, found, relative=entry["rtol"])
        for source, want in entry["expected"].items()
    ]


def roof(kind: str, n: int) -> float:
    """Displacement [m] downwards in the middle of the free edge of Scordelis and Lo's roof; a quarter of it."""
    data = entries()["M01"]["parameters"]
    R, half = data["R"], np.radians(data["half_angle_deg"])
    model, grid = shell_model(
        kind, (n, n), lambda r, s: (R * np.sin(half * r), s * data["L"] / 2, R * np.cos(half * r)), data
    )
    free = held(model, [(grid[0], "xYZ"), (grid[:, 0], "xzY"), (grid[:, -1], "yXZ")])
    down = np.zeros((model.n_blocks, 3))
    down[: len(model.points), 2] = -data["q"] / data["t"]  # weight of a density of 1
    return -float(deflection(model, free, model.mass_times(down.ravel()))[3 * grid[-1, -1] + 2])


def pinched_cylinder(kind: str, n: int) -> float:
    """Displacement [m] under a force on an eighth of the cylinder."""
    data = entries()["M03"]["parameters"]
    R, L = data["R"], data["L"]
    model, grid = shell_model(
        kind, (n, n), lambda r, s: (R * np.sin(np.pi / 2 * r), s * L / 2, R * np.cos(np.pi / 2 * r)), data
    )
    free = held(model, [(grid[0], "xYZ"), (grid[-1], "zXY"), (grid[:, 0], "xzY"), (grid[:, -1], "yXZ")])
    node = int(grid[0, -1])
    return -float(deflection(model, free, point_force(model, node, (0.0, 0.0, -data["P"] / 4)))[3 * node + 2])


def hemisphere(kind: str, n: int) -> float:
    """Displacement [m] at a force on a quarter of the hemisphere with a hole."""
    data = entries()["M05"]["parameters"]
    R, top = data["R"], np.radians(90.0 - data["hole_deg"])

    def ball(r: Floats, s: Floats) -> tuple[Floats, Floats, Floats]:
        level, turn = top * s, np.pi / 2 * r
        return R * np.cos(level) * np.cos(turn), R * np.cos(level) * np.sin(turn), R * np.sin(level)

    model, grid = shell_model(kind, (n, n), ball, data)
    free = held(model, [(grid[0], "yXZ"), (grid[-1], "xYZ"), (grid[0, :1], "z")])
    out, into = int(grid[0, 0]), int(grid[-1, 0])
    loads = point_force(model, out, (data["F_quarter"], 0.0, 0.0)) + point_force(
        model, into, (0.0, -data["F_quarter"], 0.0)
    )
    return float(deflection(model, free, loads)[3 * out])


def twisted_strip(kind: str, n: int, thickness: float, force: float) -> Floats:
    """Displacements [m] of the tip of the twisted beam along z (the width there) and y under a force in each."""
    data = entries()["M19"]["parameters"]

    def strip(r: Floats, s: Floats) -> tuple[Floats, Floats, Floats]:
        across, turn = data["w"] * (s - 0.5), np.pi / 2 * r
        return data["L"] * r, across * np.cos(turn), across * np.sin(turn)

    model, grid = shell_model(kind, (n, max(2, n // 6)), strip, {**data, "t": thickness})
    free = held(model, [(grid[0], "xyzXYZ")])
    tip = int(grid[-1, grid.shape[1] // 2])
    found = []
    for axis in (2, 1):
        direction = np.eye(3)[axis] * force
        found.append(deflection(model, free, point_force(model, tip, tuple(direction)))[3 * tip + axis])
    return np.array(found)


@case("M01", "Scordelis-Lo roof, by shells", MACNEAL)
def scordelis_lo() -> Comparison:
    """Membrane and bending of a curved shell under its weight."""
    meshes = (("quad4", 24), ("quad9", 8), ("tri6", 8), ("tri3", 48))
    return Comparison([f for kind, n in meshes for f in published("M01", kind, "free edge", "m", roof(kind, n))])


@case("M03", "Pinched cylinder with diaphragms, by shells", "Belytschko and others 1985; Fourier series")
def pinched() -> Comparison:
    """A point force on a thin shell: short waves of bending."""
    meshes = (("quad4", 32), ("quad9", 16))
    found = [f for k, n in meshes for f in published("M03", k, "under the force", "m", pinched_cylinder(k, n))]
    return Comparison(found)


@case("M05", "Hemisphere with a hole, by shells", MACNEAL)
def pulled_hemisphere() -> Comparison:
    """Nearly pure bending of a doubly curved shell, which locking would prevent."""
    meshes = (("quad4", 16), ("quad9", 8), ("tri6", 16), ("tri3", 48))
    return Comparison([f for kind, n in meshes for f in published("M05", kind, "force", "m", hemisphere(kind, n))])


@case("M19", "Twisted beam, by shells", "MacNeal & Harder 1985; Belytschko and others 1989")
def twisted_beam() -> Comparison:
    """Warped cells must not lock, not even at a thickness of 1/3750 of the length."""
    want, findings = entries()["M19"]["expected"], []
    for kind, n in (("quad4", 48), ("quad9", 12)):
        for label, thickness, force in (("thick", 0.32, 1.0), ("thin", 0.0032, 1e-6)):
            found = twisted_strip(kind, n, thickness, force)
            findings.append(
                compare(f"{kind}, {label}: along and across the tip", "m", want[label], found, relative=0.02)
            )
    return Comparison(findings)


@case("M08", "NAFEMS FV15: clamped rhombic plate, by shells", "NAFEMS benchmarks, FV15; Ritz series")
def rhombic_plate() -> Comparison:
    """Six frequencies of a plate of slanted cells, held in its plane."""
    data, findings = entries()["M08"]["parameters"], []
    angle = np.radians(data["angle_deg"])
    for kind, n in (("quad4", 48), ("quad9", 16)):
        model, grid = shell_model(
            kind,
            (n, n),
            lambda r, s: (data["a"] * (r + s * np.cos(angle)), data["a"] * s * np.sin(angle), 0.0 * r),
            data,
        )
        edge = np.concatenate([grid[0], grid[-1], grid[:, 0], grid[:, -1]])
        free = held(model, [(edge, "zXY"), (grid, "xyZ")])
        findings += published("M08", kind, "six frequencies", "Hz", frequencies(model, free, 6))
    return Comparison(findings)


@case("M13", "Plate with a point mass, by shells", "closed series of the thin plate")
def plate_with_mass() -> Comparison:
    """Frequencies of a simply supported plate that carries a mass."""
    data, findings = entries()["M13"]["parameters"], []
    for kind, n in (("quad4", 48), ("quad9", 12)):
        model, grid = shell_model(kind, (n, 2 * n // 3), lambda r, s: (data["a"] * r, data["b"] * s, 0.0 * r), data)
        sides = [(grid[[0, -1]], "zX"), (grid[:, [0, -1]], "zY"), (grid, "xyZ")]
        place = np.array([data["x0"], data["y0"], 0.0])
        node = int(np.linalg.norm(model.points - place, axis=1).argmin())
        extra = np.zeros(3 * model.n_blocks)
        extra[3 * node + 2] = data["M"]
        found = frequencies(model, held(model, sides), 5, sparse.csc_array(model.M) + sparse.diags_array(extra))
        findings += published("M13", kind, "five frequencies", "Hz", found)
    return Comparison(findings)


def cylinder(n_around: int, n_along: int) -> Mesh:
    """The free cylinder as a closed mesh of quad4."""
    data = entries()["M07"]["parameters"]
    turn, z = np.meshgrid(
        2.0 * np.pi * np.arange(n_around) / n_around, np.linspace(0.0, data["L"], n_along + 1), indexing="ij"
    )
    points = np.stack([data["R"] * np.cos(turn), data["R"] * np.sin(turn), z], axis=2).reshape(-1, 3)
    grid = np.arange(turn.size).reshape(turn.shape)
    ahead = np.roll(grid, -1, axis=0)
    cells = np.stack([grid[:, :-1], ahead[:, :-1], ahead[:, 1:], grid[:, 1:]], axis=2).reshape(-1, 4)
    return Mesh(points, (Cells("quad4", cells),))


@case("M07", "Free thin cylinder, by shells", "Rayleigh; Love; Ritz series of thin shells")
def free_cylinder() -> Comparison:
    """Modes that bend the cylinder without stretching it; six rigid motions."""
    data = entries()["M07"]["parameters"]
    material = Material.isotropic(data["E"], data["nu"], data["rho"])
    model = assemble_shells(cylinder(120, 24), ShellSection.plain(material, data["t"]))
    found = frequencies(model, np.ones(3 * model.n_blocks, dtype=bool), 18)
    return Comparison(
        [
            compare("six rigid motions", "Hz", np.zeros(6), found[:6], absolute=0.01),
            compare("six pairs", "Hz", np.repeat(entries()["M07"]["expected"]["Hz"], 2), found[6:], relative=0.01),
        ]
    )


def patch(kind: str) -> Mesh:
    """Five quadrilaterals of MacNeal and Harder, or ten triangles; quadratic cells with straight edges."""
    corners = [(0, 0), (0.24, 0), (0.24, 0.12), (0, 0.12), (0.04, 0.02), (0.18, 0.03), (0.16, 0.08), (0.08, 0.08)]
    cells = [[0, 1, 5, 4], [1, 2, 6, 5], [2, 3, 7, 6], [3, 0, 4, 7], [4, 5, 6, 7]]
    if kind.startswith("tri"):
        cells = [[a, b, c] for a, b, c, _ in cells] + [[a, c, d] for a, _, c, d in cells]
    points = [np.array([*corner, 0.0]) for corner in corners]
    if kind in ("quad9", "tri6"):
        edges: dict[tuple[int, ...], int] = {}
        for number, cell in enumerate(cells):
            rows = [tuple(sorted((a, b))) for a, b in zip(cell, np.roll(cell, -1), strict=True)]
            for row in [*rows, tuple(cell)] if kind == "quad9" else rows:
                if row not in edges:
                    edges[row] = len(points)
                    points.append(np.mean([points[i] for i in row], axis=0))
            cells[number] = [*cell, *(edges[row] for row in rows), *([edges[tuple(cell)]] if kind == "quad9" else [])]
    return Mesh(np.array(points), (Cells(kind, np.array(cells)),))


def patch_stress(kind: str, bent: bool) -> Floats:
    """(nodes, 3) stresses xx, yy, xy [Pa] at the top; the boundary follows a field of constant strain or curvature"""
    data, mesh = entries()["M11"]["parameters"], patch(kind)
    model = assemble_shells(mesh, ShellSection.plain(Material.isotropic(data["E"], data["nu"], 1.0), data["t"]))
    x, y, _ = mesh.points.T
    u = np.zeros((2, len(x), 3))
    if bent:
        u[0, :, 2] = 1e-3 * (x * x + x * y + y * y) / 2
        u[1, :, 0], u[1, :, 1] = 1e-3 * (y + x / 2), -1e-3 * (x + y / 2)
    else:
        u[0, :, 0], u[0, :, 1] = 1e-3 * (x + y / 2), 1e-3 * (y + x / 2)
    edge = np.flatnonzero((x < 1e-9) | (x > 0.24 - 1e-9) | (y < 1e-9) | (y > 0.12 - 1e-9))
    free = held(model, [(edge, "xyzXYZ")])
    wanted = u.ravel()
    fixed = np.where(free, 0.0, wanted)
    found = fixed + deflection(model, free, -model.K @ fixed)
    made = faces(model.shells)
    return np.asarray(face_stress(model, made, found[:, None])[1::2, 0][:, [0, 1, 3]])


@case("M11", "Patch test of shells", "MacNeal & Harder 1985; closed form")
def patch_test() -> Comparison:
    """Constant membrane strain and constant curvature in distorted cells give constant stress."""
    findings = []
    for kind in ("quad4", "quad9", "tri3", "tri6"):
        for bent, label in ((False, "membrane stress"), (True, "surface stress")):
            found = patch_stress(kind, bent)
            want = np.broadcast_to(entries()["M11"]["expected"][label], found.shape)
            findings.append(compare(f"{kind}: {label}", "Pa", want, -found if bent else found, relative=1e-6))
    return Comparison(findings)


@case("shell-blade", "Spinning blade of shells", "Wright, Smith, Thresher & Wang 1982; Ritz series")
def spinning_blade() -> Comparison:
    """The centrifugal force stiffens a meshed shell by its second-order field as it does a beam."""
    # A strip 25 times as long as wide without lateral contraction is a beam.
    length, width, thickness = 1.0, 0.04, 0.002
    material = Material.isotropic(E=70e9, nu=0.0, density=2700.0)
    unit = np.sqrt(material.E * thickness**2 / (12.0 * material.density)) / length**2
    _, speeds, flap, *_ = table("rotating_cantilever_flap")
    ties = (TieRequest("root", "plane(x=0)"), TieRequest("tip", f"plane(x={length})"))
    findings = []
    for kind, cells, frame in (("quad4", (40, 2), "clamped root"), ("quad9", (20, 1), "mean")):
        mesh, _ = sheet(kind, cells, lambda r, s: (length * r, width * (s - 0.5), 0.0 * r))
        request = ReductionRequest(interfaces=ties, modes=8, frame=frame, compare=False)
        with temporary_folder() as folder:
            body = reduce_mesh(mesh, material, request, thickness=thickness)
            file = str(write_body(body, folder / "body.h5"))
            found = np.array([flapping(file, unit * speed) / unit for speed in speeds])
        findings.append(compare(f"{kind}: flapping, speeds 0 to 12", "", flap, found, relative=4e-3))
    return Comparison(findings)
