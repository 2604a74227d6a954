"""Keys of services: in no file, log, trace or message, whatever a service sends back."""

from __future__ import annotations

import gzip
import json
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from model_server import KEY, Answer, hears, serving

from listenbench.errors import SpecError
from listenbench.models.secrets import HIDDEN, clear_error, redacted, secrets_of
from listenbench.models.settings import RunSettings


def contents(folder: Path) -> Iterator[tuple[str, bytes]]:
    """Yield what every file holds, and what archives among them hold."""
    for path in folder.rglob("*"):
        if path.is_file():
            data = path.read_bytes()
            yield path.name, gzip.decompress(data) if path.suffix == ".gz" else data
            if zipfile.is_zipfile(path):
                with zipfile.ZipFile(path) as archive:
                    yield from ((f"{path.name}: {name}", archive.read(name)) for name in archive.namelist())


def assert_written_nowhere(folder: Path, *expected: str) -> None:
    found = dict(contents(folder))
    assert [name for name, data in found.items() if KEY.encode() in data] == []
    for words in expected:
        assert any(words.encode() in data for data in found.values()), words


def test_a_key_that_comes_back_in_replies_and_errors_is_written_nowhere(ask, dataset, tmp_path):
    pytest.importorskip("inspect_ai", reason="inspect_ai isn't installed")
    echo = f"the key {KEY} is"
    answers = {
        0: Answer(f"{echo} refused", status=400),
        1: Answer(f"{echo} used too often", status=429, headers={"Retry-After": "0"}),
        2: Answer(f"{echo} in a server that is down", status=500, headers={"Retry-After": "0"}),
        3: Answer(f"{echo} yours. The answer is B."),
    }
    places = {item.path.read_bytes(): place for place, item in enumerate(dataset.items[:4])}
    with serving(lambda request: answers[places[request.wav]]) as server:
        options = ("--limit", "4", "--no-preflight", "--max-retries", "0", "--accept-missing")
        outcome = ask(server, *options, "-M", f"api_key={KEY}")
    assert outcome.status == 0, outcome.stderr
    assert outcome.meta["model_args"] == {"api_key": "(not recorded)"}
    assert outcome.lines[4]["text"] == f"the key {HIDDEN} is yours. The answer is B."
    assert_written_nowhere(
        tmp_path, *(f"the key {HIDDEN} is {words}" for words in ("refused", "used", "in a"))
    )
    traces = [name for name, _ in contents(tmp_path / "home") if name.startswith("trace-")]
    assert traces


def test_a_refused_key_is_written_nowhere(ask, tmp_path):
    pytest.importorskip("inspect_ai", reason="inspect_ai isn't installed")
    with serving(lambda _request: Answer(f"wrong key {KEY}", status=401)) as server:
        outcome = ask(server)
    assert outcome.status == 2
    assert f"gave no reply: Error code: 401 - wrong key {HIDDEN}" in outcome.stderr
    assert outcome.stderr.count("\n") == 1
    assert len(server.requests) == 1
    assert_written_nowhere(tmp_path, f"wrong key {HIDDEN}")


def test_a_run_that_goes_well_writes_no_key(ask, tmp_path):
    pytest.importorskip("inspect_ai", reason="inspect_ai isn't installed")
    with serving(hears) as server:
        assert ask(server, "--limit", "1", "--no-preflight").status == 0
    assert_written_nowhere(tmp_path, "persona-2026")


def test_values_of_variables_that_hold_keys():
    environment = {
        "X_API_KEY": "abcdefg8",
        "HF_TOKEN": "abcdefg8-and-more",
        "LONG_SECRET": "abcdefghijklmnopq",
        "DB_PASSWORD": "short",
        "SECRET_MODE": "different",
        "HOME": "/home/someone",
    }
    assert set(secrets_of(environment)) == {"abcdefg8-and-more", "abcdefghijklmnopq", "abcdefg8"}
    assert secrets_of(environment)[-1] == "abcdefg8"
    assert secrets_of({}, ["given-by-hand"]) == ("given-by-hand",)


@given(st.text(), st.text(min_size=8), st.text())
def test_a_secret_is_in_no_text_that_held_it(before, secret, after):
    assert redacted(secret, [secret]) == HIDDEN
    assert secret not in redacted(before + secret + after, [secret]) or secret in before + HIDDEN + after
    assert json.loads(redacted(json.dumps({"key": secret}), [secret])) == {"key": HIDDEN}


def test_errors_are_cleared_with_what_led_to_them():
    first = ValueError(f"first {KEY}")
    error = RuntimeError(f"second {KEY}", {"nested": [KEY, 3]})
    error.body = {"error": {"message": KEY}, "raw": KEY.encode()}
    error.add_note(f"note {KEY}")
    error.__cause__ = first
    first.__context__ = error
    clear_error(error, [KEY])
    assert error.args == (f"second {HIDDEN}", {"nested": [HIDDEN, 3]})
    assert error.body == {"error": {"message": HIDDEN}, "raw": HIDDEN.encode()}
    assert error.__notes__ == [f"note {HIDDEN}"]
    assert first.args == (f"first {HIDDEN}",)


@pytest.mark.parametrize(
    "address",
    [
        "http://user:a-long-password@localhost:8000/v1",
        "http://a-long-password@localhost/v1",
        "http://localhost/v1?key=a-long-password",
        "a-long-password@localhost",
        "localhost:8000/v1",
        "http://[::1/v1",
    ],
)
def test_addresses_that_would_stand_in_logs_with_a_secret_are_refused(address):
    with pytest.raises(SpecError, match="base_url") as caught:
        RunSettings(model="m", base_url=address)
    assert "a-long-password" not in str(caught.value)
