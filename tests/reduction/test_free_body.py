"""Interfaces and static solutions of a free body: against rigid motions, equilibrium and dense algebra.

Covers: elements.fe_model, reduction.interfaces.
"""

from __future__ import annotations

import numpy as np
import pytest

from flexmb.elements.fe_model import FEModel
from flexmb.errors import ComputationError, InputError
from flexmb.mesh.mesh import Cells, Mesh
from flexmb.reduction.free_body import FreeBody
from flexmb.reduction.interfaces import make_interface
from tests.support.mesh_bodies import LENGTH, STEEL, WIDTH, bar, tied_bar, ties

TIES = [("rbe2", "rbe2"), ("rbe3", "rbe3"), ("rbe2", "rbe3")]


def loads(n: int, count: int = 3) -> np.ndarray:
    return np.random.default_rng(4).standard_normal((n, count))


@pytest.mark.parametrize("tie", ["rbe2", "rbe3", "follower"])
def test_a_marker_recovers_rigid_motions_and_passes_wrenches_on(tie: str) -> None:
    mesh, model = bar()
    (marker,) = ties(mesh, model, ("a", "xmax", tie))
    motion = marker.motion(model.rigid_motions())
    x, y, z = marker.point
    arm = np.array([[0, z, -y], [-z, 0, x], [y, -x, 0]])
    expected = np.block([[np.eye(3), arm], [np.zeros((3, 3)), np.eye(3)]])
    np.testing.assert_allclose(motion, expected, atol=1e-13)
    # forces of a unit wrench have that wrench as their resultant: R^T E^T = (E R)^T
    np.testing.assert_allclose(model.rigid_motions().T @ marker.forces(3 * model.n_blocks), expected.T, atol=1e-13)
    np.testing.assert_allclose(marker.E @ marker.A, np.eye(6), atol=1e-13)
    np.testing.assert_allclose(marker.point, [LENGTH, WIDTH / 2, 0.004], atol=1e-12)


@pytest.mark.parametrize(("first", "second"), TIES)
def test_inertia_relief_is_in_equilibrium_and_symmetric(first: str, second: str) -> None:
    body = tied_bar(first, second)
    model = body.model
    f = loads(body.n)
    u = body.solve(f)
    assert np.abs(body.R.T @ model.mass_times(u)).max() < 1e-12 * np.abs(body.MR).max() * np.abs(u).sum(axis=0).max()
    left = model.K @ u - (f - body.MR @ (body.R.T @ f))
    held = np.concatenate([i.rows for i in body.interfaces if i.tie == "rbe2"] or [np.zeros(0, dtype=int)])
    free = np.setdiff1d(np.arange(body.n), held)
    assert np.abs(left[free]).max() < 1e-8 * np.abs(f).max()
    for interface in body.interfaces:
        if interface.tie == "rbe2":  # nodes follow rigidly, and the forces that hold them together do no work
            motion = interface.motion(u)
            np.testing.assert_allclose(interface.A @ motion, u[interface.rows], atol=1e-12 * np.abs(u).max())
            assert np.abs(interface.A.T @ left[interface.rows]).max() < 1e-7 * np.abs(f).sum() / 100
    work = f.T @ u
    np.testing.assert_allclose(work, work.T, atol=1e-9 * np.abs(work).max())


@pytest.mark.parametrize(("first", "second"), TIES)
def test_held_interfaces_do_not_move(first: str, second: str) -> None:
    body = tied_bar(first, second)
    f = loads(body.n)
    u = body.solve_fixed(f)
    assert np.abs(body.interface_motion(u)).max() < 1e-9 * np.abs(u).max()
    # What is left of the load acts on interface nodes, as a wrench on the marker when these are averaged.
    left = f - body.model.K @ u
    for interface in body.interfaces:
        if interface.tie == "rbe3":
            wrench = interface.A.T @ left[interface.rows]
            np.testing.assert_allclose(interface.E.T @ wrench, left[interface.rows], atol=1e-7 * np.abs(f).max())
        left[interface.rows] = 0.0
    assert np.abs(left).max() < 1e-8 * np.abs(f).max()


@pytest.mark.parametrize(("first", "second"), TIES)
def test_constraint_modes_are_unit_motions_of_the_interfaces(first: str, second: str) -> None:
    body = tied_bar(first, second)
    modes = body.constraint_modes()
    np.testing.assert_allclose(body.interface_motion(modes), np.eye(12), atol=1e-9)
    # moved together by a rigid motion they are that rigid motion: the interfaces alone decide
    rigid = body.model.rigid_motions()
    np.testing.assert_allclose(modes @ body.interface_motion(rigid), rigid, atol=1e-9)
    forces = body.model.K @ modes
    for interface in body.interfaces:
        forces[interface.rows] = 0.0
    assert np.abs(forces).max() < 1e-9 * np.abs(body.model.K.data).max()


def test_stretch_of_the_bar_by_its_ends() -> None:
    """Rigid ends that move apart: K = E A / L times more than 1, since the ends cannot contract sideways."""
    body = tied_bar("rbe3", "rbe3")
    pulled = body.constraint_modes()[:, 6]
    stiffness = pulled @ (body.model.K @ pulled)
    # Averaged ends carry the uniform stress state of a pulled bar; its end faces are loaded by forces that are only
    # uniform by shares of the area, which quadratic faces resolve to 1 %.
    assert stiffness == pytest.approx(STEEL.E * WIDTH * 0.008 / LENGTH, rel=0.01)
    rigid_ends = tied_bar("rbe2", "rbe2").constraint_modes()[:, 6]
    assert rigid_ends @ (body.model.K @ rigid_ends) > stiffness


def test_rigid_ties_equal_elimination_by_dense_algebra() -> None:
    body = tied_bar("rbe2", "rbe2")
    model = body.model
    tied = np.concatenate([i.rows for i in body.interfaces])
    free = np.setdiff1d(np.arange(body.n), tied)
    T = np.zeros((body.n, len(free) + 12))
    T[free, np.arange(len(free))] = 1.0
    for number, interface in enumerate(body.interfaces):
        T[np.ix_(interface.rows, len(free) + 6 * number + np.arange(6))] = interface.A
    f = loads(body.n, 2)
    balanced = T.T @ (f - body.MR @ (body.R.T @ f))
    K = T.T @ (model.K @ T)
    u = body.without_rigid(T @ np.linalg.lstsq(K, balanced, rcond=1e-13)[0])
    np.testing.assert_allclose(body.solve(f), u, atol=1e-6 * np.abs(u).max())


def test_where_the_pins_are_does_not_matter() -> None:
    mesh, model = bar()
    order = np.random.default_rng(1).permutation(mesh.n_points)
    place = np.argsort(order)
    shuffled = Mesh(mesh.points[order], tuple(Cells(c.kind, place[c.nodes]) for c in mesh.cells))
    from flexmb.elements.solid.assemble import assemble

    other = assemble(shuffled, STEEL)
    f = loads(3 * model.n_blocks, 2)
    rows = (3 * order[:, None] + np.arange(3)).ravel()
    u = FreeBody(model, []).solve(f)
    np.testing.assert_allclose(FreeBody(other, []).solve(f[rows]), u[rows], atol=1e-9 * np.abs(u).max())


def test_rigid_motions_have_no_frequency() -> None:
    body = tied_bar("rbe3", "rbe3")
    np.testing.assert_allclose(body.R.T @ body.model.mass_times(body.R), np.eye(6), atol=1e-12)
    # round-off of a stiffness whose highest frequency is some MHz
    assert body.largest_rigid_frequency() < 1.0


def test_bad_interfaces_are_refused() -> None:
    mesh, model = bar()
    with pytest.raises(InputError, match="one node without rotations"):
        make_interface(model, "a", [0])
    line = np.flatnonzero((mesh.points[:, 1] == 0.0) & (mesh.points[:, 2] == 0.0))
    with pytest.raises(InputError, match="on one line"):
        make_interface(model, "a", line)
    with pytest.raises(InputError, match="has no nodes"):
        make_interface(model, "a", [])
    with pytest.raises(InputError, match="there is no tie"):
        make_interface(model, "a", [0, 1, 2], "glue")
    with pytest.raises(InputError, match="shares 20 nodes|shares 8 nodes"):
        FreeBody(model, ties(mesh, model, ("a", "xmin", "rbe2"), ("b", "xmin", "rbe2")))
    with pytest.raises(InputError, match="nothing can deform"):
        every = [make_interface(model, "a", np.arange(mesh.n_points))]
        FreeBody(model, every)


def test_parts_that_hang_together_at_a_node_are_found() -> None:
    """Two bricks that share one corner: a free mechanism, not a body."""
    cube = np.array([(x, y, z) for z in (0, 1) for y in (0, 1) for x in (0, 1)], dtype=float)[[0, 1, 3, 2, 4, 5, 7, 6]]
    points = np.concatenate([cube, cube[1:] + cube[6]])
    nodes = np.array([np.arange(8), [6, *range(8, 15)]])
    from flexmb.elements.solid.assemble import assemble

    model: FEModel = assemble(Mesh(points, (Cells("hex8", nodes),)), STEEL)
    with pytest.raises(ComputationError, match="can move without deforming"):
        FreeBody(model, [])
