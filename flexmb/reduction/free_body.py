"""Static solutions of an unsupported body, tied at its interfaces: the one factorisation that a reduction needs.

With R the rigid motions (R^T M R = 1) and loads made self-equilibrated by inertia, P f = f - M R R^T f,
    solve(f)         u with K u = P f and R^T M u = 0                       (inertia relief, mean axes)
    solve_fixed(f)   u with K u = f - E^T mu and E u = 0                    (interfaces held)
    constraint_modes u with K u = E^T lambda and E u = 1                    (unit motions of the interfaces)
where E u is the motion of all interfaces (6 each). Nodes of rigid ties (RBE2) follow their markers, u_S = A m. The
stiffness of the other nodes, K_FF, which these ties hold, is factorised; the markers follow from the small matrix
    S = A^T (K_SS - K_SF K_FF^-1 K_FS) A.
Without rigid ties six unknowns are pinned, which does not affect self-equilibrated loads.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property
from typing import Any

import numpy as np
from scipy.linalg import qr
from scipy.sparse import bsr_matrix, csr_matrix

from flexmb.arrays import Floats, Integers
from flexmb.elements.fe_model import FEModel
from flexmb.errors import ComputationError, Fault, InputError
from flexmb.reduction.interfaces import Interface, overlaps
from flexmb.reduction.sparse.factor import Factor, NotPositiveDefinite, factorise

Progress = Callable[[str, float], None] | None

_NO_FORCE = 1e-10
"""Relative stiffness or compliance of markers below which they move without force, or only jointly."""
_NO_LINE = 1e-9
"""Smallest relative size of a rigid motion at the pinned unknowns; less means that all nodes lie on a line."""


class FreeBody:
    """A finite element model with its interfaces, factorised."""

    def __init__(
        self, model: FEModel, interfaces: Sequence[Interface], progress: Progress = None, later_bytes: int = 0
    ):
        """later_bytes: memory that will be needed beside the factorisation, once it is made"""
        self.model = model
        self._later_bytes = later_bytes
        self.interfaces = tuple(interface for interface in interfaces if interface.tie != "follower")
        faults = overlaps(list(self.interfaces))
        if faults:
            raise InputError(faults)
        self.n = 3 * model.n_blocks
        self.R = _orthonormal(model)
        """(3 b, 6) rigid motions with unit mass"""
        self.MR = model.mass_times(self.R)
        self._K, self._kept = self._independent()
        self._ties = [interface for interface in self.interfaces if interface.tie == "rbe2"]
        if self._ties:
            self._hold_by_ties(progress)
        else:
            self._hold_by_pins(progress)
        self._relieved: Floats | None = None

    @property
    def held_rigidly(self) -> bool:
        """Whether all interfaces are rigid ties: then holding them holds unknowns."""
        return bool(self._ties) and len(self._ties) == len(self.interfaces)

    @cached_property
    def tied_stiffness(self) -> Any:
        """(3 b, 3 s) columns of the stiffness of the unknowns `tied_rows` that rigid ties move"""
        return _sub_blocks(self.model.K, np.arange(self.model.n_blocks), self.tied_rows[::3] // 3)

    def _hold_by_ties(self, progress: Progress) -> None:
        tied = np.concatenate([tie.blocks for tie in self._ties])
        free = np.setdiff1d(self._kept, tied)
        if not len(free):
            raise InputError(
                "the rigid interfaces hold every node: nothing can deform. Choose fewer nodes, or tie by rbe3."
            )
        free, tied = np.searchsorted(self._kept, free), np.searchsorted(self._kept, tied)
        self._free_rows = (3 * free[:, None] + np.arange(3)).ravel()
        self._tied_rows = (3 * tied[:, None] + np.arange(3)).ravel()
        self.tied_rows = np.concatenate([tie.rows for tie in self._ties])
        self.factor = self._factorise(_sub_blocks(self._K, free, free), self._kept[free], progress)
        A = np.zeros((len(self.tied_rows), 6 * len(self._ties)))
        row = 0
        for number, tie in enumerate(self._ties):
            A[row : row + len(tie.rows), 6 * number : 6 * number + 6] = tie.A
            row += len(tie.rows)
        self._A = A
        K_SF, K_SS = _sub_blocks(self._K, tied, free), _sub_blocks(self._K, tied, tied)
        self._X = -self.factor.solve(np.asarray(K_SF.T @ A))
        S = A.T @ np.asarray(K_SS @ A + K_SF @ self._X)
        S = 0.5 * (S + S.T)
        # The markers move rigidly without force: S is bordered by that motion (scaled to the same size).
        rigid = np.linalg.lstsq(A, self.R[self.tied_rows], rcond=None)[0]
        scale = np.sqrt(np.maximum(np.diag(S), 1e-300))
        self._marker_scale = 1.0 / np.where(np.diag(S) > 0.0, scale, 1.0)
        scaled = self._marker_scale[:, None] * S * self._marker_scale
        border, complement = np.split(
            np.linalg.qr(rigid / self._marker_scale[:, None], mode="complete")[0], [6], axis=1
        )
        self._reject_mechanism(scaled, complement)
        size = len(S)
        bordered = np.zeros((size + 6, size + 6))
        bordered[:size, :size], bordered[:size, size:], bordered[size:, :size] = scaled, border, border.T
        self._marker_inverse = np.linalg.inv(bordered)[:size, :size]

    def _reject_mechanism(self, stiffness: Floats, complement: Floats) -> None:
        """Reject markers that move relative to each other without force: their parts are not connected."""
        if not complement.shape[1]:
            return
        values, axes = np.linalg.eigh(complement.T @ stiffness @ complement)
        if values[0] < _NO_FORCE:
            moving = self._ties[int(np.abs(complement @ axes[:, 0]).argmax()) // 6]
            raise ComputationError(_mechanism(self.model, moving.point))

    def _hold_by_pins(self, progress: Progress) -> None:
        lengths = np.linalg.norm(self.R, axis=0)
        rows = (3 * self._kept[:, None] + np.arange(3)).ravel()
        R = np.where(self._moves[:, None], self.R[rows], 0.0)
        triangle, order = qr(R.T / lengths[:, None], mode="r", pivoting=True)
        if abs(triangle[5, 5]) < _NO_LINE * abs(triangle[0, 0]):
            raise InputError("all nodes lie on one line and have no rotations. Use line cells with a section.")
        self._pins = np.sort(order[:6])
        K = _pinned(self._K, self._pins)
        self.factor = self._factorise(K, self._kept, progress)

    def _factorise(self, K: Any, blocks: Integers, progress: Progress) -> Factor:
        points = self.model.block_points[blocks]
        try:
            return factorise(K, points, later_bytes=self._later_bytes, progress=progress)
        except NotPositiveDefinite as error:
            raise ComputationError(_mechanism(self.model, points[error.block])) from None

    def solve(self, f: Floats) -> Floats:
        """(3 b, k) displacements in mean axes under f : (3 b, k) and the inertia forces that balance it"""
        return self.without_rigid(self.solve_in_any_axes(f))

    def solve_in_any_axes(self, f: Floats, *, in_place: bool = False) -> Floats:
        """(3 b, k) displacements of `solve`, but with some rigid motion; in place: the array f is used up"""
        balanced = self.MR @ (self.R.T @ f)  # arrays are used again: new ones of this size cost as much as the products
        balanced = self._forces(np.subtract(f, balanced, out=f if in_place else balanced))
        if self._ties:
            return self._expanded(self._solve_tied(balanced))
        balanced[self._pins] = 0.0
        return self._expanded(self.factor.solve(balanced))

    def _independent(self) -> tuple[Any, Integers]:
        """Stiffness of the independent unknowns, and their blocks; directions that nothing holds must have no mass"""
        model, ties = self.model, self.model.ties
        if ties is None:
            self._moves = np.ones(self.n, dtype=bool)
            return model.K, np.arange(model.n_blocks)
        K, free = ties.stiffness(model.K, model.rotations, len(model.points))
        moved = ties.T @ free
        masses = np.asarray((moved * (model.M @ moved)).sum(axis=0)).ravel()
        moving = np.flatnonzero(masses > 1e-12 * float(np.abs(model.M.diagonal()).max()))
        if len(moving):
            block = int(np.abs(moved[:, [moving[0]]].toarray()).argmax()) // 3
            raise ComputationError(_mechanism(model, model.block_points[block]))
        self._moves = np.ones(len(ties.kept_rows), dtype=bool)
        self._moves[np.unique(free.nonzero()[0])] = False
        return K, ties.kept

    def _forces(self, f: Floats) -> Floats:
        """Forces on the independent unknowns"""
        return f if self.model.ties is None else self.model.ties.forces(f)

    def _expanded(self, u: Floats) -> Floats:
        """All unknowns from the independent ones"""
        return u if self.model.ties is None else self.model.ties.expand(u)

    def _solve_tied(self, f: Floats) -> Floats:
        """The displacements, in the place of f"""
        f_free = f[self._free_rows]
        load = self._A.T @ f[self._tied_rows] + self._X.T @ f_free
        scale = self._marker_scale[:, None]
        markers = scale * (self._marker_inverse @ (scale * load))
        u_free = self.factor.solve(f_free, in_place=True)
        u_free += self._X @ markers
        f[self._free_rows] = u_free
        f[self._tied_rows] = self._A @ markers
        return f

    def without_rigid(self, u: Floats) -> Floats:
        """u without its rigid content: R^T M u = 0"""
        rigid = self.R @ (self.MR.T @ u)
        return np.subtract(u, rigid, out=rigid)

    def tied(self, u: Floats) -> Floats:
        """u with the nodes of rigid ties moved as their markers do"""
        u = u.copy()
        for tie in self._ties:
            u[tie.rows] = tie.A @ tie.motion(u)
        return u if self.model.ties is None else self._expanded(u[self.model.ties.kept_rows])

    def interface_motion(self, u: Floats) -> Floats:
        """(6 i, k) E u: displacement and rotation of every interface"""
        return np.concatenate([interface.motion(u) for interface in self.interfaces])

    @property
    def attachment_modes(self) -> Floats:
        """(3 b, 6 i) solve(E^T): displacements under unit wrenches on the interfaces, with inertia relief"""
        if self._relieved is None:
            self._relieved = self.solve(np.hstack([interface.forces(self.n) for interface in self.interfaces]))
        return self._relieved

    def _bordered(self) -> tuple[Floats, float]:
        """[[C, E R], [(E R)^T, 0]] with the compliance C = E solve(E^T) divided by its size; that size"""
        compliance = self.interface_motion(self.attachment_modes)
        compliance = 0.5 * (compliance + compliance.T)
        self._reject_dependent(compliance)
        size = float(np.trace(compliance) / len(compliance))
        rigid = self.interface_motion(self.R)
        zero = np.zeros((6, 6))
        return np.block([[compliance / size, rigid], [rigid.T, zero]]), size

    def _reject_dependent(self, compliance: Floats) -> None:
        """Reject interfaces that cannot move independently of each other."""
        scale = 1.0 / np.sqrt(np.maximum(np.diag(compliance), 1e-300))
        values, axes = np.linalg.eigh(scale[:, None] * compliance * scale)
        if values[0] > _NO_FORCE:
            return
        share = (axes[:, 0] ** 2).reshape(-1, 6).sum(axis=1)
        names = [self.interfaces[i].name for i in np.argsort(-share)[:2]]
        text = f"'{names[0]}' moves together with '{names[1]}': they use the same nodes" if len(names) > 1 else ""
        text = text or f"'{names[0]}' cannot move in all directions"
        raise InputError([Fault(text, ("interfaces", names[0]), "Leave one of them out, or choose other nodes.")])

    def constraint_modes(self) -> Floats:
        """(3 b, 6 i) displacements under unit motions of one interface, the others held"""
        count = 6 * len(self.interfaces)
        matrix, size = self._bordered()
        solution = np.linalg.solve(matrix, np.eye(count + 6)[:, :count])
        return self.attachment_modes @ (solution[:count] / size) + self.R @ solution[count:]

    def solve_fixed(self, f: Floats) -> Floats:
        """(3 b, k) displacements under f with all interfaces held"""
        if self.held_rigidly:
            f = self._forces(f)
            u = np.zeros_like(f)
            u[self._free_rows] = self.factor.solve(np.ascontiguousarray(f[self._free_rows]))
            return self._expanded(u)
        count = 6 * len(self.interfaces)
        u = self.solve(f)
        matrix, size = self._bordered()
        matrix[:count, count:] *= -1.0
        solution = np.linalg.solve(matrix, np.concatenate([self.interface_motion(u), size * (self.R.T @ f)]))
        return u - self.attachment_modes @ (solution[:count] / size) + self.R @ solution[count:]

    def largest_rigid_frequency(self) -> float:
        """[Hz] largest computed frequency of the six rigid motions: zero but for round-off of the stiffness"""
        squares = np.linalg.eigvalsh(self.R.T @ np.asarray(self.model.K @ self.R))
        return float(np.sqrt(np.abs(squares).max()) / (2.0 * np.pi))

    def round_off_frequency(self) -> float:
        """[Hz] below which a frequency cannot be distinguished from zero: entries of K are rounded"""
        rounded = 10.0 * np.finfo(float).eps * (self.R**2 * np.abs(self.model.K.diagonal())[:, None]).sum(axis=0).max()
        return float(np.sqrt(rounded) / (2.0 * np.pi))


def _mechanism(model: FEModel, place: Floats) -> str:
    where = ", ".join(f"{x:.4g}" for x in place)
    hinges = []
    if model.elastic is not None and (model.shells is not None or model.beams is not None):
        hinges.append(
            "a beam or shell at a node of a solid is hinged there: tie it, or hold rotations as the deck does"
        )
    if model.beams is not None and model.beams.trusses is not None:
        hinges.append("trusses have no bending: give a section to compute them as beams")
    why = "; ".join([*hinges, "parts that only touch at a node or an edge, or nodes that were not merged"])
    return (
        f"the stiffness is not positive definite near ({where}) m: a part of the mesh can move without deforming "
        f"({why}), or it is more than a thousand times as long as thick. List its parts with 'flexmb mesh info'."
    )


def _orthonormal(model: FEModel) -> Floats:
    """Rigid motions with R^T M R = 1, computed about the centre of the nodes: the origin may be far away."""
    R = model.rigid_motions(model.points.mean(axis=0))
    gram = R.T @ model.mass_times(R)
    if not np.isfinite(gram).all() or np.linalg.eigvalsh(gram[:3, :3])[0] <= 0.0:
        raise InputError(
            "the mass matrix gives a translation of the body no positive mass. Check the mass matrix and the density."
        )
    scale = 1.0 / np.sqrt(np.maximum(np.diag(gram), 1e-300))
    values, vectors = np.linalg.eigh(scale[:, None] * gram * scale)
    if values[0] <= 1e-14:
        raise InputError("the mass matrix gives a rotation of the body no inertia: all its mass lies on one line.")
    return R @ (scale[:, None] * vectors / np.sqrt(values))


def _sub_blocks(K: Any, rows: Integers, columns: Integers) -> Any:
    """Rows and columns of blocks of a matrix of 3 x 3 blocks."""
    numbers = csr_matrix((np.arange(1, len(K.indices) + 1), K.indices, K.indptr), shape=(K.shape[0] // 3,) * 2)
    part = numbers[rows][:, columns]
    part.sort_indices()
    return bsr_matrix((K.data[part.data - 1], part.indices, part.indptr), shape=(3 * len(rows), 3 * len(columns)))


def _pinned(K: Any, pins: Integers) -> Any:
    """K with rows and columns of the pinned unknowns set to zero (their diagonal kept), in 3 x 3 blocks."""
    K = K.copy()
    rows = np.repeat(np.arange(len(K.indptr) - 1), np.diff(K.indptr))
    diagonal = K.diagonal()[pins]
    for pin, value in zip(pins, diagonal, strict=True):
        block, part = divmod(int(pin), 3)
        K.data[rows == block, part, :] = 0.0
        K.data[K.indices == block, :, part] = 0.0
        K.data[(rows == block) & (K.indices == block), part, part] = value
    return K
