"""The replies of an unfinished run on disk: whatever can't be written, what was is kept."""

from __future__ import annotations

import json
import os
import resource
import stat

import pytest
from tqdm import tqdm

from listenbench.errors import DataError
from listenbench.models.journal import Journal
from listenbench.models.progress import JournalWriter
from listenbench.models.replies import Reply

pytest.importorskip("inspect_ai", reason="inspect_ai isn't installed: pip install 'listenbench[inspect]'")


def test_a_journal_that_can_not_be_written_ends_the_asking(tmp_path):
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    try:
        with Journal(tmp_path / "p.jsonl", {"model": "m"}, {}) as journal:
            writer = JournalWriter(journal, tqdm(disable=True))
            writer.before()
            writer.replied(Reply("1", "A"))
            resource.setrlimit(resource.RLIMIT_FSIZE, (journal.path.stat().st_size + 5, limits[1]))
            with pytest.raises(DataError, match=r"p\.jsonl\.part: can't write this file"):
                writer.replied(Reply("2", "B" * 100))
            with pytest.raises(DataError, match="can't write this file"):
                writer.before()
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    with Journal(tmp_path / "p.jsonl", {"model": "m"}, {}) as journal:
        assert list(journal.lines) == ["1"]


def test_predictions_that_can_not_be_written_leave_the_replies_and_nothing_else(tmp_path):
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    try:
        with Journal(tmp_path / "p.jsonl", {"model": "m"}, {}) as journal:
            journal.add({"id": "1", "text": "A"})
            resource.setrlimit(resource.RLIMIT_FSIZE, (100, limits[1]))
            with pytest.raises(DataError, match=r"p\.jsonl: can't write the predictions"):
                journal.finish({"model": "m" * 200}, journal.lines.values())
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert [path.name for path in tmp_path.iterdir()] == ["p.jsonl.part"]
    with Journal(tmp_path / "p.jsonl", {"model": "m"}, {}) as journal:
        journal.finish({"model": "m"}, journal.lines.values())
    assert [path.name for path in tmp_path.iterdir()] == ["p.jsonl"]
    umask = os.umask(0)
    os.umask(umask)
    assert stat.S_IMODE((tmp_path / "p.jsonl").stat().st_mode) == 0o666 & ~umask


def test_half_a_surrogate_pair_is_kept_as_json_writes_it(tmp_path):
    with Journal(tmp_path / "p.jsonl", {"model": "m"}, {}) as journal:
        journal.add({"id": "1", "text": "B \ud800"})
        journal.finish({"model": "m"}, journal.lines.values())
    assert json.loads((tmp_path / "p.jsonl").read_text("utf-8").splitlines()[1])["text"] == "B \ud800"
