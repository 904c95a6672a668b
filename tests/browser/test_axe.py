"""Every page by axe-core: none of WCAG's rules that a machine can check is broken."""

from pathlib import Path
from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe

from benchmarks.browser import settled
from caldp_ui.app.navigation import PAGES
from tests.browser.conftest import DESKTOP, Profiles
from tests.browser.watch import Watch

pytestmark = pytest.mark.browser
NAMES = [Path(entry.path).stem for entry in PAGES]
UNREADABLE = "<p style='color: #888; background: #999'>Gray on gray</p>"
DRAWN = """ground => !document.querySelector('[data-testid=stSkeleton]') && ground
    === getComputedStyle(document.querySelector('[data-testid=stApp]')).backgroundColor"""

GROUNDS = {"light": "rgb(255, 255, 255)", "dark": "rgb(11, 15, 20)"}

AS_AT_REST = "[data-stale=true] { opacity: 1 !important; transition: none !important; }"
"""Streamlit fades what a run has not drawn yet; work beside a page may start one at any moment."""


def broken(page: Any) -> list[str]:
    """What axe finds: the rule, the first element that breaks it, and how."""
    found = Axe().run(page).response["violations"]
    return [f"{v['id']}: {v['nodes'][0]['html']} {v['nodes'][0]['failureSummary']}" for v in found]


@pytest.mark.parametrize("name", NAMES)
def test_no_rule_is_broken_in_light_or_dark(profiles: Profiles, address: str, name: str) -> None:
    page = profiles(viewport=DESKTOP).new_page()
    watch = Watch()
    watch.follow(page)
    page.goto(f"{address}/{name}")
    page.wait_for_selector("h1")
    assert page.locator("h1").count() == 1, "a page has one name"
    found = {}
    for scheme, ground in GROUNDS.items():
        page.emulate_media(color_scheme=scheme)
        page.wait_for_function(DRAWN, arg=ground)
        settled(page)
        page.add_style_tag(content=AS_AT_REST)
        found[scheme] = broken(page)
    page.close()
    assert found == {"light": [], "dark": []}
    watch.check()


def test_axe_knows_a_broken_rule(browser: Any) -> None:
    with browser.new_context() as context:
        page = context.new_page()
        page.set_content(f"<html lang='en'><title>One</title><main>{UNREADABLE}</main></html>")
        assert any(each.startswith("color-contrast") for each in broken(page))
