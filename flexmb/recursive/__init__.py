"""Joint reactions from the ends of the tree inwards, in NumPy: a second opinion without the equations of the core."""
