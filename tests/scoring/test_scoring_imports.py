"""The scorer runs without audio, MIDI or validation libraries, wherever it is called from."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from scoring_data import GOLD, SUBMISSION

HEAVY = {
    *(
        "fluidsynth",
        "music21",
        "pedalboard",
        "pretty_midi",
        "mido",
        "pyloudnorm",
        "pyroomacoustics",
        "soundfile",
    ),
    *("scipy", "statsmodels", "sklearn", "pandas", "matplotlib", "pydantic"),
}

PROGRAM = """
import json, sys
from listenbench.cli import run
status = run(json.loads(sys.argv[1]))
print(json.dumps([status, sorted({name.partition(".")[0] for name in sys.modules})]))
"""


def modules_after(arguments: list[str], folder: Path) -> set[str]:
    command = [sys.executable, "-W", "error", "-c", PROGRAM, json.dumps(arguments)]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=True)
    status, modules = json.loads(done.stdout.splitlines()[-1])
    assert status == 0, done.stderr
    return set(modules)


@pytest.mark.parametrize("command", ["score", "compare", "leaderboard", "agreement"])
def test_help_imports_not_even_numpy(command: str, tmp_path: Path) -> None:
    assert not modules_after([command, "--help"], tmp_path) & (HEAVY | {"numpy"})


def test_a_score_imports_no_heavy_library(tmp_path: Path) -> None:
    arguments = ["score", str(SUBMISSION), "--key", str(GOLD), "--resamples", "100"]
    assert not modules_after(arguments, tmp_path) & HEAVY


def test_importing_the_package_imports_not_even_numpy(tmp_path: Path) -> None:
    program = "import listenbench.scoring, sys; sys.exit('numpy' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", program], cwd=tmp_path, check=False).returncode == 0
