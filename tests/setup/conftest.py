"""Machines to try `./run` on."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from stand_in_machine import Machine


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    """Return a bare machine without rights."""
    return Machine(tmp_path)


@pytest.fixture
def ready(machine: Machine) -> Machine:
    """Return a machine on which `./run score` and `./run generate` have been set up, its calls forgotten."""
    machine.install_python()
    machine.install_sound()
    result = machine.run("score")
    assert result.status == 0, result.err
    machine.take_calls()
    return machine


@pytest.fixture
def without(machine: Machine) -> Callable[[str], None]:
    """Return a function that takes a program off the machine."""
    return lambda name: (machine.programs / name).unlink()
