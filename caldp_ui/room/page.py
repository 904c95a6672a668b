"""The page before a poll is open: its form and rehearsal, its screens, and polls without phones.

A question that protects nobody is confirmed before it is asked. `teacher.py` is the page while a
poll is open.

The projector's screen has the question, the way in and the picture. The presenter's screen, in a
second window or on a phone, has notes, answers, form and controls. Both steer one room, by its key.

Without phones each way is Warner's coin (Warner 1965; the birthday: Yu, Tian, Tang 2008,
crosswise), so that the estimate and its range are those of phones at the same ε.
"""

import hashlib
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from html import escape
from pathlib import Path
from string import Template
from typing import Any, Final, TypeAlias

import pandas as pd
import segno
import streamlit as st

from caldp_core.basics.errors import CaldpError, require
from caldp_core.basics.limits import EPSILON_MAX
from caldp_core.datasets.own import one_line
from caldp_ui.app import gate
from caldp_ui.app.navigation import ROOM
from caldp_ui.app.texts import escape_markdown, read_texts, read_toml
from caldp_ui.app.theme import palette
from caldp_ui.app.user_text import user_texts
from caldp_ui.charts import show as charts
from caldp_ui.compute import runs
from caldp_ui.controls import choices, common
from caldp_ui.lesson.steps import Course, LessonState, length
from caldp_ui.parts import comparison, layout, sharing
from caldp_ui.parts.pins import session_films
from caldp_ui.room import poll as polls
from caldp_ui.room import sets, view
from caldp_ui.room.page_state import (
    NEXT,
    STATE,
    Draft,
    own_sets,
    protect_all,
    with_answers,
    with_right,
)
from caldp_ui.room.poll import (
    REPORTS_MAX,
    STEER,
    Desk,
    PollState,
    Refusal,
    TeacherKey,
)
from caldp_ui.room.question import (
    ANSWERS_MAX,
    TEXT_MAX,
    PollQuestion,
    channel_of,
    class_shares,
    epsilon_for,
    guess_of,
    most_right,
)
from caldp_ui.room.view import COIN, NOT_PROMISED, REHEARSAL, TITLE, WEB
from caldp_ui.server.current_run import this_visit
from caldp_ui.server.uploads import take_content, was_taken
from caldp_ui.session import page_state, visit
from caldp_ui.session.links import DIVIDER, seal
from caldp_ui.shell.page import Page
from caldp_ui.words import formats, promise
from caldp_ui.words.accuracy import DEFINITIONS, terms

TEXTS: Final = read_texts(__file__)
WAYS: Final[dict[str, dict[str, Any]]] = read_toml(__file__, "by_hand.toml")
_SHEET: Final = Template(Path(__file__).with_name("sheet.html").read_text(encoding="utf-8"))
_KEY: Final = STATE.key("by-hand")


@dataclass(frozen=True)
class Count:
    """What the teacher has typed: the `way`, and how many people said each answer."""

    way: str = "coins"
    said: tuple[int, int] = (0, 0)


def question_of(question: PollQuestion, way: str) -> PollQuestion:
    """The question with the noise of a way: both of its answers protected, at that way's ε."""
    truth = Fraction(WAYS[way]["truth"])
    return replace(question, sensitive=(0, 1), epsilon=math.log(truth / (1 - truth)), right=None)


def poll_of(question: PollQuestion, count: Count) -> PollState:
    """The closed poll of the typed counts."""
    first, second = count.said
    reports = (0,) * first + (1,) * second
    asked, people = question_of(question, count.way), max(1, len(reports))
    state = PollState("", view.MARK, asked, False, reports, people, is_over=True)
    return replace(state, doubted=False)  # in which order people spoke is not known


def result_text(poll: PollState) -> str:
    """The estimate of the first answer and its range, as a sentence."""
    shares = class_shares(poll.question, poll.reports, poll.people)
    nothing = view.nothing_yet(poll, 0, shares)
    if nothing:
        return escape_markdown(nothing)
    ends = (shares.estimate, shares.low, shares.high)
    middle, low, high = (f"{poll.people * each[0]:.0f}" for each in ends)
    people = formats.count(poll.people, "person", "people")
    return (
        f"Of {people}, about **{middle}** would truthfully say "
        f"{escape_markdown(view.quoted(poll.question, 0))}: {low} to {high} (95 % range)."
    )


def sheet(question: PollQuestion, way: str) -> str:
    """What each person does, as a page of HTML to print."""
    asked, texts = question_of(question, way), filled(question, way)
    first, second = texts["says"]
    return _SHEET.substitute(
        question=escape(question.text),
        needs=escape(texts["needs"]),
        steps="".join(f"<li>{escape(step)}</li>" for step in texts["steps"]),
        protection=escape(view.promise(asked)),
        note=escape(texts["note"]),
        first=escape(first),
        second=escape(second),
    )


def filled(question: PollQuestion, way: str) -> dict[str, Any]:
    """The texts of a way with the question's two answers in them."""
    first, second = user_texts(question.answers)
    fill = {"first": first.plain, "second": second.plain}
    many = {name: [text.format(**fill) for text in WAYS[way][name]] for name in ("steps", "says")}
    return WAYS[way] | many


def by_hand_button() -> None:
    """The button that opens the drawer."""
    title, icon = "A poll without phones", ":material/casino:"
    choices.drawer("Without phones", _KEY, title, _drawer, icon=icon, type="tertiary")


def _drawer() -> None:
    question = STATE.current().question
    if question.k != len(Count().said):
        st.markdown(
            f"Coins, dice and birthdays hide one of two answers; this question has {question.k}. "
            "Choose or write a question of two answers."
        )
        return
    count = _typed(question)
    poll, note = poll_of(question, count), WAYS[count.way]["note"]
    st.markdown(f"{escape_markdown(view.promise(poll.question))} {note}")
    if poll.reports:
        st.markdown(result_text(poll))
        alt = view.in_words(view.all_numbers([poll]))
        charts.show(view.comparison([poll], palette()), f"{_KEY}-result", alt)
    sharing.file_button(f"{_KEY}-sheet", "sheet.html", sheet(question, count.way))


def _typed(question: PollQuestion) -> Count:
    """Draw the choice of the way, its steps, and the two counts; what was typed stays."""
    known = st.session_state.setdefault(f"{_KEY}-count", Count())
    names = list(WAYS)
    way = st.segmented_control(
        "How the answers are hidden",
        names,
        default=known.way,
        format_func=lambda name: WAYS[name]["title"],
        required=True,
    )
    texts = filled(question, way)
    st.markdown(escape_markdown(texts["needs"]))
    st.markdown("\n".join(f"1. {escape_markdown(step)}" for step in texts["steps"]))
    with st.container(horizontal=True):
        said = [
            st.number_input(
                f"People who said “{escape_markdown(name)}”",
                0,
                REPORTS_MAX,
                number,
                key=f"{_KEY}-{at}",
            )
            for at, (name, number) in enumerate(zip(texts["says"], known.said, strict=True))
        ]
    count = Count(way, (said[0], said[1]))
    st.session_state[f"{_KEY}-count"] = count
    return count


EPSILON: Final = common.field_slider(
    "question.epsilon",
    tuple(level for level in common.EPSILONS if level < EPSILON_MAX),
    "{:g}".format,
)


def question_form(draft: Draft) -> None:
    """Draw the controls of a question: example, text, answers, which are sensitive, and ε."""
    current = draft.question
    _choose_ready(draft)
    st.text_input(
        "Question",
        max_chars=TEXT_MAX,
        **STATE.bind_held(
            "text", current.text, lambda r, v: _with(r, text=one_line(v), by_hands=False)
        ),
    )
    st.text_area(
        f"Answers, one per line, 2 to {ANSWERS_MAX}",
        height="content",
        **STATE.bind_held(
            "answers",
            "\n".join(current.answers),
            lambda r, v: replace(r, question=with_answers(r.question, v)),
        ),
    )
    _sensitive(draft)
    if current.right is None:
        st.toggle(
            "No secret: hands may show the truth",
            **STATE.bind("hands", current.by_hands, lambda r, v: _with(r, by_hands=v)),
            help="After the poll you count hands, and the board compares. Never for a secret.",
        )
    _right(draft)
    help_text = f"{DEFINITIONS['ε']} {promise.epsilon_examples()}"
    common.show(STATE, EPSILON, "Privacy level ε", help_text)
    comparison.epsilon_button(STATE, draft.question.epsilon)


def choose_accuracy(draft: Draft) -> None:
    """Draw how accurate the total is beside what an attacker learns, and buttons that set ε.

    Both are equally large: a small class cannot have an accurate total and strong privacy.
    """
    question, phones = draft.question, draft.phones
    if not question.sensitive:
        return
    off = formats.hundred(view.half_width(draft))
    right = view.times(most_right(question))
    st.html(
        _ACCURACY.substitute(phones=formats.count(phones, "phone", "phones"), off=off, right=right)
    )
    with st.container(horizontal=True, gap="xsmall"):
        for goal in view.GOALS:
            needed = epsilon_for(question, phones, goal)
            if needed is not None:
                label = f"± {100 * goal:.0f}: ε = {needed:g}"
                STATE.button(f"goal-{100 * goal:.0f}", label, _set_epsilon, needed)


_ACCURACY: Final = Template(
    '<div class="room-accuracy"><p>With $phones the total is off by<b>± $off of 100</b></p>'
    "<p>Who reads one phone's report guesses right<b>$right</b></p></div>"
)


def _set_epsilon(epsilon: float) -> None:
    STATE.change(lambda draft: _with(draft, epsilon=epsilon))


def _choose_ready(draft: Draft) -> None:
    """Draw the menu of the set's questions, and beside it what changes the set."""
    questions = {question.text: question for question in draft.question_set.questions}
    chosen = draft.question.text if draft.question_set.find(draft.question.text) else None
    is_as_kept = chosen is not None and questions[chosen] == draft.question
    st.selectbox(
        "Ready question",
        list(questions),
        placeholder="your own question",
        format_func=lambda text: _example_title(questions[text]),
        **STATE.bind(
            "ready",
            chosen if is_as_kept else None,
            lambda r, text: replace(r, question=r.question_set.find(text) or r.question),
            questions,
        ),
    )
    with st.popover("Question sets", icon=":material/folder_open:", width="stretch"):
        _question_sets(draft, is_as_kept)


def _question_sets(draft: Draft, is_as_kept: bool) -> None:
    """Draw the choice of a set, what changes it, and its file; `is_as_kept`: the question is."""
    current = draft.question_set
    known = {**sets.READY, **own_sets()}
    st.selectbox(
        "Set of questions",
        list(known),
        **STATE.bind(
            "set", current.title, lambda r, title: replace(r, question_set=known[title]), known
        ),
    )
    with st.container(horizontal=True, gap="xsmall"):
        if not is_as_kept:
            STATE.button("set-add", "Put this question into the set", _keep_question)
        elif len(current.questions) > 1:
            STATE.button("set-remove", "Take this question out", _remove_question)
    if current != sets.READY.get(current.title):
        st.text_input(
            "Title of the set",
            max_chars=sets.TITLE_MAX,
            **STATE.bind_held("set-title", current.title, _retitle),
        )
    sharing.file_button(STATE.key("set-file"), "questions.json", sets.to_json(current))
    st.file_uploader(
        "Open a set that was saved",
        key=STATE.key(_SET_FILE),
        on_change=_open_set,
        max_upload_size=1,
    )
    st.caption("A set, its file and the link hold questions alone, and never what a class reports.")


_SET_FILE: Final = "set-upload"


def _keep_question() -> None:
    STATE.change(lambda r: replace(r, question_set=r.question_set.with_question(r.question)))


def _remove_question() -> None:
    STATE.change(lambda r: replace(r, question_set=r.question_set.without(r.question.text)))


def _retitle(record: Draft, title: str) -> Draft:
    return replace(record, question_set=replace(record.question_set, title=one_line(title)))


def _open_set() -> None:
    """Show the set of the file, and its first question; what is no set becomes a notice."""
    file = st.session_state[STATE.key(_SET_FILE)]
    if file is None or was_taken(file):
        return
    text = take_content(file)[: sets.FILE_BYTES_MAX + 1].decode("utf-8-sig", "replace")

    def opened(record: Draft) -> Draft:
        require(
            len(text) <= sets.FILE_BYTES_MAX,
            f"The file is too large for a set of questions, which has at most "
            f"{sets.FILE_BYTES_MAX // 1024} kB; choose the file of a set.",
        )
        found = sets.from_json(text)
        return replace(record, question_set=found, question=found.questions[0])

    STATE.change(opened)


def _example_title(example: PollQuestion) -> str:
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


_NONE: Final = -1
"""Stands for no right answer among the numbers of answers."""


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


Ask: TypeAlias = Callable[[PollQuestion], None]
_WARNED: Final = "room/warned"
"""The question that protects nobody, as the teacher was warned of it."""


def ask_button(name: str, label: str, icon: str, ask: Ask) -> None:
    """Draw the button that asks the question on the page; the warning, where one is due.

    `name`: of the widget. `icon`: "" for none. `ask`: called with the question.
    """
    question = STATE.current().question
    if question.sensitive or st.session_state.get(_WARNED) != question:
        look = {"icon": icon, "type": "primary", "width": "stretch"}
        STATE.button(name, label, _ask_protected, ask, None, **look)
        return
    st.warning(escape_markdown(view.unprotected_warning(question)), icon=":material/lock_open:")
    STATE.button(
        "protect",
        "Protect all answers",
        STATE.change,
        lambda draft: replace(draft, question=protect_all(draft.question)),
        type="primary",
        width="stretch",
    )
    label = "Ask without protection"
    STATE.button("unprotected", label, _ask_protected, ask, question, width="stretch")


def _ask_protected(ask: Ask, confirmed: PollQuestion | None) -> None:
    """Ask what is written now, or warn: the click may come before the page has followed a change.

    `confirmed`: the question that the teacher asks without protection.
    """
    question = STATE.current().question
    if question.sensitive or question == confirmed:
        st.session_state.pop(_WARNED, None)
        ask(question)
    else:
        st.session_state[_WARNED] = question


ALL: Final = ""
PROJECTOR: Final = "projector"
PRESENTER: Final = "presenter"
_SCREEN: Final = "room/screen"


def current_screen() -> str:
    """What this visit shows of its room: `ALL`, or the `PROJECTOR`'s or `PRESENTER`'s part."""
    screen: str = st.session_state.get(_SCREEN, ALL)
    return screen


def show_screen(screen: object) -> None:
    """Show this part from now on; everything for a name that is not known."""
    st.session_state[_SCREEN] = screen if screen in (PROJECTOR, PRESENTER) else ALL


def presenter_link(teacher_key: TeacherKey) -> str:
    """The link that steers the room from any browser: its key is in the fragment."""
    address = gate.current_address(polls.worker_query())
    fragment = f"#{PRESENTER}={teacher_key.code}.{teacher_key.key}"
    return f"{gate.shared_address(address) or address}{fragment}"


def choose_screens() -> None:
    """Draw what makes two screens of one, a click each."""
    own = f"{gate.current_address(polls.worker_query())}#{PRESENTER}"
    with st.container(horizontal=True, gap="xsmall"):
        notes_help = "A second window with notes, answers and controls."
        st.link_button("Your own screen", own, help=notes_help)
        screen_help = "This window then has the question, its code and the picture, nothing else."
        label = "Projector's screen"
        STATE.button(PROJECTOR, label, show_screen, PROJECTOR, help=screen_help)


def leave_button() -> None:
    """Draw the button that brings everything back to this screen."""
    with st.container(key=STATE.key(f"leave-{current_screen()}")):
        STATE.button("leave", "Everything on this screen", show_screen, ALL, icon="tune")


def other_devices(teacher_key: TeacherKey) -> None:
    """Draw the presenter's link, for a phone or a fresh browser."""
    with st.expander("Steer from another device"):
        st.markdown("Anybody who has this link steers the poll: keep it off the projector.")
        link = presenter_link(teacher_key)
        st.code(link, language=None, wrap_lines=True)
        draw_qr(link, "QR code of the presenter's link.")


def draw_qr(address: str, alt: str) -> None:
    """Draw an address as a QR code, as wide as its place."""
    st.image(segno.make(address, error="m").svg_inline(scale=6, border=2), width="stretch", alt=alt)


def draw_notes(desk: Desk) -> None:
    """Draw the notes of the lesson's step, and buttons that steer what the projector shows."""
    course = desk.course
    lesson, course.is_watched = course.lesson, True
    if lesson is None:
        return
    st.markdown(_notes_text(lesson))
    step, (before, after) = lesson.step, (lesson.at - 1, lesson.at + 1)

    def want(number: int) -> None:
        course.wanted = number

    with st.container(horizontal=True, gap="xsmall"):
        if before >= 0:
            STATE.button("step-back", "Back", want, before)
        if step.ask and not lesson.is_shown:
            STATE.button("step-show", f"Show {step.title}", course.show_page)
            STATE.button("step-ask", "Ask the phones", _hand_over, desk, step.ask)
        if course.page not in (ROOM, ""):
            STATE.button("to-poll", "Show the poll", show_poll_page, course)
        elif step.page != ROOM:
            STATE.button("to-step", f"Return to: {step.title}", want, lesson.at)
        if after < len(lesson.steps):
            STATE.button("step-next", f"Next: {lesson.steps[after].title}", want, after)


def show_poll_page(course: Course) -> None:
    """Have the projector show the poll."""
    if course.page != ROOM:
        course.wanted_page = ROOM


def _hand_over(desk: Desk, asked: Mapping[str, Any]) -> None:
    """Put a step's question into the form of this screen, and show the poll on the projector."""
    desk.handed = guess_of(asked)
    show_poll_page(desk.course)


def _notes_text(lesson: LessonState) -> str:
    step, total, begins = lesson.step, length(lesson.steps), length(lesson.steps[: lesson.at])
    minute = math.floor(lesson.elapsed / 60)
    ask: Any = step.ask
    right = f"{ask['ask']} {ask['answers'][ask['right']]}. {ask['because']}" if ask else ""
    lines = [
        f"**Step {lesson.at + 1} of {len(lesson.steps)}: {step.title}**",
        f"Minutes {begins} to {begins + step.minutes}; it is minute {minute} of {total}.",
        step.do,
        escape_markdown(right),
        f"*{step.home}*",
    ]
    return "\n\n".join(lines)


_TEACHER_KEY: Final = "room/held"
NEXT_KEY: Final = "room/next"
"""True while the form of the next question is shown."""
_REFUSED_KEY: Final = "room/refused"
"""True once the server has refused to open a poll for this visit."""
_SERVER_KEY: Final = STATE.key("server-key")
_SERVER_KEY_CHARS_MAX: Final = 200
_FORGET_KEY: Final = "room/gone"
"""True once the browser is to forget the room that it stored."""
KNOWN_KEY: Final = "room/known"
"""The question's mark, whether it is open, and its ranges by number of reports, which stay."""
_KEEPER: Final = STATE.key("keeper")
_keeper = st.components.v2.component("caldp_room_keeper", js=(WEB / "keeper.js").read_text("utf-8"))


def find_teacher_key() -> TeacherKey | None:
    """The key of the room that this visit opened; None without one, or after its end."""
    teacher_key: TeacherKey | None = st.session_state.get(_TEACHER_KEY)
    if teacher_key is None:
        return None
    try:
        polls.rooms().get_own_polls(teacher_key, this_visit())
    except CaldpError:
        _lose(teacher_key)
        return None
    return teacher_key


def open_button() -> None:
    """Draw the button that opens a poll with the question on the page."""
    ask_button("open", "Open the poll", "co_present", _open)
    if st.session_state.get(_REFUSED_KEY):
        st.text_input(
            "Key of this server",
            help="With the key a poll opens even now. It is in the log of the server.",
            key=_SERVER_KEY,
            max_chars=_SERVER_KEY_CHARS_MAX,
        )


def _open(question: PollQuestion) -> None:
    try:
        key = st.session_state.get(_SERVER_KEY, "").strip()
        st.session_state[_TEACHER_KEY] = polls.open_room(question, STATE.current().phones, key)
    except CaldpError as error:
        visit.notify(str(error))
        st.session_state[_REFUSED_KEY] = True
    else:
        st.session_state.pop(_REFUSED_KEY, None)
    page_state.take_part(STATE.page, NEXT)  # a question that was handed over is asked by now
    set_writing_next(False)


def set_writing_next(writing: bool) -> None:
    """Show the form of the next question, or the poll's controls."""
    st.session_state[NEXT_KEY] = writing


def _lose(teacher_key: TeacherKey) -> None:
    visit.notify(
        TEXTS["poll_gone"].format(code=polls.display_code(polls.normalize_code(teacher_key.code)))
    )
    forget_poll()


def forget_poll() -> None:
    """Go back to the page before a poll; the browser forgets its key, too."""
    st.session_state.pop(_TEACHER_KEY, None)
    st.session_state.pop(KNOWN_KEY, None)
    show_screen(ALL)
    set_writing_next(False)
    st.session_state[_FORGET_KEY] = True


def keep_screen(teacher_key: TeacherKey, screen: str) -> None:
    """Have the browser store the key and which screen this is, for when the page is reloaded."""
    _keeper(key=_KEEPER, data={"teacher": vars(teacher_key), "screen": screen})


def _restore_from_browser() -> None:
    stored = st.session_state[_KEEPER].get("teacher")
    if not isinstance(stored, Mapping):
        return
    teacher_key = TeacherKey(str(stored.get("code")), str(stored.get("key")))
    try:
        polls.attempt_limiter().record_attempt(STEER, gate.visitor_address())
        polls.rooms().get_own_polls(teacher_key, this_visit())
    except Refusal:
        _lose(teacher_key)
    except CaldpError as error:
        visit.notify(str(error))
    else:
        st.session_state[_TEACHER_KEY] = teacher_key
        show_screen(stored.get("screen"))


PHONES: Final = common.field_slider(
    "phones", (*range(3, 41), 45, 50, 60, 70, 80, 90, 100, 150, 200, 300, REPORTS_MAX)
)
SLIDERS: Final = {"Privacy level ε": EPSILON, "Phones in the class": PHONES}

PollReader: TypeAlias = Callable[[], PollState]
"""Returns the current state of the question on show."""


_PHONES_HELP: Final = (
    "Count them before you open the poll: ranges are for this class, and phones that are missing "
    "stay as room in them. More can be let in later."
)


def show_tabs(read_poll: PollReader, more: Mapping[str, Callable[[PollReader], None]]) -> None:
    """Draw the tabs and the content of the open one; `more`: tabs before the others."""
    layout.tabs(STATE.key("tabs"), {**more, **_TABS}, read_poll)


def _promise(read_poll: PollReader) -> None:
    poll = read_poll()
    comparison.bullets(
        [escape_markdown(view.promise(poll.question)), *view.promises(poll.question)]
    )
    open_ends = [*view.unprotected_sentences(poll.question), *NOT_PROMISED]
    comparison.listed("What is *not* promised", open_ends)
    terms("ε", "local differential privacy", "sensitive set")


def _coin(read_poll: PollReader) -> None:
    poll = read_poll()
    question = poll.question
    st.markdown(COIN if question.sensitive else "No coin is thrown: each phone sends its answer.")
    rows = [[f"{100 * float(q):.1f}" if q else "·" for q in row] for row in channel_of(question)]
    names = list(map(escape_markdown, question.answers))
    st.table(pd.DataFrame(rows, index=names, columns=names).rename_axis("true answer"))


def _numbers(read_poll: PollReader) -> None:
    poll = read_poll()
    if poll.is_hidden:
        st.caption(view.hidden_sentence(poll))
        return
    st.table(view.numbers(poll).map(str).rename(index=escape_markdown).rename_axis("answer"))
    st.caption(f"{view.range_note(poll)} As of now; open the tab again for later reports.")


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
        sharing.file_button(STATE.key("estimate"), "estimate.csv", runs.csv(table))
        sharing.file_button(STATE.key("reports"), "reports.csv", view.listed(poll))
        sharing.python(view.snippet(poll))
        if poll.mark == view.MARK:
            PAGE.offer()


_TABS: Final[dict[str, Callable[[PollReader], None]]] = {
    "What is promised": _promise,
    "The coin": _coin,
    "Numbers": _numbers,
    "Share and export": _sharing,
}


def show() -> None:
    """Draw the whole page before a poll is open."""
    draft = page_state.begin_page(STATE)
    shown = PAGE.view(draft, None, palette())
    title, switch = layout.title_row(STATE)
    with switch:
        # For a phone whose owner has the code, but not the link.
        st.html(f'<a class="room-join" href="room?{polls.CODE}=">Join with a code</a>')
    with title:
        layout.show_headline(shown.headline)
    main, beside = st.columns([3.1, 1.2], gap="medium")
    with beside, st.container(key=STATE.key("side")):
        open_button()
        by_hand_button()
        common.show(STATE, PHONES, "Phones in the class", _PHONES_HELP)
        choose_accuracy(draft)
        question_form(draft)
    with main:
        with st.container(key=TITLE):
            st.markdown(view.rehearsal_title(draft.phones))
        view.board(shown.pictures[REHEARSAL], REHEARSAL)
        show_tabs(lambda: view.rehearse(draft), {})
    if (
        find_teacher_key() is None
    ):  # perhaps this browser opened a room before its page was reloaded
        data = {"forget": st.session_state.pop(_FORGET_KEY, False)}
        _keeper(key=_KEEPER, data=data, on_teacher_change=_restore_from_browser)
    PAGE.follow(draft)


PAGE: Final = Page(
    state=STATE,
    name="rehearsal",
    load=lambda draft: draft,
    view=view.view,
    sliders=lambda draft: SLIDERS,  # noqa: ARG005
    own=lambda draft: {REHEARSAL: view.as_component(view.rehearsal_json(draft), REHEARSAL)},
    load_films=session_films,  # nobody's question is kept for others, or for longer
)
