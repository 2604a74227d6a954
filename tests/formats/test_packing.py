"""Shards, as the libraries that people use read them; and what makes shards dependable."""

import errno
import hashlib
import json
import os
import shutil
import subprocess
import sys
import tarfile
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from listenbench.audit.run import audit
from listenbench.cli import run
from listenbench.dataset import load, read_description
from listenbench.errors import DataError, SpecError
from listenbench.merging import merge
from listenbench.packing.export import export
from listenbench.packing.options import PARQUET, WEBDATASET, Packing
from listenbench.packing.shards import plan_shards
from listenbench.scoring import score
from listenbench.verify import verify

SHARD_BYTES = 3_000_000
GOLD = {"answer", "task", "item", "condition", "factor", "rung", "texture"}
OPTIONS = ["--split", "test", "--items", "2", "--tasks", "harmony,rhythm", "--workers", "1"]


@pytest.fixture(scope="module")
def tars(small, tmp_path_factory):
    out = tmp_path_factory.mktemp("packed") / "tars"
    export(small.folder, out, Packing(WEBDATASET, shard_bytes=SHARD_BYTES))
    return out


@pytest.fixture(scope="module")
def parquet(small, tmp_path_factory):
    out = tmp_path_factory.mktemp("packed") / "parquet"
    export(small.folder, out, Packing(PARQUET, shard_bytes=SHARD_BYTES))
    return out


@pytest.fixture(params=["tars", "parquet"])
def packed(request, tmp_path):
    """Give a copy of either form."""
    return shutil.copytree(request.getfixturevalue(request.param), tmp_path / "packed")


def shards(folder):
    return sorted((folder / "data").iterdir())


def hashes(folder):
    files = (path for path in folder.rglob("*") if path.is_file())
    return {str(p.relative_to(folder)): hashlib.sha256(p.read_bytes()).hexdigest() for p in files}


# What the library leaves open when it has read a shard to its end.
@pytest.mark.filterwarnings("ignore:Exception ignored in:pytest.PytestUnraisableExceptionWarning")
def test_webdataset_reads_all_recordings(tars, small):
    import webdataset

    samples = list(webdataset.WebDataset(list(map(str, shards(tars))), shardshuffle=False))
    assert [sample["__key__"] for sample in samples] == [item.id for item in small]
    for sample, item in zip(samples, small, strict=True):
        assert sample["wav"] == item.path.read_bytes()
        row = json.loads(sample["json"])
        assert row == {"id": item.id, "question": item.question, "choices": list(item.choices)}


@pytest.mark.usefixtures("_no_network")
def test_datasets_reads_all_recordings(parquet, small, tmp_path):
    from datasets import Audio, load_dataset

    data = load_dataset(str(parquet), cache_dir=str(tmp_path))["test"]
    assert data.features["audio"] == Audio(sampling_rate=44_100)
    assert set(data.column_names) == {"audio", "id", "question", "choices"}
    rows = list(data.cast_column("audio", Audio(decode=False)))
    assert [row["id"] for row in rows] == [item.id for item in small]
    for row, item in zip(rows, small, strict=True):
        assert row["audio"] == {"bytes": item.path.read_bytes(), "path": item.path.name}
        assert (row["question"], tuple(row["choices"])) == (item.question, item.choices)


def test_pyarrow_reads_all_recordings(parquet, small):
    from pyarrow.parquet import read_table

    rows = [row for path in shards(parquet) for row in read_table(path).to_pylist()]
    assert [row["audio"]["bytes"] for row in rows] == [item.path.read_bytes() for item in small]
    assert [row["question"] for row in rows] == [item.question for item in small]


def test_answers_are_a_choice(small, tmp_path):
    from pyarrow.parquet import read_table

    gold = small.gold()
    for form in (WEBDATASET, PARQUET):
        export(small.folder, tmp_path / form, Packing(form, answers=True))
    with tarfile.open(shards(tmp_path / WEBDATASET)[0]) as tar:
        rows = [json.load(tar.extractfile(name)) for name in tar.getnames() if name.endswith(".json")]
    assert len(rows) == len(small)
    for row in rows:
        assert {key: row[key] for key in GOLD | {"id"}} == gold[row["id"]]
    columns = read_table(shards(tmp_path / PARQUET)[0]).to_pylist()
    for row in columns:
        expected = {**gold[row["id"]], "rung": str(gold[row["id"]]["rung"])}
        assert {key: row[key] for key in GOLD | {"id"}} == expected


def test_without_that_choice_no_shard_holds_answers(tars, parquet):
    from pyarrow.parquet import read_schema

    for path in shards(tars):
        with tarfile.open(path) as tar:
            for name in tar.getnames():
                if name.endswith(".json"):
                    assert set(json.load(tar.extractfile(name))) == {"id", "question", "choices"}
    for path in shards(parquet):
        assert not GOLD & set(read_schema(path).names)


def test_shards_keep_to_their_bound(tars, parquet):
    for folder in (tars, parquet):
        sizes = [path.stat().st_size for path in shards(folder)]
        assert len(sizes) > 2
        assert max(sizes) <= SHARD_BYTES
        listed = {shard["name"]: shard["bytes"] for shard in read_description(folder)["shards"]}
        assert listed == {f"data/{path.name}": path.stat().st_size for path in shards(folder)}


def test_names_of_splits_are_those_that_hugging_face_allows():
    assert Packing(PARQUET).shard_name("paper-test", 3, 12) == "data/paper_test-00003-of-00012.parquet"


@given(st.lists(st.integers(1, 100)), st.integers(1, 150))
def test_dealing_out(sizes, most):
    counts = plan_shards(sizes, most)
    parts = np.split(np.array(sizes), np.cumsum(counts)[:-1]) if counts else []
    assert sum(counts) == len(sizes)
    assert all(part.sum() <= most or len(part) == 1 for part in parts)
    # No shard could have taken the first sample of the next one.
    assert all(a.sum() + b[0] > most for a, b in pairwise(parts))


def test_the_same_bytes_every_time(small, tars, parquet, tmp_path, monkeypatch):
    monkeypatch.setattr("time.time", lambda: 1e9)
    for form, before in ((WEBDATASET, tars), (PARQUET, parquet)):
        export(small.folder, tmp_path / form, Packing(form, shard_bytes=SHARD_BYTES))
        assert hashes(tmp_path / form) == hashes(before)


def test_tar_headers_tell_nothing(tars):
    with tarfile.open(shards(tars)[0]) as tar:
        members = tar.getmembers()
    assert {(m.mtime, m.mode, m.uid, m.gid, m.uname, m.gname) for m in members} == {
        (315_532_800, 0o644, 0, 0, "", "")
    }
    assert all(m.isreg() and m.name.replace(".", "").isalnum() for m in members)


@pytest.mark.slow
@pytest.mark.parametrize("form", ["--shards=webdataset", "--parquet"])
def test_generate_packs_what_export_does(small, tars, parquet, tmp_path, form, capsys):
    out = tmp_path / "data"
    command = ["generate", *OPTIONS, form, f"--shard-bytes={SHARD_BYTES}", "--out", str(out)]
    assert run([*command, "--json"]) == 0
    summary = json.loads(capsys.readouterr().out)
    assert summary["fingerprint"] == small.description["fingerprint"]
    assert hashes(out) == hashes(parquet if form == "--parquet" else tars)
    assert [path.name for path in tmp_path.iterdir()] == ["data"]
    before = {path: path.stat().st_ino for path in out.rglob("*")}
    assert run(command) == 0
    assert {path: path.stat().st_ino for path in out.rglob("*")} == before
    assert run([*command, "--answers"]) == 2
    assert "something else already" in capsys.readouterr().err
    assert run([*command, "--answers", "--overwrite"]) == 0
    assert read_description(out)["packing"]["answers"] is True
    assert [path.name for path in tmp_path.iterdir()] == ["data"]


def test_a_full_disk_while_packing_keeps_the_recordings(tars, tmp_path, monkeypatch, capsys):
    command = [
        *OPTIONS,
        "--shards=webdataset",
        f"--shard-bytes={SHARD_BYTES}",
        "--out",
        str(tmp_path / "data"),
    ]

    def full(*_):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    with monkeypatch.context() as patch:
        patch.setattr("listenbench.packing.pack.write_tar", full)
        assert run(["generate", *command]) == 2
    assert "No space left on device; what is finished is kept" in capsys.readouterr().err
    assert [path.name for path in tmp_path.iterdir()] == [".data.partial"]
    # Nothing is rendered again.
    monkeypatch.setattr("listenbench.recording.Studio", None)
    assert run(["generate", *command]) == 0
    assert hashes(tmp_path / "data") == hashes(tars)


def test_what_needs_the_recordings_refuses_shards(packed, tmp_path):
    for function in (load, audit, lambda folder: merge([folder], tmp_path / "merged")):
        with pytest.raises(DataError, match="packed in shards"):
            function(packed)
    with pytest.raises(DataError, match="packed in shards"):
        export(packed, tmp_path / "again", Packing(PARQUET))


def test_shards_are_scored_with_the_key_beside_them(packed, small, tmp_path):
    predictions = tmp_path / "right.jsonl"
    gold = small.gold().values()
    predictions.write_text("".join(json.dumps({"id": r["id"], "answer": r["answer"]}) + "\n" for r in gold))
    assert score(predictions, packed).figures["acc_fs"].value == 1


def test_verify_names_what_was_altered(packed):
    assert verify(packed) == []
    first, second, *_ = shards(packed)
    data = bytearray(first.read_bytes())
    data[len(data) // 2] ^= 1
    first.write_bytes(data)
    second.unlink()
    (packed / "data" / "extra.tar").write_bytes(b"")
    assert [problem.removeprefix(str(packed)) for problem in verify(packed)] == [
        f"/data/{first.name}: changed: its SHA-256 is not the one in dataset.json",
        f"/data/{second.name}: missing",
        "/data/extra.tar: not part of the data set",
    ]


@pytest.mark.parametrize(
    "name", ["../secret.tar", "/etc/passwd", "data/../x.tar", "metadata.jsonl", None, 10**40]
)
def test_verify_reads_no_shard_outside(packed, name):
    path = packed / "dataset.json"
    description = json.loads(path.read_text())
    description["shards"][0]["name"] = name
    path.write_text(json.dumps(description))
    assert any("no shard" in problem for problem in verify(packed))


def test_a_link_in_place_of_shards(packed, tmp_path):
    shard = shards(packed)[0]
    shard.rename(tmp_path / "elsewhere")
    shard.symlink_to(tmp_path / "elsewhere")
    assert verify(packed) == [f"{shard}: a link: a data set holds files and folders alone"]
    (packed / "data").rename(tmp_path / "folder")
    (packed / "data").symlink_to(tmp_path / "folder")
    assert any("a link" in problem for problem in verify(packed))


def damage_recording(folder):
    path = next((folder / "audio").iterdir())
    path.write_bytes(path.read_bytes()[:-1] + b"x")


def link_recording(folder):
    path = next((folder / "audio").iterdir())
    path.rename(folder.parent / "elsewhere.wav")
    path.symlink_to(folder.parent / "elsewhere.wav")


def damage_table(folder):
    path = folder / "gold.jsonl"
    path.write_text(path.read_text().replace('"A"', '"B"', 1))


def rename_split(folder):
    path = folder / "dataset.json"
    path.write_text(path.read_text().replace('"name": "test"', '"name": "../../test"'))


@pytest.mark.parametrize(
    ("damage", "message"),
    [
        (damage_recording, "changed: its SHA-256"),
        (link_recording, "a link"),
        (damage_table, "a table was changed"),
        (rename_split, "the split in dataset.json is damaged"),
    ],
)
def test_damaged_data_sets_are_not_packed(small, tmp_path, damage, message):
    copy = shutil.copytree(small.folder, tmp_path / "copy")
    damage(copy)
    with pytest.raises(DataError, match=message):
        export(copy, tmp_path / "out" / "packed", Packing(WEBDATASET))
    assert [path for path in tmp_path.rglob("*") if "packed" in path.name] == []


@pytest.mark.parametrize("out", ["data", "link/data", "data/packed", "{}/data", "{}/link/data", "."])
def test_what_is_packed_is_never_written_to(small, tmp_path, capsys, monkeypatch, out):
    monkeypatch.chdir(tmp_path)
    shutil.copytree(small.folder, tmp_path / "outer" / "data")
    # What is replaced goes with all that is in it.
    shutil.copy(small.folder / "dataset.json", tmp_path / "outer")
    (tmp_path / "outer" / "link").symlink_to(".")
    place = out.format(f"file://{tmp_path}/outer") if "{}" in out else str(tmp_path / "outer" / out)
    options = ["--shards=webdataset", "--overwrite", "--out", place]
    assert run(["export", str(tmp_path / "outer" / "data"), *options]) == 2
    assert "can't be packed in its own place" in capsys.readouterr().err
    assert verify(tmp_path / "outer" / "data") == []
    assert sorted(path.name for path in (tmp_path / "outer").iterdir()) == ["data", "dataset.json", "link"]


def test_wrong_requests(small, tmp_path, capsys):
    def refused(*arguments):
        assert run([str(argument) for argument in arguments]) == 2
        return capsys.readouterr().err

    out = tmp_path / "out"
    assert "give --shards webdataset or --parquet" in refused("export", small.folder, "--out", out)
    assert "two ways" in refused("export", small.folder, "--out", out, "--shards=webdataset", "--parquet")
    assert "shard-bytes" in refused("export", small.folder, "--out", out, "--parquet", "--shard-bytes", 10)
    assert "belong to" in refused("generate", *OPTIONS, "--answers", "--out", out)
    assert "shards" in refused("generate", *OPTIONS, "--out", "s3://bucket/data")
    assert "own place" in refused("export", small.folder, "--parquet", "--overwrite", "--out", small.folder)
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "file").touch()
    assert "something else" in refused("export", small.folder, "--parquet", "--out", tmp_path / "other")
    assert "no data set" in refused(
        "export", small.folder, "--parquet", "--overwrite", "--out", tmp_path / "other"
    )
    with pytest.raises(SpecError, match="'zip' is not known"):
        Packing("zip")
    assert [path.name for path in tmp_path.iterdir()] == ["other"]
    assert verify(small.folder) == []


@pytest.mark.parametrize(
    ("module", "options"),
    [("pyarrow", ["--parquet", "--out", "packed"]), ("fsspec", ["--parquet", "--out", "memory://packed"])],
)
def test_a_missing_extra_is_named_before_any_work(tmp_path, module, options):
    program = f"import sys; sys.modules['{module}'] = None; from listenbench.cli import main; main()"
    command = [sys.executable, "-c", program, "generate", *OPTIONS, *options]
    result = subprocess.run(command, capture_output=True, text=True, check=False, cwd=tmp_path)
    assert result.returncode == 2
    assert result.stderr.count("\n") == 1
    assert f"needs {module}" in result.stderr
    assert "pip install --editable '.[formats]'" in result.stderr
    assert list(tmp_path.iterdir()) == []
