"""Inverse dynamics of the papers: the torque that drives the spatial slider-crank of Shi & McPhee, with a rigid and a
flexible rod; torque, slider and every reaction of the slider-crank of Lee et al."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.interpolate import make_interp_spline

from flexmb.arrays import Floats
from flexmb.model.model import Model
from flexmb.results.joint_reactions import joint_reactions
from flexmb.verification.case import Comparison, Curve, Finding, case, compare
from flexmb.verification.running import inverse, model_of, table

FLAGSHIP = "spatial_slider_crank"


def closed_torque(times: Floats) -> Floats:
    """Driving torque with a slender rigid rod, by hand: T13 omega = d/dt of the energies of rod and slider [N m].

    A turns about e = (1, 0, 1)/sqrt 2; B follows on the x axis at 0.3 m from it. A slender rod has the energy
    m (vA^2 + vA.vB + vB^2)/6, hence T13 omega = m [vA.(2 aA + aB) + vB.(2 aB + aA)]/6 + m_s vB.aB.
    """
    speed, crank, length, m, m_s = 150.0, 0.15, 0.3, 2.826e-5 * 7870.0 * 0.3, 0.0334
    c, s = np.cos(speed * times), np.sin(speed * times)
    root = np.sqrt(2.0)
    # A = r ((1 + c)/2, s/root, (1 - c)/2): Rodrigues' formula.
    A = crank * np.array([(1 + c) / 2, s / root, (1 - c) / 2])
    vA = crank * speed * np.array([-s / 2, c / root, s / 2])
    aA = crank * speed**2 * np.array([-c / 2, -s / root, c / 2])
    # x_B = x_A + d with d^2 = length^2 - y_A^2 - z_A^2.
    d = np.sqrt(length**2 - A[1] ** 2 - A[2] ** 2)
    d_dot = -(A[1] * vA[1] + A[2] * vA[2]) / d
    d_ddot = -(d_dot**2 + vA[1] ** 2 + vA[2] ** 2 + A[1] * aA[1] + A[2] * aA[2]) / d
    vB, aB = vA[0] + d_dot, aA[0] + d_ddot
    rod = m / 6 * (2 * np.sum(vA * aA, axis=0) + vA[0] * aB + vB * (2 * aB + aA[0]))
    return np.asarray((rod + m_s * vB * aB) / speed)


def rigid_findings() -> list[Finding]:
    """Torque and slider with a rigid rod."""
    every = "$turns/$speed/500"
    tables = model_of(FLAGSHIP, {"output.every": every}).identity
    tables["bodies"]["rod"] = {"mass": 2.826e-5 * 7870.0 * 0.3, "rod": ["A", "B"]}
    tables["analysis"]["step"] = every
    for name in ("rod_mid_y", "rod_mid_z"):
        del tables["sensors"][name]
    reference = table("jonker_reference")
    with inverse(Model.from_tables(tables)) as found:
        times, torque, slider = found.result.time, found.drives[0].effort, found.result["sensors/slider_x"]
    return [
        # Loops are closed to 1e-14 of their size, the torque has a peak of 8.7 N m.
        compare("torque, rigid rod", "N*m", closed_torque(times), torque, absolute=1e-11, source="closed form"),
        # The table was differentiated numerically: it leaves the closed form by 1.0e-5 N m.
        compare("torque, rigid rod, table", "N*m", reference[6], torque, absolute=2e-5),
        compare("slider, rigid rod", "m", reference[5], slider, absolute=1e-9),  # nine digits of 0.45 m
    ]


def power_findings() -> list[Finding]:
    """No loads: torque x speed = d(T + V)/dt of the mechanism with its flexible rod."""
    settings = {"analysis.method": "rk45", "analysis.tolerance": "1e-11", "output.every": "$turns/$speed/10000"}
    with inverse(FLAGSHIP, settings) as found:
        times, drive = found.result.time, found.drives[0]
        energy = np.asarray(found.result["energy/kinetic"] + found.result["energy/potential"])
    # Energies hold twice the frequencies of the rod, 1.5e4 rad/s, and the rows are 8.4 us apart: the spline is off by
    # (omega h)^7 times a small number, 1e-8, more at its ends. The work: local errors of 1e-11 in 6000 steps.
    rate = make_interp_spline(times, energy, k=7).derivative()(times)[10:-10]
    power, source = 150.0 * drive.effort[10:-10], "balance of energy"
    return [
        compare("power of the torque = rate of energy", "W", rate, power, of_peak=1e-7, source=source),
        compare("work of the torque = energy gained", "J", energy - energy[0], drive.work, of_peak=1e-9, source=source),
    ]


def hann(values: Floats) -> Floats:
    """Mean with Hann's window over 33 samples, as the torque of the table has been smoothed (data/README.md)."""
    window = np.hanning(35)[1:-1]
    return np.asarray(np.convolve(values, window, "same") / np.convolve(np.ones_like(values), window, "same"))


@case("T13", "Torque that drives the spatial slider-crank", "Shi & McPhee section 5.3; nonlinear rod of 64 elements")
def driving_torque() -> Comparison:
    # The rod of 64 elements stretches, and the slider rings on it: so must ours, over one turn. Ten polynomials resolve
    # the modes that couple with the stretch, steps of 2 us keep their phase; 0.02 N m is the trust in the table.
    settings = {"bodies.rod.shapes.family": "monomials", "bodies.rod.shapes.axial": "3", "shapes": "10"}
    settings |= {"analysis.step": "2 us", "turns": "1 turn", "output.every": "$turns/$speed/2000"}
    with inverse(FLAGSHIP, settings) as found:
        times, torque = found.result.time[::8], hann(found.drives[0].effort)[::8]
    reference = table("jonker_reference")
    ours, wanted = torque[:247], reference[4, :247]
    findings = [
        *rigid_findings(),
        *power_findings(),
        compare("torque, rod that bends and stretches, smoothed", "N*m", wanted, ours, absolute=0.02),
    ]
    curve = Curve("Torque on the crank, smoothed", "time", "s", "N*m", times[:247], ours, reference[0, :247], wanted)
    return Comparison(findings, [curve])


QUANTITIES = ("slider", "torque", "FO_x", "FO_y", "FA_x", "FA_y", "FB_x", "FB_y", "guide")


def lee_quantities(model: Model) -> tuple[Floats, dict[str, Floats]]:
    """Times [s], slider [m], torque [N m] and forces in world axes [N] of the slider-crank of Lee et al."""
    with inverse(model) as found:
        result = found.result
        forces = {name: joint.force_world for name, joint in joint_reactions(result, model=model).items()}
        values = {"slider": result["sensors/slider_x"], "torque": found.drives[0].effort}
        for name, joint in (("FO", "bearing"), ("FA", "crank_pin"), ("FB", "slider_pin")):
            values |= {f"{name}_x": forces[joint][:, 0], f"{name}_y": forces[joint][:, 1]}
        return result.time, values | {"guide": forces["guide"][:, 1]}


def lee_model(rod: dict[str, Any] | None, **field: Any) -> Model:
    """The model with another rod, or its own with another field."""
    tables = model_of("lee_slider_crank").identity
    if rod is not None:
        tables["bodies"]["rod"] = rod
        del tables["sensors"]["rod_bending"]
    else:
        tables["bodies"]["rod"] |= field
    return Model.from_tables(tables)


@case(
    "lee-slider-crank",
    "Slider-crank at constant speed: torque and reactions",
    "Lee et al. 2001, Table 1; equations by hand",
)
def lee_slider_crank() -> Comparison:
    # Rigid: nine printed digits, nothing is integrated. Linear field: the same equations, integrated in steps of 10 us,
    # 1/180 of the period of the second mode: (h omega)^2/12 = 1e-4. The reference of second order is the complete
    # quadratic field: the same limit. A kinetic energy cut off after the third power (order 2) and the exact field
    # differ from it by the squared slope of the rod (0.028^2 = 8e-4), whatever the step; 1e-3 of the peak is required.
    rigid = {"mass": 0.0756, "inertia": [3.8e-7, 5.8533e-4, 5.8533e-4], "at": "A", "center": [0.1525, 0, 0]}
    ways = {
        "rigid rod": ("lee_rigid", lee_model(rigid), 2e-8),
        "linear modes": ("lee_flexible_linear_modes", lee_model(None, field="linear"), 1e-4),
        "complete second order": ("lee_flexible_second_order", lee_model(None, field="quadratic", order="full"), 1e-4),
        "order 2": ("lee_flexible_second_order", lee_model(None, field="quadratic", order=2), 1e-3),
        "exact field": ("lee_flexible_second_order", lee_model(None, field="exact"), 1e-3),
    }
    findings, curves = [], []
    for way, (name, model, tolerance) in ways.items():
        reference = table(name)
        wanted = dict(zip(QUANTITIES, reference[[2, *range(4, 12)]], strict=True))
        times, found = lee_quantities(model)
        # each force in parts of its own largest value
        forces, ours = (
            [values[name] / np.abs(wanted[name]).max() for name in QUANTITIES[2:]] for values in (wanted, found)
        )
        findings += [
            compare(f"slider, {way}", "m", wanted["slider"], found["slider"], of_peak=tolerance),
            compare(f"torque, {way}", "N*m", wanted["torque"], found["torque"], of_peak=tolerance),
            compare(f"seven reactions, {way}, by their peaks", "", forces, ours, absolute=tolerance),
        ]
        curves.append(
            Curve(f"Torque, {way}", "time", "s", "N*m", times, found["torque"], reference[0], wanted["torque"])
        )
    return Comparison(findings, curves)
