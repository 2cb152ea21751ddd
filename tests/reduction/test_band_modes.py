"""Shapes chosen for a band: certificates against dense solutions, poor bases, counts beside Craig-Bampton."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

import numpy as np
import pytest

import flexmb as fx
from flexmb.bodies.reduce_mesh import tie_markers
from flexmb.elements.solid.assemble import assemble
from flexmb.errors import InputError
from flexmb.reduction.band_modes import (
    BUILT_AT,
    Certificate,
    band_modes,
    certify,
    check_frequencies,
    reference_transfer,
)
from flexmb.reduction.component_modes import ComponentModes, component_modes
from flexmb.reduction.eigenmodes import lowest_modes
from flexmb.reduction.free_body import FreeBody
from flexmb.reduction.interface_transfer import transfer
from tests.support.harmonic import dense_transfer
from tests.support.mesh_bodies import STEEL, tied_bar

BAND = (0.0, 3000.0)
MESHES = Path(__file__).parents[2] / "meshes"


def true_errors(body: FreeBody, shapes: ComponentModes, hertz: np.ndarray) -> np.ndarray:
    """Relative errors of the transfer of shapes against dense solutions of the full model"""
    scale = 1.0 / np.sqrt(np.diag(body.interface_motion(body.attachment_modes)))
    full = np.outer(scale, scale) * dense_transfer(body, hertz)
    motion = scale[:, None] * body.interface_motion(shapes.Phi)
    reduced = transfer(shapes.omega_squared, motion, hertz, None)
    return np.linalg.norm(full - reduced, 2, axis=(1, 2)) / np.linalg.norm(full, 2, axis=(1, 2))


@pytest.mark.parametrize("tied", [("rbe2", "rbe2"), ("rbe3", "rbe3"), ("rbe2", "rbe3")])
@pytest.mark.parametrize("allowed", [0.1, 1e-3, 1e-5])
def test_the_full_model_confirms_the_certificate(tied: tuple[str, str], allowed: float) -> None:
    """At checked frequencies the error is what the certificate says; at others it is within the allowed one too."""
    body = tied_bar(*tied)
    shapes, certificate = band_modes(body, BAND, allowed)
    assert certificate.is_passed and certificate.largest <= allowed
    checked = certificate.hertz > 400.0  # below, the dense response has too few digits
    errors = true_errors(body, shapes, certificate.hertz[checked])
    # eps times the condition of the dense matrix, about 1e8
    assert (errors <= certificate.errors[checked] + 2e-8).all()
    assert errors.max() > 0.2 * certificate.errors[checked].max(), "the certificate is not far too careful"
    others = np.random.default_rng(1).uniform(400.0, BAND[1], 60)
    assert (true_errors(body, shapes, others) <= allowed).all()
    inside = shapes.kinds.count("free")
    assert inside == 5 and shapes.kinds[:inside] == ("free",) * inside
    M = body.model.mass_times(shapes.Phi)
    np.testing.assert_allclose(shapes.Phi.T @ M, np.eye(len(shapes.labels)), atol=1e-9)
    np.testing.assert_allclose(body.R.T @ M, 0.0, atol=1e-9)
    np.testing.assert_allclose(
        shapes.Phi.T @ (body.model.K @ shapes.Phi) / shapes.omega_squared[-1],
        np.diag(shapes.omega_squared / shapes.omega_squared[-1]),
        atol=1e-9,
    )


def test_one_shape_less_is_not_enough() -> None:
    body = tied_bar("rbe2", "rbe2")
    shapes, passed = band_modes(body, BAND, 1e-3)
    fewer, failed = band_modes(body, BAND, 1e-3, most=len(shapes.labels) - 1)
    assert len(fewer.labels) == len(shapes.labels) - 1
    assert passed.is_passed and not failed.is_passed
    assert failed.as_dict()["passed"] is False and failed.largest > 1e-3


def test_a_poor_basis_is_found_out() -> None:
    """Free modes without corrections: statics are wrong, and the certificate has the true error of it."""
    body = tied_bar("rbe2", "rbe2")
    reference, hertz = reference_transfer(body, BAND, 1e-3)
    poor = component_modes(body, "free", modes=6)
    certificate = certify(body, poor, reference, BAND, 1e-3, hertz)
    assert not certificate.is_passed
    checked = hertz > 400.0
    np.testing.assert_allclose(certificate.errors[checked], true_errors(body, poor, hertz[checked]), rtol=1e-3)
    assert certificate.largest > 0.1


def test_checks_are_at_frequencies_that_the_basis_does_not_come_from() -> None:
    modes = np.array([400.0, 1000.0, 2500.0])
    hertz = check_frequencies((0.0, 2000.0), modes, 0.01)
    assert {0.0, 2000.0, 400.0, 1000.0, 392.0, 1010.0} <= set(hertz.round(9).tolist())
    assert hertz.max() == 2000.0 and len(hertz) > 200
    built = 1000.0 * (1.0 - np.cos(np.pi * (np.arange(BUILT_AT) + 0.5) / BUILT_AT))
    assert np.abs(hertz[:, None] - built).min() > 1e-6
    above = check_frequencies((500.0, 2000.0), modes, 0.01)
    assert above[0] == 0.0 and above[1] == 500.0, "statics are always checked"


def test_a_body_without_modes_in_the_band() -> None:
    """Below its first mode a body needs static shapes only, and less than one for every interface motion."""
    body = tied_bar("rbe2", "rbe2")
    shapes, certificate = band_modes(body, (0.0, 100.0), 0.01)
    assert set(shapes.kinds) == {"krylov"}
    assert certificate.is_passed and len(shapes.labels) < 12
    with pytest.raises(InputError, match="a band needs an interface"):
        band_modes(FreeBody(body.model, []), BAND, 1e-3)


@lru_cache
def meshed(file: str, unit: str, *sets: str) -> FreeBody:
    mesh = fx.read_mesh(MESHES / file, unit=unit)
    model = assemble(mesh, STEEL)
    return FreeBody(model, tie_markers(model, mesh, [fx.TieRequest(name, name) for name in sets]))


def craig_bampton_count(body: FreeBody, chosen: Certificate, fixed: np.ndarray) -> int | None:
    """Fewest coordinates of Craig-Bampton with the error that was allowed; None: more modes than `fixed` has"""
    reference, hertz = reference_transfer(body, chosen.band, chosen.allowed)

    def passes(modes: int) -> int | None:
        shapes = component_modes(body, modes=0, vectors=fixed[:, :modes])
        found = certify(body, shapes, reference, chosen.band, chosen.allowed, hertz)
        return len(shapes.labels) if found.is_passed else None

    low, high = 0, fixed.shape[1]
    if (best := passes(high)) is None:
        return None
    while high - low > 1:
        middle = (low + high) // 2
        found = passes(middle)
        low, high, best = (low, middle, found) if found is not None else (middle, high, best)
    return best


@pytest.mark.long
@pytest.mark.parametrize(
    "file, unit, sets, top",
    [
        ("connecting_rod_fine.msh", "mm", ("bore_big", "bore_small"), 2000.0),
        ("round_rod_hex20.msh", "m", ("start", "middle", "end"), 1000.0),
        ("bearing_bracket.msh", "mm", ("bolt_1", "bolt_2", "bolt_3", "bolt_4", "bearing"), 4000.0),
    ],
)
def test_fewer_coordinates_than_craig_bampton(file: str, unit: str, sets: tuple[str, ...], top: float) -> None:
    """At most 70 % of the coordinates at an equal error, of up to 80 fixed-interface modes; print : see the guide."""
    body = meshed(file, unit, *sets)
    fixed = lowest_modes(body.model.mass_times, body.solve_fixed, body.n, count=80).vectors
    for allowed in (0.1, 0.01, 0.001):
        shapes, certificate = band_modes(body, (0.0, top), allowed)
        assert certificate.is_passed
        plain = craig_bampton_count(body, certificate, fixed)
        other = plain or "more than 80 modes"
        print(f"{file}: error {allowed:g}: {len(shapes.labels)} coordinates, Craig-Bampton {other}")
        assert plain is None or len(shapes.labels) <= 0.7 * plain
