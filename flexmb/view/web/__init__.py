"""The viewer for a browser: one HTML file without a server, a network or anything installed."""
