"""What is computed and written: coordinates, analysis and output of a model."""

from __future__ import annotations

from pathlib import PurePosixPath, PureWindowsPath
from typing import Annotated, Any, Literal

from pydantic import ConfigDict, Field, StrictBool, ValidationInfo, ValidatorFunctionWrapHandler, field_validator
from pydantic_core import PydanticKnownError

from flexmb.model.schema.bodies import Strict
from flexmb.model.schema.fields import Names, Scalar, Vector, VectorOf, refuse
from flexmb.model.schema.json_forms import any_of, given, is_one_of, rules
from flexmb.suggestions import clipped


class ModelInfo(Strict):
    """Name and surroundings of a model."""

    name: str = Field("", description="Name of the model.")
    description: str = Field("", description="Free text.")
    gravity: Annotated[Vector, VectorOf("acceleration")] = Field(
        (0.0, 0.0, 0.0), description="Acceleration of gravity in world axes [m/s^2]; default: none."
    )

    @field_validator("name")
    @classmethod
    def _check_name(cls, name: str) -> str:
        """It is printed, drawn and written into files of other formats."""
        if any(sign < " " and not sign.isspace() for sign in name):
            raise refuse("the name has control characters in it", "Write it in letters, digits and signs.")
        return name


class Coordinates(Strict):
    """Choice of the spanning tree, by the user's word."""

    default: Literal["joint", "absolute", "natural"] = Field(
        "joint",
        description="Coordinates of all bodies that say nothing else; natural: points and unit vectors, for a whole "
        "model of rigid bodies.",
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
    """What is computed."""

    model_config = ConfigDict(
        json_schema_extra=rules(
            any_of(given("end"), is_one_of("type", "static")),
            any_of(given("step"), given("tolerance"), is_one_of("type", "kinematic", "static")),
        )
    )

    type: Literal["dynamic", "kinematic", "static"] = Field(
        "dynamic", description="Time integration, motion by the drives alone, or equilibrium at t = 0."
    )
    end: Annotated[float, Scalar("time", above=0.0)] = Field(
        default_factory=lambda: None, validate_default=True, description="Final time [s]; a static analysis needs none."
    )
    start: Literal["given", "static"] = Field(
        "given",
        description="Positions at the start: as given, or the equilibrium that is found from there; given velocities "
        "and those of the motions stay.",
    )
    step: Annotated[float, Scalar("time", above=0.0)] | None = Field(
        None, description="Step [s]; with a tolerance: the first step."
    )
    max_step: Annotated[float, Scalar("time", above=0.0)] | None = Field(
        None, description="Greatest step [s]; with error control, shorter than the shortest pulse of a load."
    )
    method: Method = Field("generalized-alpha", description="Integration method.")
    rho: Annotated[float, Scalar("number", least=0.0, most=1.0)] = Field(
        0.8,
        description="Generalised-alpha: spectral radius at infinite frequency (1: no damping, open trees only; 0: "
        "most); other methods leave it unread.",
    )
    alpha: Annotated[float, Scalar("number", least=0.0, most=1.0 / 3.0)] = Field(
        0.1, description="HHT: numerical damping, 0 to 1/3; other methods leave it unread."
    )
    tolerance: Annotated[float, Scalar("number", above=0.0, most=1.0)] | None = Field(
        None, description="Relative local error: the step is then chosen by error control, else it is fixed."
    )
    formulation: Literal["augmented", "embedding", "canonical"] = Field(
        "augmented",
        description="With multipliers, with independent coordinates only, or positions and momenta (canonical: natural "
        "coordinates and rk4 only).",
    )
    independent: Annotated[tuple[str, ...], Names(what="coordinates 'joint.coordinate'")] = Field(
        (), description="Embedding: independent coordinates; default: chosen by pivoting."
    )
    elastic_start: Literal["undeformed", "quasi-static"] = Field(
        "undeformed",
        description="Elastic coordinates at the start, where a body gives none: zero, or in balance with the loads.",
    )

    @field_validator("end", mode="wrap")
    @classmethod
    def _check_end(cls, end: Any, read: ValidatorFunctionWrapHandler, info: ValidationInfo) -> float:
        """A static analysis ends where it starts; every other one needs an end."""
        if end is not None:
            return float(read(end))
        if info.data.get("type") != "static":
            raise PydanticKnownError("missing")
        return 0.0


class Output(Strict):
    """What is written."""

    every: Annotated[float, Scalar("time", above=0.0)] | None = Field(
        None, description="Interval of the output [s], interpolated; default: every step."
    )
    file: str | None = Field(
        None, description="Result file (.h5); default: the name of the model file, in the present folder."
    )
    reactions: StrictBool = Field(
        True, description="Whether the reactions of all joints are written, and the largest ones reported."
    )

    @field_validator("file")
    @classmethod
    def _check_file(cls, file: str | None) -> str | None:
        """A model may come from anybody: it does not choose a place outside of the present folder."""
        parts = (PureWindowsPath(file).parts, PurePosixPath(file).parts) if file is not None else ()
        if file is not None and (not file.strip() or "\0" in file):
            raise refuse(f"the name of a result file (.h5) is needed, found {clipped(file)}")
        if file is not None and (any(".." in path for path in parts) or file.lstrip().startswith(("/", "\\", "~"))):
            text = f"{clipped(file)} leads out of the present folder"
            raise refuse(text, "Give a name, or a path below it; any place can be chosen by -o FILE.")
        return file
