"""Natural coordinates: rigid bodies by points and unit vectors, constant mass matrices, no angles."""
