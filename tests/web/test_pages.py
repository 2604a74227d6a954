"""Pages escape what they show, and what stands in a script can't end it."""

from __future__ import annotations

import json

from hypothesis import given
from hypothesis import strategies as st

from listenbench.web.pages import as_json, page


@given(st.recursive(st.none() | st.booleans() | st.text(), st.lists, max_leaves=5))
def test_json_in_a_page_is_inert_and_says_the_same(value: object) -> None:
    text = str(as_json(value))
    assert not set(text) & set("<>&\u2028\u2029")
    assert json.loads(text) == value


def test_a_page_is_whole_and_asks_nobody_else() -> None:
    html = page("base.html")
    assert html.startswith("<!doctype html>")
    assert "http:" not in html
    assert "https:" not in html
