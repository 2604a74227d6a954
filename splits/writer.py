"""Writing a split as TOML, with everything that it leaves to defaults."""

from __future__ import annotations

from typing import Any

from listenbench.splits.model import Split


def resolved(split: Split) -> Split:
    """Return a split that says what another one means: task and effect options have all their values."""
    table = split.model_dump(mode="json", exclude_none=True)
    for name in split.tasks:
        table["tasks"][name]["options"] = split.task_options(name).model_dump(mode="json", exclude_none=True)
    table["effects"] = _effects(split)
    return Split.model_validate(table)


def split_toml(split: Split) -> str:
    """Return a split, resolved, as TOML that `load_split` reads back as `resolved(split)`."""
    import tomlkit

    return tomlkit.dumps(resolved(split).model_dump(mode="json", exclude_none=True))


def _effects(split: Split) -> dict[str, Any]:
    """Return the options of every effect that the split mentions, in the order of mention."""
    factors = (factor for spec in split.tasks.values() for factor in spec.stay)
    used = {effect.name: effect for factor in factors for effect in split.chain(factor)}
    named = {effect.name: effect for name in split.effects for effect in split.chain(name)}
    return {
        name: split.effect_options(effect).model_dump(mode="json", exclude_none=True)
        for name, effect in {**used, **named}.items()
    }
