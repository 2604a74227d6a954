"""The sessions of a listening test on disk: an SQLite database beside the predictions.

One process has it open at a time; what is committed survives the end of that process, however it comes.
Cookies are kept as hashes, so that the file opens nobody's session. It holds no names, addresses or times.
"""

from __future__ import annotations

import hashlib
import json
import secrets
import sqlite3
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from listenbench.errors import DataError
from listenbench.web.listening.stages import Kind, Stage

_SCHEMA: Final = """
CREATE TABLE fact (name TEXT PRIMARY KEY, value TEXT NOT NULL);
CREATE TABLE listener (
    number INTEGER PRIMARY KEY,
    code TEXT NOT NULL UNIQUE,
    ticket TEXT UNIQUE,
    stage TEXT NOT NULL,
    headphones INTEGER
);
CREATE TABLE trial (
    token TEXT PRIMARY KEY,
    listener INTEGER NOT NULL REFERENCES listener (number),
    kind TEXT NOT NULL,
    place INTEGER NOT NULL,
    material TEXT NOT NULL,
    heard_before INTEGER NOT NULL,
    plays INTEGER NOT NULL DEFAULT 0,
    heard INTEGER NOT NULL DEFAULT 0,
    answer TEXT,
    seconds REAL,
    turn INTEGER UNIQUE,
    UNIQUE (listener, kind, place)
);
"""
_CODE_LETTERS: Final = "abcdefghjkmnpqrstuvwxyz23456789"
_CODE_LENGTH: Final = 8


@dataclass(frozen=True, slots=True)
class Listener:
    """A listener.

    Attributes
    ----------
    number : int
        Place in the order of arrival, from 0.
    code : str
        The anonymous name in the predictions.
    stage : Stage
        Where they are.
    headphones : int or None
        Right answers in their last headphone check; None without one.
    """

    number: int
    code: str
    stage: Stage
    headphones: int | None


@dataclass(frozen=True, slots=True)
class Trial:
    """Something to be heard and answered.

    Attributes
    ----------
    token : str
        What it is called in addresses: random, and of no use to any other session.
    kind : Kind
        What it is for.
    place : int
        Place among the listener's trials of this kind, from 0.
    material : str
        Id of the recording, or order of the tones.
    heard_before : int
        Recordings of the same item that the listener heard before.
    plays : int
        How often it was started.
    heard : bool
        Whether it was heard to the end.
    answer : str or None
        What was answered.
    seconds : float or None
        From the end of the first hearing to the answer.
    """

    token: str
    kind: Kind
    place: int
    material: str
    heard_before: int = 0
    plays: int = 0
    heard: bool = False
    answer: str | None = None
    seconds: float | None = None


@dataclass(frozen=True, slots=True)
class Answer:
    """An answer of the test, with who gave it."""

    trial: Trial
    code: str
    headphones: int | None


class Store:
    """The open database.

    Parameters
    ----------
    path : Path
        Its file; made if there is none.
    facts : mapping of str to object
        What the test is, as plain data; kept in a new file.

    Raises
    ------
    DataError
        If another process has it open, or it can't be read or written.
    """

    def __init__(self, path: Path, facts: Mapping[str, Any]) -> None:
        self.path = path
        with self._explained():
            self._database = sqlite3.connect(path, isolation_level=None, timeout=0)
            try:
                self._open(facts)
            except BaseException:
                self._database.close()
                raise

    def _open(self, facts: Mapping[str, Any]) -> None:
        for setting in ("locking_mode = EXCLUSIVE", "synchronous = FULL", "foreign_keys = ON"):
            self._database.execute(f"PRAGMA {setting}")
        # Exclusive from the first transaction on, and kept until the process ends.
        with self.transaction():
            if self._database.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]:
                return
            for statement in filter(str.strip, _SCHEMA.split(";")):
                self._database.execute(statement)
            rows = [(name, json.dumps(value)) for name, value in facts.items()]
            self._database.executemany("INSERT INTO fact VALUES (?, ?)", rows)

    @contextmanager
    def _explained(self) -> Iterator[None]:
        try:
            yield
        except sqlite3.Error as error:
            if getattr(error, "sqlite_errorcode", None) == sqlite3.SQLITE_BUSY:
                raise DataError(
                    f"{self.path}: another process is running this listening test: end it first, or give "
                    "another --out"
                ) from None
            raise DataError(f"{self.path}: the sessions can't be read or written: {error}") from None

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """Make what is done inside last as a whole or not at all."""
        self._database.execute("BEGIN EXCLUSIVE")
        try:
            yield
            self._database.execute("COMMIT")
        except BaseException:
            if self._database.in_transaction:
                self._database.execute("ROLLBACK")
            raise

    def close(self) -> None:
        """Close the file."""
        self._database.close()

    def facts(self) -> dict[str, Any]:
        """Return what the test is."""
        with self._explained():
            return {name: json.loads(value) for name, value in self._database.execute("SELECT * FROM fact")}

    def listeners(self) -> int:
        """Return the number of listeners so far."""
        return int(self._database.execute("SELECT count(*) FROM listener").fetchone()[0])

    def add_listener(self, stage: Stage) -> tuple[Listener, str]:
        """Add a listener; return them with the value of their cookie. Call it in a transaction."""
        listener = Listener(self.listeners(), self._new_code(), stage, None)
        cookie = secrets.token_urlsafe(32)
        row = (listener.number, listener.code, ticket_of(cookie), stage)
        self._database.execute("INSERT INTO listener VALUES (?, ?, ?, ?, NULL)", row)
        return listener, cookie

    def _new_code(self) -> str:
        while True:
            code = "".join(secrets.choice(_CODE_LETTERS) for _ in range(_CODE_LENGTH))
            if self._listener("code", code) is None:
                return code

    def listener_of(self, cookie: str) -> Listener | None:
        """Return the listener with a cookie."""
        return self._listener("ticket", ticket_of(cookie))

    def _listener(self, column: str, value: str) -> Listener | None:
        row = self._database.execute(
            f"SELECT number, code, stage, headphones FROM listener WHERE {column} = ?",
            (value,),
        ).fetchone()
        return None if row is None else Listener(row[0], row[1], Stage(row[2]), row[3])

    def move(self, listener: Listener, stage: Stage) -> None:
        """Bring a listener to a stage."""
        self._database.execute("UPDATE listener SET stage = ? WHERE number = ?", (stage, listener.number))

    def set_headphones(self, listener: Listener, right: int) -> None:
        """Note the right answers of a headphone check."""
        self._database.execute(
            "UPDATE listener SET headphones = ? WHERE number = ?", (right, listener.number)
        )

    def add_trials(self, listener: Listener, kind: Kind, materials: Iterable[tuple[str, int]]) -> None:
        """Add trials behind those of the same kind: their material, and what was heard of it before."""
        start = len(self.trials(listener, kind))
        rows = [
            (secrets.token_urlsafe(16), listener.number, kind, start + place, *material)
            for place, material in enumerate(materials)
        ]
        self._database.executemany(
            "INSERT INTO trial (token, listener, kind, place, material, heard_before) "
            "VALUES (?, ?, ?, ?, ?, ?)",
            rows,
        )

    def trials(self, listener: Listener, kind: Kind) -> list[Trial]:
        """Return the trials of a kind in their order."""
        rows = self._database.execute(
            f"SELECT {_TRIAL} FROM trial WHERE listener = ? AND kind = ? ORDER BY place",
            (listener.number, kind),
        )
        return [_trial(row) for row in rows]

    def trial(self, listener: Listener, token: str) -> Trial | None:
        """Return the trial of a listener with a token."""
        row = self._database.execute(
            f"SELECT {_TRIAL} FROM trial WHERE listener = ? AND token = ?",
            (listener.number, token),
        ).fetchone()
        return None if row is None else _trial(row)

    def note_play(self, trial: Trial) -> None:
        """Count a play."""
        self._database.execute("UPDATE trial SET plays = plays + 1 WHERE token = ?", (trial.token,))

    def note_heard(self, trial: Trial) -> None:
        """Note that a trial was heard to the end."""
        self._database.execute("UPDATE trial SET heard = 1 WHERE token = ?", (trial.token,))

    def note_answer(self, trial: Trial, answer: str, seconds: float | None) -> None:
        """Note an answer; those of the test are numbered in the order in which they come."""
        turn = "(SELECT coalesce(max(turn), 0) + 1 FROM trial)" if trial.kind is Kind.TEST else "NULL"
        self._database.execute(
            f"UPDATE trial SET answer = ?, seconds = ?, turn = {turn} WHERE token = ?",
            (answer, seconds, trial.token),
        )

    def answers(self, *, after: int = 0) -> Iterator[Answer]:
        """Yield the answers of the test in their order, but for the first ones."""
        rows = self._database.execute(
            f"SELECT {_TRIAL}, code, headphones FROM trial JOIN listener ON listener = number "
            "WHERE turn IS NOT NULL ORDER BY turn LIMIT -1 OFFSET ?",
            (after,),
        )
        for row in rows:
            yield Answer(_trial(row[:-2]), row[-2], row[-1])

    def forget(self, code: str) -> bool:
        """Remove a listener's trials and ticket; return whether there was such a listener.

        Their number stays taken, so that everybody else's recordings stay what they are.
        """
        with self.transaction():
            listener = self._listener("code", code)
            if listener is None:
                return False
            self._database.execute("DELETE FROM trial WHERE listener = ?", (listener.number,))
            self._database.execute(
                "UPDATE listener SET ticket = NULL, headphones = NULL, stage = ? WHERE number = ?",
                (Stage.DONE, listener.number),
            )
            return True


_TRIAL: Final = "token, kind, place, material, heard_before, plays, heard, answer, seconds"


def _trial(row: tuple[Any, ...]) -> Trial:
    token, kind, place, material, heard_before, plays, heard, answer, seconds = row
    return Trial(token, Kind(kind), place, material, heard_before, plays, bool(heard), answer, seconds)


def ticket_of(cookie: str) -> str:
    """Return what is kept of a cookie."""
    return hashlib.sha256(cookie.encode()).hexdigest()
