"""Surfaces of pictures: sharp edges are split, round ones are smooth."""

from __future__ import annotations

import numpy as np
import pytest

from flexmb.view.picture.surfaces import surface_of
from tests.support.scenes import prism


def test_sharp_edges_are_split_and_round_ones_are_not():
    points, triangles = prism(1.0, 0.1, 3)
    cube = surface_of(points, triangles)
    # Every corner of a bar has three normals, a point on a long edge has two.
    assert len(cube.source) == 8 * 3 + 8 * 2
    normals = cube.normals(points[cube.source])
    assert np.abs(normals).max(axis=1) == pytest.approx(1.0)
    assert len(np.unique(np.sort(cube.source[cube.edges], axis=1), axis=0)) == 4 * 3 + 8
    # The same bar in single triangles, as in an STL file.
    loose = surface_of(points[triangles.ravel()], np.arange(triangles.size).reshape(-1, 3))
    assert len(loose.source) == len(cube.source)
    assert cube.is_closed and loose.is_closed
    assert not surface_of(points, triangles[:, ::-1]).is_closed  # normals inwards
    assert not surface_of(points, np.concatenate([triangles[:1, ::-1], triangles[1:]])).is_closed
    assert not surface_of(points, triangles[1:]).is_closed
    angle = np.linspace(0.0, 2.0 * np.pi, 24, endpoint=False)
    ring = np.stack([np.cos(angle), np.sin(angle), 0.0 * angle], axis=1)
    k = np.arange(24)
    sides = np.stack([k, (k + 1) % 24, (k + 1) % 24 + 24], axis=1), np.stack([k, (k + 1) % 24 + 24, k + 24], axis=1)
    tube = surface_of(np.concatenate([ring, ring + [0.0, 0.0, 1.0]]), np.concatenate(sides))
    assert len(tube.source) == 48
    assert len(tube.edges) == 48  # the open ends
    outwards = tube.normals(np.concatenate([ring, ring + [0, 0, 1.0]])[tube.source])
    assert np.sum(outwards * ring[tube.source % 24], axis=1).min() > 0.99
