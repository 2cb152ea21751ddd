"""The report of a run as one HTML page: headline numbers, the viewer, plots, modes, health, the model.

`facts` finds what the page says, `charts` and `modes` pack what its scripts draw, `page` puts it together.
"""

from __future__ import annotations

from flexmb.view.report.writing import write_report

__all__ = ["write_report"]
