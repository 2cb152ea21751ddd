"""Flexible bodies from meshes: a model gives the mesh and the words of `flexmb reduce` as keys, and the body is reduced
when the model is first read.

Enters: a table with the key `mesh`; leaves: a `Part`, all its faults with their keys, and from its reduced body in the
cache (`bodies/part_cache.py`) an ordinary body from a file (`MeshBody`), which is all that the rest of flexmb sees.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal

from flexmb.errors import Fault
from flexmb.model.schema.beams import CountField, Damping, FlexibleTable
from flexmb.model.schema.bodies import IDENTITY, RotationField
from flexmb.model.schema.fields import (
    DirectionField,
    FieldType,
    Matrix,
    PlaceField,
    Scalar,
    Vector,
    VectorOf,
    Where,
    context_of,
    field_error,
)
from flexmb.model.schema.json_forms import TEXT, Schema, either, listed
from flexmb.model.schema.load_fields import LoadsField, PrestressField
from flexmb.model.schema.marker_masses import HoldField, MassesField
from flexmb.model.schema.mesh_bodies import BodyFile, MeshBody, load_body
from flexmb.model.schema.sections import AnyMaterial, AnySection, Material
from flexmb.model.schema.table import Field, FieldError, StrictBool, ValidationInfo
from flexmb.suggestions import clipped

if TYPE_CHECKING:
    from flexmb.bodies.part import Part, Progress
    from flexmb.bodies.part_cache import OpenPart
    from flexmb.reduction.request import TieRequest

MOST_MODES = 1000
"""As in reduction/request.py, which only models with meshes import"""


@dataclass(frozen=True)
class PathField(FieldType):
    """Path of a file, relative to the folder of the model file."""

    what: str

    def read(self, value: Any, info: ValidationInfo) -> Path:
        if isinstance(value, Path):
            return value
        if not isinstance(value, str) or not value or "\0" in value:
            raise field_error(f"expected the path of {self.what}, found {clipped(value)}")
        return Path(context_of(info).folder) / value

    def json(self) -> Schema:
        return {**TEXT, "x-value": "path"}


@dataclass(frozen=True)
class TiesField(FieldType):
    """["SET", "NAME=SELECT:rbe3"] as on the command line, or { NAME = "SELECT:rbe3" }."""

    follower: bool = False

    def read(self, value: Any, info: ValidationInfo) -> tuple[TieRequest, ...]:
        from flexmb.reduction.request import TieRequest
        from flexmb.reduction.tie_words import read_tie

        tie = "follower" if self.follower else str(info.data.get("tie", "rbe2"))
        if isinstance(value, (list, tuple)) and all(isinstance(entry, TieRequest) for entry in value):
            return tuple(value)
        words: list[Any] = list(value) if isinstance(value, (list, tuple)) else []
        if isinstance(value, Mapping):
            words = [f"{name}={select}" if isinstance(select, str) else select for name, select in value.items()]
        if not isinstance(value, (list, tuple, Mapping)) or not all(isinstance(word, str) for word in words):
            raise field_error(f'expected ["SET", "NAME=SELECT"] or {{ NAME = "SELECT" }}, found {clipped(value)}')
        faults: list[Fault] = []
        found = [read_tie(word, tie, (word,), faults) for word in words]
        if faults:
            texts = [f"'{fault.path[0]}': {fault.text.rstrip('.')}. {fault.hint}".strip() for fault in faults]
            raise field_error(" ".join(texts))
        return tuple(request for request in found if request is not None)

    def json(self) -> Schema:
        table = {"type": "object", "additionalProperties": TEXT}
        return either(listed(TEXT), table, words='list of `"NAME=SELECT"`, or { NAME = "SELECT" }')


_DECKS = (".inp", ".bdf", ".nas", ".dat", ".fem", ".blk", ".cdb")
"""Endings of files that may say what their cells are made of, which is known when they are read"""
_ELSEWHERE = "belongs to a rigid body; of a body from a mesh it follows from the mesh and its materials"
_OF_BEAM = "belongs to a beam, which has 'beam' instead of 'mesh'"


class MeshedBody(FlexibleTable):
    """A flexible body of a mesh, reduced when the model is first read and kept in the cache; its keys are the options
    of 'flexmb reduce'. Body axes are those of the mesh."""

    foreign: ClassVar[dict[str, str]] = {
        **dict.fromkeys(("inertia", "center"), _ELSEWHERE),
        "file": "cannot be given together with 'mesh': a body is either reduced from a mesh or read from a body file",
        "interface": "is called 'interfaces' here",
        "load": "is called 'loads' here",
        "marker": "is called 'markers' here",
        "no_compare": "is 'compare = false' here",
        "geometry": "belongs to a rigid body: this one is drawn as the surface of its mesh",
        "rod": "belongs to a rigid body and cannot be given together with 'mesh'",
        "rotor": "belongs to a rigid body: fix one to a marker of the body",
        **dict.fromkeys(("sections", "shapes", "shear", "rotary_inertia"), _OF_BEAM),
    }

    mesh: Annotated[Path, PathField("a mesh file")] = Field(
        description="Mesh file: Gmsh, Abaqus/CalculiX, Nastran, VTK, MED, ...; path relative to the folder of the "
        "model file."
    )
    unit: str | None = Field(
        None, description="Unit of length of the mesh: m, mm, cm, in, ft, um; default: guessed, with a warning."
    )
    material: AnyMaterial | None = Field(
        None,
        description="Material: a name, or { E, nu or G, density }; with 'materials': of all other cells. Default: "
        "those of the deck, as with thicknesses and sections.",
    )
    materials: dict[str, AnyMaterial] = Field({}, description="Materials by cell set of the mesh.")
    section: AnySection | None = Field(None, description="Cross-section of line cells.")
    y_axis: Annotated[Vector, DirectionField()] | None = Field(
        None, description="Direction of the section's y axis in the axes of the mesh."
    )
    thickness: Annotated[float, Scalar("length", above=0.0)] | None = Field(
        None, description="Thickness of shell cells [m]; with 'thicknesses': of all others."
    )
    thicknesses: dict[str, Annotated[float, Scalar("length", above=0.0)]] = Field(
        {}, description="Thickness of shell cells by cell set of the mesh [m]."
    )
    lumped: StrictBool = Field(False, description="Lumped mass matrix; default: consistent.")
    hex8: Literal["incompatible", "full"] = Field(
        "incompatible", description="Bricks with 8 nodes: incompatible modes (good in bending), or full integration."
    )
    straighten: StrictBool = Field(
        False, description="Give folded second-order cells straight edges; default: a mesh with such cells is rejected."
    )
    tie: Literal["rbe2", "rbe3"] = Field(
        "rbe2", description="Tie of interfaces without :rbe2 or :rbe3: rigid or averaged."
    )
    interfaces: Annotated[tuple[Any, ...], TiesField()] = Field(
        (),
        description="Where the body is held or loaded; each becomes a marker. SELECT is a set of the mesh, box(..), "
        "plane(x=0.3), cylinder(..), sphere(..) or nearest(x,y,z), with :rbe3 for an averaged tie.",
    )
    markers: Annotated[Any, TiesField(follower=True)] = Field(
        (), description="Markers that follow the body and add no modes, as interfaces."
    )
    loads: Annotated[Any, LoadsField()] = Field(
        (),
        description="Loads on the mesh that forces of type 'load-shape' apply: pressure:FACES, temperature:CELLS (all, "
        "or growing along an axis: all:y), force:NODES:DIRECTION; parts that act together with ';' between them.",
    )
    prestress: Annotated[Any, PrestressField()] = Field(
        (),
        description="State about which the body is linearised (field linear): values of loads, 'held INTERFACE' where "
        "they are not balanced, or spin = '300 rad/s about INTERFACE:z'.",
    )
    masses: Annotated[tuple[Any, ...], MassesField()] = Field(
        (),
        description='Masses at interfaces and markers: { tip = "2 kg" }, or { tip = { mass = "2 kg", inertia = [xx, '
        "yy, zz], offset = [x, y, z] } }, in axes of the mesh.",
    )
    hold: Annotated[tuple[Any, ...], HoldField()] = Field(
        (),
        description='Nodes held in a rigid frame that moves with the body: ["SET", "SET:z"]; components x, y, z, rx, '
        "ry, rz, by default all, or those of a support of the deck.",
    )
    method: Literal["craig-bampton", "free", "fixed"] = Field("craig-bampton", description="Method of the reduction.")
    modes: Annotated[int | None, CountField(MOST_MODES)] | None = Field(
        None, description="Number of eigenmodes; default: 12, or all below 'below'."
    )
    below: Annotated[float, Scalar("frequency", above=0.0)] | None = Field(
        None, description="All eigenmodes below this frequency [Hz]."
    )
    keep_below: Annotated[float, Scalar("frequency", above=0.0)] | None = Field(
        None, description="Drop shapes of the final basis above this frequency [Hz]: allows longer steps."
    )
    band: Annotated[tuple[float, ...], VectorOf("frequency", 2)] | None = Field(
        None,
        description='Choose the shapes for a band of frequencies, e.g. [0, "2 kHz"] [Hz], until the transfer between '
        "all interfaces is within 'error', certified.",
    )
    error: Annotated[float, Scalar("number", above=0.0)] | None = Field(
        None, description="Allowed relative error of the transfer in the band; default: 0.001."
    )
    attachment: StrictBool = Field(False, description="Add attachment modes: static responses to unit loads.")
    vectors: Annotated[Path, PathField("a file of shapes (.npy or .npz)")] | None = Field(
        None, description="Your own shapes: columns of a .npy or .npz file."
    )
    frame: str = Field("mean", description='Body frame: "mean", "chord" (two interfaces) or "clamped:INTERFACE".')
    field: Literal["quadratic", "linear"] | None = Field(
        None, description="Deformation field; default: quadratic, linear for line cells and imported matrices."
    )
    order: Literal[1, 2, "full"] | None = Field(
        None, description="Quadratic field: order of the equations, or full for all terms; default: full."
    )
    stress: StrictBool = Field(False, description="Keep the surface stress of every coordinate.")
    compare: StrictBool = Field(True, description="Compare with the frequencies of the full mesh.")
    stiffness: Annotated[Path, PathField("a stiffness matrix")] | None = Field(
        None, description="Stiffness matrix computed elsewhere, for the nodes of the mesh."
    )
    mass: Annotated[Path, PathField("a mass matrix (the mass of a meshed body follows from its material)")] | None = (
        Field(None, description="Mass matrix computed elsewhere; CalculiX: found next to the .sti file.")
    )
    dofs: Annotated[Path, PathField("a list of unknowns")] | None = Field(
        None, description="Node and direction of each row of the matrices, e.g. CalculiX .dof."
    )
    at: Annotated[Where, PlaceField()] = Field(
        (0.0, 0.0, 0.0), description="Design position of the origin of the mesh [m], world axes."
    )
    orientation: Annotated[Matrix, RotationField()] = Field(
        IDENTITY, description="Axes of the mesh in the design position, as for a rigid body; default: the world axes."
    )
    damping: Damping | None = Field(None, description="Damping; default: none. Another one needs no new reduction.")

    def part(self, materials: Mapping[str, Material], sections: Mapping[str, Any], faults: list[Fault]) -> Part:
        """The part with its materials and sections, those given by name from the model; faults of single keys."""
        from flexmb.bodies.part import Part
        from flexmb.reduction.request import ReductionRequest
        from flexmb.reduction.tie_words import read_frame

        keys = {field.name for field in fields(ReductionRequest)} & type(self).fields().keys() - {"damping", "frame"}
        words = {key: getattr(self, key) for key in keys}
        words |= {"field": self.field or "", "frame": read_frame(self.frame, self.interfaces)}
        given: dict[str, tuple[tuple[str, ...], Any]] = {
            name: (("materials", name), one) for name, one in self.materials.items()
        }
        given |= {} if self.material is None else {"": (("material",), self.material)}
        made_of = {name: _material(one, materials, path, faults) for name, (path, one) in given.items()}
        section = sections.get(self.section) if isinstance(self.section, str) else self.section
        faults += self._own_faults()
        return Part(
            self.mesh,
            ReductionRequest(**words),
            {name: material for name, material in made_of.items() if material is not None},
            self.unit,
            None if section is None else section.shape(),
            self.y_axis,
            self.thicknesses | ({} if self.thickness is None else {"": self.thickness}) or None,
            self.straighten,
        )

    def _own_faults(self) -> list[Fault]:
        """Keys that do not go together."""
        faults = []
        if self.stiffness is None:
            if self.material is None and not self.materials and self.mesh.suffix.lower() not in _DECKS:
                hint = 'Give material = "steel", or { E = "210 GPa", nu = 0.3, density = 7850 }.'
                faults.append(Fault("'material' is missing.", ("material",), hint))
            for name in ("mass", "dofs"):
                if getattr(self, name) is not None:
                    text = f"'{name}' is a matrix computed elsewhere, and 'stiffness' is missing."
                    faults.append(Fault(text, (name,), "Give the stiffness matrix, or leave this out."))
            if self.y_axis is not None and self.section is None:
                faults.append(Fault("'y_axis' orients a cross-section, and none is given.", ("y_axis",)))
        else:
            for name in (
                "material",
                "materials",
                "section",
                "thickness",
                "thicknesses",
                "y_axis",
                "lumped",
                "straighten",
            ):
                if getattr(self, name):
                    text = f"matrices computed elsewhere already contain '{name}'."
                    faults.append(Fault(text, (name,), "Leave it out, or leave out 'stiffness'."))
        return faults

    def reduced(self, name: str, opened: OpenPart, progress: Progress = None) -> MeshBody:
        """The body from its file in the cache, which is made first where it is missing."""
        from flexmb.bodies.part_cache import kept_body

        text = str(opened.path)
        body = opened.body or kept_body(opened.path, lambda file: load_body("", str(file)))  # of an equal body before
        if body is None:
            opened.make(progress=progress, command=f"[bodies.{name}] of a model")
            body = load_body("", text)
            if (made := getattr(progress, "made", None)) is not None:
                made(name, body, opened.path)
        keys = {key: getattr(self, key) for key in _kept()}
        return MeshBody.model_construct(file=BodyFile(text, body, str(self.mesh)), **keys)


def tie_names(table: Mapping[str, Any]) -> list[str] | None:
    """Names of the markers that interfaces and markers of a raw table become; None when they cannot be read."""
    try:
        ties = [TiesField().read(table.get(key, ()), ValidationInfo()) for key in ("interfaces", "markers")]
    except FieldError:
        return None
    return [request.name for requests in ties for request in requests]


def _kept() -> tuple[str, ...]:
    """Keys that are not about the reduction."""
    return (*FlexibleTable.fields(), "at", "orientation", "damping")


def as_file(table: Mapping[str, Any], file: str) -> dict[str, Any]:
    """The raw table of the same body from a body file."""
    return {key: value for key, value in table.items() if key in _kept()} | {"file": file}


def _material(given: Any, named: Mapping[str, Material], path: tuple[str, ...], faults: list[Fault]) -> Any:
    """The `Material` of a table or a name; None for a name that does not exist, which the references report."""
    from flexmb.elements.material import MATERIALS
    from flexmb.elements.material import Material as Made

    if isinstance(given, str) and given not in named:
        return MATERIALS.get(given)
    table: Material = named[given] if isinstance(given, str) else given
    if table.shear_modulus is None:
        faults.append(Fault("the material needs 'nu' or 'G'.", path, "Give Poisson's ratio or the shear modulus."))
        return None
    return Made(float(table.E), float(table.shear_modulus), float(table.density), "", table.expansion)
