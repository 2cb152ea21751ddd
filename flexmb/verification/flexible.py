"""Published cases of flexible bodies by runs, statics and inverse dynamics; modes and meshes are in other files.

A comment at each says why its method, step and shapes reach the tolerance.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from flexmb.analyses.preparation import prepare
from flexmb.arrays import Floats
from flexmb.bodies.exact_motion import ExactMotion
from flexmb.bodies.flexible_body import FlexibleBody
from flexmb.bodies.orientation import rotations
from flexmb.model.model import Model
from flexmb.verification.case import Comparison, Curve, Finding, case, compare
from flexmb.verification.running import Record, expected, inverse, run, table

SIMEON = "B01_simeon_crank"
UNDEFORMED = {"q3": "0", "q4": "0", "phi2_dot": "-75", "bodies.rod.elastic_velocity": "[0, 0, 0, 0]"}


def multipliers(found: Record, t: float) -> list[float]:
    """The test set's: normal force and force along x at the slider, torque of the drive, with its signs [N, N m]."""
    along, across = found.at(t, "joints/wrist/force")[:2]
    return [-across, along, -found.at(t, "sensors/torque")[0]]


@case("B01", "Simeon's slider-crank with its own matrices", "IVP Test Set, slider crank (Simeon 1996)")
def simeon_crank() -> Comparison:
    """Positions, rates, elastic coordinates and multipliers."""
    # rk45 on the embedded equations, local error 1e-11: the published numbers are good to 2e-7 (q1) .. 4e-6 (q4). The
    # rates of q3 and q4 have three digits in the source, so that only those of q1 and q2 are compared with it.
    found, want = run(SIMEON, {"output.every": "0.5 ms"}), expected("B01")
    q, q_dot = found["bodies/rod/elastic_position"], found["bodies/rod/elastic_velocity"]
    phi2, x3 = want["published t=0.1 phi2,x3"]
    angle = found.at(0.1, "joints/bearing/position") + found.at(0.1, "joints/crank_pin/position")
    other = run(SIMEON, UNDEFORMED).at(0.1, "bodies/rod/elastic_position")
    undeformed, half = want["recomputed IC2(undeformed) t=0.1 q"], want["recomputed t=0.05 q"]
    again = "the test set recomputed, independent of flexmb"
    findings = [
        compare("angle of the rod at 0.1 s", "rad", [phi2], angle, absolute=1e-9),
        compare("slider at 0.1 s", "m", [x3], found.at(0.1, "sensors/x3"), absolute=1e-9),
        compare("elastic coordinates at 0.1 s", "m", want["published t=0.1 q"], q[-1], relative=1e-5),
        compare("rates of bending at 0.1 s", "m/s", want["published t=0.1 qd"][:2], q_dot[-1, :2], relative=1e-3),
        compare(
            "multipliers at 0.1 s", "N, N*m", want["published t=0.1 lambda"], multipliers(found, 0.1), relative=1e-5
        ),
        compare("multipliers at the start", "N, N*m", want["lambda0"], multipliers(found, 0.0), of_peak=2e-8),
        compare(
            "all elastic rates at 0.1 s", "m/s", want["recomputed t=0.1 qd"], q_dot[-1], relative=1e-3, source=again
        ),
        compare("elastic coordinates at 0.1 s", "m", want["recomputed t=0.1 q"], q[-1], relative=1e-5, source=again),
        compare("elastic coordinates at 0.05 s", "m", half, q[100], absolute=1e-9, source=again),
        compare("the same at 0.1 s, undeformed start", "m", undeformed, other, relative=1e-5, source=again),
    ]
    dots = np.array([0.05, 0.1]), np.array([half[0], want["published t=0.1 q"][0]])
    return Comparison(findings, [Curve("First bending coordinate", "time", "s", "m", found["time"], q[:, 0], *dots)])


@case("B02a", "The same crank with a physical rod, linear field", "assumed modes, converged (5 bending, 4 axial)")
def physical_crank() -> Comparison:
    """Peaks of the deflection of the rod's middle, and single instants."""
    # Five sines and four stretches as the reference. The first stretch rings undamped at 18 krad/s, 0.1 rad per step,
    # so that single instants are less accurate than peaks.
    found, want = run("B02a_flexible_crank_rod"), expected("B02a")
    middle, time = found["sensors/mid"], found["time"]
    instants = (0.005, 0.01, 0.05)
    peaks, at_peaks = [want["max mid"], want["min mid"]], [want["t_max"], want["t_min"]]
    singles = [want[f"mid({t})"] for t in instants]
    # The shapes of B01, two sines and a quadratic stretch, with the mass of the physical rod.
    few = run(SIMEON, UNDEFORMED | {"axial": "1/15", "analysis.end": "0.005"}).at(0.005, "bodies/rod/elastic_position")
    two_sines = want["with 2 sine + quadratic axial only: mid(0.005)"]
    findings = [
        compare("largest deflections", "m", peaks, [middle.max(), middle.min()], relative=3e-3),
        compare("their times", "s", at_peaks, time[[middle.argmax(), middle.argmin()]], absolute=2e-4),
        compare(
            "deflection at 5, 10, 50 ms", "m", singles, [found.at(t, "sensors/mid")[0] for t in instants], relative=5e-3
        ),
        compare("deflection at 5 ms, shapes of B01", "m", two_sines, few[0], relative=1e-4),
    ]
    dots = np.array([*at_peaks, *instants]), np.array([*peaks, *singles])
    return Comparison(findings, [Curve("Middle of the rod", "time", "s", "m", time, middle, *dots)])


SIX = {"bodies.beam.shapes.bending": "{ y = 6 }"}


def spin_up(**settings: str) -> tuple[Floats, Floats, Floats]:
    """Time [s], stretch and deflection [m] of the tip in the axes of the hub."""
    found = run("B03_spin_up", SIX | {f"bodies.beam.{key}": value for key, value in settings.items()})
    return found["time"], found["sensors/tip"][:, 0] - 10.0, found["sensors/tip"][:, 1]


@case("B03", "Spin-up of a beam on a hub", "Simo & Vu-Quoc 1986; Kane, Ryan & Banerjee 1987")
def spin_up_beam() -> Comparison:
    """Published numbers, and the trajectory of a nonlinear and of a linear stiffened beam."""
    # Six polynomials meet the trajectories by 4e-5 m of 0.57 m; the motion takes seconds, a step 5 ms.
    want, (times, u1, u2, stiffened, unstiffened) = expected("B03"), table("spinup_beam")
    time, stretch, tip = spin_up()
    _, _, first_order = spin_up(field="quadratic", order="1")
    stiff_peak = want["peak tip (linear+stiffening)"]
    shown = times <= 12.0
    found = run("B03_spin_up", SIX | {"bodies.beam.field": "linear", "analysis.end": "12"})
    linear = found["sensors/tip"][::5, 1]
    trajectory = "nonlinear beam, independent of flexmb"
    at = [want[f"tip({t})"] for t in (7.5, 10)]
    findings = [
        compare("peak of the tip", "m", want["peak tip (nonlinear)"], tip.min(), relative=1e-2),
        compare("its time", "s", want["t_peak"], time[tip.argmin()], absolute=0.02),
        compare("tip at 7.5 and 10 s", "m", at, tip[[375, 500]], relative=1e-2),
        compare("extension at 6 rad/s", "m", want["steady axial extension"], stretch[time > 19].mean(), relative=1e-2),
        compare("deflection, 20 s", "m", u2, tip[::5], absolute=1e-4, source=trajectory),
        compare("shortening, 20 s", "m", u1, stretch[::5], absolute=2e-6, source=trajectory),
        compare("first-order equations: peak of the tip", "m", stiff_peak, first_order.min(), relative=1e-3),
        compare(
            "first-order equations: deflection, 20 s",
            "m",
            stiffened,
            first_order[::5],
            absolute=1e-4,
            source="linear beam with geometric stiffening",
        ),
        compare(
            "linear field: thrown off at 12 s",
            "m",
            unstiffened[shown][-1],
            linear[-1],
            relative=1e-2,
            source="linear beam without stiffening",
        ),
    ]
    curves = [
        Curve("Deflection of the tip", "time", "s", "m", time, tip, times, u2),
        Curve("Shortening of the tip", "time", "s", "m", time, stretch, times, u1),
    ]
    return Comparison(findings, curves)


@case("B11", "Bar that spins about its end", "closed form tan(a L)/a - L, a^2 = rho A Omega^2/(E A)")
def spinning_bar() -> Comparison:
    """Extension in balance with the motion, and at the end of a damped run."""
    # Four polynomials hold the tangent to the rounding of the length, 3e-12 of its extension. The run is damped by 30 %
    # of critical for 9 decay times.
    a = 6.0 * np.sqrt(1.2 / 28e6)
    want = np.tan(10.0 * a) / a - 10.0
    with inverse("B11_spinning_bar", elastic="quasi-static") as found:
        balanced = found.result["sensors/extension"][-1] - 10.0
    damped = run("B11_spinning_bar")["sensors/extension"][-1] - 10.0
    return Comparison(
        [
            compare("extension, quasi-static", "m", want, balanced, relative=1e-9),
            compare("extension after a damped run", "m", want, damped, relative=1e-3),
        ]
    )


FREE_FLIGHT: dict[str, Any] = {
    "beam": [[0.3, -0.2, 0.1], [1.1, 0.3, 0.6]],
    "material": {"E": 5.0e6, "G": 2.0e6, "density": 1000.0},
    "section": {"type": "rectangle", "y": 0.1, "z": 0.06},
    "velocity": [1.0, -2.0, 0.5],
    "angular_velocity": [3.0, 1.0, -2.0],
}
"""A beam so soft and thick that elastic and inertia forces are of one size."""
ALL_SHAPES = {"bending": {"y": 2, "z": 2}, "axial": 1, "torsion": 1}


def free_flight(**keys: Any) -> Model:
    """The beam in free space for 0.3 s, with some keys of the body added."""
    rk45 = {"end": 0.3, "method": "rk45", "tolerance": 1e-10}
    sensors = {"tip": {"marker": "beam.end"}}
    bodies = {"beam": FREE_FLIGHT | keys}
    return Model.from_tables({"bodies": bodies, "sensors": sensors, "analysis": rk45, "output": {"every": 0.01}})


def momenta(model: Model, found: Record) -> tuple[Floats, Floats]:
    """(rows, 3) linear momentum, and angular momentum about the origin, summed over the slices of the beam."""
    _, body = prepare(model).system.mechanism.bodies
    assert isinstance(body, FlexibleBody) and body.basis is not None
    beam = ExactMotion(body.basis)  # in NumPy: shares nothing with the compiled equations
    linear, angular = [], []
    for row in range(len(found["time"])):
        keys = ("position", "quaternion", "velocity", "angular_velocity", "elastic_position", "elastic_velocity")
        position, quaternion, velocity, omega, eta, eta_dot = (found[f"bodies/beam/{key}"][row] for key in keys)
        R_wb = rotations(quaternion)
        own = beam.mass_matrix(eta) @ np.concatenate([R_wb.T @ velocity, omega, eta_dot])
        linear.append(R_wb @ own[:3])
        angular.append(R_wb @ own[3:6] + np.cross(position, linear[-1]))
    return np.array(linear), np.array(angular)


def kept(quantity: str, unit: str, history: Floats, of_peak: float) -> Finding:
    """A finding: a quantity (rows, ...) stays what it is in the first row."""
    return compare(quantity, unit, np.broadcast_to(history[0], history.shape), history, of_peak=of_peak)


@case("B14", "Free flexible body: what stays", "conservation laws; one motion, four body frames")
def free_body() -> Comparison:
    """Momentum and energy of a tumbling, vibrating beam; a path that does not depend on the frame."""
    # rk45 with local errors of 1e-10, where the entry lets momenta drift by 1e-8.
    rates = [1.5, -2.0, 1.0, 2.5, 0.1, -1.5]
    model = free_flight(shapes=ALL_SHAPES, frame="chord", elastic_velocity=rates)
    found = run(model)
    linear, angular = momenta(model, found)
    findings = [
        kept("linear momentum", "kg*m/s", linear, 1e-8),
        kept("angular momentum", "kg*m^2/s", angular, 1e-8),
        kept("energy", "J", found.energy(), 1e-6),
    ]
    # An eccentric lump bends the spinning beam by 3 mm. All frames start alike, since the beam starts straight, and
    # polynomials of one degree span the same beams in each to third order of the slope, (3 mm/1 m)^3 of a metre.
    lump = [{"at": 0.3, "mass": 2.0, "center": [0.0, 0.05, 0.03]}]
    keys = {"shapes": {"family": "monomials", "bending": 4, "torsion": 1}, "masses": lump}
    paths = {frame: run(free_flight(frame=frame, **keys))["sensors/tip"] for frame in ("chord", "start", "end", "mean")}
    chord = paths.pop("chord")
    for frame, path in paths.items():
        findings.append(compare(f"path of the tip, frame {frame!r} against chord", "m", chord, path, absolute=1e-8))
    return Comparison(findings)


@case("B15", "Hub torque that spins a beam up, by inverse dynamics", "modal model; Exudyn")
def hub_torque() -> Comparison:
    """Torque on the beam at seven instants by two other codes."""
    # The two references differ by up to 0.093 N m: ours can be no farther than that from either, a fifth of what the
    # entry asks. Eight polynomials and a quarter of the step change these torques by 0.003 N m.
    want = expected("B15")
    times = np.array(want["times"])
    with inverse("B03_spin_up") as found:
        time, torque = found.result.time, found.reactions["clamp"].moment_world[:, 2]
        effort = (
            found.drives[0].effort - found.result["joints/bearing/acceleration"]
        )  # less Euler for the hub, 1 kg m^2
    exudyn = np.interp(times + 0.002, time, torque)
    findings = [
        compare("torque on the beam", "N*m", want["modal model"], np.interp(times, time, torque), absolute=0.1),
        compare("torque on the beam, 2 ms later", "N*m", want["Exudyn, 2 ms later"], exudyn, absolute=0.1),
        # Newton's iteration leaves 1e-8 of the largest force, the pull of 2.2 kN, on arms of up to 0.6 m.
        compare("effort of the drive against the clamp", "N*m", torque, effort, absolute=2e-5, source="Euler, hub"),
    ]
    curve = Curve(
        "Torque of the hub on the beam", "time", "s", "N*m", time, torque, times, np.array(want["modal model"])
    )
    return Comparison(findings, [curve])


@case("B17", "Princeton beam: bending and torsion to 29 % of length", "MBDyn (Dowell & Traybar 1975)")
def princeton_beam() -> Comparison:
    """Tip in static balance for seven directions of the load."""
    # Four cubic elements with shear and the exact field agree with MBDyn to its five decimals; the entry allows 1.5 mm.
    angles = np.array([0.0, 15.0, 30.0, 45.0, 60.0, 75.0, 90.0])
    want = np.array([expected("B17")["theta 0" if theta == 0 else f"{theta:g}"] for theta in angles])
    ours = []
    for theta in angles:
        tip = run("B17_princeton_beam", {"theta": f"{theta} deg", "analysis.type": "static"})["sensors/tip"]
        ours.append(tip[-1, 1:])
    findings = [
        compare("displacement along the soft direction", "m", want[:, 0], np.array(ours)[:, 0], absolute=1e-5),
        compare("displacement along the stiff direction", "m", want[:, 1], np.array(ours)[:, 1], absolute=1e-5),
    ]
    curves = [
        Curve(
            f"Tip, {name} direction", "angle of the load", "deg", "m", angles, np.array(ours)[:, k], angles, want[:, k]
        )
        for k, name in enumerate(("soft", "stiff"))
    ]
    return Comparison(findings, curves)
