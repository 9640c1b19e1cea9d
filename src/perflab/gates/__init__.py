"""Verdicts for those who gate a change: Markdown for a pull request, JUnit XML for a CI server."""

from perflab.gates.gate import Gate
from perflab.gates.junit import junit
from perflab.gates.markdown import markdown

__all__ = ["Gate", "junit", "markdown"]
