"""The coupling methods of `Model`: conditions between the coordinates of several joints.

Wheels are named by the joints in which they turn. Radii are pitch radii [m]; angles are in rad, or have a unit.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any


class CouplingMethods:
    """Mixed into Model."""

    def _put(self, section: str, name: str, value: Any) -> str:
        raise NotImplementedError

    def coupling(self, name: str, joints: Sequence[str], coefficients: Sequence[Any], *, offset: Any = None) -> str:
        """A constant sum of joint coordinates, "joint" or "joint.coordinate", times coefficients (SI)."""
        keys = {"type": "coupling", "joints": list(joints), "coefficients": list(coefficients), "offset": offset}
        return self._put("couplings", name, keys)

    def gear(
        self,
        name: str,
        first: str,
        second: str,
        *,
        ratio: Any = None,
        teeth: Sequence[Any] | None = None,
        radii: Sequence[Any] | None = None,
        internal: bool | None = None,
        pressure_angle: Any = None,
        helix_angle: Any = None,
        carrier: str | None = None,
        markers: Sequence[str] | None = None,
    ) -> str:
        """Two wheels on parallel axes whose teeth mesh; give ratio, teeth or pitch radii. internal: the second
        is a ring."""
        keys = dict(ratio=ratio, teeth=teeth, radii=radii, internal=internal, carrier=carrier, markers=markers)
        keys |= dict(pressure_angle=pressure_angle, helix_angle=helix_angle)
        return self._put("couplings", name, {"type": "gear", "joints": [first, second], **keys})

    def rack(
        self,
        name: str,
        pinion: str,
        rack: str,
        *,
        radius: Any = None,
        toward: Any = None,
        pressure_angle: Any = None,
        helix_angle: Any = None,
    ) -> str:
        """A pinion and a rack; default radius: distance of the axis of the pinion from the line of the slide."""
        keys = dict(radius=radius, toward=toward, pressure_angle=pressure_angle, helix_angle=helix_angle)
        return self._put("couplings", name, {"type": "rack", "joints": [pinion, rack], **keys})

    def belt(
        self,
        name: str,
        first: str,
        second: str,
        *,
        ratio: Any = None,
        teeth: Sequence[Any] | None = None,
        radii: Sequence[Any] | None = None,
        crossed: bool | None = None,
        carrier: str | None = None,
        chain: bool = False,
    ) -> str:
        """A belt (or chain) around two wheels on parallel axes; give ratio, teeth or pitch radii."""
        keys = dict(ratio=ratio, teeth=teeth, radii=radii, crossed=crossed, carrier=carrier)
        return self._put("couplings", name, {"type": "chain" if chain else "belt", "joints": [first, second], **keys})

    def screw_drive(self, name: str, screw: str, nut: str, *, lead: Any) -> str:
        """A screw that turns in one joint and moves a nut in another by `lead` [m] per turn."""
        return self._put("couplings", name, {"type": "screw", "joints": [screw, nut], "lead": lead})

    def differential(self, name: str, carrier: str, left: str, right: str) -> str:
        """A differential: the carrier turns by the mean of its two sides."""
        return self._put("couplings", name, {"type": "differential", "carrier": carrier, "sides": [left, right]})

    def planetary(
        self,
        name: str,
        *,
        sun: str,
        carrier: str,
        ring: str | None = None,
        planets: Sequence[str] | None = None,
        ratio: Any = None,
        teeth: Sequence[Any] | None = None,
        pressure_angle: Any = None,
        helix_angle: Any = None,
    ) -> str:
        """A planetary train: teeth of sun and ring (or their ratio); with planets teeth of sun, planet and ring."""
        keys = dict(sun=sun, carrier=carrier, ring=ring, planets=planets, ratio=ratio, teeth=teeth)
        keys |= dict(pressure_angle=pressure_angle, helix_angle=helix_angle)
        return self._put("couplings", name, {"type": "planetary", **keys})
