"""Where a data set grows: a hidden folder beside its place, locked by the process that works in it.

.<name>.partial/
  lock           locked by the process that works here; the lock ends with the process, however that ends
  <identity>/    what one request has come to so far
    journal      one line a finished recording
    writing/     files that are not complete yet
    at-work/     which item each worker process is at
    sorting/     the rows while they are sorted
    data/        the data set, renamed to its place when it is whole
  replaced/      the data set that it replaces, while the two change places
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from listenbench.dataset import AUDIO
from listenbench.errors import DataError

_LOCK: Final = "lock"
_REPLACED: Final = "replaced"
_ATTEMPTS: Final = 100


@dataclass(frozen=True, slots=True)
class Workplace:
    """The folder in which one request is worked on.

    Attributes
    ----------
    target : Path
        Where the data set belongs, absolute.
    folder : Path
        Where it is made.
    """

    target: Path
    folder: Path

    @property
    def data(self) -> Path:
        """The folder of the data set in the making."""
        return self.folder / "data"

    @property
    def journal(self) -> Path:
        """The list of finished recordings."""
        return self.folder / "journal"

    @property
    def writing(self) -> Path:
        """Where files are written before they are renamed."""
        return self.folder / "writing"

    @property
    def at_work(self) -> Path:
        """Where each worker process notes its item, in a file named by its process id."""
        return self.folder / "at-work"

    @property
    def sorting(self) -> Path:
        """Where the rows are sorted."""
        return self.folder / "sorting"

    def prepare(self) -> None:
        """Make the folders that are missing, and empty those that hold nothing finished."""
        for folder in (self.writing, self.at_work, self.sorting):
            shutil.rmtree(folder, ignore_errors=True)
            folder.mkdir(parents=True, exist_ok=True)
        (self.data / AUDIO).mkdir(parents=True, exist_ok=True)

    def holds_work(self) -> bool:
        """Return whether there is something that another run can go on from."""
        try:
            return self.journal.stat().st_size > 0
        except OSError:
            return False

    def discard(self) -> None:
        """Remove all of it."""
        shutil.rmtree(self.folder, ignore_errors=True)

    def publish(self, made: Path | None = None) -> None:
        """Rename the finished data set to its place; one that it replaces is removed only then.

        Parameters
        ----------
        made : Path, optional
            Where the data set is, if not in `data`.
        """
        replaced = self.folder.parent / _REPLACED
        if self.target.exists() and not is_empty_folder(self.target):
            shutil.rmtree(replaced, ignore_errors=True)
            self.target.rename(replaced)
        try:
            (made or self.data).rename(self.target)
        except OSError:
            _put_back(replaced, self.target)
            raise
        self.discard()
        shutil.rmtree(replaced, ignore_errors=True)


@contextlib.contextmanager
def workplace(target: Path, identity: str, option: str = "--out") -> Iterator[Workplace]:
    """Yield the place in which a request is worked on, as an earlier run left it, or new.

    Work on any other request for the same target is discarded. The place is removed at the end, unless it
    holds work that another run can go on from.

    Parameters
    ----------
    target : Path
        Where the data set belongs.
    identity : str
        Name of the request: the same for two runs exactly if they make the same bytes.
    option : str
        What the target is given by on the command line; errors name it.

    Raises
    ------
    DataError
        If another process works there, nothing can be written there, or no folder could be renamed to it.
    """
    target = absolute(target)
    _check_renamable(target, option)
    root = _root(target)
    with _locked(root, target, option):
        place = Workplace(target, root / identity)
        try:
            _put_back(root / _REPLACED, target)
            _discard_others(root, identity)
            place.prepare()
        except OSError as error:
            raise DataError(f"{target}: can't write here: {error.strerror}") from None
        try:
            yield place
        finally:
            if not place.holds_work():
                place.discard()


def absolute(path: Path) -> Path:
    """Return an absolute path without '..', whose last element names it."""
    try:
        return Path(os.path.abspath(path))  # noqa: PTH100 # `resolve` would follow a link
    except FileNotFoundError:
        raise DataError(f"{path}: the folder that this was started in is gone: change to another") from None


def lies_within(path: Path | str, folder: Path) -> bool:
    """Return whether a path leads to a folder, or to a place in it, by whatever links."""
    return Path(os.path.realpath(path)).is_relative_to(os.path.realpath(folder))


def is_empty_folder(path: Path) -> bool:
    """Return whether it is a folder with nothing in it."""
    return path.is_dir() and not any(path.iterdir())


def tidy(target: Path) -> None:
    """Remove what is left of unfinished work beside a finished data set, if nobody works on it."""
    root = _root(absolute(target))
    with contextlib.suppress(DataError, OSError):
        if root.is_dir():
            with _locked(root, target, "--out"):
                _discard_others(root, _LOCK)


def _check_renamable(target: Path, option: str) -> None:
    """Refuse, before any work, a place to which the finished folder could not be renamed at the end."""
    try:
        is_link, is_mount = target.is_symlink(), target.is_mount()
    except OSError as error:
        raise DataError(f"{target}: can't write here: {error.strerror}") from None
    if is_link:
        raise DataError(f"{target}: this is a link: give the folder that it leads to as {option}")
    if is_mount:
        raise DataError(f"{target}: another disk is mounted here: give a folder below it as {option}")
    if _started_within(target):
        raise DataError(
            f"{target}: this was started in the folder that would be replaced: change to the one above"
        )


def _started_within(folder: Path) -> bool:
    """Return whether this process was started in a folder or below; it may be gone by now."""
    try:
        return lies_within(Path.cwd(), folder)
    except OSError:
        return False


def _root(target: Path) -> Path:
    return target.parent / f".{target.name}.partial"


@contextlib.contextmanager
def _locked(root: Path, target: Path, option: str) -> Iterator[None]:
    """Hold the lock of a workplace; remove the place at the end, if nothing else is in it."""
    handle = _lock(root, target, option)
    try:
        yield
    finally:
        with contextlib.suppress(OSError):
            if {entry.name for entry in root.iterdir()} <= {_LOCK}:
                (root / _LOCK).unlink()
                root.rmdir()
        os.close(handle)


def _lock(root: Path, target: Path, option: str) -> int:
    """Return an open file that carries the lock."""
    for _ in range(_ATTEMPTS):
        handle = _open_lock(root, target)
        if handle is None:
            continue
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            holder = os.read(handle, 20).decode(errors="replace").strip()
            os.close(handle)
            raise _refusal(target, option, error, holder) from None
        if _is_at(handle, root / _LOCK):
            os.ftruncate(handle, 0)
            with contextlib.suppress(OSError):  # on a full disk the lock has no name in it
                os.pwrite(handle, str(os.getpid()).encode(), 0)
            return handle
        # Another run has removed the file between the two calls above.
        os.close(handle)
    raise DataError(f"{target}: other runs keep the folder {root.name} busy: try again")


def _open_lock(root: Path, target: Path) -> int | None:
    """Open the file to be locked; None if the folder vanishes under it."""
    try:
        root.mkdir(parents=True, exist_ok=True)
        if root.is_symlink():
            raise DataError(f"{root}: this is a link: remove it, work is never done behind a link")
        with contextlib.suppress(FileNotFoundError):
            return os.open(root / _LOCK, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW, 0o644)
    except OSError as error:
        raise DataError(f"{target}: can't write here: {error.strerror}") from None
    return None


def _refusal(target: Path, option: str, error: OSError, holder: str) -> DataError:
    if isinstance(error, BlockingIOError):
        who = f"another run (process {holder})" if holder else "another run"
        return DataError(f"{target}: {who} is working on it: wait for its end, or give another {option}")
    return DataError(f"{target}: can't lock a file here ({error.strerror}): give an {option} on another disk")


def _is_at(handle: int, path: Path) -> bool:
    try:
        return os.path.samestat(os.fstat(handle), path.stat())
    except FileNotFoundError:
        return False


def _put_back(replaced: Path, target: Path) -> None:
    """Give a data set its place again if a run ended before the new one had taken it."""
    if replaced.exists() and not target.exists():
        replaced.rename(target)


def _discard_others(root: Path, kept: str) -> None:
    for entry in root.iterdir():
        if entry.name not in (_LOCK, kept):
            shutil.rmtree(entry, ignore_errors=True)
