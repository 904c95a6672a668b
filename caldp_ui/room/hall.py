"""The projector: reports arrive, ranges tighten; how phones come in, and the teacher's buttons.

Room: room.
"""

from collections.abc import Mapping
from typing import Any, Final

import segno
import streamlit as st

from caldp_core.basics.errors import CaldpError
from caldp_ui.app import addresses
from caldp_ui.app.errors import as_text
from caldp_ui.app.navigation import enter
from caldp_ui.room import below, boards, words
from caldp_ui.room.figures import history
from caldp_ui.room.question import Question
from caldp_ui.room.registry import Held, Seen, rooms
from caldp_ui.room.slot import CODE, SLOT
from caldp_ui.session import notices
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
        rooms().steer(mine)
    except CaldpError as error:
        notices.notify(str(error))
        _lose()
        return None
    return mine


def is_on_show() -> bool:
    """Whether the visit has a room, and is not writing the next question."""
    return held() is not None and not st.session_state.get(_NEXT)


def opener(question: Question) -> None:
    """The button that opens a room with this question, or asks it in the room that is open."""
    mine = held()
    label = "Open the room" if mine is None else f"Ask room {mine.code}"
    st.button(
        label,
        type="primary",
        width="stretch",
        icon=":material/co_present:",
        key=SLOT.key("open"),
        on_click=_begin,
        args=(question,),
    )
    if mine is not None:
        st.button("Back to the room", width="stretch", key=SLOT.key("back"), on_click=_return)


def _begin(question: Question) -> None:
    mine = held()
    try:
        if mine is None:
            st.session_state[_HELD] = rooms().open(question)
        else:
            rooms().ask(mine, question)
    except CaldpError as error:
        notices.notify(str(error))
    _return()


def _return() -> None:
    st.session_state[_NEXT] = False


def page() -> None:
    """The whole page while a room is open."""
    enter()
    mine: Held = st.session_state[_HELD]
    seen = rooms().steer(mine)
    notices.show()
    with st.container(key=SLOT.key("asked")):
        st.title(as_text(seen.question.text), anchor=False)
    main, beside = st.columns([3.1, 1], gap="medium")
    with beside, st.container(key=SLOT.key("side")):
        _way_in(seen)
        _buttons(mine, seen)
    with main:
        ticking("hall", 1.0, lambda: _live(mine))
        below.show(lambda: rooms().steer(mine))
    _keeper(key=_KEEPER, data={"held": vars(mine)})


def _live(mine: Held) -> None:
    try:
        seen = rooms().steer(mine)
    except CaldpError:
        run_page()
    mark, known = st.session_state.get(_KNOWN, ("", {}))
    if mark != seen.mark:
        _, known = st.session_state[_KNOWN] = (seen.mark, {})
    past = history(seen.question, seen.reports, known)
    with st.container(key="headline"):
        st.markdown(words.live(seen.question, len(seen.reports), past[-1][1] if past else None))
    boards.board(boards.board_told(seen, past), SLOT.key("board"))


def _way_in(seen: Seen) -> None:
    address = addresses.here({CODE: seen.code})
    others = addresses.for_others(address)
    st.html(f'<p class="room-code"><small>Room</small> {seen.code}</p>')
    with st.container(key="qr"):
        st.image(
            segno.make(others or address, error="m").svg_inline(scale=6, border=2),
            width="stretch",
            alt=f"QR code of the link to room {seen.code}.",
        )
    st.code(others or address, language=None, wrap_lines=True)
    if others is None:
        st.caption(
            "This server answers this machine only; README, “For a whole class”, says how phones "
            "can reach it."
        )


def _buttons(mine: Held, seen: Seen) -> None:
    label = "Close the question" if seen.is_open else "Take reports again"
    icon = ":material/lock:" if seen.is_open else ":material/lock_open:"
    st.button(
        label,
        icon=icon,
        width="stretch",
        key=SLOT.key("close"),
        on_click=_steer,
        args=(rooms().accept, mine, not seen.is_open),
    )
    st.button(
        "Next question",
        icon=":material/skip_next:",
        width="stretch",
        key=SLOT.key("next"),
        on_click=lambda: st.session_state.update({_NEXT: True}),
    )
    with st.popover("End the room", icon=":material/logout:", width="stretch"):
        st.markdown("Its reports are forgotten and phones are told so.")
        st.button("End it now", type="primary", key=SLOT.key("end"), on_click=_end, args=(mine,))


def _steer(act: Any, mine: Held, *told: object) -> None:
    try:
        act(mine, *told)
    except CaldpError as error:
        notices.notify(str(error))


def _end(mine: Held) -> None:
    _steer(rooms().end, mine)
    _lose()


def _lose() -> None:
    st.session_state.pop(_HELD, None)
    st.session_state.pop(_KNOWN, None)
    st.session_state[_NEXT] = False
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
        rooms().steer(mine)
    except CaldpError:
        _lose()
    else:
        st.session_state[_HELD] = mine
