"""Cases of beams whose shapes flexmb chooses, and of warnings that must appear: the sag of a shaft, the elastica."""

from __future__ import annotations

import numpy as np

from flexmb.analyses.run import run_model
from flexmb.output_files import temporary_folder
from flexmb.reports.flexible_report import flexible_warnings
from flexmb.results.flexible_findings import flexible_findings
from flexmb.system.placement import place
from flexmb.verification.case import Comparison, Curve, case, compare
from flexmb.verification.running import model_of, run

POOR = '{ family = "modes", supports = "clamped-free", bending = 4 }'
ELASTICA = np.array(
    [
        [0.25, 0.9958821815900305, 0.08274591535441278],
        [0.5, 0.9840810375291861, 0.16214357565835535],
        [1.0, 0.9435667637162156, 0.3017207737999228],
        [2.0, 0.8393582791748327, 0.4934574803967118],
        [3.0, 0.7455798154358128, 0.6032534411299773],
        [5.0, 0.6123716392755701, 0.7137915236119128],
    ]
)
"""alpha = P L^2/EI, x/L and y/L of the tip, by elliptic integrals"""


def codes(name: str, settings: dict[str, str]) -> list[str]:
    """Codes of the warnings on the flexible bodies of a static analysis."""
    model = model_of(name, settings)
    mechanism = place(model.spec)
    with temporary_folder() as folder, run_model(model, folder / "out.h5") as result:
        found = flexible_warnings(mechanism, flexible_findings(mechanism, result), model.spec)
        return [warning.code for warning in found]


@case("B07-sag", "Shaft of two tubes on a disc, shapes chosen by flexmb", "closed form (clamped beam, with shear)")
def shaft_sag() -> Comparison:
    """Sag in the middle, and warnings for shapes of a cantilever, which miss a quarter of it."""
    # Constraint shapes are exact for forces at the disc; the weight between the ends bends the shaft by modes, of which
    # three miss 1e-6 of the sag.
    W, q, length, EI, GA = 70.573 * 9.81, 7800 * 3.134e8 / 210e9 * 9.81, 6.0, 3.545e5, 6.05e7
    bending = W * length**3 / (192 * EI) + q * length**4 / (384 * EI)
    sheared = W * length / (4 * GA) + q * length**2 / (8 * GA)
    found = run("B07_shaft")["sensors/sag"][0]
    plain = {f"bodies.{name}.shear": "false" for name in ("first", "second")}
    poor = {**plain, **{f"bodies.{name}.shapes": POOR for name in ("first", "second")}}
    return Comparison(
        [
            compare("sag", "m", [-bending - sheared], [found], relative=1e-5),
            compare("sag without shear", "m", [-bending], [run("B07_shaft", plain)["sensors/sag"][0]], relative=1e-5),
            compare("warnings, shapes chosen by flexmb", "", [0], [len(codes("B07_shaft", plain))], absolute=0.0),
            compare(
                "warnings, shapes of a cantilever",
                "",
                [2],
                [codes("B07_shaft", poor).count("beam-shapes")],
                absolute=0.0,
            ),
        ]
    )


@case("L04", "Elastica: cantilever under a tip force", "Bisshop, Drucker 1945; Mattiasson 1981 (elliptic integrals)")
def elastica() -> Comparison:
    """Tip of the exact field, and the warning of the quadratic one."""
    # Five shapes per plane reach 4e-5 of the length at a slope of 0.94, where the exact field nears its end.
    tips = np.array([run("L04_elastica", {"alpha": str(alpha)})["sensors/tip"][0][:2] for alpha in ELASTICA[:, 0]])
    quadratic = {"bodies.beam.field": "quadratic"}
    warned = [codes("L04_elastica", quadratic | {"alpha": alpha}).count("field-error") for alpha in ("0.1", "1", "2")]
    curve = Curve("Tip deflection", "P L^2/EI", "", "m", ELASTICA[:, 0], tips[:, 1], ELASTICA[:, 0], ELASTICA[:, 2])
    return Comparison(
        [
            compare("tip along the beam", "m", ELASTICA[:, 1], tips[:, 0], absolute=1e-4),
            compare("tip across", "m", ELASTICA[:, 2], tips[:, 1], absolute=1e-4),
            compare("warnings of the quadratic field at 0.1, 1, 2", "", [0, 1, 1], warned, absolute=0.0),
        ],
        [curve],
    )
