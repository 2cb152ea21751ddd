"""Coordinates, analysis and output of a model: what is computed and what is written."""

from __future__ import annotations

from pathlib import PurePosixPath, PureWindowsPath
from typing import Annotated, Any, Literal

from flexmb.model.schema.bodies import Strict
from flexmb.model.schema.fields import Names, Scalar, Vector, VectorOf, field_error
from flexmb.model.schema.json_forms import any_of, given, is_one_of, rules
from flexmb.model.schema.table import (
    ConfigDict,
    Field,
    MissingError,
    StrictBool,
    ValidationInfo,
    ValidatorFunctionWrapHandler,
    field_validator,
)
from flexmb.suggestions import clipped


class ModelInfo(Strict):
    """Name, description and gravity of a model."""

    name: str = Field("", description="Name of the model.")
    description: str = Field("", description="Free text.")
    gravity: Annotated[Vector, VectorOf("acceleration")] = Field(
        (0.0, 0.0, 0.0), description="Acceleration of gravity in world axes [m/s^2]; default: none."
    )

    @field_validator("name")
    @classmethod
    def _check_name(cls, name: str) -> str:
        """Reject control characters: the name is printed, drawn and written to other file formats."""
        if any(sign < " " and not sign.isspace() for sign in name):
            raise field_error("the name contains control characters", "Use letters, digits and punctuation.")
        return name


class Coordinates(Strict):
    """The user's choice of coordinates and of the spanning tree."""

    default: Literal["joint", "absolute", "natural"] = Field(
        "joint",
        description="Coordinates of all bodies without a choice of their own; natural: points and unit vectors, for "
        "models of rigid bodies only.",
    )
    absolute: Annotated[tuple[str, ...], Names(what="bodies")] = Field(
        (), description="Bodies in absolute coordinates."
    )
    branches: Annotated[tuple[str, ...], Names(what="joints")] = Field(
        (), description="Joints that must be in the tree."
    )
    chords: Annotated[tuple[str, ...], Names(what="joints")] = Field((), description="Joints that must be chords.")


Method = Literal["generalized-alpha", "hht", "shi-mcphee", "rk4", "rk45"]


class Analysis(Strict):
    """Settings of the analysis."""

    model_config = ConfigDict(
        json_schema_extra=rules(
            any_of(given("end"), is_one_of("type", "static")),
            any_of(given("step"), given("tolerance"), is_one_of("type", "kinematic", "static")),
        )
    )

    type: Literal["dynamic", "kinematic", "static"] = Field(
        "dynamic", description="Time integration, motion of the drives alone, or equilibrium at t = 0."
    )
    end: Annotated[float, Scalar("time", above=0.0)] = Field(
        default_factory=lambda: None, validate_default=True, description="Final time [s]; not for a static analysis."
    )
    start: Literal["given", "static"] = Field(
        "given",
        description="Positions at the start: as given, or the equilibrium found from there; velocities that are given "
        "or prescribed by motions are kept.",
    )
    step: Annotated[float, Scalar("time", above=0.0)] | None = Field(
        None, description="Step size [s]; with a tolerance: the first step."
    )
    max_step: Annotated[float, Scalar("time", above=0.0)] | None = Field(
        None, description="Largest step [s]; with error control, make it shorter than the shortest load pulse."
    )
    method: Method = Field("generalized-alpha", description="Integration method.")
    rho: Annotated[float, Scalar("number", least=0.0, most=1.0)] = Field(
        0.8,
        description="Generalised-alpha: spectral radius at infinite frequency (1: no damping, open trees only; 0: "
        "most damping); other methods ignore it.",
    )
    alpha: Annotated[float, Scalar("number", least=0.0, most=1.0 / 3.0)] = Field(
        0.1, description="HHT: numerical damping, 0 to 1/3; other methods ignore it."
    )
    tolerance: Annotated[float, Scalar("number", above=0.0, most=1.0)] | None = Field(
        None, description="Relative local error for step size control; default: a fixed step."
    )
    newton_tolerance: Annotated[float, Scalar("number", above=0.0, most=1e-3)] | None = Field(
        None,
        description="Implicit methods: error that Newton's iteration leaves in a step, relative to the largest "
        "acceleration; default: 1e-9. Smaller for smoother multipliers, e.g. when results are differentiated.",
    )
    formulation: Literal["augmented", "embedding", "canonical"] = Field(
        "augmented",
        description="Lagrange multipliers, independent coordinates only, or positions and momenta (canonical: natural "
        "coordinates and rk4 only).",
    )
    independent: Annotated[tuple[str, ...], Names(what="coordinates 'joint.coordinate'")] = Field(
        (), description="Embedding: independent coordinates; default: chosen by pivoting."
    )
    elastic_start: Literal["undeformed", "quasi-static"] = Field(
        "undeformed",
        description="Initial elastic coordinates of bodies that give none: zero, or in equilibrium with the loads.",
    )

    @field_validator("end", mode="wrap")
    @classmethod
    def _check_end(cls, end: Any, read: ValidatorFunctionWrapHandler, info: ValidationInfo) -> float:
        """Require an end, except for a static analysis."""
        if end is not None:
            return float(read(end))
        if info.data.get("type") != "static":
            raise MissingError
        return 0.0


class Output(Strict):
    """Settings of the result file."""

    every: Annotated[float, Scalar("time", above=0.0)] | None = Field(
        None, description="Output interval [s], interpolated; default: every step."
    )
    file: str | None = Field(
        None, description="Result file (.h5); default: the name of the model file, in the current folder."
    )
    reactions: StrictBool = Field(True, description="Write the reactions of all joints and report the largest ones.")

    @field_validator("file")
    @classmethod
    def _check_file(cls, file: str | None) -> str | None:
        """Reject paths outside of the current folder, since a model may come from anyone."""
        parts = (PureWindowsPath(file).parts, PurePosixPath(file).parts) if file is not None else ()
        if file is not None and (not file.strip() or "\0" in file):
            raise field_error(f"expected the name of a result file (.h5), found {clipped(file)}")
        if file is not None and (any(".." in path for path in parts) or file.lstrip().startswith(("/", "\\", "~"))):
            text = f"{clipped(file)} is outside of the current folder"
            raise field_error(text, "Give a name or a path below it; -o FILE can write anywhere.")
        return file
