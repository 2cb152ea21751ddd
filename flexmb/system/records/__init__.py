"""A model as flat arrays: records of the tree, rows, loads, sensors and channels."""
