"""Places of a natural system in the flat arrays, behind the header that all systems have (`flexmb.layout`).

Numbers are written with the coordinates q = x / size: points as parts of the length of a body, unit vectors and angles
as they are; forces and masses are divided by the largest mass of a coordinate. `y` are all coordinates, with the fixed
ones and the directions w of bodies with two directions.
"""

from __future__ import annotations

from flexmb.layout import flat_arrays as L

(
    N_FULL,  # coordinates x, the fixed ones included
    N_EXTENDED,  # coordinates y
    Y, Y_DOT, Y_DDOT,  # W: y and its rates (n_extended each)
    Q_Y,  # W: applied generalised forces in y, without the constant ones (n_extended)
    BALANCE_Y,  # W: M_y y'' - Q_y (n_extended)
    MOVING,  # I: column of every coordinate q in x (n_v)
    SIZES, FORCE_SIZES,  # F: its size, and this over the unit of M (n_v each)
    CONSTANT_Q,  # F: constant part of Q_y, gravity (n_extended)
    MASS_STARTS, MASS_COLUMNS, MASS_VALUES,  # I, I, F: rows of M_y
    TABLE_I, TABLE_F,  # I, F: table of the constraint rows (`row_table`)
    FACTORS, FACTOR_RATES, COFACTORS,  # W: (n_factors, 3) each
    ROW_FACTORS,  # F: factor of every row
    G_SLOTS, G_FACTORS,  # I, F: stored entry of G for every entry of the table (-1: of a fixed coordinate), its factor
    N_DRIVES, DRIVE_ROWS, DRIVE_STARTS,  # number; I: row of every drive, start of its function in the core
    DRIVES,  # W: value, rate and acceleration of every drive
    MASS_BASE,  # F: constant part of the stored entries of M
    N_SOFT, SOFT_ROWS, SOFT_STARTS, SOFT_SLOTS,  # rows that are added to M: numbers, first pair, entries of M of pairs
    SOFT_WEIGHTS,  # F: weight of each
    N_CROSS, CROSS_STARTS, CROSS_COMPONENTS, CROSS_COLUMNS, CROSS_VALUES,  # directions d1, d2
    CROSS_SCALES,  # F: scale of w = scale d1 x d2
    CROSS_AT, CROSS_RATE,  # W: (2 n_cross, 3) d1 and d2, their rates
    N_TURNED, TURNED_ROWS, TURNED_COLUMNS, TURNED_SOURCES, TURNED_FACTORS,  # entries of V that vary
    TURNED,  # W: their values
    N_VARYING, VARYING_SLOTS, VARYING_LEFT, VARYING_RIGHT, VARYING_VALUES,  # products that add to M
    AT_OUTSIDE,  # forces and drives of Python; 0: none
    CORE_I, CORE_F, CORE_W,  # addresses of the arrays of the system in absolute coordinates; 0: none
    FRAME_STARTS, FRAME_COLUMNS, FRAME_VALUES, FRAME_ORDER,  # origin and axes of all bodies, linear in x
    CORE_LOADS,  # program by which that system finds the loads; 0: they are found here
) = range(L.HEADER, L.HEADER + 60)  # fmt: skip
HEADER = L.HEADER + 60
