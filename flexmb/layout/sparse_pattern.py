"""Pattern of a sparse system of equations and the numbers of its factorisation (`flexmb.solvers.fronts`).

The matrix is [S G^T; G 0] with n coordinates and m constraint rows. A pattern is one array P of integers, found once;
its factorisation has a block of numbers in an array of floats. The unknowns are numbered by position: in the order in
which the fronts eliminate them.
"""

from __future__ import annotations

from flexmb.arrays import Integers
from flexmb.layout.record import Record

PATTERN_RECORD = Record("pattern", "P", "Where the entries of a sparse matrix are, at the start of P.")
_value, _place = PATTERN_RECORD.value, PATTERN_RECORD.place
SP_SIZE = _value("size", "number of unknowns: coordinates, then rows")
SP_COORDINATES = _value("n", "number of coordinates")
SP_FRONTS = _value("n_fronts", "number of fronts")
SP_TABLE = _value("fronts", "offset in P of the records of the fronts")
SP_UNKNOWN = _place("unknown", "P", "size", "", "unknown at every position")
SP_NUMBERS = _value("n_numbers", "numbers of all fronts together")
SP_N_S = _value("n_S", "stored entries of S")
SP_S_ROW = _place("S_row", "P", "n_S", "", "row of every stored entry of S")
SP_S_COLUMN = _place("S_column", "P", "n_S", "", "its column")
SP_S_FIRST = _place("S_first", "P", "n_S", "", "its place among the numbers of the fronts")
SP_S_SECOND = _place("S_second", "P", "n_S", "", "place of its transposed; -1: stored itself")
SP_DIAGONAL = _place("diagonal", "P", "n", "", "number of the stored entry of S on the diagonal, of every coordinate")
SP_N_G = _value("n_G", "stored entries of G")
SP_G_ROW = _place("G_row", "P", "n_G", "", "row of every stored entry of G")
SP_G_COLUMN = _place("G_column", "P", "n_G", "", "its column")
SP_G_FIRST = _place("G_first", "P", "n_G", "", "its place among the numbers of the fronts")
SP_G_SECOND = _place("G_second", "P", "n_G", "", "place of its transposed")
SP_PASSES = _value("n_passes", "passes in which S is found by differences; 0: the entries of S are those of the mass")
SP_PASS_STARTS = _place("pass_starts", "P", "3 n_passes + 3", "", "first column, entry of S and entry of G of a pass")
SP_PASS_COLUMNS = _place("pass_columns", "P", "n", "", "coordinates, pass by pass; the entries of S are in this order")
SP_PASS_G = _place("pass_G", "P", "n_G", "", "numbers of the entries of G, pass by pass")
PATTERN = PATTERN_RECORD.size

FRONT_RECORD = Record("front", "P", "A dense part of the factorisation.")
FR_FIRST = FRONT_RECORD.value("first", "position of its first pivot")
FR_PIVOTS = FRONT_RECORD.value("pivots", "number of its pivots")
FR_COORDINATES = FRONT_RECORD.value("coordinates", "those of them that are coordinates: the first")
FR_SIZE = FRONT_RECORD.value("size", "pivots and the later unknowns that they are coupled to")
FR_COUPLED = FRONT_RECORD.value("coupled", "offset in P of the positions of those later unknowns")
FR_INTO = FRONT_RECORD.value("into", "offset in P of their numbers in the parent")
FR_PARENT = FRONT_RECORD.value("parent", "number of the front that takes what is left; -1: none")
FR_AT = FRONT_RECORD.value("at", "place of its matrix, row major, among the numbers of the fronts")
FRONT = FRONT_RECORD.size

FACTOR_RECORD = Record("sparse factor", "S", "Numbers of a sparse system: matrix, factors, right-hand side.")
FA_TOLERANCE = FACTOR_RECORD.value("tolerance", "pivot of a constraint row, below which it repeats others", unit="1")
FA_DEPENDENT = FACTOR_RECORD.value("dependent", "number of such rows in the last factorisation", unit="1")
FA_FAULT = FACTOR_RECORD.value("fault", "1: a coordinate has no pivot", unit="1")
FA_LEAST = FACTOR_RECORD.value("least", "least pivot of a row that was kept", unit="1")
FA_VECTOR = FACTOR_RECORD.value("vector", "offset of the right-hand side, later the solution", unit="1")
FACTOR = FACTOR_RECORD.size
"""Behind it: reciprocal pivots (size), order of the pivots in their front (size), a vector (size), the matrices of the
fronts, and scratch for the largest of them."""


def factor_length(P: Integers) -> int:
    """Numbers that a factorisation takes; at least three for every coordinate are in fronts and scratch."""
    largest = int(P[P[SP_TABLE] + FR_SIZE : P[SP_TABLE] + P[SP_FRONTS] * FRONT : FRONT].max(initial=0))
    return int(FACTOR + 3 * P[SP_SIZE] + max(P[SP_NUMBERS] + largest**2, 3 * P[SP_COORDINATES]))


def entries_at(P: Integers, slot: int, count: int) -> Integers:
    """The list that a place of the header of P points to; `count`: slot of its length."""
    return P[P[slot] : P[slot] + P[count]]
