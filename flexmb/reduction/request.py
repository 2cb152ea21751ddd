"""Request for a reduction, and all its faults.

Input: names, selections, counts, frame and field as a user gives them. Output: all faults at once, first those of the
request itself (`ReductionRequest.faults`), then those against the mesh (`mesh_faults`): missing sets, selections
without nodes, cells without a material. `with_rest` gives one material to all cells that are in no set.
Numbers are SI.
"""

from __future__ import annotations

import re
import tokenize
import zipfile
import zlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from flexmb.arrays import Floats, Integers
from flexmb.elements.material import Material
from flexmb.elements.number_checks import is_number, is_whole
from flexmb.errors import Fault, InputError
from flexmb.mesh.mesh import LINES, Mesh
from flexmb.reduction.attachments import HoldRequest, MassRequest, mass_faults
from flexmb.reduction.damping import Damping, damping_faults
from flexmb.reduction.load_words import LoadRequest, PrestressRequest, load_name_faults
from flexmb.suggestions import did_you_mean

_NOT_NUMPY = (
    *(OSError, ValueError, EOFError, KeyError, TypeError, MemoryError, OverflowError, SyntaxError, NotImplementedError),
    *(zipfile.BadZipFile, zlib.error, tokenize.TokenError),
)
"""Exceptions of NumPy on files that are damaged or of another format"""
_LARGEST_ENTRY = 1e100
METHODS = ("craig-bampton", "free", "fixed")
FRAMES = ("mean", "chord", "clamped")
FIELDS = ("quadratic", "linear")
ORDERS = ("full", 2, 1)
RIGID_OR_AVERAGED = ("rbe2", "rbe3")
HEX8 = ("incompatible", "full")
MOST_MODES = 1000
MOST_QUADRATIC = 100
"""Most shapes of a quadratic field: n (n + 1)/2 second-order displacements of the mesh, n^3 numbers in the inertia."""
DEFAULT_MODES = 12
DEFAULT_ERROR = 1e-3
SMALLEST_ERROR = 1e-12
REST = "(all other cells)"
"""Name of the cell set that `with_rest` makes."""

_NAME = re.compile(r"\w[\w-]*")
_RESERVED = ("origin",)
_SHOWN = 12


@dataclass(frozen=True)
class TieRequest:
    """A marker and the nodes it is tied to."""

    name: str
    select: str
    """Name of a node set, or a selection as `mesh/select.py` reads it"""
    tie: str = "rbe2"
    """"rbe2" (rigid), "rbe3" (averaged), or "follower" for a marker without modes of its own"""


@dataclass(frozen=True)
class ReductionRequest:
    """The choices of a reduction."""

    interfaces: tuple[TieRequest, ...] = ()
    markers: tuple[TieRequest, ...] = ()
    """Followers: markers without modes of their own"""
    method: str = "craig-bampton"
    modes: int | None = None
    """Number of eigenmodes; None: DEFAULT_MODES, or all below `below`"""
    below: float | None = None
    """Eigenmodes up to this frequency [Hz]"""
    keep_below: float | None = None
    """Shapes of the final, orthogonal basis above this frequency [Hz] are left out"""
    band: tuple[float, float] | None = None
    """Frequencies [Hz] in which the transfer between the interfaces is reproduced: the shapes are chosen for it"""
    error: float | None = None
    """Allowed relative error of that transfer; None: DEFAULT_ERROR"""
    attachment: bool = False
    vectors: Path | None = None
    """File with shapes of the user"""
    frame: str = "mean"
    """"mean", "chord" or "clamped NAME", also "clamped:NAME\""""
    field: str = "quadratic"
    order: Any = None
    """"full", 2 or 1; None: "full" for a quadratic field"""
    damping: Damping = None
    lumped: bool = False
    hex8: str = "incompatible"
    stress: bool = False
    compare: bool = True
    """Compute frequencies of the full mesh to compare with"""
    stiffness: Path | None = None
    """Stiffness matrix computed elsewhere, instead of elements of the mesh"""
    mass: Path | None = None
    dofs: Path | None = None
    loads: tuple[LoadRequest, ...] = ()
    """Loads on the mesh that become load shapes of the body"""
    prestress: tuple[PrestressRequest, ...] = ()
    """State of stress about which the body is linearised"""
    masses: tuple[MassRequest, ...] = ()
    """Point masses at interfaces and markers"""
    hold: tuple[HoldRequest, ...] = ()
    """Held components of nodes"""

    @property
    def count(self) -> int | None:
        """Number of eigenmodes; None: all below `below`."""
        return DEFAULT_MODES if self.modes is None and self.below is None else self.modes

    def faults(self) -> list[Fault]:
        """Faults that need no mesh."""
        faults = _choice(("method",), self.method, METHODS) + _choice(("field",), self.field, FIELDS)
        faults += (
            _choice(("hex8",), self.hex8, HEX8) + self._order_faults() + self._count_faults() + self._band_faults()
        )
        faults += self._tie_faults() + self._mass_faults() + self._frame_faults() + damping_faults(self.damping, None)
        faults += self._load_faults()
        for name in ("vectors", "stiffness", "mass", "dofs"):
            path = getattr(self, name)
            if path is not None and not path.is_file():
                faults.append(Fault(f"there is no file '{path}'", (name,)))
        if self.stress and self.stiffness is not None:
            text = "stress needs elements, and imported matrices have none"
            faults.append(Fault(text, ("stress",), "Leave it out."))
        return faults

    def _order_faults(self) -> list[Fault]:
        if self.order is None:
            return []
        if self.order not in ORDERS or isinstance(self.order, bool):
            return _choice(("order",), str(self.order), [str(order) for order in ORDERS])
        if self.field == "linear":
            text = f"a linear field has no order, found {self.order}"
            return [Fault(text, ("order",), "Leave it out, or use the quadratic field.")]
        return []

    def _count_faults(self) -> list[Fault]:
        faults = []
        if self.modes is not None and (not is_whole(self.modes) or not 0 <= self.modes <= MOST_MODES):
            faults.append(Fault(f"expected a whole number from 0 to {MOST_MODES}, found {self.modes!r}", ("modes",)))
        elif self.field == "quadratic" and self.modes is not None and self.modes > MOST_QUADRATIC:
            text = f"a quadratic field allows at most {MOST_QUADRATIC} modes, found {self.modes}"
            faults.append(Fault(text, ("modes",), "Use fewer, or the linear field."))
        elif self.modes == 0 and self.method == "free" and not (self.attachment or self.vectors or self.loads):
            faults.append(Fault("method free needs at least one mode", ("modes",)))
        for name, frequency in (("below", self.below), ("keep_below", self.keep_below)):
            if frequency is not None and (not is_number(frequency) or frequency <= 0.0):
                faults.append(Fault(f"expected a frequency above zero [Hz], found {frequency!r}", (name,)))
        if self.attachment and not self.interfaces:
            text = "attachment modes need an interface, and none is given"
            faults.append(Fault(text, ("attachment",), "Name an interface."))
        return faults

    def _band_faults(self) -> list[Fault]:
        """Faults of band and error, and choices of shapes that a band makes itself."""
        if self.band is None:
            hint = "Give the band too, e.g. '0:2 kHz'."
            return [] if self.error is None else [Fault("an error needs a band, and none is given", ("error",), hint)]
        faults = []
        if not all(is_number(end) for end in self.band) or not 0.0 <= self.band[0] < self.band[1]:
            text = f"expected two rising frequencies [Hz], found {self.band[0]!r} and {self.band[1]!r}"
            faults.append(Fault(text, ("band",), "Write e.g. '0:2 kHz'."))
        if self.error is not None and (not is_number(self.error) or not SMALLEST_ERROR <= self.error < 1.0):
            text = f"expected an error from {SMALLEST_ERROR:g} to below 1, found {self.error!r}"
            faults.append(Fault(text, ("error",), "0.001 is an error of 0.1 % of the transfer between the interfaces."))
        for name in ("modes", "below", "keep_below", "attachment", "vectors"):
            if getattr(self, name) not in (None, False):
                text = "a band chooses the shapes itself, by the allowed error"
                faults.append(Fault(text, (name,), "Leave this out, or leave out the band."))
        if self.method != METHODS[0]:
            text = f"a band chooses the shapes itself; the method '{self.method}' does not apply"
            faults.append(Fault(text, ("method",), "Leave it out, or leave out the band."))
        return faults

    def _tie_faults(self) -> list[Fault]:
        faults, seen = [], set()
        for section, ties in (("interfaces", self.interfaces), ("markers", self.markers)):
            for request in ties:
                place = (section, request.name)
                if not _NAME.fullmatch(request.name):
                    text = f"'{request.name[:60]}' cannot be used as a name (use letters, digits, _ and - only)"
                    faults.append(Fault(text, place, "Give it another name: NAME=SET."))
                elif request.name in _RESERVED:
                    faults.append(Fault(f"the name '{request.name}' is reserved", place))
                elif request.name in seen:
                    faults.append(Fault(f"the name '{request.name}' is given twice", place))
                seen.add(request.name)
                if section == "interfaces":
                    faults += _choice(place, request.tie, RIGID_OR_AVERAGED)
        return faults

    def _mass_faults(self) -> list[Fault]:
        faults = mass_faults(self.masses, [request.name for request in (*self.interfaces, *self.markers)])
        for name in ("masses", "hold"):
            if getattr(self, name) and self.stiffness is not None:
                text = "matrices computed elsewhere take no masses and no held sets"
                faults.append(Fault(text, (name,), "Leave it out, or add it where they are computed."))
        return faults

    def _frame_faults(self) -> list[Fault]:
        word, _, name = split_frame(self.frame)
        faults = _choice(("frame",), word, FRAMES)
        names = [request.name for request in self.interfaces]
        if word == "chord" and len(names) < 2:
            text = f"the chord frame needs two interfaces, found {len(names)}"
            faults.append(Fault(text, ("frame",), "Name two, or use the mean frame."))
        elif word == "clamped" and not name:
            text = "the clamped frame needs the name of an interface"
            faults.append(Fault(text, ("frame",), f"Write {' or '.join(f'clamped {n}' for n in names[:3])}."))
        elif word == "clamped" and name not in names:
            faults.append(
                Fault(f"there is no interface '{name[:60]}'", ("frame",), did_you_mean(name, names, "Interfaces"))
            )
        return faults

    def _load_faults(self) -> list[Fault]:
        from flexmb.reduction.prestress import prestress_faults

        faults = load_name_faults(self.loads, ("loads",))
        if self.loads and self.band is not None:
            text = "shapes that are chosen for a band represent loads at the interfaces only"
            faults.append(Fault(text, ("loads",), "Give a number of modes instead of the band."))
        loads, ties = [load.name for load in self.loads], [tie.name for tie in self.interfaces]
        return faults + prestress_faults(self.prestress, loads, ties, self.field, self.band is not None)

    def mesh_faults(self, mesh: Mesh, select: Callable[[Mesh, str], Any]) -> list[Fault]:
        """Faults against the mesh; `select` finds the nodes of a selection (mesh/select.py)."""
        faults = []
        if not self.interfaces and self.method != "free":
            sets = ", ".join(list(mesh.node_sets)[:_SHOWN]) + (", ..." if len(mesh.node_sets) > _SHOWN else "")
            hint = f"Name the node sets where the body is held or loaded; sets of this mesh: {sets or 'none'}."
            faults.append(Fault(f"no interface is given, and the method '{self.method}' needs one", (), hint))
        for section, ties in (("interfaces", self.interfaces), ("markers", self.markers)):
            for request in ties:
                faults += _selection_faults(mesh, request, (section, request.name), select)
        return faults


def _selection_faults(
    mesh: Mesh, request: TieRequest, place: tuple[str, str], select: Callable[[Mesh, str], Any]
) -> list[Fault]:
    try:
        found = len(select(mesh, request.select))
    except InputError as error:
        return [Fault(fault.text, place, fault.hint) for fault in error.faults]
    return [] if found else [Fault(f"'{request.select[:60]}' selects no nodes", place)]


def material_faults(mesh: Mesh, materials: Mapping[str, Material], others: bool = False) -> list[Fault]:
    """Cell sets that are missing or empty, cells without a material or with two; "" is the rest of the cells.

    others : whether cells may have a material of the deck
    """
    faults = []
    for name in materials:
        if name and name not in mesh.cell_sets:
            text = f"there is no cell set '{name[:60]}' in the mesh"
            if name in mesh.node_sets:
                text = f"'{name[:60]}' is a set of nodes or surfaces: a material needs a set of cells"
            faults.append(Fault(text, ("materials", name), did_you_mean(name, mesh.cell_sets, "Cell sets")))
        elif name and not any(len(numbers) for numbers in mesh.cell_sets[name]):
            faults.append(Fault(f"the cell set '{name[:60]}' is empty", ("materials", name)))
    if faults or not materials:
        return faults
    counts = _times_named(mesh, [name for name in materials if name])
    twice, never = sum(int((n > 1).sum()) for n in counts), sum(int((n == 0).sum()) for n in counts)
    if twice:
        faults.append(Fault(f"{twice} cells have two materials: the sets overlap", ("materials",)))
    if never and "" not in materials and not others:
        hint = "Name their sets too, or give one material without a set, which applies to all other cells."
        faults.append(Fault(f"{never} cells have no material", ("materials",), hint))
    return faults


def _times_named(mesh: Mesh, names: Sequence[str]) -> list[Integers]:
    """Number of cell sets that contain each cell, by block."""
    counts = [np.zeros(len(block), dtype=np.int64) for block in mesh.cells]
    for name in names:
        for count, numbers in zip(counts, mesh.cell_sets[name], strict=True):
            count[numbers] += 1
    return counts


def with_rest(mesh: Mesh, materials: Mapping[str, Material]) -> tuple[Mesh, Material | dict[str, Material]]:
    """The mesh and its material, or that of each cell set, with a new set for the cells of material ""."""
    named = {name: material for name, material in materials.items() if name}
    if "" in materials and not named:
        return mesh, materials[""]
    rest = [np.flatnonzero(count == 0) for count in _times_named(mesh, list(named))]
    if "" not in materials or not any(len(numbers) for numbers in rest):
        return mesh, named
    sets = {**mesh.cell_sets, REST: tuple(rest)}
    return replace(mesh, cell_sets=sets), {**named, REST: materials[""]}


def section_faults(mesh: Mesh, section: Any) -> list[Fault]:
    """Line cells without a cross-section, or a cross-section without line cells."""
    lines = sum(len(block) for block in mesh.cells if block.kind in LINES)
    if lines and section is None and not (mesh.deck is not None and mesh.deck.beams):
        hint = "Give one, e.g. 'circle radius=3 mm'."
        return [Fault(f"the mesh has {lines} line cells, which need a cross-section", ("section",), hint)]
    if section is not None and not lines:
        return [Fault("the mesh has no line cells", ("section",), "Leave out the cross-section.")]
    return []


def read_vectors(path: Path, n_unknowns: int) -> Floats:
    """(n_unknowns, k) user shapes from a .npy file, or from the only array of a .npz file.

    A file may hold (n_unknowns, k), (n_unknowns,), or (nodes, 3, k) and (nodes, 3) with n_unknowns = 3 nodes.
    """
    try:
        loaded = np.load(path, allow_pickle=False)
    except FileNotFoundError:
        raise InputError([Fault(f"there is no file '{path}'", ("vectors",))]) from None
    except _NOT_NUMPY as error:
        text = f"'{path}' is not a NumPy file (.npy or .npz) with numbers"
        raise InputError([Fault(text, ("vectors",), "Write it with numpy.save.")]) from error
    if isinstance(loaded, np.lib.npyio.NpzFile):
        with loaded:
            names = loaded.files
            if len(names) != 1:
                text = f"'{path}' holds {len(names)} arrays ({', '.join(names[:_SHOWN])}); it must hold one"
                raise InputError([Fault(text, ("vectors",))])
            try:
                loaded = loaded[names[0]]
            except _NOT_NUMPY as error:
                text = f"'{path}' is damaged: its array cannot be unpacked"
                raise InputError([Fault(text, ("vectors",), "Write it with numpy.savez.")]) from error
    return _as_columns(path, np.asarray(loaded), n_unknowns)


def _as_columns(path: Path, array: NDArray[Any], n_unknowns: int) -> Floats:
    nodes = n_unknowns // 3
    if array.dtype.kind not in "fiu":
        raise InputError([Fault(f"'{path}' holds no real numbers ({array.dtype})", ("vectors",))])
    if array.shape[:2] == (nodes, 3):
        array = array.reshape(3 * nodes, -1)
    if array.ndim == 1:
        array = array[:, None]
    if array.ndim != 2 or array.shape[0] != n_unknowns or array.shape[1] == 0:
        text = f"'{path}' has the shape {array.shape}, but the model has {nodes} nodes with 3 unknowns each"
        hint = f"Put shapes in columns: ({n_unknowns}, k) or ({nodes}, 3, k), nodes in the order of the mesh file."
        raise InputError([Fault(text, ("vectors",), hint)])
    if not np.isfinite(array).all():
        raise InputError([Fault(f"'{path}' holds numbers that are not finite", ("vectors",))])
    if np.abs(array).max() > _LARGEST_ENTRY:
        text = f"'{path}' holds numbers above {_LARGEST_ENTRY:g}, which is too large to compute with"
        raise InputError(
            [Fault(text, ("vectors",), "Divide each shape by its largest entry: its size does not matter.")]
        )
    return np.ascontiguousarray(array, dtype=np.float64)


def split_frame(frame: str) -> tuple[str, str, str]:
    """Frame, separator and name of the interface: "clamped NAME", "clamped:NAME"."""
    return frame.partition(":" if frame.startswith("clamped:") else " ")


def _choice(path: tuple[str, ...], word: str, choices: Sequence[str]) -> list[Fault]:
    if word in choices:
        return []
    return [Fault(f"'{word[:60]}' is not one of the choices", path, did_you_mean(word, choices, "Choices"))]
