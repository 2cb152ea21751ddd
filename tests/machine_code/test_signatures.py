"""Declared types of array kernels: their notation and their names."""

from __future__ import annotations

from flexmb.machine_code.signatures import Array, Scalar, b1, f8, i4, i8, returns, void


def test_types_are_written_as_numba_writes_them() -> None:
    assert f8[:, ::1] == Array("f8", 2, True)
    assert i4[::1] == Array("i4", 1, True)
    assert f8[:, :, :] == Array("f8", 3, False)
    assert (b1, i8) == (Scalar("b1"), Scalar("i8"))


def test_results_are_numbers_arrays_tuples_or_nothing() -> None:
    assert void(i8).result is None
    assert f8(i8, f8[::1]).result == f8
    assert returns((i8, f8[::1]), i8).result == (i8, f8[::1])


def test_symbols_tell_signatures_apart() -> None:
    signatures = [void(f8[:, ::1], i8), void(f8[:, :], i8), void(f8[::1], i8), void(i8, f8[:, ::1]), void((f8, i8))]
    signatures += [void(f8, i8), void((f8,), i8)]
    assert len({signature.symbol for signature in signatures}) == len(signatures)
    assert signatures[0].symbol == "f8x2c_i8"
