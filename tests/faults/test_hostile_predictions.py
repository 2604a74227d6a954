"""Predictions files made to lead elsewhere: told in one line, and nothing but their lines is read."""

import json
import os

import pytest

from listenbench.cli import run
from listenbench.generation import generate
from listenbench.listeners import predict, write_predictions

HOSTILE_IDS = [
    "../../../etc/passwd",
    "/etc/passwd",
    "audio/../../secret",
    "\\\\host\\share",
    "file:///etc/passwd",
]
NUMBERS = ["1e999", "-1e999", "NaN", "Infinity", "9" * 400, "9" * 5000, "1e-999"]


@pytest.fixture(scope="module")
def data(tmp_path_factory):
    return generate("test", 0, tmp_path_factory.mktemp("data") / "data", items=1, tasks=["harmony"])


@pytest.fixture
def predictions(data, tmp_path):
    path = tmp_path / "predictions.jsonl"
    write_predictions(path, "always-a", predict("always-a", data))
    return path


@pytest.fixture
def refused(capsys):
    """Give what runs a command that must end in one line."""

    def end(*arguments):
        assert run([str(argument) for argument in arguments]) == 2
        captured = capsys.readouterr()
        assert captured.err.count("\n") == 1
        assert captured.err.startswith("listenbench: ")
        return captured.err

    return end


@pytest.mark.parametrize("identifier", HOSTILE_IDS)
def test_ids_that_lead_elsewhere_are_no_files(data, predictions, refused, tmp_path, identifier):
    (tmp_path / "secret").write_text("secret")
    with predictions.open("a") as file:
        file.write(json.dumps({"id": identifier, "answer": "A"}) + "\n")
    before = sorted(tmp_path.iterdir())
    error = refused("score", predictions, "--data", data.folder)
    assert f"{predictions.name}:" in error
    assert sorted(tmp_path.iterdir()) == before


@pytest.mark.parametrize("number", NUMBERS)
@pytest.mark.parametrize("line", ['{{"id": {}, "answer": "A"}}', '{{"id": "x", "answer": {}}}', "{}"])
def test_huge_numbers_in_place_of_texts(data, predictions, refused, line, number):
    with predictions.open("a") as file:
        file.write(line.format(number) + "\n")
    assert predictions.name in refused("score", predictions, "--data", data.folder)


@pytest.mark.parametrize("number", NUMBERS)
def test_huge_log_probabilities_end_in_a_score_or_in_one_line(data, predictions, number, capsys):
    lines = [json.dumps({"id": item.id, "logprobs": {"A": 0, "B": -1}}) for item in data]
    lines[0] = lines[0].replace("-1", number)
    predictions.write_text("\n".join(lines) + "\n")
    status = run(["score", str(predictions), "--data", str(data.folder)])
    captured = capsys.readouterr()
    assert status == 2 or "coverage" in captured.out
    assert "Traceback" not in captured.err


@pytest.mark.parametrize("out", ["/proc/score.json", "missing/folder/score.json"])
def test_figures_are_written_where_they_are_asked_for_or_not_at_all(
    data, predictions, refused, tmp_path, out
):
    before = sorted(tmp_path.iterdir())
    refused("score", predictions, "--data", data.folder, "--json", tmp_path / out)
    assert sorted(tmp_path.iterdir()) == before


def test_a_submission_that_is_a_link_is_not_read(data, tmp_path, capsys):
    folder = tmp_path / "submissions"
    folder.mkdir()
    secret = tmp_path / "secret"
    secret.write_text("the secret text\n")
    (folder / "team.jsonl").symlink_to(secret)
    out = tmp_path / "leaderboard.html"
    run(["leaderboard", str(folder), "--data", str(data.folder), "--out", str(out)])
    captured = capsys.readouterr()
    assert "team.jsonl: a link" in captured.out + captured.err
    assert "secret text" not in captured.out + captured.err


def test_a_pipe_or_a_folder_in_place_of_predictions(data, refused, tmp_path):
    (tmp_path / "folder.jsonl").mkdir()
    refused("score", tmp_path / "folder.jsonl", "--data", data.folder)
    refused("score", "/dev/null", "--data", data.folder, "--strict")
    os.mkfifo(tmp_path / "key")
    refused("score", tmp_path / "folder.jsonl", "--data", tmp_path)
