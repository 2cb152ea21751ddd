"""The joint methods of `Model`, one for each joint type.

`first` and `second` are body names, placed by `at` and directions; or marker references "body.marker", which place the
joint. Every joint also takes
    position, velocity : initial coordinates and rates [m, rad, 1/s], one number or a list
    tree : True: must be a branch of the tree; False: must be a chord
    limits : [a, b], with limit_stiffness and perhaps limit_damping: a stop at both ends of its only coordinate
    motion : prescribed motion of its coordinate, e.g. constant_speed(150); `coordinate` selects it.
"""

from __future__ import annotations

from typing import Any, TypedDict, Unpack

LIMITS = ("limits", "limit_stiffness", "limit_damping")


class JointOptions(TypedDict, total=False):
    """Keys that every joint takes."""

    position: Any
    velocity: Any
    tree: bool
    limits: Any
    limit_stiffness: Any
    limit_damping: Any
    motion: dict[str, Any]
    coordinate: str


class JointMethods:
    """Mixed into Model."""

    def _put(self, section: str, name: str, value: Any) -> str:
        raise NotImplementedError

    def _joint(self, kind: str, name: str, first: str, second: str, options: JointOptions, **keys: Any) -> str:
        placed_by = "markers" if "." in first or "." in second else "bodies"
        motion = options.get("motion")
        state = {key: options.get(key) for key in ("position", "velocity", "tree", *LIMITS)}
        self._put("joints", name, {"type": kind, placed_by: [first, second], **keys, **state})
        if motion is not None:
            self._put("motions", name, {"joint": name, "coordinate": options.get("coordinate"), **motion})
        return name

    def fixed(self, name: str, first: str, second: str, *, at: Any = None, **options: Unpack[JointOptions]) -> str:
        """No relative motion."""
        return self._joint("fixed", name, first, second, options, at=at)

    def revolute(
        self, name: str, first: str, second: str, *, at: Any = None, axis: Any = None, **options: Unpack[JointOptions]
    ) -> str:
        """Turns about `axis`: [angle]."""
        return self._joint("revolute", name, first, second, options, at=at, axis=axis)

    def prismatic(
        self, name: str, first: str, second: str, *, at: Any = None, axis: Any = None, **options: Unpack[JointOptions]
    ) -> str:
        """Slides along `axis`: [slide]."""
        return self._joint("prismatic", name, first, second, options, at=at, axis=axis)

    def cylindrical(
        self, name: str, first: str, second: str, *, at: Any = None, axis: Any = None, **options: Unpack[JointOptions]
    ) -> str:
        """Slides along and turns about `axis`: [slide, angle]."""
        return self._joint("cylindrical", name, first, second, options, at=at, axis=axis)

    def screw(
        self,
        name: str,
        first: str,
        second: str,
        *,
        lead: Any,
        at: Any = None,
        axis: Any = None,
        **options: Unpack[JointOptions],
    ) -> str:
        """Turns about `axis` and advances by `lead` [m] per turn: [angle]."""
        return self._joint("screw", name, first, second, options, at=at, axis=axis, lead=lead)

    def universal(
        self, name: str, first: str, second: str, *, at: Any = None, axes: Any = None, **options: Unpack[JointOptions]
    ) -> str:
        """Turns about axes[0] (fixed in the first body) and axes[1] (in the second): [angle1, angle2]."""
        return self._joint("universal", name, first, second, options, at=at, axes=axes)

    def spherical(self, name: str, first: str, second: str, *, at: Any = None, **options: Unpack[JointOptions]) -> str:
        """Turns freely about a point: rates [wx, wy, wz]."""
        return self._joint("spherical", name, first, second, options, at=at)

    def planar(
        self, name: str, first: str, second: str, *, at: Any = None, axis: Any = None, **options: Unpack[JointOptions]
    ) -> str:
        """Moves in the plane normal to `axis`: [x, y, angle]."""
        return self._joint("planar", name, first, second, options, at=at, axis=axis)

    def free(self, name: str, first: str, second: str, *, at: Any = None, **options: Unpack[JointOptions]) -> str:
        """Moves freely: [x, y, z] and rates [wx, wy, wz]."""
        return self._joint("free", name, first, second, options, at=at)

    def pin_in_slot(
        self,
        name: str,
        first: str,
        second: str,
        *,
        at: Any = None,
        axis: Any = None,
        slot: Any = None,
        **options: Unpack[JointOptions],
    ) -> str:
        """A pin along `axis` in a `slot` of the first body: [slide, angle]."""
        return self._joint("pin-in-slot", name, first, second, options, at=at, axis=axis, slot=slot)

    def point_on_line(
        self, name: str, first: str, second: str, *, at: Any = None, line: Any = None, **options: Unpack[JointOptions]
    ) -> str:
        """A point of the second body on a `line` of the first: [slide] and rates [wx, wy, wz]."""
        return self._joint("point-on-line", name, first, second, options, at=at, line=line)

    def distance(
        self, name: str, first: str, second: str, *, at: Any = None, length: Any = None, **options: Unpack[JointOptions]
    ) -> str:
        """A constant distance between two points, at = (on the first, on the second body)."""
        return self._joint("distance", name, first, second, options, at=at, length=length)

    def rolling(
        self,
        name: str,
        first: str,
        second: str,
        *,
        radius: Any,
        at: Any = None,
        normal: Any = None,
        axis: Any = None,
    ) -> str:
        """A disc (second body, `axis`, `radius`) that rolls without slip on a plane of the first (`at`, `normal`)."""
        return self._joint("rolling", name, first, second, {}, at=at, normal=normal, axis=axis, radius=radius)
