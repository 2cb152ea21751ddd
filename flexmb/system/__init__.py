"""From names and units to flat arrays: the model file, its checks, and the packed system."""
