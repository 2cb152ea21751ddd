"""Bodies and their markers: what a body contributes to the equations, constant in its own axes."""
