"""The model compiled: placement in space, spanning tree, and records in flat arrays."""
