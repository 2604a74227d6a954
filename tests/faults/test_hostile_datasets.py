"""Data sets made to lead out of their folder are refused; nothing outside of it is read."""

import json

import pytest

from listenbench.dataset import load
from listenbench.errors import DataError
from listenbench.generation import generate
from listenbench.verify import verify

TABLES = ["dataset.json", "metadata.jsonl", "gold.jsonl", "manifest.jsonl"]


@pytest.fixture
def folder(tmp_path):
    return generate("test", 0, tmp_path / "data", items=1, tasks=["harmony"]).folder


def rewrite(path, change):
    rows = [json.loads(line) for line in path.read_text().splitlines()]
    change(rows[0])
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))


@pytest.mark.parametrize(
    ("identifier", "file_name"),
    [
        ("../secret", "audio/../secret.wav"),
        ("/etc/passwd", "/etc/passwd"),
        ("..", "audio/...wav"),
        ("a/b", "audio/a/b.wav"),
        ("a\\b", "audio/a\\b.wav"),
        ("a\x00b", "audio/a\x00b.wav"),
        ("\ud800", "audio/\ud800.wav"),
        ("a" * 5000, f"audio/{'a' * 5000}.wav"),
        ("ok", "../ok.wav"),
        (10**400, "audio/ok.wav"),
        (None, None),
    ],
)
def test_names_that_lead_elsewhere(folder, identifier, file_name):
    rewrite(folder / "metadata.jsonl", lambda row: row.update(id=identifier, file_name=file_name))
    rewrite(folder / "manifest.jsonl", lambda row: row.update(id=identifier))
    with pytest.raises(DataError, match=r"metadata\.jsonl:1:"):
        load(folder)
    if identifier != "ok":
        assert any("manifest.jsonl:1:" in problem for problem in verify(folder))


@pytest.mark.parametrize("name", [*TABLES, "audio"])
def test_links_in_place_of_tables_and_folders(folder, tmp_path, name):
    (folder / name).rename(tmp_path / "elsewhere")
    (folder / name).symlink_to(tmp_path / "elsewhere")
    for function in (load, verify):
        with pytest.raises(DataError, match="a link"):
            function(folder)


def test_a_link_in_place_of_a_recording(folder, tmp_path):
    item = next(iter(load(folder)))
    item.path.rename(tmp_path / "elsewhere.wav")
    item.path.symlink_to(tmp_path / "elsewhere.wav")
    (problem,) = verify(folder)
    assert item.path.name in problem
    assert "a link" in problem
    with pytest.raises(DataError, match="a link"):
        item.audio  # noqa: B018 # reading the attribute reads the file


def test_a_folder_in_place_of_a_recording(folder):
    item = next(iter(load(folder)))
    item.path.unlink()
    item.path.mkdir()
    assert any("missing" in problem for problem in verify(folder))
    with pytest.raises(DataError, match=item.path.name):
        item.audio  # noqa: B018 # reading the attribute reads the file


def test_a_data_set_behind_a_link_is_fine(folder, tmp_path):
    (tmp_path / "link").symlink_to(folder)
    assert verify(tmp_path / "link") == []
    assert len(load(tmp_path / "link")) == 3
