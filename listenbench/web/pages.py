"""Pages made from templates, each complete in itself: styles and scripts are written into the page."""

from __future__ import annotations

import json
from functools import cache
from importlib import resources
from typing import Any, Final

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

_MARKUP: Final = str.maketrans({sign: f"\\u{ord(sign):04x}" for sign in "<>&\u2028\u2029"})


def page(template: str, **values: Any) -> str:
    """Return a page as HTML, every value escaped.

    Parameters
    ----------
    template : str
        Name of a file in `templates`.
    **values
        What the template shows. `static('name')` and `as_json(value)` are there in each template.
    """
    return _environment().get_template(template).render(**values)


def static(name: str) -> Markup:
    """Return a style sheet or script of `static`, to be written into a page.

    The files are ours: they hold no '</style' and no '</script'.
    """
    return Markup(resources.files(__package__).joinpath("static", name).read_text("utf-8"))


def as_json(value: Any) -> Markup:
    """Return a value as JSON that can stand within a script element, whatever text is in it."""
    return Markup(json.dumps(value, ensure_ascii=False).translate(_MARKUP))


@cache
def _environment() -> Environment:
    environment = Environment(
        loader=PackageLoader("listenbench.web"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.globals.update(static=static, as_json=as_json)
    return environment
