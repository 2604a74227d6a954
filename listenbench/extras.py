"""Libraries that only some uses need; the extras of the package install them."""

from __future__ import annotations

import shlex
import sys
from importlib import import_module
from typing import Any

from listenbench.errors import SpecError


def require(module: str, extra: str, purpose: str) -> Any:
    """Import a module that belongs to an extra.

    Parameters
    ----------
    module : str
        Its name.
    extra : str
        The extra of listenbench that installs it.
    purpose : str
        What needs it, at the start of the message.

    Raises
    ------
    SpecError
        Naming the extra, if the module is not installed.
    """
    try:
        return import_module(module)
    except ImportError as error:
        raise SpecError(
            f"{purpose} needs {module.partition('.')[0]} ({error}): {how_to_install(extra)}"
        ) from None


def how_to_install(extra: str) -> str:
    """Return the end of a message that something is missing: the command that installs an extra.

    The command is for a checkout, since no package index has listenbench. It is editable, since it would put
    a copy in the place of an editable installation otherwise, which later changes of the checkout would miss.
    """
    return (
        f"in listenbench's folder, run {shlex.quote(sys.executable)} -m pip install --editable '.[{extra}]'"
    )
