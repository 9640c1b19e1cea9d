"""Searching for a variant's best setting under noise, with Optuna."""

from perflab.search.budget import Budget
from perflab.search.charts import search_chart
from perflab.search.result import Confirmation, SearchResult, Trial, newest_search, write_search
from perflab.search.search import Search
from perflab.search.space import Dimension, read_space

__all__ = [
    "Budget",
    "Confirmation",
    "Dimension",
    "Search",
    "SearchResult",
    "Trial",
    "newest_search",
    "read_space",
    "search_chart",
    "write_search",
]
