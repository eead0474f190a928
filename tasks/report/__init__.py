"""The report: one self-contained HTML file that shows what is in a dataset."""

from tasks.report.write import ReportError, write_report

__all__ = ["ReportError", "write_report"]
