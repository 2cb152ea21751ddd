"""Option values of `flexmb reduce`: materials, sections, interfaces, frequencies and damping, with units.

    steel    web=steel    E=210 GPa nu=0.3 density=7850    web=E=70e9 nu=0.33 density=2.7 g/cm^3
    circle radius=3 mm
    bore_a    a=bore_a    pin=cylinder(0,0,0, 0,0,1, 10 mm):rbe3
Tables (E, radius, ...) are those of the model file, with its keys, units and messages. Every reader appends its
faults to a list, so that all faults of a command are reported at once.
"""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from flexmb.axes import named_direction
from flexmb.bodies.part import usual_field
from flexmb.cli.reduce import ReduceOptions
from flexmb.elements.material import MATERIALS, Material
from flexmb.errors import Fault
from flexmb.mesh.mesh import Mesh
from flexmb.model.expressions.parser import parse_quantity
from flexmb.model.expressions.tokens import TextError
from flexmb.model.schema import sections
from flexmb.model.schema.beams import Damping
from flexmb.model.schema.bodies import Strict
from flexmb.model.schema.faults import faults_of
from flexmb.model.schema.load_fields import read_prestress
from flexmb.model.schema.table import ValidationError
from flexmb.model.units import KINDS
from flexmb.reduction.load_words import read_load
from flexmb.reduction.request import RIGID_OR_AVERAGED, ReductionRequest
from flexmb.reduction.tie_words import read_frame, read_hold, read_tie
from flexmb.suggestions import did_you_mean

_KEY = re.compile(r"(?:^|(?<=[\s,;]))([^\W\d]\w*)\s*=")
_NUMBER_FOLLOWS = re.compile(r"\s*[-+.(]?\s*\d")
_OPTIONS = {
    "interfaces": "--interface",
    "materials": "--material",
    "markers": "--marker",
    "masses": "--mass",
    "loads": "--load",
}


class _Tables(Strict):
    """Tables of the model file that option values can spell."""

    material: sections.Material | None = None
    section: sections.NamedSection | None = None
    damping: Damping | None = None


def key_values(text: str) -> tuple[str, dict[str, str]]:
    """The text before the first KEY=, and the keys with their values: "circle radius=3 mm"."""
    keys = list(_KEY.finditer(text))
    starts = [key.start() for key in keys] + [len(text)]
    values = {key[1]: text[key.end() : end].strip(" \t,;") for key, end in zip(keys, starts[1:], strict=True)}
    return text[: starts[0]].strip(" \t,;"), values


def read_materials(words: Sequence[str], faults: list[Fault]) -> dict[str, Material]:
    """Material of each cell set; "" is the whole mesh, or all cells in no other set."""
    materials: dict[str, Material] = {}
    seen: set[str] = set()
    for word in words:
        cell_set, text = _split_material(word)
        place = (f"--material {word}",)
        if cell_set in seen:
            what = f"the material of '{cell_set}'" if cell_set else "the material of all other cells"
            faults.append(Fault(f"{what} is given twice.", place))
        seen.add(cell_set)
        material = _read_material(text, place, faults)
        if material is not None:
            materials[cell_set] = material
    return materials


def _split_material(word: str) -> tuple[str, str]:
    """Cell set and material: "web=steel" and "web=E=70e9 ..." name a set, "E=70e9 ..." does not."""
    head, equals, rest = word.partition("=")
    is_property = head.strip() in sections.Material.fields() or _NUMBER_FOLLOWS.match(rest) is not None
    if not equals or is_property:
        return "", word.strip()
    return head.strip(), rest.strip()


def _read_material(text: str, place: tuple[str], faults: list[Fault]) -> Material | None:
    name, table = key_values(text)
    if not table:
        if name in MATERIALS:
            return MATERIALS[name]
        hint = did_you_mean(name, MATERIALS, "Materials")
        hint += " Or give numbers: 'E=210e9 nu=0.3 density=7850'."
        faults.append(Fault(f"no material '{name[:60]}'." if name else "a material is needed.", place, hint))
        return None
    if name:
        text = f"unexpected text '{name[:60]}' before the first number."
        faults.append(Fault(text, place, "Write 'E=210e9 nu=0.3 density=7850', or SET=... for the cells of a set."))
    found = _read_table("material", table, place, faults)
    if found is None or name:
        return None
    if found.shear_modulus is None:
        faults.append(Fault("'nu' is missing.", place, "Give Poisson's ratio nu or the shear modulus G."))
        return None
    return Material(found.E, found.shear_modulus, found.density, "", found.expansion)


def read_thickness(words: Sequence[str] | None, faults: list[Fault]) -> dict[str, float] | None:
    """Thickness of the shells of each cell set; "" is all shells in no other set. None: not given, or wrong."""
    found: dict[str, float] = {}
    for word in words or []:
        cell_set, equals, text = word.rpartition("=")
        cell_set = cell_set.strip()
        if cell_set in found:
            what = f"the thickness of '{cell_set}'" if equals else "the thickness of all other shells"
            faults.append(Fault(f"{what} is given twice.", (f"--thickness {word}",)))
        number = read_number("--thickness", text.strip(), "length", faults)
        if number is not None and number <= 0.0:
            faults.append(Fault(f"a thickness must be positive, found {number:g} m.", (f"--thickness {word}",)))
        elif number is not None:
            found[cell_set] = number
    return found or None


def read_section(word: str | None, faults: list[Fault]) -> Any:
    """A cross-section such as "circle radius=3 mm"; None if it is not given or wrong."""
    if word is None:
        return None
    place = (f"--section {word}",)
    name, table = key_values(word)
    if name not in sections.SECTION_TYPES:
        text = f"'{name[:60]}' is not a cross-section." if name else "the type of cross-section is missing."
        hint = did_you_mean(name, sections.SECTION_TYPES, "Types")
        faults.append(Fault(text, place, f"{hint} Write e.g. 'circle radius=3 mm'."))
        return None
    found = _read_table("section", {**table, "type": name}, place, faults)
    return None if found is None else found.shape()


def read_damping(word: str | None, faults: list[Fault]) -> Any:
    """A ratio ("0.01", "1 %"), "adams", or "mass=5 stiffness=1e-6"."""
    if word is None:
        return None
    place = (f"--damping {word}",)
    name, table = key_values(word)
    if not table and name.isalpha() and name != "adams":
        hint = "Allowed: a ratio (0.01 or '1 %'), adams, or 'mass=5 stiffness=1e-6'."
        faults.append(Fault(f"'{name[:60]}' is not a damping.", place, hint))
        return None
    if not table and name != "adams":
        ratio = read_number("--damping", word, "number", faults)
        if ratio is not None and ratio < 0.0:
            faults.append(Fault("the damping ratio must not be negative.", place))
        elif ratio is not None and ratio > 1.0:
            hint = f"If you mean {ratio:g} %, write '{ratio:g} %'."
            faults.append(Fault(f"a ratio of {ratio:g} is {100 * ratio:g} % of critical damping.", place, hint))
        return None if ratio is None else {"ratio": ratio}
    found = _read_table("damping", name if not table else table, place, faults)
    return None if found is None else found.choice


def _read_table(key: str, value: Any, place: tuple[str], faults: list[Fault]) -> Any:
    try:
        return getattr(_Tables.model_validate({key: value}), key)
    except ValidationError as error:
        found = [_sentence(fault) for fault in faults_of(error, _Tables)]
        faults += [Fault(fault.text.replace(f" of [{key}]", f" of a {key}"), place, fault.hint) for fault in found]
        return None


def read_number(option: str, word: str | None, kind: str, faults: list[Fault]) -> float | None:
    """A number with or without a unit, in SI."""
    if word is None:
        return None
    try:
        number = parse_quantity(word, KINDS[kind])
    except TextError as error:
        faults.append(_sentence(Fault(error.message, (f"{option} {word}",), error.hint)))
        return None
    except OverflowError:
        number = math.inf
    if not math.isfinite(number):
        faults.append(Fault("the number is not finite.", (f"{option} {word}",)))
        return None
    return number


def read_band(option: str, word: str | None, faults: list[Fault]) -> tuple[float, float] | None:
    """Two frequencies [Hz]: "0:2000", "0:2 kHz" (both kHz), "500 Hz:2 kHz"; one alone is the end of a band from 0."""
    if word is None:
        return None
    low, colon, high = word.rpartition(":")
    if not colon:
        low = "0"
    elif (unit := re.search(r"[a-zA-Z][a-zA-Z/]*\s*$", high)) and not re.search(r"[a-zA-Z]\s*$", low):
        low = f"{low} {unit[0]}"
    wrong: list[Fault] = []
    ends = [read_number(option, end, "frequency", wrong) for end in (low, high)]
    faults += [Fault(fault.text, (f"{option} {word}",), fault.hint) for fault in wrong[-1:]]
    if ends[0] is None or ends[1] is None:
        return None
    return ends[0], ends[1]


def read_count(option: str, word: str | None, faults: list[Fault]) -> int | None:
    """A whole number."""
    if word is None:
        return None
    if not re.fullmatch(r"\+?\d{1,9}", word.strip()):
        faults.append(Fault("expected a whole number.", (f"{option} {word}",)))
        return None
    return int(word)


def read_axis(option: str, word: str | None, faults: list[Fault]) -> tuple[float, float, float] | None:
    """A direction: x, -z, or three numbers such as "0,1,1"."""
    if word is None:
        return None
    text = word.strip()
    if (direction := named_direction(text)) is not None:
        return direction
    try:
        numbers = tuple(float(part) for part in text.strip("()[]").replace(",", " ").split())
    except ValueError:
        numbers = ()
    if len(numbers) != 3 or not all(math.isfinite(number) for number in numbers) or not any(numbers):
        faults.append(Fault("expected a direction: x, y, z, or three numbers such as '0,1,1'.", (f"{option} {word}",)))
        return None
    return numbers


def read_request(options: ReduceOptions, mesh: Mesh | None, faults: list[Fault]) -> ReductionRequest:
    """The reduction request of the command line; mesh : None if it could not be read"""
    from flexmb.cli.mass_arguments import read_masses

    tie = options.tie.strip().lower()
    if tie not in RIGID_OR_AVERAGED:
        hint = did_you_mean(tie, RIGID_OR_AVERAGED, "Choices")
        faults.append(Fault(f"'{tie[:60]}' is not a tie.", (f"--tie {options.tie}",), hint))
        tie = RIGID_OR_AVERAGED[0]
    sets: Collection[str] = mesh.node_sets if mesh is not None else ()
    masses = read_masses(options.mass or [], faults) if options.stiffness is None else ()
    interfaces = read_ties("--interface", options.interface or [], tie, sets, faults)
    loads = _made(read_load(word, (f"--load {word}",), faults) for word in options.load or [])
    prestress = (read_prestress(word, loads, (f"--prestress {word}",), faults) for word in options.prestress or [])
    return ReductionRequest(
        interfaces=interfaces,
        markers=read_ties("--marker", options.marker or [], "follower", sets, faults),
        method=options.method.strip().lower(),
        modes=read_count("--modes", options.modes, faults),
        below=read_number("--below", options.below, "frequency", faults),
        keep_below=read_number("--keep-below", options.keep_below, "frequency", faults),
        band=read_band("--band", options.band, faults),
        error=read_number("--error", options.error, "number", faults),
        attachment=options.attachment,
        vectors=options.vectors,
        frame=read_frame(options.frame, interfaces),
        field=(options.field or usual_field(mesh, options.stiffness is not None)).strip().lower(),
        order=read_order(options.order),
        damping=read_damping(options.damping, faults),
        lumped=options.lumped,
        hex8=options.hex8.strip().lower(),
        stress=options.stress,
        compare=not options.no_compare,
        stiffness=options.stiffness,
        mass=Path(options.mass[0]) if options.mass and options.stiffness is not None else None,
        dofs=options.dofs,
        loads=loads,
        prestress=_made(prestress),
        masses=masses,
        hold=tuple(read_hold(word, sets) for word in options.hold or []),
    )


def _made(found: Iterable[Any]) -> tuple[Any, ...]:
    """Those that could be read"""
    return tuple(one for one in found if one is not None)


def elsewhere_faults(options: ReduceOptions, materials_of_deck: bool) -> list[Fault]:
    """Options that do not go together or need another one, with and without matrices computed elsewhere."""
    faults = []
    if options.stiffness is None:
        if options.dofs is not None:
            text = "this option needs a stiffness matrix computed elsewhere, and none is given."
            faults.append(Fault(text, ("--dofs",), "Give --stiffness FILE."))
        if not options.material and not materials_of_deck:
            hint = f"Give --material {next(iter(MATERIALS))} (or {', '.join(list(MATERIALS)[1:])})"
            hint += ", or --material 'E=210e9 nu=0.3 density=7850'."
            faults.append(Fault("no material is given.", (), hint))
        if options.y_axis is not None and options.section is None:
            faults.append(
                Fault("this option orients a cross-section, and none is given.", ("--y-axis",), "Give --section.")
            )
        return faults
    if options.mass and len(options.mass) > 1:
        faults.append(Fault("with --stiffness it is one mass matrix.", ("--mass",), "Give it once."))
    for name in ("material", "section", "thickness", "y_axis", "lumped", "straighten"):
        if getattr(options, name):
            text = "matrices computed elsewhere already contain this."
            faults.append(Fault(text, (f"--{name.replace('_', '-')}",), "Leave it out, or leave out --stiffness."))
    return faults


def given_by(options: ReduceOptions, request: ReductionRequest) -> dict[str, str]:
    """NAME -> option and value that gave an interface or a marker, for messages."""
    given: dict[str, str] = {}
    for option, ties, words in (
        ("--interface", request.interfaces, options.interface or []),
        ("--marker", request.markers, options.marker or []),
    ):
        for tie in ties:
            own = re.compile(rf"\s*{re.escape(tie.name)}\s*($|[=:])")
            word = next((word for word in words if own.match(word)), tie.name)
            given.setdefault(tie.name, f"{option} {word}")
    words = options.load or []
    names = [load.name for load in request.loads]
    given |= {f"load {name}": f"--load {word}" for word in words for name in names if word.startswith(f"{name}=")}
    return given


def read_ties(option: str, words: Sequence[str], tie: str, sets: Collection[str], faults: list[Fault]) -> Any:
    """(TieRequest, ...) of all words of an option."""
    ties = (read_tie(word, tie, (f"{option} {word}",), faults, sets, f"{option} ") for word in words)
    return tuple(request for request in ties if request is not None)


def read_order(word: str | None) -> Any:
    """ "full", 2, 1; anything else unchanged, for the check of choices to reject."""
    return int(word) if word in ("1", "2") else word


def as_options(faults: Sequence[Fault], given: Mapping[str, str]) -> list[Fault]:
    """Faults with the option they belong to as their place, without repeats; given : see `given_by`"""
    found = (_sentence(Fault(fault.text, _option(fault.path, given), fault.hint)) for fault in faults)
    return list(dict.fromkeys(found))


def _option(path: tuple[str | int, ...], given: Mapping[str, str]) -> tuple[str | int, ...]:
    if not path or str(path[0]).startswith("-"):
        return path
    key, *rest = (str(part) for part in path)
    if key in ("interfaces", "markers") and rest:
        return (given.get(rest[0], rest[0]),)
    if key == "loads" and rest:
        return (given.get(f"load {rest[0]}", f"--load {rest[0]}"),)
    if key not in _OPTIONS and key not in ReduceOptions.__dataclass_fields__:
        return path
    option = _OPTIONS.get(key, f"--{key.replace('_', '-')}")
    return (" ".join([option, *rest]),)


def _sentence(fault: Fault) -> Fault:
    """The fault with a full stop before the hint."""
    text = fault.text if fault.text.endswith((".", "?")) or "\n" in fault.text else f"{fault.text}."
    return Fault(text, fault.path, fault.hint)
