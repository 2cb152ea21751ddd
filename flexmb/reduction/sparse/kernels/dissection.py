"""Nested dissection by coordinates (first cut)."""

from __future__ import annotations

import numpy as np

from flexmb.jit import array_kernel


@array_kernel
def dissect(starts, neighbours, points):
    n = starts.size - 1
    perm = np.arange(n)
    region = np.zeros(n, np.int64)
    side = np.zeros(n, np.int8)
    tmp = np.empty(n, np.int64)
    stack = np.empty((4096, 2), np.int64)
    top = 0
    stack[0, 0] = 0
    stack[0, 1] = n
    rid = 0
    while top >= 0:
        lo = stack[top, 0]
        hi = stack[top, 1]
        top -= 1
        m = hi - lo
        if m <= 12:
            continue
        rid += 1
        low = points[perm[lo]].copy()
        high = low.copy()
        for q in range(lo, hi):
            v = perm[q]
            region[v] = rid
            for d in range(3):
                low[d] = min(low[d], points[v, d])
                high[d] = max(high[d], points[v, d])
        ax = np.argmax(high - low)
        pr = points[perm[lo:hi], ax]
        cut = np.sort(pr)[m // 2]
        for q in range(lo, hi):
            side[perm[q]] = 1 if points[perm[q], ax] >= cut else 0
        a = 0
        b = 0
        s = m
        for q in range(lo, hi):
            v = perm[q]
            if side[v] == 0:
                tmp[a] = v
                a += 1
        for q in range(lo, hi):
            v = perm[q]
            if side[v] == 1:
                on = False
                for p in range(starts[v], starts[v + 1]):
                    u = neighbours[p]
                    if region[u] == rid and side[u] == 0:
                        on = True
                        break
                if on:
                    s -= 1
                    tmp[s] = v
                else:
                    tmp[a + b] = v
                    b += 1
        perm[lo:hi] = tmp[:m]
        for q in range(lo + a + b, hi):
            region[perm[q]] = 0
        if a == 0 or b == 0:
            continue
        top += 1
        stack[top, 0] = lo
        stack[top, 1] = lo + a
        top += 1
        stack[top, 0] = lo + a
        stack[top, 1] = lo + a + b
    return perm
