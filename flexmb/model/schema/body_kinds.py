"""Kinds of bodies in [bodies], each with its own key: rigid (mass), beam (beam), given by matrices (modal), from a mesh
(mesh), from a body file (file)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Literal

from flexmb.model.schema.beams import BEAM_WORDS, BeamBody
from flexmb.model.schema.bodies import Body
from flexmb.model.schema.mesh_bodies import MeshBody
from flexmb.model.schema.meshed_bodies import MeshedBody
from flexmb.model.schema.modal import ModalBody
from flexmb.model.schema.table import Discriminator, Tag

BodyKind = Literal["rigid", "beam", "modal", "mesh", "meshed"]
_KINDS: dict[type, BodyKind] = {
    Body: "rigid",
    BeamBody: "beam",
    ModalBody: "modal",
    MeshBody: "mesh",
    MeshedBody: "meshed",
}
_KEYS: dict[str, BodyKind] = {"beam": "beam", "modal": "modal", "mesh": "meshed", "file": "mesh"}
"""Key that decides the kind."""


def body_kind(table: Any) -> BodyKind | None:
    """Kind of a raw table (or of a body that is already read); None when it is not a table."""
    if type(table) in _KINDS:
        return _KINDS[type(table)]
    if not isinstance(table, Mapping):
        return None
    for key, kind in _KEYS.items():
        if key in table:
            return kind
    meant_as_beam = "mass" not in table and any(word in table for word in BEAM_WORDS)
    return "beam" if meant_as_beam else "rigid"


AnyBody = Annotated[
    Annotated[Body, Tag("rigid")]
    | Annotated[BeamBody, Tag("beam")]
    | Annotated[ModalBody, Tag("modal")]
    | Annotated[MeshedBody, Tag("meshed")]
    | Annotated[MeshBody, Tag("mesh")],
    Discriminator(body_kind),
]
