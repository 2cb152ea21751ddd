"""An independent solution of a mechanism, written from the equations of mechanics: NumPy and SciPy, nothing of flexmb.

Input: the tables of a model as a model file holds them (joints placed by markers). Maximal coordinates: every body has
its position, a quaternion and, if it is a beam, elastic coordinates; every joint is a set of constraint rows between
two markers, in world axes:

    M y' + G^T lam = f,   G y' = gamma      y = (velocity of the origin, angular velocity, elastic rates), world axes

solved with the singular value decomposition of G, so that redundant rows are no special case: lam is the smallest one,
and the null space of G^T tells which reactions the model determines. Positions and velocities are integrated by SciPy's
DOP853 and projected on the constraints at every output.
"""
