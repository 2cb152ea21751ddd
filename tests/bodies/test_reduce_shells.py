"""Reduced bodies of shells: the same body in every frame, beside solids, stress at both faces, and the command line.

Covers: bodies.outside.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import meshio
import numpy as np
import pytest

from flexmb.bodies.outside import outside_of
from flexmb.bodies.reduce_mesh import assemble_mesh, reduce_mesh
from flexmb.bodies.verdict import headline
from flexmb.elements.material import Material
from flexmb.errors import InputError
from flexmb.mesh.mesh import Cells, Mesh
from flexmb.reduction.request import ReductionRequest, TieRequest
from flexmb.verification.shell_models import sheet
from flexmb.verification.solid_meshes import box_mesh
from tests.support.command_line import call

STEEL = Material.isotropic(2.1e11, 0.3, 7850.0)
ENDS = (TieRequest("a", "plane(x=0)"), TieRequest("b", "plane(x=0.3)"))


def strip() -> Mesh:
    return sheet("quad4", (40, 2), lambda r, s: (0.3 * r, 0.03 * (s - 0.5), 0.0 * r))[0]


def test_modes_do_not_depend_on_the_frame_and_are_those_of_a_solid():
    """Free frequencies of a strip by shells in two frames, and of the same strip by solids."""
    found = []
    for frame in ("mean", "clamped a"):
        request = ReductionRequest(interfaces=ENDS, modes=6, frame=frame)
        body = reduce_mesh(strip(), STEEL, request, thickness=0.002)
        found.append([coordinate.frequency for coordinate in body.coordinates])
        assert body.report["mass"]["reduced"] == pytest.approx(7850.0 * 0.3 * 0.03 * 0.002, rel=1e-12)
        assert body.points is not None  # the quadratic field has its mass points
    assert np.allclose(*found, rtol=1e-9)
    solid = reduce_mesh(
        box_mesh("hex20", (20, 2, 1), (0.3, 0.03, 0.002)), STEEL, ReductionRequest(interfaces=ENDS, modes=6)
    )
    want = np.array([coordinate.frequency for coordinate in solid.coordinates])
    assert np.allclose(found[0][:4], want[:4], rtol=0.02)


def test_surface_has_both_faces_with_stress():
    request = ReductionRequest(interfaces=ENDS[:1], modes=4, frame="clamped a", stress=True, compare=False)
    body = reduce_mesh(strip(), STEEL, request, thickness=0.002)
    surface = body.surface
    assert surface is not None and surface.stress is not None and surface.G is not None
    assert np.allclose(np.unique(surface.points[:, 2]), [-0.001, 0.001])
    # bending: the faces carry opposite stress
    assert np.allclose(
        surface.stress[::2, 0, 0], -surface.stress[1::2, 0, 0], rtol=1e-6, atol=1e-3 * np.abs(surface.stress).max()
    )


def test_outside_of_a_bar_with_a_plate():
    box = box_mesh("hex8", (4, 1, 1), (1.0, 0.1, 0.1))
    side = [cell[[4, 5, 6, 7]] for cell in box.cells[0].nodes]
    both = replace(box, cells=(*box.cells, Cells("quad4", np.array(side))))
    outside = outside_of(assemble_mesh(both, STEEL, 0.01))
    assert outside.of_solids == 20 and len(outside.riders.nodes) == 20 + 2 * 10
    model = assemble_mesh(both, STEEL, 0.01)
    stress = outside.stress(model, model.rigid_motions())
    assert stress.shape == (40, 6, 6) and np.abs(stress).max() < 1e-13 * STEEL.E


def write(path: Path) -> Path:
    mesh = strip()
    meshio.Mesh(mesh.points, [("quad", mesh.cells[0].nodes)]).write(path)
    return path


def test_command_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = write(tmp_path / "strip.vtu")
    base = ["reduce", str(path), "--unit", "m", "--material", "steel", "--interface", "a=plane(x=0)", "--modes", "3"]
    code, out, _ = call(capsys, *base, "--thickness", "2 mm", "-o", str(tmp_path / "strip.h5"))
    assert code == 0 and "80 cells" in out and (tmp_path / "strip.h5").exists()
    for words, text in (
        ([], "80 shell cells, which need a thickness"),
        (["--thickness", "2 kg"], "--thickness 2 kg"),
        (["--thickness", "0 mm"], "must be positive"),
        (["--thickness", "skin=2 mm"], "no cell set 'skin'"),
        (["--thickness", "2 mm", "--thickness", "3 mm"], "given twice"),
        (["--thickness", "2 mm", "--lumped"], "consistent mass only"),
    ):
        code, _, err = call(capsys, *base, *words, "-o", str(tmp_path / "no.h5"))
        assert code != 0 and text in err, err
        assert "Traceback" not in err and not (tmp_path / "no.h5").exists()


def test_a_thickness_without_shells(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="consistent mass only"):
        reduce_mesh(strip(), STEEL, ReductionRequest(interfaces=ENDS, lumped=True), thickness=0.002)


def test_a_fine_shell_is_trusted_and_a_coarse_one_is_not():
    """The error of the mesh decides, and is kept in the body file with its place."""
    for cells, words in (((40, 4), "trust it up to"), ((6, 1), "trust it with care")):
        mesh = sheet("quad9", cells, lambda r, s: (0.3 * r, 0.03 * (s - 0.5), 0.0 * r))[0]
        body = reduce_mesh(mesh, STEEL, ReductionRequest(interfaces=ENDS, modes=6), thickness=0.002)
        assert headline(body.report).startswith(words), body.report["verdict"]
        assert body.surface is not None and body.surface.mesh_error is not None
        assert body.surface.mesh_error.shape == (len(body.surface.points),)
    assert "coarse-mesh" in [entry["code"] for entry in body.report["warnings"]]
