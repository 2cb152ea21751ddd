"""Result file: writer, reader, channels, exports; and findings of the analyses as data."""
