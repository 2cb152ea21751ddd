"""Published frequencies and deflections of solid finite elements: NAFEMS, MacNeal & Harder, bars, matrices of Abaqus.

Meshes are coarse, but reach the tolerances with every cell type listed; a comment says what limits them.
"""

from __future__ import annotations

import numpy as np

from flexmb.arrays import Floats
from flexmb.elements.fe_model import FEModel
from flexmb.elements.matrix_files.formats import read_entries
from flexmb.elements.solid.assemble import assemble
from flexmb.mesh.mesh import Mesh
from flexmb.mesh.read import read_mesh
from flexmb.verification import DATA
from flexmb.verification.case import Comparison, Finding, case, compare
from flexmb.verification.running import entries
from flexmb.verification.solid_meshes import box_mesh
from flexmb.verification.solid_models import (
    box_compliance,
    clamped_modes,
    curved,
    directions,
    free_modes,
    held_modes,
    material_of,
    moved,
    slanted,
    tapered,
    twisted,
)

NAFEMS = "NAFEMS benchmarks, FV{}"
RITZ = "Ritz series, independent of flexmb"

DEEP_SUPPORTS = {
    "flexure": {"xmin": "yz", "xmax": "yz", "ymin": "xz", "zmin": "z"},
    "torsion": {"xmin": "yz", "ymin": "xz", "zmin": "xy"},
    "axial": {"xmin": "x", "ymin": "y", "zmin": "z"},
}
"""Supports of a quarter of the deep beam, with planes of symmetry through its axis. Its ends may rotate, so the length
holds half waves of flexure; twist and stretch are held at A only, so it holds odd numbers of quarter waves of these."""


def published(kind: str, name: str, found: Floats) -> list[Finding]:
    """Frequencies [Hz] of an entry against the printed numbers and the Ritz series."""
    entry = entries()[name]
    findings = []
    for label, want in entry["expected"].items():
        source = RITZ if "Ritz" in label else ""
        text = f"{kind}: {len(want)} frequencies" + (" (Ritz)" if source else "")
        findings.append(compare(text, "Hz", want, found, relative=entry["rtol"], source=source))
    return findings


@case("C03", "NAFEMS FV5: deep simply supported beam, by solids", NAFEMS.format(5))
def deep_beam() -> Comparison:
    """Flexure, torsion and stretch of a quarter of the beam, by three kinds of cells."""
    # Waves of the first three lengths by 12 layers (16 of tetrahedra) are good to 1e-3. The printed numbers are of beam
    # theory, which misses the second and third flexure by 3.4e-3 and 5.6e-3: there elasticity is the reference.
    entry = entries()["C03"]
    want, steel = entry["expected"], material_of(entry["parameters"])
    findings = []
    for kind, counts in (("hex20", (12, 2, 2)), ("hex27", (12, 2, 2)), ("tet10", (16, 3, 3))):
        mesh = box_mesh(kind, counts, (10.0, 1.0, 1.0))
        model = assemble(mesh, steel)
        found = {
            family: held_modes(model, directions(mesh, held), len(want[f"{family} Hz"])).frequencies
            for family, held in DEEP_SUPPORTS.items()
        }
        all_six = np.concatenate(list(found.values()))
        elastic = np.concatenate([want[f"elasticity: {family} Hz"] for family in found])
        printed = np.concatenate([want[f"{family} Hz"] for family in found])
        good = [0, 3, 4, 5]
        findings += [
            compare(
                f"{kind}: six frequencies", "Hz", elastic, all_six, relative=entry["rtol"], source=f"elasticity, {RITZ}"
            ),
            compare(
                f"{kind}: the four of a good beam theory", "Hz", printed[good], all_six[good], relative=entry["rtol"]
            ),
        ]
    return Comparison(findings)


@case("C04", "NAFEMS FV12: free thin square plate, by solids", NAFEMS.format(12))
def free_plate() -> Comparison:
    """Eight frequencies after six rigid motions."""
    # Cells of about 10 times the thickness, since fully integrated bricks lock mildly when thinner.
    entry = entries()["C04"]
    findings = []
    for kind, n in (("hex20", 24), ("hex27", 22), ("hex8", 48)):
        mesh = box_mesh(kind, (n, n, 1), entry["parameters"]["size"])
        found, rigid = free_modes(assemble(mesh, material_of(entry["parameters"])), 8)
        findings += published(kind, "C04", found.frequencies)
        # K R = 0 up to 1e-16 of the highest omega^2, which is 1e10 times the lowest.
        findings.append(compare(f"{kind}: rigid motions", "Hz", 0.0, rigid, absolute=1e-2 * found.frequencies[0]))
    return Comparison(findings)


@case("C05", "NAFEMS FV16: plate clamped along an edge, by solids", NAFEMS.format(16))
def clamped_plate() -> Comparison:
    """Six frequencies."""
    # Locking of thin cells again; the Ritz series itself lies 0.9 % below the printed fourth frequency.
    entry = entries()["C05"]
    findings = []
    for kind, n in (("hex20", 20), ("hex27", 16), ("hex8", 48), ("tet10", 32)):
        mesh = box_mesh(kind, (n, n, 1), entry["parameters"]["size"])
        found = clamped_modes(assemble(mesh, material_of(entry["parameters"])), 6)
        findings += published(kind, "C05", found.frequencies)
    return Comparison(findings)


@case("C06", "NAFEMS FV32: tapered membrane, by solids", NAFEMS.format(32))
def membrane() -> Comparison:
    """Six frequencies in the plane."""
    # Half the thickness on the plane of symmetry z = 0, free to thicken. Eight quadratic cells along the root leave
    # 9e-4, 36 linear ones 1.6e-3.
    numbers = entries()["C06"]["parameters"]
    findings = []
    for kind, n in (("hex20", 8), ("hex27", 8), ("wedge15", 8), ("tet10", 8), ("hex8", 36)):
        box = box_mesh(kind, (2 * n, n, 1), (1.0, 1.0, numbers["thickness"] / 2.0))
        model = assemble(moved(box, tapered(box.points)), material_of(numbers))
        held = directions(box, {"xmin": "xy", "zmin": "z"})
        findings += published(kind, "C06", held_modes(model, held, 6).frequencies)
    return Comparison(findings)


@case("C09a", "Matrices of four-node tetrahedra, entry by entry", "Abaqus 2021 (test data of Exudyn)")
def abaqus_matrices() -> Comparison:
    """Every mass, 231 entries of stiffness and six frequencies of a block read from its input file."""
    # The same formulas: rounding.
    entry, folder = entries()["C09a"], DATA / "matrices"
    mesh = read_mesh(folder / "block_c3d4.inp", unit="m")
    model = assemble(mesh, material_of(entry["parameters"]), lumped=True)
    mass = read_entries(folder / "block_c3d4_mass.mtx", "mass")
    rows = read_entries(folder / "block_c3d4_stiffness_rows.mtx", "stiffness")
    stiffness = model.K.toarray()[rows.rows, rows.columns]
    found = free_modes(model, 6)[0].frequencies
    return Comparison(
        [
            compare("mass, all 642 entries", "kg", mass.values, np.repeat(model.M.diagonal(), 3), relative=1e-12),
            compare("stiffness, 231 entries", "N/m", rows.values, stiffness, of_peak=1e-12),
            compare("six frequencies", "Hz", entry["expected"]["Hz"], found, relative=entry["rtol"]),
        ]
    )


@case("C10", "Clamped and free bar, by solids", "three-dimensional Ritz series (13, 6, 6)")
def bar() -> Comparison:
    """Angular frequencies of the bar 10 x 1 x 1, clamped and free."""
    # The Ritz series is converged to 1e-3, a third of the tolerance; so are these meshes.
    entry = entries()["C10"]
    meshes = {"hex20": (20, 4, 4), "hex27": (16, 4, 4), "wedge15": (20, 5, 5), "tet10": (20, 5, 5)}
    findings = []
    for kind, counts in meshes.items():
        model = assemble(box_mesh(kind, counts, entry["parameters"]["size"]), material_of(entry["parameters"]))
        found = {"clamped": clamped_modes(model, 8), "free": free_modes(model, 5)[0]}
        for support, modes in found.items():
            want, ours = entry["expected"][f"{support} omega"], 2.0 * np.pi * modes.frequencies
            findings.append(compare(f"{kind}: {support}", "rad/s", want, ours, relative=entry["rtol"]))
    return Comparison(findings)


QUADRATICS = {"hex20": (24, 4, 2), "hex27": (24, 4, 2), "wedge15": (24, 4, 3), "tet10": (24, 5, 3)}
TWISTED = dict.fromkeys(QUADRATICS, (12, 3, 1)) | {"hex8": (24, 4, 2)}


@case("C12", "MacNeal & Harder's beams, by solids", "MacNeal & Harder 1985; Zupan & Saje 2004 (twisted)")
def published_beams() -> Comparison:
    """Tip displacements of the straight, the curved and the twisted cantilever under unit end loads."""
    # Quadratic cells, a quarter of the width and half of the thickness each; 2 % as the entry says, since the printed
    # values are those of beam theory: converged solids of the curved beam are 1.4 % off them.
    entry = entries()["C12"]
    numbers, want, two_per_cent = entry["parameters"], entry["expected"], entry["rtol"]
    printed = [*want["straight: extension, in plane, out of plane"], want["straight: twist T L/(G J)"]]
    findings = []
    for kind, counts in QUADRATICS.items():
        box = box_mesh(kind, counts, numbers["straight"]["size"])
        tip = np.diag(box_compliance(assemble(box, material_of(numbers["straight"])), box)[0])
        findings.append(
            compare(f"{kind}, straight: stretch, bending, twist", "", printed, tip[:4], relative=two_per_cent)
        )
        box = box_mesh(kind, counts, (1.0, 0.2, 0.1))
        tip = np.diag(box_compliance(assemble(moved(box, curved(box.points)), material_of(numbers["curved"])), box)[0])
        for label, source in (("curved: in plane, out of plane", ""), ("curved: converged solids", "FinEALE")):
            text = f"{kind}, curved: in plane, out of plane"
            findings.append(compare(text, "", want[label], tip[[0, 2]], relative=two_per_cent, source=source))
    for kind, counts in TWISTED.items():
        box = box_mesh(kind, counts, numbers["twisted"]["size"])
        model = assemble(moved(box, twisted(box.points)), material_of(numbers["twisted"]))
        tip = np.diag(box_compliance(model, box)[0])
        findings.append(compare(f"{kind}, twisted: y, z", "", want["twisted: y, z"], tip[1:3], relative=two_per_cent))
    return Comparison(findings)


@case("C12-hex8", "Incompatible modes on MacNeal & Harder's meshes", "Altair OptiStruct OS-V:0710, OS-V:0720 (HEX8)")
def eight_node_brick() -> Comparison:
    """Ratios to beam theory on 6 x 1 x 1 bricks, where elements differ by far more than the three printed digits."""
    # The same element: trapezia lock, as they must in every brick of this kind that passes the patch test.
    entry, numbers = entries()["hex8"], entries()["C12"]["parameters"]
    want, digits = entry["expected"], entry["atol"]
    box = box_mesh("hex8", (6, 1, 1), numbers["straight"]["size"])
    theory = np.array([3e-5, 0.1081, 0.4321, 0.03208])

    def ratios(mesh: Mesh) -> Floats:
        """Extension, in plane, out of plane, twist."""
        model: FEModel = assemble(mesh, material_of(numbers["straight"]))
        return np.diag(box_compliance(model, box)[0])[:4] / theory

    name = "rectangular: extension, in plane, out of plane, twist"
    findings = [compare("rectangular: stretch, bending, twist", "", want[name], ratios(box), absolute=digits)]
    for name, alternate in (("parallelogram", False), ("trapezoidal", True)):
        found = ratios(moved(box, slanted(box.points, alternate)))[1:3]
        printed = want[f"{name}: in plane, out of plane"]
        findings.append(compare(f"{name}: in plane, out of plane", "", printed, found, absolute=digits))
    ring = box_mesh("hex8", (6, 1, 1), (1.0, 0.2, 0.1))
    model = assemble(moved(ring, curved(ring.points)), material_of(numbers["curved"]))
    _, U = box_compliance(model, ring)
    end = ring.node_sets["xmax"]
    outer = end[np.argmax(model.points[end, 0])]
    found = np.array([U[3 * outer, 0], U[3 * outer + 2, 2]])
    found = found / entries()["C12"]["expected"]["curved: in plane, out of plane"]
    name = "curved: in plane, out of plane at the outer corner"
    findings.append(compare("curved: at the outer corner", "", want[name], found, absolute=digits))
    return Comparison(findings)
