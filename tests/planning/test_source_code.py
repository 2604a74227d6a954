"""The number of the source code changes with it, and only with it."""

from pathlib import Path

from listenbench import source_code
from listenbench.source_code import source_digest


def test_the_number_is_that_of_the_code(monkeypatch, tmp_path):
    (tmp_path / "inner").mkdir()
    module = tmp_path / "inner" / "composer.py"
    module.write_text("NOTES = 4\n")
    monkeypatch.setattr(source_code, "_folders", lambda _package: [tmp_path])
    before = source_digest()
    assert source_digest() == before
    (tmp_path / "notes.txt").write_text("no code")
    assert source_digest() == before
    module.write_text("NOTES = 5\n")
    changed = source_digest()
    assert changed != before
    module.rename(tmp_path / "composer.py")
    assert source_digest() not in {before, changed}


def test_it_covers_all_folders_of_a_checkout():
    found = {path for package in source_code._PACKAGES for path in source_code._folders(package)}
    names = {file.name for folder in found for file in Path(folder).rglob("*.py")}
    assert {"generation.py", "harmony.py", "room.py", "sf2.py", "reader.py"} <= names
