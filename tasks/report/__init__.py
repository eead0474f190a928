"""The report: one self-contained HTML file that shows what is in a dataset."""

from counterfoil.tasks.report.likeness import Judges
from counterfoil.tasks.report.write import ReportError, write_report

__all__ = ["Judges", "ReportError", "write_report"]
