"""Every damage that is planted in a data set is found out, and nothing is found in a sound one."""

import json
import wave
from dataclasses import replace

import numpy as np
import pytest

from listenbench.audit.balance import check_balance
from listenbench.audit.check import failures
from listenbench.audit.contamination import check_contamination
from listenbench.audit.distinct import check_distinct
from listenbench.audit.evidence import read_evidence
from listenbench.audit.labels import check_files, check_labels
from listenbench.audit.leaks import check_leaks
from listenbench.audit.realised import check_realised
from listenbench.audit.shortcuts import check_shortcuts
from listenbench.audit.sound import measure
from listenbench.commands.audit import command
from listenbench.dataset import GOLD, MANIFEST, METADATA
from listenbench.errors import DataError


def failed(checks):
    return " | ".join(f"{check.name} {check.items}" for check in failures(list(checks)))


def measured_again(evidence, sounds, *rows):
    paths = {record.id: record.item.path for record in evidence.records}
    new = {row["id"]: measure(paths[row["id"]], evidence.split.silence_seconds) for row in rows}
    return {**sounds, **new}


def test_a_sound_data_set_passes_every_check(evidence, sounds):
    checks = [
        *check_files(evidence),
        *check_labels(evidence),
        *check_balance(evidence),
        *check_distinct(evidence, sounds),
        *check_shortcuts(evidence, sounds),
        *check_leaks(evidence),
    ]
    assert len(checks) > 50
    assert not failed(checks)


@pytest.mark.slow
def test_what_is_realised_is_what_was_intended(evidence, sounds):
    checks = list(check_realised(evidence, sounds, everything=True))
    assert len(checks) >= 14 + 3
    assert not failed(checks)


@pytest.mark.parametrize("condition", ["clean", "flip", "stay"])
def test_a_swapped_label_contradicts_the_symbols(copy, condition):
    for table in (GOLD, MANIFEST):
        row = copy.row(table, condition)
        row["answer"] = "B" if row["answer"] == "A" else "A"
    evidence = copy.save()
    assert not failed(check_files(evidence))
    found = failed(check_labels(evidence))
    assert row["id"] in found
    assert row["item"] in found


def test_a_label_swapped_in_the_key_alone_contradicts_the_manifest(copy):
    row = copy.row(GOLD, "clean")
    row["answer"] = "B" if row["answer"] == "A" else "A"
    assert row["id"] in failed(check_files(copy.save()))


def test_a_missing_file_is_named(copy):
    row = copy.row(GOLD, "flip")
    copy.path(row).unlink()
    assert row["id"] in failed(check_files(copy.save()))


def test_a_file_0_1_s_shorter_stands_out_by_its_size(copy):
    row = copy.row(GOLD, "stay", "timbre")
    with wave.open(str(copy.path(row)), "rb") as file:
        layout, samples = file.getparams(), file.readframes(file.getnframes())
    with wave.open(str(copy.path(row)), "wb") as file:
        file.setparams(layout)
        file.writeframes(samples[: -2 * 4410])
    assert row["id"] in failed(check_leaks(copy.save()))


def test_an_item_with_the_music_and_sound_of_another_is_found(copy, sounds):
    first, second = (copy.row(MANIFEST, "clean", "harmony", number) for number in (0, 1))
    second["content"] = first["content"]
    copy.path(second).write_bytes(copy.path(first).read_bytes())
    evidence = copy.save()
    checks = list(check_distinct(evidence, measured_again(evidence, sounds, second)))
    items = len({record.name for record in evidence.of("harmony")})
    figures = {check.name: check.figure for check in checks}
    for name in ("symbolic content used twice", "clips with the same samples"):
        assert figures[f"harmony: {name}"] == f"2 of {items}"
    found = failed(checks)
    for name in ("used twice", "clips with the same samples", "recordings with the same samples"):
        assert name in found
    assert first["item"] in found
    assert second["item"] in found


def test_nearly_the_same_sound_is_found_by_its_fingerprint(copy, sounds):
    first, second = (copy.row(MANIFEST, "clean", "melody", number) for number in (0, 1))
    with wave.open(str(copy.path(first)), "rb") as file:
        layout, data = file.getparams(), file.readframes(file.getnframes())
    louder = np.frombuffer(data, "<i2") + np.frombuffer(data, "<i2") // 20
    with wave.open(str(copy.path(second)), "wb") as file:
        file.setparams(layout)
        file.writeframes(louder.astype("<i2").tobytes())
    evidence = copy.save()
    found = failed(check_distinct(evidence, measured_again(evidence, sounds, second)))
    assert "fingerprint" in found
    assert "same samples" not in found


def test_a_duplicate_across_data_sets_is_found(evidence, sounds):
    other = replace(evidence, records=tuple(r for r in evidence.records if r.task == "melody")[:1])
    found = failed(check_contamination(evidence, other, sounds, sounds))
    for name in ("soundfonts", "SHA-256", "sounding pitches", "contents", "same samples"):
        assert name in found
    assert other.records[0].name in found


def test_a_soundfont_of_the_other_split_is_found(copy, sounds):
    row = copy.row(MANIFEST, "clean", "timbre")
    for clip in ("clip_a", "clip_b"):
        row[clip]["soundfont"] = "fluidr3-gm"
    tampered = copy.save()
    guilty = tuple(r for r in tampered.records if r.id == row["id"])
    other = replace(tampered, records=guilty, description={"soundfonts": {"fluidr3-gm": {"sha256": "0"}}})
    rest = replace(tampered, records=tuple(r for r in tampered.records if r.task == "rhythm"))
    assert "soundfonts" not in failed(check_contamination(rest, other, sounds, {}))
    mixed = replace(tampered, records=(*rest.records, *guilty))
    assert row["id"] in failed(check_contamination(mixed, other, sounds, {}))


def test_train_and_test_have_nothing_in_common(evidence, sounds, tmp_path):
    from listenbench import generate
    from listenbench.audit.sound import measure_all

    folder = generate("train", seed=20_017, out=tmp_path / "train", items=2).folder
    train = read_evidence(folder)
    paths = {record.id: record.item.path for record in train.records}
    theirs, _ = measure_all(paths, train.split.silence_seconds, 1, progress=False)
    assert not failed(check_contamination(evidence, train, sounds, theirs))


def test_a_wrong_tempo_is_measured(copy, sounds):
    row = copy.row(MANIFEST, "flip", "rhythm")
    row["clip_b"]["clip"]["beat"] *= 1.1
    evidence = copy.save()
    alone = replace(evidence, records=tuple(r for r in evidence.records if r.id == row["id"]))
    assert row["id"] in failed(check_realised(alone, {row["id"]: sounds[row["id"]]}, everything=True))


def test_a_room_that_was_not_the_one_noted_is_measured(evidence):
    from listenbench.audit.realised import REPLAY_LIMIT_DB, replay_error_db

    clean = {r.name: r for r in evidence.records if r.condition == "clean"}
    wet = [r for r in evidence.records if r.condition == "stay" and r.changes[0]["effect"] == "room"]
    record = wet[0]
    assert replay_error_db(record, clean[record.name], -23.0) < REPLAY_LIMIT_DB
    manifest = json.loads(json.dumps(record.manifest))
    manifest["clip_b"]["changes"][0]["parameters"]["rt60_s"] = 0.7
    assert replay_error_db(replace(record, manifest=manifest), clean[record.name], -23.0) > REPLAY_LIMIT_DB


def test_a_take_that_starts_again_is_found(copy):
    row = copy.row(MANIFEST, "flip", "rhythm")
    take = row["clip_b"]["take"]
    take["onset_seconds"] = take["onset_seconds"][:3]
    take["velocity_steps"] = take["velocity_steps"][:3]
    found = failed(check_leaks(copy.save()))
    assert "takes shorter than a clip" in found
    assert row["item"] in found


def test_a_telling_key_and_a_telling_header_are_found(copy):
    copy.tables[METADATA][0]["rung"] = 100
    row = copy.row(GOLD, "clean")
    data = copy.path(row).read_bytes()
    copy.path(row).write_bytes(data + b"LIST\x04\x00\x00\x00flip")
    found = failed(check_leaks(copy.save()))
    assert copy.tables[METADATA][0]["id"] in found
    assert row["id"] in found
    assert "modification times" in found


def test_rows_that_are_damaged_are_named_by_line(copy):
    del copy.tables[MANIFEST][2]["clip_b"]
    with pytest.raises(DataError, match=r"metadata\.jsonl, line 3"):
        copy.save()


def test_the_command_tells_failure_and_bad_input_apart(copy, tmp_path, capsys):
    files = [str(tmp_path / name) for name in ("audit.json", "audit.html")]
    row = copy.row(GOLD, "clean")
    row["answer"] = "B" if row["answer"] == "A" else "A"
    copy.save()
    arguments = [str(copy.folder), "--workers", "1", "--json", files[0], "--html", files[1]]
    assert command.main(arguments, standalone_mode=False) == 1
    assert "FAILS" in capsys.readouterr().out
    report = json.loads((tmp_path / "audit.json").read_text())
    assert report["passed"] is False
    assert any(row["id"] in item for check in report["checks"] for item in check["items"])
    assert row["id"] in (tmp_path / "audit.html").read_text()
    assert command.main([str(copy.folder), "--workers", "1", "--json"], standalone_mode=False) == 1
    assert json.loads(capsys.readouterr().out) == report
    with pytest.raises(DataError, match="nothing"):
        command.main([str(tmp_path / "nothing")], standalone_mode=False)


@pytest.mark.slow
def test_the_command_succeeds_on_a_sound_data_set(audited, capsys):
    assert command.main([str(audited), "--workers", "1"], standalone_mode=False) == 0
    assert "0 failed" in capsys.readouterr().out
