"""Parts made apart and joined are the data set that one run makes."""

import hashlib
import json
import shutil
import subprocess
import sys

import pytest

from listenbench.dataset import load
from listenbench.errors import DataError, SpecError
from listenbench.generation import generate
from listenbench.merging import merge

COUNT = 3
OPTIONS = {"items": 4, "tasks": ["harmony", "rhythm"]}


@pytest.fixture(scope="module")
def parts(tmp_path_factory):
    folder = tmp_path_factory.mktemp("parts")
    return [
        generate("test", 0, folder / str(i), shard=f"{i}/{COUNT}", **OPTIONS).folder
        for i in range(1, COUNT + 1)
    ]


@pytest.fixture
def copied(parts, tmp_path):
    return [shutil.copytree(part, tmp_path / "copies" / part.name) for part in parts]


def hashes(folder):
    files = (path for path in folder.rglob("*") if path.is_file())
    return {str(p.relative_to(folder)): hashlib.sha256(p.read_bytes()).hexdigest() for p in files}


def test_joined_parts_are_the_whole(parts, tmp_path):
    whole = generate("test", 0, tmp_path / "whole", **OPTIONS).folder
    joined = merge([parts[2], parts[0], parts[1]], tmp_path / "joined").folder
    assert hashes(joined) == hashes(whole)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["joined", "whole"]


def test_parts_are_disjoint(parts):
    items = [{row["item"] for row in load(part).gold().values()} for part in parts]
    assert [len(names) for names in items] == [3, 3, 2]
    assert len(set.union(*items)) == 8


def test_the_command(parts, tmp_path):
    command = [sys.executable, "-m", "listenbench", "merge", *parts, "--out", tmp_path / "joined", "--json"]
    result = subprocess.run(list(map(str, command)), capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stderr
    assert json.loads(result.stdout)["recordings"] == 24


def test_missing_doubled_and_foreign_parts(parts, tmp_path):
    out = tmp_path / "joined"
    with pytest.raises(DataError, match="part 2/3 is missing"):
        merge([parts[0], parts[2]], out)
    with pytest.raises(DataError, match="part 1/3 is given already"):
        merge([*parts, parts[0]], out)
    other = generate("test", 1, tmp_path / "other", shard="2/3", **OPTIONS).folder
    with pytest.raises(DataError, match="different data sets"):
        merge([parts[0], other, parts[2]], out)
    whole = generate("test", 0, tmp_path / "whole", items=1, tasks=["harmony"]).folder
    with pytest.raises(DataError, match="no part"):
        merge([whole], out)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["other", "whole"]


def test_damaged_parts(copied, tmp_path):
    recording = next((copied[1] / "audio").iterdir())
    data = recording.read_bytes()
    recording.write_bytes(data[:-1] + bytes([data[-1] ^ 1]))
    with pytest.raises(DataError, match="changed: make this part again"):
        merge(copied, tmp_path / "joined")
    recording.unlink()
    with pytest.raises(DataError, match="missing"):
        merge(copied, tmp_path / "joined")
    recording.symlink_to("/etc/passwd")
    with pytest.raises(DataError, match="a link"):
        merge(copied, tmp_path / "joined")
    gold = copied[0] / "gold.jsonl"
    gold.write_text(gold.read_text().replace('"A"', '"B"', 1))
    with pytest.raises(DataError, match="a table was changed"):
        merge(copied, tmp_path / "joined")
    assert [path.name for path in tmp_path.iterdir()] == ["copies"]


@pytest.mark.parametrize("shard", ["0/3", "4/3", "1", "1/0", "-1/3", "1/3/5", "", "a/b", "1/" + "9" * 5000])
def test_impossible_parts(tmp_path, shard):
    with pytest.raises(SpecError, match="shard"):
        generate("test", 0, tmp_path / "data", shard=shard)
    assert list(tmp_path.iterdir()) == []
