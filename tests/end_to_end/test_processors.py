"""One data set, whatever instructions the processor has."""

import json
import os
import subprocess
import sys

import numpy as np
import pytest

SPLIT = """\
name = "families"
title = "each family of sound changes"
items = 22
variants = ["clean", "stay"]
letters = "fixed"
soundfonts = ["fluidr3-gm", "timgm6mb"]

[tasks.rhythm]
window_seconds = 3.4
rungs = [1.35]
stay = [
    "room", "eq", "hiss", "soundfont", "codec", "pink_noise", "lowpass", "compressor", "clipping", "wow",
    "hum",
]
options = { rates = [100.0, 300.0] }
"""


def fingerprint(folder, name, **environment):
    """Make the data set with NumPy and OpenBLAS held to some instructions, and with no responses in store."""
    result = subprocess.run(
        [
            *(sys.executable, "-m", "listenbench", "generate", "--split", folder / "families.toml"),
            *("--out", folder / name, "--workers", "1", "--json"),
        ],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "XDG_CACHE_HOME": str(folder / f"cache of {name}"), **environment},
    )
    assert result.returncode == 0, result.stderr
    return json.loads(result.stdout)["fingerprint"]


def test_a_processor_without_newer_instructions_makes_the_same_bytes(tmp_path):
    newer = np.show_config(mode="dicts")["SIMD Extensions"].get("found", [])
    if not newer:
        pytest.skip("NumPy has no code for this processor but what runs on all of its kind")
    (tmp_path / "families.toml").write_text(SPLIT, "utf-8")
    older = {"NPY_DISABLE_CPU_FEATURES": " ".join(newer), "OPENBLAS_CORETYPE": "Prescott"}
    assert fingerprint(tmp_path, "here") == fingerprint(tmp_path, "older", **older)
