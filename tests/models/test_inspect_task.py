"""The task that Inspect runs, with Inspect's own command line and its mock model."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import pytest
from command_process import start_program
from model_server import KEY, hears, serving

from listenbench.scoring import score

pytest.importorskip("inspect_ai", reason="inspect_ai isn't installed: pip install 'listenbench[inspect]'")

METRICS = """
def metrics(log):
    scores = log.results.scores
    return {name: metric.value for score in scores for name, metric in score.metrics.items()}
"""

CHECK = (
    METRICS
    + """
import json, sys
from inspect_ai.log import read_eval_log, list_eval_logs
log = read_eval_log(list_eval_logs(sys.argv[1])[0])
print(json.dumps({
    "status": log.status,
    "metrics": metrics(log),
    "answers": {sample.id: sample.scores["letter"].answer for sample in log.samples},
    "metadata": log.samples[0].metadata,
    "input": log.samples[0].input,
}))
"""
)

MOCK = (
    METRICS
    + """
import json, sys
from inspect_ai import eval
from inspect_ai.model import ModelOutput, ModelUsage, get_model
from listenbench.models.inspect_task import listen
replies = iter(sys.argv[3:])
def reply(*_):
    output = ModelOutput.from_content("mock", next(replies, "A"))
    output.usage = ModelUsage()
    return output
model = get_model("mockllm/model", custom_outputs=reply)
options = {"display": "none", "log_images": False, "max_samples": 1}
log = eval(listen(sys.argv[1]), model=model, log_dir=sys.argv[2], **options)[0]
values = [sample.scores["letter"].value for sample in log.samples]
print(json.dumps({"status": log.status, "values": values,
    "metrics": metrics(log)}))
"""
)


def printed(program, *arguments, folder):
    running = start_program(program, [*map(str, arguments)], folder)
    assert running.wait() == 0, running.stderr
    return json.loads(running.stdout)


@pytest.mark.slow
def test_inspect_finds_and_runs_the_task(dataset, tmp_path, heard):
    with serving(hears) as server:
        options = ["-T", f"data={dataset.folder}", "--model", "openai-api/persona/m", "--display", "plain"]
        command = [sys.executable, "-m", "inspect_ai", "eval", "listenbench/listen", *options]
        result = subprocess.run(
            [*command, "--model-base-url", server.url, "--log-dir", str(tmp_path / "logs")],
            capture_output=True,
            text=True,
            check=False,
            cwd=tmp_path,  # the metadata in a checkout would hide those of the installed package
            env={**os.environ, "PERSONA_API_KEY": KEY, "XDG_DATA_HOME": str(tmp_path)},
        )
    assert result.returncode == 0, result.stdout + result.stderr
    found = printed(CHECK, tmp_path / "logs", folder=tmp_path)
    assert found["status"] == "success"
    assert found["answers"] == heard
    figures = score(heard, dataset.folder, resamples=100).figures
    assert found["metrics"]["acc_fs"] == pytest.approx(float(100 * figures["acc_fs"].value))
    assert found["metrics"]["clean"] == pytest.approx(float(figures["clean_accuracy"].value))
    assert {"task", "item", "condition", "rung"} <= set(found["metadata"])
    assert found["input"] in {item.question for item in dataset}
    questions = {item.path.read_bytes(): item.question for item in dataset}
    assert {request.wav: request.text for request in server.requests} == questions
    for request in server.requests:
        [message] = request.body["messages"]
        assert message["role"] == "user"
        assert [part["type"] for part in message["content"]] == ["input_audio", "text"]
        told = json.dumps({**request.body, "messages": []})
        assert not any(word in told for word in ("clean", "flip", "stay", "rung", "melody", "harmony"))


def test_no_answer_is_kept_apart_from_a_wrong_one(dataset, tmp_path):
    truth = [row["answer"] for row in dataset.gold().values()]
    wrong = "AB"[truth[1] == "A"]
    found = printed(MOCK, dataset.folder, tmp_path, truth[0], wrong, "I can't say.", folder=tmp_path)
    assert found["status"] == "success"
    assert found["values"][:3] == ["C", "I", "N"]
