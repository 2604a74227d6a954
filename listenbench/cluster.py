"""Running on a Dask cluster, through the executor that `distributed` offers."""

from __future__ import annotations

import contextlib
import logging
from collections.abc import Iterator
from concurrent.futures import CancelledError, Executor
from typing import Any, Final

from listenbench.errors import RenderError, SpecError
from listenbench.extras import require

_SECONDS_TO_CONNECT: Final = 10
_SECONDS_FOR_WORKERS: Final = 30
_SECONDS_TO_LEAVE: Final = 1


@contextlib.contextmanager
def cluster(address: str) -> Iterator[Executor]:
    """Yield the executor of a Dask cluster.

    Dask gives what a lost worker was at to another one, so that a run survives as long as one is left. The
    workers must see the same folders and have the same versions; `listenbench.recording` checks the latter.

    Parameters
    ----------
    address : str
        Of the scheduler, such as tcp://10.0.0.1:8786.

    Raises
    ------
    SpecError
        If `distributed` is not installed, nothing answers at the address within 10 s, or no worker is there
        within 30 s.
    RenderError
        If the scheduler goes away, or one call loses more workers than Dask allows.
    """
    distributed = require("distributed", "dask", "--scheduler")
    with _quiet(), _client(distributed, address) as client:
        executor: Executor = client.get_executor(pure=False)
        try:
            yield executor
        except CancelledError:
            raise RenderError(
                f"the scheduler at {address} went away: the same command goes on from what is finished"
            ) from None
        except distributed.KilledWorker as error:
            raise RenderError(
                f"the cluster lost too many workers at the same items: {_line(error)}"
            ) from None
        finally:
            executor.shutdown(wait=False)


@contextlib.contextmanager
def _client(distributed: Any, address: str) -> Iterator[Any]:
    try:
        # Tells a wrong address at once, which the client would only do when it is given up.
        distributed.comm.get_address_host(address)
        client = distributed.Client(address, timeout=_SECONDS_TO_CONNECT, set_as_default=False)
    except (OSError, ValueError, TypeError) as error:
        raise SpecError(
            f"--scheduler {address}: can't be reached ({_line(error)}): give the address that the "
            "scheduler shows when it starts, such as tcp://10.0.0.1:8786"
        ) from None
    try:
        try:
            client.wait_for_workers(1, timeout=_SECONDS_FOR_WORKERS)
        except TimeoutError:
            raise SpecError(
                f"--scheduler {address}: it has no workers: start one with 'dask worker {address}'"
            ) from None
        yield client
    finally:
        client.close(timeout=_SECONDS_TO_LEAVE)


@contextlib.contextmanager
def _quiet() -> Iterator[None]:
    """Leave it to our own messages to say what happened to connections."""
    loggers = [logging.getLogger(name) for name in logging.root.manager.loggerDict if _is_of_dask(name)]
    before = [logger.disabled for logger in loggers]
    for logger in loggers:
        logger.disabled = True
    try:
        yield
    finally:
        for logger, disabled in zip(loggers, before, strict=True):
            logger.disabled = disabled


def _is_of_dask(name: str) -> bool:
    return name.partition(".")[0] == "distributed"


def _line(error: Exception) -> str:
    return " ".join(str(error).split()) or type(error).__name__
