"""A small data set, and the command line against a model server."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import command_process
import pytest
from model_server import KEY, ModelServer

from listenbench.dataset import Dataset
from listenbench.generation import generate
from listenbench.listeners import predict


@pytest.fixture(scope="session")
def dataset(tmp_path_factory: pytest.TempPathFactory) -> Dataset:
    return generate("test", 0, tmp_path_factory.mktemp("models") / "data", items=2)


@pytest.fixture(scope="session")
def heard(dataset: Dataset) -> dict[str, str]:
    return predict("dsp", dataset)


@dataclass
class Outcome:
    """What a command left behind."""

    status: int
    stdout: str
    stderr: str
    path: Path

    @property
    def lines(self) -> list[dict[str, Any]]:
        return [json.loads(line) for line in self.path.read_text("utf-8").splitlines()]

    @property
    def meta(self) -> dict[str, Any]:
        return self.lines[0]["meta"]

    def replies(self, field: str = "text") -> dict[str, Any]:
        return {line["id"]: line[field] for line in self.lines[1:]}


Start = Callable[..., command_process.Call]
Ask = Callable[..., Outcome]


@pytest.fixture
def start(dataset: Dataset, tmp_path: Path) -> Start:
    def call(
        server: ModelServer, *options: str, out: str = "predictions.jsonl", data: Path = dataset.folder
    ) -> command_process.Call:
        arguments = [
            *("run", "--data", str(data), "--model", "openai-api/persona/m"),
            *("--base-url", server.url, "--out", out, *options),
        ]
        home = {name: str(tmp_path / "home") for name in ("HOME", "XDG_DATA_HOME", "XDG_CACHE_HOME")}
        keys = {f"{service}_API_KEY": KEY for service in ("PERSONA", "OPENAI", "VLLM")}
        return command_process.start(arguments, tmp_path, {**keys, **home})

    return call


@pytest.fixture
def ask(start: Start, dataset: Dataset, tmp_path: Path) -> Ask:
    def call(
        server: ModelServer, *options: str, out: str = "predictions.jsonl", data: Path = dataset.folder
    ) -> Outcome:
        running = start(server, *options, out=out, data=data)
        return Outcome(running.wait(), running.stdout, running.stderr, tmp_path / out)

    return call
