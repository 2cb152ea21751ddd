"""What people write: model files and their Python twin, units, expressions, and every check of them."""
