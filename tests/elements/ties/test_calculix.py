"""Assemblies of a deck against CalculiX 2.x, which read the same files (*FREQUENCY, free, C3D8 with full integration).

Covers: elements.ties.connections, elements.ties.surface_ties.
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
    "tied": [1644.506, 1644.506, 2696.936, 4207.119, 4207.119, 4351.960, 5536.319, 7672.888, 7672.888, 8661.906],
    # two blocks by *EQUATION, two MASS, one SPRINGA
    "equations": [1463.889, 1468.240, 2341.465, 3387.321, 3807.047, 4520.684, 4980.380, 5675.940, 6639.006, 8078.481],
}


@pytest.mark.parametrize("name", CALCULIX)
def test_frequencies_of_calculix(name: str) -> None:
    mesh = read_mesh(DECKS / f"two_bars_{name}.inp", "m")
    assert mesh.losses == () and check_mesh(mesh).warnings == ()
    model = assemble_mesh(mesh, Material(2.1e11, 2.1e11 / 2.6, 7850.0), hex8="full")
    found = np.sqrt(component_modes(FreeBody(model, []), "free", modes=10).omega_squared[:10]) / (2.0 * np.pi)
    # CalculiX prints seven digits
    np.testing.assert_allclose(found, CALCULIX[name], rtol=5e-7)
