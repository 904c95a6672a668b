"""The page while a poll is open: the board on the projector, and what steers the poll.

On the projector reports arrive, ranges tighten; phones come in by link, code and QR code
(`phone.py`).
"""

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from time import monotonic
from typing import Any, Final

import streamlit as st

from caldp_core.basics.errors import CaldpError
from caldp_ui.app import gate
from caldp_ui.app.navigation import ensure_navigation
from caldp_ui.app.texts import escape_markdown, read_texts
from caldp_ui.app.theme import palette
from caldp_ui.charts import show as charts
from caldp_ui.compute import runs
from caldp_ui.lesson import steps
from caldp_ui.parts import layout, sharing
from caldp_ui.room import page, view
from caldp_ui.room.page_state import NEXT, OPENING, STATE
from caldp_ui.room.poll import (
    REPORTS_MAX,
    PollState,
    TeacherKey,
    Timer,
    display_code,
    format_code,
    query_of,
    rooms,
)
from caldp_ui.room.question import PollQuestion, history
from caldp_ui.server.current_run import this_visit
from caldp_ui.session import page_state, visit
from caldp_ui.session.jobs import redraw_every, run_page
from caldp_ui.words import formats

TEXTS: Final = read_texts(__file__)


def show_poll(teacher_key: TeacherKey) -> None:
    """Draw the whole page while a room is open."""
    ensure_navigation()
    polls = rooms().get_own_polls(teacher_key, this_visit())
    with st.container():  # always there: what follows keeps its place
        visit.show_notices()
    screen, desk = page.current_screen(), rooms().get_desk(teacher_key)
    if page_state.take_part(STATE.page, NEXT):
        STATE.follow_link()
        desk.handed = STATE.current().question
    if desk.handed is not None and screen != page.PROJECTOR:
        asked, desk.handed = desk.handed, None
        STATE.change(lambda draft: replace(draft, question=asked))
        page.set_writing_next(True)
    if page_state.take_part(STATE.page, OPENING):
        page.set_writing_next(False)
        rooms().get_desk(teacher_key).on_show = polls[0].mark
    if screen != page.PRESENTER:
        own = steps.course()
        if own.lesson is not None or desk.course.lesson is None:
            desk.course = own
        else:  # go on with the lesson that the room has
            steps.join(desk.course)
            run_page()
    is_end = screen == page.PROJECTOR and polls[-1].is_over
    first, second = st.columns([12, 1] if is_end else list(_WIDTHS[screen]), gap="medium")
    main, beside = (second, first) if screen == page.PRESENTER else (first, second)
    with beside, st.container(key=STATE.key("side")):
        _steer(teacher_key, polls, screen)
    with main:
        drawn = _drawn(teacher_key, polls)
        redraw_every("hall", 1.0, lambda: _live(teacher_key, drawn))
        read = partial(rooms().get_own_polls, teacher_key, this_visit())
        if screen != page.PROJECTOR:
            more = {"All questions": lambda _: _all_questions(read())}
            page.show_tabs(lambda: _on_show(teacher_key, read()), more)
    page.keep_screen(teacher_key, screen)


_WIDTHS: Final = {page.ALL: (3.1, 1), page.PROJECTOR: (2, 1), page.PRESENTER: (1, 1.6)}
"""Of the two columns on each screen."""


def _steer(teacher_key: TeacherKey, polls: Sequence[PollState], screen: str) -> None:
    """Draw what stands beside the board: the way in, controls, or the next question's form.

    The code of a poll that has ended lets nobody in, so it is not shown.
    """
    if screen == page.PRESENTER:
        redraw_every("notes", 1.0, lambda: page.draw_notes(rooms().get_desk(teacher_key)))
    last, has_controls = polls[-1], screen != page.PROJECTOR
    is_writing = has_controls and not last.is_over and st.session_state.get(page.NEXT_KEY)
    if is_writing:
        _next_question(teacher_key, last)
    elif screen != page.PRESENTER and not last.is_over:
        _way_in(last)
    if screen == page.PROJECTOR and rooms().get_desk(teacher_key).handed is not None:
        st.info("The next question is on your own screen: ask it there.")
    if has_controls and not is_writing:
        _buttons(teacher_key, polls)
        _choose_question(teacher_key, polls)
    if screen == page.PRESENTER:
        page.other_devices(teacher_key)
    if screen != page.ALL:
        page.leave_button()


def _drawn(teacher_key: TeacherKey, polls: Sequence[PollState]) -> tuple[object, ...]:
    """What controls and pictures are drawn of; another screen may change it."""
    last, on_show = polls[-1], _on_show(teacher_key, polls)
    handed = rooms().get_desk(teacher_key).handed
    state = replace(last, reports=(), is_seen=False, addresses=0, from_one=0)
    return on_show.mark, len(polls), state, handed, steps.course().is_watched


def _on_show(teacher_key: TeacherKey, polls: Sequence[PollState]) -> PollState:
    mark = rooms().get_desk(teacher_key).on_show
    return next((poll for poll in polls if poll.mark == mark), polls[-1])


def _choose_question(teacher_key: TeacherKey, polls: Sequence[PollState]) -> None:
    """Draw the choice among the questions that were asked."""
    if len(polls) == 1:
        return
    key, numbers = STATE.key("asked"), {poll.mark: n for n, poll in enumerate(polls, 1)}
    st.session_state[key] = _on_show(teacher_key, polls).mark
    st.selectbox(
        "Question on show",
        list(numbers),
        format_func=lambda mark: f"{numbers[mark]} {polls[numbers[mark] - 1].question.text}",
        key=key,
        on_change=lambda: setattr(rooms().get_desk(teacher_key), "on_show", st.session_state[key]),
    )


def _live(teacher_key: TeacherKey, drawn: tuple[object, ...]) -> None:
    """Draw headline, question and board; `drawn`: of the page's run, see `_drawn`."""
    try:
        polls = rooms().get_own_polls(teacher_key, this_visit())
        left = _close_in_time(teacher_key, polls[-1])
        if left == 0.0:
            polls = rooms().get_own_polls(teacher_key, this_visit())
        poll = _on_show(teacher_key, polls)
        is_old = drawn != _drawn(teacher_key, polls)
    except CaldpError:
        run_page()
    if is_old:
        run_page()
    if page.current_screen() == page.PRESENTER:
        poll = replace(poll, hides=False, is_shown=poll.question.right is not None)
    of, known = st.session_state.get(page.KNOWN_KEY, (None, {}))
    if of != (poll.mark, poll.people):
        _, known = st.session_state[page.KNOWN_KEY] = ((poll.mark, poll.people), {})
    past = history(poll.question, poll.reports, poll.people, known)
    if poll.is_open and poll.reports and not poll.is_hidden and not poll.is_seen:
        rooms().note_seen(teacher_key, poll.mark)
    if poll.mark != polls[-1].mark:
        past = past[-1:]  # the order of an earlier question's reports is not known
    asked = polls[-1]
    sentences = view.live_headline(poll, past[-1][1] if past else None)
    layout.show_headline(view.end_headline(polls, sentences) if asked.is_over else sentences)
    _show_question(poll, asked, left)
    view.board(view.board_json(poll, past), STATE.key("board"))


def _show_question(poll: PollState, asked: PollState, left: float | None) -> None:
    """Draw the question on show, whether all reports to the one that is asked are in, and the time.

    `left`: seconds until the timer closes it, None without one.
    """
    if asked.is_open and len(asked.reports) >= asked.phones:
        st.success(
            f"The class is complete: {formats.count(asked.phones, 'report is', 'reports are')} in. "
            "Under “Reports” you can let in more phones.",
            icon=":material/group:",
        )
    with st.container(key=STATE.key("question")):
        st.header(escape_markdown(poll.question.text), anchor=False)
        if left:
            st.html(view.timer_html(left))


def _close_in_time(teacher_key: TeacherKey, poll: PollState) -> float | None:
    """Close the question once its timer has run out; returns the seconds left, None without one.

    Each screen of the teacher looks every second; the first that finds no time left closes it.
    """
    desk = rooms().get_desk(teacher_key)
    left = None if desk.timer is None else desk.timer.left(poll, monotonic())
    if left == 0.0:
        desk.timer = None
        rooms().change(teacher_key, lambda state: state.with_open(False))
    return left


_TIMES: Final = {"30 s": 30.0, "1 min": 60.0, "2 min": 120.0, "5 min": 300.0}


def _timer_form(teacher_key: TeacherKey, poll: PollState) -> None:
    """Draw the choice of a time after which the question closes by itself."""
    desk = rooms().get_desk(teacher_key)

    def start(seconds: float) -> None:
        desk.timer = Timer(poll.mark, monotonic() + seconds)

    def stop() -> None:
        desk.timer = None

    with st.popover("Timer", icon=":material/timer:", width="stretch"):
        st.markdown("The question closes after")
        with st.container(horizontal=True, gap="xsmall"):
            for title, seconds in _TIMES.items():
                STATE.button(f"timer-{seconds:.0f}", title, start, seconds)
        STATE.button("timer-stop", "No timer", stop)


def _way_in(poll: PollState) -> None:
    address = gate.current_address(query_of(poll.code))
    shared = gate.shared_address(address)
    _code(poll)
    with st.container(key="qr"):
        if shared is None:
            st.info(TEXTS["this_machine_only"], icon=":material/phonelink_off:")
        else:
            _qr(poll, shared)
    st.code(shared or address, language=None, wrap_lines=True)


def _code(poll: PollState) -> None:
    """Draw the code that a class reads."""
    st.html(f'<p class="room-code"><small>Code</small> {display_code(poll.code)}</p>')


def _qr(poll: PollState, address: str) -> None:
    """Draw the QR code of an address that phones reach."""
    page.draw_qr(address, f"QR code of the link to poll {format_code(poll.code)}.")


def _buttons(teacher_key: TeacherKey, polls: Sequence[PollState]) -> None:
    poll = polls[-1]
    if poll.is_over:
        STATE.button("fresh", "Prepare another poll", _end, teacher_key)
        st.caption("This one is then forgotten, with all results.")
        return
    if poll.question.right is not None and not poll.is_shown:
        look = {"icon": "lightbulb", "type": "primary", "width": "stretch"}
        answered = PollState.with_answer
        STATE.button("show", "Show the answer", _change, teacher_key, answered, **look)
    label = "Close the question" if poll.is_open else "Take reports again"
    with st.container(horizontal=True, gap="xsmall"):
        if not poll.is_shown:
            STATE.button(
                "close",
                label,
                _change,
                teacher_key,
                lambda state: state.with_open(not poll.is_open),
            )
        STATE.button("next", "Next question", page.set_writing_next, True)
    if poll.question.by_hands and poll.reports and not poll.is_open:
        _hands_form(teacher_key, poll)
    if page.current_screen() == page.ALL:
        page.choose_screens()
    with st.container(horizontal=True, gap="xsmall"):
        if poll.is_open:
            _timer_form(teacher_key, poll)
        _reports_form(teacher_key, poll)
        with st.popover("End the poll", icon=":material/logout:", width="stretch"):
            st.markdown(
                "Phones say thank you, and link the lesson to take home. Results stay here."
            )
            end = rooms().end
            STATE.button("end", "End it now", _try_action, end, teacher_key, type="primary")


def _hands_form(teacher_key: TeacherKey, poll: PollState) -> None:
    """Draw the field for the number of hands that went up for the first answer."""
    key = STATE.key("hands")
    st.number_input(
        f"Hands up for {escape_markdown(view.quoted(poll.question, 0))}",
        0,
        poll.people,
        poll.hands,
        key=key,
        on_change=lambda: _change(
            teacher_key, lambda state: state.with_hands(st.session_state[key])
        ),
        help="Count all hands. The board shows them beside what the phones' reports gave.",
    )


_LATELY: Final = {"10 seconds": 10.0, "minute": 60.0, "5 minutes": 300.0}


def _reports_form(teacher_key: TeacherKey, poll: PollState) -> None:
    """Draw the limit of reports and the buttons that discard them."""
    with st.popover("Reports", icon=":material/filter_alt:", width="stretch"):
        phones, lately = STATE.key("class-phones"), STATE.key("lately")
        st.number_input(
            "Phones in the class",
            poll.phones if poll.reports else 1,
            REPORTS_MAX,
            poll.phones,
            key=phones,
            on_change=lambda: _change(
                teacher_key, lambda state: state.with_phones(st.session_state[phones])
            ),
            help="Change it because people came, not because of a range: it is for this number.",
        )
        hides = STATE.key("hides")
        st.toggle(
            "Hide results until the question is closed",
            poll.hides,
            key=hides,
            on_change=lambda: _change(
                teacher_key, lambda state: replace(state, hides=st.session_state[hides])
            ),
            help="Nobody is swayed by what others said. Guesses are hidden anyhow.",
        )
        drawn = st.selectbox("Forget the reports of the last", list(_LATELY), key=lately)

        def throw_out() -> None:
            # A click just before it may have ended the page that the choice was on.
            chosen = st.session_state.get(lately, drawn)
            _try_action(_throw_out, teacher_key, _LATELY[chosen])
            st.session_state.pop(page.KNOWN_KEY, None)

        STATE.button("throw-out", "Forget these", throw_out)
        st.caption("Their phones cannot answer this question again.")
        label = "Start this question again"
        STATE.button("afresh", label, _try_action, rooms().ask_again, teacher_key)
        st.caption(
            "All reports are forgotten. Every phone may answer again: two reports tell more."
        )


def _change(teacher_key: TeacherKey, change: Callable[[PollState], PollState]) -> None:
    _try_action(rooms().change, teacher_key, change)


def _throw_out(teacher_key: TeacherKey, seconds: float) -> None:
    discarded = rooms().discard_recent(teacher_key, seconds)
    visit.notify(f"{formats.count(discarded, 'report was', 'reports were')} forgotten.")


def _try_action(action: Any, teacher_key: TeacherKey, *arguments: object) -> None:
    """Run a teacher's action on the room; a `CaldpError` becomes a notice."""
    try:
        action(teacher_key, *arguments)
    except CaldpError as error:
        visit.notify(str(error))


def _next_question(teacher_key: TeacherKey, poll: PollState) -> None:
    """Draw the form of the next question; board, code and phones stay until it is asked."""
    shared = gate.shared_address(gate.current_address(query_of(poll.code)))
    with st.container(key=STATE.key("small"), horizontal=True, vertical_alignment="center"):
        _code(poll)
        if shared is not None:
            with st.container(key="qr"):
                _qr(poll, shared)
    draft = STATE.current()
    with st.container(horizontal=True, gap="xsmall"):
        page.ask_button("ask", "Ask this question", "", lambda asked: _ask(teacher_key, asked))
        STATE.button("back", "Cancel", page.set_writing_next, False)
    st.caption(escape_markdown(view.coverage(draft.question)))
    page.choose_accuracy(replace(draft, phones=poll.phones))
    page.question_form(draft)
    st.caption("The results so far stay under “All questions”; the phones stay connected.")


def _ask(teacher_key: TeacherKey, question: PollQuestion) -> None:
    _try_action(rooms().ask, teacher_key, question)
    page.set_writing_next(False)
    if page.current_screen() == page.PRESENTER:
        page.show_poll_page(rooms().get_desk(teacher_key).course)


def _end(teacher_key: TeacherKey) -> None:
    _try_action(rooms().forget, teacher_key)
    page.forget_poll()


def _all_questions(polls: Sequence[PollState]) -> None:
    """Draw the results of all questions side by side, and what they can be taken along as."""
    seen = [poll for poll in polls if poll.reports and not poll.is_hidden]
    if not seen:
        st.caption("No question has results to be shown yet.")
        return
    figure = view.comparison(seen, palette())
    table = view.all_numbers(seen)
    charts.show(figure, STATE.key("comparison"), view.in_words(table))
    st.caption(f"{view.range_note(polls[-1])} The camera on the picture saves it.")
    with st.container(horizontal=True):
        csv = runs.csv(table.reset_index("number"))
        sharing.file_button(STATE.key("all"), "questions.csv", csv)
        sharing.file_button(STATE.key("record"), "poll.json", view.record(seen))
