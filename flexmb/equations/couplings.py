"""Rows of couplings (theory 8): sums of joint coordinates, and the teeth of two wheels.

    sum of a_i q_i - c = 0              the effort on coordinate i is -a_i lam

Teeth that mesh act along their line of action, so that the bearings feel them. Their row is that of two involutes, with
beta the angle of the line of centres and chi that of the second wheel, both seen from the first, a the distance of the
axes, and h the height of the second wheel over the first at the pitch point:

    -r_A beta + r_B (chi - beta) -+ S (w(a) - w_0) + tan(helix) (h - h_0) = 0
    w(a) = s - b acos(b / a),   s^2 = a^2 - b^2,   b the sum of the base radii

With rigid bearings a and h stay, and the row is a sum of joint coordinates; lam is the tangential force. The sign is
that of the flank in contact. Of a rack r_A = 0, and the way along it takes the place of the angle of the centres.
"""

from __future__ import annotations

import math

from flexmb.equations.chords import TWO_PI, relative_motion_into
from flexmb.equations.constraints import JACOBIAN, JACOBIAN_AGAIN, MULTIPLIERS, keep_row, pull_back, turning
from flexmb.equations.markers import apply_wrench, state_of
from flexmb.layout import flat_arrays as L
from flexmb.layout.access import R_wm_at, chord_record, coordinate_wrench_at, p_wm_at, row_record, state_of_marker
from flexmb.machine_code.jit import kernel, program
from flexmb.vectors import (
    add,
    column,
    cross,
    load3,
    load9,
    load_pair,
    multiply,
    rotate,
    rotate_back,
    scale,
    store3,
    store_pair,
    sub,
)

NEAREST = 1.0001
"""Least distance of the axes, in sums of the base radii, at which the involutes count."""


@kernel
def _clear_row(I, W, k, target):
    """Set the entries of W[target..] that row k can have to zero."""
    if I[L.SPARSE] == 1:
        for entry in range(I[I[L.G_STARTS] + k], I[I[L.G_STARTS] + k + 1]):
            W[target + I[I[L.G_COLUMNS] + entry]] = 0.0
    else:
        for j in range(I[L.N_V]):
            W[target + j] = 0.0


@kernel
def _on_chord(I, F, W, term, factor, purpose, target):
    """Jacobian of a coordinate of a chord times a factor, added to W[target..]; or the factor applied as an effort."""
    chord = chord_record(I, I[term + L.CC_CHORD])
    first = I[chord + L.K_FIRST]
    second = I[chord + L.K_SECOND]
    a = state_of_marker(I, first)
    b = state_of_marker(I, second)
    if purpose != JACOBIAN_AGAIN:
        state_of(I, F, W, first, purpose == MULTIPLIERS)
        state_of(I, F, W, second, purpose == MULTIPLIERS)
    force, moment = load_pair(W, coordinate_wrench_at(I[chord + L.CH_W], I[term + L.CC_INDEX]))
    force = scale(factor, force)
    moment = scale(factor, moment)
    against = scale(-1.0, force)
    back = scale(-1.0, add(moment, cross(sub(p_wm_at(W, b), p_wm_at(W, a)), force)))
    if purpose == MULTIPLIERS:
        apply_wrench(I, W, second, force, moment)
        apply_wrench(I, W, first, against, back)
    else:
        pull_back(I, W, second, force, moment, target)
        pull_back(I, W, first, against, back, target)


@program
def coupling(I, F, W, arg):
    """Row arg // 4 for the purpose arg % 4 of `rows`. Needs the chords of its coordinates."""
    k = arg // 4
    purpose = arg % 4
    row = row_record(I, k)
    numbers = I[row + L.R_F]
    n = I[row + L.R_N_TERMS]
    value = -F[numbers]
    first = 0.0
    second = 0.0
    for i in range(n):
        term = I[row + L.R_TERMS] + i * L.COUPLED
        factor = F[numbers + 1 + i]
        value += factor * W[I[term + L.CC_Q]]
        first += factor * W[I[term + L.CC_V]]
        if I[term + L.CC_TREE] == 0 or purpose == MULTIPLIERS:
            second += factor * W[I[term + L.CC_A]]
    W[I[L.PHI_ALL] + k] = value
    W[I[L.PHI_DOT_ALL] + k] = first
    W[I[L.GAM_ALL] + k] = second
    wants_jacobian = purpose == JACOBIAN or purpose == JACOBIAN_AGAIN
    if not wants_jacobian and purpose != MULTIPLIERS:
        return
    if wants_jacobian and I[row + L.R_WATCHED] == 1:
        return
    target = I[L.X_ROW] if I[L.SPARSE] == 1 else I[L.G_ALL] + k * I[L.N_V]
    if wants_jacobian:
        _clear_row(I, W, k, target)
    for i in range(n):
        term = I[row + L.R_TERMS] + i * L.COUPLED
        factor = F[numbers + 1 + i]
        if purpose == MULTIPLIERS:
            factor *= -W[I[L.LAM_ALL] + k]
        if I[term + L.CC_TREE] == 0:
            _on_chord(I, F, W, term, factor, purpose, target)
        elif purpose == MULTIPLIERS:
            W[I[L.EFFORT] + I[term + L.CC_INDEX]] += factor
        else:
            W[target + I[term + L.CC_INDEX]] += factor
    if wants_jacobian and I[L.SPARSE] == 1:
        keep_row(I, W, k, target)


@kernel
def _polar(x, y):
    """Length and angle of a vector in the plane; numbers are (value, rate, second derivative)."""
    r = math.sqrt(x[0] * x[0] + y[0] * y[0])
    r1 = (x[0] * x[1] + y[0] * y[1]) / r
    r2 = (x[1] * x[1] + y[1] * y[1] + x[0] * x[2] + y[0] * y[2] - r1 * r1) / r
    angle1 = (x[0] * y[1] - y[0] * x[1]) / (r * r)
    angle2 = (x[0] * y[2] - y[0] * x[2]) / (r * r) - 2.0 * r1 * angle1 / r
    return (r, r1, r2), (math.atan2(y[0], x[0]), angle1, angle2)


@kernel
def _times(x, y):
    """Product of two numbers with their derivatives."""
    return x[0] * y[0], x[1] * y[0] + x[0] * y[1], x[2] * y[0] + 2.0 * x[1] * y[1] + x[0] * y[2]


@kernel
def _ratio(x, y):
    """Quotient of two numbers with their derivatives."""
    value = x[0] / y[0]
    first = (x[1] - value * y[1]) / y[0]
    return value, first, (x[2] - 2.0 * first * y[1] - value * y[2]) / y[0]


@kernel
def _near(angle, turns):
    """The same angle, with the turns that bring it nearest to another."""
    return (angle[0] + TWO_PI * round((turns - angle[0]) / TWO_PI), angle[1], angle[2])


@kernel
def _components(C, value, first, second):
    """Components of a vector and its derivatives along the axes in the columns of C, each with its derivatives."""
    v, f, s = rotate_back(C, value), rotate_back(C, first), rotate_back(C, second)
    return (v[0], f[0], s[0]), (v[1], f[1], s[1]), (v[2], f[2], s[2])


@kernel
def _expected_angles(I, F, W, row, teeth):
    """Angles of the line of centres and of the second wheel by the joint coordinates, with all their turns."""
    beta = 0.0
    chi = 0.0
    for i in range(I[row + L.R_N_TERMS]):
        q = W[I[I[row + L.R_TERMS] + i * L.COUPLED + L.CC_Q]]
        beta += F[teeth + L.TEETH + 2 * i] * q
        chi += F[teeth + L.TEETH + 2 * i + 1] * q
    return beta, chi


@kernel
def _slant_of_wheels(F, teeth, flank, a, dx, dy):
    """Part of the row of wheels that changes with the distance of their axes, and its gradient.

    Nearer than the base circles allow, which no running mechanism reaches, the way goes on along its tangent.
    """
    base = F[teeth + L.TH_BASE]
    factor = -flank * F[teeth + L.TH_SLANT]
    reached = max(a[0], NEAREST * base)
    s = math.sqrt(reached * reached - base * base)
    slope = s / reached
    way = s - base * math.acos(base / reached) + slope * (a[0] - reached) - F[teeth + L.TH_WAY]
    second = slope * a[2]
    if a[0] > NEAREST * base:
        second += base * base / (reached * reached * s) * a[1] * a[1]
    push = factor * slope / a[0]
    return (factor * way, factor * slope * a[1], factor * second), (push * dx, push * dy)


@program
def teeth(I, F, W, row):
    """Value and rates of the row of two wheels, to X_VALUE, and its wrench. Needs the states of the two markers, and
    the chords of the joints that count its turns."""
    a = state_of_marker(I, I[row + L.R_A])
    b = state_of_marker(I, I[row + L.R_B])
    x = I[L.X_CHORD]
    th = I[row + L.R_F]
    R_ab, p_ab = relative_motion_into(W, a, b, x)
    omega = load3(W, x)
    alpha = load3(W, x + 6)
    A = load9(F, th + L.TH_A)
    along = multiply(R_ab, load9(F, th + L.TH_B))
    e = column(along, 0)
    n = column(along, 2)
    e1, e2 = turning(e, omega, alpha)
    n1, n2 = turning(n, omega, alpha)
    dx, dy, dz = _components(A, p_ab, load3(W, x + 3), load3(W, x + 9))
    ex, ey, ez = _components(A, e, e1, e2)
    nx, ny, nz = _components(A, n, n1, n2)
    flank = W[I[row + L.R_FLANK]]
    r_b = F[th + L.TH_R_B]
    beta_near, chi_near = _expected_angles(I, F, W, row, th)
    length, angle = _polar(ex, ey)
    chi = _near(angle, chi_near)
    helix = F[th + L.TH_HELIX]
    if F[th + L.TH_RACK] == 1.0:
        slant = flank * F[th + L.TH_SLANT]
        value = r_b * chi[0] - (dx[0] - F[th + L.TH_SLIDE]) + slant * (dy[0] - F[th + L.TH_WAY])
        first = r_b * chi[1] - dx[1] + slant * dy[1]
        second = r_b * chi[2] - dx[2] + slant * dy[2]
        force = (-1.0, slant, 0.0)
        helix = -helix
        arm_x = (0.0, 0.0, 0.0)
        arm_y = (-r_b, 0.0, 0.0)
        part = 0.0
    else:
        r_a = F[th + L.TH_R_A]
        distance, angle = _polar(dx, dy)
        beta = _near(angle, beta_near)
        total = r_a + r_b
        value = r_b * chi[0] - total * beta[0]
        first = r_b * chi[1] - total * beta[1]
        second = r_b * chi[2] - total * beta[2]
        push = total / (distance[0] * distance[0])
        force = (push * dy[0], -push * dx[0], 0.0)
        if F[th + L.TH_SLANT] != 0.0:
            slant, gradient = _slant_of_wheels(F, th, flank, distance, dx[0], dy[0])
            value += slant[0]
            first += slant[1]
            second += slant[2]
            force = (force[0] + gradient[0], force[1] + gradient[1], 0.0)
        part = r_b / total
        arm_x = (part * dx[0], part * dx[1], part * dx[2])
        arm_y = (part * dy[0], part * dy[1], part * dy[2])
    square = length[0] * length[0]
    moment = scale(r_b, cross((ex[0], ey[0], ez[0]), (-ey[0] / square, ex[0] / square, 0.0)))
    if helix != 0.0:
        reach_x = _times(arm_x, nx)
        reach_y = _times(arm_y, ny)
        height = _ratio((reach_x[0] + reach_y[0], reach_x[1] + reach_y[1], reach_x[2] + reach_y[2]), nz)
        value += helix * (dz[0] + height[0] - F[th + L.TH_HEIGHT])
        first += helix * (dz[1] + height[1])
        second += helix * (dz[2] + height[2])
        force = add(force, scale(helix, (part * nx[0] / nz[0], part * ny[0] / nz[0], 1.0)))
        tilt = (arm_x[0] / nz[0], arm_y[0] / nz[0], -height[0] / nz[0])
        moment = add(moment, scale(helix, cross((nx[0], ny[0], nz[0]), tilt)))
    store3(W, I[L.X_VALUE], (value, first, second))
    axes = multiply(R_wm_at(W, a), A)
    store_pair(W, I[row + L.R_W], rotate(axes, force), rotate(axes, moment))


@program
def flanks(I, F, W, arg):
    """Choose the flanks that the multipliers of all rows press; X_VALUE: 1 when any changes."""
    changed = 0.0
    for k in range(I[L.N_ALL_ROWS]):
        row = row_record(I, k)
        if I[row + L.R_KIND] == L.ROW_TEETH and W[I[L.LAM_ALL] + k] * W[I[row + L.R_FLANK]] < 0.0:
            W[I[row + L.R_FLANK]] *= -1.0
            changed = 1.0
    W[I[L.X_VALUE]] = changed
