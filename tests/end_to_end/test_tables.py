"""Rows are sorted on disk, with few files open at once."""

import random
import resource

import pytest

from listenbench import journal, tables
from listenbench.journal import Entry


@pytest.fixture
def few_files():
    """Allow 64 open files more than there are."""
    limits = resource.getrlimit(resource.RLIMIT_NOFILE)
    with open("/dev/null") as file:  # noqa: PTH123 # its number says how many are open
        resource.setrlimit(resource.RLIMIT_NOFILE, (file.fileno() + 64, limits[1]))
    yield
    resource.setrlimit(resource.RLIMIT_NOFILE, limits)


@pytest.mark.parametrize("rows", [0, 1, 2, 15, 16, 17, 700])
@pytest.mark.usefixtures("few_files")
def test_more_runs_than_files_that_may_be_open(tmp_path, monkeypatch, rows):
    monkeypatch.setattr(tables, "_ROWS_A_RUN", 2)
    monkeypatch.setattr(tables, "_RUNS_AT_ONCE", 8)
    entries = [Entry(f"{number:06x}", "0" * 64, "{}", "{}", str(number)) for number in range(rows)]
    shuffled = random.Random(rows).sample(entries, rows)
    (tmp_path / "journal").touch()
    journal.append(tmp_path / "journal", shuffled)
    (tmp_path / "scratch").mkdir()
    assert list(tables.sorted_entries(tmp_path / "journal", tmp_path / "scratch")) == entries
    assert len(list((tmp_path / "scratch").iterdir())) <= 8
