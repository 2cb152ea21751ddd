"""Sparse Cholesky factorisation against dense algebra, in both orders, and how it says no.

Covers: cores, reduction.sparse.blas, reduction.sparse.elimination, reduction.sparse.kernels.dense,
reduction.sparse.kernels.dissection, reduction.sparse.kernels.lanes, reduction.sparse.kernels.numeric,
reduction.sparse.kernels.panels, reduction.sparse.kernels.separators, reduction.sparse.kernels.substitution,
reduction.sparse.kernels.supernodes, reduction.sparse.kernels.tree, reduction.sparse.memory,
reduction.sparse.ordering, reduction.sparse.plan.
"""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp

from flexmb.errors import ComputationError, InputError
from flexmb.reduction.sparse import factor as factor_module
from flexmb.reduction.sparse import memory
from flexmb.reduction.sparse.factor import COORDINATES, METIS, NotPositiveDefinite, factorise, plan_factor
from flexmb.reduction.sparse.kernels.dissection import dissect
from flexmb.reduction.sparse.kernels.panels import WIDTH
from flexmb.reduction.sparse.kernels.tree import column_counts, elimination_tree
from flexmb.reduction.sparse.memory import available_memory
from flexmb.reduction.sparse.ordering import has_metis

ORDERINGS = [COORDINATES, pytest.param(METIS, marks=pytest.mark.skipif(not has_metis(), reason="no pymetis"))]


def lattice(counts, block=3, seed=0, soft=1e-2):
    """Blocks on a lattice, each tied to its neighbours by a random stiff spring, and softly to the ground."""
    random = np.random.default_rng(seed)
    points = np.argwhere(np.ones(counts)).astype(float)
    number = np.arange(len(points)).reshape(counts)
    pairs = []
    for axis in range(3):
        ahead = np.moveaxis(number, axis, 0)
        pairs.append(np.stack([ahead[:-1].ravel(), ahead[1:].ravel()], axis=1))
    a, b = np.concatenate(pairs).T
    roots = random.standard_normal((len(a), block, block))
    springs = roots @ roots.transpose(0, 2, 1) + 0.1 * np.eye(block)
    n = len(points)
    rows, columns = np.concatenate([a, b, a, b, np.arange(n)]), np.concatenate([a, b, b, a, np.arange(n)])
    values = np.concatenate([springs, springs, -springs, -springs, np.tile(soft * np.eye(block), (n, 1, 1))])
    i = (block * rows[:, None, None] + np.arange(block)[:, None]) + np.zeros((1, 1, block), dtype=int)
    j = (block * columns[:, None, None] + np.arange(block)) + np.zeros((1, block, 1), dtype=int)
    K = sp.coo_matrix((values.ravel(), (i.ravel(), j.ravel())), shape=(block * n, block * n))
    return K.tobsr((block, block)), points


def backward_error(K, X, B):
    """Componentwise: |B - K X| over |K| |X| + |B|"""
    return (np.abs(B - K @ X) / (abs(K) @ np.abs(X) + np.abs(B))).max()


@pytest.mark.parametrize("ordering", ORDERINGS)
@pytest.mark.parametrize(
    ("counts", "block"),
    [((1, 1, 1), 3), ((2, 1, 1), 3), ((30, 1, 1), 3), ((9, 8, 7), 3), ((12, 11, 10), 1), ((40, 40, 1), 1)],
)
def test_solution_fulfils_the_equations(ordering, counts, block):
    K, points = lattice(counts, block)
    factor = factorise(K, points, ordering=ordering)
    assert factor.ordering == ordering
    random = np.random.default_rng(1)
    for columns in (1, 2, 33):  # 33: more than are solved for at a time
        B = random.standard_normal((K.shape[0], columns))
        # Cholesky is backward stable: the error is a small multiple of the unit round-off, whatever the condition
        assert backward_error(K, factor.solve(B), B) < 1e-13
    single = B[:, 0]
    assert factor.solve(single).shape == single.shape
    assert np.allclose(factor.solve(single), factor.solve(B)[:, 0], rtol=1e-12)


@pytest.mark.parametrize("ordering", ORDERINGS)
def test_agrees_with_dense_inverse_and_log_determinant(ordering):
    K, points = lattice((5, 6, 4))
    factor = factorise(K, points, ordering=ordering)
    inverse = np.linalg.inv(K.toarray())
    # condition about 1e3: twelve digits of the inverse are certain
    assert np.allclose(factor.solve(np.eye(K.shape[0])), inverse, rtol=0, atol=1e-11 * np.abs(inverse).max())


@pytest.mark.parametrize("ordering", ORDERINGS)
def test_does_not_depend_on_the_numbering(ordering):
    K, points = lattice((8, 7, 6))
    new = np.random.default_rng(3).permutation(len(points))
    unknowns = (3 * new[:, None] + np.arange(3)).ravel()
    shuffled = K.tocsr()[unknowns][:, unknowns].tobsr((3, 3))
    b = np.random.default_rng(4).standard_normal(K.shape[0])
    x = factorise(K, points, ordering=ordering).solve(b)
    assert np.allclose(factorise(shuffled, points[new], ordering=ordering).solve(b[unknowns]), x[unknowns], atol=1e-10)


@pytest.mark.parametrize("ordering", ORDERINGS)
def test_parts_that_are_not_connected(ordering):
    K1, points = lattice((6, 5, 4))
    K2, other = lattice((3, 3, 3), seed=5)
    K = sp.block_diag([K1, K2, 2.0 * sp.eye(3)]).tobsr((3, 3))
    places = np.concatenate([points, other, [[0.0, 0.0, 0.0]]])
    b = np.ones(K.shape[0])
    assert backward_error(K, factorise(K, places, ordering=ordering).solve(b), b) < 1e-13


def test_all_blocks_at_one_place():
    K, points = lattice((7, 6, 5))
    b = np.ones(K.shape[0])
    assert backward_error(K, factorise(K, np.zeros_like(points), ordering=COORDINATES).solve(b), b) < 1e-13


@pytest.mark.parametrize("ordering", ORDERINGS)
def test_ill_conditioned(ordering):
    K, points = lattice((9, 5, 5), soft=1e-9)
    scale = 10.0 ** np.random.default_rng(0).uniform(-6, 6, K.shape[0])
    K = (sp.diags(scale) @ K @ sp.diags(scale)).tobsr((3, 3))
    b = np.random.default_rng(1).standard_normal(K.shape[0])
    assert backward_error(K, factorise(K, points, ordering=ordering).solve(b), b) < 1e-13


@pytest.mark.parametrize("ordering", ORDERINGS)
@pytest.mark.parametrize("soft", [0.0, -1e-3])
def test_free_and_indefinite_matrices_are_refused(ordering, soft):
    K, points = lattice((9, 8, 7), soft=soft)
    with pytest.raises(NotPositiveDefinite, match="not positive definite") as caught:
        factorise(K, points, ordering=ordering)
    assert 0 <= caught.value.block < len(points)


@pytest.mark.parametrize("ordering", ORDERINGS)
def test_a_free_part_is_found_where_it_is(ordering):
    held, points = lattice((6, 6, 6))
    free, other = lattice((4, 4, 4), seed=2, soft=0.0)
    K = sp.block_diag([held, free]).tobsr((3, 3))
    with pytest.raises(NotPositiveDefinite) as caught:
        factorise(K, np.concatenate([points, other + 20.0]), ordering=ordering)
    assert caught.value.block >= len(points)


def test_soft_but_not_free_is_accepted():
    # a chain of 3000 springs held at one end: its last pivot is 1/3000 of the diagonal, and softer ones in series
    K = sp.diags([2.0 * np.ones(3000), -np.ones(2999), -np.ones(2999)], [0, 1, -1]).tolil()
    K[2999, 2999] = 1.0 + 1e-9
    K[0, 0] = 1.0 + 1e-7
    factor = factorise(K.tobsr((1, 1)), np.arange(9000.0).reshape(3000, 3))
    # the whole chain moves against 1e-7 + 1e-9
    x = factor.solve(np.ones(3000))
    assert x.mean() == pytest.approx(3000 / 1.01e-7, rel=1e-3)


def test_plan_knows_entries_operations_and_memory():
    K, points = lattice((10, 9, 8))
    plan = plan_factor(K, points, ordering=COORDINATES)
    starts, neighbours = K.indptr.astype(np.int64), K.indices.astype(np.int32)
    parent = elimination_tree(starts, neighbours, plan.order, plan.rank)
    least = 9 * column_counts(starts, neighbours, plan.order, plan.rank, parent).sum()
    # merging stores zeros, and blocks on the diagonal are stored whole: much in a small model, never twice as much
    assert least <= plan.nnz < 2.0 * least
    factor = factorise(K, points, ordering=COORDINATES)
    assert (factor.nnz, factor.bytes, factor.flops) == (plan.nnz, plan.bytes, plan.flops)
    assert sum(task.operations for task in plan.tasks) == pytest.approx(plan.flops)
    assert plan.bytes >= 8 * plan.nnz and plan.working_bytes(2) >= plan.working_bytes(1) > 0


def test_supernodes_hold_the_structure_of_the_factor():
    K, points = lattice((6, 5, 5), block=1)
    factor = factorise(K, points, ordering=COORDINATES)
    plan = factor.plan
    C = np.linalg.cholesky(K.toarray()[np.ix_(plan.order, plan.order)])
    mine = np.zeros_like(C)
    for s in range(len(plan.parent)):
        first, end = plan.firsts[s], plan.firsts[s + 1]
        rows = np.concatenate([np.arange(first, end), plan.rows[plan.row_starts[s] : plan.row_starts[s + 1]]])
        panel = factor._panels[plan.panel_starts[s] : plan.panel_starts[s + 1]].reshape(end - first, len(rows))
        mine[np.ix_(rows, np.arange(first, end))] = panel.T
    assert np.allclose(np.tril(mine), C, atol=1e-12)


def test_wide_supernodes_are_stored_in_strips_without_their_upper_triangle():
    K, points = lattice((32, 12, 12))
    factor = factorise(K, points, ordering=COORDINATES)
    plan = factor.plan
    pivots, below = 3 * np.diff(plan.firsts), 3 * np.diff(plan.row_starts)
    wide = pivots > WIDTH
    assert (below[wide] == 0).any() and (below[wide] > 0).any(), "strips with and without rows below them"
    assert plan.nnz < (pivots * (pivots + below)).sum() - WIDTH**2 // 8
    # single fronts (packed updates) and subtrees (squares on a stack) both have such supernodes or feed them
    assert any(task.is_front for task in plan.tasks) and any(not task.is_front for task in plan.tasks)
    B = np.random.default_rng(4).standard_normal((K.shape[0], 11))
    # componentwise backward error of a Cholesky factorisation: some eps, growing slowly with the size of the fronts
    assert backward_error(K, factor.solve(B), B) < 1e-13


def test_own_order_is_a_permutation_and_nearly_as_good_as_metis():
    K, points = lattice((16, 14, 12))
    order = dissect(K.indptr.astype(np.int64), K.indices.astype(np.int32), points)
    assert np.array_equal(np.sort(order), np.arange(len(points)))
    own = plan_factor(K, points, ordering=COORDINATES)
    # below the banded factor, whose columns are as high as a layer has blocks
    assert own.nnz < 0.75 * 9 * len(points) * 14 * 12
    if has_metis():
        assert own.nnz < 2.0 * plan_factor(K, points, ordering=METIS).nnz


def test_too_little_memory_is_said_before_starting(monkeypatch):
    K, points = lattice((8, 8, 8))
    monkeypatch.setattr(factor_module, "available_memory", lambda: 1_000_000)
    monkeypatch.setattr(factor_module, "eliminate", lambda *_: pytest.fail("started"))
    with pytest.raises(ComputationError, match=r"needs about .* GB, and 0\.0 GB are free.*coarser mesh"):
        factorise(K, points)


def test_memory_of_what_follows_counts_too(monkeypatch):
    K, points = lattice((8, 8, 8))
    plan = plan_factor(K, points)
    enough = plan.bytes + plan.working_bytes(factor_module.available_cores())
    monkeypatch.setattr(factor_module, "available_memory", lambda: enough)
    factorise(K, points, later_bytes=enough - plan.bytes)
    monkeypatch.setattr(factor_module, "eliminate", lambda *_: pytest.fail("started"))
    with pytest.raises(
        ComputationError, match=r"and to go on \(.* GB\) needs about .* fewer modes, or the linear field"
    ):
        factorise(K, points, later_bytes=enough)


def test_ordering_of_a_large_matrix_reports_its_expected_time():
    assert factor_module._ordering_text(METIS, 1000) == "ordering"
    assert factor_module._ordering_text(COORDINATES, 10_000_000) == "ordering (about 15 s)"


@pytest.mark.parametrize("version", [1, 2])
def test_limits_of_containers_count_at_every_level(tmp_path, monkeypatch, version):
    """The group of the process has no limit; the one above it has 3 GB, of which 2 are used and 0.5 can be released."""
    groups, proc = tmp_path / "cgroup", tmp_path / "proc"
    root = groups if version == 2 else groups / "memory"
    own = root / "batch" / "job"
    own.mkdir(parents=True)
    (proc / "self").mkdir(parents=True)
    (proc / "meminfo").write_text("MemTotal: 9000000 kB\nMemAvailable: 8000000 kB\n")
    (proc / "self" / "cgroup").write_text("0::/batch/job\n" if version == 2 else "7:cpu,memory:/batch/job\n")
    limit, used = (
        ("memory.max", "memory.current") if version == 2 else ("memory.limit_in_bytes", "memory.usage_in_bytes")
    )
    for folder, most in ((own, "max" if version == 2 else str(2**63 - 4096)), (own.parent, "3000000000")):
        (folder / limit).write_text(most + "\n")
        (folder / used).write_text("2000000000\n")
        released = "inactive_file" if version == 2 else "total_inactive_file"
        (folder / "memory.stat").write_text(f"anon 5\n{released} 500000000\n")
    monkeypatch.setattr(memory, "_PROC", proc)
    monkeypatch.setattr(memory, "_GROUPS", groups)
    assert memory._linux_available() == 8_192_000_000
    assert memory._group_available() == 1_500_000_000


def test_available_memory_is_plausible():
    free = available_memory()
    assert free is None or 1e6 < free < 1e15


def test_wrong_input_is_refused_with_all_faults():
    K, points = lattice((3, 3, 3))
    K.data[0, 0, 0] = np.nan
    with pytest.raises(InputError) as caught:
        factorise(K, points[1:])
    assert len(caught.value.faults) == 2
    with pytest.raises(ValueError, match="right-hand side"):
        factorise(*lattice((3, 3, 3))).solve(np.ones(5))


def test_progress_rises_to_one():
    K, points = lattice((12, 12, 12))
    told = []
    factorise(K, points, progress=lambda stage, share: told.append((stage, share)))
    assert told[0][0] == "ordering"
    shares = [share for stage, share in told if stage == "factorising"]
    assert shares == sorted(shares) and shares[-1] == pytest.approx(1.0)
