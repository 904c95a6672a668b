"""A tick that crosses what a hand does has the page run once more; others draw their part."""

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import pytest
import streamlit as st

from caldp_ui.session import page_state, ticking
from tests.ui.driver import open_page

EVERY = 0.4


class PageRuns(Exception):
    """Stands for the run of the page that a tick asks for."""


class Clock:
    """A browser that ticks, and a clock that stands still until it is moved."""

    def __init__(self, patch: pytest.MonkeyPatch) -> None:
        self.now, self.drawn, self.kept = 100.0, 0, dict[str, Any]()
        self.tick: Callable[[], None] = lambda: None
        patch.setattr(ticking, "monotonic", lambda: self.now)
        patch.setattr(ticking, "run_page", self.run_page)
        patch.setattr(st, "session_state", self.kept)
        patch.setattr(st, "fragment", self.fragment)

    def run_page(self) -> None:
        raise PageRuns

    def fragment(self, part: Callable[[], None], run_every: float) -> Callable[[], None]:
        assert run_every == EVERY
        self.tick = part
        return part

    def draw_page(self) -> None:
        ticking.redraw_every("bar", EVERY, self.draw)

    def draw(self) -> None:
        self.drawn += 1


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    made = Clock(monkeypatch)
    made.draw_page()
    return made


def test_a_tick_of_this_drawing_draws_its_part(clock: Clock) -> None:
    for _ in range(3):
        clock.now += EVERY
        clock.tick()
    assert clock.drawn == 4


def test_a_tick_sent_before_the_page_was_drawn_has_it_run_once_more(clock: Clock) -> None:
    clock.now += EVERY / 2
    with pytest.raises(PageRuns):
        clock.tick()
    assert clock.drawn == 1


def test_a_page_that_takes_longer_than_a_tick_is_not_run_for_ever(clock: Clock) -> None:
    with pytest.raises(PageRuns):
        clock.tick()
    clock.now += 1.0  # so long did the page take, and the next tick is there already
    clock.draw_page()
    clock.tick()
    assert clock.drawn == 3
    clock.now += 1.0
    clock.draw_page()
    with pytest.raises(PageRuns):
        clock.tick()


def test_a_run_of_one_part_is_no_hand_on_another(monkeypatch: pytest.MonkeyPatch) -> None:
    context = SimpleNamespace(fragment_ids_this_run=None)
    monkeypatch.setattr(ticking, "get_script_run_ctx", lambda: context)
    assert ticking.is_asked_for(None)
    assert ticking.is_asked_for("tabs")
    context.fragment_ids_this_run = ["bar"]
    assert ticking.is_asked_for("bar")
    assert not ticking.is_asked_for(None)
    assert not ticking.is_asked_for("tabs")


def test_what_a_tick_brings_of_the_page_s_widgets_changes_nothing(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """It is what a run said that a hand's own has overtaken: on large maps it undid choices."""
    at = open_page("pages/values.py", {})
    before = at.session_state["values/state"].record
    calls: list[str | None] = []
    monkeypatch.setattr(page_state, "is_asked_for", calls.append)
    menu = at.selectbox(key="values-table")
    other = next(option for option in menu.options if option != menu.value)
    menu.set_value(other).run()
    assert calls == [None]  # the widget is the page's own
    assert at.session_state["values/state"].record == before
    assert at.selectbox(key="values-table").value != other
    monkeypatch.undo()
    at.selectbox(key="values-table").set_value(other).run()
    assert at.session_state["values/state"].record != before
