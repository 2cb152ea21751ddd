"""Compilation of all programs and array kernels before the package is installed, to a library for each level.

The modules of the kernel sources are imported, and every program and every declared signature of an array kernel found
in them is compiled by numba, as the JIT does it, to a position-independent object file; processes share the work. The C
compiler links them to one library per level of processor; without a compiler they are packed as they are. What a kernel
calls must be in the library or in the C library: a kernel that needs more of numba is left out and listed, and is then
compiled on first use.
"""

from __future__ import annotations

import ctypes
import ctypes.util
import hashlib
import importlib
import os
import re
import shutil
import subprocess
import sys
import zipfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from flexmb.cores import available_cores
from flexmb.machine_code.jit import ArrayKernel, Kernel, Program, claim
from flexmb.machine_code.library import (
    AVX2,
    BOUNDARY,
    ERROR_CELL,
    LAYOUT,
    LINKED,
    N_LAYOUT,
    PACKED,
    levels,
    library_stem,
    symbol_of,
)
from flexmb.machine_code.sources import LIBRARY_SOURCES, PACKAGE, source_files
from flexmb.output_files import temporary_folder
from flexmb.stop_signals import child_process

FEATURES = {AVX2: "+avx,+avx2,+fma"}
"""Features of a level beyond those that all processors of its kind have."""
_DECORATED = re.compile(r"^@(program|array_kernel)\b", re.MULTILINE)
_RUNTIME = "runtime"
_PLACE = (ctypes.c_int64 * N_LAYOUT)()
_WORD_ENTRIES = {
    "unpack": (3, f"{BOUNDARY}.unpack"),
    "call_program": (2, f"{BOUNDARY}.call_program"),
    "call_array_kernel": (2, f"{BOUNDARY}.call_array_kernel"),
    "row_strides": (8, "numba_attempt_nocopy_reshape"),
}
"""Kernels of `boundary.py`: number of arguments, all words, and symbol."""


@dataclass(frozen=True)
class Built:
    """Library files of a build, and the kernels that are not in them, with the reason."""

    files: tuple[Path, ...]
    left_out: tuple[str, ...]
    n_kernels: int


def find_compiler() -> str | None:
    """C compiler of this machine: $CC, cc, gcc or clang; None when there is none."""
    for name in (os.environ.get("CC", ""), "cc", "gcc", "clang"):
        if name and (found := shutil.which(name)):
            return found
    return None


def kernel_names() -> list[str]:
    """Programs and array kernels of the package, "module:name"; importing their modules finds them."""
    names = []
    for path in source_files(LIBRARY_SOURCES):
        if _DECORATED.search(path.read_text(encoding="utf-8")):
            name = ".".join(["flexmb", *path.relative_to(PACKAGE).with_suffix("").parts])
            names += [thing.name for thing in vars(importlib.import_module(name)).values() if _is_of(thing, name)]
    return list(dict.fromkeys(names))


def _is_of(thing: Any, module: str) -> bool:
    """Whether a value of a module is a program or an array kernel that is defined there."""
    is_kept = isinstance(thing, Program) or (isinstance(thing, ArrayKernel) and bool(thing.signatures))
    return is_kept and thing.function.__module__ == module


def build(
    folder: Path, names: Sequence[str] | None = None, tell: Callable[[str], None] = print, compiler: str | None = ""
) -> Built:
    """Compile the kernels `names` (all of them) and write a library for each level into `folder`.

    `compiler`: "" is that of the machine, None is none.
    """
    names = kernel_names() if names is None else list(names)
    compiler = find_compiler() if compiler == "" else compiler
    share = max(1, available_cores() // len(levels()))
    tell(
        f"compiling {len(names)} kernels for {' and '.join(levels())} "
        f"in {share * len(levels())} processes, some minutes..."
    )
    folder.mkdir(parents=True, exist_ok=True)
    files, left_out = [], []
    with temporary_folder(prefix="flexmb-kernels-") as place:
        compile_objects(place, names, share)
        for level in levels():
            left_out += [f"{level}: {path.read_text()}" for path in sorted((place / level).glob("*.out"))]
            files.append(joined(place / level, folder / library_stem(level), compiler))
    for line in left_out:
        tell(f"left out, compiled on first use: {line}")
    return Built(tuple(files), tuple(left_out), len(names))


def compile_objects(place: Path, names: Sequence[str], share: int = 1) -> None:
    """Compile to object files in a folder per level, in `share` processes each, which take what is unclaimed."""
    script = "import sys; sys.path[:] = sys.argv[2:int(sys.argv[1]) + 2]\n"
    script += "from flexmb.machine_code.build import compile_level; compile_level(*sys.argv[int(sys.argv[1]) + 2:])"
    own = {name: value for name, value in os.environ.items() if not name.startswith("NUMBA_")}
    places = [str(PACKAGE.parent), *[part for part in sys.path if part]]  # those of this process, without `site`
    with ExitStack() as stack:
        workers = []
        for level in levels():
            (place / level / "claims").mkdir(parents=True)
            settings = {"NUMBA_CPU_NAME": _processor(), "NUMBA_CPU_FEATURES": FEATURES.get(level, "")}
            for number in range(share):
                order = names if number % 2 == 0 else names[::-1]
                words = [str(len(places)), *places, str(place / level), *order]
                command = [sys.executable, "-P", "-S", "-c", script, *words]
                options = {"env": {**own, **settings}, "stdin": subprocess.DEVNULL}
                workers.append(stack.enter_context(child_process(command, **options)))
        if any([worker.wait() for worker in workers]):
            raise RuntimeError("a process that compiles kernels failed")


def _processor() -> str:
    """Name of the processor that all of this kind are, for LLVM."""
    return "x86-64" if AVX2 in levels() else "generic"


def joined(place: Path, stem: Path, compiler: str | None) -> Path:
    """Link the objects in `place` to a library; without a compiler, or if it fails, pack them."""
    objects = sorted(place.glob("*.o"))
    linked, packed = stem.with_name(stem.name + LINKED), stem.with_name(stem.name + PACKED)
    if compiler is not None:
        words = ["-Wl,-s", "-Wl,-z,defs", "-Wl,-z,noexecstack"] if sys.platform == "linux" else []
        command = [compiler, "-shared", "-o", str(linked), *map(str, objects), *words, "-lm"]
        done = subprocess.run(command, capture_output=True, stdin=subprocess.DEVNULL)
        if done.returncode == 0:
            return linked
        linked.unlink(missing_ok=True)
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as pack:
        for path in objects:
            pack.writestr(zipfile.ZipInfo(path.name), path.read_bytes(), zipfile.ZIP_DEFLATED)
    return packed


def compile_level(place: str, *names: str) -> None:
    """Compile the unclaimed of the listed kernels to object files in `place`, for the processor of numba's settings."""
    import llvmlite.binding as llvm
    from numba.core import serialize

    from flexmb.machine_code import numba_compiler
    from flexmb.machine_code.entries import described

    for name in (LAYOUT, ERROR_CELL):  # numba loads what it compiles; nothing is run here
        llvm.add_symbol(name, ctypes.addressof(_PLACE))
    numba_compiler.ENTRIES["no_cpython_wrapper"] = True
    # Exceptions are described as text: numba's own description is a pickle, which needs numba to read it.
    serialize.dumps = described
    claims = os.path.join(place, "claims")
    for name in (_RUNTIME, *(f"{BOUNDARY}:{kernel}" for kernel in _WORD_ENTRIES), *names):
        if not claim(claims, name):
            continue
        for symbol, module in _modules(name):
            foreign = sorted(_foreign(module, symbol))
            if foreign:
                Path(place, f"{_file(symbol)}.out").write_text(f"{name} calls {', '.join(foreign)}")
            else:
                Path(place, f"{_file(symbol)}.o").write_bytes(_emitted(module, symbol))


def _file(symbol: str) -> str:
    """Name of a file for a symbol; that of a long signature would be too long."""
    return symbol if len(symbol) < 100 else f"{symbol[:80]}.{hashlib.sha256(symbol.encode()).hexdigest()[:16]}"


def _modules(name: str) -> Iterator[tuple[str, Any]]:
    """Symbol and optimised LLVM module of each entry of a kernel."""
    import llvmlite.binding as llvm
    from numba import types
    from numba.core import registry

    from flexmb.machine_code import entries
    from flexmb.machine_code.numba_compiler import PROGRAM_ARGUMENTS

    context = registry.cpu_target.target_context
    if name == _RUNTIME:
        module = llvm.parse_assembly(str(entries.runtime_functions()))
        yield _RUNTIME, module
        return
    place, _, function = name.partition(":")
    thing = getattr(importlib.import_module(place), function)
    if isinstance(thing, Program):
        compiled = _compiled(thing.function, PROGRAM_ARGUMENTS, types.void)
        entries.add_program_entry(context, compiled, symbol_of(name))
        yield symbol_of(name), _finished(compiled)
    elif isinstance(thing, ArrayKernel):
        for signature in thing.signatures:
            symbol = symbol_of(name, signature)
            arguments = [entries.numba_type(part) for part in signature.parameters]
            compiled = _compiled(thing.function, arguments, entries.numba_type(signature.result))
            entries.add_array_entry(context, compiled, symbol, signature.result, signature.parameters)
            yield symbol, _finished(compiled)
    elif isinstance(thing, Kernel):
        n, symbol = _WORD_ENTRIES[function]
        compiled = _compiled(thing.function, [types.int64] * n, None)
        entries.add_word_entry(context, compiled, symbol)
        yield symbol, _finished(compiled)


def _compiled(function: Callable[..., Any], arguments: Sequence[Any], result: Any) -> Any:
    """Compile a function as the JIT does, up to the point where its entry is added; `result` None: numba finds it."""
    from numba.core import registry
    from numba.core.compiler import Compiler as DefaultPipeline
    from numba.core.compiler_lock import global_compiler_lock
    from numba.core.dispatcher import _FunctionCompiler

    from flexmb.machine_code.numba_compiler import OPTIONS

    class Compiler(_FunctionCompiler):  # type: ignore[misc]
        def _customize_flags(self, flags: Any) -> Any:
            flags.no_cpython_wrapper = flags.no_cfunc_wrapper = flags.no_compile = True
            flags.enable_pyobject = False
            return flags

    compiler = Compiler(function, registry.cpu_target, dict(OPTIONS), {}, DefaultPipeline)
    with global_compiler_lock:
        return compiler.compile(tuple(arguments), result)


def _finished(compiled: Any) -> Any:
    """The optimised module of a compiled function with its entry."""
    from numba.core.compiler_lock import global_compiler_lock

    compiled.library._finalize_final_module = lambda: None  # it is not loaded here
    with global_compiler_lock:
        compiled.library.finalize()
    return compiled.library._final_module


def _emitted(module: Any, symbol: str) -> bytes:
    """Position-independent object file of a module whose one visible name is `symbol`.

    Two processes give kernels that differ the same name, so the linker must not see them.
    """
    import llvmlite.binding as llvm

    for thing in (*module.functions, *module.global_variables):
        if symbol != _RUNTIME and thing.name != symbol and not thing.is_declaration:
            thing.linkage = "internal"
    target = llvm.Target.from_triple(llvm.get_process_triple())
    features = os.environ["NUMBA_CPU_FEATURES"]
    machine = target.create_target_machine(
        cpu=os.environ["NUMBA_CPU_NAME"], features=features, opt=3, reloc="pic", codemodel="default"
    )
    return bytes(machine.emit_object(module))


def _foreign(module: Any, symbol: str) -> set[str]:
    """Names that a module needs from outside and that neither the library nor the C library has."""
    from flexmb.machine_code.entries import runtime_functions

    own = {thing.name for thing in runtime_functions().global_values}
    own |= {symbol for _, symbol in _WORD_ENTRIES.values()}
    declared = [*module.functions, *module.global_variables]
    names = {thing.name for thing in declared if thing.is_declaration and not thing.name.startswith("llvm.")}
    return {name for name in names - own if not _is_in_c_library(name)}


def _is_in_c_library(name: str) -> bool:
    if name.startswith(("Py", "_Py", "numba", "NRT")):
        return False
    libraries = [ctypes.CDLL(ctypes.util.find_library(part) or None) for part in ("c", "m")]
    return any(hasattr(library, name) for library in libraries)
