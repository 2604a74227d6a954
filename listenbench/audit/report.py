"""The report of an audit: text for a terminal, JSON and HTML for files."""

from __future__ import annotations

import html
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from listenbench._version import __version__
from listenbench.audit.check import Check, failures, is_too_few

_STYLE = (
    "body{font:16px/1.5 system-ui,sans-serif;margin:2rem auto;max-width:70rem;padding:0 1rem}"
    "table{border-collapse:collapse;width:100%}td,th{border-bottom:1px solid #bbb;padding:.3rem .6rem;"
    "text-align:left;vertical-align:top}.fails{font-weight:bold;color:#a00000}"
)


def verdict(check: Check) -> str:
    """Return 'ok', 'FAILS', or 'listed' for a figure without a limit."""
    if not check.passed:
        return "FAILS"
    return "ok" if check.limit else "listed"


def as_text(checks: Sequence[Check]) -> str:
    """Return the report as lines of text, the failures again at the end.

    Checks of one kind that had too few items share a line, and so do items of which the same is said; JSON
    and HTML have them all.
    """
    lines, section = [], ""
    for check in _folded(checks):
        if check.section != section:
            section = check.section
            lines += ["", section]
        limit = f"  [limit: {check.limit}]" if check.limit else ""
        lines.append(f"  {verdict(check):6}  {check.name}: {check.figure}{limit}")
        if not check.passed:
            lines += [f"            {item}" for item in _folded_items(check.items)]
    failed = failures(checks)
    lines += ["", f"{len(checks)} checks, {len(failed)} failed" + (":" if failed else "")]
    lines += [f"  {check.section}: {check.name}" for check in failed]
    return "\n".join(lines).lstrip("\n")


def _folded(checks: Sequence[Check]) -> list[Check]:
    """Return the checks with one for all of a kind that had too few items, in the place of the first."""
    kinds: dict[tuple[str, str], list[Check]] = {}
    for check in checks:
        key = (check.section, check.name.rpartition(": ")[2]) if is_too_few(check) else ("", str(len(kinds)))
        kinds.setdefault(key, []).append(check)
    return [
        group[0] if len(group) == 1 else replace(group[0], name=f"{kind}, {len(group)} times")
        for (_, kind), group in kinds.items()
    ]


def _folded_items(items: Sequence[str]) -> list[str]:
    """Return items as they are, and of lines that say the same of several files the first with a count."""
    said: dict[str, list[str]] = {}
    for item in items:
        said.setdefault(item.rpartition(": ")[2], []).append(item)
    return [
        group[0] + (f" (and {len(group) - 1} more like it)" if len(group) > 1 else "")
        for group in said.values()
    ]


def as_json(folder: str, fingerprint: str, checks: Sequence[Check]) -> dict[str, Any]:
    """Return the report as plain data."""
    return {
        "data": folder,
        "fingerprint": fingerprint,
        "version": __version__,
        "passed": not failures(checks),
        "checks": [check.to_dict() for check in checks],
    }


def as_html(folder: str, checks: Sequence[Check]) -> str:
    """Return the report as a page that needs no other file."""
    failed = len(failures(checks))
    rows = "\n".join(_html_row(check) for check in checks)
    title = f"Audit of {html.escape(folder)}"
    return (
        f'<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><title>{title}</title>'
        f"<style>{_STYLE}</style></head><body>\n<h1>{title}</h1>\n"
        f"<p>{len(checks)} checks, {failed} failed.</p>\n"
        "<table><thead><tr><th>Section</th><th>Check</th><th>Figure</th><th>Limit</th><th>Verdict</th></tr>"
        f"</thead><tbody>\n{rows}\n</tbody></table>\n</body></html>\n"
    )


def _html_row(check: Check) -> str:
    name = html.escape(check.name)
    if check.items:
        name += "<br>" + "<br>".join(html.escape(item) for item in check.items)
    cells = (html.escape(check.section), name, html.escape(check.figure), html.escape(check.limit))
    kind = ' class="fails"' if not check.passed else ""
    return "<tr>" + "".join(f"<td>{cell}</td>" for cell in cells) + f"<td{kind}>{verdict(check)}</td></tr>"
