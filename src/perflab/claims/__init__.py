"""The claims ledger: what reports say, what was measured, and whether it holds."""

from perflab.claims.check import check_ledger
from perflab.claims.evidence import Evidence, Shelf, gather
from perflab.claims.judge import judge
from perflab.claims.ledger import KINDS, Claim, Ledger, find_ledgers, read_ledger
from perflab.claims.plan import Measurement, Plan, Profiling, plan
from perflab.claims.verdict import VERDICTS, Verdict

__all__ = [
    "KINDS",
    "VERDICTS",
    "Claim",
    "Evidence",
    "Ledger",
    "Measurement",
    "Plan",
    "Profiling",
    "Shelf",
    "Verdict",
    "check_ledger",
    "find_ledgers",
    "gather",
    "judge",
    "plan",
    "read_ledger",
]
