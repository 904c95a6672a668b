"""The projector: reports arrive, ranges tighten; how phones come in, and the teacher's buttons.

The button that asks what is written; a question that protects nobody is confirmed first.
"""

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Final, TypeAlias

import segno
import streamlit as st

from caldp_core.basics.errors import CaldpError
from caldp_ui.app import gate
from caldp_ui.app.errors import escape_markdown
from caldp_ui.app.navigation import ensure_navigation
from caldp_ui.parts import headline
from caldp_ui.room import below, boards, form, intake, poll_links, words
from caldp_ui.room.attempts import OPEN, attempt_limiter
from caldp_ui.room.figures import history
from caldp_ui.room.page_state import NEXT, STATE, protect_all
from caldp_ui.room.poll import PollState
from caldp_ui.room.question import Question
from caldp_ui.room.registry import TeacherKey, format_code, normalize_code, rooms, this_visit
from caldp_ui.session import handover, notices
from caldp_ui.session.ticking import redraw_every, run_page

Ask: TypeAlias = Callable[[Question], None]
_WARNED: Final = "room/warned"
"""The question that protects nobody, as the teacher was warned of it."""


def button(name: str, label: str, icon: str, ask: Ask) -> None:
    """Draw the button that asks the question on the page; the warning, where one is due.

    `name`: of the widget. `icon`: "" for none. `ask`: called with the question.
    """
    question = STATE.current().question
    if question.sensitive or st.session_state.get(_WARNED) != question:
        st.button(
            label,
            type="primary",
            width="stretch",
            icon=icon or None,
            key=STATE.key(name),
            on_click=_ask_protected,
            args=(ask, None),
        )
        return
    st.warning(escape_markdown(words.unprotected_warning(question)), icon=":material/lock_open:")
    st.button(
        "Protect all answers",
        type="primary",
        width="stretch",
        key=STATE.key("protect"),
        on_click=STATE.change,
        args=(lambda draft: replace(draft, question=protect_all(draft.question)),),
    )
    st.button(
        "Ask without protection",
        width="stretch",
        key=STATE.key("unprotected"),
        on_click=_ask_protected,
        args=(ask, question),
    )


def _ask_protected(ask: Ask, confirmed: Question | None) -> None:
    """Ask what is written now, or warn: the click may come before the page has followed a change.

    `confirmed`: the question that the teacher asks without protection.
    """
    question = STATE.current().question
    if question.sensitive or question == confirmed:
        st.session_state.pop(_WARNED, None)
        ask(question)
    else:
        st.session_state[_WARNED] = question


_TEACHER_KEY: Final = "room/held"
_NEXT_KEY: Final = "room/next"
_FORGET_KEY: Final = "room/gone"
"""True once the browser is to forget the room that it stored."""
_KNOWN_KEY: Final = "room/known"
"""The current question's mark, and its ranges by number of reports, which do not change."""
_KEEPER: Final = STATE.key("keeper")
_keeper = st.components.v2.component(
    "caldp_room_keeper", js=(boards.WEB / "keeper.js").read_text("utf-8")
)


def find_teacher_key() -> TeacherKey | None:
    """The key of the room that this visit opened; None where there is none, or it has ended."""
    teacher_key: TeacherKey | None = st.session_state.get(_TEACHER_KEY)
    if teacher_key is None:
        return None
    try:
        rooms().get_own_poll(teacher_key, this_visit())
    except CaldpError:
        _lose(teacher_key)
        return None
    return teacher_key


def open_button() -> None:
    """Draw the button that opens a poll with the question on the page."""
    button("open", "Open the poll", ":material/co_present:", _open)


def _open(question: Question) -> None:
    try:
        attempt_limiter().record_attempt(OPEN, gate.visitor_address())
        st.session_state[_TEACHER_KEY] = rooms().open(question, this_visit())
    except CaldpError as error:
        notices.notify(str(error))
    handover.take_part(STATE.page, NEXT)  # a question that was handed over is asked by now
    _set_writing_next(False)


def _set_writing_next(writing: bool) -> None:
    st.session_state[_NEXT_KEY] = writing


def page() -> None:
    """Draw the whole page while a room is open."""
    ensure_navigation()
    teacher_key: TeacherKey = st.session_state[_TEACHER_KEY]
    poll = rooms().get_own_poll(teacher_key, this_visit())
    notices.show()
    if handover.take_part(STATE.page, NEXT):
        STATE.follow_link()
        _set_writing_next(True)
    main, beside = st.columns([3.1, 1], gap="medium")
    with beside, st.container(key=STATE.key("side")):
        if st.session_state.get(_NEXT_KEY):
            _next_question(teacher_key, poll)
        else:
            _way_in(poll)
            _buttons(teacher_key, poll)
    with main:
        redraw_every("hall", 1.0, lambda: _live(teacher_key))
        below.show(lambda: rooms().get_own_poll(teacher_key, this_visit()))
    _keeper(key=_KEEPER, data={"teacher": vars(teacher_key)})


def _live(teacher_key: TeacherKey) -> None:
    try:
        poll = rooms().get_own_poll(teacher_key, this_visit())
    except CaldpError:
        run_page()
    mark, known = st.session_state.get(_KNOWN_KEY, ("", {}))
    if mark != poll.mark:
        _, known = st.session_state[_KNOWN_KEY] = (poll.mark, {})
    past = history(poll.question, poll.reports, known)
    last = past[-1][1] if past else None
    headline.show(words.live_headline(poll, last))
    intake.warn(poll)
    with st.container(key=STATE.key("question")):
        st.header(escape_markdown(poll.question.text), anchor=False)
    boards.board(boards.board_json(poll, past), STATE.key("board"))


def _way_in(poll: PollState) -> None:
    address = gate.current_address(poll_links.query_of(poll.code))
    shared = gate.shared_address(address)
    _code(poll, shared or address)
    st.code(shared or address, language=None, wrap_lines=True)
    if shared is None:
        st.caption(
            "This server answers this machine only; docs/deploy.md says how phones can reach it."
        )


def _code(poll: PollState, address: str) -> None:
    """Draw the code that a class reads, and the QR code that its phones scan."""
    st.html(f'<p class="room-code"><small>Code</small> {poll_links.display_code(poll.code)}</p>')
    with st.container(key="qr"):
        st.image(
            segno.make(address, error="m").svg_inline(scale=6, border=2),
            width="stretch",
            alt=f"QR code of the link to poll {format_code(poll.code)}.",
        )


def _buttons(teacher_key: TeacherKey, poll: PollState) -> None:
    if poll.question.right is not None and not poll.is_shown:
        st.button(
            "Show the answer",
            type="primary",
            width="stretch",
            icon=":material/lightbulb:",
            key=STATE.key("show"),
            on_click=intake.try_action,
            args=(rooms().show_answer, teacher_key),
        )
    label = "Close the question" if poll.is_open else "Take reports again"
    with st.container(horizontal=True, gap="xsmall"):
        if not poll.is_shown:
            st.button(
                label,
                key=STATE.key("close"),
                on_click=intake.try_action,
                args=(rooms().set_open, teacher_key, not poll.is_open),
            )
        st.button("Next question", key=STATE.key("next"), on_click=_set_writing_next, args=(True,))
    with st.container(horizontal=True, gap="xsmall"):
        intake.form(teacher_key, poll, lambda: st.session_state.pop(_KNOWN_KEY, None))
        with st.popover("End the poll", icon=":material/logout:", width="stretch"):
            st.markdown("Its reports are forgotten and phones are told so.")
            st.button(
                "End it now",
                type="primary",
                key=STATE.key("end"),
                on_click=_end,
                args=(teacher_key,),
            )


def _next_question(teacher_key: TeacherKey, poll: PollState) -> None:
    """Draw the form of the next question; board, code and phones stay until it is asked."""
    address = gate.current_address(poll_links.query_of(poll.code))
    with st.container(key=STATE.key("small"), horizontal=True, vertical_alignment="center"):
        _code(poll, gate.shared_address(address) or address)
    draft = STATE.current()
    with st.container(horizontal=True, gap="xsmall"):
        button("ask", "Ask this question", "", lambda asked: _ask(teacher_key, asked))
        st.button("Cancel", key=STATE.key("back"), on_click=_set_writing_next, args=(False,))
    st.caption(escape_markdown(words.coverage(draft.question)))
    form.question(draft)
    st.caption("The next question removes the reports on the board; the phones stay connected.")


def _ask(teacher_key: TeacherKey, question: Question) -> None:
    intake.try_action(rooms().ask, teacher_key, question)
    _set_writing_next(False)


def _end(teacher_key: TeacherKey) -> None:
    intake.try_action(rooms().end, teacher_key)
    _forget()


def _lose(teacher_key: TeacherKey) -> None:
    notices.notify(
        words.ended_poll_sentence(poll_links.display_code(normalize_code(teacher_key.code)))
    )
    _forget()


def _forget() -> None:
    st.session_state.pop(_TEACHER_KEY, None)
    st.session_state.pop(_KNOWN_KEY, None)
    _set_writing_next(False)
    st.session_state[_FORGET_KEY] = True


def restore_poll() -> None:
    """Find the room that this browser opened, after its page was reloaded."""
    if find_teacher_key() is None:
        forget = st.session_state.pop(_FORGET_KEY, False)
        _keeper(key=_KEEPER, data={"forget": forget}, on_teacher_change=_restore_from_browser)


def _restore_from_browser() -> None:
    stored = st.session_state[_KEEPER].get("teacher")
    if not isinstance(stored, Mapping):
        return
    teacher_key = TeacherKey(str(stored.get("code")), str(stored.get("key")))
    try:
        rooms().get_own_poll(teacher_key, this_visit())
    except CaldpError:
        _lose(teacher_key)
    else:
        st.session_state[_TEACHER_KEY] = teacher_key
