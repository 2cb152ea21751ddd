"""Component modes against dense eigenproblems, bounds, orthogonality, statics and effective masses of a clamped bar."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
import pytest
from scipy.linalg import eigh, null_space

from flexmb.elements.fe_model import FEModel
from flexmb.elements.solid.assemble import assemble
from flexmb.errors import InputError
from flexmb.reduction.component_modes import ComponentModes, component_modes
from flexmb.reduction.free_body import FreeBody
from flexmb.verification.solid_meshes import box_mesh
from tests.support.mesh_bodies import STEEL, bar, tied_bar, ties

TIES = [("rbe2", "rbe2"), ("rbe3", "rbe3"), ("rbe2", "rbe3")]


@lru_cache
def slab(*tied: str) -> FreeBody:
    """4 x 2 x 1 hex20 with 267 unknowns: more than what is solved by dense algebra; its ends tied, if at all."""
    mesh = box_mesh("hex20", (4, 2, 1), (0.2, 0.05, 0.02), distort=0.1)
    model = assemble(mesh, STEEL)
    names = zip("ab", ("xmin", "xmax"), tied, strict=False)
    return FreeBody(model, ties(mesh, model, *names))


def mass_matrix(model: FEModel) -> np.ndarray:
    return model.mass_times(np.eye(3 * model.n_blocks))


def admissible(body: FreeBody) -> np.ndarray:
    """Basis of all displacements that keep the rigid ties rigid."""
    rigid = [interface for interface in body.interfaces if interface.tie == "rbe2"]
    tied = np.concatenate([interface.rows for interface in rigid] or [np.zeros(0, dtype=int)])
    free = np.setdiff1d(np.arange(body.n), tied)
    T = np.zeros((body.n, len(free) + 6 * len(rigid)))
    T[free, np.arange(len(free))] = 1.0
    for number, interface in enumerate(rigid):
        T[np.ix_(interface.rows, len(free) + 6 * number + np.arange(6))] = interface.A
    return T


def dense_squares(body: FreeBody, held: bool) -> np.ndarray:
    """Squares of all angular frequencies by dense algebra, with the interfaces held or free."""
    T = admissible(body)
    if held:
        E = np.zeros((6 * len(body.interfaces), body.n))
        for number, interface in enumerate(body.interfaces):
            E[6 * number : 6 * number + 6, interface.rows] = interface.E
        scale = 1.0 / np.linalg.norm(E, axis=1)
        T = T @ null_space(scale[:, None] * (E @ T))
    K, M = T.T @ (body.model.K @ T), T.T @ body.model.mass_times(T)
    return eigh(K, M, eigvals_only=True)


def full_frequencies(body: FreeBody) -> np.ndarray:
    return np.sqrt(dense_squares(body, held=False)[6:]) / (2.0 * np.pi)


def frequencies(shapes: ComponentModes) -> np.ndarray:
    return np.sqrt(shapes.omega_squared) / (2.0 * np.pi)


@pytest.mark.parametrize(("first", "second"), TIES)
def test_fixed_interface_modes_equal_the_dense_eigenproblem_of_held_interfaces(first: str, second: str) -> None:
    body = slab(first, second)
    shapes = component_modes(body, "fixed", modes=12)
    exact = np.sqrt(dense_squares(body, held=True)[:12]) / (2.0 * np.pi)
    found = [source.frequency for source in shapes.sources][:12]  # and a thirteenth that is close to the last
    # K has entries up to 1e10 and squares of 1e8: dense round-off of 1e-16 * 1e10 * 1e2 unknowns, relative 1e-7 at most
    np.testing.assert_allclose(found, exact, rtol=1e-7)


@pytest.mark.parametrize("tied", [(), ("rbe3",), ("rbe2",), ("rbe2", "rbe2"), ("rbe2", "rbe3")])
def test_free_modes_equal_the_dense_eigenproblem(tied: tuple[str, ...]) -> None:
    body = slab(*tied)
    shapes = component_modes(body, "free", modes=10)
    np.testing.assert_allclose(frequencies(shapes), full_frequencies(body)[:10], rtol=1e-7)
    assert set(shapes.kinds) == {"free"}
    assert shapes.labels == tuple(f"free {k + 1}" for k in range(10))
    assert shapes.condition == pytest.approx(1.0, abs=1e-6)


@pytest.mark.parametrize(("first", "second"), TIES)
def test_all_fixed_interface_modes_and_constraint_modes_are_the_whole_model(first: str, second: str) -> None:
    """Craig-Bampton without truncation is a change of coordinates: every frequency of the whole model comes back."""
    body = tied_bar(first, second)
    shapes = component_modes(body, modes=1000)
    exact = full_frequencies(body)
    assert len(shapes.labels) == len(exact)
    np.testing.assert_allclose(frequencies(shapes), exact, rtol=1e-7)


def test_modes_beyond_what_there_is_are_not_invented() -> None:
    """More modes are asked for than the slab has, in a search that is not dense."""
    body = slab("rbe2", "rbe2")
    shapes = component_modes(body, modes=1000)
    exact = full_frequencies(body)
    assert len(shapes.labels) == len(exact)
    np.testing.assert_allclose(frequencies(shapes), exact, rtol=1e-6)


@pytest.mark.parametrize("tie", ["rbe2", "rbe3"])
def test_frequencies_are_upper_bounds_that_fall_with_the_number_of_modes(tie: str) -> None:
    """Ritz: a larger basis cannot raise a frequency, and none lies below that of the whole model."""
    body = slab(tie, tie)
    exact = full_frequencies(body)
    before = np.full(6, np.inf)
    for modes in (0, 2, 5, 9, 16):
        found = frequencies(component_modes(body, modes=modes))
        assert (found >= exact[: len(found)] * (1.0 - 1e-8)).all()
        assert (found[:6] <= before * (1.0 + 1e-8)).all()
        before = found[:6]
    # sixteen held modes reach ten times the first free frequency; Ritz errors fall with the square of that ratio
    np.testing.assert_allclose(before[:3], exact[:3], rtol=0.01)


@pytest.mark.parametrize("method", ["craig-bampton", "free", "fixed"])
@pytest.mark.parametrize("tie", ["rbe2", "rbe3"])
def test_shapes_are_orthonormal_and_hold_no_rigid_motion(method: str, tie: str) -> None:
    body = slab(tie, tie)
    shapes = component_modes(body, method, modes=8, attachment=True)
    Phi, n = shapes.Phi, len(shapes.labels)
    MPhi = body.model.mass_times(Phi)
    # Gram matrices lose what the condition number of the vectors squared amplifies.
    lost = 1e-14 * shapes.condition**2 + 1e-11
    np.testing.assert_allclose(Phi.T @ MPhi, np.eye(n), atol=lost)
    root = np.sqrt(shapes.omega_squared)
    np.testing.assert_allclose((Phi.T @ (body.model.K @ Phi)) / np.outer(root, root), np.eye(n), atol=100 * lost)
    np.testing.assert_allclose(body.R.T @ MPhi, 0.0, atol=lost)
    assert (np.diff(shapes.omega_squared) >= 0.0).all()
    largest = np.abs(Phi).argmax(axis=0)
    assert (Phi[largest, np.arange(n)] > 0.0).all()


@pytest.mark.parametrize(("first", "second"), TIES)
@pytest.mark.parametrize("method", ["craig-bampton", "free", "fixed"])
def test_rigid_ties_stay_rigid_in_every_shape(first: str, second: str, method: str) -> None:
    body = slab(first, second)
    shapes = component_modes(body, method, modes=6, attachment=True)
    for interface in body.interfaces:
        moved = shapes.Phi[interface.rows]
        if interface.tie == "rbe2":
            size = np.abs(shapes.Phi).max()
            np.testing.assert_allclose(moved, interface.A @ (interface.E @ moved), atol=1e-9 * size)


@pytest.mark.parametrize("method", ["craig-bampton", "free", "fixed"])
@pytest.mark.parametrize("tie", ["rbe2", "rbe3"])
def test_attachment_modes_answer_interface_loads_exactly(method: str, tie: str) -> None:
    """Phi w^-2 Phi^T f is the static solution of the shapes: with attachment modes that of the whole model."""
    body = slab(tie, tie)
    f = np.hstack([interface.forces(body.n) for interface in body.interfaces])
    f = f @ np.random.default_rng(7).standard_normal((12, 3))
    exact = body.solve(f)
    errors = []
    for attachment in (False, True):
        shapes = component_modes(body, method, modes=5, attachment=attachment)
        answer = (shapes.Phi / shapes.omega_squared) @ (shapes.Phi.T @ f)
        errors.append(np.abs(answer - exact).max() / np.abs(exact).max())
    assert errors[0] > 1e-4, "five modes alone do not answer it"
    # shapes lose what the condition number (1e3) makes of round-off
    assert errors[1] < 1e-8


def test_user_vectors_are_contained() -> None:
    body = slab("rbe3", "rbe3")
    vectors = np.random.default_rng(3).standard_normal((body.n, 3))
    vectors[:, 2] = body.model.rigid_motions() @ np.arange(1.0, 7.0)
    shapes = component_modes(body, modes=3, vectors=vectors)
    assert len(shapes.labels) == 3 + 6 + 2, "the third vector is a rigid motion"
    assert [source.kind for source in shapes.sources].count("user") == 3
    assert shapes.notes == (
        "1 of 3 user vectors add no shape (rigid, zero, or combinations of the others) and are left out.",
    )
    rest = body.without_rigid(vectors)
    rest = rest - shapes.Phi @ (shapes.Phi.T @ body.model.mass_times(rest))
    assert np.abs(rest).max() < 1e-8 * np.abs(vectors).max()
    # random vectors move every element its own way: far stiffer than all modes, so the last shapes are theirs
    assert shapes.kinds[-2:] == ("user", "user")


def test_user_vectors_that_are_contained_already_add_nothing() -> None:
    body = slab("rbe2", "rbe2")
    plain = component_modes(body, modes=4)
    again = component_modes(body, modes=4, vectors=plain.Phi[:, :3] @ np.array([[1.0, 2.0], [0.5, -1.0], [3.0, 1.0]]))
    assert len(again.labels) == len(plain.labels)
    np.testing.assert_allclose(again.omega_squared, plain.omega_squared, rtol=1e-8)


def test_user_vectors_obey_rigid_ties() -> None:
    """A vector that warps the end faces is bent so that they stay rigid: the tie is part of the body."""
    mesh, model = bar()
    body = tied_bar("rbe2", "rbe2")
    warped = np.zeros((len(model.points), 3))
    warped[:, 0] = np.sin(np.pi * mesh.points[:, 1] / 0.012)
    shapes = component_modes(body, modes=2, vectors=warped.reshape(-1, 1))
    for interface in body.interfaces:
        moved = shapes.Phi[interface.rows]
        np.testing.assert_allclose(moved, interface.A @ (interface.E @ moved), atol=1e-6 * np.abs(shapes.Phi).max())


def test_shapes_above_a_frequency_are_left_out() -> None:
    body = slab("rbe2", "rbe2")
    every = component_modes(body, modes=8)
    limit = 0.5 * float(frequencies(every)[6] + frequencies(every)[7])
    few = component_modes(body, modes=8, keep_below=limit)
    assert len(few.labels) == 7
    np.testing.assert_allclose(few.Phi, every.Phi[:, :7], atol=1e-9 * np.abs(every.Phi).max())
    with pytest.raises(InputError, match="no shape is below keep_below = 1 Hz"):
        component_modes(body, modes=8, keep_below=1.0)


def test_modes_by_frequency() -> None:
    body = slab("rbe3", "rbe3")
    held = np.sqrt(dense_squares(body, held=True)) / (2.0 * np.pi)
    limit = 0.5 * float(held[4] + held[5])
    shapes = component_modes(body, "fixed", below=limit)
    np.testing.assert_allclose([source.frequency for source in shapes.sources], held[:5], rtol=1e-7)
    assert len(shapes.labels) == 5


def test_labels_kinds_and_interfaces_tell_where_a_shape_comes_from() -> None:
    body = slab("rbe2", "rbe3")
    shapes = component_modes(body, modes=6, attachment=True)
    n = len(shapes.labels)
    assert len(set(shapes.labels)) == n
    assert set(shapes.kinds) <= {"fixed-interface", "constraint", "attachment"}
    assert set(shapes.interfaces) <= {"", "a", "b"}
    labels = [source.label for source in shapes.sources]
    assert labels[:6] == [f"fixed {k + 1}" for k in range(6)]
    assert labels[6:12] == ["a x", "a y", "a z", "a rx", "a ry", "a rz"]
    static = [source for source in shapes.sources if source.kind != "fixed-interface"]
    assert all(source.interface in ("a", "b") and source.frequency == 0.0 for source in static)
    # constraint modes alone: every shape belongs to an interface
    alone = component_modes(body, modes=0)
    assert len(alone.labels) == 6
    assert set(alone.kinds) == {"constraint"} and set(alone.interfaces) <= {"a", "b"}


@pytest.mark.parametrize("seed", range(4))
def test_round_off_does_not_choose_names_and_signs(seed: int) -> None:
    # To move one end is to move the other, with rigid motions taken out: an exact tie, and the first end is taken.
    body = slab("rbe2", "rbe2")
    noise = 1e-13 * np.random.default_rng(seed).standard_normal((body.n, 12))

    class Shaken(FreeBody):
        def constraint_modes(self) -> np.ndarray:
            modes = super().constraint_modes()
            return np.asarray(modes + noise * np.abs(modes).max(axis=0))

    exact, found = component_modes(body, modes=3), component_modes(Shaken(body.model, body.interfaces), modes=3)
    assert found.labels == exact.labels and {"a x", "a y", "a z", "a rx"} <= set(found.labels)
    np.testing.assert_allclose(found.Phi, exact.Phi, rtol=0.0, atol=1e-6 * np.abs(exact.Phi).max())


@lru_cache
def clamped() -> FreeBody:
    """The bar held at one end."""
    mesh, model = bar()
    return FreeBody(model, ties(mesh, model, ("a", "xmin", "rbe2")))


def test_effective_masses_of_a_clamped_bar() -> None:
    """8/pi^2 of the mass along the bar, 61.3 % across in each first bending mode (Blevins 1979, cantilever)."""
    shapes = component_modes(clamped(), "fixed", modes=20)
    shares = np.array([source.effective_mass for source in shapes.sources])
    # clamp, shear and the few elements change at most one thickness in the length, which is 25 to 40 thicknesses
    assert shares[:, 0].max() == pytest.approx(8.0 / np.pi**2, rel=0.02)
    assert shares[0, 2] == pytest.approx(0.6131, rel=0.025), "softest across its height"
    assert shares[1, 1] == pytest.approx(0.6131, rel=0.04)
    assert (shares >= 0.0).all() and (shares.sum(axis=0) <= 1.0).all()


def test_effective_masses_add_up_to_what_can_move() -> None:
    """All modes together: the mass of the translation projected on what the clamp leaves free."""
    body = clamped()
    shapes = component_modes(body, "fixed", modes=1000)
    shares = np.array([source.effective_mass for source in shapes.sources])
    free = np.setdiff1d(np.arange(body.n), body.interfaces[0].rows)
    M = mass_matrix(body.model)
    momentum = M[free] @ body.model.rigid_motions()[:, :3]
    moved = np.diag(momentum.T @ np.linalg.solve(M[np.ix_(free, free)], momentum))
    total = np.diag(body.model.rigid_motions()[:, :3].T @ M @ body.model.rigid_motions()[:, :3])
    np.testing.assert_allclose(shares.sum(axis=0), moved / total, rtol=1e-8)


def test_requests_that_leave_nothing_are_refused() -> None:
    body, held = slab(), clamped()
    with pytest.raises(InputError, match="there are no modes"):
        component_modes(held, modes=0)
    with pytest.raises(InputError, match="there are no modes"):
        component_modes(body, "free", modes=0)
    with pytest.raises(InputError, match="rigid motions: no shape is left"):
        component_modes(body, "free", modes=0, vectors=body.model.rigid_motions())
    with pytest.raises(InputError, match="neither a number of modes nor a frequency"):
        component_modes(body, "free")
    with pytest.raises(InputError) as caught:
        component_modes(body, "craig-bampton", modes=-1, attachment=True)
    assert len(caught.value.faults) == 3
    with pytest.raises(InputError, match="there is no method 'guyan'"):
        component_modes(body, "guyan", modes=1)


@pytest.mark.parametrize("method", ["free", "fixed", "craig-bampton"])
def test_a_frequency_limit_below_all_modes_is_refused(method: str) -> None:
    with pytest.raises(InputError, match="no modes below 1 Hz"):
        component_modes(clamped(), method, below=1.0)


def test_interfaces_that_move_together_are_refused() -> None:
    """The same face averaged twice, or averaged within a rigid tie: their motions cannot be prescribed one by one."""
    mesh, model = bar()
    for first in ("rbe2", "rbe3"):
        for more in ((), (("c", "xmax", "rbe3"),)):
            with pytest.raises(InputError, match="moves together with"):
                component_modes(
                    FreeBody(model, ties(mesh, model, ("a", "xmin", first), ("b", "xmin", "rbe3"), *more)), modes=2
                )


def test_averaged_interfaces_may_share_nodes() -> None:
    """Two faces that meet in an edge, both averaged, are two interfaces with twelve motions."""
    mesh, model = bar()
    body = FreeBody(model, ties(mesh, model, ("a", "xmin", "rbe3"), ("b", "ymin", "rbe3")))
    shapes = component_modes(body, modes=1000)
    np.testing.assert_allclose(frequencies(shapes), full_frequencies(body), rtol=1e-6)
