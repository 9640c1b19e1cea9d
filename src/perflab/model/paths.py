"""Where things are: all of them in the checkout, but for the per-user cache."""

from __future__ import annotations

import os
from pathlib import Path

from platformdirs import user_cache_path

ROOT = Path(os.environ.get("PERFLAB_ROOT") or Path(__file__).resolve().parents[3])
"""The checkout."""

COMPONENTS_DIR = Path(os.environ.get("PERFLAB_COMPONENTS") or ROOT / "components")
"""One folder per system under test; `PERFLAB_COMPONENTS` points elsewhere, as the lab's own tests do."""

CLAIMS_DIR = Path(os.environ.get("PERFLAB_CLAIMS") or ROOT / "datasets" / "claims")
PUBLISHED_DIR = ROOT / "datasets" / "published"
REFERENCE_DIR = ROOT / "datasets" / "reference"
NOTEBOOKS_DIR = ROOT / "notebooks"

LAB_DIR = ROOT / ".lab"
"""What is made on this machine: kernels, build stamps. Never committed."""

RESULTS_DIR = Path(os.environ.get("PERFLAB_RESULTS") or ROOT / "results")
"""Runs, profiles, executed notebooks and charts; `PERFLAB_RESULTS` points elsewhere."""

CACHE_DIR = user_cache_path("perflab")
"""The per-user cache: downloads, and the lock that keeps measurements apart."""

LOCK_DIR = Path(os.environ.get("PERFLAB_LOCK") or CACHE_DIR)
"""Where the measurement lock is; `PERFLAB_LOCK` points elsewhere, so that the lab's own tests never wait for it."""
