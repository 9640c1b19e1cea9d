"""The report: verdicts, evidence, notebooks and documents as a static site that opens from a folder."""

from perflab.site.badges import write_badges
from perflab.site.build import SiteResult, write_site
from perflab.site.reports import JudgedReport, judge_reports

__all__ = ["JudgedReport", "SiteResult", "judge_reports", "write_badges", "write_site"]
