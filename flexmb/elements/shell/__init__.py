"""Shell elements: stiffness, mass, second-order forces and stress of surface cells with a thickness."""
