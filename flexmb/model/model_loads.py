"""The motion, force and sensor methods of `Model`, and the functions of time that motions take."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any


def constant_speed(rate: Any, start: Any = 0.0) -> dict[str, Any]:
    """start + rate t [rad, rad/s or m, m/s]."""
    return {"rate": rate, "start": start}


def polynomial(*coefficients: Any) -> dict[str, Any]:
    """c0 + c1 t + c2 t^2 + ..."""
    return {"polynomial": list(coefficients)}


def harmonic(amplitude: Any, frequency: Any, phase: Any = 0.0, offset: Any = 0.0) -> dict[str, Any]:
    """offset + amplitude sin(2 pi frequency t + phase); frequency in Hz."""
    return {"harmonic": {"amplitude": amplitude, "frequency": frequency, "phase": phase, "offset": offset}}


def ramp(to: Any, over: Any, start: Any = 0.0) -> dict[str, Any]:
    """Smoothly from `start` to `to` over a time [s]."""
    return {"ramp": {"to": to, "over": over, "from": start}}


def table(points: Sequence[Sequence[Any]], smooth: Any = None, interpolation: str | None = None) -> dict[str, Any]:
    """Through [[t, x], ...], "monotone" or by a cubic "spline"; measured points are smoothed at a frequency [Hz]."""
    return {"table": points, "smooth": smooth, "interpolation": interpolation}


def expression(text: str) -> dict[str, Any]:
    """A motion by an expression of t, such as "0.1*sin(2*pi*t)" [m or rad]."""
    return {"expression": text}


class LoadMethods:
    """Mixed into Model."""

    def _put(self, section: str, name: str, value: Any) -> str:
        raise NotImplementedError

    def motion(
        self,
        name: str,
        function: dict[str, Any],
        *,
        joint: str | None = None,
        coordinate: str | None = None,
        marker: str | None = None,
        along: str | None = None,
        about: str | None = None,
        relative_to: str | None = None,
    ) -> str:
        """A prescribed joint coordinate, or a component of a marker's position (along) or rotation vector (about) in
        the axes of another marker [m, rad].

        function : one of {"rate": c, "start": x0}, {"polynomial": [c0, c1, ...]}, {"ramp": {"to", "over", "from"}},
            {"harmonic": {"amplitude", "frequency", "phase", "offset"}}, {"table": [[t, x], ...], "smooth": [Hz],
            "interpolation": "monotone" or "spline"},
            {"expression": text in t}
        """
        place = dict(joint=joint, coordinate=coordinate, marker=marker)
        keys = dict(**place, along=along, about=about, relative_to=relative_to)
        return self._put("motions", name, {**keys, **function})

    def force(self, name: str, marker: str, vector: Sequence[Any], *, axes: str | None = None) -> str:
        """A force [N] on a marker: numbers or expressions of t and of sensors; axes "world" or "marker"."""
        return self._put("forces", name, {"type": "force", "marker": marker, "vector": vector, "axes": axes})

    def torque(self, name: str, marker: str, vector: Sequence[Any], *, axes: str | None = None) -> str:
        """A torque [N*m] on a marker's body."""
        return self._put("forces", name, {"type": "torque", "marker": marker, "vector": vector, "axes": axes})

    def spring_damper(
        self,
        name: str,
        first: str,
        second: str,
        *,
        stiffness: Any = None,
        damping: Any = None,
        length: Any = None,
        table: Any = None,
    ) -> str:
        """A spring [N/m] and damper [N*s/m] between two markers; `length` [m] is the free length."""
        keys = dict(stiffness=stiffness, damping=damping, length=length, table=table)
        return self._put("forces", name, {"type": "spring-damper", "markers": [first, second], **keys})

    def pair_force(self, name: str, first: str, second: str, *, effort: Any) -> str:
        """A tension [N] along the line between two markers: an expression of its `distance`, `rate`, t and sensors."""
        return self._put("forces", name, {"type": "pair-force", "markers": [first, second], "effort": effort})

    def joint_spring(
        self,
        name: str,
        joint: str,
        coordinate: str | None = None,
        *,
        stiffness: Any = None,
        damping: Any = None,
        rest: Any = None,
        table: Any = None,
    ) -> str:
        """A spring and damper on a joint coordinate; full turns are counted."""
        keys = dict(stiffness=stiffness, damping=damping, rest=rest, table=table)
        return self._put("forces", name, {"type": "joint-spring", "joint": joint, "coordinate": coordinate, **keys})

    def friction(
        self,
        name: str,
        joint: str,
        coordinate: str | None = None,
        *,
        viscous: Any = None,
        coulomb: Any = None,
        transition: Any = None,
    ) -> str:
        """Viscous and regularised Coulomb friction on a joint coordinate."""
        keys = dict(viscous=viscous, coulomb=coulomb, transition=transition)
        return self._put("forces", name, {"type": "friction", "joint": joint, "coordinate": coordinate, **keys})

    def actuator(self, name: str, joint: str, coordinate: str | None = None, *, effort: Any) -> str:
        """A force [N] or torque [N*m] on a joint coordinate: number or expression of t and of sensors."""
        keys = {"type": "actuator", "joint": joint, "coordinate": coordinate, "effort": effort}
        return self._put("forces", name, keys)

    def load_shape(self, name: str, body: str, shape: str, *, value: Any) -> str:
        """A load on the mesh of a body by one of its load shapes: pressure [Pa], temperature [K] or force [N].

        value : number or expression of t and of sensors, such as "5 MPa*sin(2*pi*t)^2"
        """
        keys = {"type": "load-shape", "body": body, "shape": shape, "value": value}
        return self._put("forces", name, keys)

    def stop(
        self,
        name: str,
        first: str,
        second: str,
        *,
        stiffness: Any,
        lower: Any = None,
        upper: Any = None,
        exponent: Any = None,
        damping: Any = None,
        restitution: Any = None,
        speed: Any = None,
        formula: str | None = None,
    ) -> str:
        """A stop of the distance between two markers: a force [N/m] beyond `lower` or `upper` that never pulls."""
        keys = dict(lower=lower, upper=upper, stiffness=stiffness, exponent=exponent, damping=damping)
        keys |= dict(restitution=restitution, speed=speed, formula=formula)
        return self._put("forces", name, {"type": "stop", "markers": [first, second], **keys})

    def joint_stop(
        self,
        name: str,
        joint: str,
        coordinate: str | None = None,
        *,
        stiffness: Any,
        lower: Any = None,
        upper: Any = None,
        exponent: Any = None,
        damping: Any = None,
        restitution: Any = None,
        speed: Any = None,
        formula: str | None = None,
    ) -> str:
        """A stop of a joint coordinate beyond `lower` or `upper`; restitution of a hit at `speed`, or damping."""
        keys = dict(lower=lower, upper=upper, stiffness=stiffness, exponent=exponent, damping=damping)
        keys |= dict(restitution=restitution, speed=speed, formula=formula)
        return self._put("forces", name, {"type": "joint-stop", "joint": joint, "coordinate": coordinate, **keys})

    def marker_stop(
        self,
        name: str,
        marker: str,
        along: str,
        *,
        stiffness: Any,
        relative_to: str | None = None,
        lower: Any = None,
        upper: Any = None,
        exponent: Any = None,
        damping: Any = None,
        restitution: Any = None,
        speed: Any = None,
        formula: str | None = None,
    ) -> str:
        """A wall or floor: a stop of the position of a marker along an axis of another one (default: ground)."""
        keys = dict(lower=lower, upper=upper, stiffness=stiffness, exponent=exponent, damping=damping)
        keys |= dict(restitution=restitution, speed=speed, formula=formula)
        target = {"type": "marker-stop", "marker": marker, "along": along, "relative_to": relative_to}
        return self._put("forces", name, {**target, **keys})

    def bushing(
        self,
        name: str,
        first: str,
        second: str,
        *,
        stiffness: Any = None,
        damping: Any = None,
        preload: Any = None,
        curves: dict[str, Any] | None = None,
    ) -> str:
        """A spring and damper for x, y, z, rx, ry, rz between two frames: six numbers or 6x6 matrices [SI].

        curves : further resisting efforts by component, such as {"x": [[displacement, force], ...]}
        """
        keys = dict(stiffness=stiffness, damping=damping, preload=preload, curves=curves)
        return self._put("forces", name, {"type": "bushing", "markers": [first, second], **keys})

    def cable(self, name: str, *markers: str, length: Any, stiffness: Any, damping: Any = None) -> str:
        """A cable [N/m] that only pulls, from marker to marker; unloaded length [m], an expression of t for a winch."""
        keys = dict(length=length, stiffness=stiffness, damping=damping)
        return self._put("forces", name, {"type": "cable", "markers": list(markers), **keys})

    def sensor(self, name: str, **keys: Any) -> str:
        """A named channel of the result (see schema.loads.Sensor)."""
        return self._put("sensors", name, keys)
