"""Charts and sentences that follow a slider while a hand moves it, before the server is asked."""

from typing import Any

import pytest

from benchmarks.browser import wait_until_settled
from caldp_ui.app.theme import LIGHT
from caldp_ui.classroom.page import view
from caldp_ui.classroom.page_state import LINK, Lesson
from caldp_ui.parts import markup
from tests.browser.conftest import OpenLink
from tests.browser.hands import HEADLINE, expect

pytestmark = pytest.mark.browser
DIAL = ".st-key-classroom-epsilon"
CHART = ".st-key-classroom-sum .chart"
STEPS = (0.1, 0.2, 0.5, 1.0, 2.0, 3.0, 5.0, 7.0, 10.0)
KNOWN = """reading => {
    const {films, page} = globalThis[Symbol.for("caldp.films")], dial = "classroom-epsilon";
    const film = films.get(dial);
    return film?.settings === page[dial]?.settings
        && film?.steps.some(step => step.reading === reading);
}"""
"""Whether the browser has that step of what the page shows now."""
TEXTS = """css => [...document.querySelectorAll(css)]
    .filter(each => each.getClientRects().length).map(each => each.innerHTML)"""
DRAWN = """([css, figure]) => {
    const {data, layout} = JSON.parse(figure), host = document.querySelector(css);
    return host.data?.length === data.length && data.every((trace, i) =>
        (host.data[i].y.bdata ?? String(host.data[i].y)) === (trace.y.bdata ?? String(trace.y)));
}"""


def hold_at(page: Any, wanted: float) -> None:
    """The slider drawn there and not let go of: the server is not asked."""
    box = page.locator(f"{DIAL} [role=group]").bounding_box()
    across = STEPS.index(wanted) / (len(STEPS) - 1)
    page.mouse.move(box["x"] + across * (box["width"] - 12) + 6, box["y"] + box["height"] / 2)
    page.mouse.down()
    expect(page.locator(f"{DIAL} input")).to_have_attribute("aria-valuetext", f"{wanted:g}")


def expect_lesson(page: Any, lesson: Lesson) -> None:
    """Sentence and chart are those of the lesson, and nothing else is in their place."""
    step = view(lesson, None, LIGHT).step()
    (sentence,) = page.evaluate(TEXTS, HEADLINE)
    sentence = sentence.replace("&nbsp;", "\N{NO-BREAK SPACE}")  # as innerHTML writes it
    assert step.replacements[markup.SENTENCE].endswith(f">{sentence}</div>")
    (chart,) = step.pictures.values()
    page.wait_for_function(DRAWN, arg=[CHART, chart])


def open_sum(open_link: OpenLink, lesson: Lesson) -> Any:
    query = "&".join(f"{key}={value}" for key, value in LINK.write(lesson).items())
    page = open_link(f"classroom?{query}", f"{DIAL}[data-followed]", CHART)
    for end in (STEPS[0], STEPS[-1]):  # the nearest steps come before the whole film
        page.wait_for_function(KNOWN, arg=f"{end:g}")
    return page


def test_chart_and_sentence_follow_the_hand_and_stay_when_the_server_has_answered(
    open_link: OpenLink,
) -> None:
    page = open_sum(open_link, Lesson("sum"))
    expect_lesson(page, Lesson("sum"))
    for epsilon in (3.0, 0.2):
        hold_at(page, epsilon)
        expect_lesson(page, Lesson("sum", epsilon))
        assert (
            page.locator(HEADLINE).count() == 2
        )  # the page's own, unseen, and what stands in for it
    page.mouse.up()
    expect(page.locator(HEADLINE)).to_have_count(1)
    wait_until_settled(page)
    assert "epsilon=0.2" in page.url
    expect_lesson(page, Lesson("sum", 0.2))


def test_a_hand_that_comes_back_leaves_the_page_as_it_was(open_link: OpenLink) -> None:
    page = open_sum(open_link, Lesson("sum"))
    hold_at(page, 5.0)
    expect_lesson(page, Lesson("sum", 5.0))
    hold_at(page, 1.0)
    page.mouse.up()
    expect(page.locator(HEADLINE)).to_have_count(1)
    wait_until_settled(page)
    expect_lesson(page, Lesson("sum"))


def test_no_step_of_another_setting_is_shown(open_link: OpenLink) -> None:
    """After another outcome was asked for, the steps that are there are those of the old one."""
    page = open_sum(open_link, Lesson("sum", n=1000))
    page.get_by_role("button", name="Draw new noise").click()
    page.wait_for_url("**seed=2**")
    wait_until_settled(page)
    page.wait_for_function(
        DRAWN, arg=[CHART, *view(Lesson("sum", n=1000, seed=2), None, LIGHT).pictures.values()]
    )
    before = page.evaluate(TEXTS, HEADLINE)
    hold_at(page, 3.0)
    if not page.evaluate(KNOWN, "3"):
        assert page.evaluate(TEXTS, HEADLINE) == before
    else:  # those of the new one have come by now
        expect_lesson(page, Lesson("sum", 3.0, n=1000, seed=2))
    page.mouse.up()
    page.wait_for_url("**epsilon=3**")
    wait_until_settled(page)
    expect(page.locator(HEADLINE)).to_have_count(1)
    expect_lesson(page, Lesson("sum", 3.0, n=1000, seed=2))
