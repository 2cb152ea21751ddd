"""Loops of the stress analysis: largest stress of every point over the rows of a run, and rainflow counts.

Amplitudes come in blocks of `BLOCK` rows, so that the innermost loops have a fixed length. Principal stresses are
computed only where they can be a new extreme: with the mean p and the stress of von Mises v,

    p + v/3 <= sigma_1 <= p + 2 v/3,    p - 2 v/3 <= sigma_3 <= p - v/3.
"""

from __future__ import annotations

import math

import numpy as np

from flexmb.machine_code.jit import array_kernel, kernel
from flexmb.machine_code.signatures import f8, i8, void

BLOCK = 32
"""Rows of a block"""
REACH = 2.0 / 3.0 * (1.0 + 1e-12)
"""Most that a principal stress is away from the mean, as a part of the stress of von Mises, with room for rounding"""


@kernel
def extreme_principals(xx, yy, zz, xy, yz, zx):  # type: ignore[no-untyped-def]
    """Largest and smallest principal stress.

    With J2 and J3 of the deviator: p + 2 sqrt(J2/3) cos(theta), cos(3 theta) = J3/2 (3/J2)^(3/2), and theta + 2 pi/3.
    """
    p = (xx + yy + zz) / 3.0
    a, b, c = xx - p, yy - p, zz - p
    J2 = 0.5 * (a * a + b * b + c * c) + xy * xy + yz * yz + zx * zx
    if not J2 > 0.0:
        return p, p
    J3 = a * (b * c - yz * yz) - xy * (xy * c - yz * zx) + zx * (xy * yz - b * zx)
    radius = math.sqrt(J2 / 3.0)
    angle = math.acos(min(1.0, max(-1.0, J3 / (2.0 * radius * radius * radius)))) / 3.0
    return p + 2.0 * radius * math.cos(angle), p + 2.0 * radius * math.cos(angle + 2.0 * math.pi / 3.0)


@array_kernel(void(i8, i8, f8[:, :, ::1], f8[:, :, ::1], i8, i8, f8[:, ::1], i8[:, ::1]))
def envelope_rows(begin, end, shapes, amplitudes, n_rows, first, extremes, rows):  # type: ignore[no-untyped-def]
    """Update extremes and rows (s, 3) of the points begin .. end: von Mises, largest and smallest principal stress.

    shapes (s, n, 6); amplitudes (blocks, n, BLOCK) of `n_rows` rows; the first is row `first` of the run
    """
    n = shapes.shape[1]
    stress, v, above, below = np.empty((6, BLOCK)), np.empty(BLOCK), np.empty(BLOCK), np.empty(BLOCK)
    for point in range(begin, end):
        largest, highest, lowest = extremes[point, 0], extremes[point, 1], extremes[point, 2]
        for block in range(amplitudes.shape[0]):
            for c in range(6):
                for r in range(BLOCK):
                    stress[c, r] = 0.0
                k = 0
                while k + 4 <= n:  # four at a time: sums are then read and written a quarter as often
                    s0, s1 = shapes[point, k, c], shapes[point, k + 1, c]
                    s2, s3 = shapes[point, k + 2, c], shapes[point, k + 3, c]
                    for r in range(BLOCK):
                        stress[c, r] += (s0 * amplitudes[block, k, r] + s1 * amplitudes[block, k + 1, r]) + (
                            s2 * amplitudes[block, k + 2, r] + s3 * amplitudes[block, k + 3, r]
                        )
                    k += 4
                while k < n:
                    s0 = shapes[point, k, c]
                    for r in range(BLOCK):
                        stress[c, r] += s0 * amplitudes[block, k, r]
                    k += 1
            for r in range(BLOCK):
                xx, yy, zz = stress[0, r], stress[1, r], stress[2, r]
                normal = 0.5 * ((xx - yy) * (xx - yy) + (yy - zz) * (yy - zz) + (zz - xx) * (zz - xx))
                shear = stress[3, r] * stress[3, r] + stress[4, r] * stress[4, r] + stress[5, r] * stress[5, r]
                mises, mean = math.sqrt(normal + 3.0 * shear), (xx + yy + zz) / 3.0
                above[r], below[r], v[r] = mean + REACH * mises, mean - REACH * mises, mises
            for r in range(min(BLOCK, n_rows - block * BLOCK)):
                row = first + block * BLOCK + r
                if v[r] > largest:
                    largest = v[r]
                    rows[point, 0] = row
                if above[r] > highest or below[r] < lowest:
                    high, low = extreme_principals(
                        stress[0, r], stress[1, r], stress[2, r], stress[3, r], stress[4, r], stress[5, r]
                    )
                    if high > highest:
                        highest = high
                        rows[point, 1] = row
                    if low < lowest:
                        lowest = low
                        rows[point, 2] = row
        extremes[point, 0], extremes[point, 1], extremes[point, 2] = largest, highest, lowest


@array_kernel(void(f8[:, ::1], f8[:, ::1]))
def principals_into(stress, principals):  # type: ignore[no-untyped-def]
    """Largest and smallest principal stress (r, 2) of stresses (r, 6)."""
    for r in range(stress.shape[0]):
        principals[r, 0], principals[r, 1] = extreme_principals(
            stress[r, 0], stress[r, 1], stress[r, 2], stress[r, 3], stress[r, 4], stress[r, 5]
        )


@array_kernel(i8(f8[::1], i8, f8[::1], f8[:, ::1]))
def count_cycles(reversals, repeating, stack, cycles):  # type: ignore[no-untyped-def]
    """Number of rainflow cycles of a sequence of reversals; cycles (n, 3): range, mean, count 1 or 1/2.

    [ASTM E1049-85, 5.4.4]; repeating: [5.4.5], the sequence begins and ends at its largest peak. stack (n,) is scratch.
    """
    size, found = 0, 0
    for number in range(reversals.size):
        stack[size] = reversals[number]
        size += 1
        while size >= 3:
            last = abs(stack[size - 1] - stack[size - 2])
            before = abs(stack[size - 2] - stack[size - 3])
            if last < before:
                break
            is_half = size == 3 and not repeating
            cycles[found, 0] = before
            cycles[found, 1] = 0.5 * (stack[size - 2] + stack[size - 3])
            cycles[found, 2] = 0.5 if is_half else 1.0
            found += 1
            if is_half:
                stack[0], stack[1] = stack[1], stack[2]
                size = 2
            else:
                stack[size - 3] = stack[size - 1]
                size -= 2
    for number in range(size - 1):
        cycles[found, 0] = abs(stack[number + 1] - stack[number])
        cycles[found, 1] = 0.5 * (stack[number + 1] + stack[number])
        cycles[found, 2] = 0.5
        found += 1
    return found
