"""flexmb: flexible multibody dynamics."""
