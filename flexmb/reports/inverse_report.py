"""Report of inverse dynamics: efforts of the drives and reactions of the joints, with their sign conventions."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Literal

import numpy as np

from flexmb.arrays import Floats
from flexmb.axes import AXES
from flexmb.reports.run_report import entry, ill_determined_text, not_unique_text, repeated_text
from flexmb.reports.section_report import section_lines
from flexmb.reports.warnings import ill_determined_warning, not_unique_warning
from flexmb.results.beam_forces import SectionForces
from flexmb.results.inverse_result import Departure, Fit, InverseDynamics
from flexmb.system.beam_plane import twist_advice
from flexmb.system.placement import place
from flexmb.warning import WarningRecord

LARGE_DIFFERENCE = 0.01
"""Difference between the two methods of reactions as a part of the peak that gives a warning."""

_SIGNS = (
    "act on the second body of a joint, at its marker there; the opposite force and moment act on the first body, at "
    "the same point. They exclude efforts along the free motions of the joint (drives, springs, actuators). Joint axes "
    "are those of the joint's marker on the first body. Largest values are taken over the rows of the result."
)


def inverse_report(inverse: InverseDynamics, beams: Mapping[str, SectionForces] | None = None) -> str:
    """Drives, reactions, components that are not unique, and section forces, as plain text below the run report.

    beams : section forces of the beams (`analyses.section_forces.beam_forces`).
    """
    lines = [f"{inverse.result.name or 'unnamed model'}: inverse dynamics", ""]
    lines += entry("drives", freedom_text(inverse))
    lines += entry("sign of an effort", "positive along the driven coordinate, as an actuator there")
    lines += entry("reactions", _SIGNS)
    if inverse.recursive is not None:
        lines += entry("method", method_text(inverse))
    if inverse.n_repeated or not inverse.ill_determined:
        lines += entry("not unique", unique_text(inverse))
    if inverse.ill_determined:
        lines += entry("ill-determined", ill_determined_text(inverse.ill_determined, _advice(inverse)))
    if inverse.fit is not None:
        lines += fit_lines(inverse.fit, inverse.result.time)
    lines += ["", *_drive_table(inverse)]
    if inverse.reactions:
        lines += ["", *_reaction_table(inverse, "force")]
        lines += ["", *_reaction_table(inverse, "moment")]
    if sections := section_lines(beams or {}, len(inverse.result)):
        lines += ["", *sections]
    return "\n".join(lines)


def _advice(inverse: InverseDynamics) -> str:
    """Advice on the beams of a model with ill-determined reactions."""
    spec = inverse.model.spec
    return twist_advice(spec, place(spec)) if inverse.n_elastic else ""


def inverse_warnings(inverse: InverseDynamics) -> Iterator[WarningRecord]:
    """Warnings about reactions beside those of the run."""
    spec, known = inverse.model.spec, {warning.code for warning in inverse.result.warnings}
    if inverse.n_repeated and "reactions-not-unique" not in known:
        yield not_unique_warning(spec, inverse.n_repeated, inverse.not_unique, unique_text(inverse))
    if inverse.ill_determined and "ill-determined-reactions" not in known:
        yield ill_determined_warning(spec, inverse.ill_determined, _advice(inverse))
    if inverse.recursive is not None and not inverse.method_difference <= LARGE_DIFFERENCE:
        text = (
            f"the two methods of reactions differ by {inverse.method_difference:.2g} of the peak: neither is certain. "
            "Use a smaller step."
        )
        yield WarningRecord("methods-differ", text, "joints", None, inverse.method_difference, "1")


def freedom_text(inverse: InverseDynamics) -> str:
    """Degrees of freedom that the motions drive, those left, and how these are solved."""
    n, free = inverse.n_driven, inverse.n_free
    if inverse.fit is not None:
        return f"{n} motions are fitted: the motion follows from them alone, nothing is integrated"
    text = f"{n} motion{'s' if n != 1 else ''} drive{'s' if n == 1 else ''} "
    rigid = "rigid " if inverse.n_elastic else ""
    if free:
        text += f"{n} of {n + free} {rigid}degrees of freedom; "
        text += f"the other {free} move{'s' if free == 1 else ''} under the loads and are integrated"
        text = text.replace("the other 1 moves under the loads and are", "the other one moves under the loads and is")
    else:
        text += f"the only {rigid}degree of freedom" if n == 1 else f"all {n} {rigid}degrees of freedom"
    if inverse.how == "kinematic":
        return f"{text}: the motion follows from {'it' if n == 1 else 'them'} alone, nothing is integrated"
    if inverse.n_elastic:
        found = "in balance with the loads and the inertia of the motion" if inverse.how == "quasi-static" else ""
        text += f"; {inverse.n_elastic} elastic coordinates are not prescribed: they are {found or 'integrated'}"
    return text


def method_text(inverse: InverseDynamics) -> str:
    """Method of the reactions when not by multipliers, and how well both methods agree."""
    assert inverse.recursive is not None
    text = (
        "recursive: from the ends of the tree inwards, body by body, chords from the joint equations. Largest "
        f"difference from the reactions by multipliers: {inverse.method_difference:.2g} of the peak"
    )
    if inverse.how == "dynamic":
        text += " (including the error of rows interpolated between steps)"
    if not all(known.all() for known in inverse.recursive.determined.values()):
        text += "; components that the joint equations leave open are not compared: the smallest are listed"
    return text


def unique_text(inverse: InverseDynamics) -> str:
    """Reactions that depend on the choice among redundant constraints."""
    if not inverse.n_repeated:
        return "none: no constraint repeats others, every effort and reaction is determined"
    n = inverse.n_repeated
    if inverse.fit is not None:
        rows = f"{n} row{'s' if n != 1 else ''} of joints and motions repeat{'s' if n == 1 else ''} others"
        return not_unique_text(rows, inverse.not_unique)
    return not_unique_text(repeated_text(n), inverse.not_unique)


def _drive_table(inverse: InverseDynamics) -> Iterator[str]:
    names = [drive.name for drive in inverse.drives]
    width = max([24, *(len(name) + 2 for name in names)])
    heads = f"{'largest effort':>15}{'at t [s]':>12}{'rms':>13}{'unit':>6}{'work [J]':>14}"
    yield f"  {'drive':<{width}}{heads}"
    time = inverse.result.time
    for drive in inverse.drives:
        row = int(np.argmax(np.abs(drive.effort)))
        numbers = f"{drive.effort[row]:>15.6g}{time[row]:>12.6g}{root_mean_square(time, drive.effort):>13.6g}"
        yield f"  {drive.name:<{width}}{numbers}{drive.unit:>6}{drive.work[-1]:>14.6g}"


def root_mean_square(time: Floats, values: Floats) -> float:
    """Root mean square of values (r,) over the times (r,) [s], by the trapezoidal rule; unit of the values."""
    if len(time) < 2:
        return float(np.abs(values[0]))
    return float(np.sqrt(np.trapezoid(values**2, time) / (time[-1] - time[0])))


def _reaction_table(inverse: InverseDynamics, quantity: Literal["force", "moment"]) -> Iterator[str]:
    """Size, time and components of the largest force or moment of every joint."""
    reactions = inverse.reactions.values()
    unit = "N" if quantity == "force" else "N*m"
    width = max([11, *(len(reaction.joint) + 1 for reaction in reactions)])
    body = max([8, *(len(reaction.second) + 1 for reaction in reactions)])
    axes = "".join(f"{axis:>11}" for axis in AXES)
    yield " " * (2 + width + body + 22) + f"{f'world axes [{unit}]':>33}{f'joint axes [{unit}]':>33}"
    yield f"  {'joint':<{width}}{'on':<{body}}{f'{quantity} [{unit}]':>12}{'at t [s]':>10}{axes}{axes}"
    rounding = _rounding(inverse, quantity)
    for reaction in reactions:
        local, world = getattr(reaction, quantity), getattr(reaction, f"{quantity}_world")
        sizes = np.linalg.norm(local, axis=1)
        row = int(np.argmax(sizes)) if sizes.max() > rounding else 0
        shown = [value if abs(value) > rounding else 0.0 for value in (sizes[row], *world[row], *local[row])]
        start = f"{reaction.joint:<{width}}{reaction.second:<{body}}{shown[0]:>12.5g}"
        when = f"{inverse.result.time[row]:.4g}" if shown[0] else "-"
        yield f"  {start}{when:>10}{''.join(f'{value:>11.4g}' for value in shown[1:])}"


def _rounding(inverse: InverseDynamics, quantity: str) -> float:
    """Round-off limit: 1e-10 of the largest force of all joints, for moments times the size of the mechanism."""
    reactions = inverse.reactions.values()
    force = max(float(np.abs(reaction.force).max()) for reaction in reactions)
    if quantity == "force":
        return 1e-10 * force
    places = np.stack([reaction.position for reaction in reactions])
    arm = float(np.ptp(places, axis=(0, 1)).max())
    largest = max(float(np.abs(reaction.moment).max()) for reaction in reactions)
    return 1e-10 * max(force * arm, largest)


def fit_lines(fit: Fit, time: Floats) -> Iterator[str]:
    """Fitted motions, their weights, and the residual of every motion; time : (r,) [s]."""
    n = fit.n_freedom
    many = f"{len(fit.motions)} motions for {n} degree{'s' if n != 1 else ''} of freedom"
    yield from entry(
        "more drives",
        f"{many}: the joints hold exactly; positions minimise the sum of squared residuals of the motions, all of "
        f"equal weight (angles in rad, lengths over the length scale {fit.length:.6g} m); velocities and accelerations "
        f"are their time derivatives. Shares of the efforts minimise the sum of squares (forces in N, torques over "
        f"{fit.length:.6g} m): other shares give the same motion.",
    )
    yield ""
    width = max([24, *(len(motion.motion) + 2 for motion in fit.motions)])
    yield f"  {'motion':<{width}}{'largest residual':>17}{'at t [s]':>12}{'rms':>13}{'unit':>6}"
    for motion in fit.motions:
        row = int(np.argmax(np.abs(motion.residual)))
        rms = float(np.sqrt(np.mean(motion.residual**2)))
        yield (f"  {motion.motion:<{width}}{motion.residual[row]:>17.4g}{time[row]:>12.6g}{rms:>13.4g}{motion.unit:>6}")


def departure_lines(departure: Departure) -> list[str]:
    """Lines of the report on the forward check."""
    parts = []
    for values, unit in ((departure.bodies, "m"), (departure.angles, "rad")):
        name = max(values, key=lambda body: float(values[body].max()))
        row = int(values[name].argmax())
        parts.append(f"{values[name][row]:.3g} {unit} ({name}, at t = {departure.time[row]:.6g} s)")
    why = ""
    if departure.leaves_out_vibration:
        why = "; the efforts leave out vibration (elastic coordinates in balance), which shows here"
    return entry(
        "forward check",
        f"driven by the efforts alone (splines through {departure.n_points} points), the bodies depart from the motion "
        f"by at most {' and '.join(parts)}{why}",
    )
