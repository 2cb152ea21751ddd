"""`python -m flexmb.layout` prints the map of the flat arrays."""

from __future__ import annotations

from flexmb.layout.map import layout_map

if __name__ == "__main__":
    print(layout_map())
