"""The Croissant description, as mlcroissant of MLCommons reads it."""

import json
import shutil
import subprocess
import sys

import pytest

from listenbench.audit.evidence import read_evidence
from listenbench.audit.leaks import check_leaks
from listenbench.croissant import croissant
from listenbench.dataset import file_sha256, load
from listenbench.splits import load_split
from listenbench.verify import verify

pytestmark = [
    pytest.mark.usefixtures("_no_network"),
    # What mlcroissant's own libraries say to each other.
    pytest.mark.filterwarnings("ignore::DeprecationWarning:rdflib"),
    pytest.mark.filterwarnings("ignore::DeprecationWarning:mlcroissant"),
    pytest.mark.filterwarnings("ignore::ResourceWarning:mlcroissant"),
]


@pytest.fixture
def copied(small, tmp_path):
    return load(shutil.copytree(small.folder, tmp_path / "copy"))


def validated(path):
    """Return the description as mlcroissant understands it; an error would be raised."""
    import mlcroissant

    return mlcroissant.Dataset(jsonld=str(path))


def test_the_rows_are_those_of_the_data_set(small):
    dataset = validated(small.folder / "croissant.json")
    rows = list(dataset.records("recordings"))
    assert [row["recordings/id"].decode() for row in rows] == [item.id for item in small]
    for row, item in zip(rows, small, strict=True):
        assert row["recordings/question"].decode() == item.question
        assert tuple(choice.decode() for choice in row["recordings/choices"]) == item.choices
        assert small.folder / row["recordings/file_name"].decode() == item.path


def test_nothing_is_wrong_and_only_the_date_is_missing(small):
    issues = validated(small.folder / "croissant.json").metadata.ctx.issues
    assert not issues.errors
    assert len(issues.warnings) == 1
    assert "datePublished" in issues.report()


@pytest.mark.parametrize(("split", "audio_format"), [("train", "flac"), ("paper-test", "wav")])
def test_other_splits_and_formats_are_valid(tmp_path, split, audio_format):
    path = tmp_path / "croissant.json"
    document = croissant(load_split(split), (f"audio/*.{audio_format}", f"audio/{audio_format}"), "0" * 64)
    path.write_text(json.dumps(document))
    metadata = validated(path).metadata
    assert not metadata.ctx.issues.errors
    (files,) = metadata.file_sets
    assert files.includes == [f"audio/*.{audio_format}"]


def test_the_licences_of_audio_code_and_soundfonts(small):
    names = [work.name for work in validated(small.folder / "croissant.json").metadata.license]
    assert len(names) == 3
    for word, name in zip(("Recordings", "Code", "MuseScore General"), names, strict=True):
        assert word in name
        assert ": " in name
    train = load_split("train")
    licences = croissant(train, ("audio/*.wav", "audio/wav"), "")["license"]
    assert len(licences) == 2 + len(train.soundfonts)


def test_the_files_are_those_of_the_data_set(small):
    (table,) = validated(small.folder / "croissant.json").metadata.file_objects
    assert table.sha256 == file_sha256(small.folder / "metadata.jsonl")
    assert small.description["croissant"] == file_sha256(small.folder / "croissant.json")


def test_no_answer_stands_in_it(small):
    text = (small.folder / "croissant.json").read_text()
    for row in small.gold().values():
        assert row["id"] not in text
        assert row["item"] not in text
    columns = [field["name"] for field in json.loads(text)["recordSet"][0]["field"]]
    assert columns == ["id", "file_name", "question", "choices"]
    assert [c.name for c in check_leaks(read_evidence(small.folder)) if not c.passed] == []


def test_a_leak_in_it_is_found(copied):
    path = copied.folder / "croissant.json"
    document = json.loads(path.read_text())
    field = dict(document["recordSet"][0]["field"][0])
    field["source"] = {"fileObject": {"@id": "gold.jsonl"}, "extract": {"column": "answer"}}
    document["recordSet"][0]["field"].append(field)
    document["description"] += f" {next(iter(copied)).id} is A."
    path.write_text(json.dumps(document))
    failed = [c for c in check_leaks(read_evidence(copied.folder)) if not c.passed]
    assert [c.items for c in failed] == [(next(iter(copied)).id,), ("answer",)]


def test_verify_knows_the_file(copied):
    path = copied.folder / "croissant.json"
    assert verify(copied.folder) == []
    text = path.read_text()
    path.write_text(text + " ")
    assert verify(copied.folder) == [f"{path}: changed: its SHA-256 is not the one in dataset.json"]
    path.unlink()
    assert verify(copied.folder) == [f"{path}: missing"]
    path.write_text(text)
    description = copied.folder / "dataset.json"
    content = json.loads(description.read_text())
    del content["croissant"]
    description.write_text(json.dumps(content))
    assert verify(copied.folder) == [f"{path}: not part of the data set"]


def test_writing_it_takes_no_library():
    program = "import sys, listenbench.finishing; assert 'mlcroissant' not in sys.modules"
    subprocess.run([sys.executable, "-c", program], check=True)
