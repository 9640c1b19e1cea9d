"""Sweeps on the machines of a Dask cluster: a point is a task, and a task runs on one machine to its end.

The road of a point:

    coordinate.py: hands it to a worker with a free slot -> worker.py: measures it there -> coordinate.py: keeps its run
                                  ^                                |
                                  +--- lost, busy or refused ------+

What travels is in messages.py, who can measure in slots.py, and connecting.py is all that knows how one reaches Dask.
"""

from perflab.sweeps.cluster.connecting import connected
from perflab.sweeps.cluster.coordinate import measure_on

__all__ = ["connected", "measure_on"]
