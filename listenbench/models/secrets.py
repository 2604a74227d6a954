"""Keys of services stay in the environment: what is shown of an error is cleared of them."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from typing import Final

HIDDEN: Final = "***"
"""What stands in the place of a key."""

_NAMES: Final = re.compile(r"KEY|TOKEN|SECRET|PASSWORD|CREDENTIAL", re.IGNORECASE)
_SHORTEST: Final = 8


def redacted(text: str, environment: Mapping[str, str] = os.environ) -> str:
    """Return a text without the values of variables that by their names hold keys."""
    for name, value in environment.items():
        if _NAMES.search(name) and len(value) >= _SHORTEST:
            text = text.replace(value, HIDDEN)
    return text
