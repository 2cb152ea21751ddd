"""What is printed: plain text from results and systems."""
