"""Parts made apart and joined are the data set that one run makes."""

import hashlib
import json
import shutil
import subprocess
import sys

import pytest

from listenbench.dataset import fingerprint, load
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


def rewrite(part, name, change):
    """Change the rows of a table, and have the description agree with it, as a forger would."""
    rows = [json.loads(line) for line in (part / name).read_text().splitlines()]
    change(rows)
    (part / name).write_text("".join(json.dumps(row) + "\n" for row in rows))
    redescribe(part)


def redescribe(part, **changes):
    description = json.loads((part / "dataset.json").read_text())
    description = {**description, "fingerprint": fingerprint(part), **changes}
    kept = {key: value for key, value in description.items() if value is not None}
    (part / "dataset.json").write_text(json.dumps(kept))


def swap_ids(rows):
    rows[0]["id"], rows[1]["id"] = rows[1]["id"], rows[0]["id"]


@pytest.mark.parametrize(
    ("name", "change", "message"),
    [
        ("gold.jsonl", lambda rows: rows.pop(), "its tables are damaged"),
        ("gold.jsonl", swap_ids, "not a row of a data set"),
        ("gold.jsonl", lambda rows: rows[0].update(answer="C"), "not a row of a data set"),
        ("metadata.jsonl", lambda rows: rows[0].update(file_name="audio/x.wav"), "not a row of a data set"),
        ("manifest.jsonl", lambda rows: rows[0].pop("clip_a"), "not a row of a data set"),
        ("manifest.jsonl", lambda rows: rows[0].pop("content"), "not a row of a data set"),
        ("manifest.jsonl", lambda rows: rows[0].update(content="\ud800"), "not a row of a data set"),
        ("manifest.jsonl", lambda rows: rows[0].update(task=None), "not a row of a data set"),
    ],
)
def test_tables_that_do_not_agree(copied, tmp_path, name, change, message):
    rewrite(copied[1], name, change)
    with pytest.raises(DataError, match=message):
        merge(copied, tmp_path / "joined")
    assert [path.name for path in tmp_path.iterdir()] == ["copies"]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda rows: rows.pop(), "the parts have 23 recordings, and 24 belong there"),
        (lambda rows: rows.append(rows[-1]), "comes twice"),
        (lambda rows: rows.reverse(), "not in its place"),
    ],
)
def test_rows_that_are_not_all_there(copied, tmp_path, change, message):
    for name in ("metadata.jsonl", "gold.jsonl", "manifest.jsonl"):
        rewrite(copied[1], name, change)
    with pytest.raises(DataError, match=message):
        merge(copied, tmp_path / "joined")
    assert [path.name for path in tmp_path.iterdir()] == ["copies"]


def test_a_table_that_is_no_text(copied, tmp_path):
    with (copied[1] / "gold.jsonl").open("ab") as file:
        file.write(b"\xff\n")
    redescribe(copied[1])
    with pytest.raises(DataError, match="its tables are damaged"):
        merge(copied, tmp_path / "joined")


@pytest.mark.parametrize("key", ["split", "seed", "soundfonts", "versions"])
def test_descriptions_that_lack_something(copied, tmp_path, key):
    for part in copied:
        redescribe(part, **{key: None})
    with pytest.raises(DataError, match=key):
        merge(copied, tmp_path / "joined")
    assert [path.name for path in tmp_path.iterdir()] == ["copies"]


def test_nothing_is_made_within_a_part(copied):
    with pytest.raises(DataError, match="lies in the part"):
        merge(copied, copied[1] / "joined")
    assert not (copied[1] / "joined").exists()


def test_parts_without_items(tmp_path):
    with pytest.raises(SpecError, match="shard: 3/3 would be empty: there are 2 items: make 2 parts at most"):
        generate("test", 0, tmp_path / "data", items=1, tasks=["harmony", "rhythm"], shard="3/3")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("shard", ["0/3", "4/3", "1", "1/0", "-1/3", "1/3/5", "", "a/b", "1/" + "9" * 5000])
def test_impossible_parts(tmp_path, shard):
    with pytest.raises(SpecError, match="shard"):
        generate("test", 0, tmp_path / "data", shard=shard)
    assert list(tmp_path.iterdir()) == []
