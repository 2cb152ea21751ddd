"""Materials, cross-sections, and stiffness and mass of beam and solid elements."""
