"""Request for a beam basis, and all its faults."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from flexmb.elements.beam_modes import SUPPORTS
from flexmb.elements.beam_shapes import COMPONENTS
from flexmb.elements.number_checks import is_number, is_whole, one_of, positive
from flexmb.errors import Fault
from flexmb.reduction.beam_data import SAME_PLACE, Lump, Span
from flexmb.reduction.damping import Damping, damping_faults
from flexmb.reduction.frames import FRAMES

FAMILIES = ("auto", "monomials", "modes", "elements")

_COUNT_NAMES = {"y": "bending_y", "z": "bending_z", "u": "axial", "t": "torsion"}
_DEFAULT_SUPPORTS = {
    "start": "clamped-free",
    "end": "free-clamped",
    "chord": "pinned-pinned",
    "mean": "free-free",
}
_MOST_SHAPES = 200
_MOST_ELEMENTS = 1000


@dataclass(frozen=True)
class BeamRequest:
    """The arguments of `beam_basis`."""

    length: float
    spans: tuple[Span, ...]
    family: str
    counts: dict[str, int | None]
    """shapes of each component; None: all nodal shapes"""
    supports: str | None
    elements: int | None
    frame: str
    shear: bool
    rotary_inertia: bool
    lumps: tuple[Lump, ...]
    damping: Damping
    gauss: int | None
    stations: tuple[float, ...] = ()
    """places where joints, forces and springs act [m]; only for family = "auto\""""

    @property
    def end_supports(self) -> str:
        """The supports of the modes: as given, or those that suit the frame."""
        return self.supports or _DEFAULT_SUPPORTS[self.frame]

    @property
    def rod_end(self) -> str | None:
        """End at which stretch and twist are held."""
        return {"end": "B", "mean": None}.get(self.frame, "A")

    def faults(self) -> list[Fault]:
        """All faults of the request."""
        faults = positive("length", self.length, "m")
        faults += one_of("family", self.family, FAMILIES) + one_of("frame", self.frame, FRAMES)
        if self.supports is not None:
            faults += one_of("supports", self.supports, SUPPORTS)
            if self.family in ("auto", "monomials"):
                faults.append(
                    Fault(
                        f"supports do not apply to {self.family if self.family != 'auto' else 'automatic shapes'}",
                        ("supports",),
                        "Leave them out.",
                    )
                )
        if is_number(self.length) and self.length > 0.0:
            faults += span_faults(self.spans, self.length) + _lump_faults(self.lumps, self.length)
        faults += self._count_faults() + self._element_faults() + self._section_faults()
        is_counted = all(is_whole(count) for count in self.counts.values())
        n_shapes = sum(count or 0 for count in self.counts.values()) if is_counted else None
        return faults + damping_faults(self.damping, n_shapes)

    def _count_faults(self) -> list[Fault]:
        faults = []
        for component in COMPONENTS:
            name, count = _COUNT_NAMES[component], self.counts[component]
            if count is None:
                if self.family != "elements":
                    text = f"{name}: all nodal shapes exist only for family = 'elements'"
                    faults.append(Fault(text, (name,), "Give a number of shapes."))
            elif not is_whole(count) or not 0 <= count <= _MOST_SHAPES:
                text = f"{name} must be a whole number from 0 to {_MOST_SHAPES}, found {count!r}"
                faults.append(Fault(text, (name,)))
        if self.gauss is not None and (not is_whole(self.gauss) or not 2 <= self.gauss <= 200):
            faults.append(Fault(f"gauss must be a whole number from 2 to 200, found {self.gauss!r}", ("gauss",)))
        return faults

    def _element_faults(self) -> list[Fault]:
        faults = []
        if self.family != "elements":
            if self.elements is not None:
                faults.append(Fault(f"elements do not apply to family = {self.family!r}", ("elements",)))
            if self.shear and self.family != "auto":
                text = f"shear deformation needs family = 'elements', found {self.family!r}"
                faults.append(
                    Fault(
                        text,
                        ("shear",),
                        "Use family = 'elements' or 'auto', or leave out shear: the others are Euler-Bernoulli shapes.",
                    )
                )
        elif self.elements is not None and (not is_whole(self.elements) or not 1 <= self.elements <= _MOST_ELEMENTS):
            text = f"elements must be a whole number from 1 to {_MOST_ELEMENTS}, found {self.elements!r}"
            faults.append(Fault(text, ("elements",)))
        return faults

    def _section_faults(self) -> list[Fault]:
        """Section data that the request needs and that are missing."""
        faults = []
        for number, span in enumerate(self.spans):
            if not isinstance(span, Span):
                continue  # reported by span_faults
            where = f" of span {number + 1}" if len(self.spans) > 1 else ""
            if self.counts["t"] != 0 and span.section.J is None:
                faults.append(Fault(f"torsion shapes need the torsion constant J{where}", ("section", "J")))
            for component, name, value in (
                ("y", "shear_y", span.section.shear_y),
                ("z", "shear_z", span.section.shear_z),
            ):
                if self.shear and self.counts[component] != 0 and value is None:
                    faults.append(Fault(f"shear deformation needs {name}{where}", ("section", name)))
        return faults


def span_faults(spans: Sequence[Span], length: float) -> list[Fault]:
    """Spans that do not fill the beam from end A to end B."""
    if not spans:
        return [Fault("a beam needs at least one span with a section and a material", ("spans",))]
    if not all(isinstance(span, Span) for span in spans):
        return [Fault("spans must be a list of Span(to, section, material)", ("spans",))]
    faults, last = [], 0.0
    for number, span in enumerate(spans):
        is_last = number == len(spans) - 1
        if span.to is None:
            if not is_last:
                faults.append(
                    Fault(f"span {number + 1}: only the last span may end at B by default", ("spans", number))
                )
            continue
        if not is_number(span.to) or span.to - last <= SAME_PLACE * length:
            text = f"span {number + 1} must end beyond {last:.6g} m, found {span.to!r}"
            faults.append(Fault(text, ("spans", number)))
            continue
        last = span.to
        if not is_last and last >= length * (1.0 - SAME_PLACE):
            text = f"span {number + 1} ends at {last:.6g} m and leaves no length for the next (beam of {length:.6g} m)"
            faults.append(Fault(text, ("spans", number)))
        if is_last and abs(last - length) > SAME_PLACE * length:
            text = f"the last span ends at {last:.6g} m, but the beam is {length:.6g} m long"
            faults.append(Fault(text, ("spans", number)))
    return faults


def _lump_faults(lumps: Sequence[Lump], length: float) -> list[Fault]:
    faults = []
    for number, lump in enumerate(lumps):
        if not -SAME_PLACE * length <= lump.x <= (1.0 + SAME_PLACE) * length:
            text = f"mass {number + 1} at x = {lump.x:.6g} m is not on the beam of {length:.6g} m"
            faults.append(Fault(text, ("lumps", number)))
    return faults
