"""The deflection that modes left out would add, against runs that have them."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from flexmb.analyses.run import run_model
from flexmb.bodies.body_file import read_body, write_body
from flexmb.bodies.reduce_mesh import reduce_mesh
from flexmb.bodies.reduced_body import ReducedBody
from flexmb.elements.material import Material
from flexmb.model.model_file import read_model
from flexmb.reduction.request import ReductionRequest, TieRequest
from flexmb.results.result_file import Result
from flexmb.verification.solid_meshes import box_mesh

STEEL = Material.isotropic(2.1e11, 0.3, 7850.0)
ENDS = (TieRequest("a", "plane(x=0)"), TieRequest("b", "plane(x=0.3)"))
CANTILEVER = """
[bodies.bar]
file = "bar.h5"
[joints.root]
type = "fixed"
bodies = ["ground", "bar"]
at = [0, 0, 0]
[forces.push]
type = "force"
marker = "bar.b"
vector = [0, 0, "20*sin(10*t)"]
[analysis]
end = 0.3
step = 5e-4
"""
PENDULUM = """
[model]
gravity = [0, 0, -9.81]
[bodies.bar]
file = "bar.h5"
[bodies.bob]
mass = 3.0
inertia = [0.001, 0.001, 0.001]
at = [0.3, 0, 0]
[joints.root]
type = "revolute"
axis = "y"
bodies = ["ground", "bar"]
at = [0, 0, 0]
[joints.weld]
type = "fixed"
bodies = ["bar", "bob"]
at = [0.3, 0, 0]
[forces.shake]
type = "force"
marker = "bob"
vector = [0, 0, "200*sin(20*t)"]
[analysis]
end = 0.3
step = 2e-4
"""
SLIDER_CRANK = """
[bodies.crank]
mass = 0.1
rod = [[-0.06, 0, 0], [0, 0, 0]]
[bodies.bar]
file = "bar.h5"
[bodies.piston]
mass = 0.5
inertia = [0, 0, 0]
at = [0.3, 0, 0]
[joints.main]
type = "revolute"
axis = "y"
bodies = ["ground", "crank"]
at = [-0.06, 0, 0]
[joints.pin]
type = "revolute"
axis = "y"
bodies = ["crank", "bar"]
at = [0, 0, 0]
[joints.wrist]
type = "spherical"
bodies = ["bar", "piston"]
at = [0.3, 0, 0]
[joints.guide]
type = "prismatic"
axis = "x"
bodies = ["ground", "piston"]
at = [0.3, 0, 0]
[motions.turn]
joint = "main"
rate = 150
[analysis]
end = 0.09
step = 5e-5
"""


def reduced(method: str, modes: int) -> ReducedBody:
    mesh = box_mesh("hex20", (6, 1, 1), (0.3, 0.02, 0.01))
    mesh = replace(mesh, points=mesh.points - np.array([0.0, 0.01, 0.005]))
    damping = {"ratio": 0.05}
    request = ReductionRequest(
        interfaces=ENDS, method=method, modes=modes, damping=damping, field="linear", compare=False
    )
    return reduce_mesh(mesh, STEEL, request)


def run(folder: Path, body: ReducedBody, text: str) -> tuple[float, Result]:
    """Largest q^T K q of a run, and its result."""
    write_body(body, folder / "bar.h5")
    (folder / "model.toml").write_text(text)
    result = run_model(read_model(folder / "model.toml"), folder / "run.h5")
    q = result["bodies/bar/elastic_position"]
    return float(np.einsum("ri,ij,rj->r", q, body.stiffness, q).max()), result


def share(result: Result) -> float:
    return next((w.value or 0.0 for w in result.warnings if w.code == "modes-left-out"), 0.0)


# Relative to the true share. Cantilever: the push starts with a jump of its rate; the swing from that is
# (10 rad/s)/(2 pi 92 Hz) of the static deflection, so 3.5 % of the energy, which the stiffer body swings less.
# Pendulum: the frequency of its bob is 40 Hz, it is shaken at 3 Hz: (3/40)^2 twice. Slider-crank at 6 Hz, pinned rod
# at 260 Hz: (6/260)^2 and the start.
SLOW = SLIDER_CRANK.replace("rate = 150", "rate = 40").replace("end = 0.09", "end = 0.2")


@pytest.mark.parametrize(("text", "modes", "within"), [(CANTILEVER, 4, 0.05), (PENDULUM, 4, 0.03), (SLOW, 2, 0.03)])
def test_the_share_is_the_true_difference(tmp_path: Path, text: str, modes: int, within: float) -> None:
    whole, complete = run(tmp_path, reduced("craig-bampton", 8), text)
    assert share(complete) == 0.0
    few, result = run(tmp_path, reduced("free", modes), text)
    assert share(result) == pytest.approx(whole / few - 1.0, rel=within) and share(result) > 0.05
    assert "modes left out would add about" in result.report


def test_fast_motion_is_warned_of_though_the_share_is_static(tmp_path: Path) -> None:
    """At 24 Hz, a tenth of the frequency of the rod, the truth is above the share, by less than a factor of two."""
    whole, _ = run(tmp_path, reduced("craig-bampton", 8), SLIDER_CRANK)
    few, result = run(tmp_path, reduced("free", 2), SLIDER_CRANK)
    assert share(result) < whole / few - 1.0 < 2.0 * share(result)


def test_the_file_keeps_it_and_older_files_lack_it(tmp_path: Path) -> None:
    body = reduced("free", 4)
    write_body(body, tmp_path / "bar.h5")
    kept = read_body(tmp_path / "bar.h5").left_out
    assert body.left_out is not None and kept is not None
    np.testing.assert_array_equal(kept, body.left_out)
    # what is left out of a compliance is a compliance: no negative energy
    assert np.linalg.eigvalsh(kept).min() > -1e-9 * np.linalg.eigvalsh(kept).max()
    _, older = run(tmp_path, replace(body, left_out=None), CANTILEVER)
    assert read_body(tmp_path / "bar.h5").left_out is None
    assert share(older) == 0.0 and "modes left out would add" not in older.report
