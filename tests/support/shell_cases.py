"""Small shells for tests."""

from __future__ import annotations

from flexmb.elements.fe_model import FEModel
from flexmb.elements.material import Material
from flexmb.elements.shell.assemble import assemble_shells
from flexmb.elements.shell.section import ShellSection
from flexmb.mesh.mesh import Mesh
from flexmb.verification.shell_models import sheet

STEEL = Material.isotropic(2.1e11, 0.3, 7850.0)


def warped(kind: str, offset: float = 0.01) -> tuple[Mesh, FEModel]:
    """A curved, distorted sheet of three by two cells whose nodes are not in its middle."""
    mesh, _ = sheet(kind, (3, 2), lambda r, s: (r + 0.1 * s**2, s + 0.07 * r * s, 0.2 * r * s + 0.1 * r**2))
    return mesh, assemble_shells(mesh, ShellSection.plain(STEEL, 0.05, offset))
