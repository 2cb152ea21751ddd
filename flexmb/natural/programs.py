"""Equations of a natural system as programs of the common integrators (theory 15).

    M_y y'' - Q_y,   y = [x; w(x)],   y' = V x',   y'' = V x'' + V' x',        RES = V^T (M_y y'' - Q_y) + Phi_x^T lam

in units of the largest mass of a coordinate. The stored mass matrix is M = V^T M_y V + sum of weights times G_k^T G_k
over `SOFT_ROWS`, with BIAS to match: this changes neither accelerations nor multipliers, since G a = -GAM, and gives
coordinates without inertia one.
"""

from __future__ import annotations

from flexmb.layout import flat_arrays as L
from flexmb.layout.access import body_record, wrench_of
from flexmb.machine_code.jit import call, kernel, program
from flexmb.natural import packed_layout as N
from flexmb.natural import row_kernels as at
from flexmb.natural.frame_kernels import add_forces, place_into, rates_into
from flexmb.natural.row_kernels import conjugates_into, cross_into, factors_into, gamma_of, scalar_term, weight_of
from flexmb.solvers.pointers import float_pointer, int_pointer


@kernel
def directions_into(I, F, W, y, is_rate, out):
    """(2 n_cross, 3) the two directions of every w, or their rates."""
    for k in range(2 * I[N.N_CROSS]):
        for i in range(3):
            W[out + 3 * k + i] = 0.0
        for e in range(I[I[N.CROSS_STARTS] + k], I[I[N.CROSS_STARTS] + k + 1]):
            W[out + 3 * k + I[I[N.CROSS_COMPONENTS] + e]] += F[I[N.CROSS_VALUES] + e] * W[y + I[I[N.CROSS_COLUMNS] + e]]


@kernel
def turned_into(I, W, rates, y):
    """Rows of w of V times the rates in x at W[rates..], put behind these, less what V' adds."""
    n, full = I[N.N_TURNED], I[N.N_FULL]
    for i in range(full, I[N.N_EXTENDED]):
        W[y + i] = 0.0
    for e in range(n):
        W[y + I[I[N.TURNED_ROWS] + e]] += W[I[N.TURNED] + e] * W[rates + I[I[N.TURNED_COLUMNS] + e]]


@program
def motion(I, F, W, arg):
    """y and y' of the state; arg = 1: y'' too."""
    for i in range(I[L.N_V]):
        column, size = I[I[N.MOVING] + i], F[I[N.SIZES] + i]
        W[I[N.Y] + column] = size * W[I[L.Q] + i]
        W[I[N.Y_DOT] + column] = size * W[I[L.V] + i]
        W[I[N.Y_DDOT] + column] = size * W[I[L.A] + i] if arg == 1 else 0.0
    if I[N.N_CROSS] == 0:
        return
    at_d, rate_d, w = I[N.CROSS_AT], I[N.CROSS_RATE], I[N.N_FULL]
    directions_into(I, F, W, I[N.Y], 0, at_d)
    directions_into(I, F, W, I[N.Y_DOT], 1, rate_d)
    for e in range(I[N.N_TURNED]):
        W[I[N.TURNED] + e] = F[I[N.TURNED_FACTORS] + e] * W[at_d + I[I[N.TURNED_SOURCES] + e]]
    turned_into(I, W, I[N.Y_DOT], I[N.Y_DOT])
    turned_into(I, W, I[N.Y_DDOT], I[N.Y_DDOT])
    for k in range(I[N.N_CROSS]):
        scale, own = F[I[N.CROSS_SCALES] + k], w + 3 * k
        cross_into(W, at_d + 6 * k, at_d + 6 * k + 3, W, I[N.Y] + own)
        cross_into(W, rate_d + 6 * k, rate_d + 6 * k + 3, W, I[N.BALANCE_Y] + own)
        for i in range(3):
            W[I[N.Y] + own + i] *= scale
            W[I[N.Y_DDOT] + own + i] += 2.0 * scale * W[I[N.BALANCE_Y] + own + i]


@kernel
def place_core_into(I, F, W, with_accelerations):
    """Coordinates and rates of the system in absolute coordinates, of the motion in W."""
    core, W_core = int_pointer(I[N.CORE_I]), float_pointer(I[N.CORE_W])
    W_core[core[L.T]] = W[I[L.T]]
    starts, columns, values, order = I[N.FRAME_STARTS], I[N.FRAME_COLUMNS], I[N.FRAME_VALUES], I[N.FRAME_ORDER]
    n = core[L.N_BODIES]
    place_into(I, starts, columns, F, values, order, n, W, I[N.Y], W_core, core[L.Q])
    rates_into(I, starts, columns, F, values, order, n, W, I[N.Y], I[N.Y_DOT], W_core, core[L.V])
    if with_accelerations:
        rates_into(I, starts, columns, F, values, order, n, W, I[N.Y], I[N.Y_DDOT], W_core, core[L.A])


@program
def negative_loads(I, F, W, arg):
    """BIAS of a system in absolute coordinates by its loads alone, without inertia."""
    call(I[L.AT_KINEMATICS], I, F, W, 0)
    if I[L.N_CHORDS] > 0:
        call(I[L.AT_CHORDS], I, F, W, 0)
    for k in range(I[L.N_V]):
        W[I[L.EFFORT] + k] = 0.0
    for b in range(I[L.N_BODIES] + 1):
        wrench = wrench_of(I, body_record(I, b))
        for i in range(6):
            W[wrench + i] = 0.0
    if I[L.N_EARLY_SENSORS] > 0:
        call(I[L.AT_SENSORS], I, F, W, 0)
    call(I[L.AT_LOADS], I, F, W, 0)
    call(I[L.AT_BACKWARD], I, F, W, I[L.BIAS])


@kernel
def add_loads_of_core(I, F, W):
    """Loads of the system in absolute coordinates to Q_y."""
    place_core_into(I, F, W, False)
    core, F_core, W_core = int_pointer(I[N.CORE_I]), float_pointer(I[N.CORE_F]), float_pointer(I[N.CORE_W])
    call(I[N.CORE_LOADS], core, F_core, W_core, 0)
    starts, columns, values, order = I[N.FRAME_STARTS], I[N.FRAME_COLUMNS], I[N.FRAME_VALUES], I[N.FRAME_ORDER]
    n = core[L.N_BODIES]
    add_forces(I, starts, columns, F, values, order, n, W, I[N.Y], W_core, core[L.BIAS], W, I[N.Q_Y])


@program
def outside(I, F, W, arg):
    """Applied forces and drives of the motion in W; arg = 1: the drives alone."""
    for i in range(I[N.N_EXTENDED]):
        W[I[N.Q_Y] + i] = F[I[N.CONSTANT_Q] + i]
    if I[N.N_DRIVES] > 0 and I[N.CORE_I] > 0:
        core, F_core, W_core = int_pointer(I[N.CORE_I]), float_pointer(I[N.CORE_F]), float_pointer(I[N.CORE_W])
        W_core[core[L.T]] = W[I[L.T]]
        for k in range(I[N.N_DRIVES]):
            call(core[L.AT_FUNCTION], core, F_core, W_core, I[I[N.DRIVE_STARTS] + k])
            for i in range(3):
                W[I[N.DRIVES] + 3 * k + i] = W_core[core[L.X_VALUE] + i]
    if I[N.CORE_LOADS] > 0 and arg == 0:
        add_loads_of_core(I, F, W)
    if I[N.AT_OUTSIDE] > 0:
        call(I[N.AT_OUTSIDE], I, F, W, arg)


@kernel
def add_entry(I, F, W, place, value):
    """Add to the stored entry of G that belongs to an entry of the table."""
    slot = I[I[N.G_SLOTS] + place]
    if slot >= 0:
        W[I[L.G] + slot] += F[I[N.G_FACTORS] + place] * value


@program
def rows(I, F, W, arg):
    """PHI, G and PHI_DOT; arg = 1: GAM too."""
    t, f, y, m = I[N.TABLE_I], I[N.TABLE_F], I[N.Y], I[L.N_ROWS]
    factors, cofactors = I[N.FACTORS], I[N.COFACTORS]
    factors_into(I, t, F, f, W, y, 0, W, factors)
    for e in range(I[L.N_G]):
        W[I[L.G] + e] = 0.0
    for k in range(m):
        W[I[L.PHI] + k] = -F[f + I[t + at.CONSTANT] + k]
    place = I[t + at.N_LINEAR]
    for k in range(place):
        value = F[f + I[t + at.LINEAR_VALUE] + k]
        W[I[L.PHI] + I[t + I[t + at.LINEAR_ROW] + k]] += value * W[y + I[t + I[t + at.LINEAR_COLUMN] + k]]
        add_entry(I, F, W, k, value)
    start, component, values = t + I[t + at.START], t + I[t + at.COMPONENT], f + I[t + at.VALUE]
    for p in range(I[t + at.N_PRODUCTS]):
        value = conjugates_into(I, t, F, f, p, W, factors, W, cofactors)
        weight, turned = weight_of(I, t, p, W, y)
        W[I[L.PHI] + I[t + I[t + at.ROW] + p]] += weight * value
        for k in range(I[t + I[t + at.FIRST] + p], I[t + I[t + at.FIRST] + p + 1]):
            for e in range(I[start + k], I[start + k + 1]):
                add_entry(I, F, W, place, weight * F[values + e] * W[cofactors + 3 * k + I[component + e]])
                place += 1
        if I[t + I[t + at.CODE] + p]:
            add_entry(I, F, W, place, turned * value)
            place += 1
    for s in range(I[t + at.N_SCALARS]):
        W[I[L.PHI] + I[t + I[t + at.SCALAR_ROW] + s]] -= scalar_term(I, t, F, f, s, W, y, 0)
        add_entry(I, F, W, place + s, -scalar_term(I, t, F, f, s, W, y, 1))
    for k in range(m):
        total = 0.0
        for e in range(I[I[L.G_STARTS] + k], I[I[L.G_STARTS] + k + 1]):
            total += W[I[L.G] + e] * W[I[L.V] + I[I[L.G_COLUMNS] + e]]
        W[I[L.PHI_DOT] + k] = total
    if arg == 1:
        factors_into(I, t, F, f, W, I[N.Y_DOT], 1, W, I[N.FACTOR_RATES])
        gamma_of(I, t, F, f, W, y, W, I[N.Y_DOT], W, factors, I[N.FACTOR_RATES], cofactors, W, I[L.GAM])
        for k in range(m):
            W[I[L.GAM] + k] *= F[I[N.ROW_FACTORS] + k]
    for k in range(m):
        W[I[L.PHI] + k] *= F[I[N.ROW_FACTORS] + k]
    for d in range(I[N.N_DRIVES]):
        k = I[I[N.DRIVE_ROWS] + d]
        factor, drive = F[I[N.ROW_FACTORS] + k], I[N.DRIVES] + 3 * d
        W[I[L.PHI] + k] -= factor * W[drive]
        W[I[L.PHI_DOT] + k] -= factor * W[drive + 1]
        if arg == 1:
            W[I[L.GAM] + k] -= factor * W[drive + 2]


@kernel
def unbalanced_into(I, F, W, out):
    """W[out..] = V^T (M_y y'' - Q_y) of the coordinates q."""
    y, force, accelerations = I[N.BALANCE_Y], I[N.Q_Y], I[N.Y_DDOT]
    for i in range(I[N.N_EXTENDED]):
        total = -W[force + i]
        for e in range(I[I[N.MASS_STARTS] + i], I[I[N.MASS_STARTS] + i + 1]):
            total += F[I[N.MASS_VALUES] + e] * W[accelerations + I[I[N.MASS_COLUMNS] + e]]
        W[y + i] = total
    for e in range(I[N.N_TURNED]):
        W[y + I[I[N.TURNED_COLUMNS] + e]] += W[I[N.TURNED] + e] * W[y + I[I[N.TURNED_ROWS] + e]]
    for i in range(I[L.N_V]):
        W[out + i] = F[I[N.FORCE_SIZES] + i] * W[y + I[I[N.MOVING] + i]]


@program
def residual(I, F, W, arg):
    """RES, and the rows with G."""
    call(I[L.AT_KINEMATICS], I, F, W, 1)
    call(I[L.AT_LOADS], I, F, W, 0)
    call(I[L.AT_ROWS], I, F, W, 0)
    unbalanced_into(I, F, W, I[L.RES])
    for k in range(I[L.N_ROWS]):
        lam = W[I[L.LAM] + k]
        for e in range(I[I[L.G_STARTS] + k], I[I[L.G_STARTS] + k + 1]):
            W[I[L.RES] + I[I[L.G_COLUMNS] + e]] += W[I[L.G] + e] * lam


@kernel
def mass_into(I, F, W):
    """Stored entries of M, after the rows."""
    M = I[L.M]
    for e in range(I[L.N_M]):
        W[M + e] = F[I[N.MASS_BASE] + e]
    for e in range(I[N.N_VARYING]):
        left, right = I[I[N.VARYING_LEFT] + e], I[I[N.VARYING_RIGHT] + e]
        value = F[I[N.VARYING_VALUES] + e]
        if left >= 0:
            value *= W[I[N.TURNED] + left]
        if right >= 0:
            value *= W[I[N.TURNED] + right]
        W[M + I[I[N.VARYING_SLOTS] + e]] += value
    for s in range(I[N.N_SOFT]):
        k, pair, weight = I[I[N.SOFT_ROWS] + s], I[I[N.SOFT_STARTS] + s], F[I[N.SOFT_WEIGHTS] + s]
        for a in range(I[I[L.G_STARTS] + k], I[I[L.G_STARTS] + k + 1]):
            for b in range(I[I[L.G_STARTS] + k], I[I[L.G_STARTS] + k + 1]):
                slot = I[I[N.SOFT_SLOTS] + pair]
                if slot >= 0:
                    W[M + slot] += weight * W[I[L.G] + a] * W[I[L.G] + b]
                pair += 1


@program
def system(I, F, W, arg):
    """M, BIAS and the rows; arg = 1, right after the residual of this state: M alone."""
    if arg == 0:
        call(I[L.AT_KINEMATICS], I, F, W, 0)
        call(I[L.AT_LOADS], I, F, W, 0)
        call(I[L.AT_ROWS], I, F, W, 1)
        unbalanced_into(I, F, W, I[L.BIAS])
        for s in range(I[N.N_SOFT]):
            k = I[I[N.SOFT_ROWS] + s]
            pull = F[I[N.SOFT_WEIGHTS] + s] * W[I[L.GAM] + k]
            for e in range(I[I[L.G_STARTS] + k], I[I[L.G_STARTS] + k + 1]):
                W[I[L.BIAS] + I[I[L.G_COLUMNS] + e]] += pull * W[I[L.G] + e]
    mass_into(I, F, W)


@program
def jacobian(I, F, W, arg):
    """The rows with G."""
    call(I[L.AT_KINEMATICS], I, F, W, 0)
    call(I[L.AT_LOADS], I, F, W, 1)
    call(I[L.AT_ROWS], I, F, W, 0)


@program
def compose(I, F, W, arg):
    """q = q_n + dq."""
    for i in range(I[L.N_V]):
        W[I[L.Q] + i] = W[I[L.QN] + i] + W[I[L.DQ] + i]


@program
def rates(I, F, W, arg):
    """q' = v, q'' = a."""
    for i in range(I[L.N_V]):
        W[I[L.Q_DOT] + i] = W[I[L.V] + i]
        W[I[L.Q_DDOT] + i] = W[I[L.A] + i]


@program
def velocities(I, F, W, arg):
    """v = q', a = q''."""
    for i in range(I[L.N_V]):
        W[I[L.V] + i] = W[I[L.Q_DOT] + i]
        W[I[L.A] + i] = W[I[L.Q_DDOT] + i]


@program
def place_in_core(I, F, W, arg):
    """Coordinates and rates of the system in absolute coordinates; arg = 1: accelerations too."""
    call(I[L.AT_KINEMATICS], I, F, W, arg)
    place_core_into(I, F, W, arg == 1)


@program
def accept(I, F, W, arg):
    """Let the system in absolute coordinates count turns."""
    if I[N.FRAME_STARTS] > 0:
        call(I[L.AT_BACKWARD], I, F, W, 0)
        core, F_core, W_core = int_pointer(I[N.CORE_I]), float_pointer(I[N.CORE_F]), float_pointer(I[N.CORE_W])
        call(core[L.AT_ACCEPT], core, F_core, W_core, 0)


@program
def powers(I, F, W, arg):
    """Powers of the system in absolute coordinates, where no multiplier is needed for them."""
    call(I[L.AT_BACKWARD], I, F, W, 0)
    core, F_core, W_core = int_pointer(I[N.CORE_I]), float_pointer(I[N.CORE_F]), float_pointer(I[N.CORE_W])
    call(core[L.AT_POWERS], core, F_core, W_core, 0)
    for k in range(I[L.N_POWERS]):
        W[I[L.POWER] + k] = W_core[core[L.POWER] + k]


@program
def output(I, F, W, arg):
    """Output row of a system without a core: time, q, v, a, lam."""
    out, n, m = I[L.OUT], I[L.N_V], I[L.N_ROWS]
    W[out] = W[I[L.T]]
    for i in range(n):
        W[out + 1 + i] = W[I[L.Q] + i]
        W[out + 1 + n + i] = W[I[L.V] + i]
        W[out + 1 + 2 * n + i] = W[I[L.A] + i]
    for k in range(m):
        W[out + 1 + 3 * n + k] = W[I[L.LAM] + k]


PROGRAMS = {
    L.AT_KINEMATICS: motion,
    L.AT_LOADS: outside,
    L.AT_ROWS: rows,
    L.AT_BACKWARD: place_in_core,
    L.AT_RESIDUAL: residual,
    L.AT_WHOLE_RESIDUAL: residual,
    L.AT_SYSTEM: system,
    L.AT_JACOBIAN: jacobian,
    L.AT_COMPOSE: compose,
    L.AT_RATES: rates,
    L.AT_VELOCITIES: velocities,
    L.AT_ACCEPT: accept,
    L.AT_POWERS: powers,
    L.AT_OUTPUT: output,
}
