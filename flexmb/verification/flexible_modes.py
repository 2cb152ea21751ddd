"""Published frequencies of flexible bodies, by `flexmb modes`: rotating cantilever, one set of shapes on any support,
Coriolis oscillator, uniform beams."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from flexmb.analyses.modes import modes_of_model
from flexmb.arrays import Floats
from flexmb.model.model import Model
from flexmb.verification.case import Comparison, Curve, case, compare
from flexmb.verification.running import expected, model_of, table


def rates(
    name: str, settings: Mapping[str, str] | None = None, *, speed: float | None = None, about: str = "start"
) -> Floats:
    """Angular frequencies of models/<name>.toml, ascending [rad/s]; `speed`: at which its joint 'bearing' is driven."""
    model = model_of(name, settings)
    if speed is not None:
        drive = {"hub": {"joint": "bearing", "rate": float(speed)}}
        model = Model.from_tables({**model.identity, "motions": drive})
    return 2.0 * np.pi * np.sort([mode.frequency for mode in modes_of_model(model, about=about).shown])


def flap_and_lag(speed: float, settings: Mapping[str, str] | None = None) -> tuple[Floats, Floats]:
    """Three frequencies each across the plane of rotation and in it; a lag lies below its flap, the next pair above."""
    found = rates("B05a_rotating_cantilever", settings, speed=speed)[:6]
    return found[1::2], found[::2]


@case("B05a", "Rotating cantilever: flap and lag frequencies", "Wright, Smith, Thresher & Wang 1982; Ritz series")
def rotating_cantilever() -> Comparison:
    """Three frequencies of each kind over the speed, all without dimension."""
    # Eight polynomials reach 2e-6 of the third frequency. In the plane of rotation the centrifugal force softens: the
    # square of a lagging frequency is that of flapping less the square of the speed.
    _, speeds, *columns = table("rotating_cantilever_flap")
    flaps = np.array(columns)
    found = np.array([flap_and_lag(speed) for speed in speeds])
    quadratic = {"bodies.beam.field": "quadratic", "bodies.beam.order": "1"}
    first_order = flap_and_lag(speeds[-1], quadratic)[0]
    lag_and_spin = np.sqrt(found[:, 1] ** 2 + speeds[:, None] ** 2)
    findings = [
        compare("flapping, speeds 0 to 12", "", flaps.T, found[:, 0], relative=5e-6),
        compare("lagging, speeds 0 to 12", "", flaps.T, lag_and_spin, relative=5e-6),
        compare("flapping at 12, first-order equations", "", flaps[:, -1], first_order, relative=5e-6),
    ]
    curves = [
        Curve(f"Flapping frequency {k + 1}", "speed", "1", "1", speeds, found[:, 0, k], speeds, flaps[k])
        for k in range(3)
    ]
    return Comparison(findings, curves)


@case("B10a", "Shapes of a cantilever on other supports", "closed form: free-free, pinned-free, hub")
def any_support() -> Comparison:
    """A beam described by cantilever shapes vibrates as its supports ask, whatever the body frame."""
    # Six shapes of a cantilever reach 9e-4 of the third free-free frequency, where they fit worst; ten polynomials miss
    # the third frequency on the hub by 2e-9.
    name, want = "B10a_beam_with_cantilever_shapes", expected("B10a")
    supports = {
        "free-free": {"joints.support.type": "planar", "J": "0"},
        "pinned-free": {"J": "0"},
        "hub 0.1": {"J": "0.1"},
    }
    six = {"bodies.beam.shapes.bending": "{ y = 6 }"}
    findings = [
        compare(f"{support}, six shapes", "", want[support], rates(name, six | settings)[:3], relative=1e-3)
        for support, settings in supports.items()
    ]
    ten = {"J": "0.1", "bodies.beam.shapes": '{ family = "monomials", bending = { y = 10 } }'}
    for frame in ("start", "end", "chord", "mean"):
        found = rates(name, ten | {"bodies.beam.frame": frame})[:3]
        findings.append(
            compare(f"hub 0.1, ten polynomials, frame {frame!r}", "", want["hub 0.1"], found, relative=1e-8)
        )
    return Comparison(findings)


@case("B12", "Coriolis oscillator on a turning hub", "closed form")
def coriolis() -> Comparison:
    """Both frequencies of a point mass on springs, and of a light beam with a tip mass."""
    # Linear algebra at the steady state; derivatives have errors of 1e-9. The beam's own mass is 1e-5 of the tip's.
    want = expected("B12")["omega"]
    springs, beam = (rates(f"B12_{name}", speed=2.0, about="steady")[:2] for name in ("coriolis", "tip_mass"))
    return Comparison(
        [
            compare("modal body", "rad/s", want, springs, relative=1e-9),
            compare("beam with a tip mass", "rad/s", want, beam, relative=1e-4),
        ]
    )


HOLDS = {"clamped": "fixed", "pinned": "revolute", "free": "planar"}


@case("C14", "Uniform beams on six kinds of supports", "closed form (textbook)")
def beam_roots() -> Comparison:
    """beta L of the first three modes, from beam elements held by joints."""
    # Cubic elements miss a root by (beta h)^4/2880: 1e-5 of roots below 8 by twenty elements, of those below 11 by 28.
    published = {name: roots for names, roots in expected("C14").items() for name in names.split(" / ")}
    published["pinned-pinned"] = np.pi * np.arange(1, 4)
    findings = []
    for supports, roots in published.items():
        left, right = (HOLDS[support] for support in supports.split("-"))
        joints = {"joints.left.type": left, "joints.right.type": right}
        want = np.array(roots)
        for elements, compared in ((20, want < 8), (28, want >= 8)):
            if compared.any():
                found = np.sqrt(rates("C14_beam", joints | {"bodies.beam.shapes.elements": str(elements)})[:3])
                findings.append(
                    compare(f"{supports}, {elements} elements", "", want[compared], found[compared], relative=1e-5)
                )
    return Comparison(findings)
