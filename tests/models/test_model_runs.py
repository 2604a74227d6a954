"""`listenbench run` against a service on this machine: what comes out, whatever the model and the line do."""

from __future__ import annotations

import json
import os
import signal
import time
from datetime import UTC, datetime

import pytest
from model_server import (
    Answer,
    always_a,
    deaf,
    first_fails,
    hears,
    latex,
    refusing,
    serving,
    slow,
    verbose,
)

from listenbench import cli
from listenbench.scoring import parse_answer, score

pytest.importorskip("inspect_ai", reason="inspect_ai isn't installed: pip install 'listenbench[inspect]'")


def acc_fs(path, dataset):
    return float(100 * score(path, dataset.folder, resamples=100).figures["acc_fs"].value)


def recordings(dataset):
    return [item.path.read_bytes() for item in dataset]


def figures(predictions, dataset):
    """Return what a score says of all items and of each group."""
    groups = score(predictions, dataset.folder, resamples=100).to_dict()["groups"]
    return [(group["by"], group["counts"], group["figures"]) for group in groups]


def test_a_model_that_hears_scores_what_the_listener_scores(ask, dataset, heard):
    with serving(hears) as server:
        outcome = ask(server)
        again = ask(server)
    assert outcome.status == 0, outcome.stderr
    assert outcome.replies() == heard
    assert figures(outcome.path, dataset) == figures(heard, dataset)
    assert acc_fs(outcome.path, dataset) > 75
    assert outcome.stdout.startswith(f"predictions.jsonl: {len(dataset)} recordings, {len(dataset)} answered")
    assert outcome.stderr == ""
    assert again.status == 0
    assert_asked_once_with_nothing_else(dataset, server.requests)


def assert_asked_once_with_nothing_else(dataset, requests):
    questions = {item.path.read_bytes(): item.question for item in dataset}
    asked = [request for request in requests if request.wav in questions]
    assert len(asked) == len(questions) == len(dataset)
    assert {request.wav: request.text for request in asked} == questions
    for request in asked:
        assert [message["role"] for message in request.body["messages"]] == ["user"]
        told = json.dumps({**request.body, "messages": []})
        assert not any(word in told for word in ("clean", "flip", "stay", "melody", "harmony", "gold"))


def test_the_meta_line_says_how_the_replies_came_about(ask, dataset):
    with serving(hears) as server:
        outcome = ask(server, "--max-tokens", "20", "--seed", "7", "--limit", "3", "--json")
    meta = outcome.meta
    assert json.loads(outcome.stdout) == meta
    assert meta["model"] == "openai-api/persona/m"
    assert meta["version"] == "persona-2026"
    assert meta["readout"] == "generated"
    assert meta["used_training_split"] == "none"
    assert abs((datetime.now(UTC) - datetime.fromisoformat(f"{meta['date']}T12:00+00:00")).days) <= 1
    assert meta["dataset_fingerprint"] == dataset.description["fingerprint"]
    assert meta["sampling"] == {"temperature": 0.0, "max_tokens": 20, "seed": 7}
    assert meta["audio"] == {"encoding": "WAV, 16-bit PCM", "sample_rate": 44_100, "channels": 1}
    assert (meta["condition"], meta["preflight"]) == ("audio", "passed")
    assert len(meta["prompt_sha256"]) == 64
    assert {"listenbench", "inspect_ai", "openai", "python"} <= set(meta["packages"])
    assert meta["counts"]["recordings"] == 3
    sent = server.requests[-1].body
    assert (sent["temperature"], sent["max_tokens"], sent["seed"]) == (0.0, 20, 7)
    assert score(outcome.path, dataset.folder, resamples=100).predictions.missing == len(dataset) - 3


@pytest.mark.parametrize(
    ("model", "asked"),
    [
        ("openai/gpt-audio", "gpt-audio"),
        ("openai-api/vllm/Qwen/Qwen2.5-Omni-7B", "Qwen/Qwen2.5-Omni-7B"),
    ],
)
def test_models_of_the_documentation_are_asked_under_their_names(ask, dataset, heard, model, asked):
    with serving(hears) as server:
        outcome = ask(server, "--model", model, "--limit", "2")
    assert outcome.status == 0, outcome.stderr
    assert outcome.replies() == {item.id: heard[item.id] for item in dataset.items[:2]}
    assert outcome.meta["model"] == model
    assert {request.body["model"] for request in server.requests} == {asked}


def test_a_key_that_is_missing_is_named(ask, tmp_path):
    with serving(hears) as server:
        outcome = ask(server, "--model", "openai-api/keyless/m")
    assert outcome.status == 2
    assert "KEYLESS_API_KEY" in outcome.stderr
    assert outcome.stderr.count("\n") == 1
    assert server.requests == []
    assert not list(tmp_path.glob("predictions.jsonl*"))


@pytest.mark.parametrize("persona", [deaf, always_a])
def test_who_does_not_hear_scores_half(ask, dataset, persona):
    with serving(persona) as server:
        outcome = ask(server, "--no-preflight")
    assert outcome.status == 0, outcome.stderr
    assert outcome.meta["preflight"] == "skipped"
    assert acc_fs(outcome.path, dataset) == 50.0


@pytest.mark.parametrize(
    ("persona", "beginning"),
    [(verbose, "Let me compare"), (latex, r"$\boxed"), (slow(hears, 0.2), "")],
    ids=["verbose", "latex", "slow"],
)
def test_how_a_model_says_its_letter_changes_no_figure(ask, dataset, heard, persona, beginning):
    with serving(persona) as server:
        outcome = ask(server)
    assert outcome.status == 0, outcome.stderr
    assert outcome.meta["preflight"] == "passed"
    assert all(text.startswith(beginning) for text in outcome.replies().values())
    assert {name: parse_answer(text) for name, text in outcome.replies().items()} == heard
    assert outcome.meta["counts"]["answered"] == len(dataset)
    assert figures(outcome.path, dataset) == figures(heard, dataset)


def test_what_is_not_heard_is_told_from_what_is_by_the_difference_from_none(ask, dataset, heard, capsys):
    with serving(hears) as server:
        for condition in ("audio", "none"):
            outcome = ask(server, "--condition", condition, "--no-preflight", out=f"{condition}.jsonl")
            assert outcome.status == 0, outcome.stderr
    files = [str(outcome.path.with_name(f"{condition}.jsonl")) for condition in ("audio", "none")]
    assert cli.run(["score", *files, "--data", str(dataset.folder), "--resamples", "100", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    [audio, none] = found["conditions"]
    assert (audio["condition"], none["condition"]) == ("audio", "none")
    difference = audio["from_none"][0]["differences"]["acc_fs"]
    assert difference["difference"] == pytest.approx(acc_fs(heard, dataset) - 50)
    low, high = (difference["interval"][end] for end in ("low", "high"))
    assert 0 < low <= difference["difference"] <= high


@pytest.mark.parametrize(
    "persona",
    [refusing, lambda _request: Answer("", finish_reason="content_filter")],
    ids=["in words", "by a filter"],
)
def test_refusals_are_counted_and_wrong(ask, dataset, persona):
    with serving(persona) as server:
        outcome = ask(server, "--no-preflight", "--limit", "4")
    assert outcome.status == 0, outcome.stderr
    assert outcome.meta["counts"] == {
        "recordings": 4,
        "answered": 0,
        "refusals": 4,
        "parse_failures": 0,
        "missing": 0,
        "asked_again": 0,
        "retries": 0,
    }
    assert acc_fs(outcome.path, dataset) == 0.0


FAULTS = (
    Answer("slow down", status=429, headers={"Retry-After": "0"}),
    Answer("overloaded", status=503, headers={"Retry-After": "0"}),
    Answer("A", hang_up=True),
)


def test_a_run_survives_faults(ask, dataset, heard):
    faulty = recordings(dataset)[:6]

    def fails(request):
        return FAULTS[faulty.index(request.wav) % len(FAULTS)] if request.wav in faulty else hears(request)

    with serving(first_fails(hears, fails)) as server:
        outcome = ask(server, "--limit", "8", "--no-preflight")
    assert outcome.status == 0, outcome.stderr
    assert outcome.replies() == {item.id: heard[item.id] for item in dataset.items[:8]}
    assert [server.times_asked(wav) for wav in faulty] == [2] * 6
    assert [line.get("retries", 0) for line in outcome.lines[1:]] == [1] * 6 + [0] * 2
    assert outcome.meta["counts"]["retries"] == 6


def wait_for_replies(running, path, count):
    """Wait until a run has kept so many replies; return their ids."""
    while not path.exists() or path.read_bytes().count(b"\n") < 1 + count:
        assert running.process.is_alive(), running.stderr
        time.sleep(0.02)


def kept_ids(path):
    return [json.loads(line)["id"] for line in path.read_text("utf-8").splitlines()[1:]]


def test_a_stopped_run_is_resumed_and_asks_nothing_twice(start, ask, dataset, tmp_path, heard):
    unfinished = tmp_path / "predictions.jsonl.part"
    with serving(slow(hears, 0.4)) as server:
        running = start(server, "--max-connections", "2", "--no-preflight")
        wait_for_replies(running, unfinished, 3)
        os.kill(running.process.pid, signal.SIGINT)
        assert running.wait() == 130
        assert running.stderr.endswith("listenbench: interrupted\n")
        first = kept_ids(unfinished)

        running = start(server, "--max-connections", "2", "--no-preflight")
        wait_for_replies(running, unfinished, len(first) + 2)
        os.kill(running.process.pid, signal.SIGKILL)
        running.wait()
        kept = kept_ids(unfinished)
        assert kept[: len(first)] == first
        assert len(first) + 2 <= len(kept) < len(dataset)
        assert not (tmp_path / "predictions.jsonl").exists()
        with unfinished.open("a") as file:
            file.write('{"id": "cut o')
        already = len(server.requests)
        outcome = ask(server, "--no-preflight")
    assert outcome.status == 0, outcome.stderr
    assert outcome.replies() == heard
    later = [request.wav for request in server.requests[already:]]
    assert len(later) == len(dataset) - len(kept)
    assert not any(item.path.read_bytes() in later for item in dataset if item.id in kept)
    assert not unfinished.exists()


def test_recordings_that_fail_are_named_and_asked_about_again(ask, dataset):
    broken = recordings(dataset)[2]
    mended = []

    def persona(request):
        return Answer("bad wave", status=400) if request.wav == broken and not mended else hears(request)

    with serving(persona) as server:
        first = ask(server, "--limit", "5", "--no-preflight")
        assert first.status == 2
        assert "1 of 5 recordings have no reply" in first.stderr
        assert "bad wave" in first.stderr
        assert not first.path.exists()
        accepted = ask(server, "--limit", "5", "--no-preflight", "--accept-missing")
        assert accepted.status == 0, accepted.stderr
        assert accepted.meta["counts"]["missing"] == 1
        assert list(accepted.replies().values())[2] is None
        mended.append(True)
        whole = ask(server, "--limit", "5", "--no-preflight")
    assert whole.status == 0, whole.stderr
    assert whole.meta["counts"]["answered"] == 5
    assert [server.times_asked(wav) for wav in recordings(dataset)[:5]] == [1, 1, 3, 1, 1]


def test_a_file_of_another_run_is_left_alone(ask):
    with serving(hears) as server:
        assert ask(server, "--limit", "2", "--no-preflight").status == 0
        other = ask(server, "--limit", "2", "--no-preflight", "--temperature", "1")
        assert other.status == 2
        assert "sampling" in other.stderr
        assert "--overwrite" in other.stderr
        assert ask(server, "--limit", "2", "--no-preflight", "--temperature", "1", "--overwrite").status == 0


def test_an_answer_is_asked_for_as_json_until_it_can_be_read(ask):
    replies = {}

    def persona(request):
        count = replies[request.wav] = replies.get(request.wav, 0) + 1
        return '{"answer": "B"}' if count >= 3 else "Well, that depends."

    with serving(persona) as server:
        outcome = ask(server, "--json-answer", "--no-preflight", "--limit", "2")
    assert outcome.status == 0, outcome.stderr
    assert [line["asked"] for line in outcome.lines[1:]] == [3, 3]
    assert outcome.meta["counts"]["asked_again"] == 4
    assert all("JSON object" in request.text for request in server.requests)
    with serving(lambda _request: "Well, that depends.") as server:
        outcome = ask(server, "--json-answer", "--no-preflight", "--limit", "1", out="other.jsonl")
    assert [len(server.requests), outcome.lines[1]["asked"]] == [5, 5]
    assert outcome.meta["counts"]["parse_failures"] == 1
