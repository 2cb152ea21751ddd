"""Variants of the spatial slider-crank: deformation field, frame, number of shapes, coordinates.

    python examples/04_spatial_slider_crank_variants.py

Prints one table. The error is the largest difference of the rod's middle (both components, two turns) from the finest
model here: ten polynomials per plane and a rod that also stretches, at a quarter of the step. Conclusions:

- The coordinates make no difference, and the frame matters only through the shapes it allows.
- Second order is needed: without foreshortening ("linear") the rod is wrong by its own size, with first-order equations
  by a tenth of it. Orders 1 and 2 lose their mass matrix when there are many shapes; the exact field never does.
"""

from __future__ import annotations

import importlib.util
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

import flexmb as fx
from flexmb.system.build import build_system

CHORD = {"family": "modes"}
TANGENT = {"family": "monomials"}
FINEST: dict[str, Any] = {"steps": 40000, "shapes": {"family": "monomials", "bending": 10, "axial": 3}}


def quadratic(order: int | str) -> dict[str, Any]:
    return {"field": "quadratic", "order": order}


def variants() -> dict[str, dict[str, Any]]:
    """Name of each variant in the table, and its settings: keys of the rod, `coordinates` of the model."""
    table: dict[str, dict[str, Any]] = {
        "exact, chord, 3 sines: the example": {},
        "  absolute coordinates": {"coordinates": {"default": "absolute"}},
        "  mixed, the rod absolute": {"coordinates": {"absolute": ["rod"]}},
    }
    table |= {f"  {n} sines": {"shapes": CHORD | {"bending": n}} for n in (4, 5, 6)}
    for name, field in {
        "order 2": quadratic(2),
        "order 1": quadratic(1),
        "full": quadratic("full"),
        "linear": {"field": "linear"},
    }.items():
        table[f"{name}, chord, 3 sines"] = field
    for frame in ("end", "start"):
        for n in (3, 4, 5, 6):
            table[f"exact, tangent at the {frame}, {n} powers"] = {"frame": frame, "shapes": TANGENT | {"bending": n}}
    powers = {"frame": "end", "shapes": TANGENT | {"bending": 3}}
    table |= {f"order {order}, tangent at the end, 3 powers": powers | quadratic(order) for order in (2, 1)}
    table["full, tangent at the end, 3 powers"] = powers | quadratic("full")
    table["linear, tangent at the end, 3 powers"] = powers | {"field": "linear"}
    table["order 2, tangent at the end, 5 powers"] = powers | {"shapes": TANGENT | {"bending": 5}} | quadratic(2)
    return table


def build(settings: dict[str, Any]) -> fx.Model:
    """The model of 04_spatial_slider_crank.py with these settings."""
    spec = importlib.util.spec_from_file_location(
        "slider_crank", Path(__file__).with_name("04_spatial_slider_crank.py")
    )
    assert spec is not None and spec.loader is not None
    example = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(example)
    rod = {key: value for key, value in settings.items() if key != "coordinates"}
    model: fx.Model = example.slider_crank(**rod)
    model.coordinates(**settings.get("coordinates", {}))
    return model


def run(model: fx.Model, folder: Path) -> tuple[NDArray[np.float64], float]:
    """Middle of the rod [mm] (rows, 2), and CPU time of building, solving and writing [s]."""
    began = time.process_time()
    with fx.run_model(model, folder / "variant.h5") as result:
        spent = time.process_time() - began
        return 1e3 * np.stack([result["sensors/rod_mid_y"], result["sensors/rod_mid_z"]], axis=1), spent


def main(*words: str) -> dict[str, float]:
    """Run all variants whose name has one of the words (default: all), print the table, return the errors [mm]."""
    found: dict[str, float] = {}
    ready: set[Any] = set()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        finest, _ = run(build(FINEST), folder)
        print(f"{'variant':42s} error [mm]  CPU [s]  coordinates")
        for variant, settings in variants().items():
            if words and not any(word in variant for word in words):
                continue
            model = build(settings)
            try:
                kind = (settings.get("field", "exact"), settings.get("order"))
                if kind not in ready:
                    run(model, folder)  # the first run of a kind also loads or compiles its kernels
                    ready.add(kind)
                middle, spent = run(model, folder)
            except fx.ComputationError as error:
                found[variant] = float("inf")
                print(f"{variant:42s} ends: {str(error).split(': ')[0]}")
                continue
            found[variant] = float(np.max(np.abs(middle - finest)))
            print(f"{variant:42s} {found[variant]:10.4f} {spent:8.2f} {build_system(model.spec).n_v:12d}", flush=True)
    return found


if __name__ == "__main__":
    main(*sys.argv[1:])
