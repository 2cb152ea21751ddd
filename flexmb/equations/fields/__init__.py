"""Deformation fields of flexible bodies: compiled inertia, elastic forces and markers (theory 2, 3, 5)."""
