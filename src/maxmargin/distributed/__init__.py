"""Exact, certified machines on data that are spread over the workers of a Dask cluster."""

from maxmargin.distributed.cluster import Cluster, WorkerLost
from maxmargin.distributed.partitions import Partitions, Share

__all__ = ["Cluster", "Partitions", "Share", "WorkerLost"]
