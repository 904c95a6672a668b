"""Charts and sentences that follow a slider while a hand moves it, before the server is asked."""

from typing import Any

import pytest

from benchmarks.browser import wait_until_settled
from caldp_ui.app.theme import LIGHT
from caldp_ui.classroom.films import render
from caldp_ui.classroom.page_state import LINK, Lesson
from caldp_ui.parts import headline
from tests.browser.conftest import Opened
from tests.browser.hands import expect

pytestmark = pytest.mark.browser
DIAL = ".st-key-classroom-epsilon"
SAID = ".st-key-headline .headline"
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
DRAWN = """([css, told]) => {
    const {data, layout} = JSON.parse(told), host = document.querySelector(css);
    return host.data?.length === data.length && data.every((trace, i) =>
        (host.data[i].y.bdata ?? String(host.data[i].y)) === (trace.y.bdata ?? String(trace.y)));
}"""


def held_at(page: Any, wanted: float) -> None:
    """The slider drawn there and not let go of: the server is not asked."""
    box = page.locator(f"{DIAL} [role=group]").bounding_box()
    across = STEPS.index(wanted) / (len(STEPS) - 1)
    page.mouse.move(box["x"] + across * (box["width"] - 12) + 6, box["y"] + box["height"] / 2)
    page.mouse.down()
    expect(page.locator(f"{DIAL} input")).to_have_attribute("aria-valuetext", f"{wanted:g}")


def seen(page: Any, lesson: Lesson) -> None:
    """Sentence and chart are those of the lesson, and nothing else is in their place."""
    step = render(lesson, LIGHT)
    (said,) = page.evaluate(TEXTS, SAID)
    assert step.replacements[headline.SENTENCE].endswith(f">{said}</div>")
    (told,) = step.pictures.values()
    page.wait_for_function(DRAWN, arg=[CHART, told])


def open_sum(opened: Opened, lesson: Lesson) -> Any:
    query = "&".join(f"{key}={value}" for key, value in LINK.write(lesson).items())
    page = opened(f"classroom?{query}", f"{DIAL}[data-followed]", CHART)
    for end in (STEPS[0], STEPS[-1]):  # the nearest steps come before the whole film
        page.wait_for_function(KNOWN, arg=f"{end:g}")
    return page


def test_chart_and_sentence_follow_the_hand_and_stay_when_the_server_has_answered(
    opened: Opened,
) -> None:
    page = open_sum(opened, Lesson("sum"))
    seen(page, Lesson("sum"))
    for epsilon in (3.0, 0.2):
        held_at(page, epsilon)
        seen(page, Lesson("sum", epsilon))
        assert page.locator(SAID).count() == 2  # the page's own, unseen, and what stands in for it
    page.mouse.up()
    expect(page.locator(SAID)).to_have_count(1)
    wait_until_settled(page)
    assert "epsilon=0.2" in page.url
    seen(page, Lesson("sum", 0.2))


def test_a_hand_that_comes_back_leaves_the_page_as_it_was(opened: Opened) -> None:
    page = open_sum(opened, Lesson("sum"))
    held_at(page, 5.0)
    seen(page, Lesson("sum", 5.0))
    held_at(page, 1.0)
    page.mouse.up()
    expect(page.locator(SAID)).to_have_count(1)
    wait_until_settled(page)
    seen(page, Lesson("sum"))


def test_no_step_of_another_setting_is_shown(opened: Opened) -> None:
    """After another outcome was asked for, the steps that are there are those of the old one."""
    page = open_sum(opened, Lesson("sum", n=1000))
    page.get_by_role("button", name="Draw new noise").click()
    page.wait_for_url("**seed=2**")
    wait_until_settled(page)
    page.wait_for_function(
        DRAWN, arg=[CHART, *render(Lesson("sum", n=1000, seed=2), LIGHT).pictures.values()]
    )
    before = page.evaluate(TEXTS, SAID)
    held_at(page, 3.0)
    if not page.evaluate(KNOWN, "3"):
        assert page.evaluate(TEXTS, SAID) == before
    else:  # those of the new one have come by now
        seen(page, Lesson("sum", 3.0, n=1000, seed=2))
    page.mouse.up()
    page.wait_for_url("**epsilon=3**")
    wait_until_settled(page)
    expect(page.locator(SAID)).to_have_count(1)
    seen(page, Lesson("sum", 3.0, n=1000, seed=2))
