"""Reports on fitted models: one page of HTML that needs no other file. Needs the extra `plot`."""

from maxmargin.report.findings import Finding
from maxmargin.report.report import Report, report_of
from maxmargin.report.scores import ClassScores, Score

__all__ = ["ClassScores", "Finding", "Report", "Score", "report_of"]
