"""What axe-core finds on a page: `test_tabs.py` asks it of every page, by the way."""

from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe

from benchmarks.browser import wait_until_settled

pytestmark = pytest.mark.browser
UNREADABLE = "<p style='color: #888; background: #999'>Gray on gray</p>"
DRAWN = """ground => !document.querySelector('[data-testid=stSkeleton]') && ground
    === getComputedStyle(document.querySelector('[data-testid=stApp]')).backgroundColor"""

GROUNDS = {"light": "rgb(255, 255, 255)", "dark": "rgb(11, 15, 20)"}

AS_AT_REST = "[data-stale=true] { opacity: 1 !important; transition: none !important; }"
"""Streamlit fades what a run has not drawn yet; work beside a page may start one at any moment."""


COLOURS = {"runOnly": {"type": "rule", "values": ["color-contrast", "link-in-text-block"]}}
"""The rules that go by colours: all that another theme can break."""


def violations(page: Any, options: dict[str, Any] | None = None) -> list[str]:
    """What axe finds: the rule, the first element that breaks it, and how."""
    found = Axe().run(page, options=options).response["violations"]
    return [f"{v['id']}: {v['nodes'][0]['html']} {v['nodes'][0]['failureSummary']}" for v in found]


def in_scheme(page: Any, scheme: str) -> None:
    """The page in the light or in the dark, drawn and at rest."""
    page.emulate_media(color_scheme=scheme)
    page.wait_for_function(DRAWN, arg=GROUNDS[scheme])
    wait_until_settled(page)
    page.add_style_tag(content=AS_AT_REST)


def violations_in_both(page: Any, first: str) -> list[str]:
    """Rules that are broken in the scheme that the page is in, or by colours in the other."""
    (other,) = {*GROUNDS} - {first}
    in_scheme(page, first)
    found = violations(page)
    in_scheme(page, other)
    return found + [f"{other}: {each}" for each in violations(page, COLOURS)]


def test_axe_knows_a_broken_rule(browser: Any) -> None:
    with browser.new_context() as context:
        page = context.new_page()
        page.set_content(f"<html lang='en'><title>One</title><main>{UNREADABLE}</main></html>")
        for options in (None, COLOURS):
            assert any(each.startswith("color-contrast") for each in violations(page, options))
