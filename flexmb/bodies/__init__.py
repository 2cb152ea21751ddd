"""Bodies and the frames on them: what a body contributes to the equations, constant in its own axes."""
