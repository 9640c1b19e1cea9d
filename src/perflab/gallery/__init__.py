"""The charts of what is in the store: which ones a run or a profile has, and how they are kept as files."""

from perflab.gallery.files import write_html
from perflab.gallery.profiles import profile_charts
from perflab.gallery.published import published_ratios
from perflab.gallery.runs import CHARTS, run_charts
from perflab.gallery.sweeps import FACTORS, sweep_charts
from perflab.gallery.table import TABLE_CHARTS, table_charts

__all__ = [
    "CHARTS",
    "FACTORS",
    "TABLE_CHARTS",
    "profile_charts",
    "published_ratios",
    "run_charts",
    "sweep_charts",
    "table_charts",
    "write_html",
]
