"""A question of a planner in a browser: from the start page to what a group of forty can tell."""

import re
from typing import Any

import pytest

from caldp_ui.plan.page_state import STATE
from tests.browser.conftest import OpenLink
from tests.browser.hands import HEADLINE, expect
from tests.servers import wait_until_settled

pytestmark = pytest.mark.browser
ANSWERS = {
    "Never": 2_100,
    "Once": 420,
    "Several times": 210,
    "Monthly": 60,
    "Weekly": 30,
    "Rather not say": 120,
    "Don't know": 60,
}
"""Of 3,000 people: the answers of the question, and how many are expected to give each."""
SENSITIVE = ("Monthly", "Weekly")
CLICKS = 9
"""The issue allows twelve."""


class Planner:
    """Clicks on a page, counted; a field that is typed into is a click, too."""

    def __init__(self, page: Any) -> None:
        self.page, self.clicks = page, 0

    def press(self, name: str) -> None:
        self.clicks += 1
        self.page.get_by_role("button", name=name, exact=True).click()
        wait_until_settled(self.page)

    def pick(self, key: str, options: tuple[str, ...]) -> None:
        """Open a menu, choose several, and close it by a key."""
        self.clicks += 1 + len(options)
        menu = self.page.locator(f".st-key-{STATE.key(key)}").first
        menu.locator("input").click()
        for option in options:
            self.page.get_by_role("option", name=option, exact=True).click()
            expect(menu.get_by_text(option, exact=True)).to_be_visible()
            wait_until_settled(self.page)
        self.page.keyboard.press("Escape")

    def fill(self, key: str, text: str) -> None:
        self.clicks += 1
        field = self.page.locator(f".st-key-{STATE.key(key)} input").first
        field.fill(text)
        field.press("Enter")
        wait_until_settled(self.page)


def test_a_question_is_planned_from_the_start_page_with_a_group_of_forty(
    open_link: OpenLink,
) -> None:
    page = open_link("", HEADLINE)
    planner = Planner(page)
    planner.press("I will ask people")
    page.wait_for_url("**/plan*")
    planner.press("Plan my own question")
    page.wait_for_url("**/values*")
    # The form is open, at the text: nobody who plans a question has a file of its answers.
    text = page.locator(".st-key-values-own-text textarea")
    text.fill("\n".join(f"{answer},{people}" for answer, people in ANSWERS.items()))
    planner.press("Read the text")
    planner.press("Show it")
    page.wait_for_url("**own=*")
    planner.press("Plan a survey with this question")
    page.wait_for_url("**/plan*")
    people = page.locator(f".st-key-{STATE.key('dials')}").first
    expect(people).to_contain_text("3,000 (the data)")
    planner.pick("sensitive", SENSITIVE)
    headline = page.locator(HEADLINE)
    expect(headline).to_contain_text(["Only 3 of 100 people are protected"])
    planner.fill("group", "40")
    closest = re.compile(r"Of a group of 40 people no protected share can be told closer than ± ")
    expect(headline).to_contain_text([closest])
    assert planner.clicks == CLICKS
    # The memo names what is sensitive, and no answers were put into blocks unasked.
    memo = page.locator("[data-testid=stCode]").first
    expect(memo).to_contain_text("Sensitive are “Monthly” and “Weekly”")
    expect(memo).to_contain_text(closest)
    for answer in ANSWERS:
        expect(memo).to_contain_text(f"“{answer}”")
    expect(memo).not_to_contain_text("block")
