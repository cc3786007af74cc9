"""Exact, certified machines on data that are spread over the workers of a Dask cluster."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

_NEEDED = "maxmargin.distributed needs {}: pip install 'maxmargin[dask]'"
try:
    import dask  # noqa: F401
    import distributed  # noqa: F401
except ImportError as error:
    raise ImportError(_NEEDED.format(error.name or "Dask"), name=error.name) from error

if TYPE_CHECKING:
    from maxmargin.distributed.cluster import Cluster, WorkerLost
    from maxmargin.distributed.files import Files
    from maxmargin.distributed.linear_svc import LinearSVC
    from maxmargin.distributed.linear_svr import LinearSVR
    from maxmargin.distributed.one_class_svm import OneClassSVM
    from maxmargin.distributed.partitions import Partitions
    from maxmargin.distributed.predictions import blockwise
    from maxmargin.distributed.reading import read
    from maxmargin.distributed.search import SVCCV, SVRCV, GridSearchCV
    from maxmargin.distributed.sgd_svc import SGDSVC
    from maxmargin.distributed.sgd_svr import SGDSVR
    from maxmargin.distributed.share import Share
    from maxmargin.distributed.svc import SVC
    from maxmargin.distributed.svr import SVR

__all__ = [
    "SGDSVC",
    "SGDSVR",
    "SVC",
    "SVCCV",
    "SVR",
    "SVRCV",
    "Cluster",
    "Files",
    "GridSearchCV",
    "LinearSVC",
    "LinearSVR",
    "OneClassSVM",
    "Partitions",
    "Share",
    "WorkerLost",
    "blockwise",
    "read",
]

#: Where the names come from. Workers need few of them, and load no more than that.
_HOMES = {
    "SGDSVC": "sgd_svc",
    "SGDSVR": "sgd_svr",
    "SVC": "svc",
    "SVCCV": "search",
    "SVR": "svr",
    "SVRCV": "search",
    "Cluster": "cluster",
    "Files": "files",
    "GridSearchCV": "search",
    "LinearSVC": "linear_svc",
    "LinearSVR": "linear_svr",
    "OneClassSVM": "one_class_svm",
    "Partitions": "partitions",
    "Share": "share",
    "WorkerLost": "cluster",
    "blockwise": "predictions",
    "read": "reading",
}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'maxmargin.distributed' has no attribute {name!r}")
    try:
        home = import_module(f"maxmargin.distributed.{_HOMES[name]}")
    except ImportError as error:  # Dask without its arrays and dataframes
        raise ImportError(_NEEDED.format(error.name or "more of Dask"), name=error.name) from error
    return getattr(home, name)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
