"""One small data set, its measurements, and ways of damaging a copy of it."""

import json
import shutil

import pytest

from listenbench import generate
from listenbench.audit.evidence import read_evidence
from listenbench.audit.sound import measure_all
from listenbench.dataset import (
    AUDIO,
    DESCRIPTION,
    GOLD,
    MANIFEST,
    METADATA,
    file_sha256,
    fingerprint,
    read_rows,
    write_description,
    write_rows,
)

SEED = 20_013


class Copy:
    """A copy of a data set that can be changed, its hashes and fingerprint included."""

    def __init__(self, folder):
        self.folder = folder
        self.tables = {name: list(read_rows(folder / name)) for name in (METADATA, GOLD, MANIFEST)}

    def row(self, table, condition, task="melody", number=0):
        """Return a row of the first item of a task in a condition."""
        ids = sorted(r["id"] for r in self.tables[GOLD] if r["condition"] == condition and r["task"] == task)
        return next(r for r in self.tables[table] if r["id"] == ids[number])

    def path(self, row):
        return self.folder / AUDIO / f"{row['id']}.wav"

    def save(self):
        """Write the tables with hashes that fit the files, so that nothing but the audit can tell."""
        for row in self.tables[MANIFEST]:
            if self.path(row).is_file():
                row["sha256"] = file_sha256(self.path(row))
        for name, rows in self.tables.items():
            write_rows(self.folder / name, rows)
        description = json.loads((self.folder / DESCRIPTION).read_text())
        description["fingerprint"] = fingerprint(self.folder)
        write_description(self.folder / DESCRIPTION, description)
        return read_evidence(self.folder)


@pytest.fixture(scope="session")
def audited(tmp_path_factory):
    """Return the folder of a data set of four items a task."""
    return generate("test", seed=SEED, out=tmp_path_factory.mktemp("audited") / "set", items=4).folder


@pytest.fixture(scope="session")
def evidence(audited):
    return read_evidence(audited)


@pytest.fixture(scope="session")
def sounds(evidence):
    paths = {record.id: record.item.path for record in evidence.records}
    measured, problems = measure_all(paths, evidence.split.silence_seconds, 1, progress=False)
    assert not problems
    return measured


@pytest.fixture
def copy(audited, tmp_path):
    shutil.copytree(audited, tmp_path / "copy")
    return Copy(tmp_path / "copy")
