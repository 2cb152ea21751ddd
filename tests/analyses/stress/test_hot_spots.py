"""Hot spots of fields whose maxima are known."""

from __future__ import annotations

import numpy as np
import pytest

from flexmb.analyses.stress.hot_spots import LEAST, hot_spots


def grid(n: int = 41) -> tuple[np.ndarray, np.ndarray]:
    """Points and triangles of the unit square."""
    x = np.linspace(0.0, 1.0, n)
    points = np.stack([*np.meshgrid(x, x, indexing="ij"), np.zeros((n, n))], axis=-1).reshape(-1, 3)
    a = (np.arange(n - 1)[:, None] * n + np.arange(n - 1)).ravel()
    return points, np.concatenate([np.stack([a, a + n, a + n + 1], 1), np.stack([a, a + n + 1, a + 1], 1)])


def hills(points: np.ndarray) -> np.ndarray:
    """Three hills: heights 3, 2, 1 at (0.2, 0.2), (0.7, 0.2), (0.7, 0.5), on a plain."""
    peaks = ((3.0, 0.2, 0.2), (2.0, 0.7, 0.2), (1.0, 0.7, 0.5))
    return sum(h * np.exp(-100.0 * ((points[:, 0] - x) ** 2 + (points[:, 1] - y) ** 2)) for h, x, y in peaks)


def test_local_maxima_from_the_largest_down() -> None:
    points, triangles = grid()
    found = hot_spots(points, triangles, hills(points), 10, 0.0)
    assert points[found, :2] == pytest.approx(np.array([(0.2, 0.2), (0.7, 0.2), (0.7, 0.5)]))
    assert hot_spots(points, triangles, hills(points), 2, 0.0) == found[:2]


def test_they_are_the_distance_apart() -> None:
    points, triangles = grid()
    assert len(hot_spots(points, triangles, hills(points), 10, 0.29)) == 3
    assert len(hot_spots(points, triangles, hills(points), 10, 0.31)) == 2, "the third is 0.3 from the second"
    noise = np.random.default_rng(0).uniform(0.5, 1.0, len(points))
    found = points[hot_spots(points, triangles, noise, 100, 0.1)]
    distances = np.linalg.norm(found[:, None] - found, axis=2) + np.eye(len(found))
    assert len(found) > 10 and distances.min() >= 0.1


def test_places_hide_what_is_near() -> None:
    points, triangles = grid()
    found = hot_spots(points, triangles, hills(points), 10, 0.1, hidden=np.array([[0.25, 0.2, 0.0]]))
    assert points[found, :2] == pytest.approx(np.array([(0.7, 0.2), (0.7, 0.5)]))


def test_a_slope_and_small_hills_are_no_hot_spots() -> None:
    points, triangles = grid()
    assert hot_spots(points, triangles, points[:, 0] + 0.1 * points[:, 1], 10, 0.0) == [len(points) - 1]
    values = hills(points)
    values = np.where(points[:, 1] > 0.35, 0.9 * LEAST * 3.0 * values, values)
    assert len(hot_spots(points, triangles, values, 10, 0.0)) == 2


def test_equal_values_and_no_stress() -> None:
    points, triangles = grid()
    assert hot_spots(points, triangles, np.ones(len(points)), 10, 0.0) == [0]
    assert hot_spots(points, triangles, np.zeros(len(points)), 10, 0.0) == []
    none = np.zeros((0, 3), dtype=np.int64)
    assert len(hot_spots(points, none, hills(points), 4, 0.0)) == 4, (
        "without triangles every point is its own neighbour"
    )
