"""The option --cluster: workers elsewhere, or processes of this machine that end with the verb."""

from __future__ import annotations

import logging
import signal
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import click

_LOCAL = "local:"


def _checked(_: Any, parameter: click.Parameter, value: str | None) -> str | None:
    if value is not None and value.startswith(_LOCAL):
        number = value.removeprefix(_LOCAL)
        if not number.isdigit() or int(number) == 0:
            raise click.BadParameter(
                f"{value!r} does not say how many workers; give local:2, for example",
                param=parameter,
            )
    return value


cluster_option = click.option(
    "--cluster",
    metavar="ADDRESS",
    callback=_checked,
    help="Have the workers of a Dask cluster do it; DATA is then a file, a folder or a pattern "
    "such as 'part-*.parquet'. ADDRESS is that of its scheduler, or local:N for N processes of "
    "this machine.",
)


@contextmanager
def connected(address: str) -> Iterator[Any]:
    """Connect to a cluster; one of this machine ends with the context, whatever ends that.

    Parameters
    ----------
    address : str
        Of a scheduler, or local:N.

    Yields
    ------
    Client
        Of `distributed`.
    """
    from distributed import Client

    # Says what to install where some of Dask is missing.
    from maxmargin.distributed import Partitions  # noqa: F401

    if address.startswith(_LOCAL):
        with _processes(int(address.removeprefix(_LOCAL))) as cluster, Client(cluster) as client:
            client.run(_leave_to_the_client)
            yield client
        return
    try:
        client = Client(address, timeout=10)
    except (OSError, ValueError) as error:
        raise click.UsageError(
            f"--cluster {address}: no scheduler answers there; give the address that `dask "
            "scheduler` prints, such as tcp://10.0.0.1:8786, or local:N"
        ) from error
    with client:
        yield client


def _leave_to_the_client() -> None:
    """Have a worker ignore a Ctrl-C, which the terminal sends to all processes."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)


@contextmanager
def _processes(n_workers: int) -> Iterator[Any]:
    """Start processes of this machine, and end them; a Ctrl-C meanwhile waits until they are up."""
    from distributed import LocalCluster

    from maxmargin import _core

    # A Ctrl-C of this while is raised when they are there, and can be ended.
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of folders and ports that are nobody's business
            started = LocalCluster(
                n_workers=n_workers,
                threads_per_worker=max(1, _core.usable_cores() // n_workers),
                processes=True,
                host="127.0.0.1",
                dashboard_address="127.0.0.1:0",
                silence_logs=logging.CRITICAL,
            )
        with started as cluster:
            signal.pthread_sigmask(signal.SIG_SETMASK, before)
            yield cluster
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
