"""The page: a teacher writes the question beside its rehearsal, opens the poll and steers it.

On the projector reports arrive, ranges tighten; phones come in by link, code and QR code
(`phone.py`). A question that protects nobody is confirmed before it is asked.
"""

import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, Final, TypeAlias

import pandas as pd
import streamlit as st

from caldp_core.basics.errors import CaldpError
from caldp_core.basics.limits import EPSILON_MAX
from caldp_ui.app import gate
from caldp_ui.app.errors import escape_markdown
from caldp_ui.app.navigation import ensure_navigation
from caldp_ui.app.theme import palette
from caldp_ui.charts import show as charts
from caldp_ui.compute import exports
from caldp_ui.controls.common import EPSILONS, Slider
from caldp_ui.lesson import steps
from caldp_ui.parts import markup, promises, safety, sharing
from caldp_ui.parts.films import session_films
from caldp_ui.parts.layout import tabs, title_row
from caldp_ui.room import by_hand, screens, view, words
from caldp_ui.room.page_state import (
    EXAMPLES,
    NEXT,
    OPENING,
    STATE,
    Draft,
    protect_all,
    with_answers,
    with_right,
)
from caldp_ui.room.poll import (
    CODE,
    REPORTS_FIRST,
    REPORTS_MAX,
    STEER,
    PollState,
    Refusal,
    TeacherKey,
    attempt_limiter,
    display_code,
    format_code,
    normalize_code,
    open_room,
    query_of,
    rooms,
    this_visit,
)
from caldp_ui.room.question import ANSWERS_MAX, DIVIDER, TEXT_MAX, Question, channel_of, history
from caldp_ui.session import notices, page_state
from caldp_ui.session.links import seal
from caldp_ui.session.opening import begin_page
from caldp_ui.session.ticking import redraw_every, run_page
from caldp_ui.shell.page import Page
from caldp_ui.words import formats, promise
from caldp_ui.words.glossary import DEFINITIONS, terms

EPSILON: Final = Slider[Draft](
    "epsilon",
    lambda draft: draft.question.epsilon,
    lambda draft, level: replace(draft, question=replace(draft.question, epsilon=float(level))),
    tuple(level for level in EPSILONS if level < EPSILON_MAX),
    lambda level: f"{level:g}",
)
PHONES: Final = Slider[Draft](
    "phones",
    lambda draft: draft.phones,
    lambda draft, phones: replace(draft, phones=int(phones)),
    (10, 20, 30, 60, 100, 200, 500),
    str,
)
SLIDERS: Final = {"Privacy level ε": EPSILON, "Phones that you expect": PHONES}
_NONE: Final = -1
"""Stands for no right answer among the numbers of answers."""


def _question_form(draft: Draft) -> None:
    """Draw the controls of a question: example, text, answers, which are sensitive, and ε."""
    _texts(draft)
    _sensitive(draft)
    _right(draft)
    st.select_slider(
        "Privacy level ε",
        sorted({*EPSILON.steps, draft.question.epsilon}),
        format_func=EPSILON.format_value,
        help=f"{DEFINITIONS['ε']} {promise.epsilon_examples()}",
        **STATE.bind(EPSILON.name, draft.question.epsilon, EPSILON.with_value),
    )
    safety.of_epsilon(STATE, draft.question.epsilon)


def _texts(draft: Draft) -> None:
    current = draft.question
    example = next((name for name, each in EXAMPLES.items() if each == current), None)
    st.selectbox(
        "Example",
        list(EXAMPLES),
        placeholder="your own question",
        format_func=lambda name: _example_title(EXAMPLES[name]),
        **STATE.bind("ready", example, lambda r, name: replace(r, question=EXAMPLES[name])),
    )
    st.text_input(
        "Question",
        max_chars=TEXT_MAX,
        **STATE.bind_text("text", current.text, lambda r, v: _with(r, text=v.strip())),
    )
    st.text_area(
        f"Answers, one per line, 2 to {ANSWERS_MAX}",
        height="content",
        **STATE.bind_text(
            "answers",
            "\n".join(current.answers),
            lambda r, v: replace(r, question=with_answers(r.question, v)),
        ),
    )


def _example_title(example: Question) -> str:
    """The text, and how many answers are not protected where that is part of the example."""
    bare = 0 if example.right is not None else example.k - len(example.sensitive)
    return f"{example.text} ({bare} of {example.k} not protected)" if bare else example.text


def _sensitive(draft: Draft) -> None:
    current = draft.question
    # Other answers get other pills: what comes late of the old ones takes no mark away.
    written = hashlib.blake2b(DIVIDER.join(current.answers).encode(), digest_size=8).hexdigest()
    with st.container(key=STATE.key("sensitive")):
        st.pills(
            "Sensitive answers, protected",
            list(range(current.k)),
            selection_mode="multi",
            format_func=lambda x: escape_markdown(current.answers[x]),
            help="New answers are protected. Click one to take its mark away.",
            **STATE.bind(
                f"sensitive-{written}",
                list(current.sensitive),
                lambda r, v: _mark(r, current.answers, v),
            ),
        )


def _mark(record: Draft, answers: tuple[str, ...], picked: list[int]) -> Draft:
    """Mark what was picked, if the question still has the answers among which it was."""
    if record.question.answers != answers:
        return record
    return _with(record, sensitive=tuple(sorted(picked)))


def _right(draft: Draft) -> None:
    """Draw the choice of the right answer, out of the class's sight."""
    current = draft.question
    is_guess = current.right is not None
    with st.popover("A guess, its answer hidden" if is_guess else "Let the class guess"):
        possible = (_NONE, *range(current.k))
        st.selectbox(
            "Right answer, if the class guesses",
            possible,
            format_func=lambda x: "none: ask for the truth" if x == _NONE else current.answers[x],
            help="Phones and projector show it once you press “Show the answer”.",
            **STATE.bind(
                "right",
                _NONE if current.right is None else current.right,
                lambda r, v: replace(r, question=with_right(r.question, None if v == _NONE else v)),
                possible,
            ),
        )


def _with(record: Draft, **changed: object) -> Draft:
    return replace(record, question=replace(record.question, **changed))  # type: ignore[arg-type]


_MOST: Final = (50, REPORTS_FIRST, 200, REPORTS_MAX)
_LATELY: Final = {"10 seconds": 10.0, "minute": 60.0, "5 minutes": 300.0}


def try_action(action: Any, teacher_key: TeacherKey, *arguments: object) -> None:
    """Run a teacher's action on the room; a `CaldpError` becomes a notice."""
    try:
        action(teacher_key, *arguments)
    except CaldpError as error:
        notices.notify(str(error))


def _reports_form(
    teacher_key: TeacherKey, poll: PollState, on_thrown_out: Callable[[], object]
) -> None:
    """Draw the limit of reports and the buttons that discard them.

    `on_thrown_out`: called once recent reports were discarded.
    """
    with st.popover("Reports", icon=":material/filter_alt:", width="stretch"):
        most, lately = STATE.key("most"), STATE.key("lately")
        st.select_slider(
            "Reports to a question, at most",
            sorted({*_MOST, poll.most}),
            poll.most,
            key=most,
            on_change=lambda: _change(
                teacher_key, lambda state: state.with_most(st.session_state[most])
            ),
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
        st.selectbox("Forget the reports of the last", list(_LATELY), key=lately)

        def throw_out() -> None:
            try_action(_throw_out, teacher_key, _LATELY[st.session_state[lately]])
            on_thrown_out()

        st.button("Forget these", key=STATE.key("throw-out"), on_click=throw_out)
        st.caption("Their phones cannot answer this question again.")
        st.button(
            "Start this question again",
            key=STATE.key("afresh"),
            on_click=try_action,
            args=(rooms().ask_again, teacher_key),
        )
        st.caption(
            "All reports are forgotten. Every phone may answer again: two reports tell more."
        )


def _change(teacher_key: TeacherKey, change: Callable[[PollState], PollState]) -> None:
    try_action(rooms().change, teacher_key, change)


def _throw_out(teacher_key: TeacherKey, seconds: float) -> None:
    discarded = rooms().discard_recent(teacher_key, seconds)
    notices.notify(f"{formats.count(discarded, 'report was', 'reports were')} forgotten.")


PollReader: TypeAlias = Callable[[], PollState]
"""Returns the current state of the question on show."""


def _show_tabs(read_poll: PollReader, more: Mapping[str, Callable[[PollReader], None]]) -> None:
    """Draw the tabs and the content of the open one; `more`: tabs before the others."""
    tabs(STATE.key("tabs"), {**more, **_TABS}, read_poll)


def _promise(read_poll: PollReader) -> None:
    poll = read_poll()
    promises.bullets(
        [escape_markdown(words.promise(poll.question)), *words.promises(poll.question)]
    )
    st.markdown("**What is *not* promised**")
    promises.bullets([*words.unprotected_sentences(poll.question), *words.NOT_PROMISED])
    terms("ε", "local differential privacy", "sensitive set")


def _coin(read_poll: PollReader) -> None:
    poll = read_poll()
    question = poll.question
    st.markdown(
        words.COIN if question.sensitive else "No coin is thrown: each phone sends its answer."
    )
    rows = [[f"{100 * float(q):.1f}" if q else "·" for q in row] for row in channel_of(question)]
    names = list(map(escape_markdown, question.answers))
    st.table(pd.DataFrame(rows, index=names, columns=names).rename_axis("true answer"))


def _numbers(read_poll: PollReader) -> None:
    poll = read_poll()
    if poll.is_hidden:
        st.caption(words.hidden_sentence(poll))
        return
    st.table(view.numbers(poll).map(str).rename(index=escape_markdown).rename_axis("answer"))
    st.caption(f"{words.range_note(poll)} As of now; open the tab again for later reports.")


def _sharing(read_poll: PollReader) -> None:
    poll = read_poll()
    left, right = st.columns(2, gap="large")
    with left:
        st.markdown("The prepared question, for a class of your own:")
        sharing.show_query_link(seal(STATE.page, STATE.codec.write(Draft(poll.question))))
    with right:
        arrived = formats.count(len(poll.reports), "report", "reports")
        st.markdown(f"**Files** · {arrived}; the server writes nothing of this to its disk")
        table = view.numbers(poll).rename_axis("answer").reset_index()
        sharing.file_button(STATE.key("estimate"), "estimate.csv", exports.csv(table))
        sharing.file_button(STATE.key("reports"), "reports.csv", view.listed(poll))
        sharing.python(view.snippet(poll.question))
        if poll.mark == view.MARK:
            PAGE.offer()


def _all_questions(polls: Sequence[PollState]) -> None:
    """Draw the results of all questions side by side, and what they can be taken along as."""
    seen = [poll for poll in polls if poll.reports and not poll.is_hidden]
    if not seen:
        st.caption("No question has results to be shown yet.")
        return
    figure = view.comparison(seen, palette())
    table = view.all_numbers(seen)
    charts.show(figure, STATE.key("comparison"), words.in_words(table))
    st.caption(f"{words.range_note(polls[-1])} The camera on the picture saves it.")
    with st.container(horizontal=True):
        csv = exports.csv(table.reset_index("number"))
        sharing.file_button(STATE.key("all"), "questions.csv", csv)
        sharing.file_button(STATE.key("record"), "poll.json", view.record(seen))


_TABS: Final[dict[str, Callable[[PollReader], None]]] = {
    "What is promised": _promise,
    "The coin": _coin,
    "Numbers": _numbers,
    "Share and export": _sharing,
}


Ask: TypeAlias = Callable[[Question], None]
_WARNED: Final = "room/warned"
"""The question that protects nobody, as the teacher was warned of it."""


def _ask_button(name: str, label: str, icon: str, ask: Ask) -> None:
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
_REFUSED_KEY: Final = "room/refused"
"""True once the server has refused to open a poll for this visit."""
_SERVER_KEY: Final = STATE.key("server-key")
_SERVER_KEY_CHARS_MAX: Final = 200
_FORGET_KEY: Final = "room/gone"
"""True once the browser is to forget the room that it stored."""
_KNOWN_KEY: Final = "room/known"
"""The question's mark, whether it is open, and its ranges by number of reports, which stay."""
_KEEPER: Final = STATE.key("keeper")
_keeper = st.components.v2.component(
    "caldp_room_keeper", js=(view.WEB / "keeper.js").read_text("utf-8")
)


def find_teacher_key() -> TeacherKey | None:
    """The key of the room that this visit opened; None without one, or after its end."""
    teacher_key: TeacherKey | None = st.session_state.get(_TEACHER_KEY)
    if teacher_key is None:
        return None
    try:
        rooms().get_own_polls(teacher_key, this_visit())
    except CaldpError:
        _lose(teacher_key)
        return None
    return teacher_key


def _open_button() -> None:
    """Draw the button that opens a poll with the question on the page."""
    _ask_button("open", "Open the poll", ":material/co_present:", _open)
    if st.session_state.get(_REFUSED_KEY):
        st.text_input(
            "Key of this server",
            help="With the key a poll opens even now. It is in the log of the server.",
            key=_SERVER_KEY,
            max_chars=_SERVER_KEY_CHARS_MAX,
        )


def _open(question: Question) -> None:
    try:
        key = st.session_state.get(_SERVER_KEY, "").strip()
        st.session_state[_TEACHER_KEY] = open_room(question, key)
    except CaldpError as error:
        notices.notify(str(error))
        st.session_state[_REFUSED_KEY] = True
    else:
        st.session_state.pop(_REFUSED_KEY, None)
    page_state.take_part(STATE.page, NEXT)  # a question that was handed over is asked by now
    _set_writing_next(False)


def _set_writing_next(writing: bool) -> None:
    st.session_state[_NEXT_KEY] = writing


def show_poll() -> None:
    """Draw the whole page while a room is open."""
    ensure_navigation()
    teacher_key: TeacherKey = st.session_state[_TEACHER_KEY]
    polls = rooms().get_own_polls(teacher_key, this_visit())
    notices.show()
    if page_state.take_part(STATE.page, NEXT):
        STATE.follow_link()
        _set_writing_next(True)
    if page_state.take_part(STATE.page, OPENING):
        _set_writing_next(False)
        rooms().get_desk(teacher_key).on_show = polls[0].mark
    screen = screens.current()
    if screen != screens.PRESENTER:
        _share_course(teacher_key)
    first, second = st.columns(list(_WIDTHS[screen]), gap="medium")
    main, beside = (second, first) if screen == screens.PRESENTER else (first, second)
    with beside, st.container(key=STATE.key("side")):
        _steer(teacher_key, polls, screen)
    with main:
        drawn = _drawn(teacher_key, polls)
        redraw_every("hall", 1.0, lambda: _live(teacher_key, drawn))
        read = partial(rooms().get_own_polls, teacher_key, this_visit())
        if screen != screens.PROJECTOR:
            more = {"All questions": lambda _: _all_questions(read())}
            _show_tabs(lambda: _on_show(teacher_key, read()), more)
    _keeper(key=_KEEPER, data={"teacher": vars(teacher_key), "screen": screen})


def _share_course(teacher_key: TeacherKey) -> None:
    """Go on with the lesson that the room has, where this visit has none."""
    desk, own = rooms().get_desk(teacher_key), steps.course()
    if own.lesson is not None or desk.course.lesson is None:
        desk.course = own
    else:
        steps.join(desk.course)
        run_page()


_WIDTHS: Final = {screens.ALL: (3.1, 1), screens.PROJECTOR: (2, 1), screens.PRESENTER: (1, 1.6)}
"""Of the two columns on each screen."""


def _steer(teacher_key: TeacherKey, polls: Sequence[PollState], screen: str) -> None:
    """Draw what stands beside the board: the way in, controls, or the next question's form."""
    if screen == screens.PRESENTER:
        redraw_every("notes", 1.0, lambda: screens.notes(rooms().get_desk(teacher_key).course))
    if screen == screens.PROJECTOR:
        _way_in(polls[-1])
    elif st.session_state.get(_NEXT_KEY) and not polls[-1].is_over:
        _next_question(teacher_key, polls[-1])
    else:
        if screen == screens.ALL:
            _way_in(polls[-1])
        _buttons(teacher_key, polls)
        _choose_question(teacher_key, polls)
    if screen == screens.PRESENTER:
        screens.other_devices(teacher_key)
    if screen != screens.ALL:
        screens.leave()


def _drawn(teacher_key: TeacherKey, polls: Sequence[PollState]) -> tuple[object, ...]:
    """What controls and pictures are drawn of; another screen may change it."""
    last, on_show = polls[-1], _on_show(teacher_key, polls)
    return on_show.mark, len(polls), replace(last, reports=()), steps.course().is_watched


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
        poll = _on_show(teacher_key, polls)
        is_old = drawn != _drawn(teacher_key, polls)
    except CaldpError:
        run_page()
    if is_old:
        run_page()
    if screens.current() == screens.PRESENTER:
        poll = replace(poll, hides=False, is_shown=poll.question.right is not None)
    of, known = st.session_state.get(_KNOWN_KEY, (None, {}))
    if of != (poll.mark, poll.is_open):
        _, known = st.session_state[_KNOWN_KEY] = ((poll.mark, poll.is_open), {})
    past = history(poll.question, poll.reports, known, view.shares_by(poll))
    if poll.mark != polls[-1].mark:
        past = past[-1:]  # the order of an earlier question's reports is not known
    asked = polls[-1]
    sentences = words.live_headline(poll, past[-1][1] if past else None)
    markup.show_headline(words.end_headline(polls, sentences) if asked.is_over else sentences)
    if len(asked.reports) >= asked.most:
        st.warning(
            f"The poll is full: {formats.count(asked.most, 'report is', 'reports are')} in. Under "
            "“Reports” you can let in more, or throw some out.",
            icon=":material/group_off:",
        )
    with st.container(key=STATE.key("question")):
        st.header(escape_markdown(poll.question.text), anchor=False)
    view.board(view.board_json(poll, past), STATE.key("board"))


def _way_in(poll: PollState) -> None:
    address = gate.current_address(query_of(poll.code))
    shared = gate.shared_address(address)
    _code(poll, shared or address)
    st.code(shared or address, language=None, wrap_lines=True)
    if shared is None:
        st.caption(
            "This server answers this machine only; docs/deploy.md says how phones can reach it."
        )


def _code(poll: PollState, address: str) -> None:
    """Draw the code that a class reads, and the QR code that its phones scan."""
    st.html(f'<p class="room-code"><small>Code</small> {display_code(poll.code)}</p>')
    with st.container(key="qr"):
        screens.draw_qr(address, f"QR code of the link to poll {format_code(poll.code)}.")


def _buttons(teacher_key: TeacherKey, polls: Sequence[PollState]) -> None:
    poll = polls[-1]
    if poll.is_over:
        st.button(
            "Prepare another poll", key=STATE.key("fresh"), on_click=_end, args=(teacher_key,)
        )
        st.caption("This one is then forgotten, with all results.")
        return
    if poll.question.right is not None and not poll.is_shown:
        st.button(
            "Show the answer",
            type="primary",
            width="stretch",
            icon=":material/lightbulb:",
            key=STATE.key("show"),
            on_click=_change,
            args=(teacher_key, PollState.with_answer),
        )
    label = "Close the question" if poll.is_open else "Take reports again"
    with st.container(horizontal=True, gap="xsmall"):
        if not poll.is_shown:
            st.button(
                label,
                key=STATE.key("close"),
                on_click=_change,
                args=(teacher_key, lambda state: state.with_open(not poll.is_open)),
            )
        st.button("Next question", key=STATE.key("next"), on_click=_set_writing_next, args=(True,))
    if screens.current() == screens.ALL:
        screens.choose()
    with st.container(horizontal=True, gap="xsmall"):
        _reports_form(teacher_key, poll, lambda: st.session_state.pop(_KNOWN_KEY, None))
        with st.popover("End the poll", icon=":material/logout:", width="stretch"):
            st.markdown(
                "Phones say thank you, and link the lesson to take home. Results stay here."
            )
            st.button(
                "End it now",
                type="primary",
                key=STATE.key("end"),
                on_click=try_action,
                args=(rooms().end, teacher_key),
            )


def _next_question(teacher_key: TeacherKey, poll: PollState) -> None:
    """Draw the form of the next question; board, code and phones stay until it is asked."""
    address = gate.current_address(query_of(poll.code))
    with st.container(key=STATE.key("small"), horizontal=True, vertical_alignment="center"):
        _code(poll, gate.shared_address(address) or address)
    draft = STATE.current()
    with st.container(horizontal=True, gap="xsmall"):
        _ask_button("ask", "Ask this question", "", lambda asked: _ask(teacher_key, asked))
        st.button("Cancel", key=STATE.key("back"), on_click=_set_writing_next, args=(False,))
    st.caption(escape_markdown(words.coverage(draft.question)))
    _question_form(draft)
    st.caption("The results so far stay under “All questions”; the phones stay connected.")


def _ask(teacher_key: TeacherKey, question: Question) -> None:
    try_action(rooms().ask, teacher_key, question)
    _set_writing_next(False)


def _end(teacher_key: TeacherKey) -> None:
    try_action(rooms().forget, teacher_key)
    _forget()


def _lose(teacher_key: TeacherKey) -> None:
    notices.notify(words.ended_poll_sentence(display_code(normalize_code(teacher_key.code))))
    _forget()


def _forget() -> None:
    st.session_state.pop(_TEACHER_KEY, None)
    st.session_state.pop(_KNOWN_KEY, None)
    screens.put(screens.ALL)
    _set_writing_next(False)
    st.session_state[_FORGET_KEY] = True


def _restore_poll() -> None:
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
        attempt_limiter().record_attempt(STEER, gate.visitor_address())
        rooms().get_own_polls(teacher_key, this_visit())
    except Refusal:
        _lose(teacher_key)
    except CaldpError as error:
        notices.notify(str(error))
    else:
        st.session_state[_TEACHER_KEY] = teacher_key
        screens.put(stored.get("screen"))


def show() -> None:
    """Draw the whole page before a poll is open."""
    draft = begin_page(STATE)
    shown = PAGE.view(draft, None, palette())
    title, switch = title_row(STATE)
    with switch:
        # For a phone whose owner has the code, but not the link.
        st.html(f'<a class="room-join" href="room?{CODE}=">Join with a code</a>')
    with title:
        markup.show_headline(shown.headline)
    main, beside = st.columns([3.1, 1.2], gap="medium")
    with beside, st.container(key=STATE.key("side")):
        _open_button()
        by_hand.button()
        _question_form(draft)
        st.select_slider(
            "Phones that you expect",
            sorted({*PHONES.steps, draft.phones}),
            format_func=PHONES.format_value,
            help="For the rehearsal only; a poll takes up to 100, or up to 500 if you let them in.",
            **STATE.bind(PHONES.name, draft.phones, PHONES.with_value),
        )
    with main:
        with st.container(key=view.TITLE):
            st.markdown(words.rehearsal_title(draft.phones))
        view.board(shown.pictures[view.REHEARSAL], view.REHEARSAL)
        _show_tabs(lambda: view.rehearse(draft), {})
    _restore_poll()
    PAGE.follow(draft)


PAGE: Final = Page(
    state=STATE,
    name="rehearsal",
    title="Live poll: a rehearsal",
    task="Made-up phones answer the question. Move ε, or let more phones answer.",
    load=lambda draft: draft,
    view=view.view,
    sliders=lambda draft: SLIDERS,  # noqa: ARG005
    own=lambda draft: {
        view.REHEARSAL: view.as_component(view.rehearsal_json(draft), view.REHEARSAL)
    },
    load_films=session_films,  # nobody's question is kept for others, or for longer
)
