"""The viewer for a browser: one HTML file that needs no server, network or installation."""
