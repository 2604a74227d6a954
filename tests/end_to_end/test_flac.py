"""FLAC holds the samples of WAV, with the same bytes every time and nothing beside them."""

import errno
import os
import shutil

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from pedalboard.io import AudioFile

from listenbench.audio import FLAC, WAV, encoded, read_samples
from listenbench.audit.evidence import read_evidence
from listenbench.audit.leaks import check_leaks
from listenbench.audit.run import audit
from listenbench.dataset import file_sha256, load
from listenbench.errors import DataError, SpecError
from listenbench.generation import generate
from listenbench.listeners import predict
from listenbench.merging import merge
from listenbench.models.presentation import CONDITIONS, WITHOUT_SOUND, pause_samples, shown_recording
from listenbench.verify import verify

OPTIONS = {"items": 1, "tasks": ["harmony", "rhythm"]}


@pytest.fixture(scope="module")
def both(tmp_path_factory):
    folder = tmp_path_factory.mktemp("formats")
    return [generate("test", 0, folder / name, audio_format=name, **OPTIONS) for name in (WAV, FLAC)]


@pytest.fixture(scope="module")
def flac(both):
    return both[1]


@pytest.fixture
def copied(flac, tmp_path):
    return load(shutil.copytree(flac.folder, tmp_path / "copy"))


def test_the_samples_are_those_of_wav(both):
    for wav, flac in zip(*both, strict=True):
        assert flac.path.name == f"{wav.id}.flac"
        assert np.array_equal(flac.samples(), wav.samples())
        assert np.array_equal(flac.audio, wav.audio)
        with AudioFile(str(flac.path)) as file, AudioFile(str(wav.path)) as other:
            assert (file.samplerate, file.num_channels, file.file_dtype) == (44_100, 1, "int16")
            assert np.array_equal(file.read(file.frames), other.read(other.frames))


def test_only_names_and_hashes_of_files_differ(both):
    assert [data.description["audio_format"] for data in both] == [WAV, FLAC]
    assert both[0].gold() == both[1].gold()
    manifests = [data.manifest() for data in both]
    for data, manifest in zip(both, manifests, strict=True):
        for item in data:
            assert manifest[item.id].pop("sha256") == file_sha256(item.path)
    assert manifests[0] == manifests[1]
    assert both[0].description["fingerprint"] != both[1].description["fingerprint"]


def test_the_space_is_less_than_half(both):
    sizes = [sum(item.path.stat().st_size for item in data) for data in both]
    assert sizes[1] < 0.5 * sizes[0]


def test_joined_parts_are_the_whole(flac, tmp_path):
    parts = [
        generate("test", 0, tmp_path / str(i), shard=f"{i}/2", audio_format=FLAC, **OPTIONS).folder
        for i in (1, 2)
    ]
    joined = merge(parts, tmp_path / "joined")
    assert joined.description == flac.description
    assert [file_sha256(item.path) for item in joined] == [file_sha256(item.path) for item in flac]
    wav = generate("test", 0, tmp_path / "wav", shard="2/2", **OPTIONS).folder
    with pytest.raises(DataError, match="audio_format"):
        merge([parts[0], wav], tmp_path / "mixed")


def test_work_that_a_full_disk_interrupts_is_kept(flac, tmp_path, monkeypatch):
    def full(*_):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    out = tmp_path / "data"
    with monkeypatch.context() as patch:
        patch.setattr("listenbench.generation.finish", full)
        with pytest.raises(DataError, match="No space left on device; what is finished is kept"):
            generate("test", 0, out, audio_format=FLAC, **OPTIONS)
    made = {path.name: path.stat().st_ino for path in tmp_path.glob(".data.partial/*/data/audio/*.flac")}
    assert len(made) == len(flac)
    again = generate("test", 0, out, audio_format=FLAC, **OPTIONS)
    assert {item.path.name: item.path.stat().st_ino for item in again} == made
    assert again.description == flac.description


def test_listeners_hear_the_same(both):
    answers = [list(predict("dsp", data)) for data in both]
    assert answers[0] == answers[1]


@pytest.mark.parametrize("condition", [c for c in CONDITIONS if c not in WITHOUT_SOUND])
def test_models_are_sent_the_same(both, condition):
    pause = pause_samples(both[0])
    wav, flac = (next(iter(data)) for data in both)
    assert shown_recording(flac, condition, pause) == shown_recording(wav, condition, pause)


@given(arrays(np.int16, st.integers(1, 10_000), elements=st.integers(-(2**15), 2**15 - 1)))
def test_every_sample_comes_back(tmp_path_factory, samples):
    path = tmp_path_factory.getbasetemp() / "any.flac"
    data = encoded(samples, FLAC)
    path.write_bytes(data)
    assert np.array_equal(read_samples(path), samples)
    assert encoded(samples, FLAC) == data


def test_a_header_without_tags(flac):
    for item in flac:
        data = item.path.read_bytes()
        # The marker, and STREAMINFO as the last block of metadata; then the sync code of the first frame.
        assert data[:8] == b"fLaC\x80\x00\x00\x22"
        assert data[42:44] == b"\xff\xf8"


def test_nothing_leaks(flac):
    assert verify(flac.folder) == []
    evidence = read_evidence(flac.folder)
    assert [check.name for check in check_leaks(evidence) if not check.passed] == []
    checks = [check for check in audit(flac.folder) if check.section in ("files", "realised")]
    assert [check.name for check in checks if not check.passed] == []


def leaks(folder):
    return {check.name for check in check_leaks(read_evidence(folder)) if not check.passed}


def test_hidden_bytes_are_found(copied):
    path = next(iter(copied)).path
    data = path.read_bytes()
    path.write_bytes(data + b"the answer is A")
    assert "files that hold anything but their samples" in leaks(copied.folder)
    comment = b"\x84\x00\x00\x10" + b"\x00\x00\x00\x00\x01\x00\x00\x00\x04\x00\x00\x00" + b"A=is"
    path.write_bytes(data[:4] + b"\x00" + data[5:42] + comment + data[42:])
    assert np.array_equal(read_samples(path), next(iter(copied)).samples())
    assert "headers with anything but the format" in leaks(copied.folder)


@pytest.mark.parametrize(
    ("damage", "message"),
    [
        (lambda data: data[: len(data) // 2], "not a whole FLAC file"),
        (
            lambda data: data[:21] + bytes([data[21] | 0x0F]) + b"\xff" * 4 + data[26:],
            "not a whole FLAC file",
        ),
        (lambda data: data[:42], "not a whole FLAC file"),
        (lambda data: data[:30], "not a whole FLAC file"),
        (lambda _: b"", "not a whole FLAC file"),
        (lambda _: encoded(np.zeros(100, np.int16)), "not 16-bit FLAC"),
    ],
    ids=["half a file", "2**36 samples", "no samples", "half a header", "empty", "a WAV file"],
)
def test_damaged_files_are_refused(copied, damage, message):
    item = next(iter(copied))
    item.path.write_bytes(damage(item.path.read_bytes()))
    with pytest.raises(DataError, match=f"{item.path.name}: {message}"):
        item.audio  # noqa: B018 # reading the attribute reads the file
    assert any(item.path.name in problem for problem in verify(copied.folder))


def test_unknown_formats(tmp_path, copied):
    with pytest.raises(SpecError, match="format: 'mp3' is not known; there are wav, flac"):
        generate("test", 0, tmp_path / "data", audio_format="mp3")
    path = copied.folder / "dataset.json"
    path.write_text(path.read_text().replace('"audio_format": "flac"', '"audio_format": "../x"'))
    for function in (load, verify):
        with pytest.raises(DataError, match="'audio_format' is none of wav, flac"):
            function(copied.folder)
