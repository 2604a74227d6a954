"""A small data set to be read by the libraries that people use, without a network."""

import os
import socket

import pytest

# Read when `datasets` is first imported.
os.environ["HF_HUB_OFFLINE"] = "1"
os.environ["HF_DATASETS_DISABLE_PROGRESS_BARS"] = "1"


@pytest.fixture(scope="session")
def small(tmp_path_factory):
    from listenbench.generation import generate

    return generate(
        "test", 0, tmp_path_factory.mktemp("formats") / "small", items=2, tasks=["harmony", "rhythm"]
    )


@pytest.fixture
def _no_network(monkeypatch):
    """Refuse every connection."""

    def refuse(_, address):
        raise AssertionError(f"a connection to {address}")

    monkeypatch.setattr(socket.socket, "connect", refuse)
    monkeypatch.setattr(socket.socket, "connect_ex", refuse)
