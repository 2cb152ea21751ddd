"""Assemblies of a deck against CalculiX, which read the same files (*FREQUENCY, free, solids with full integration).

Covers: elements.ties.connections, elements.ties.surface_ties, elements.joined.
"""

import numpy as np
import pytest

from flexmb.bodies.reduce_mesh import assemble_mesh
from flexmb.elements.material import Material
from flexmb.mesh.checks import check_mesh
from flexmb.mesh.read import read_mesh
from flexmb.reduction.component_modes import component_modes
from flexmb.reduction.free_body import FreeBody
from tests.support.places import ROOT

DECKS = ROOT / "tests" / "data" / "decks"
CALCULIX = {
    # two blocks whose meshes do not match (2 x 2 cells on 1 x 1) by *TIE
    "two_bars_tied": [
        1644.506,
        1644.506,
        2696.936,
        4207.119,
        4207.119,
        4351.960,
        5536.319,
        7672.888,
        7672.888,
        8661.906,
    ],
    # two blocks by *EQUATION, two MASS, one SPRINGA
    "two_bars_equations": [
        1463.889,
        1468.240,
        2341.465,
        3387.321,
        3807.047,
        4520.684,
        4980.380,
        5675.940,
        6639.006,
        8078.481,
    ],
    # version 2.20, decks by make_assemblies.py: bars of C3D20 and of C3D8 with a mass on one *RIGID BODY
    "spider_rigid": [
        743.1764,
        982.5675,
        2218.862,
        2362.767,
        2722.724,
        3810.048,
        4514.673,
        4868.147,
        5703.061,
        6780.112,
    ],
    # a bar with a mass beside its end, which the end face carries by *COUPLING, *KINEMATIC
    "spider_offset": [
        1513.439,
        2155.604,
        3983.865,
        4945.027,
        5618.626,
        7604.929,
        8305.677,
        9909.348,
        10646.57,
        14116.21,
    ],
}
PLATES = {
    # shells S8R with the nodes of the upper face of a bar of C3D20; CalculiX 2.20 turns them into solids C3D20R
    "plate_on_bar": [
        273.0288,
        973.9112,
        1058.962,
        2287.959,
        2739.856,
        2934.761,
        5261.807,
        5317.312,
        6600.355,
        7033.886,
    ],
    "plate_on_bar_fine": [
        271.1417,
        958.8418,
        1047.624,
        2259.433,
        2696.812,
        2887.603,
        5150.563,
        5153.727,
        6529.175,
        6976.355,
    ],
}


def frequencies(name: str, thickness: float | None = None) -> np.ndarray:
    """[Hz] ten free modes of a deck; it must be read without losses"""
    mesh = read_mesh(DECKS / f"{name}.inp", "m", shells=thickness is not None)
    assert mesh.losses == () and check_mesh(mesh).warnings == ()
    model = assemble_mesh(mesh, Material(2.1e11, 2.1e11 / 2.6, 7850.0), thickness, hex8="full")
    return np.sqrt(component_modes(FreeBody(model, []), "free", modes=10).omega_squared[:10]) / (2.0 * np.pi)


@pytest.mark.parametrize("name", CALCULIX)
def test_frequencies_of_calculix(name: str) -> None:
    # CalculiX prints seven digits
    np.testing.assert_allclose(frequencies(name), CALCULIX[name], rtol=5e-7)


def test_shells_on_a_solid_approach_those_of_calculix() -> None:
    """Shells of CalculiX are solids of two nodes across, tied to the bar in the middle: 2 % apart on cells of 30 mm.

    On half the size all frequencies are nearer than 0.9 %, none by round-off: the elements differ, not the body.
    """
    found = {name: np.abs(frequencies(name, 0.006) / PLATES[name] - 1.0).max() for name in PLATES}
    assert 1e-3 < found["plate_on_bar_fine"] < 0.5 * found["plate_on_bar"] < 0.5 * 0.021
