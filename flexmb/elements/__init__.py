"""Materials, cross-sections and the shape functions and matrices of beam elements: what a beam is made of."""
