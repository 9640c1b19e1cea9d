"""The report: a static site of verdicts, evidence, notebooks and documents."""
