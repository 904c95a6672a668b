"""A field that somebody may be writing in is set only where the browser has another text."""

import pytest
from streamlit.testing.v1 import AppTest

from tests.ui.driver import checked, open_page, query_of


def page() -> None:
    """A field, a number beside it, and buttons that change the record."""
    from dataclasses import dataclass, replace

    import streamlit as st

    from caldp_ui.session.page_state import PageState
    from caldp_ui.session.record_link import RecordLink

    @dataclass(frozen=True)
    class Note:
        text: str = "begin"
        number: int = 0

    # One class for all runs: records of two are never equal.
    fresh = st.session_state.setdefault("fresh", Note())
    state = PageState("note", RecordLink(fresh, lambda _: None))
    record = state.current()
    st.text_input(
        "Text", **state.bind_text("text", record.text, lambda r, v: replace(r, text=v.strip()))
    )
    st.slider(
        "Number", 0, 9, **state.bind("number", record.number, lambda r, v: replace(r, number=v))
    )
    st.button("Undo", key="undo", on_click=state.undo)
    st.button("Put", key="put", on_click=lambda: state.put(replace(record, text="put")))
    if st.button("Put, and run again", key="again", on_click=lambda: state.put(fresh)):
        st.rerun()


@pytest.fixture
def at() -> AppTest:
    """The page after its second run: its field was set in the first."""
    opened = AppTest.from_function(page, default_timeout=120).run()
    assert field(opened) == ("begin", True)
    return opened.run()


def field(at: AppTest) -> tuple[str, bool]:
    """The text of the field, and whether the run has sent it to the browser."""
    assert not at.exception
    found = at.text_input(key="note-text")
    assert found.value == at.session_state["note/state"].record.text
    return str(found.value), bool(found.proto.set_value)


def test_what_is_being_written_stays_in_runs_of_other_controls(at: AppTest) -> None:
    assert field(at) == ("begin", False)
    assert field(at.slider(key="note-number").set_value(3).run()) == ("begin", False)
    assert at.session_state["note/state"].record.number == 3
    assert field(at.text_input(key="note-text").set_value("sent").run()) == ("sent", False)


def test_a_text_that_the_page_takes_otherwise_is_set(at: AppTest) -> None:
    assert field(at.text_input(key="note-text").set_value(" wide ").run()) == ("wide", True)
    assert field(at.run()) == ("wide", False)


def test_undo_and_the_pages_own_changes_set_the_field(at: AppTest) -> None:
    at.text_input(key="note-text").set_value("sent").run()
    assert field(at.button(key="put").click().run()) == ("put", True)
    assert field(at.button(key="undo").click().run()) == ("sent", True)
    assert field(at.run()) == ("sent", False)


def test_a_run_in_place_of_one_that_has_set_the_field_sets_it_again(at: AppTest) -> None:
    """What a run has drawn that asks for another may never reach the browser."""
    at.text_input(key="note-text").set_value("sent").run()
    assert field(at.button(key="again").click().run()) == ("begin", True)
    assert field(at.run()) == ("begin", False)


def test_a_choice_that_is_no_longer_offered_changes_nothing() -> None:
    at = open_page("pages/values.py")
    before = query_of(at)
    widget = at.selectbox(key="values-preset")
    widget.options.append("A choice of the page before")
    checked(widget.set_value("A choice of the page before").run())
    assert query_of(at) == before
