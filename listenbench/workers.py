"""Worker processes: started so that none outlives the run, and asked what they died of."""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import signal
import threading
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Executor, Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from multiprocessing.process import BaseProcess
from typing import Final, ParamSpec, TypeVar

from listenbench.decoder import undisplaced_children
from listenbench.environment import inherited
from listenbench.errors import RenderError
from listenbench.memory import keep_freed_memory

P = ParamSpec("P")
R = TypeVar("R")
T = TypeVar("T")

_SECONDS_TO_DIE: Final = 1.0
_NO_CULPRITS: Final = (None, 0, -signal.SIGTERM)
"""Exit codes of processes that were ended by the pool, not by what they did."""


_THREADS_OF_ALGEBRA: Final = ("OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "VECLIB_MAXIMUM_THREADS")
"""What tells the libraries that NumPy may multiply with how many threads to start."""


class WorkerDiedError(RenderError):
    """A worker process died.

    Attributes
    ----------
    deaths : dict of int to int
        Exit codes by process id of the workers that died by themselves, minus the signal's number if by one.
    """

    def __init__(self, deaths: dict[int, int]) -> None:
        self.deaths = deaths
        super().__init__(f"a worker process died{_causes(deaths.values())}")


class _Processes(ProcessPoolExecutor):
    """A pool that remembers its processes."""

    def __init__(self, workers: int) -> None:
        # Forked children would inherit the threads and locks of the audio libraries in an unknown state.
        context = multiprocessing.get_context("spawn")
        super().__init__(workers, mp_context=context, initializer=_start_worker)
        self._strangers = {process.pid for process in multiprocessing.active_children()}
        self.children: dict[int, BaseProcess] = {}

    def submit(self, function: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> Future[T]:
        """Submit a call; a process started for it is born deaf to Ctrl-C."""
        try:
            with _interrupts_held_back():
                future = super().submit(function, *args, **kwargs)
        except OSError as error:
            raise _no_process(error.strerror) from None
        except RuntimeError as error:  # as the threading module says that there is no room for another one
            if "start new thread" not in str(error):
                raise
            raise _no_process(str(error)) from None
        for process in multiprocessing.active_children():
            if process.pid is not None and process.pid not in self._strangers:
                self.children[process.pid] = process
        return future

    def kill(self) -> None:
        """End all processes at once."""
        for process in self.children.values():
            process.kill()

    def deaths(self) -> dict[int, int]:
        """Return the exit codes of those that died by themselves."""
        codes = {pid: _exit_code(process) for pid, process in self.children.items()}
        return {pid: code for pid, code in codes.items() if code is not None and code not in _NO_CULPRITS}


def _exit_code(process: BaseProcess) -> int | None:
    """Return the exit code of a process that is ending, or None if it takes too long over that.

    To join it is not enough: if a thread of the pool is just asking the system for the code, we are not told.
    """
    end = time.monotonic() + _SECONDS_TO_DIE
    while (code := process.exitcode) is None and time.monotonic() < end:
        time.sleep(0.005)
    return code


def _no_process(reason: str | None) -> RenderError:
    return RenderError(
        f"can't start worker processes ({reason}): give fewer --workers, or raise the limit (ulimit -a)"
    )


@contextlib.contextmanager
def processes(workers: int) -> Iterator[Executor]:
    """Yield an executor of so many processes, none of which outlives the block or this process.

    Raises
    ------
    WorkerDiedError
        If one of them dies.
    RenderError
        If none can be started.
    """
    try:
        pool = _Processes(workers)
    except OSError as error:
        raise _no_process(error.strerror) from None
    try:
        with undisplaced_children(), inherited(_single_threaded()):
            yield pool
    except BrokenProcessPool:
        raise WorkerDiedError(pool.deaths()) from None
    finally:
        # They have nothing to put away, and taking leave of their libraries takes them a quarter of a second.
        pool.kill()
        pool.shutdown(wait=True, cancel_futures=True)


def in_order(
    executor: Executor, function: Callable[[T], R], calls: Iterable[T], in_flight: int
) -> Iterator[R]:
    """Yield the results of calls in their order, with so many in flight that memory stays the same.

    Parameters
    ----------
    executor : Executor
        Where they run.
    function : callable
        With one argument; it must be picklable.
    calls : iterable
        The arguments, taken when there is room.
    in_flight : int
        How many calls may wait or run.
    """
    pending: deque[Future[R]] = deque()
    for call in calls:
        pending.append(executor.submit(function, call))
        if len(pending) >= in_flight:
            yield pending.popleft().result()
    while pending:
        yield pending.popleft().result()


def _single_threaded() -> dict[str, str]:
    """Return variables by which a process has one thread where nobody has set another number.

    There is a worker for each core, and threads that wait for a multiplication keep a core busy meanwhile.
    """
    return {name: os.environ.get(name, "1") for name in _THREADS_OF_ALGEBRA}


def _start_worker() -> None:
    """Leave Ctrl-C to the main process, end with it, and keep memory for the next clip."""
    keep_freed_memory()
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)


@contextlib.contextmanager
def _interrupts_held_back() -> Iterator[None]:
    """Hold back Ctrl-C: a process that is started meanwhile inherits that, and prints no traceback."""
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _causes(codes: Iterable[int]) -> str:
    """Return the causes of death as text, for example ' of signal 11 (SIGSEGV)'."""
    texts = []
    for code in sorted(set(codes)):
        if code < 0:
            try:
                texts.append(f"of signal {-code} ({signal.Signals(-code).name})")
            except ValueError:
                texts.append(f"of signal {-code}")
        else:
            texts.append(f"with status {code}")
    return f" {' and '.join(texts)}" if texts else ""
