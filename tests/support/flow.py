"""The folders of flexmb in the order of the flow: a folder imports only what is written before it."""

from __future__ import annotations

FLOW = [
    "mesh", "elements", "reduction", "bodies", "graph", "joints", "loads", "model", "layout", "system", "equations",
    "solvers", "results", "symbolic", "natural", "recursive", "reports", "analyses", "view", "verification", "cli",
]  # fmt: skip
