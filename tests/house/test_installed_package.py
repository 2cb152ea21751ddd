"""A wheel carries the kernels: installed, it compiles nothing, imports neither numba nor llvmlite, and gives the bits
that the JIT gives; after an edit of its sources it compiles again.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import time
import zipfile
from dataclasses import dataclass
from pathlib import Path

import h5py
import numpy as np
import pytest

from flexmb.machine_code.library import LINKED, PACKED, levels
from tests.support.places import EXAMPLES, MESHES, ROOT

pytestmark = [pytest.mark.long, pytest.mark.skipif(not levels(), reason="no library on this platform")]

COMMAND = (
    "import sys; from flexmb.cli import main; code = main(sys.argv[1:])\n"
    "print('imported:', *[name for name in ('numba', 'llvmlite') if name in sys.modules]); sys.exit(code)"
)
BASELINE = "import sys; from flexmb.machine_code import library as k; k.level = lambda: 'baseline';"
JIT = {"NUMBA_OPT": "3"}
"""Numba's own default; a setting of numba means that numba compiles."""


@dataclass(frozen=True)
class Installed:
    """A package in an environment of its own, built from this folder."""

    python: Path
    wheel: Path
    folder: Path

    @property
    def package(self) -> Path:
        """Where the package was installed."""
        return next(self.folder.glob("venv/lib/python*/site-packages/flexmb"))

    def run(self, *words: object, **environment: str) -> list[str]:
        """Output of a command of flexmb, in lines; the last one lists what was imported."""
        return self.code(COMMAND, *words, **environment)

    def code(self, code: str, *words: object, **environment: str) -> list[str]:
        """Output of Python code, in lines."""
        clean = {name: value for name, value in os.environ.items() if not name.startswith(("NUMBA_", "PYTHONPATH"))}
        done = subprocess.run(
            [str(self.python), "-P", "-c", code, *map(str, words)],
            env={**clean, "FLEXMB_CACHE": str(self.folder / "cache"), **environment},
            cwd=self.folder,
            capture_output=True,
            text=True,
        )
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout.splitlines()


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Installed:
    """Build a wheel and install it; the packages that it needs are those of this environment."""
    folder = tmp_path_factory.mktemp("installed")
    pip = [sys.executable, "-m", "pip", "wheel", "-q", "--no-deps", "-w", str(folder), str(ROOT)]
    began = time.perf_counter()
    subprocess.run(pip, check=True)
    (wheel,) = folder.glob("*.whl")
    print(f"wheel built in {time.perf_counter() - began:.0f} s, {wheel.stat().st_size / 1e6:.1f} MB")
    subprocess.run([sys.executable, "-m", "venv", str(folder / "venv")], check=True)
    python = folder / "venv" / "bin" / "python"
    subprocess.run([str(python), "-m", "pip", "install", "-q", "--no-deps", str(wheel)], check=True)
    places = [place for place in sys.path if place.endswith("site-packages")]
    (next(folder.glob("venv/lib/python*/site-packages")) / "packages.pth").write_text("\n".join(places))
    return Installed(python, wheel, folder)


def channels(path: Path) -> dict[str, bytes]:
    """Arrays of numbers of a result as they are stored; without checkpoints, which are written by the clock."""
    found: dict[str, bytes] = {}

    def visit(name: str, thing: object) -> None:
        is_result = not name.startswith(("run/", "checkpoint/"))
        if is_result and isinstance(thing, h5py.Dataset) and thing.dtype.kind in "fi":
            found[name] = np.asarray(thing[()]).tobytes()

    with h5py.File(path) as file:
        file.visititems(visit)
    return found


def test_the_wheel_is_of_this_platform_and_has_a_library_for_every_level(installed: Installed) -> None:
    assert "-py3-none-" in installed.wheel.name and not installed.wheel.name.endswith("-any.whl")
    with zipfile.ZipFile(installed.wheel) as wheel:
        names = [name for name in wheel.namelist() if "machine_code/kernels." in name]
    assert sorted(name.split("kernels.")[1].split(".")[0] for name in names) == sorted(levels())
    assert all(name.endswith((LINKED, PACKED)) for name in names)


def test_every_kernel_is_in_the_library(installed: Installed) -> None:
    code = (
        "from flexmb.machine_code.jit import library, Program; import importlib\n"
        "from flexmb.machine_code.build import kernel_names\n"
        "found = [getattr(importlib.import_module(n.partition(':')[0]), n.partition(':')[2]) for n in kernel_names()]\n"
        "print(len(found)); print(*[k.name for k in found if not (k._found if isinstance(k, Program) else k._entries)])"
    )
    number, missing = installed.code(code)
    assert int(number) > 110 and missing == ""


REDUCE = (
    "reduce", MESHES / "connecting_rod_coarse.msh", "--unit", "mm", "--material", "steel", "--interface", "bore_big",
    "--interface", "bore_small", "--marker", "middle", "--frame", "chord", "--stress", "-o",
)  # fmt: skip
MESHED = re.compile(r'mesh = "(?s:.*?)stress = true\n')
"""Keys of a body from a mesh in an example"""
LAST_BITS = {"10_scissor_lift"}
"""Examples in natural coordinates: LLVM joins products and sums of `place_in_core` to one instruction in another way"""
NATURAL = '[coordinates]\ndefault = "natural"\n\n'


def test_verbs_import_neither_numba_nor_llvmlite(installed: Installed) -> None:
    folder = installed.folder
    pendulum, crank = EXAMPLES / "01_double_pendulum.toml", EXAMPLES / "04_spatial_slider_crank.toml"
    natural = folder / "natural.toml"
    natural.write_text(NATURAL + (EXAMPLES / "02_planar_slider_crank.toml").read_text())
    began = time.perf_counter()
    assert installed.run("run", pendulum, "-o", folder / "first.h5")[-1] == "imported:"
    print(f"first result after {time.perf_counter() - began:.2f} s")
    for words in (
        ("run", crank, "-o", folder / "flexible.h5"),
        ("run", natural, "-o", folder / "natural.h5"),
        ("check", pendulum),
        ("inverse", EXAMPLES / "05_inverse_slider_crank.toml", "-o", folder / "inverse.h5"),
        ("modes", pendulum),
        ("plot", folder / "first.h5", "-o", folder / "first.svg"),
        ("animate", folder / "flexible.h5", "-o", folder / "picture.png"),
        ("animate", folder / "flexible.h5", "-o", folder / "page.html"),
        ("report", folder / "flexible.h5", "-o", folder / "report.html"),
        (*REDUCE, folder / "rod.h5"),
    ):
        assert installed.run(*words)[-1] == "imported:", words


@pytest.mark.parametrize("model", sorted(EXAMPLES.glob("*.toml")), ids=lambda path: path.stem)
def test_results_have_the_bits_of_the_jit(installed: Installed, model: Path) -> None:
    """Each with the bodies that its own kernels reduced, so that meshes and the sparse solver are compared too."""
    verb = "inverse" if "inverse" in model.stem else "run"
    found = []
    for name, environment in (("library", {}), ("jit", JIT)):
        place = installed.folder / name
        place.mkdir(exist_ok=True)
        text = model.read_text().replace('"../meshes/', f'"{MESHES}/')
        if model.stem.startswith("07"):  # other meshes are reduced by the first of the two
            text = MESHED.sub('file = "rod.h5"\n', text)
            installed.run(*REDUCE, place / "rod.h5", **environment)
        path = place / f"{model.stem}.h5"
        (place / model.name).write_text(text)
        imported = installed.run(verb, place / model.name, "-o", path, **environment)[-1]
        assert imported == ("imported:" if name == "library" else "imported: numba llvmlite")
        found.append(channels(path))
    assert len(found[0]) > 2 and found[0].keys() == found[1].keys()
    if model.stem in LAST_BITS:
        pairs = {name: (np.frombuffer(values), np.frombuffer(found[1][name])) for name, values in found[0].items()}
        sizes: dict[str, float] = {}  # of each kind: a moment that is round-off comes from forces of 1 kN that cancel
        for name, (numbers, _) in pairs.items():
            kind = name.split("/")[0]
            sizes[kind] = max(1.0, sizes.get(kind, 0.0), float(np.abs(numbers).max(initial=0.0)))
        for name, (numbers, others) in pairs.items():
            assert np.abs(numbers - others).max(initial=0.0) <= 1e-13 * sizes[name.split("/")[0]], name
    else:
        assert found[0] == found[1]


def test_other_types_than_declared_are_compiled_for(installed: Installed) -> None:
    """Places of blocks stored by columns; the kernel calls others by name, which numba then compiles too."""
    code = (
        "import sys, numpy as np; from flexmb.reduction.sparse.kernels.dissection import dissect\n"
        "graph = np.array([0, 1, 3, 4]), np.array([1, 0, 2, 1], np.int32)\n"
        "places = np.arange(9.0).reshape(3, 3)\n"
        "print(*dissect(*graph, places), 'numba' in sys.modules)\n"
        "print(*dissect(*graph, np.asfortranarray(places)), 'numba' in sys.modules)"
    )
    first, second = installed.code(code)
    assert first.split()[:3] == second.split()[:3] and (first.split()[3], second.split()[3]) == ("False", "True")


def test_generated_code_is_called_from_the_library(installed: Installed) -> None:
    model, path = EXAMPLES / "01_double_pendulum.toml", installed.folder / "turbo.h5"
    assert any("turbo" in line for line in installed.run("run", model, "--turbo", "-o", path))
    installed.run("run", model, "-o", installed.folder / "plain.h5")
    with h5py.File(path) as turbo, h5py.File(installed.folder / "plain.h5") as plain:
        a, b = turbo["coordinates/q"][()], plain["coordinates/q"][()]
    assert np.abs(a - b).max() < 1e-6 * np.abs(b).max()


def test_the_baseline_gives_the_same_motion(installed: Installed) -> None:
    """Without fused products numbers are rounded otherwise: 1000 steps, each solved to about 1e-11 of the length."""
    model, code = EXAMPLES / "04_spatial_slider_crank.toml", COMMAND.replace("import sys;", BASELINE)
    found = []
    for name, words in (("avx2.h5", COMMAND), ("baseline.h5", code)):
        installed.code(words, "run", model, "-o", installed.folder / name)
        with h5py.File(installed.folder / name) as file:
            found.append(file["coordinates/q"][()])
    assert 0.0 < np.abs(found[0] - found[1]).max() < 1e-9 * np.abs(found[0]).max() or len(levels()) == 1


def test_an_edited_source_is_compiled_again(installed: Installed) -> None:
    code = "from flexmb.machine_code.jit import library; print(library() is not None)"
    assert installed.code(code) == ["True"]
    assert installed.code(code, **JIT) == ["False"]
    for name in ("joints/revolute.py", "mesh/kernels.py"):
        path = installed.package / name
        content = path.read_text()
        path.write_text(content + "\n")
        assert installed.code(code) == ["False"]
        path.write_text(content)
    assert installed.code(code) == ["True"]
