"""The result file: writer, reader, channels, exports; and what the analyses find, as data."""
