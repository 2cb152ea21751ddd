"""Reduction to a few elastic coordinates: shapes in a floating frame, with stiffness, mass and damping."""
