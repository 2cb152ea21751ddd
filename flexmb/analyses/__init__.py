"""Model in, result out: run, inverse dynamics, statics, modes, check."""
