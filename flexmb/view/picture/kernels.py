"""Rasterisation of triangles and lines with a depth buffer: the loops of flexmb's own renderer.

`screen` holds pixels from the left, pixels from the top, and 1 / distance, which is linear over the picture of a plane;
the depth buffer holds the largest 1 / distance so far. Normals are in the axes of the camera: right, up, to the eye.
"""

from __future__ import annotations

import numpy as np

from flexmb.machine_code.jit import array_kernel, kernel
from flexmb.machine_code.signatures import f4, f8, i8, u1, void


@kernel
def _narrowed(start, stop, first, step):
    """The pixels from start to stop at which first + step x is not below 0, and one more at either end for rounding."""
    if step > 0.0:
        return max(start, int(np.floor(-first / step))), stop
    if step < 0.0:
        return start, min(stop, int(np.ceil(-first / step)))
    return (start, stop) if first >= 0.0 else (start, start - 1)


@kernel
def _brightness(nx, ny, nz, light):
    """Factor and offset of the colour; both sides of a surface look the same."""
    size = np.sqrt(nx * nx + ny * ny + nz * nz) + 1e-12
    if nz < 0.0:
        size = -size
    lit = max((nx * light[0] + ny * light[1] + nz * light[2]) / size, 0.0)
    shine = max((nx * light[3] + ny * light[4] + nz * light[5]) / size, 0.0)
    for _ in range(3):
        shine = shine * shine
    return light[6] + light[7] * lit, 255.0 * light[8] * shine * shine * shine


@array_kernel(void(f4[:, ::1], i8[:, ::1], f4[:, ::1], f4[::1], f4[:, ::1], f4[::1], f8, f8, f4[:, ::1], u1[:, :, ::1]))
def draw_triangles(screen, triangles, normals, values, table, light, opacity, push, depth, image):
    """Draw shaded triangles; the colour is that of the table, brighter where the surface faces the light.

    values : (v,) where along `table` (n, 3) the colour is
    light : (10,) direction to the light, half-way direction, ambient, diffuse, specular, 1 if back sides are left out
    opacity, push : below 1 the picture behind is seen and the depth stays; 1 / distance is made smaller by `push`
    """
    height, width = depth.shape
    last = table.shape[0] - 1
    for t in range(triangles.shape[0]):
        a, b, c = triangles[t, 0], triangles[t, 1], triangles[t, 2]
        ax, ay, az = screen[a, 0], screen[a, 1], screen[a, 2]
        bx, by, bz = screen[b, 0], screen[b, 1], screen[b, 2]
        cx, cy, cz = screen[c, 0], screen[c, 1], screen[c, 2]
        if az <= 0.0 or bz <= 0.0 or cz <= 0.0:
            continue
        area = (bx - ax) * (cy - ay) - (by - ay) * (cx - ax)
        if area == 0.0 or (light[9] > 0.5 and area > 0.0):
            continue
        top = max(int(np.ceil(min(ay, by, cy) - 0.5)), 0)
        bottom = min(int(np.floor(max(ay, by, cy) - 0.5)), height - 1)
        left = max(int(np.ceil(min(ax, bx, cx) - 0.5)), 0)
        right = min(int(np.floor(max(ax, bx, cx) - 0.5)), width - 1)
        inverse = 1.0 / area
        step_b, step_c = (cy - ay) * inverse, (ay - by) * inverse
        for y in range(top, bottom + 1):
            py = y + 0.5
            # Weights of the corners b and c in the middle of the first pixel of the row.
            first_b = ((0.5 - ax) * (cy - ay) - (py - ay) * (cx - ax)) * inverse
            first_c = ((bx - ax) * (py - ay) - (by - ay) * (0.5 - ax)) * inverse
            start, stop = _narrowed(left, right, first_b, step_b)
            start, stop = _narrowed(start, stop, first_c, step_c)
            start, stop = _narrowed(start, stop, 1.0 - first_b - first_c, -step_b - step_c)
            for x in range(start, stop + 1):
                wb, wc = first_b + x * step_b, first_c + x * step_c
                wa = 1.0 - wb - wc
                if wa < 0.0 or wb < 0.0 or wc < 0.0:
                    continue
                near = (wa * az + wb * bz + wc * cz) * (1.0 - push)
                if near <= depth[y, x]:
                    continue
                nx = wa * normals[a, 0] + wb * normals[b, 0] + wc * normals[c, 0]
                ny = wa * normals[a, 1] + wb * normals[b, 1] + wc * normals[c, 1]
                nz = wa * normals[a, 2] + wb * normals[b, 2] + wc * normals[c, 2]
                shade, glow = _brightness(nx, ny, nz, light)
                place = wa * values[a] + wb * values[b] + wc * values[c]
                row = int(min(max(place, 0.0), 1.0) * last + 0.5)
                if opacity >= 1.0:
                    depth[y, x] = near
                for k in range(3):
                    color = min(table[row, k] * shade + glow, 255.0)
                    image[y, x, k] = np.uint8(image[y, x, k] + opacity * (color - image[y, x, k]) + 0.5)


@array_kernel(void(f4[:, ::1], i8[:, ::1], f4[::1], f4[::1], i8, f8, f4[:, ::1], u1[:, :, ::1]))
def draw_lines(screen, lines, strength, color, thickness, lift, depth, image):
    """Draw lines where they are not hidden; the depth buffer is unchanged.

    strength : (n,) opacity of every line
    thickness, lift : pixels; 1 / distance is made larger by `lift`, so that an edge lies before its own surface
    """
    height, width = depth.shape
    for n in range(lines.shape[0]):
        a, b = lines[n, 0], lines[n, 1]
        if screen[a, 2] <= 0.0 or screen[b, 2] <= 0.0:
            continue
        dx, dy = screen[b, 0] - screen[a, 0], screen[b, 1] - screen[a, 1]
        is_flat = abs(dx) >= abs(dy)
        run = dx if is_flat else dy
        if abs(run) < 1e-6:
            continue
        if run < 0.0:
            a, b = b, a
        # Along the longer direction u, each pixel once; v is across.
        u_0 = screen[a, 0] if is_flat else screen[a, 1]
        u_1 = screen[b, 0] if is_flat else screen[b, 1]
        v_0 = screen[a, 1] if is_flat else screen[a, 0]
        v_1 = screen[b, 1] if is_flat else screen[b, 0]
        n_u, n_v = (width, height) if is_flat else (height, width)
        for u in range(max(int(np.ceil(u_0 - 0.5)), 0), min(int(np.ceil(u_1 - 0.5)), n_u)):
            part = (u + 0.5 - u_0) / (u_1 - u_0)
            near = (screen[a, 2] + part * (screen[b, 2] - screen[a, 2])) * (1.0 + lift)
            first = int(np.floor(v_0 + part * (v_1 - v_0) - 0.5 * thickness + 0.5))
            for v in range(max(first, 0), min(first + thickness, n_v)):
                y, x = (v, u) if is_flat else (u, v)
                if near > depth[y, x]:
                    for k in range(3):
                        value = image[y, x, k] + strength[n] * (color[k] - image[y, x, k])
                        image[y, x, k] = np.uint8(value + 0.5)


@array_kernel(void(u1[:, :, ::1], i8, i8, i8, i8, u1[:, :, ::1]))
def halve(image, top, bottom, left, right, out):
    """Average two by two pixels, for the rows and columns of `out` from top to bottom and from left to right."""
    for y in range(top, bottom):
        for x in range(left, right):
            for k in range(3):
                total = np.int32(image[2 * y, 2 * x, k]) + image[2 * y, 2 * x + 1, k]
                total += np.int32(image[2 * y + 1, 2 * x, k]) + image[2 * y + 1, 2 * x + 1, k]
                out[y, x, k] = (total + 2) >> 2
