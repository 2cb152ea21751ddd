"""The spatial slider-crank with a flexible rod [SM 5.3, after Jonker], as a beam; meshed.py has it as a mesh.

The reference is a nonlinear, extensible Euler-Bernoulli rod of 64 elements; two codes agree on it to 1e-6 m.
"""

from __future__ import annotations

import numpy as np

from flexmb.arrays import Floats
from flexmb.verification.case import Comparison, Curve, case, compare
from flexmb.verification.running import Record, run, table

CRANK = "spatial_slider_crank"
NONLINEAR_ROD = "nonlinear rod of 64 elements, two codes (Shi & McPhee 5.3)"


def middle(found: Record, every: int = 1) -> Floats:
    """(2, rows) deflection of the rod's middle from its chord along y and z [m]; one row in `every`."""
    return np.stack([found["sensors/rod_mid_y"], found["sensors/rod_mid_z"]])[:, ::every]


def middle_curves(found: Record, time: Floats, reference: Floats) -> list[Curve]:
    """Both components over time, ours and the reference (2, rows)."""
    return [
        Curve(f"Middle of the rod, {axis}", "time", "s", "m", found["time"], ours, time, wanted)
        for axis, ours, wanted in zip("yz", middle(found), reference, strict=True)
    ]


@case("spatial-slider-crank", "Spatial slider-crank with a flexible rod, two turns", NONLINEAR_ROD)
def slider_crank() -> Comparison:
    """Deflection of the rod by three descriptions of it, and the slider. T13 has the torque."""
    # Three sines in each plane and 10,000 steps: the shapes and the missing stretch leave 0.003 mm. Three polynomials
    # in the tangent frame at B, as in the paper, leave 0.026 mm.
    time, y, z, slider, _, rigid_slider, _ = table("jonker_reference")
    want = np.array([y, z])
    example = run(CRANK)
    tangent = {"bodies.rod.frame": "end", "bodies.rod.shapes.family": "monomials"}
    second_order = run(CRANK, tangent | {"bodies.rod.field": "quadratic", "bodies.rod.order": "2"})
    # Ten thousand times the frequency: a deflection of 2e-10 m. The reference has nine digits.
    stiff = run(CRANK, {"bodies.rod.material.E": "2e9 GPa", "analysis.step": "$turns/$speed/4000"})
    # The start is a shock: the slider rings on the rod at 18 krad/s and 8 um, close to the fourth and fifth bending
    # modes that the bow couples to it. Ten polynomials resolve them; 2 us steps keep the phase for 760 rad, one turn.
    # The error of the step flatters the slider: twelve polynomials at 0.5 us leave 8e-7 m.
    stretching = {"bodies.rod.shapes.family": "monomials", "shapes": "10", "bodies.rod.shapes.axial": "3"}
    fine = run(CRANK, stretching | {"analysis.step": "2 us", "turns": "1 turn", "output.every": "$turns/$speed/2000"})
    turn = 251
    ends = [np.concatenate([m.max(axis=1), m.min(axis=1)]) for m in (want, middle(example))]
    findings = [
        compare("extremes of the deflection", "m", *ends, absolute=3e-6),
        compare("middle of the rod, exact field, 3 sines", "m", want, middle(example, 2), absolute=8e-6),
        compare("middle, order 2, tangent frame, 3 polynomials", "m", want, middle(second_order, 2), absolute=4e-5),
        compare("rod that stretches: middle, one turn", "m", want[:, :turn], middle(fine, 8), absolute=2e-6),
        compare("rod that stretches: slider", "m", slider[:turn], fine["sensors/slider_x"][::8], absolute=1e-6),
        compare(
            "rod 1e7 times as stiff: slider as with a rigid one",
            "m",
            rigid_slider,
            stiff["sensors/slider_x"][::2],
            absolute=1e-9,
        ),
    ]
    return Comparison(findings, middle_curves(example, time, want))
