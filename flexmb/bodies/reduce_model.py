"""Reduction of a finite element model to a body with a few elastic coordinates, ready for a mechanism.

    mesh, material -> K, M -> interfaces -> component modes -> second-order field -> body frame -> inertia, markers

Shapes enter in mean axes with unit modal mass; here they are transformed to the chosen body frame and scaled to a
largest displacement of 1, so that an elastic coordinate is a displacement in metres.
Numbers are SI; elastic coordinates are in m (torsion: rad).
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from flexmb.arrays import Floats, Integers
from flexmb.bodies.body_checks import BodyFindings, body_findings, left_out_compliance
from flexmb.bodies.marker_shapes import MarkerShapes
from flexmb.bodies.mesh_field import MassProducts, linear_invariants
from flexmb.bodies.mesh_loads import LoadIntegrals, NodalLoad
from flexmb.bodies.outside import outside_of
from flexmb.bodies.reduced_body import BodyMarker, Coordinate, ReducedBody, Surface
from flexmb.bodies.verdict import with_reasons
from flexmb.elements.fe_model import FEModel
from flexmb.elements.second_order import has_second_order
from flexmb.errors import ComputationError, Fault, InputError
from flexmb.reduction.band_modes import Certificate, band_modes
from flexmb.reduction.component_modes import ComponentModes, component_modes
from flexmb.reduction.damping import damping_faults, damping_matrix, damping_text
from flexmb.reduction.eigenmodes import BLOCK as LANCZOS_BLOCK
from flexmb.reduction.free_body import FreeBody
from flexmb.reduction.interfaces import Interface
from flexmb.reduction.prestress import Prestress, prestressed
from flexmb.reduction.request import DEFAULT_ERROR, MOST_MODES, MOST_QUADRATIC, ReductionRequest, split_frame
from flexmb.reduction.second_order import CHUNK, marker_motion, second_order_fields
from flexmb.reduction.small_motions import (
    SmallMotion,
    chord_motion,
    full_pairs,
    lower_pairs,
    marker_seen_from,
    seen_from,
)
from flexmb.reduction.sparse.blas import blas_threads
from flexmb.reduction.sparse.memory import available_memory
from flexmb.warning import WarningRecord

Progress = Callable[[str, float], None] | None


@blas_threads(1)  # the same round-off for any number of threads
def reduce_model(
    model: FEModel,
    interfaces: Sequence[Interface],
    request: ReductionRequest,
    *,
    name: str = "body",
    loads: Sequence[NodalLoad] = (),
    vectors: Floats | None = None,
    progress: Progress = None,
    notes: Sequence[str] = (),
    warnings: Sequence[str] = (),
    provenance: Mapping[str, str] | None = None,
) -> ReducedBody:
    """The reduced body of a finite element model; vectors : (3 b, k) shapes given by the user.

    Notes are listed in the report, warnings count for its verdict.
    """
    began = time.perf_counter()
    faults = request.faults() + _faults(model, interfaces, request)
    if faults:
        raise InputError(faults)
    body = FreeBody(model, interfaces, progress, _later_bytes(model, interfaces, request))
    state = prestressed(body, {load.request.name: load for load in loads}, request.prestress)
    shapes, certificate = _shapes(body, request, loads, vectors, state, progress)
    _reject_too_much(len(model.points), len(shapes.labels), request)
    faults = damping_faults(request.damping, len(shapes.labels))
    if faults:
        raise InputError(faults)
    assembled = _Assembly(model, interfaces, shapes, request, loads)
    assembled.run(body, progress)
    findings = BodyFindings(body, shapes, assembled.invariants, assembled.points, assembled.markers, certificate)
    report = body_findings(findings, request.compare, request.below, progress)
    surface, density = assembled.surface, report["discretisation"].pop("density", None)
    if surface is not None and density is not None:
        surface = replace(surface, mesh_error=density[surface.nodes])
    report["notes"] = [*report.get("notes", []), *notes]
    reasons = [("care", WarningRecord("unusual-data", text, "material")) for text in warnings]
    if not request.compare and request.method != "free" and certificate is None:
        text = "the frequencies were not compared with those of the full model, by request"
        reasons.append(("care", WarningRecord("not-compared", text, "modes")))
    report = with_reasons(report, reasons)
    report["damping"] = damping_text(request.damping)
    report["sizes"]["seconds"] = time.perf_counter() - began
    scale = assembled.scale
    stiffness = np.diag(shapes.omega_squared * scale**2)
    if state is not None:
        stiffness = stiffness + state.stiffness(assembled.shapes_in_body_axes()) * np.outer(scale, scale)
    modal_mass = np.diag(scale**2)
    frequencies = np.sqrt(np.maximum(shapes.omega_squared, 0.0)) / (2.0 * np.pi)
    return ReducedBody(
        name=name,
        invariants=assembled.invariants,
        points=assembled.points,
        stiffness=stiffness,
        damping=damping_matrix(request.damping, stiffness, modal_mass),
        coordinates=tuple(
            Coordinate(label, kind, float(f), interface)
            for label, kind, f, interface in zip(
                shapes.labels, shapes.kinds, frequencies, shapes.interfaces, strict=True
            )
        ),
        markers=tuple(
            BodyMarker(interface.name, interface.tie, interface.point, assembled.marker_shapes(motion), interface.nodes)
            for interface, motion in zip(interfaces, assembled.markers, strict=True)
        ),
        frame=request.frame.replace("clamped:", "clamped ", 1),
        length=float(np.ptp(model.points, axis=0).max()),
        surface=surface,
        left_out=left_out_compliance(body, shapes) if body.interfaces else None,
        report=report,
        provenance=dict(provenance or {}),
        loads=assembled.loads,
        prestress="" if state is None else state.text,
    )


def _shapes(
    body: FreeBody,
    request: ReductionRequest,
    loads: Sequence[NodalLoad],
    vectors: Floats | None,
    state: Prestress | None,
    progress: Progress,
) -> tuple[ComponentModes, Certificate | None]:
    """The shapes that are requested, by number or for a band; the latter with a certificate."""
    if request.band is not None:
        error = DEFAULT_ERROR if request.error is None else request.error
        most = MOST_QUADRATIC if request.field == "quadratic" else MOST_MODES
        return band_modes(body, request.band, error, damping=request.damping, most=most, progress=progress)
    shapes = component_modes(
        body,
        request.method,
        modes=request.count,
        below=request.below,
        keep_below=request.keep_below,
        attachment=request.attachment,
        loads={load.request.name: load.unknowns for load in loads},
        vectors=vectors,
        state=state,
        progress=progress,
    )
    return shapes, None


def _faults(model: FEModel, interfaces: Sequence[Interface], request: ReductionRequest) -> list[Fault]:
    """Faults of the request that depend on the model."""
    faults = []
    known = has_second_order(model)
    if request.field == "quadratic" and not known:
        text = "the quadratic field needs the elements of a mesh of solids and shells"
        hint = "Use field linear; for a straight beam with stiffening use a body with beam = [A, B] in the model file."
        faults.append(Fault(text, ("field",), hint))
    if request.field == "quadratic" and model.ties is not None and model.ties.small_only:
        names = ", ".join(name[:40] for name in model.ties.small_only[:5])
        text = f"the equations {names} of the deck hold for small motions only: a rotation would strain them"
        faults.append(Fault(text, ("field",), "Use field linear."))
    if request.stress and not known:
        faults.append(Fault("stress needs the elements of a mesh of solids and shells", ("stress",)))
    ends = [i for name in frame_interfaces(interfaces, request.frame) for i in interfaces if i.name == name]
    if len(ends) == 2 and np.linalg.norm(ends[0].point - ends[1].point) < 1e-9 * np.ptp(model.points):
        text = f"'{ends[0].name}' and '{ends[1].name}' are at the same place and define no chord"
        faults.append(Fault(text, ("frame",), "Use frame mean, or clamped NAME."))
    return faults


def _later_bytes(model: FEModel, interfaces: Sequence[Interface], request: ReductionRequest) -> int:
    """Memory that a reduction needs beside the factorisation: vectors of the modes, then second-order displacements.

    Of modes that are not requested by their number, that of the fewest possible: the rest is checked when it is known.
    """
    modes = request.count or 0
    n = modes + 6 * sum(interface.tie != "follower" for interface in interfaces)
    vectors = 8 * 3 * model.n_blocks
    search = 2 * (modes + 4 * LANCZOS_BLOCK) + n
    if request.field != "quadratic":
        return vectors * search
    kept = n * (n + 1) // 2 if request.order in (None, "full") else 0
    # shapes, their forces and own derivatives; forces, solutions and their products of one chunk
    return vectors * max(search, 3 * n + kept + 6 * CHUNK)


def _reject_too_much(nodes: int, n: int, request: ReductionRequest) -> None:
    """Reject too many pairs of shapes before they are solved."""
    if request.field != "quadratic":
        return
    if n > MOST_QUADRATIC:
        text = f"{n} shapes have {n * (n + 1) // 2} pairs: a quadratic field allows at most {MOST_QUADRATIC} shapes"
        raise InputError(
            [Fault(text, ("modes",), "Use fewer modes, keep_below, a narrower band, or the linear field.")]
        )
    needed, free = 24 * nodes * n * (n + 1) // 2, available_memory()
    if request.order in (None, "full") and free is not None and needed > 0.8 * free:
        raise ComputationError(
            f"the quadratic field of {n} shapes on {nodes} nodes needs about {needed / 1e9:.1f} GB more memory, and "
            f"{free / 1e9:.1f} GB are free. Use fewer modes, order 2, or a coarser mesh."
        )


def frame_interfaces(interfaces: Sequence[Interface], frame: str) -> list[str]:
    """Names of the interfaces that a frame is attached to: none for mean axes."""
    word, _, name = split_frame(frame)
    if word == "clamped":
        return [name]
    tied = [interface.name for interface in interfaces if interface.tie != "follower"]
    return tied[:2] if word == "chord" else []


class _Assembly:
    """Turns shapes and second-order displacements, chunk by chunk, into inertia, markers and surface in body axes."""

    def __init__(
        self,
        model: FEModel,
        interfaces: Sequence[Interface],
        shapes: ComponentModes,
        request: ReductionRequest,
        loads: Sequence[NodalLoad],
    ):
        self.model, self.interfaces, self.shapes, self.request = model, interfaces, shapes, request
        self.carriers, self.carried = model.carriers
        self.places = self.carriers.places(model.points)
        self.Phi = self.carriers.first(shapes.Phi)
        self.n = self.Phi.shape[1]
        self.pairs = lower_pairs(self.n)
        self.quadratic = request.field == "quadratic"
        self.full = self.quadratic and request.order in (None, "full")
        self.order = 0 if not self.quadratic else 2 if self.full else int(request.order)
        self.outside = outside_of(model)
        self._nodal_loads = loads

    def run(self, body: FreeBody, progress: Progress) -> None:
        """Process all pairs once."""
        none = np.zeros((0, 2), dtype=np.int64)
        motions = [marker_motion(interface, self.shapes.Phi, none, None) for interface in self.interfaces]
        frame = self._frame(none, motions)
        Phi = self._seen(self.places, self.Phi, frame, none, np.zeros((len(self.Phi), 0, 3)))[0]
        self.scale = 1.0 / self._sizes(Phi, frame)
        self.seen_Phi = Phi * self.scale[:, None]
        self._integrals = [self._integral(load, frame) for load in self._nodal_loads]
        products = None
        if self.carried is not None:
            products = MassProducts(self.places, self.carried, self.seen_Phi)
        parts: list[list[SmallMotion]] = []
        surface: list[NDArray[np.float32]] = []
        if self.quadratic:
            assert products is not None
            for part, G in second_order_fields(body, self.shapes, progress):
                parts.append(self._add_pairs(self.pairs[part], G, products, surface))
                del G  # not held while the next pairs are solved
        self.markers = self._joined(parts, frame, motions)
        self.points = None
        self.invariants = self._invariants(products, frame)
        if self.full and products is not None:
            self.points = products.mass_points(1.0 / (self.scale * np.sqrt(self.shapes.omega_squared)), progress)
        self.surface = self._surface(surface, frame)
        solid = self.outside.riders.nodes[: self.outside.of_solids] if self.request.stress else None
        self.loads = tuple(one.shape(solid, len(self.outside.riders.nodes)) for one in self._integrals)
        self._frame_motion = frame

    def _integral(self, load: NodalLoad, frame: SmallMotion | None) -> LoadIntegrals:
        none = np.zeros((0, 2), dtype=np.int64)

        def seen(places: Floats, first: Floats) -> Floats:
            found = self._seen(places, first, frame, none, np.zeros((len(first), 0, 3)))[0]
            return found * self.scale[:, None]

        return LoadIntegrals(load, self.model.points, self.shapes.Phi, self.scale, seen)

    def shapes_in_body_axes(self) -> Floats:
        """(3 b, n) shapes as seen from the body frame, not scaled"""
        frame = self._frame_motion
        if frame is None:
            return self.shapes.Phi
        rigid = self.model.rigid_motions(self._origin)
        return np.asarray(self.shapes.Phi - rigid @ np.hstack([frame.d, frame.w]).T)

    def _sizes(self, Phi: Floats, frame: SmallMotion | None) -> Floats:
        """(n,) largest displacement of each shape; a pure twist counts by its effect at half the size of the body"""
        size = np.linalg.norm(Phi, axis=2).max(axis=0)
        rotations = self.shapes.Phi[3 * len(self.model.points) :].reshape(-1, 3, self.n).transpose(0, 2, 1)
        if len(rotations):
            seen = rotations - (0.0 if frame is None else frame.w)
            arm = 0.5 * float(np.ptp(self.model.points, axis=0).max())
            size = np.maximum(size, arm * np.linalg.norm(seen, axis=2).max(axis=0))
        return size

    def _frame(self, pairs: Integers, motions: Sequence[SmallMotion]) -> SmallMotion | None:
        names = [interface.name for interface in self.interfaces]
        wanted = [names.index(name) for name in frame_interfaces(self.interfaces, self.request.frame)]
        if not wanted:
            return None
        if len(wanted) == 1:
            return motions[wanted[0]]
        a, b = wanted
        return chord_motion(pairs, self.interfaces[a].point, motions[a], self.interfaces[b].point, motions[b])

    @property
    def _origin(self) -> Floats:
        names = frame_interfaces(self.interfaces, self.request.frame)
        return next((i.point for i in self.interfaces if names and i.name == names[0]), np.zeros(3))

    def _seen(
        self, places: Floats, Phi: Floats, frame: SmallMotion | None, pairs: Integers, G: Floats
    ) -> tuple[Floats, Floats]:
        """Shapes and second-order displacements of points in the body frame, shapes not scaled yet"""
        if frame is None:
            return Phi, G
        return seen_from(frame, pairs, places - self._origin, Phi, G)

    def _add_pairs(
        self, pairs: Integers, G: Floats, products: MassProducts, surface: list[NDArray[np.float32]]
    ) -> list[SmallMotion]:
        """Add one chunk of pairs, G : (3 b, pairs) in mean axes; the motions of the markers in the body frame."""
        motions = [marker_motion(interface, self.shapes.Phi, pairs, G) for interface in self.interfaces]
        frame = self._frame(pairs, motions)
        scale = (self.scale[pairs[:, 0]] * self.scale[pairs[:, 1]])[:, None]
        carried = self.carriers.second(self.shapes.Phi, pairs, G)
        products.add(self._seen(self.places, self.Phi, frame, pairs, carried)[1] * scale, keep=self.full)
        for load in self._integrals:
            if load.load.heated:
                load.add_inner(G, scale[:, 0])
            else:
                second = load.riders.second(self.shapes.Phi, pairs, G)
                first = load.riders.first(self.shapes.Phi)
                load.add(self._seen(load.places, first, frame, pairs, second)[1] * scale)
        drawn = self.outside.riders.second(self.shapes.Phi, pairs, G)
        seen = self._seen(self._drawn_places, self._drawn_Phi, frame, pairs, drawn)[1] * scale
        surface.append(seen.astype(np.float32))
        return [self._marker_seen(frame, pairs, i, m, scale) for i, m in zip(self.interfaces, motions, strict=True)]

    def _marker_seen(
        self, frame: SmallMotion | None, pairs: Integers, interface: Interface, motion: SmallMotion, scale: Floats
    ) -> SmallMotion:
        if frame is not None:
            motion = marker_seen_from(frame, pairs, interface.point - self._origin, motion)
        first = self.scale[:, None]
        return SmallMotion(motion.d * first, motion.w * first, motion.d2 * scale, motion.w2 * scale)

    def _joined(
        self, parts: list[list[SmallMotion]], frame: SmallMotion | None, motions: Sequence[SmallMotion]
    ) -> list[SmallMotion]:
        none, one = np.zeros((0, 2), dtype=np.int64), np.ones((0, 1))
        if not parts:
            return [self._marker_seen(frame, none, i, m, one) for i, m in zip(self.interfaces, motions, strict=True)]
        return [
            SmallMotion(chunks[0].d, chunks[0].w, np.vstack([c.d2 for c in chunks]), np.vstack([c.w2 for c in chunks]))
            for chunks in zip(*parts, strict=True)
        ]

    def _invariants(self, products: MassProducts | None, frame: SmallMotion | None) -> Any:
        if products is not None:
            return products.invariants(self.order)
        blocks = self.shapes.Phi.copy()
        n_nodes = len(self.model.points)
        assert self.carriers.arms is None
        blocks[: 3 * n_nodes] = self.seen_Phi.transpose(0, 2, 1).reshape(3 * n_nodes, -1)
        turn = np.zeros((3, self.n)) if frame is None else frame.w.T
        rotations = blocks[3 * n_nodes :].reshape(-1, 3, self.n) - turn
        blocks[3 * n_nodes :] = rotations.reshape(-1, self.n) * self.scale
        return linear_invariants(self.model, blocks)

    def marker_shapes(self, motion: SmallMotion) -> MarkerShapes:
        """Shapes of a marker for the equations."""
        if not self.quadratic:
            return MarkerShapes.linear(motion.d, motion.w)
        return MarkerShapes(motion.d, motion.w, full_pairs(motion.d2, self.n), full_pairs(motion.w2, self.n), 2)

    @property
    def _drawn_places(self) -> Floats:
        return self.outside.riders.places(self.model.points)

    @property
    def _drawn_Phi(self) -> Floats:
        return self.outside.riders.first(self.shapes.Phi)

    def _surface(self, second: list[NDArray[np.float32]], frame: SmallMotion | None) -> Surface | None:
        if self.model.mesh is None:
            return None
        none = np.zeros((0, 2), dtype=np.int64)
        Phi = self._drawn_Phi
        Phi = self._seen(self._drawn_places, Phi, frame, none, np.zeros((len(Phi), 0, 3)))[0]
        stress = self.outside.stress(self.model, self.shapes.Phi) * self.scale[:, None] if self.request.stress else None
        return Surface(
            points=self._drawn_places,
            triangles=self.outside.triangles,
            nodes=self.outside.riders.nodes,
            Phi=Phi * self.scale[:, None],
            G=np.concatenate(second, axis=1) if second else None,
            stress=stress,
        )
