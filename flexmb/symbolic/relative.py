"""Motion of one marker seen from another: the quantities in every constraint row between two markers.

In the axes of marker A, with d = R_A^T (p_B - p_A), Q = R_A^T R_B and the relative angular velocity W:

    d' = Q v_B - v_A - w_A x d,        d'' = Q a_B - a_A - alpha_A x d - 2 w_A x d' - w_A x (w_A x d)
    W  = Q w_B - w_A,   W' = Q alpha_B - alpha_A - w_A x W,      (Q e)' = W x (Q e)

v, w, a, alpha of every marker are in its own axes or in those of its body: the common motion of A and B drops out,
and no vector is turned into world axes and back.
"""

from __future__ import annotations

from flexmb.symbolic import jets
from flexmb.symbolic.engine import Matrix, Vector
from flexmb.symbolic.jets import VectorJet
from flexmb.symbolic.recursion import Frame, TreeMotion
from flexmb.symbolic.vectors import (
    add,
    apply,
    apply_transposed,
    column,
    cross,
    product,
    scale,
    sub,
    transpose,
    zero,
)


class LocalMotion:
    """A marker in the axes of its body; accelerations are those at constant rates."""

    def __init__(self, motion: TreeMotion, number: int):
        frame, arm = motion.frames[motion.mechanism.markers[number].body], motion.arm(number)
        self.frame: Frame = frame
        self.r, self.R = arm.r, arm.R
        first, tape = frame.modes.start, motion.tape
        self.velocities: dict[int, Vector] = {}
        self.turnings: dict[int, Vector] = {}
        for k, (velocity, turning) in frame.columns.items():
            velocity = add(velocity, cross(turning, arm.r))
            if k in frame.modes:
                velocity, turning = add(velocity, arm.psi[k - first]), add(turning, arm.omega[k - first])
            self.velocities[k], self.turnings[k] = tape.vector(velocity), turning
        self.w = tape.vector(add(frame.w, arm.w))
        self.alpha = tape.vector(add(frame.alpha, cross(frame.w, arm.w), arm.bias_w))
        self.v = tape.vector(add(frame.v, cross(frame.w, arm.r), arm.r_dot))
        a = add(frame.a, cross(frame.alpha, arm.r), arm.bias_r)
        a = add(a, cross(frame.w, add(cross(frame.w, arm.r), scale(2, arm.r_dot))))
        self.a = tape.vector(a)


class RelativeMotion:
    """Marker B seen from marker A, in axes of A."""

    def __init__(self, motion: TreeMotion, A: LocalMotion, B: LocalMotion):
        tape = motion.tape
        own = A.R

        def to_own(x: Vector) -> Vector:
            return apply_transposed(own, x)

        Q: Matrix = tape.matrix(product(transpose(own), product(transpose(A.frame.R_w), B.frame.R_w)))
        p = add(sub(B.frame.p_w, A.frame.p_w), apply(B.frame.R_w, B.r))
        d = tape.vector(to_own(sub(apply_transposed(A.frame.R_w, p), A.r)))
        w_A, alpha_A = tape.vector(to_own(A.w)), tape.vector(to_own(A.alpha))
        self.numbers = sorted({*A.velocities, *B.velocities})
        columns, self.turnings = {}, {}
        for k in self.numbers:
            turning_A, velocity = to_own(A.turnings.get(k, zero())), to_own(A.velocities.get(k, zero()))
            moved = apply(Q, B.velocities.get(k, zero()))
            columns[k] = tape.vector(sub(moved, add(velocity, cross(turning_A, d))))
            self.turnings[k] = sub(apply(Q, B.turnings.get(k, zero())), turning_A)
        rate = tape.vector(sub(apply(Q, B.v), add(to_own(A.v), cross(w_A, d))))
        bias = sub(apply(Q, B.a), add(to_own(A.a), cross(alpha_A, d)))
        bias = sub(bias, cross(w_A, add(scale(2, rate), cross(w_A, d))))
        self.d: VectorJet = jets.vector(d, columns, rate, bias)
        self.w = sub(apply(Q, B.w), w_A)
        self.alpha = sub(apply(Q, B.alpha), add(alpha_A, cross(w_A, self.w)))
        self.tape, self.R = tape, tape.matrix(product(Q, B.R))
        self.axes: dict[int, VectorJet] = {}

    def axis(self, j: int) -> VectorJet:
        """Axis j of marker B."""
        if j not in self.axes:
            tape, u = self.tape, column(self.R, j)
            rate = tape.vector(cross(self.w, u))
            bias = add(cross(self.alpha, u), cross(self.w, rate))
            columns = {k: tape.vector(cross(turning, u)) for k, turning in self.turnings.items()}
            self.axes[j] = jets.vector(u, columns, rate, bias)
        return self.axes[j]
