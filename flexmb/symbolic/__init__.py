"""The equations of a model in symbols: an independent derivation from the same model, graph and joints."""
