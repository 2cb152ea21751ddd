"""Folded second-order cells with straight edges: which nodes move, what stays folded, what is said."""

from dataclasses import replace

import numpy as np
import pytest

from flexmb.mesh.checks import check_mesh
from flexmb.mesh.straighten import folded_by_middles, straightened
from flexmb.mesh.topology import EDGES, family, n_corners
from flexmb.verification.solid_meshes import box_mesh, rod_mesh

KINDS = ["tet10", "hex20", "hex27", "wedge15", "pyramid13"]


def folded(kind, cell=0, edge=0, amount=1.5):
    """A box with one mid-side node far beyond the end of its edge, and this node."""
    mesh = box_mesh(kind)
    nodes = mesh.cells[0].nodes[cell]
    a, b = (mesh.points[nodes[i]] for i in EDGES[family(kind)][edge])
    middle = nodes[n_corners(kind) + edge]
    points = mesh.points.copy()
    points[middle] = a + amount * (b - a)
    return mesh, replace(mesh, points=points), middle


@pytest.mark.parametrize("kind", KINDS)
def test_a_misplaced_mid_side_node_goes_back_and_nothing_else_moves(kind):
    mesh, bad, middle = folded(kind)
    report = check_mesh(bad)
    assert any("--straighten" in fault.hint for fault in report.faults), report.faults
    good = straightened(bad)
    # The box had straight cells, so that the mended mesh is the original one to round-off.
    assert np.abs(good.points - mesh.points).max() < 1e-14
    assert np.flatnonzero(np.abs(good.points - bad.points).max(axis=1) > 1e-12).tolist() == [middle]
    report = check_mesh(good)
    assert report.faults == () and report.volume == pytest.approx(1.0, rel=1e-13)
    around = int((mesh.cells[0].nodes == middle).any(axis=1).sum())
    mended = int(good.notes[-1].split(" of ")[0])
    assert 1 <= mended <= around and "got straight edges: 1 nodes moved" in good.notes[-1]


def test_only_folded_cells_change():
    """A round rod with one bad node: its other curved edges stay on the cylinder."""
    mesh = rod_mesh("tet10", 0.2, 0.02, 4, 2)
    on_rim = mesh.cells[0].nodes[0]
    points = mesh.points.copy()
    middle = on_rim[n_corners("tet10")]
    points[middle] += 3.0 * (points[on_rim[1]] - points[on_rim[0]])
    bad = replace(mesh, points=points)
    chosen = folded_by_middles(points, mesh.cells[0])
    assert 0 < chosen.sum() < len(mesh.cells[0])
    good = straightened(bad)
    assert check_mesh(good).faults == ()
    moved = np.flatnonzero(np.abs(good.points - points).max(axis=1) > 0.0)
    mended = mesh.cells[0].nodes[folded_by_middles(points, mesh.cells[0])]
    assert middle in moved and np.isin(moved, mended[:, n_corners("tet10") :]).all()


def test_a_fold_at_a_node_is_mended_too_and_named_in_the_warning():
    mesh, bad, _ = folded("tet10", amount=0.2)
    report = check_mesh(bad)
    assert report.faults == ()
    assert any("--straighten gives them straight edges" in one.text for one in report.warnings)
    assert np.abs(straightened(bad).points - mesh.points).max() < 1e-14


@pytest.mark.parametrize("kind", ["hex8", "hex20"])
def test_cells_that_their_corners_fold_stay_faults_without_that_advice(kind):
    mesh = box_mesh(kind, (1, 1, 1))
    points = mesh.points.copy()
    points[mesh.cells[0].nodes[0, 6]] = [0.05, 0.05, -0.5]
    bad = replace(mesh, points=points)
    good = straightened(bad)
    assert np.array_equal(good.points, points) and "nothing was straightened" in good.notes[-1]
    (fault,) = [one for one in check_mesh(good).faults if "folded" in one.text]
    assert "by their corners" in fault.text and "--straighten" not in fault.hint
