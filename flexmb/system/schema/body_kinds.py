"""Which kind of body a table of [bodies] is: rigid (mass), a flexible beam (beam), or flexible by matrices (modal)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Literal

from pydantic import Discriminator, Tag

from flexmb.system.schema.beams import BEAM_WORDS, BeamBody
from flexmb.system.schema.bodies import Body
from flexmb.system.schema.modal import ModalBody

BodyKind = Literal["rigid", "beam", "modal"]


def body_kind(table: Any) -> BodyKind | None:
    """Kind of a raw table (or of a body that is already read); None when it is no table."""
    if isinstance(table, Body | BeamBody | ModalBody):
        return "rigid" if isinstance(table, Body) else "beam" if isinstance(table, BeamBody) else "modal"
    if not isinstance(table, Mapping):
        return None
    if "beam" in table:
        return "beam"
    if "modal" in table:
        return "modal"
    meant_as_beam = "mass" not in table and any(word in table for word in BEAM_WORDS)
    return "beam" if meant_as_beam else "rigid"


AnyBody = Annotated[
    Annotated[Body, Tag("rigid")] | Annotated[BeamBody, Tag("beam")] | Annotated[ModalBody, Tag("modal")],
    Discriminator(body_kind),
]
