"""Charts of runs, sweeps, profiles and histories."""
