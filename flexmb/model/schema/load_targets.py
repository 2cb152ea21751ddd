"""Targets of loads that several of them share."""

from __future__ import annotations

from typing import Any

from flexmb.model.schema.bodies import Strict
from flexmb.model.schema.fields import Context
from flexmb.model.schema.table import Field, ValidationInfo, model_validator


class OnCoordinate(Strict):
    """A load on one coordinate of a joint."""

    joint: str = Field(description="Joint on which it acts.")
    coordinate: str | None = Field(None, description="Its coordinate; optional if it has only one.")

    @model_validator(mode="before")
    @classmethod
    def _tell_kind(cls, data: Any, info: ValidationInfo) -> Any:
        if isinstance(info.context, Context) and isinstance(data, dict):
            info.context.kind = info.context.coordinate_kind(data.get("joint"), data.get("coordinate"))
        return data
