"""Charts: plain data in, a figure and the table of the same data out."""

from perflab.charts.bundle import PLOTLY, bundle
from perflab.charts.chart import Chart
from perflab.charts.distribution import Fork, distribution
from perflab.charts.flame import flame, flame_difference
from perflab.charts.latency import Latency, latency
from perflab.charts.parts import Part, parts
from perflab.charts.png import png
from perflab.charts.ratios import Ratio, ratios, rows_of
from perflab.charts.shares import shares
from perflab.charts.table import Table
from perflab.charts.timeline import Moment, Span, timeline
from perflab.charts.values import Value, values

__all__ = [
    "PLOTLY",
    "Chart",
    "Fork",
    "Latency",
    "Moment",
    "Part",
    "Ratio",
    "Span",
    "Table",
    "Value",
    "bundle",
    "distribution",
    "flame",
    "flame_difference",
    "latency",
    "parts",
    "png",
    "ratios",
    "rows_of",
    "shares",
    "timeline",
    "values",
]
