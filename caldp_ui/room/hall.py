"""The projector: reports arrive, ranges tighten; how phones come in, and the teacher's buttons."""

from collections.abc import Mapping
from typing import Final

import segno
import streamlit as st

from caldp_core.basics.errors import CaldpError
from caldp_ui.app import addresses
from caldp_ui.app.errors import as_text
from caldp_ui.app.navigation import enter
from caldp_ui.parts import headline
from caldp_ui.room import below, boards, form, intake, ways, words
from caldp_ui.room.attempts import OPEN, attempts
from caldp_ui.room.figures import history
from caldp_ui.room.poll import Seen
from caldp_ui.room.question import Question
from caldp_ui.room.registry import Held, rooms, spaced, this_visit, tidy
from caldp_ui.room.slot import NEXT, SLOT
from caldp_ui.session import handover, notices
from caldp_ui.session.ticking import run_page, ticking

_HELD: Final = "room/held"
_NEXT: Final = "room/next"
_GONE: Final = "room/gone"
"""True once the browser shall forget the room that it kept."""
_KNOWN: Final = "room/known"
"""The question on show, and the ranges after its first reports, which do not change any more."""
_KEEPER: Final = SLOT.key("keeper")
_keeper = st.components.v2.component(
    "caldp_room_keeper", js=(boards.WEB / "keeper.js").read_text("utf-8")
)


def held() -> Held | None:
    """What this visit steers its room with, if it has one that is still there."""
    mine: Held | None = st.session_state.get(_HELD)
    if mine is None:
        return None
    try:
        rooms().steer(mine, this_visit())
    except CaldpError:
        _lose(mine)
        return None
    return mine


def opener() -> None:
    """The button that opens a poll with the question that is written on the page."""
    st.button(
        "Open the poll",
        type="primary",
        width="stretch",
        icon=":material/co_present:",
        key=SLOT.key("open"),
        on_click=_open,
    )


def _open() -> None:
    try:
        attempts().take(OPEN, addresses.of_visitor())
        st.session_state[_HELD] = rooms().open(_written(), this_visit())
    except CaldpError as error:
        notices.notify(str(error))
    handover.take_part(SLOT.page, NEXT)  # what was brought is asked already
    _write_next(False)


def _write_next(writing: bool) -> None:
    st.session_state[_NEXT] = writing


def page() -> None:
    """The whole page while a room is open."""
    enter()
    mine: Held = st.session_state[_HELD]
    seen = rooms().steer(mine, this_visit())
    notices.show()
    if handover.take_part(SLOT.page, NEXT):
        SLOT.follow_link()
        _write_next(True)
    main, beside = st.columns([3.1, 1], gap="medium")
    with beside, st.container(key=SLOT.key("side")):
        if st.session_state.get(_NEXT):
            _next_question(mine, seen)
        else:
            _way_in(seen)
            _buttons(mine, seen)
    with main:
        ticking("hall", 1.0, lambda: _live(mine))
        below.show(lambda: rooms().steer(mine, this_visit()))
    _keeper(key=_KEEPER, data={"held": vars(mine)})


def _live(mine: Held) -> None:
    try:
        seen = rooms().steer(mine, this_visit())
    except CaldpError:
        run_page()
    mark, known = st.session_state.get(_KNOWN, ("", {}))
    if mark != seen.mark:
        _, known = st.session_state[_KNOWN] = (seen.mark, {})
    past = history(seen.question, seen.reports, known)
    last = past[-1][1] if past else None
    headline.show(words.live(seen, last))
    intake.warn(seen)
    with st.container(key=SLOT.key("asked")):
        st.header(as_text(seen.question.text), anchor=False)
    boards.board(boards.board_told(seen, past), SLOT.key("board"))


def _way_in(seen: Seen) -> None:
    address = addresses.here(ways.query_of(seen.code))
    others = addresses.for_others(address)
    _code(seen, others or address)
    st.code(others or address, language=None, wrap_lines=True)
    if others is None:
        st.caption(
            "This server answers this machine only; docs/deploy.md says how phones can reach it."
        )


def _code(seen: Seen, address: str) -> None:
    """What a class reads, and what its phones scan."""
    st.html(f'<p class="room-code"><small>Code</small> {ways.shown(seen.code)}</p>')
    with st.container(key="qr"):
        st.image(
            segno.make(address, error="m").svg_inline(scale=6, border=2),
            width="stretch",
            alt=f"QR code of the link to poll {spaced(seen.code)}.",
        )


def _buttons(mine: Held, seen: Seen) -> None:
    if seen.question.right is not None and not seen.is_shown:
        st.button(
            "Show the answer",
            type="primary",
            width="stretch",
            icon=":material/lightbulb:",
            key=SLOT.key("show"),
            on_click=intake.steer,
            args=(rooms().show, mine),
        )
    label = "Close the question" if seen.is_open else "Take reports again"
    with st.container(horizontal=True, gap="xsmall"):
        if not seen.is_shown:
            st.button(
                label,
                key=SLOT.key("close"),
                on_click=intake.steer,
                args=(rooms().accept, mine, not seen.is_open),
            )
        st.button("Next question", key=SLOT.key("next"), on_click=_write_next, args=(True,))
    with st.container(horizontal=True, gap="xsmall"):
        intake.form(mine, seen, lambda: st.session_state.pop(_KNOWN, None))
        with st.popover("End the poll", icon=":material/logout:", width="stretch"):
            st.markdown("Its reports are forgotten and phones are told so.")
            st.button(
                "End it now",
                type="primary",
                key=SLOT.key("end"),
                on_click=_end,
                args=(mine,),
            )


def _next_question(mine: Held, seen: Seen) -> None:
    """The form of the next question; board, code and phones stay as they are until it is asked."""
    address = addresses.here(ways.query_of(seen.code))
    with st.container(key=SLOT.key("small"), horizontal=True, vertical_alignment="center"):
        _code(seen, addresses.for_others(address) or address)
    with st.container(horizontal=True, gap="xsmall"):
        st.button(
            "Ask this question",
            type="primary",
            key=SLOT.key("ask"),
            on_click=_ask,
            args=(mine,),
        )
        st.button("Cancel", key=SLOT.key("back"), on_click=_write_next, args=(False,))
    st.caption("The reports on the board are forgotten then; the phones stay connected.")
    form.question(SLOT.now())


def _ask(mine: Held) -> None:
    intake.steer(rooms().ask, mine, _written())
    _write_next(False)


def _written() -> Question:
    """The question on the page now: the click may come before the page has followed a change."""
    return SLOT.now().question


def _end(mine: Held) -> None:
    intake.steer(rooms().end, mine)
    _forget()


def _lose(mine: Held) -> None:
    notices.notify(words.gone(ways.shown(tidy(mine.code))))
    _forget()


def _forget() -> None:
    st.session_state.pop(_HELD, None)
    st.session_state.pop(_KNOWN, None)
    _write_next(False)
    st.session_state[_GONE] = True


def recall() -> None:
    """Find the room again that this browser opened, after its page was loaded anew."""
    if held() is None:
        gone = st.session_state.pop(_GONE, False)
        _keeper(key=_KEEPER, data={"forget": gone}, on_held_change=_recalled)


def _recalled() -> None:
    told = st.session_state[_KEEPER].get("held")
    if not isinstance(told, Mapping):
        return
    mine = Held(str(told.get("code")), str(told.get("key")))
    try:
        rooms().steer(mine, this_visit())
    except CaldpError:
        _lose(mine)
    else:
        st.session_state[_HELD] = mine
