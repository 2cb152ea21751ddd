"""Stops, bushings and cables against closed forms (E08, E10, E12, E17)."""

from __future__ import annotations

import numpy as np

from flexmb.analyses.modes import modes_of_model
from flexmb.verification.case import Comparison, case, compare
from flexmb.verification.running import crossings, expected, model_of, run

G = 9.81


@case("E08", "Slider against an end stop (Hunt-Crossley)", "Hunt & Crossley 1975, closed form")
def end_stop() -> Comparison:
    # rk45 with a local error of 1e-10; peaks are read from rows every 10 us: 2e-6 of them at a contact of 8 ms.
    found, want = run("E08_stop"), expected("E08")
    x, v, t = found["joints/rail/position"], found["joints/rail/velocity"], found["time"]
    touch, leave = crossings(t, x - 0.5, v)
    force = -found["forces/stop/effort"]
    findings = [
        compare("rebound speed", "m/s", want["rebound speed"], -v[-1], relative=1e-6),
        compare("penetration", "m", want["max penetration"], x.max() - 0.5, relative=1e-5),
        compare("largest force", "N", want["max force"], force.max(), relative=1e-5),
        compare("first touch", "s", want["first contact at t"], touch, absolute=1e-8),
        compare("time of contact", "s", want["contact time"], leave - touch, relative=1e-5),
        compare("position at 0.5 s", "m", want["x at t=0.5"], x[-1], absolute=1e-6),
        compare("energy lost", "J", want["energy lost"], -found["energy/work/stop"][-1], relative=1e-6),
        compare("force that pulls", "N", 0.0, min(0.0, force.min()), absolute=0.0),
    ]
    dots = [want["x at t=0.5"]]
    return Comparison(findings, [found.curve("position", "m", "joints/rail/position", (0.5,), dots)])


@case("E17", "Steel sphere hits steel: Hertz impact", "Hertz; Johnson, Contact Mechanics")
def hertz_impact() -> Comparison:
    # A contact of 159 us, rows every 0.2 us.
    found, want = run("E17_hertz"), expected("E17")
    z, v, t = found["bodies/sphere/position"][:, 2], found["bodies/sphere/velocity"][:, 2], found["time"]
    touch, leave = crossings(t, z - 0.02, v)
    findings = [
        compare("approach", "m", want["d_max"], 0.02 - z.min(), relative=1e-5),
        compare("largest force", "N", want["F_max"], found["forces/contact/effort"].max(), relative=1e-5),
        compare("time of contact", "s", want["contact time"], leave - touch, relative=1e-5),
        compare("rebound speed", "m/s", want["rebound speed"], v[-1], relative=1e-6),
        found.drift(1e-7 * 0.0327),
    ]
    return Comparison(findings)


@case("E12", "Block on a bushing: six frequencies, static displacement", "own, closed 2x2 forms")
def bushing_block() -> Comparison:
    # Modes by differences of the equations. The force is scaled to 1 mN: at 100 N the block turns by 3 degrees, and
    # the linear solution of the entry is off by the square of this angle.
    want = expected("E12")
    found = [mode.frequency for mode in modes_of_model(model_of("E12_bushing")).shown]
    pushed, share = run("E12_bushing", {"push": "1e-3"}), 1e5
    at, turn = pushed["bodies/block/position"][-1] - [0, 0, 0.12], pushed["bodies/block/quaternion"][-1][1:] * 2
    findings = [
        compare("frequencies", "Hz", want["Hz"], found, relative=1e-8),
        compare("centre of mass", "m", want["static: COM displacement"], share * at, of_peak=1e-6),
        compare("rotation", "rad", want["static: rotation"], share * turn, of_peak=1e-6),
    ]
    return Comparison(findings)


@case("E12b", "Torsional swing of 2 rad on a bushing", "closed form: harmonic in the rotation vector")
def torsion_bushing() -> Comparison:
    found = run("E12_torsion")
    q, t = found["bodies/wheel/quaternion"], found["time"]
    angle = 2 * np.arctan2(q[:, 3], q[:, 0])
    findings = [
        compare("angle", "rad", 2.0 * np.cos(np.sqrt(80 / 0.5) * t), angle, absolute=1e-7),
        found.drift(1e-7 * 160),
    ]
    return Comparison(findings)


@case("E10", "Payload drops into a cable", "closed form; ODE with events")
def dropped_payload() -> Comparison:
    # rk45 with a local error of 1e-10; times are crossings between rows every 0.1 ms.
    # The force of the damping jumps when the cable gets taut, so the damped drop has a fixed step, 20 us.
    want, loose = expected("E10"), run("E10_cable")
    fixed = {"method": "generalized-alpha", "tolerance": None, "step": 2e-5}
    damped = run("E10_cable", {"c": "400"}, **fixed)
    plain = want["c=0"]
    t, z, v = loose["time"], loose["bodies/payload/position"][:, 2], loose["bodies/payload/velocity"][:, 2]
    taut = crossings(t, -2 - z, -v)
    row = int(round(plain["period of the bouncing"] / 1e-4))
    again = np.interp(plain["period of the bouncing"], t[row - 1 : row + 2], z[row - 1 : row + 2])
    findings = [
        compare("taut at", "s", plain["taut at t"], taut[0], absolute=1e-7),
        compare("largest tension", "N", plain["max tension"], loose["forces/cable/effort"].max(), relative=1e-5),
        compare("largest stretch", "m", plain["max stretch"], (-2 - z).max(), relative=1e-5),
        compare("taut phase", "s", plain["taut phase"], taut[1] - taut[0], relative=1e-6),
        compare("height after a period", "m", -1.2, again, absolute=1e-6),
        loose.drift(1e-7 * 1000),
    ]
    stretch = -2 - damped["bodies/payload/position"][:, 2]
    tension, t = damped["forces/cable/effort"], damped["time"]
    for number, (start, largest, most, *_) in enumerate(want["c=400"], start=1):
        now = (t > start - 1e-3) & (t < start + 0.15)
        findings += [
            compare(f"damped, bounce {number}: stretch", "m", largest, stretch[now].max(), relative=1e-4),
            compare(f"damped, bounce {number}: tension", "N", most, tension[now].max(), relative=1e-3),
        ]
    findings.append(compare("tension below zero", "N", 0.0, min(0.0, tension.min()), absolute=0.0))
    return Comparison(findings)


@case("E10b", "Atwood machine with an elastic cable through an eye", "closed form")
def atwood() -> Comparison:
    # T = T_0 (1 - cos w t), w^2 = k (1/m_1 + 1/m_2), T_0 = 2 m_1 m_2 g / (m_1 + m_2), from an unstretched cable
    found, heavy, light = run("E10_atwood"), 5.0, 3.0
    t, mean, k = found["time"], 2 * heavy * light * G / (heavy + light), 2000.0
    rate = np.sqrt(k * (1 / heavy + 1 / light))
    tension = mean * (1 - np.cos(rate * t))
    fall = -2 - 0.5 * G * t**2 + mean / heavy * (t**2 / 2 + (np.cos(rate * t) - 1) / rate**2)
    findings = [
        compare("tension", "N", tension, found["forces/cable/effort"], of_peak=1e-7),
        compare("height of the heavy mass", "m", fall, found["bodies/heavy/position"][:, 2], absolute=1e-8),
        found.drift(1e-7 * 100),
    ]
    return Comparison(findings)
