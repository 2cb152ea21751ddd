"""Markers on an exact beam: pose, rates, biases and mode columns (theory 5 for the field of `beam_nodes`)."""

from __future__ import annotations

import math

from flexmb.equations.fields.beam_nodes import root_of, root_rates, shapes_at, sum_over
from flexmb.jit import kernel, program
from flexmb.layout import flat_arrays as L
from flexmb.vectors import add, cross, load3, load9, multiply, rotate, scale, store3, store9


@kernel
def _section_frame(s, b, c, theta):
    """Smallest rotation e1 -> (s, b, c), then a turn theta about the first axis."""
    d = 1.0 / (1.0 + s)
    cos = math.cos(theta)
    sin = math.sin(theta)
    y = (-b, 1.0 - b * b * d, -b * c * d)
    z = (-c, -b * c * d, 1.0 - c * c * d)
    e2 = add(scale(cos, y), scale(sin, z))
    e3 = add(scale(cos, z), scale(-sin, y))
    return (s, e2[0], e3[0], b, e2[1], e3[1], c, e2[2], e3[2])


@program
def beam_arm(I, F, W, arg):
    """Position, orientation, rates, biases and columns of marker `arg` relative to its body. Needs the nodes."""
    record = I[L.MARKERS] + arg * L.MARKER
    e = I[L.BODIES] + I[record + L.MK_BODY] * L.BODY
    field = I[e + L.B_FIELD]
    marker = I[record + L.MK_F]
    out = I[record + L.MK_W]
    columns = out + L.S_COLUMNS
    ny = I[field + L.FD_NY]
    nz = I[field + L.FD_NZ]
    nu = I[field + L.FD_NU]
    nt = I[field + L.FD_NT]
    n = ny + nz + nu + nt
    q = I[L.Q] + I[e + L.B_ELASTIC_Q]
    v = I[L.V] + I[e + L.B_V] + I[e + L.B_NJ]
    count = I[field + L.FD_N]
    weights = marker + L.MX_WEIGHTS
    value = weights + count
    slope = value + n
    turn = slope + ny + nz
    # The section here: turns and their rates.
    b = sum_over(F, W, turn, q, 0, ny)
    c = sum_over(F, W, turn, q, ny, nz)
    b1 = sum_over(F, W, turn, v, 0, ny)
    c1 = sum_over(F, W, turn, v, ny, nz)
    s, _ = root_of(b, c)
    s1, s2 = root_rates(b, c, s, b1, c1)
    d = 1.0 / (1.0 + s)
    theta = sum_over(F, W, value, q, ny + nz + nu, nt)
    theta1 = sum_over(F, W, value, v, ny + nz + nu, nt)
    theta2 = 0.0
    x = F[marker + L.MX_X] + sum_over(F, W, value, q, ny + nz, nu)
    x1 = sum_over(F, W, value, v, ny + nz, nu)
    x2 = 0.0
    for k in range(n):
        for i in range(6):
            W[columns + 6 * k + i] = 0.0
    # What has gathered along the beam: shortening of the centre line and twist of its frame.
    _, _, slopes, turns, bends = shapes_at(I, field)
    w_at = I[field + L.FD_W]
    push = I[L.X_FIELD]  # what a unit of every bending shape does at a station, times its weight
    inside = F[weights] != 0.0 or F[weights + count - 1] != 0.0  # at the reference end nothing has gathered
    for p in range(count if inside else 0):
        weight = F[weights + p]
        x += weight * W[w_at + L.ND_DS * count + p]
        x1 += weight * W[w_at + L.ND_S1 * count + p]
        x2 += weight * W[w_at + L.ND_S2 * count + p]
        pull = -weight / W[w_at + L.ND_S * count + p]
        W[push + p] = pull * W[w_at + L.ND_B * count + p]
        W[push + count + p] = pull * W[w_at + L.ND_C * count + p]
    for k in range(ny + nz if inside else 0):
        by = push if k < ny else push + count
        short = 0.0
        for p in range(count):
            short += F[slopes + k * count + p] * W[by + p]
        W[columns + 6 * k] = short
    if inside and ny > 0 and nz > 0:
        for p in range(count):
            weight = F[weights + p]
            theta -= weight * W[w_at + L.ND_TAU * count + p]
            theta1 -= weight * W[w_at + L.ND_TAU1 * count + p]
            theta2 -= weight * W[w_at + L.ND_TAU2 * count + p]
            nb = W[w_at + L.ND_BETA * count + p]
            nc = W[w_at + L.ND_GAMMA * count + p]
            ns, _ = root_of(nb, nc)
            part = -weight / (1.0 + ns)
            tau = W[w_at + L.ND_TAU * count + p] / ns
            W[push + p] = part * (nb * tau - W[w_at + L.ND_BEND_Z * count + p])
            W[push + count + p] = part * (nc * tau + W[w_at + L.ND_BEND_Y * count + p])
            W[push + 2 * count + p] = part * nc
            W[push + 3 * count + p] = -part * nb
        for k in range(ny + nz):
            by = push if k < ny else push + count
            around = 0.0
            for p in range(count):
                around += F[turns + k * count + p] * W[by + p]
                around += F[bends + k * count + p] * W[by + 2 * count + p]
            W[columns + 6 * k + 3] = around
    # Angular velocity n x n' + n (theta' + (c b' - b c')/(1 + s)), here with time derivatives.
    normal = (s, b, c)
    normal1 = (s1, b1, c1)
    swing = (c * b1 - b * c1) * d
    spin = theta1 + swing
    w = add(cross(normal, normal1), scale(spin, normal))
    spin2 = theta2 - swing * s1 * d
    bias_w = add(add(cross(normal, (s2, 0.0, 0.0)), scale(spin, normal1)), scale(spin2, normal))
    R = _section_frame(s, b, c, theta)
    offset = rotate(R, load3(F, marker + L.MX_OFFSET))
    for k in range(n):
        o = columns + 6 * k
        around = W[o + 3]
        om = scale(around, normal)
        if k < ny:
            W[o + 1] = F[value + k]
            t = F[turn + k]
            om = add(cross(normal, (-b * t / s, t, 0.0)), scale(around + c * t * d, normal))
        elif k < ny + nz:
            W[o + 2] = F[value + k]
            t = F[turn + k]
            om = add(cross(normal, (-c * t / s, 0.0, t)), scale(around - b * t * d, normal))
        elif k < ny + nz + nu:
            W[o] = F[value + k]
        else:
            om = scale(F[value + k], normal)
        store3(W, o + 3, om)
        store3(W, o, add(load3(W, o), cross(om, offset)))
    y = sum_over(F, W, value, q, 0, ny)
    z = sum_over(F, W, value, q, ny, nz)
    y1 = sum_over(F, W, value, v, 0, ny)
    z1 = sum_over(F, W, value, v, ny, nz)
    store3(W, out + L.S_BODY, add((x, y, z), offset))
    store9(W, out + L.S_ARM_R, multiply(R, load9(F, marker + 3)))
    store3(W, out + L.S_ARM_V, add((x1, y1, z1), cross(w, offset)))
    store3(W, out + L.S_ARM_W, w)
    store3(W, out + L.S_ARM_BIAS_R, add((x2, 0.0, 0.0), add(cross(bias_w, offset), cross(w, cross(w, offset)))))
    store3(W, out + L.S_ARM_BIAS_W, bias_w)
