"""Libraries that only some uses need; the extras of the package install them."""

from __future__ import annotations

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
            f"{purpose} needs {module.partition('.')[0]} ({error}): pip install 'listenbench[{extra}]'"
        ) from None
