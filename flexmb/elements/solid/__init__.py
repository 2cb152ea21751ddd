"""Solid elements: shape functions and quadrature, stiffness and mass, second-order forces, stress."""
