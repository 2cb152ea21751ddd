"""Force laws on scalars, compiled."""
