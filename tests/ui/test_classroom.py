"""The classroom: every station shows what the core gives, and each sentence is true of it."""

import re
from dataclasses import replace
from typing import Any

from streamlit.testing.v1 import AppTest

from caldp_ui.classroom import trust
from caldp_ui.classroom.page import STATIONS
from caldp_ui.classroom.page_state import LINK, NAMES, STATE, VIEWS, Lesson
from tests.contract.checks import naming
from tests.ui.driver import checked, headline_of, open_record, page_record, query_of
from tests.ui.lessons import ENDS, read_headline


def assert_shows(at: AppTest, lesson: Lesson) -> None:
    """Sentence and link are those of the lesson."""
    assert page_record(at, STATE) == lesson
    assert not at.error
    assert headline_of(at) == " ".join(read_headline(lesson).split())
    assert LINK.read(query_of(at)) == lesson


def test_the_stations_are_those_of_links() -> None:
    assert tuple(STATIONS) == NAMES


def test_breaking_it_changes_the_sentence_or_the_picture_and_the_expanders_open() -> None:
    at = open_record(STATE)
    assert_shows(at, Lesson())
    assert query_of(at) == {}
    for name in NAMES:
        checked(at.segmented_control(key="classroom-station").set_value(name).run())
        assert_shows(at, Lesson(name))  # each begins unbroken
        checked(at.toggle(key="classroom-broken").set_value(True).run())
        assert_shows(at, Lesson(name, broken=True))
        if name != "trust":  # there it is the picture that changes
            assert read_headline(Lesson(name)) != read_headline(Lesson(name, broken=True))
        assert not at.latex
        at.session_state["classroom-formula"] = True
        for tab in ("The exact audit", "Numbers", "Share and export"):
            at.session_state["classroom-tabs"] = tab
            checked(at.run())
            assert at.latex
            assert at.table if tab != "Share and export" else at.code
        at.session_state["classroom-formula"] = False


def test_the_way_onward_leads_through_the_lecture() -> None:
    at = open_record(STATE, Lesson(broken=True))
    for name in NAMES[1:]:
        checked(at.button(key="classroom-onward").click().run())
        assert_shows(at, Lesson(name))
    assert not any(button.key == "classroom-onward" for button in at.button)


def test_every_control_changes_what_it_names_and_undo_takes_it_back() -> None:
    lesson = Lesson("rappor")
    at = open_record(STATE, lesson)
    steps: tuple[tuple[str, Any], ...] = (("epsilon", 3.0), ("days", 30), ("values", 3))
    for name, value in steps:
        checked(at.select_slider(key=f"classroom-{name}").set_value(value).run())
        lesson = replace(lesson, **{name: value})
        assert_shows(at, lesson)
    checked(at.segmented_control(key="classroom-view").set_value("crowd").run())
    assert not any(toggle.key == "classroom-broken" for toggle in at.toggle)
    checked(at.select_slider(key="classroom-n").set_value(10**6).run())
    checked(at.button(key="classroom-another").click().run())
    assert_shows(at, replace(lesson, view="crowd", n=10**6, seed=2))
    checked(at.button(key="classroom-undo").click().run())
    assert_shows(at, replace(lesson, view="crowd", n=10**6))
    for station, name, value in (
        ("means", "width", 60),
        ("shuffling", "blocks", 50),
        ("bits", "items", 64),
    ):
        checked(at.segmented_control(key="classroom-station").set_value(station).run())
        checked(at.select_slider(key=f"classroom-{name}").set_value(value).run())
        assert getattr(page_record(at, STATE), name) == value
        assert_shows(at, page_record(at, STATE))


def test_links_open_as_they_were_at_the_ends_of_all_ranges() -> None:
    link = LINK
    for lesson in ENDS:
        with naming(str(lesson)):
            link.check(lesson)
            assert link.read(link.write(lesson)) == lesson
            assert read_headline(lesson)
    assert_shows(open_record(STATE, ENDS[0]), ENDS[0])
    assert_shows(open_record(STATE, ENDS[-1]), ENDS[-1])


def test_trust_icons_are_the_people_and_what_they_sent() -> None:
    for lesson in (Lesson(n=50, broken=True), Lesson(n=10**6)):
        data = trust.compute_data(lesson)
        (html,) = (
            each.proto.body
            for each in open_record(STATE, lesson).get("html")
            if '"trust"' in each.proto.body
        )
        arrays = re.findall(r'class="people".*?</div>', html)
        full = [array.count("<i>") for array in arrays]
        assert full == [data.truth.sum(), data.truth.sum(), data.truth.sum(), data.sent.sum()]
        assert all(len(re.findall("<[is]>", a)) == min(lesson.n, 100) for a in arrays)
        right = int((data.truth == data.sent).sum())
        assert (f"{right} of {data.truth.size} right in this draw" in html) == lesson.broken


def test_views_are_those_of_links() -> None:
    for view in VIEWS:
        LINK.check(Lesson(view=view))


def test_one_draw_is_told_apart_from_the_average_that_the_headline_bounds() -> None:
    lesson = Lesson(broken=True)
    data = trust.compute_data(lesson)
    right = int((data.sent == data.truth).sum())
    assert right > 73  # more than the headline allows on average
    assert "at most 73 times" in read_headline(lesson)
    sentence = trust.attacker(data.sent, data)
    assert sentence == f"Attacker: {right} of 100 right in this draw, 73 of 100 on average"
    assert trust.attacker(data.truth, data) == "Attacker: reads 100 of 100 true answers"


def test_the_lecture_s_four_items_have_no_sliders_that_say_otherwise() -> None:
    at = open_record(STATE, Lesson("selection", items=1024))
    assert at.select_slider
    checked(at.toggle(key="classroom-broken").set_value(True).run())
    assert not at.select_slider
    assert "Four items" in headline_of(at)
    checked(at.toggle(key="classroom-broken").set_value(False).run())
    assert at.select_slider(key="classroom-items").value == 1024
