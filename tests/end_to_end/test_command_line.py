"""The command line as a user meets it: help, errors of one line, exit statuses."""

import json
import os
import re
import shlex
import shutil
import subprocess
import sys

import click
import pytest

from listenbench.cli import COMMANDS, cli
from listenbench.cli import run as run_here
from listenbench.dataset import load
from listenbench.generation import generate
from listenbench.verify import verify


def run(*arguments, cwd=None, **environment):
    return subprocess.run(
        [sys.executable, "-m", "listenbench", *map(str, arguments)],
        capture_output=True,
        text=True,
        check=False,
        cwd=cwd,
        env={**os.environ, **environment},
    )


def assert_one_line_error(result, *words):
    assert result.returncode == 2
    assert result.stdout == ""
    assert result.stderr.count("\n") == 1
    assert result.stderr.startswith("listenbench: ")
    for word in words:
        assert word in result.stderr


@pytest.fixture(scope="module")
def dataset(tmp_path_factory):
    return generate("test", 0, tmp_path_factory.mktemp("cli") / "data", items=2, tasks=["rhythm"])


@pytest.mark.parametrize("name", sorted(COMMANDS))
def test_every_command_shows_an_example(name):
    result = run(name, "--help")
    assert result.returncode == 0
    assert "Example" in result.stdout
    assert re.search(rf"^ {{4,}}listenbench {name}\b", result.stdout, re.MULTILINE)  # on a line of its own


def test_a_listener_names_the_data_set_that_it_answered(dataset, tmp_path):
    out = tmp_path / "always-a.jsonl"
    assert run("baseline", "always-a", "--data", dataset.folder, "--out", out).returncode == 0
    meta = json.loads(out.read_text().splitlines()[0])["meta"]
    assert meta["dataset_fingerprint"] == dataset.description["fingerprint"]


def test_help_names_every_command():
    result = run("--help")
    assert all(name in result.stdout for name in COMMANDS)


def all_commands(group, *names):
    context = click.Context(group)
    for word in group.list_commands(context):
        command = group.get_command(context, word)
        yield " ".join([*names, word]), command
        if isinstance(command, click.Group):
            yield from all_commands(command, *names, word)


def test_json_is_an_option_without_a_value_everywhere():
    options = {
        name: option
        for name, command in all_commands(cli)
        for option in command.params
        if "--json" in option.opts
    }
    assert {"score", "audit", "generate", "splits show", "show"} <= set(options)
    assert [
        name for name, option in options.items() if not (option.is_flag or option.flag_value == "-")
    ] == []


@pytest.fixture
def answers(dataset, tmp_path):
    path = tmp_path / "answers.jsonl"
    assert run("baseline", "always-a", "--data", dataset.folder, "--out", path).returncode == 0
    return path


def test_json_takes_the_place_of_the_text_or_stands_in_a_file_beside_it(dataset, answers, tmp_path):
    call = ("score", answers, "--data", dataset.folder, "--resamples", "100")
    printed = run(*call, "--json")
    assert json.loads(printed.stdout)["schema"] == "listenbench.score/1"
    for target in (("--json", "score.json"), ("--json=score.json",)):
        beside = run(*call, *target, cwd=tmp_path)
        assert (beside.returncode, beside.stderr) == (0, "")
        assert beside.stdout == run(*call).stdout
        assert (tmp_path / "score.json").read_text() == printed.stdout


@pytest.mark.parametrize("names", [("answers.jsonl",), ("answers.json", "answers.jsonl")])
def test_json_before_the_predictions_never_writes_over_them(dataset, answers, names):
    (answers.parent / "answers.json").write_bytes(answers.read_bytes())
    before = {path.name: path.read_bytes() for path in answers.parent.iterdir()}
    result = run("score", "--json", *names, "--data", dataset.folder, cwd=answers.parent)
    assert_one_line_error(result, "--json", names[0])
    assert {path.name: path.read_bytes() for path in answers.parent.iterdir()} == before


@pytest.mark.parametrize("program", ["import listenbench", "from listenbench.cli import cli"])
def test_starting_imports_no_heavy_library(program):
    heavy = "{'music21', 'scipy', 'pedalboard', 'pyroomacoustics', 'soundfile', 'pydantic', 'fluidsynth'}"
    check = f"import sys; {program}; print(*sorted({heavy} & set(sys.modules)))"
    result = subprocess.run([sys.executable, "-c", check], capture_output=True, text=True, check=False)
    assert (result.returncode, result.stdout) == (0, "\n"), result.stderr


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ((), ["Missing command"]),
        (("nosuch",), ["nosuch"]),
        (("generate",), ["--split"]),
        (("generate", "--split", "nosuch"), ["nosuch", "test, train"]),
        (("generate", "--split", "nosuch.toml"), ["nosuch.toml"]),
        (("generate", "--split", "test", "--seed", "pi"), ["pi", "--seed"]),
        (("generate", "--split", "test", "--seed", "-4"), ["-4", "outside"]),
        (("generate", "--split", "test", "--items", "0"), ["items"]),
        (("generate", "--split", "test", "--items", "9" * 20), ["items", "10,000,000"]),
        (("generate", "--split", "test", "--tasks", "opera"), ["opera", "melody"]),
        (("generate", "--split", "test", "--variants", "dirty"), ["dirty", "clean"]),
        (("generate", "--split", "test", "--workers", "0"), ["workers"]),
        (("verify", "nowhere"), ["nowhere", "dataset.json"]),
        (("baseline", "always-c", "--data", "x", "--out", "y"), ["always-c"]),
        (("baseline", "always-a", "--data", "nowhere", "--out", "y"), ["nowhere"]),
        (("score", "nowhere.jsonl", "--data", "nowhere"), ["nowhere"]),
        (("score", "nowhere.jsonl", "--key", "n" * 300), ["nnn", "too long"]),
        (("verify", "n" * 300), ["nnn", "too long"]),
        (("generate", "--split", "test", "--items", "1", "--out", "n" * 300), ["nnn", "too long"]),
    ],
)
def test_wrong_calls_end_in_one_line(tmp_path, arguments, words):
    assert_one_line_error(run(*arguments, cwd=tmp_path), *words)
    assert list(tmp_path.iterdir()) == []


def test_a_missing_soundfont_says_how_to_get_it(tmp_path):
    (tmp_path / "split.toml").write_text(
        """
        name = "own"
        items = 2
        variants = ["clean"]
        soundfonts = ["generaluser-gs"]
        [tasks.rhythm]
        window_seconds = 4.0
        rungs = [1.5]
        stay = ["hiss"]
        """
    )
    environment = {"HOME": str(tmp_path), "XDG_DATA_HOME": str(tmp_path / "none")}
    result = run("generate", "--split", "split.toml", cwd=tmp_path, **environment)
    assert_one_line_error(result, "generaluser-gs", "soundfonts fetch generaluser-gs")
    assert not (tmp_path / "data").exists()


def test_a_folder_that_cannot_be_made(tmp_path):
    (tmp_path / "file").write_text("not a folder")
    result = run(
        "generate", "--split", "test", "--items", 1, "--tasks", "rhythm", "--out", tmp_path / "file" / "data"
    )
    assert_one_line_error(result, "can't write")


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("{", ["p.jsonl:1:"]),
        ('{"id": "nosuch", "answer": "A"}', ["p.jsonl:1:", "nosuch"]),
        ("[1]", ["p.jsonl:1:"]),
        ('{"answer": "A"}', ["p.jsonl:1:"]),
    ],
)
def test_malformed_predictions(tmp_path, dataset, text, words):
    (tmp_path / "p.jsonl").write_text(text + "\n")
    result = run("score", tmp_path / "p.jsonl", "--data", dataset.folder)
    assert_one_line_error(result, *words)


def test_output_that_nobody_reads_is_no_error(dataset):
    command = f"{shlex.quote(sys.executable)} -m listenbench verify {shlex.quote(str(dataset.folder))} | true"
    result = subprocess.run(["bash", "-c", command], capture_output=True, text=True, check=False)
    assert result.returncode == 0
    assert result.stderr == ""


def test_standard_output_stays_clean_where_ci_is_set(tmp_path):
    result = run(
        "generate", "--split", "test", "--items", 1, "--tasks", "rhythm", "--json", cwd=tmp_path, CI="true"
    )
    assert result.returncode == 0
    assert result.stdout.startswith("{")
    assert result.stdout.count("\n") == 1


SMALL = ("generate", "--split=test", "--tasks=rhythm", "--items=2", "--workers=1")


def in_a_shell(line, *arguments, cwd):
    command = shlex.join([sys.executable, "-m", "listenbench", *map(str, arguments)])
    return subprocess.run(["bash", "-c", f"{command} {line}"], capture_output=True, check=False, cwd=cwd)


@pytest.mark.parametrize("redirection", ["2>&-", ">&-", ">&- 2>&- <&-"])
def test_closed_standard_files(dataset, tmp_path, redirection):
    assert in_a_shell(redirection, *SMALL, "--out=data", cwd=tmp_path).returncode == 0
    assert verify(tmp_path / "data") == []
    assert load(tmp_path / "data").description["fingerprint"] == dataset.description["fingerprint"]


@pytest.mark.parametrize("redirection", ["2>&-", "2>/dev/full"])
def test_an_error_that_nobody_can_read(tmp_path, redirection):
    assert in_a_shell(redirection, "verify", "nothing", cwd=tmp_path).returncode == 2


@pytest.mark.parametrize("damaged", [False, True])
def test_output_that_nobody_reads(dataset, tmp_path, damaged):
    folder = shutil.copytree(dataset.folder, tmp_path / "data")
    if damaged:
        next((folder / "audio").iterdir()).unlink()
    result = in_a_shell("| (exec <&-; sleep 3); exit ${PIPESTATUS[0]}", "verify", folder, cwd=tmp_path)
    assert (result.returncode, result.stderr) == (int(damaged), b"")


def test_too_little_memory(monkeypatch, capsys, tmp_path):
    def fail(_folder):
        raise MemoryError

    monkeypatch.setattr("listenbench.verify.verify", fail)
    assert run_here(["verify", str(tmp_path)]) == 2
    assert capsys.readouterr().err.startswith("listenbench: there is not enough memory")
