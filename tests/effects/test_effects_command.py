"""The command that lists the effects."""

from __future__ import annotations

import json

import pytest
from click.testing import CliRunner

from listenbench.commands.effects import command
from listenbench.effects import EFFECTS, get_effect
from listenbench.errors import SpecError


def test_lists_every_effect_with_the_tasks_that_it_keeps() -> None:
    result = CliRunner().invoke(command, [], catch_exceptions=False)
    assert result.exit_code == 0
    for effect in EFFECTS.values():
        assert f"{effect.name}: {effect.title}" in result.output
    assert "rt60_s = [0.2, 0.5, 1.0]" in result.output
    assert len(result.output.split("\n\n")) == len(EFFECTS)


def test_json_gives_options_that_can_be_read_back() -> None:
    result = CliRunner().invoke(command, ["--json"], catch_exceptions=False)
    described = json.loads(result.output)
    assert [entry["name"] for entry in described] == list(EFFECTS)
    for entry in described:
        effect = get_effect(entry["name"])
        assert effect.options(entry["options"]) == effect.options()
        assert set(entry["keeps"]) == effect.keeps


def test_takes_names_and_refuses_unknown_ones() -> None:
    result = CliRunner().invoke(command, ["wow"], catch_exceptions=False)
    assert "keeps    harmony, rhythm, timbre\n" in result.output
    with pytest.raises(SpecError, match="unknown effect 'woww'"):
        CliRunner().invoke(command, ["woww"], catch_exceptions=False)
