"""Vectors of three and matrices of three by three over scalars with structural zeros and orders."""

from __future__ import annotations

from collections.abc import Sequence

from flexmb.symbolic.engine import Matrix, Scalar, Vector
from flexmb.symbolic.orders import add as plus
from flexmb.symbolic.orders import is_zero, multiply, negative, subtract

XYZ = range(3)


def zero() -> Vector:
    """The zero vector."""
    return [0, 0, 0]


def identity() -> Matrix:
    """The unit matrix."""
    return [[1, 0, 0], [0, 1, 0], [0, 0, 1]]


def empty() -> Matrix:
    """The zero matrix."""
    return [zero() for _ in XYZ]


def add(*vectors: Vector) -> Vector:
    """The sum of vectors."""
    found = list(vectors[0])
    for vector in vectors[1:]:
        found = [plus(x, y) for x, y in zip(found, vector, strict=True)]
    return found


def sub(a: Vector, b: Vector) -> Vector:
    """a - b."""
    return [subtract(x, y) for x, y in zip(a, b, strict=True)]


def scale(s: Scalar, a: Vector) -> Vector:
    """s a."""
    return [multiply(s, x) for x in a]


def minus(a: Vector) -> Vector:
    """-a."""
    return [negative(x) for x in a]


def dot(a: Sequence[Scalar], b: Sequence[Scalar]) -> Scalar:
    """a . b, of any length."""
    found: Scalar = 0
    for x, y in zip(a, b, strict=True):
        found = plus(found, multiply(x, y))
    return found


def cross(a: Vector, b: Vector) -> Vector:
    """a x b."""
    return [
        subtract(multiply(a[1], b[2]), multiply(a[2], b[1])),
        subtract(multiply(a[2], b[0]), multiply(a[0], b[2])),
        subtract(multiply(a[0], b[1]), multiply(a[1], b[0])),
    ]


def column(A: Matrix, j: int) -> Vector:
    """Column j of A."""
    return [A[i][j] for i in XYZ]


def apply(A: Matrix, x: Vector) -> Vector:
    """A x."""
    return [dot(row, x) for row in A]


def apply_transposed(A: Matrix, x: Vector) -> Vector:
    """A^T x."""
    return [dot(column(A, j), x) for j in XYZ]


def product(A: Matrix, B: Matrix) -> Matrix:
    """A B."""
    return [[dot(row, column(B, j)) for j in XYZ] for row in A]


def transpose(A: Matrix) -> Matrix:
    """A^T."""
    return [column(A, j) for j in XYZ]


def sum_of(A: Matrix, B: Matrix) -> Matrix:
    """A + B."""
    return [add(a, b) for a, b in zip(A, B, strict=True)]


def times(s: Scalar, A: Matrix) -> Matrix:
    """s A."""
    return [scale(s, row) for row in A]


def skew(a: Vector) -> Matrix:
    """~a: ~a b = a x b."""
    return [[0, negative(a[2]), a[1]], [a[2], 0, negative(a[0])], [negative(a[1]), a[0], 0]]


def axial(B: Matrix) -> Vector:
    """a x b when B = a b^T."""
    return [subtract(B[1][2], B[2][1]), subtract(B[2][0], B[0][2]), subtract(B[0][1], B[1][0])]


def trace(A: Matrix) -> Scalar:
    """Sum of the diagonal."""
    return plus(plus(A[0][0], A[1][1]), A[2][2])


def is_null(a: Vector) -> bool:
    """Whether every entry is known to be zero."""
    return all(is_zero(x) for x in a)


def turn(axis: int, cosine: Scalar, sine: Scalar) -> Matrix:
    """Rotation about a coordinate axis."""
    R = identity()
    i, j = (axis + 1) % 3, (axis + 2) % 3
    R[i][i] = R[j][j] = cosine
    R[i][j], R[j][i] = negative(sine), sine
    return R
