"""Couplings: gear pair, planetary train, differential (E01, E03, E05)."""

from __future__ import annotations

import numpy as np

from flexmb.verification.case import Comparison, Finding, case, compare
from flexmb.verification.running import Record, entries, expected, run


def ratio_finding(record: Record, first: str, second: str, ratio: float) -> Finding:
    """Ratio of two joint angles of the last row."""
    turned = [record[f"joints/{name}/position"][-1] for name in (first, second)]
    return compare(f"ratio of {first} to {second}", "", ratio, turned[0] / turned[1], relative=1e-12)


def closed_energy(record: Record) -> Finding:
    """Energy less the work of the drives, as a part of the peak."""
    error = np.max(np.abs(record.energy() - record["energy/work/total"])) / np.max(record.energy())
    return compare("energy balance, of the peak", "", 0.0, error, absolute=1e-8, source="conservation of energy")


@case("E01", "Gear pair under a constant torque", "closed form")
def gear_pair() -> Comparison:
    # Constant accelerations: rk45 has no error of its own; sums of some hundred steps round at 1e-13.
    want, pair = expected("E01"), run("E01_gear_pair")
    kinetic = [0.5 * J * pair[f"joints/bearing_{k}/velocity"][-1] ** 2 for k, J in ((1, 0.02), (2, 0.18))]
    accelerations = [pair[f"joints/bearing_{k}/acceleration"][0] for k in (1, 2)]
    radial, tangential = pair["joints/bearing_1/force"][-1, :2]
    separating = want["radial separating force Ft*tan(20deg)"]
    findings = [
        compare("accelerations", "rad/s^2", [want["alpha1"], want["alpha2"]], accelerations, relative=1e-10),
        compare("angle at 2 s", "rad", want["theta1(2)"], pair["joints/bearing_1/position"][-1], relative=1e-10),
        compare("rate at 2 s", "rad/s", want["omega2(2)"], pair["joints/bearing_2/velocity"][-1], relative=1e-10),
        compare("tooth force", "N", want["Ft"], pair["couplings/teeth/effort"][-1], relative=1e-10),
        compare("bearing, tangential", "N", want["Ft"], tangential, relative=1e-10),
        compare("bearing, separating", "N", separating, radial, relative=1e-10),
        compare("kinetic energies", "J", [want["KE1(2)"], want["KE2(2)"]], kinetic, relative=1e-10),
        ratio_finding(pair, "bearing_1", "bearing_2", -3.0),
        closed_energy(pair),
    ]
    dots = [want["theta1(2)"]]
    return Comparison(findings, [pair.curve("First wheel", "rad", "joints/bearing_1/position", (2,), dots)])


@case("E03", "Planetary train, ring fixed, three planets", "Willis' rule; closed form")
def planetary() -> Comparison:
    # Two of the six rows of teeth repeat others: the efforts are the least ones, which share the load equally.
    want, train = expected("E03"), run("E03_planetary")
    efforts = np.abs(train["couplings/train/effort"][0])
    pins = [train[f"joints/pin_{k}/force"][0] for k in (1, 2, 3)]
    places = np.array([[1.0, 0.0], [-0.5, np.sqrt(0.75)], [-0.5, -np.sqrt(0.75)]])
    along = [abs(places[k, 0] * pin[1] - places[k, 1] * pin[0]) for k, pin in enumerate(pins)]
    sun, carrier, planet = (train[f"joints/{name}/acceleration"][0] for name in ("sun", "carrier", "pin_1"))
    rate = train["joints/sun/velocity"][-1]
    wanted = [want["alpha_sun"], want["alpha_carrier"], want["alpha_planet"]]
    (outer,) = (value for key, value in want.items() if key.startswith("tooth force ring-planet"))
    pin = want["pin force carrier-planet (each, tangential)"]
    ring = 3 * 0.09 * train["couplings/train/effort"][0, 1]
    findings = [
        compare("accelerations", "rad/s^2", wanted, [sun, carrier, planet + carrier], relative=1e-9),
        compare("teeth sun - planet", "N", [want["tooth force sun-planet (each)"]] * 3, efforts[0::2], relative=1e-9),
        compare(
            "teeth planet - ring",
            "N",
            [outer] * 3,
            efforts[1::2],
            relative=1e-9,
        ),
        compare("pins, tangential", "N", [pin] * 3, along, relative=1e-9),
        compare("torque of ground on ring", "N*m", want["torque of ground on ring"], -ring, relative=1e-9),
        compare("rate of the sun at 0.1 s", "rad/s", want["omega_sun(0.1)"], rate, relative=1e-9),
        ratio_finding(train, "sun", "carrier", want["ratio ws/wc"]),
        closed_energy(train),
    ]
    return Comparison(findings)


@case("E05", "Differential with bevel planets", "closed form")
def differential() -> Comparison:
    # The closed form counts two planets of inertia Jb; one of twice that turns here.
    want = expected("E05")
    findings = []
    for text, inertia in (("", 2.0 * entries()["E05"]["parameters"]["Jb"]), (", no inertia of the planets", 0.0)):
        found = run("E05_differential", {"J_planet": str(inertia)} if inertia else {"J_planet": "1e-14"})
        rates = [found[f"joints/{name}/acceleration"][0] for name in ("left", "right", "carrier")]
        side = [0.8 * rates[0] + 30.0, 1.4 * rates[1] + 10.0]
        if inertia:
            wanted = [want["alpha_L"], want["alpha_R"], want["alpha_c"]]
            torques = [want["shaft torque L from gear"], want["shaft torque R from gear"]]
        else:
            left, right, torque = want["same with Jb=0: [alpha_L, alpha_R, equal shaft torque]"]
            wanted, torques = [left, right, 0.5 * (left + right)], [torque, torque]
        findings.append(compare(f"accelerations{text}", "rad/s^2", wanted, rates, relative=1e-9))
        findings.append(compare(f"torques of the shafts{text}", "N*m", torques, side, relative=1e-9))
        if not inertia:
            effort = found["couplings/sides/effort"][0]
            findings.append(compare(f"effort of the coupling{text}", "N*m", torques[0], effort, relative=1e-9))
    return Comparison(findings)
