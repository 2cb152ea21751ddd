"""The model as checked objects: the contents of a model file, with units, limits and cross references."""

from flexmb.model.schema.model_spec import ModelSpec, read_spec

__all__ = ["ModelSpec", "read_spec"]
