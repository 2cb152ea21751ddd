"""Layout of the flat arrays: records declared once, left of the code that writes them and the code that reads them."""
