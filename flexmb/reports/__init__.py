"""Reports: plain text from results and systems."""
