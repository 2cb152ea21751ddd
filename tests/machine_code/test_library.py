"""Libraries of machine code: what they compute, what they reject, how they report errors, and when they are not used.

The toy kernels are compiled once as the build does it, and loaded both ways: linked, and object by object.

Covers: machine_code.entries, machine_code.boundary, machine_code.sources, machine_code.pointers,
machine_code.numba_compiler.
"""

from __future__ import annotations

import gc
import pickle
import resource
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from flexmb.machine_code import build, jit
from flexmb.machine_code import library as machine_library
from flexmb.machine_code.library import LINKED, PACKED, Library, level, library_stem, open_library
from tests.support import toy_kernels as toys

NAMES = [
    f"tests.support.toy_kernels:{name}"
    for name in (
        "inner",
        "outer",
        "failing",
        "around_failing",
        "weighted",
        "made",
        "doubled",
        "reshaped",
        "too_much",
        "refusing",
    )
]

pytestmark = pytest.mark.skipif(not machine_library.levels(), reason="no library on this platform")


@pytest.fixture(scope="module")
def objects(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Object files of the toy kernels, for the level of this processor."""
    place = tmp_path_factory.mktemp("objects")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(build, "levels", lambda: (level(),))
        build.compile_objects(place, [*NAMES, "tests.support.toy_kernels:solved"])
    return place


@pytest.fixture(scope="module", params=["linked", "packed"])
def library(request: pytest.FixtureRequest, objects: Path) -> Library:
    compiler = build.find_compiler() if request.param == "linked" else None
    if compiler is None and request.param == "linked":
        pytest.skip("no C compiler")
    path = build.joined(objects / level(), objects / f"{request.param}.{level()}", compiler)
    assert path.suffix == (LINKED if request.param == "linked" else PACKED)
    found = open_library(path)
    assert found is not None
    return found


def entry(library: Library, kernel: jit.ArrayKernel) -> Callable[..., Any]:
    (found,) = library.entries(kernel.name, kernel.signatures)
    return found


def test_programs_give_what_the_jit_gives(library: Library) -> None:
    floats = np.random.default_rng(1).normal(size=5)
    works = []
    for address, inner in (
        (library.address(toys.outer.name), library.address(toys.inner.name)),
        (toys.outer.address, toys.inner.address),
    ):
        assert address and inner
        ints, work = np.array([5, inner]), np.zeros(2)
        library.call(address, ints, floats, work, 3)
        works.append(work)
    assert works[0].tolist() == works[1].tolist() and works[0][1] > 0.0


def test_a_program_takes_arrays_only(library: Library) -> None:
    address = library.address(toys.failing.name)
    ints, work = np.zeros(1, np.int64), np.zeros(1)
    with pytest.raises(TypeError, match="three arrays"):
        library.call(address, ints, [0.0], work, 1)
    library.call(address, ints, np.zeros(1).view(np.recarray), work, np.int64(1))  # a subclass is an array
    assert work[0] == 1.0


def test_array_kernels_give_what_the_jit_gives(library: Library) -> None:
    values = np.random.default_rng(2).normal(size=(6, 3))
    for arguments in (
        (values, np.array([0, 4, 5], np.int32), 0.3, 2, True),
        (values, np.zeros(0, np.int32), np.float64(0.3), np.int64(0), False),
    ):
        assert entry(library, toys.weighted)(*arguments) == toys.weighted.dispatcher(*arguments)
    cube = np.random.default_rng(3).normal(size=(2, 3, 4))
    assert entry(library, toys.reshaped)(*(cube, 5)) == cube[0, 1, 1] + 10.0 * cube[1, 0, 0]
    strided = np.arange(24.0).reshape(4, 6)[::2, 1::2]
    entry(library, toys.doubled)(*(strided,))
    assert strided.tolist() == [[2.0, 6.0, 10.0], [26.0, 30.0, 34.0]]


def test_arrays_that_a_kernel_makes_belong_to_the_caller(library: Library) -> None:
    pair = np.array([1.0, 2.0, 4.0]), np.array([1, 2])
    x, table, square, is_long = entry(library, toys.made)(*(5, pair))
    expected = toys.made.dispatcher(5, pair)
    assert x.tolist() == expected[0].tolist() and table.tolist() == expected[1].tolist()
    assert (square, is_long) == (25, True) and table.dtype == np.int64 and x.flags.writeable
    part = x[1:3]
    del x
    gc.collect()
    assert part.tolist() == [2.0 / 7.0, 4.0 / 7.0]
    assert entry(library, toys.made)(*(0, pair))[1].shape == (0, 2)


def test_memory_of_results_is_given_back(library: Library) -> None:
    """300 results of 16 MB, one after the other: 4.8 GB would stay."""
    made, pair = entry(library, toys.made), (np.ones(1), np.ones(1, np.int64))
    made(1_000_000, pair)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    for _ in range(300):
        made(1_000_000, pair)
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 200_000  # kB


@pytest.mark.parametrize(
    "change",
    [
        {0: np.zeros((6, 3), np.float32)},
        {0: np.asfortranarray(np.zeros((6, 3)))},
        {0: np.zeros(3)},
        {1: [0, 1]},
        {2: 1},
        {3: 0.5},
    ],
)
def test_other_types_do_not_fit(library: Library, change: dict[int, object]) -> None:
    arguments: list[object] = [np.zeros((6, 3)), np.zeros(2, np.int32), 0.5, 0, False]
    assert entry(library, toys.weighted)(*arguments) == 0.0
    for place, value in change.items():
        arguments[place] = value
    assert entry(library, toys.weighted)(*arguments) is NotImplemented
    assert entry(library, toys.weighted)(*arguments[:-1]) is NotImplemented


def test_arrays_that_must_not_be_written_do_not_fit(library: Library) -> None:
    values = np.zeros((2, 2))
    values.flags.writeable = False
    assert entry(library, toys.doubled)(*(values,)) is NotImplemented


def test_tuples_of_another_form_do_not_fit(library: Library) -> None:
    assert entry(library, toys.made)(*(2, (np.ones(1),))) is NotImplemented
    assert entry(library, toys.made)(*(2, np.ones(1))) is NotImplemented


def test_a_dtype_may_be_another_object_than_numpys(library: Library) -> None:
    """As h5py and pickle make them."""
    own = pickle.loads(pickle.dumps(np.dtype("i4", metadata={"unit": "m"})))
    rows = np.array([0, 1], own)
    assert rows.dtype is not np.dtype("i4")
    assert entry(library, toys.weighted)(*(np.ones((6, 3)), rows, 2.0, 0, False)) == 4.0


def test_errors_of_kernels_are_raised(library: Library) -> None:
    assert entry(library, toys.refusing)(*(3,)) == 3
    with pytest.raises(ValueError, match="n is negative"):
        entry(library, toys.refusing)(*(-1,))
    for n in (1 << 58, -1):
        with pytest.raises((MemoryError, ValueError)):
            entry(library, toys.too_much)(*(n,))


def test_errors_of_programs_are_raised_also_from_within_another(library: Library) -> None:
    failing = library.address(toys.failing.name)
    ints, work = np.array([failing]), np.zeros(1)
    for address in (failing, library.address(toys.around_failing.name)):
        with pytest.raises(ValueError, match="larger than 2"):
            library.call(address, ints, work, work, 3)
        library.call(address, ints, work, work, 2)  # the error is taken away


def test_a_kernel_that_needs_numba_is_left_out(library: Library, objects: Path) -> None:
    assert library.entries(toys.solved.name, toys.solved.signatures) == []
    (reason,) = (objects / level()).glob("*.out")
    assert "toy_kernels:solved calls " in reason.read_text() and "numba_xgesv" in reason.read_text()
    A, b = np.array([[2.0, 0.0], [0.0, 4.0]]), np.array([1.0, 1.0])
    assert toys.solved(A, b).tolist() == [0.5, 0.25]


def installed(folder: Path, objects: Path, name: str, monkeypatch: pytest.MonkeyPatch) -> Library | None:
    """What a package finds whose machine code is a library of this name."""
    monkeypatch.setattr(machine_library, "FOLDER", folder)
    build.joined(objects / level(), folder / name, None)
    return machine_library.installed_library()


def test_a_library_of_these_sources_is_used(objects: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    found = installed(tmp_path, objects, library_stem(level()), monkeypatch)
    assert found is not None and found.address(toys.inner.name)


def test_a_library_of_other_sources_is_never_used(
    objects: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    stem = library_stem(level())
    assert installed(tmp_path, objects, stem[:-1] + ("0" if stem[-1] != "0" else "1"), monkeypatch) is None


def test_the_name_follows_every_kernel_source(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for path in ("machine_code/jit.py", "joints/revolute.py", "elements/solid/kernels/element.py"):
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text("a = 1\n")
    monkeypatch.setattr("flexmb.machine_code.sources.PACKAGE", tmp_path)
    stems = [library_stem(level())]
    for path in ("machine_code/jit.py", "joints/revolute.py", "elements/solid/kernels/element.py"):
        (tmp_path / path).write_text("a = 2\n")
        stems.append(library_stem(level()))
    (tmp_path / "joints" / "new.py").write_text("")
    assert len({*stems, library_stem(level())}) == 5


@pytest.mark.parametrize("content", [b"", b"\x7fELF and nothing more"])
@pytest.mark.parametrize("ending", [LINKED, PACKED])
def test_a_damaged_library_is_not_used(tmp_path: Path, content: bytes, ending: str) -> None:
    path = tmp_path / f"kernels{ending}"
    assert open_library(path) is None
    path.write_bytes(content)
    assert open_library(path) is None


def test_a_setting_of_numba_is_followed_by_the_jit(monkeypatch: pytest.MonkeyPatch) -> None:
    marker = object()
    monkeypatch.setattr(jit, "installed_library", lambda: marker)
    for name in [*jit.os.environ]:
        if name.startswith("NUMBA_"):
            monkeypatch.delenv(name)
    monkeypatch.setenv("NUMBA_NUM_THREADS", "1")
    assert jit.library.__wrapped__() is marker
    monkeypatch.setenv("NUMBA_BOUNDSCHECK", "1")
    assert jit.library.__wrapped__() is None


def test_a_processor_without_fused_products_gets_the_baseline(monkeypatch: pytest.MonkeyPatch) -> None:
    if machine_library.AVX2 not in machine_library.levels():
        pytest.skip("one level on this machine")
    for features, expected in (
        ({"AVX2": True, "FMA3": True}, "avx2"), ({"AVX2": True, "FMA3": False}, "baseline"), ({}, "baseline"),
    ):  # fmt: skip
        monkeypatch.setattr(np._core._multiarray_umath, "__cpu_features__", features)
        assert level() == expected
