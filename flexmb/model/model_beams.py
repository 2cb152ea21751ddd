"""The flexible-body methods of `Model`, and the cross-sections that beams take.

rod = model.beam("rod", along=("A", "B"), section=circle("3 mm"), material="steel", shapes=3)
mid = model.marker(rod, "mid", along=0.5)
model.deflection("rod_mid_y", mid, component="y")
arm = model.flexible("arm", file="arm.h5", at="A")
arm = model.flexible("arm", mesh="arm.msh", unit="mm", material="steel", interfaces=["foot", "tip"], at="A")
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Any

from flexmb.model.model_text import plain


def circle(radius: Any = None, *, diameter: Any = None) -> dict[str, Any]:
    """A solid circle: radius or diameter [m]."""
    return plain({"type": "circle", "radius": radius, "diameter": diameter})


def tube(outer: Any, inner: Any) -> dict[str, Any]:
    """A circular tube: outer and inner radius [m]."""
    return plain({"type": "tube", "outer": outer, "inner": inner})


def rectangle(y: Any, z: Any) -> dict[str, Any]:
    """A solid rectangle: sizes along the section's y and z axes [m]."""
    return plain({"type": "rectangle", "y": y, "z": z})


def i_section(height: Any, width: Any, flange: Any, web: Any) -> dict[str, Any]:
    """A doubly symmetric I: height along z, width along y, thickness of a flange and of the web [m]."""
    return plain({"type": "I", "height": height, "width": width, "flange": flange, "web": web})


def general_section(
    A: Any,
    I: Any = None,
    *,
    Iy: Any = None,
    Iz: Any = None,
    J: Any = None,
    shear_y: Any = None,
    shear_z: Any = None,
) -> dict[str, Any]:
    """A section given by its constants: area [m^2], I or Iy and Iz, J [m^4], shear coefficients."""
    keys = dict(A=A, I=I, Iy=Iy, Iz=Iz, J=J, shear_y=shear_y, shear_z=shear_z)
    return plain({"type": "general", **keys})


_CONSTANTS = ("A", "Iy", "Iz", "J", "shear_y", "shear_z")
_INTEGRALS = ("mass", "S0", "P0", "S1", "N1", "N2", "S2", "X", "N3")


def section_table(section: Any) -> Any:
    """The table of a section; a `Section` object becomes its constants."""
    if section is None or isinstance(section, (str, Mapping)) or not hasattr(section, "Iy"):
        return section
    return {"type": "general", **{key: getattr(section, key) for key in _CONSTANTS}}


def material_table(material: Any) -> Any:
    """The table of a material; a `Material` object becomes its constants."""
    if material is None or isinstance(material, (str, Mapping)) or not hasattr(material, "density"):
        return material
    return {key: getattr(material, key) for key in ("E", "G", "density")}


class BeamMethods:
    """Mixed into Model."""

    def _put(self, section: str, name: str, value: Any) -> str:
        raise NotImplementedError

    def material(self, name: str, *, E: Any, density: Any, nu: Any = None, G: Any = None) -> str:
        """A material for beams: E [Pa], density [kg/m^3], and nu or G [Pa] where beams twist or shear."""
        return self._put("materials", name, {"E": E, "nu": nu, "G": G, "density": density})

    def section(self, name: str, section: Any) -> str:
        """A cross-section that beams use by its name, e.g. circle("3 mm")."""
        return self._put("sections", name, section_table(section))

    def beam(
        self,
        name: str,
        *,
        along: Sequence[Any],
        material: Any,
        section: Any = None,
        sections: Sequence[Mapping[str, Any]] | None = None,
        masses: Sequence[Mapping[str, Any]] | None = None,
        shapes: Any = None,
        frame: str | None = None,
        field: str | None = None,
        order: Any = None,
        damping: Any = None,
        shear: bool | None = None,
        rotary_inertia: bool | None = None,
        y_axis: Any = None,
        elastic_position: Any = None,
        elastic_velocity: Any = None,
        coordinates: str | None = None,
        velocity: Any = None,
        angular_velocity: Any = None,
    ) -> str:
        """A flexible beam along (A, B): origin A, x axis towards B.

        section, material : tables, names or objects (`Section`, `Material`)
        sections : [{"to": from A [m], "section": ..., "material": ...}, ...] instead of section
        masses : [{"at": point or distance from A [m], "mass": [kg], "inertia": ..., "center": ...}, ...]
        shapes : bending shapes per plane, or {"family", "bending", "axial", "torsion", "supports", "elements"}
        frame : "chord" (default), "start", "end" or "mean"; field : "exact" (default), "quadratic" or "linear"
        elastic_position, elastic_velocity : initial elastic coordinates [m, rad] and rates
        """
        parts = None if sections is None else [_with_objects(part) for part in sections]
        made_of = dict(beam=along, y_axis=y_axis, material=material_table(material), section=section_table(section))
        keys = dict(sections=parts, masses=masses, shapes=shapes, frame=frame, field=field, order=order)
        options = dict(damping=damping, shear=shear, rotary_inertia=rotary_inertia)
        state = dict(elastic_position=elastic_position, elastic_velocity=elastic_velocity)
        state |= dict(coordinates=coordinates, velocity=velocity, angular_velocity=angular_velocity)
        return self._put("bodies", name, {**made_of, **keys, **options, **state})

    def modal(
        self,
        name: str,
        data: Any,
        *,
        K: Any = None,
        D: Any = None,
        labels: Sequence[str] | None = None,
        at: Any = None,
        orientation: Any = None,
        elastic_position: Any = None,
        elastic_velocity: Any = None,
        coordinates: str | None = None,
        velocity: Any = None,
        angular_velocity: Any = None,
    ) -> str:
        """A flexible body given by its matrices: a table of mass, S0, P0, S1, N1, N2, K, ..., or `Invariants` and K.

        Its markers carry their shapes: model.marker(name, "A", at=..., Phi=..., Theta=...).
        """
        table = data if isinstance(data, Mapping) else {key: getattr(data, key) for key in _INTEGRALS}
        extra = {key: value for key, value in dict(K=K, D=D, labels=labels).items() if value is not None}
        state = dict(elastic_position=elastic_position, elastic_velocity=elastic_velocity)
        state |= dict(coordinates=coordinates, velocity=velocity, angular_velocity=angular_velocity)
        return self._put("bodies", name, {"modal": {**table, **extra}, "at": at, "orientation": orientation, **state})

    def flexible(
        self,
        name: str,
        *,
        file: str | os.PathLike[str] | None = None,
        mesh: str | os.PathLike[str] | None = None,
        at: Any = None,
        orientation: Any = None,
        field: str | None = None,
        order: Any = None,
        damping: Any = None,
        elastic_position: Any = None,
        elastic_velocity: Any = None,
        coordinates: str | None = None,
        velocity: Any = None,
        angular_velocity: Any = None,
        **reduction: Any,
    ) -> str:
        """A flexible body from a body file, as 'flexmb reduce' writes it, or from a mesh; markers are "name.marker".

        at, orientation : origin and axes of the mesh in the design position
        field : "quadratic" or "linear"; order : 1, 2 or "full"; damping : as for a beam; default: as in the file
        reduction : with `mesh`, the keys of a body from a mesh in a model file: unit="mm", material="steel",
            interfaces=["bore_a", "bore_b"], markers, modes, below, frame, stress, ...; the mesh is reduced when the
            model is first checked or run, and kept in the cache
        """
        keys = dict(at=at, orientation=orientation, field=field, order=order, damping=damping)
        keys |= {key: None if path is None else os.fspath(path) for key, path in (("file", file), ("mesh", mesh))}
        made_of = {"material": material_table, "section": section_table}
        keys |= {key: made_of[key](value) if key in made_of else value for key, value in reduction.items()}
        if "materials" in keys:
            keys["materials"] = {name: material_table(each) for name, each in dict(keys["materials"]).items()}
        state = dict(elastic_position=elastic_position, elastic_velocity=elastic_velocity)
        state |= dict(coordinates=coordinates, velocity=velocity, angular_velocity=angular_velocity)
        return self._put("bodies", name, {**keys, **state})

    def distributed_force(
        self,
        name: str,
        beam: str,
        vector: Sequence[Any],
        *,
        axes: str | None = None,
        start: Any = None,
        to: Any = None,
    ) -> str:
        """A force per length [N/m] on a beam from `start` to `to` [m from A]; axes "world" or "section"."""
        keys = {"type": "distributed-force", "body": beam, "vector": vector, "axes": axes, "from": start, "to": to}
        return self._put("forces", name, keys)

    def deflection(
        self,
        name: str,
        marker: str,
        *,
        chord: Sequence[str] | None = None,
        component: str | None = None,
        axes: str | None = None,
    ) -> str:
        """A sensor: elastic displacement of a marker of a flexible body relative to a chord [m].

        chord : two markers of the body; default for a beam: its ends
        """
        keys = {"deflection": marker, "chord": chord, "component": component, "axes": axes}
        return self._put("sensors", name, keys)


def _with_objects(part: Mapping[str, Any]) -> dict[str, Any]:
    """A part of `sections` with its objects as tables."""
    objects = {"section": section_table(part.get("section")), "material": material_table(part.get("material"))}
    return {**part, **objects}
