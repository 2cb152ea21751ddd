"""Joint reactions from the ends of the tree inwards, in NumPy, independent of the compiled equations."""
