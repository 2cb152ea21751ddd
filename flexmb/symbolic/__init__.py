"""The equations of a model in symbols: an independent road from the same model, the same graph and the same joints."""
