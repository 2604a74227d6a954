"""A model for tests: an OpenAI-compatible service on this machine, whose replies a persona gives."""

from __future__ import annotations

import base64
import hashlib
import io
import json
import re
import threading
import time
import wave
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cache
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import count
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from listenbench.audio import SAMPLE_RATE
from listenbench.dataset import DatasetItem
from listenbench.listeners.dsp import hears_change
from listenbench.listeners.hearing import two_clips
from listenbench.listeners.reading import read

KEY = "sk-test-4f1c9d7a5b3e"


@dataclass
class Request:
    """What arrived: the words, the WAV file if there is one, and the whole body."""

    text: str
    wav: bytes | None
    body: dict[str, Any]

    @property
    def samples(self) -> npt.NDArray[np.float32]:
        assert self.wav is not None
        with wave.open(io.BytesIO(self.wav)) as file:
            assert (file.getframerate(), file.getnchannels(), file.getsampwidth()) == (SAMPLE_RATE, 1, 2)
            data = np.frombuffer(file.readframes(file.getnframes()), "<i2")
        return data.astype(np.float32) / 32_768


@dataclass
class Answer:
    """What goes back."""

    text: str = "A"
    status: int = 200
    logprobs: list[tuple[str, float]] | None = None
    hang_up: bool = False
    headers: dict[str, str] = field(default_factory=dict)
    finish_reason: str = "stop"


Persona = Callable[[Request], "Answer | str"]


@dataclass
class ModelServer:
    """A running service and what it was asked."""

    url: str
    requests: list[Request]

    def times_asked(self, wav: bytes) -> int:
        return sum(request.wav == wav for request in self.requests)


@contextmanager
def serving(persona: Persona) -> Iterator[ModelServer]:
    """Serve a persona on a free port of this machine."""
    requests: list[Request] = []
    lock = threading.Lock()

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            assert self.path == "/v1/chat/completions"
            assert self.headers["Authorization"] == f"Bearer {KEY}"
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            request = _request(body)
            with lock:
                requests.append(request)
            answer = persona(request)
            self._send(Answer(answer) if isinstance(answer, str) else answer)

        def _send(self, answer: Answer) -> None:
            content = json.dumps(_completion(answer) if answer.status == 200 else _error(answer)).encode()
            self.send_response(answer.status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(content)))
            for name, value in answer.headers.items():
                self.send_header(name, value)
            self.end_headers()
            if answer.hang_up:
                self.wfile.write(content[: len(content) // 2])
                self.close_connection = True
                return
            self.wfile.write(content)

        def log_message(self, *_arguments: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    try:
        yield ModelServer(f"http://127.0.0.1:{server.server_address[1]}/v1", requests)
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def _request(body: dict[str, Any]) -> Request:
    content = body["messages"][-1]["content"]
    if isinstance(content, str):
        return Request(content, None, body)
    texts = [part["text"] for part in content if part["type"] == "text"]
    sounds = [part["input_audio"] for part in content if part["type"] == "input_audio"]
    assert len(texts) == 1
    assert all(sound["format"] == "wav" for sound in sounds)
    return Request(texts[0], base64.b64decode(sounds[0]["data"]) if sounds else None, body)


def _completion(answer: Answer) -> dict[str, Any]:
    choice: dict[str, Any] = {
        "index": 0,
        "message": {"role": "assistant", "content": answer.text},
        "finish_reason": answer.finish_reason,
        "logprobs": None,
    }
    if answer.logprobs is not None:
        top = [{"token": token, "logprob": value, "bytes": None} for token, value in answer.logprobs]
        choice["logprobs"] = {"content": [{**top[0], "top_logprobs": top}]}
    return {
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "created": 0,
        "model": "persona-2026",
        "choices": [choice],
        "usage": {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2},
    }


def _error(answer: Answer) -> dict[str, Any]:
    return {"error": {"message": answer.text, "type": "test", "code": None}}


# ---- Personas


def hears(request: Request) -> str:
    """Answer by listening to what was sent, and to nothing else."""
    if request.wav is None:
        return "B"
    if "steady tone" in request.text:
        spectrum = np.abs(np.fft.rfft(request.samples)) ** 2
        return "A" if spectrum.max() > 0.1 * spectrum.sum() else "B"
    if "many beeps" in request.text:
        loud = np.abs(request.samples).reshape(-1, SAMPLE_RATE // 20).max(axis=1) > 0.05
        return "A" if np.count_nonzero(np.diff(loud.astype(int)) > 0) < 2 else "B"
    item = DatasetItem("sent", request.text, choices_in(request.text), Path("none"))
    asked = read(item)
    return asked.letter_for(changed=_heard(asked.subject, request.wav))


@cache
def _heard(subject: str, wav: bytes) -> bool:
    return hears_change(subject, *two_clips(Request("", wav, {}).samples))


def choices_in(text: str) -> tuple[str, str]:
    """Return what the letters mean, as the question says."""
    first = re.search(r"Answer A if (?:they are the|they are|it is the) (\w+)", text)
    assert first is not None
    other = {"same": "different", "different": "same", "first": "second", "second": "first"}
    return first[1], other[first[1]]


def deaf(request: Request) -> str:
    """Guess from the words of the question alone."""
    return "AB"[hashlib.sha256(request.text.encode()).digest()[0] % 2]


def always_a(_request: Request) -> str:
    return "A"


def refusing(request: Request) -> str:
    return "I'm sorry, but I can't listen to audio." if request.wav else "B"


def verbose(request: Request) -> str:
    return f"Let me compare the two clips closely. The answer is **{hears(request)}**. I hope that helps!"


def latex(request: Request) -> str:
    return rf"$\boxed{{\text{{{hears(request)}}}}}$"


def slow(persona: Persona, seconds: float) -> Persona:
    """Let a persona take its time."""

    def answer(request: Request) -> Answer | str:
        time.sleep(seconds)
        return persona(request)

    return answer


def first_fails(persona: Persona, failure: Persona) -> Persona:
    """Let another persona answer the first time that something is asked."""
    seen: Counter[tuple[str, bytes | None]] = Counter()
    lock = threading.Lock()

    def answer(request: Request) -> Answer | str:
        with lock:
            seen[request.text, request.wav] += 1
            attempt = seen[request.text, request.wav]
        return failure(request) if attempt == 1 else persona(request)

    return answer


def confused_by_company(persona: Persona, words: str, *, alone: int, together: int) -> Persona:
    """Let replies to some questions turn round that are asked together, after so many asked alone.

    Those asked together wait for one another, so that they really are.
    """
    numbers = count(1)
    company = threading.Barrier(together, timeout=60)

    def answer(request: Request) -> Answer | str:
        number = next(numbers)
        letter = persona(request)
        if not alone < number <= alone + together:
            return letter
        company.wait()
        return {"A": "B", "B": "A"}[str(letter)] if words in request.text else letter

    return answer


def counting_company(persona: Persona, largest: list[int]) -> Persona:
    """Write down how many requests are being answered at once."""
    active = 0
    lock = threading.Lock()

    def answer(request: Request) -> Answer | str:
        nonlocal active
        with lock:
            active += 1
            largest.append(active)
        time.sleep(0.01)
        reply = persona(request)
        with lock:
            active -= 1
        return reply

    return answer


def dropping_audio(persona: Persona) -> Persona:
    """Let the sound get lost on the way."""
    return lambda request: persona(Request(request.text, None, request.body))
