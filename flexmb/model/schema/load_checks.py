"""Faults between parts of a model: motions, sensors, coordinates and analysis."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from flexmb.loads.table import LOAD_TYPES
from flexmb.model.expressions.evaluation import measure
from flexmb.model.expressions.expression import Expression
from flexmb.model.expressions.nodes import argument_of, data_in, names_in
from flexmb.model.expressions.tokens import TextError
from flexmb.model.schema.beam_checks import check_flexible_values, on_beam, reject_bare_modal
from flexmb.model.schema.bodies import Body
from flexmb.model.schema.checks import Path, References, Table, one_of, tables_of
from flexmb.model.schema.fields import joint_type_of
from flexmb.model.schema.force_checks import check_force_values, reject_keys
from flexmb.model.schema.joints import MOTION_FORMS
from flexmb.model.schema.loads import SENSOR_KEYS, SENSOR_SUBJECTS, expressions_of, sensor_of
from flexmb.model.schema.mesh_checks import check_deflection, check_mesh_values
from flexmb.model.schema.orientation_motions import check_orientations
from flexmb.model.schema.sensor_rates import check_rate, with_rates
from flexmb.suggestions import did_you_mean

if TYPE_CHECKING:
    from flexmb.model.schema.model_spec import ModelSpec


def check_motion(references: References, name: str, table: Table) -> None:
    """Faults of a motion: its subject, its function of time and keys of other kinds."""
    path: Path = ("motions", name)
    form = one_of(references, table, MOTION_FORMS, path, "a function of time")
    if form != "rate" and form is not None:
        reject_keys(references, table, path, {"start": "is only for 'rate'"})
    if form != "table" and form is not None:
        reject_keys(references, table, path, dict.fromkeys(("smooth", "interpolation"), "is only for 'table'"))
    subject = one_of(references, table, ("joint", "marker"), path, "a joint or a marker")
    if subject == "joint":
        references.coordinate(table, path, "driven")
        reject_keys(
            references,
            table,
            path,
            dict.fromkeys(("along", "about", "relative_to"), "is only for the motion of a marker"),
        )
    elif subject == "marker":
        body = references.marker(table["marker"], (*path, "marker"))
        other = references.marker(table.get("relative_to", "ground"), (*path, "relative_to"))
        reject_bare_modal(references, table["marker"], (*path, "marker"), "a motion")
        if body is not None and body == other:
            references.add((*path, "marker"), f"motion '{name}' drives body '{body}' relative to itself")
        reject_keys(references, table, path, {"coordinate": "is only for the motion of a joint"})
        if "along" not in table and "about" not in table:
            references.add((*path, "along"), f"motion '{name}' needs 'along' or 'about' (x, y or z)")
        if "along" in table and "about" in table:
            references.add((*path, "about"), f"motion '{name}' has along and about: give only one of them")


_MOST_STEPS = 1e12
_MOST_ROWS = 1e8
_MARKER_COMPONENTS = ("x", "y", "z", "magnitude")
_REACTION_COMPONENTS = ("fx", "fy", "fz", "mx", "my", "mz", "force", "moment")


def check_sensor(references: References, name: str, table: Table) -> None:
    """Faults of a sensor: its subject, quantity and component."""
    path: Path = ("sensors", name)
    subject = one_of(references, table, SENSOR_SUBJECTS, path, "something to measure")
    if subject is None:
        return
    if subject == "joint":
        rates = table.get("quantity") in ("velocity", "acceleration")
        references.coordinate(table, path, "measured as a position", rates)
    elif subject == "marker":
        references.marker(table["marker"], (*path, "marker"))
        references.marker(table.get("relative_to", "ground"), (*path, "relative_to"))
    elif subject == "between":
        given = table["between"]
        for i, end in enumerate(given if isinstance(given, (list, tuple)) else ()):
            references.marker(end, (*path, "between", i))
    elif subject == "rate":
        check_rate(references, name, table)
    elif subject == "deflection":
        check_deflection(references, name, table)
    elif subject == "section":
        body = references.marker(table["section"], (*path, "section"))
        if on_beam(references, body, (*path, "section"), "a section force"):
            if tables_of(references.tables, "bodies")[str(body)].get("field", "exact") != "exact":
                text = f"sensor '{name}': forces inside beam '{body}' are available only with field = 'exact'"
                references.add((*path, "section"), text, "Remove 'field', or measure a joint reaction.")
    else:
        section = {"motion": "motions", "force": "forces", "reaction": "joints"}[subject]
        references.named(section, table[subject], (*path, subject))
    _check_sensor_keys(references, name, table, subject)


def _check_sensor_keys(references: References, name: str, table: Table, subject: str) -> None:
    path: Path = ("sensors", name)
    wrong = {key: f"is not a key of a sensor of a {subject}" for key, ok in SENSOR_KEYS.items() if subject not in ok}
    if subject == "between":
        wrong["axes"] = wrong["relative_to"] = "is not a key of a sensor of a distance"
    reject_keys(references, table, path, wrong)
    quantity = table.get("quantity")
    if quantity is not None and subject in ("joint", "marker", "between"):
        is_wrong = subject == "joint" and str(quantity).startswith(("orientation", "angular"))
        if is_wrong or (quantity == "distance") != (subject == "between"):
            text = f"sensor '{name}': quantity = '{str(quantity)[:40]}' is not allowed with '{subject}'"
            references.add((*path, "quantity"), text)
    component = table.get("component")
    vectors = dict.fromkeys(("marker", "deflection"), _MARKER_COMPONENTS)
    allowed = {**vectors, "reaction": _REACTION_COMPONENTS, "section": _REACTION_COMPONENTS}.get(subject, ())
    if isinstance(component, str) and allowed and component not in allowed:
        if component in _MARKER_COMPONENTS + _REACTION_COMPONENTS:
            text = f"sensor '{name}': component = '{component}' is not allowed with '{subject}'"
            references.add((*path, "component"), text, f"Choices: {', '.join(allowed)}.")
    axes = {"marker": "body", "reaction": "body", "deflection": "marker"}.get(subject)
    if axes is not None and table.get("axes") == axes:
        choices = "Choices: world, body." if subject == "deflection" else "Choices: world, marker."
        references.add((*path, "axes"), f"sensor '{name}': axes = '{axes}' is not allowed with '{subject}'", choices)
    if subject in ("reaction", "section") and component is None:
        references.add((*path, "component"), f"sensor '{name}' needs 'component'", f"One of: {', '.join(allowed)}.")


def check_double_drives(references: References) -> None:
    """Reject two motions on one joint coordinate."""
    driven: dict[str, str] = {}
    for name, table in tables_of(references.tables, "motions").items():
        if "marker" in table or not isinstance(table.get("joint"), str):
            continue
        joint_type = joint_type_of(references.joints, table["joint"])
        coordinate = table.get("coordinate")
        if joint_type is None:
            continue
        if coordinate is None and len(joint_type.drivable) == 1:
            coordinate = joint_type.drivable[0]
        slot = f"{table['joint']}.{coordinate}"
        if coordinate in joint_type.drivable and slot in driven:
            text = f"motions '{driven[slot]}' and '{name}' drive the same coordinate '{slot}'"
            references.add(("motions", name, "joint"), text)
        driven.setdefault(slot, name)


def check_coordinates(references: References) -> None:
    """Faults of [coordinates]: names, and joints that cannot be a branch or chord as requested."""
    table = references.tables.get("coordinates")
    if not isinstance(table, dict):
        return
    lists = {key: table.get(key) for key in ("absolute", "branches", "chords")}
    given = {key: value if isinstance(value, (list, tuple)) else () for key, value in lists.items()}
    for key, section in (("absolute", "bodies"), ("branches", "joints"), ("chords", "joints")):
        for i, name in enumerate(given[key]):
            references.named(section, name, ("coordinates", key, i))
    for i, name in enumerate(given["branches"]):
        joint_type = joint_type_of(references.joints, name)
        if name in given["chords"]:
            references.add(("coordinates", "branches", i), f"joint '{name}' is listed both as a branch and as a chord")
        elif joint_type is not None and not joint_type.branch:
            text = f"joint '{name}' ({joint_type.name}) is only a constraint and cannot be in the tree"
            references.add(("coordinates", "branches", i), text)
    for key, word in (("branches", False), ("chords", True)):
        for i, name in enumerate(given[key]):
            joint = references.joints.get(name) if isinstance(name, str) else None
            if joint is not None and joint.get("tree") is word:
                text = f"joint '{name}' has tree = {str(word).lower()} but is listed under {key}"
                references.add(("coordinates", key, i), text)


def check_analysis(references: References) -> None:
    """Faults of [analysis]: step, method and keys that exclude each other."""
    table = references.tables.get("analysis")
    if not isinstance(table, dict):
        return
    path: Path = ("analysis",)
    output = references.tables.get("output")
    every = isinstance(output, dict) and "every" in output
    if table.get("type", "dynamic") == "dynamic" and not table.keys() & {"step", "tolerance"}:
        references.add(path, "analysis needs 'step' (fixed step) or 'tolerance' (error-controlled step)")
    if table.get("type") == "kinematic" and "step" not in table and not every:
        references.add(path, "a kinematic analysis needs 'step' (or output.every)")
    method = table.get("method", "generalized-alpha")
    coordinates = references.tables.get("coordinates")
    is_natural = isinstance(coordinates, dict) and coordinates.get("default") == "natural"
    if method == "rk4" and "tolerance" in table:
        hint = "Give a step instead of a tolerance." if is_natural else "Did you mean 'rk45'?"
        references.add((*path, "tolerance"), "rk4 has a fixed step and takes no tolerance", hint)
    if table.get("formulation") == "canonical":
        _check_canonical(references, method, is_natural)
    independent = table.get("independent")
    for i, text in enumerate(independent if isinstance(independent, (list, tuple)) else ()):
        if isinstance(text, str):
            _check_independent(references, text, (*path, "independent", i))


def _check_canonical(references: References, method: Any, is_natural: bool) -> None:
    """Require natural coordinates and rk4 for positions and momenta."""
    path = ("analysis", "formulation")
    if not is_natural:
        hint = 'Give [coordinates] default = "natural", or formulation = "augmented".'
        references.add(path, "the canonical equations need natural coordinates", hint)
    if method != "rk4":
        references.add(path, "the canonical equations need rk4", 'Give method = "rk4" and a step.')


def _check_independent(references: References, text: str, path: Path) -> None:
    joint, _, coordinate = text.partition(".")
    if not references.named("joints", joint, path):
        return
    joint_type = joint_type_of(references.joints, joint)
    if joint_type is None:
        return
    if coordinate and coordinate not in joint_type.coordinates:
        hint = did_you_mean(coordinate, joint_type.coordinates, "Coordinates")
        references.add(path, f"joint '{joint}' ({joint_type.name}) has no coordinate '{coordinate[:60]}'", hint)
    elif not coordinate and joint_type.n_v != 1:
        names = ", ".join(f"{joint}.{name}" for name in joint_type.coordinates)
        references.add(path, f"joint '{joint}' has {joint_type.n_v} coordinates: choose one", f"Choices: {names}.")


def check_values(references: References, spec: ModelSpec) -> None:
    """Checks that need the numbers: directions at right angles, tables long enough, sensors used in expressions."""
    for name, joint in spec.joints.items():
        pair: Any = joint.axes
        what = f"the two axes of a {joint.type} joint"
        if joint.axis is not None and joint.slot is not None:
            pair, what = (joint.axis, joint.slot), "axis and slot"
        if pair is not None and abs(sum(a * b for a, b in zip(*pair, strict=True))) > 1e-6:
            key = "axes" if joint.axes is not None else "slot"
            references.add(("joints", name, key), f"joint '{name}': {what} must be at right angles")
    for name, body in spec.bodies.items():
        rod = body.rod if isinstance(body, Body) else None
        if rod is not None and spec.has_places(*rod) and spec.place(rod[0]) == spec.place(rod[1]):
            references.add(("bodies", name, "rod"), f"body '{name}': the rod has zero length")
    check_flexible_values(references, spec)
    check_mesh_values(references, spec)
    for name, motion in spec.motions.items():
        if motion.table is not None and spec.analysis is not None:
            last = motion.table[-1][0]
            if last < spec.analysis.end * (1 - 1e-9) or motion.table[0][0] > 0:
                text = f"motion '{name}': the table covers {motion.table[0][0]:g} to {last:g} s, but the analysis "
                references.add(("motions", name, "table"), f"{text}runs from 0 to {spec.analysis.end:g} s")
    check_orientations(references, spec)
    check_force_values(references, spec)
    for path, expression in _expressions(spec):
        _check_start(references, expression, path)
        if path[0] == "forces":
            _check_sensors(references, spec, expression, path)
        else:
            _check_covered(references, spec, expression, path)
    _check_length(references, spec)


def _expressions(spec: ModelSpec) -> Iterator[tuple[Path, Expression]]:
    """Every expression of the model with its place."""
    for name, motion in spec.motions.items():
        if motion.expression is not None:
            yield ("motions", name, "expression"), motion.expression
    for name, force in spec.forces.items():
        key = LOAD_TYPES[force.type].expression
        for i, expression in enumerate(expressions_of(force)):
            yield ("forces", name, str(key), *((i,) if key == "vector" else ())), expression
    if spec.base is not None:
        if spec.base.rotation is not None:
            yield ("base", "rotation", "angle"), spec.base.rotation.angle
        for i, expression in enumerate(spec.base.acceleration or ()):
            yield ("base", "acceleration", i), expression


def _check_start(references: References, expression: Expression, path: Path) -> None:
    """Require a finite value of an expression at t = 0."""
    try:
        value = measure(expression.node, {"t": 0.0}).value
        reason = "" if value is None or math.isfinite(value) else "not a finite number"
    except TextError as error:
        reason = error.message
    if reason:
        references.add(path, f"'{expression.text[:60]}' has no value at t = 0: {reason}")


def _check_covered(references: References, spec: ModelSpec, expression: Expression, path: Path) -> None:
    """Require tables of time in a motion to cover the analysis: at their ends they would stop with a jerk."""
    for table in data_in(expression.node):
        if names_in(table) != {"t"} or spec.analysis is None:
            continue
        low, high = table.points[0][0], table.points[-1][0]
        slack = 1e-9 * (high - low)
        for t in (0.0, spec.analysis.end):
            try:
                x = measure(argument_of(table), {"t": t}).value
            except TextError:
                continue
            if x is not None and not low - slack <= x <= high + slack:
                text = f"the table covers {low:g} to {high:g}, but at t = {t:g} s it is read at {x:g}"
                references.add(path, f"{references.owner(path)}: {text}")


def _check_length(references: References, spec: ModelSpec) -> None:
    """Reject absurd numbers of steps or rows, which come from a wrong unit."""
    if spec.analysis is None:
        return
    for path, interval in (
        (("analysis", "step"), spec.analysis.step),
        (("analysis", "max_step"), spec.analysis.max_step),
        (("output", "every"), spec.output.every),
    ):
        if interval is not None and spec.analysis.end > _MOST_STEPS * interval:
            text = f"{path[1]}: {interval:g} s needs more than {_MOST_STEPS:g} steps until t = {spec.analysis.end:g} s"
            references.add(path, text)
            return
    path, interval = ("output", "every"), spec.output.every
    if interval is None and spec.analysis.tolerance is None:
        path, interval = ("analysis", "step"), spec.analysis.step
    if interval is not None and spec.analysis.end > _MOST_ROWS * interval:
        text = f"{path[1]}: {interval:g} s writes more than {_MOST_ROWS:g} rows until t = {spec.analysis.end:g} s"
        references.add(path, text, "Write less often: a larger 'every' in [output].")


def _check_sensors(references: References, spec: ModelSpec, expression: Expression, path: Path) -> None:
    names = expression.names - {"t"}
    if spec.forces[str(path[1])].type == "pair-force":
        for name in sorted(names & {"distance", "rate"}):
            for section in ("sensors", "expressions", "parameters", "symbols"):
                if name in getattr(spec, section):
                    text = f"'{name}' means the {name} of its markers here, but is in [{section}] too"
                    references.add(path, f"{references.owner(path)}: {text}", f"Rename it in [{section}].")
        names -= {"distance", "rate"}
    for name in sorted(names):
        reason = _not_for_expressions(spec, name)
        if reason:
            hint = f"Write {name}.x, {name}.y or {name}.z." if reason == "has three components" else ""
            text = f"{references.owner(path)}: sensor '{name}' {reason} and cannot be used in a force"
            references.add(path, text, hint)


def _not_for_expressions(spec: ModelSpec, name: str) -> str:
    sensor = with_rates(spec.sensors)[sensor_of(name)]
    if sensor.motion or sensor.force or sensor.reaction:
        return "measures an effort"
    if str(sensor.quantity).endswith("acceleration"):
        return "measures an acceleration"
    if str(sensor.component) == "magnitude-rate" and str(sensor.quantity).endswith("velocity"):
        return "measures the rate of a velocity"
    if (sensor.marker or sensor.deflection) and sensor.component is None and "." not in name:
        return "has three components"
    return ""
