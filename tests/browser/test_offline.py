"""The lesson to take home, opened as a file without a network, by keyboard and on a phone."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from caldp_core.basics.types import no_progress
from caldp_ui.classroom.page_state import NAMES
from caldp_ui.handout import lesson
from tests.browser.conftest import DESKTOP
from tests.browser.hands import expect
from tests.browser.test_axe import violations
from tests.browser.watch import Watch

pytestmark = pytest.mark.browser
DRAWN = """() => [...document.querySelectorAll('.picture.maps')].every(
    host => host.shadowRoot.querySelector('.stage')?.dataset.painted)"""


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("stick") / lesson.FILE
    path.write_bytes(lesson.make_lesson(no_progress))
    assert path.stat().st_size < 5e6
    return path


PHONE = {"viewport": {"width": 390, "height": 844}, "has_touch": True, "color_scheme": "dark"}


@contextmanager
def reading(browser: Any, file: Path, **screen: Any) -> Iterator[Any]:
    """The file on a screen, without a network; it asks nobody, and nothing is an error."""
    context = browser.new_context(offline=True, **screen)
    page, watch = context.new_page(), Watch()
    watch.follow(page)
    urls: list[str] = []
    page.on("request", lambda made: urls.append(made.url))
    page.goto(file.as_uri())
    page.wait_for_function(DRAWN)
    yield page
    assert [url for url in urls if not url.startswith(("file:", "data:", "blob:"))] == []
    watch.check()
    context.close()


def to_the_end(page: Any, part: str) -> None:
    """Its slider by keyboard, until its sentence is another."""
    headline = page.locator(f"#{part} .headline h3 >> visible=true")
    before = headline.inner_text()
    slider = page.locator(f"#{part} input[type=range] >> visible=true").first
    slider.focus()
    slider.press("End")
    expect(headline).not_to_have_text(before)
    expect(headline).to_have_count(1)


def charts(page: Any, part: str) -> list[str]:
    """What is drawn in a part, and the alternative texts of it."""
    drawn: list[str] = page.locator(f"#{part} .board").evaluate_all(
        "all => all.map(e => e.innerHTML)"
    )
    return drawn


def test_sliders_move_what_is_said_and_questions_are_marked(browser: Any, file: Path) -> None:
    with reading(browser, file, viewport=DESKTOP) as page:
        assert_answers(page)
        assert_readable(page)


def test_on_a_phone_in_the_dark(browser: Any, file: Path) -> None:
    with reading(browser, file, **PHONE) as page:
        to_the_end(page, "places")
        assert_readable(page)


def assert_answers(page: Any) -> None:
    """To sliders, by the keyboard, and to what is chosen and written."""
    for part in ("places", "answers", "attacker"):
        to_the_end(page, part)
    for name in NAMES:
        part, (before,) = f"station-{name}", charts(page, f"station-{name}")
        to_the_end(page, part)
        assert charts(page, part) != [before]
        page.locator(f"#{part} input[type=range]").nth(1).press("Home")  # the first goes back
        page.locator(f"#{part} input[type=range]").nth(0).press("ArrowRight")
        page.locator(f"#{part} input[type=range]").nth(0).press("ArrowLeft")
        assert charts(page, part) == [before]
    for name, right in (("places-0", "1"), ("places-1", "0")):
        page.locator(f"input[name={name}][value='{right}']").first.check()
    assert (
        page.locator("#score").inner_text()
        == "1 right at first of 2 answered; 30 questions in all."
    )
    assert (
        page.locator("#places fieldset[data-right=true] .because").inner_text().startswith("Right.")
    )
    page.locator("#own-words").fill("Where the rest is harmless.")
    handed = page.locator("#hand-in").input_value()
    assert "1 of 30 right at first" in handed
    page.locator("#owner").fill("Ada")
    again = page.locator("input[name=places-0][value='0']").first
    again.check()  # the first answer counts, and the last is handed in beside it
    wrong = again.locator("xpath=..").inner_text().strip()
    handed = page.locator("#hand-in").input_value()
    assert "1 of 30 right at first" in handed
    assert f"   last: {wrong} (not right)" in handed
    assert "Name: Ada" in handed
    titles = page.locator("section.part h2").all_inner_texts()
    assert page.locator("nav a").all_inner_texts() == titles
    assert "In my own words: Where the rest is harmless." in handed
    page.reload()
    page.wait_for_function(DRAWN)
    assert page.locator("#own-words").input_value() == "Where the rest is harmless."
    assert page.locator("fieldset input:checked").count() == 2
    assert page.locator("#owner").input_value() == "Ada"
    assert "1 right at first of 2" in page.locator("#score").inner_text()  # still the first


def assert_readable(page: Any) -> None:
    """No rule is broken, and nothing is wider than the screen."""
    assert violations(page) == []
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
