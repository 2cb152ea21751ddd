"""Envelopes against a search over all rows and points by other formulas.

Covers: analyses.stress.field, analyses.stress.kernels.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from flexmb.analyses.stress import field as field_module
from flexmb.analyses.stress.envelope import envelope_of
from flexmb.analyses.stress.field import StressField
from flexmb.errors import ComputationError
from flexmb.results.result_file import Result
from tests.support.made_results import made_result

ROWS = 301


def made(path: Path, q: np.ndarray) -> Result:
    """A result of one body with elastic coordinates q."""
    count = len(q)
    series = {
        "time": ("s", np.linspace(1.0, 2.0, count)),
        "bodies/rod/position": ("m", np.tile([1.0, 2.0, 3.0], (count, 1))),
        "bodies/rod/quaternion": ("1", np.tile([0.0, 1.0, 0.0, 0.0], (count, 1))),
        "bodies/rod/elastic_position": ("m", q),
    }
    return made_result(path, series)


def field_of(shapes: np.ndarray) -> StressField:
    points = np.random.default_rng(1).normal(size=(len(shapes), 3))
    return StressField("rod", points, np.zeros((0, 3), dtype=np.int64), shapes, 1.0)


def tensors(stress: np.ndarray) -> np.ndarray:
    return stress[..., [0, 3, 5, 3, 1, 4, 5, 4, 2]].reshape(*stress.shape[:-1], 3, 3)


def random_case(seed: int, n: int) -> tuple[np.ndarray, np.ndarray]:
    random = np.random.default_rng(seed)
    shapes = random.normal(size=(40, n, 6)) * random.lognormal(0.0, 1.5, size=(40, 1, 1))
    shapes[0, :, 3:] = shapes[0, :, 1:3] = 0.0  # uniaxial: two principal stresses are equal
    shapes[1, :, :3], shapes[1, :, 3:] = shapes[1, :, :1], 0.0  # the same in all directions: no von Mises stress
    shapes[2] = 0.0
    return shapes, random.normal(size=(ROWS, n)) * random.lognormal(0.0, 1.0, size=(ROWS, 1))


@pytest.mark.parametrize(("seed", "n"), [(0, 1), (1, 3), (2, 4), (3, 7), (4, 13)])
def test_all_extremes_and_their_rows_by_brute_force(
    seed: int, n: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also where pieces of rows begin and end inside blocks."""
    monkeypatch.setattr(field_module, "CHUNK", 77)
    shapes, q = random_case(seed, n)
    with made(tmp_path / "a.h5", q) as result:
        found, time = envelope_of(field_of(shapes), result, 5, ROWS), result.time
    stress = np.einsum("rk,skc->rsc", q[5:], shapes)
    deviator = tensors(stress) - np.trace(tensors(stress), axis1=2, axis2=3)[..., None, None] * np.eye(3) / 3.0
    mises = np.sqrt(1.5 * (deviator**2).sum(axis=(2, 3)))
    principal = np.linalg.eigvalsh(tensors(stress))
    size = np.abs(stress).max(axis=(0, 2))
    # The angle of the cubic is known to the root of rounding where two principal stresses are equal.
    for name, values, best in (
        ("von_mises", mises, np.max),
        ("tension", principal[..., 2], np.max),
        ("compression", principal[..., 0], np.min),
    ):
        error = np.abs(getattr(found, name) - best(values, axis=0))
        assert (error <= 1e-7 * size).all(), name
        rows = np.searchsorted(time, getattr(found, f"{name}_time")) - 5
        at_row = values[rows, np.arange(len(size))]
        assert (np.abs(at_row - best(values, axis=0)) <= 1e-7 * size).all(), f"the row of {name}"
    assert (found.von_mises[[1, 2]] <= 1e-12 * size[[1, 2]]).all()
    largest = np.where(found.tension >= -found.compression, found.tension, found.compression)
    assert np.abs(found.principal) == pytest.approx(np.abs(principal).max(axis=(0, 2)), abs=1e-7 * size.max())
    assert (found.principal == largest).all()


def test_the_pose_is_that_of_the_first_row(tmp_path: Path) -> None:
    with made(tmp_path / "a.h5", np.ones((3, 1))) as result:
        found = envelope_of(field_of(np.ones((2, 1, 6))), result, 1, 3)
    assert found.position.tolist() == [1.0, 2.0, 3.0]
    assert found.R_wb == pytest.approx(np.diag([1.0, -1.0, -1.0]))
    assert found.von_mises_time.tolist() == [1.5, 1.5], "of equal rows the first"


def test_numbers_that_are_not_finite_are_an_error(tmp_path: Path) -> None:
    with (
        made(tmp_path / "a.h5", np.full((3, 1), np.nan)) as result,
        pytest.raises(ComputationError, match="stress of body 'rod' is not finite"),
    ):
        envelope_of(field_of(np.ones((2, 1, 6))), result, 0, 3)


@pytest.mark.parametrize(
    ("nodes", "sides"),
    [
        ([0, 1, 4, 9], ["", "", "", ""]),
        ([3, 3, 5, 5], ["bottom", "top", "bottom", "top"]),
        ([3, 3, 3, 3], ["bottom", "top", "bottom", "top"]),
        ([0, 3, 3, 3, 7, 7], ["", "", "bottom", "top", "bottom", "top"]),
        ([0, 3, 3], ["", "bottom", "top"]),
    ],
)
def test_sides_of_shells_from_pairs_of_nodes(nodes: list[int], sides: list[str]) -> None:
    """A solid that shares node 3 with a shell lists it once more, before the pairs."""
    points, shapes = np.zeros((len(nodes), 3)), np.zeros((len(nodes), 1, 6))
    found = StressField("a", points, np.zeros((0, 3), dtype=np.int64), shapes, 1.0, np.array(nodes))
    assert list(found.sides) == sides
