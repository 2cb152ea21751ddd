"""`Model`: the Python counterpart of a model file.

    model = Model("pendulum", gravity=(0, 0, -9.81))
    rod = model.rigid("rod", mass=1, rod=((0, 0, 0), (1, 0, 0)))
    model.revolute("pivot", model.ground, rod, at=(0, 0, 0), axis="y")
    model.analysis(end=2, step=1e-3)

A model collects plain tables, the same as those of a model file; `model.spec` is the checked object made of them.
Quantities are numbers in SI or strings with a unit. Methods return the name of what they add.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from flexmb.errors import Fault, InputError
from flexmb.model.model_beams import BeamMethods
from flexmb.model.model_couplings import CouplingMethods
from flexmb.model.model_joints import JointMethods
from flexmb.model.model_loads import LoadMethods
from flexmb.model.model_settings import apply_settings
from flexmb.model.model_text import plain, to_toml
from flexmb.model.schema import ModelSpec, read_spec
from flexmb.model.schema.mesh_bodies import MeshBody
from flexmb.model.schema.meshed_bodies import as_file

if TYPE_CHECKING:
    from flexmb.model.expressions.columns import DataTable
    from flexmb.model.schema.symbolic_spec import SymbolicSpec

Quantity = float | str
Numbers = Any
"""A list, tuple or array of quantities."""
Place = Any
"""The name of a point, or three lengths [m]."""


class Model(BeamMethods, JointMethods, CouplingMethods, LoadMethods):
    """A mechanism under construction: bodies, joints, motions, forces, sensors, and what to compute."""

    ground = "ground"

    def __init__(self, name: str = "", *, gravity: Numbers | None = None, description: str = ""):
        self._tables: dict[str, Any] = {"model": {"name": name}}
        if gravity is not None:
            self._tables["model"]["gravity"] = plain(gravity)
        if description:
            self._tables["model"]["description"] = description
        self._folder = ""
        self._start("", {})

    def _start(self, text: str, settings: dict[str, str]) -> None:
        self._text = text
        self.settings = settings
        self._spec: ModelSpec | None = None
        self._symbolic: dict[Any, SymbolicSpec] = {}
        self._repeated: list[Fault] = []
        self._files_read: Mapping[str, DataTable] = {}

    @classmethod
    def from_tables(
        cls, tables: Mapping[str, Any], text: str = "", settings: Mapping[str, str] | None = None, folder: str = ""
    ) -> Model:
        """A model from the tables of a model file; `text` is its source, `settings` the overridden
        values, `folder` where paths of body files start (empty: the current folder)."""
        model = cls()
        model._folder = folder
        model._tables = dict(tables)
        model._start(text, dict(settings or {}))
        return model

    @classmethod
    def read(cls, path: str, settings: Mapping[str, str] | None = None) -> Model:
        """Read and check a model file."""
        from flexmb.model.model_file import read_model

        return read_model(path, settings)

    def with_values(self, values: Mapping[str, Any]) -> Model:
        """A copy with other values of parameters ("speed") or of keys ("analysis.step"), not checked yet.

        Values are what a model file may have there, or text as after --set; a number for a parameter that has a unit
        keeps the unit.
        """
        tables = copy.deepcopy(self._tables)
        _, faults = apply_settings(tables, values)
        if faults:
            raise InputError(faults)
        settings = {**self.settings, **{name: str(value) for name, value in values.items()}}
        made = Model.from_tables(tables, self._text, settings, self._folder)
        made._repeated = list(self._repeated)
        made._spec = None if values else self._spec
        made._files_read = self._files_read
        return made

    def with_files_read(self) -> Model:
        """A copy that keeps the numbers of its CSV files, whatever becomes of the files."""
        made = self.with_values({})
        made._files_read = self.spec.tables
        return made

    def _section(self, section: str) -> dict[str, Any]:
        """The tables of a section, to be changed: cached results are dropped."""
        self._spec = None
        self._symbolic = {}
        self._text = ""
        table: dict[str, Any] = self._tables.setdefault(section, {})
        return table

    def _put(self, section: str, name: str, value: Any) -> str:
        named = self._section(section)
        if name in named:
            self._repeated.append(Fault(f"the name '{name}' is used twice in {section}", (section, name)))
        named[name] = plain(value)
        return name

    @property
    def name(self) -> str:
        """Name of the model, empty when it has none."""
        return str(self._tables.get("model", {}).get("name", ""))

    def parameters(self, **values: Quantity) -> None:
        """Values used as "$name" in quantities and expressions; "?" is a symbol without a value."""
        for name, value in values.items():
            self._put("parameters", name, value)

    def symbols(self, **values: Quantity) -> None:
        """Parameters that stay symbols in the equations; "?" is a symbol without a value, as it is for parameters."""
        for name, value in values.items():
            self._put("symbols", name, value)

    def expressions(self, **texts: Quantity) -> None:
        """Named expressions of t, parameters and sensors, used by name in other expressions."""
        for name, text in texts.items():
            self._put("expressions", name, text)

    def table(self, name: str, columns: Mapping[str, Numbers]) -> str:
        """Data by columns, {"speed [rpm]": numbers, "torque [N*m]": numbers}, for `interp`, motions and springs."""
        return self._put("tables", name, columns)

    def points(self, **places: Numbers) -> tuple[str, ...]:
        """Named world positions [m] in the design position; returns their names."""
        return tuple(self._put("points", name, place) for name, place in places.items())

    def rigid(
        self,
        name: str,
        *,
        mass: Quantity,
        inertia: Numbers | None = None,
        at: Place | None = None,
        orientation: Any = None,
        center: Place | None = None,
        rod: Sequence[Place] | None = None,
        rotor: Numbers | None = None,
        coordinates: str | None = None,
        velocity: Numbers | None = None,
        angular_velocity: Numbers | None = None,
        geometry: Any = None,
        color: str | None = None,
    ) -> str:
        """A rigid body: mass [kg], inertia about its centre of mass [kg*m^2]; or a uniform slender `rod` A to B.

        inertia: (3,) or (6,) entries, or (3, 3); rotor: (3,) internal angular momentum [N*m*s]; velocity and
        angular_velocity: (3,) at the start, in absolute coordinates [m/s, rad/s]
        geometry: drawn shapes, such as {"box": [0.1, 0.1, 0.2]} or a list of shapes; color: "#rrggbb" or a name
        """
        keys = dict(mass=mass, inertia=inertia, at=at, orientation=orientation, center=center, rod=rod, rotor=rotor)
        state = dict(coordinates=coordinates, velocity=velocity, angular_velocity=angular_velocity)
        return self._put("bodies", name, {**keys, **state, "geometry": geometry, "color": color})

    def marker(
        self,
        body: str,
        name: str,
        *,
        at: Place | None = None,
        along: Quantity | None = None,
        orientation: Any = None,
        axis: Any = None,
        Phi: Numbers | None = None,
        Theta: Numbers | None = None,
        G: Numbers | None = None,
        Gamma: Numbers | None = None,
    ) -> str:
        """A named frame on a body (or on ground); returns its reference "body.name".

        On a beam, `along` is the place as a fraction of its length from A. On a modal body, Phi, Theta (n, 3) and
        optionally G, Gamma (n, n, 3) are the shapes there.
        """
        shapes = {"Phi": Phi, "Theta": Theta, "G": G, "Gamma": Gamma}
        table = {"at": at, "along": along, "orientation": orientation, "axis": axis, **shapes}
        if body == self.ground:
            self._put("markers", name, table)
            return f"{body}.{name}"
        owner = self._section("bodies").get(body)
        if not isinstance(owner, dict):
            raise InputError([Fault(f"marker '{name}': no body '{body}'.", ("bodies", body), "Add the body first.")])
        markers = owner.setdefault("markers", {})
        if name in markers:
            self._repeated.append(Fault(f"the name '{name}' is used twice", ("bodies", body, "markers", name)))
        markers[name] = plain(table)
        return f"{body}.{name}"

    def analysis(self, **keys: Any) -> None:
        """Settings of the analysis: end, step or tolerance, method, ... (see schema.analysis.Analysis)."""
        self._section("analysis").update(plain(keys))

    def output(self, **keys: Any) -> None:
        """Settings of the result file: every [s], file, reactions (of the joints: true or false)."""
        self._section("output").update(plain(keys))

    def coordinates(self, **keys: Any) -> None:
        """Choice of the tree: default, absolute, branches, chords."""
        self._section("coordinates").update(plain(keys))

    def base(self, **keys: Any) -> None:
        """Prescribed motion of the ground: rotation, acceleration."""
        self._section("base").update(plain(keys))

    def check(self, progress: Callable[[str, float], None] | None = None) -> None:
        """Raise InputError with every fault of the model; reduce its meshes where the cache does not have them yet.

        progress : called with the stage of a reduction and its fraction
        """
        faults = list(self._repeated)
        try:
            if self._spec is None:
                self._spec = read_spec(self._tables, self._folder, None, progress, self._files_read)
        except InputError as error:
            faults += error.faults
        if faults:
            raise InputError(faults)

    @property
    def spec(self) -> ModelSpec:
        """The checked model: SI numbers, expressions, unit vectors."""
        self.check()
        assert self._spec is not None
        return self._spec

    def symbolic_spec(self, keep: Collection[str] | str = ()) -> SymbolicSpec:
        """The checked model with its symbols, and the parameters in `keep` (or "all"), kept as symbols."""
        key = keep if isinstance(keep, str) else tuple(keep)
        if key not in self._symbolic:
            from flexmb.model.schema.symbolic_spec import read_symbolic

            if self._repeated:
                raise InputError(self._repeated)
            self._symbolic[key] = read_symbolic(self._tables, self._folder, keep)
        return self._symbolic[key]

    def to_toml(self) -> str:
        """The model as the text of a model file."""
        return to_toml(self._tables)

    @property
    def folder(self) -> str:
        """Folder where relative paths start; empty: the current folder."""
        return self._folder

    @property
    def body_files(self) -> dict[str, str]:
        """The body files of the model as it names them: body -> path."""
        return {name: body.file.text for name, body in self.spec.bodies.items() if isinstance(body, MeshBody)}

    @property
    def identity(self) -> dict[str, Any]:
        """Everything that decides the numbers of a run, as JSON values: the tables, the contents of the body files
        in place of their paths and of meshes, and the numbers of CSV files."""
        tables: dict[str, Any] = plain(self._tables)
        if files := self._files:
            tables["tables"] = {**tables.get("tables", {}), **files}
        for name, body in self.spec.bodies.items():
            if isinstance(body, MeshBody):
                from flexmb.bodies.body_file import fingerprint

                table, file = tables["bodies"][name], f"sha256:{fingerprint(body.file.body)}"
                tables["bodies"][name] = as_file(table, file) if body.file.mesh else {**table, "file": file}
        return tables

    @property
    def _files(self) -> dict[str, Any]:
        """Numbers of the CSV files that the model names, by columns."""
        own = self._tables.get("tables", {})
        return {name: table.raw for name, table in self.spec.tables.items() if name not in own}

    @property
    def complete_text(self) -> str:
        """Its text with the numbers of its CSV files, so that it can be used without them."""
        files = self._files
        if not files:
            return self.text
        return f"{self.text.rstrip()}\n\n# Numbers of the files at the time of the run\n{to_toml({'tables': files})}"

    @property
    def text(self) -> str:
        """Source text: of the file it was read from, else the model written as one; settings come first."""
        if not self._text:
            return self.to_toml()
        return "".join(f"# --set {key}={value}\n" for key, value in self.settings.items()) + self._text
