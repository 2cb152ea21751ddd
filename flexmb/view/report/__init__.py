"""The report of a run as one HTML page: key figures, the viewer, plots, modes, solver health, the model.

`facts` finds the figures, `charts` and `modes` pack the data for its scripts, `page` assembles it.
"""

from __future__ import annotations

from flexmb.view.report.writing import write_report

__all__ = ["write_report"]
