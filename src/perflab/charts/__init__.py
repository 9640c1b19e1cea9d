"""Charts: plain data in, a figure and the table of the same data out."""

from perflab.charts.bundle import PLOTLY, bundle
from perflab.charts.chart import Chart
from perflab.charts.curve import Knob, Station, curve, factor_curve, text_of
from perflab.charts.distribution import Fork, distribution
from perflab.charts.factors import Factor, factors
from perflab.charts.flame import flame, flame_difference
from perflab.charts.heat import Heat, heat
from perflab.charts.history import Level, Step, Stop, history
from perflab.charts.latency import Latency, latency
from perflab.charts.parts import Part, parts
from perflab.charts.png import png
from perflab.charts.ratios import Ratio, ratios, rows_of
from perflab.charts.shares import shares
from perflab.charts.swaps import swaps
from perflab.charts.table import Table
from perflab.charts.timeline import Moment, Span, timeline
from perflab.charts.trials import TrialPoint, trials
from perflab.charts.values import Value, values

__all__ = [
    "PLOTLY",
    "Chart",
    "Factor",
    "Fork",
    "Heat",
    "Knob",
    "Latency",
    "Level",
    "Moment",
    "Part",
    "Ratio",
    "Span",
    "Station",
    "Step",
    "Stop",
    "Table",
    "TrialPoint",
    "Value",
    "bundle",
    "curve",
    "distribution",
    "factor_curve",
    "factors",
    "flame",
    "flame_difference",
    "heat",
    "history",
    "latency",
    "parts",
    "png",
    "ratios",
    "rows_of",
    "shares",
    "swaps",
    "text_of",
    "timeline",
    "trials",
    "values",
]
