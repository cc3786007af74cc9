"""Exact, certified machines on data that are spread over the workers of a Dask cluster."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from maxmargin.distributed.cluster import Cluster, WorkerLost
    from maxmargin.distributed.linear_svc import LinearSVC
    from maxmargin.distributed.linear_svr import LinearSVR
    from maxmargin.distributed.partitions import Partitions
    from maxmargin.distributed.predictions import blockwise
    from maxmargin.distributed.sgd_svc import SGDSVC
    from maxmargin.distributed.sgd_svr import SGDSVR
    from maxmargin.distributed.share import Share

__all__ = [
    "SGDSVC",
    "SGDSVR",
    "Cluster",
    "LinearSVC",
    "LinearSVR",
    "Partitions",
    "Share",
    "WorkerLost",
    "blockwise",
]

#: Where the names come from. Workers need few of them, and load no more than that.
_HOMES = {
    "blockwise": "predictions",
    "Cluster": "cluster",
    "LinearSVC": "linear_svc",
    "LinearSVR": "linear_svr",
    "WorkerLost": "cluster",
    "Partitions": "partitions",
    "SGDSVC": "sgd_svc",
    "SGDSVR": "sgd_svr",
    "Share": "share",
}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'maxmargin.distributed' has no attribute {name!r}")
    return getattr(import_module(f"maxmargin.distributed.{_HOMES[name]}"), name)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
