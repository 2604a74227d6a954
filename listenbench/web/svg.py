"""Scalable vector graphics as text: elements with escaped contents, and numbers that look alike."""

from __future__ import annotations

from typing import Any

from markupsafe import Markup, escape


def number(value: float) -> str:
    """Return a coordinate with at most two decimals, and no sign before zero."""
    text = f"{value:.2f}".rstrip("0").rstrip(".")
    return "0" if text == "-0" else text


def share(value: float) -> str:
    """Return a coordinate in percent of the width, so that the drawing stretches and its text does not."""
    return f"{number(value)}%"


def element(tag: str, *children: object, **attributes: Any) -> Markup:
    """Return an element.

    Parameters
    ----------
    tag : str
        Its name.
    *children : object
        Markup is taken as it is, other things are escaped.
    **attributes
        Numbers are rounded, None is left out; `stroke_width` stands for stroke-width, `class_` for class.
    """
    written = Markup("").join(
        Markup(' {}="{}"').format(
            name.rstrip("_").replace("_", "-"), number(value) if isinstance(value, float) else value
        )
        for name, value in attributes.items()
        if value is not None
    )
    inner = Markup("").join(map(escape, children))
    return Markup("<{0}{1}>{2}</{0}>").format(Markup(tag), written, inner)


def drawing(
    name: str, title: str, description: str, *children: object, size: tuple[float, float], class_: str
) -> Markup:
    """Return a drawing that tells a screen reader what it shows.

    Parameters
    ----------
    name : str
        Identifies the drawing within the page.
    title, description : str
        What it shows, in a few words and in full.
    *children : object
        Its elements.
    size : (float, float)
        Width and height of its coordinates; it is scaled to the room it gets.
    class_ : str
        Class for the style sheet.
    """
    return element(
        "svg",
        element("title", title, id=f"{name}-title"),
        element("desc", description, id=f"{name}-desc"),
        *children,
        id=name,
        class_=class_,
        role="img",
        aria_labelledby=f"{name}-title {name}-desc",
        viewBox=f"0 0 {number(size[0])} {number(size[1])}",
    )


def strip(height: float, *children: object, class_: str, title: str = "") -> Markup:
    """Return a drawing as wide as its place, whose horizontal coordinates are shares of that width.

    Without a title it is decoration: the text beside it says the same.
    """
    told = {"role": "img", "aria_label": title} if title else {"aria_hidden": "true"}
    return element("svg", *children, class_=class_, width="100%", height=height, focusable="false", **told)
