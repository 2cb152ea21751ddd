"""Materials and cross-sections of beams, as given in a model.

A section lies in the y-z plane of its beam, centred on the beam axis. Iz = int y^2 dA bends in the x-y plane, Iy =
int z^2 dA in the x-z plane, J is the torsion constant. Nothing physical has a default: the shapes that need
a constant (Poisson's ratio, J, shear coefficients) report it when the model does not give it.
"""

from __future__ import annotations

from typing import Annotated, Any, ClassVar, Literal

from flexmb.model.schema.bodies import Strict
from flexmb.model.schema.fields import Scalar, field_error
from flexmb.model.schema.json_forms import at_most_one, exactly_one, rules
from flexmb.model.schema.table import ConfigDict, Discriminator, Field, Tag, model_validator

Length = Annotated[float, Scalar("length", above=0.0)]
Moment = Annotated[float, Scalar("second moment of area", above=0.0)]
Coefficient = Annotated[float, Scalar("number", above=0.0, most=1.0)]


class Material(Strict):
    """An isotropic elastic material."""

    foreign: ClassVar[dict[str, str]] = {"rho": "is called 'density' here"}
    model_config = ConfigDict(json_schema_extra=rules(at_most_one("nu", "G")))

    E: Annotated[float, Scalar("stress", above=0.0)] = Field(description="Young's modulus [Pa].")
    nu: Annotated[float, Scalar("number", above=-1.0, most=0.5)] | None = Field(
        None, description="Poisson's ratio; it or G is required for torsion and shear."
    )
    G: Annotated[float, Scalar("stress", above=0.0)] | None = Field(
        None, description="Shear modulus [Pa], instead of nu."
    )
    density: Annotated[float, Scalar("density", above=0.0)] = Field(description="Density [kg/m^3].")
    expansion: Annotated[float, Scalar("thermal expansion")] | None = Field(
        None, description="Thermal expansion [1/K]; required for temperatures of bodies from meshes."
    )

    @model_validator(mode="after")
    def _one_of_nu_and_g(self) -> Material:
        if self.nu is not None and self.G is not None:
            raise field_error("nu and G are given: give only one of them (G = E / (2 (1 + nu)))")
        return self

    @property
    def shear_modulus(self) -> float | None:
        """Shear modulus [Pa]; None when the model does not give it."""
        if self.nu is not None:
            return self.E / (2.0 * (1.0 + self.nu))
        return self.G


class Circle(Strict):
    """A solid circle."""

    model_config = ConfigDict(json_schema_extra=rules(exactly_one("radius", "diameter")))

    type: Literal["circle"] = Field(description="Type of the section.")
    radius: Length | None = Field(None, description="Radius [m].")
    diameter: Length | None = Field(None, description="Diameter [m], instead of radius.")

    @model_validator(mode="after")
    def _one_size(self) -> Circle:
        if (self.radius is None) == (self.diameter is None):
            raise field_error("a circle needs either 'radius' or 'diameter'")
        return self

    def shape(self) -> Any:
        """The `Section` with its constants [m^2, m^4]."""
        from flexmb.elements.section import circle

        return circle(self.radius if self.radius is not None else 0.5 * (self.diameter or 0.0))


class Tube(Strict):
    """A circular tube."""

    type: Literal["tube"] = Field(description="Type of the section.")
    outer: Length = Field(description="Outer radius [m].")
    inner: Length = Field(description="Inner radius [m].")

    @model_validator(mode="after")
    def _has_a_wall(self) -> Tube:
        if self.inner >= self.outer:
            raise field_error(
                f"the inner radius ({self.inner:g} m) must be less than the outer radius ({self.outer:g} m)"
            )
        return self

    def shape(self) -> Any:
        """The `Section` with its constants [m^2, m^4]."""
        from flexmb.elements.section import tube

        return tube(self.outer, self.inner)


class Rectangle(Strict):
    """A solid rectangle."""

    type: Literal["rectangle"] = Field(description="Type of the section.")
    y: Length = Field(description="Size along the section's y axis [m].")
    z: Length = Field(description="Size along the section's z axis [m].")

    def shape(self) -> Any:
        """The `Section` with its constants [m^2, m^4]."""
        from flexmb.elements.section import rectangle

        return rectangle(self.y, self.z)


class ISection(Strict):
    """A doubly symmetric I: web along z, flanges along y."""

    type: Literal["I"] = Field(description="Type of the section.")
    height: Length = Field(description="Height over both flanges, along z [m].")
    width: Length = Field(description="Width of the flanges, along y [m].")
    flange: Length = Field(description="Thickness of a flange [m].")
    web: Length = Field(description="Thickness of the web [m].")

    @model_validator(mode="after")
    def _fits_together(self) -> ISection:
        if 2.0 * self.flange >= self.height:
            raise field_error(f"two flanges of {self.flange:g} m leave no web in a height of {self.height:g} m")
        if self.web >= self.width:
            raise field_error(f"the web ({self.web:g} m) must be thinner than the flanges are wide ({self.width:g} m)")
        return self

    def shape(self) -> Any:
        """The `Section` with its constants [m^2, m^4]."""
        from flexmb.elements.section import i_section

        return i_section(self.height, self.width, self.flange, self.web)


class GeneralSection(Strict):
    """A section given by its constants."""

    model_config = ConfigDict(json_schema_extra=rules(exactly_one("I", "Iy"), exactly_one("I", "Iz")))

    type: Literal["general"] = Field(description="Type of the section.")
    A: Annotated[float, Scalar("area", above=0.0)] = Field(description="Area [m^2].")
    I: Moment | None = Field(None, description="Second moment of area in both planes [m^4], instead of Iy and Iz.")
    Iy: Moment | None = Field(None, description="int z^2 dA [m^4]: bending in the x-z plane.")
    Iz: Moment | None = Field(None, description="int y^2 dA [m^4]: bending in the x-y plane.")
    J: Moment | None = Field(None, description="Torsion constant [m^4]; required for torsion shapes.")
    shear_y: Coefficient | None = Field(None, description="Shear coefficient along y; required with shear.")
    shear_z: Coefficient | None = Field(None, description="Shear coefficient along z; required with shear.")

    @model_validator(mode="after")
    def _moments(self) -> GeneralSection:
        both = self.Iy is not None and self.Iz is not None
        neither = self.Iy is None and self.Iz is None
        if not (both and self.I is None) and not (neither and self.I is not None):
            raise field_error("a general section needs 'I', or 'Iy' and 'Iz'")
        return self

    def shape(self) -> Any:
        """The `Section` with its constants [m^2, m^4]."""
        from flexmb.elements.section import general

        Iy, Iz = self.Iy or self.I, self.Iz or self.I
        assert Iy is not None and Iz is not None
        return general(self.A, Iy, Iz, self.J, self.shear_y, self.shear_z)


SECTION_TYPES = {"circle": Circle, "tube": Tube, "rectangle": Rectangle, "I": ISection, "general": GeneralSection}


def _section_tag(value: Any) -> str | None:
    if isinstance(value, str):
        return "name"
    tag = value.get("type") if isinstance(value, dict) else getattr(value, "type", None)
    return tag if isinstance(tag, str) else None


def _material_tag(value: Any) -> str | None:
    if isinstance(value, str):
        return "name"
    return "table" if isinstance(value, (dict, Material)) else None


NamedSection = Annotated[Circle | Tube | Rectangle | ISection | GeneralSection, Field(discriminator="type")]
"""A section under [sections]."""

AnySection = Annotated[
    Annotated[str, Tag("name")]
    | Annotated[Circle, Tag("circle")]
    | Annotated[Tube, Tag("tube")]
    | Annotated[Rectangle, Tag("rectangle")]
    | Annotated[ISection, Tag("I")]
    | Annotated[GeneralSection, Tag("general")],
    Discriminator(_section_tag),
]
"""A section of a beam: its table, or the name of one under [sections]."""

AnyMaterial = Annotated[Annotated[str, Tag("name")] | Annotated[Material, Tag("table")], Discriminator(_material_tag)]
"""A material of a beam: its table, the name of one under [materials], or the name of a built-in material."""
