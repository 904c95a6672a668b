"""The page: the strip of stations, the open one, and its films and file.

`docs/lesson.md` is the same plan for readers; a test holds them together. The questions, in
`station_questions.toml`, are: predict, move a slider, explain.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Final

import streamlit as st

from caldp_ui.app.texts import plain_errors, read_toml
from caldp_ui.app.theme import Palette, palette
from caldp_ui.classroom import counting, daily, questions, selection, station, trust
from caldp_ui.classroom.page_state import STATE, Lesson
from caldp_ui.classroom.station import Station
from caldp_ui.controls import choices
from caldp_ui.controls.common import Slider, field_slider
from caldp_ui.lesson import steps
from caldp_ui.lesson.steps import LessonStep
from caldp_ui.offline import document
from caldp_ui.offline.document import Part, QuizQuestion
from caldp_ui.parts import layout
from caldp_ui.parts.layout import title_row
from caldp_ui.session import page_state
from caldp_ui.shell.page import Page, View
from caldp_ui.words import formats

FIGURE_TEXTS: Final[Mapping[str, Callable[[float], str]]] = {
    "two digits": lambda figure: formats.digits(figure, 2),
    "of 100": lambda figure: formats.hundred(figure / 100),
}
"""How headlines show a figure."""


@dataclass(frozen=True)
class HeadlineQuestion:
    """A question about the headline at one step of a slider, whose answer is one of its figures.

    `ask`: the question; `dial`, `reading`: title of the slider and its reading at that step;
    `figure`: its name (see `Headline`), shown as one of `FIGURE_TEXTS`, `text`; `answer`: the
    answer with "{}" for that text.
    """

    ask: str
    dial: str
    reading: str
    figure: str
    text: str
    answer: str


def load_questions(module: str, name: str) -> dict[str, dict[str, Any]]:
    """By part of a TOML file: its `aim`, what one can do afterwards, and its questions by name.

    `predict`: before anything is moved; `move`: at a slider; `explain`: why.
    """
    return {
        part: {name: _question(each) for name, each in texts.items()}
        for part, texts in read_toml(module, name).items()
    }


def _question(value: Any) -> str | HeadlineQuestion | QuizQuestion:
    if isinstance(value, str):
        return value
    if "dial" in value:
        return HeadlineQuestion(**value)
    return QuizQuestion(value["ask"], tuple(value["answers"]), value["because"])


STATION_QUESTIONS: Final = load_questions(__file__, "station_questions.toml")
_BEFORE: Final = "Before you move anything: "


def prediction(station: str) -> dict[str, Any]:
    """What a class guesses before it sees a station: `ask`, `answers`, which is `right`, `because`.

    The right answer is never the first.
    """
    question: QuizQuestion = STATION_QUESTIONS[station]["predict"]
    text = question.ask.removeprefix(_BEFORE)
    shift = 1 + list(STATION_QUESTIONS).index(station) % (len(question.answers) - 1)
    answers = [each.removesuffix(".") for each in question.answers]
    return {
        "ask": text[0].upper() + text[1:],
        "answers": [*answers[shift:], *answers[:shift]],
        "right": len(answers) - shift,
        "because": question.because,
    }


_Act = Callable[[], None]
_BUTTON: Final = STATE.key("plan")


def _step(texts: Mapping[str, Any]) -> LessonStep:
    page, station = f"pages/{texts['page']}.py", texts.get("station")

    def prepare() -> None:
        if station:
            STATE.open_with(Lesson(station))
        if "link" in texts:
            page_state.open_with(page, texts["link"])
        if "part" in texts:
            page_state.open_part(page, texts["part"])

    return LessonStep(
        texts["minutes"],
        texts["title"],
        page,
        texts["do"],
        texts["home"],
        prepare,
        lambda: station in (None, STATE.current().station),
        prediction(station) if station else None,
    )


_TRACKS: Final = {
    name: tuple(map(_step, texts)) for name, texts in read_toml(__file__, "plan.toml").items()
}
PARTS: Final = _TRACKS["steps"]
"""The whole lesson, of `steps.MINUTES`."""
_LONG: Final = (*PARTS[:-1], *_TRACKS["seminar"], PARTS[-1])
TRACKS: Final = {steps.length(parts): parts for parts in (_TRACKS["short"], PARTS, _LONG)}
"""The steps of each lesson by its minutes: a short one, the whole one, and one for a seminar."""


def button() -> None:
    """Draw the button that opens the plan, from which a lesson begins."""
    title, opens = "A lesson, step by step", page_state.take_part(STATE.page, "plan")
    icon = ":material/schedule:"
    choices.drawer("Lesson plan", _BUTTON, title, _drawer, opens, icon=icon)


def _drawer() -> None:
    lesson = steps.running()
    parts = _choose_track() if lesson is None else lesson.steps
    if lesson is None:
        st.markdown("While you teach, a bar shows the minute, the step and what comes next.")
        label, act = "Begin the lesson", lambda: steps.begin(parts)
    else:
        label, act = "End the lesson", steps.end
    STATE.button("begin", label, _close, act, type="primary", width="stretch")
    for begins, part in zip(starts(parts), parts, strict=True):
        label = f"{begins} to {begins + part.minutes} min · {part.title}"
        STATE.button(f"plan-{begins}", label, _close, partial(_open, part), width="stretch")
        st.markdown(f"{part.do} *{part.home}*")


def _choose_track() -> tuple[LessonStep, ...]:
    """Draw the choice of a lesson's length; returns its steps."""
    key, spell, first = STATE.key("track"), "{} minutes".format, steps.MINUTES
    chosen = st.segmented_control("Length", list(TRACKS), default=first, format_func=spell, key=key)
    return TRACKS[chosen or first]


def _close(act: _Act) -> None:
    choices.set_drawer(_BUTTON, False)
    act()
    st.rerun()  # all of the page: the drawer is a part of it


def _open(part: LessonStep) -> None:
    """Prepare the step's page; a lesson that is running goes to the step."""
    lesson = steps.running()
    if lesson is None:
        part.prepare()
        steps.open_page(part.page)
    else:
        steps.go_to_step(lesson.steps.index(part))


def starts(parts: tuple[LessonStep, ...] = PARTS) -> list[int]:
    """The minute at which each part begins."""
    return [steps.length(parts[:number]) for number in range(len(parts))]


STATIONS: Final[dict[str, Station]] = {
    "trust": trust.TRUST_STATION,
    "sum": trust.SUMS_STATION,
    "selection": selection.STATION,
    "rappor": daily.RAPPOR_STATION,
    "bits": counting.BITS_STATION,
    "means": daily.MEANS_STATION,
    "shuffling": counting.SHUFFLING_STATION,
}
"""By name, in the order of the lecture."""
_BROKEN: Final = field_slider("broken", (0, 1), lambda on: "on" if on else "off")
"""The switch that shows the naive version failing."""


def view(lesson: Lesson, pinned: Lesson | None, colours: Palette) -> View:
    """The open station's headline and picture."""
    del pinned
    return STATIONS[lesson.station].open(lesson).shown(colours)


def sliders(lesson: Lesson) -> dict[str, Slider[Lesson]]:
    """The sliders of the open station, by title."""
    return {dial.title: dial.slider for dial in STATIONS[lesson.station].dials(lesson)}


PAGE: Final = Page(state=STATE, load=lambda lesson: lesson, view=view, sliders=sliders)


def part(lesson: Lesson) -> Part | None:
    """The open station as a part of a file, with the switch that breaks it."""
    name, here = lesson.station, STATIONS[lesson.station]
    switches = {here.naive[0]: _BROKEN} if here.can_break(lesson) else {}
    page = replace(PAGE, sliders=lambda record: {**sliders(record), **switches})
    title = f"Station {list(STATIONS).index(name) + 1}: {here.title}"
    made = page.part(lesson)
    return made and replace(made, id=f"station-{name}", title=title)


def show(lesson: Lesson, show_handout: Callable[[str], None]) -> None:
    """Show the open station; only it is computed. `show_handout`: draws what goes home with it."""
    headline_area, switch = title_row(STATE)
    with switch:
        button()
    _strip(lesson.station)
    here = STATIONS[lesson.station]
    main, beside = st.columns([3.6, 1], gap="medium")
    with main, plain_errors():  # the picture first: nothing else is waited for
        board = here.open(lesson)
        with headline_area:
            layout.show_headline(board.headline)
        with st.container(key=STATE.key("picture")):
            board.draw(palette())
    with beside, st.container(key=STATE.key("side")):
        here.show_choice(lesson)
        station.show_dials(here.dials(lesson))
        if here.can_break(lesson):
            station.break_it(lesson, here.naive)
        station.steps(here.has_draws(lesson))
        _next_button(lesson.station)
    with main:
        station.below(board, lambda: document.offer_page(STATE, part))
        show_handout(lesson.station)
        questions.show()
        PAGE.follow(lesson)


def _next_button(station: str) -> None:
    """Draw the button to the station after this one; none after the last."""
    names = list(STATIONS)
    if station == names[-1]:
        return
    after = names[names.index(station) + 1]
    opened = partial(replace, station=after, broken=False)
    label, icon = f"Next: {STATIONS[after].title}", "arrow_forward"
    STATE.button("onward", label, STATE.change, opened, icon=icon)


def _strip(station: str) -> None:
    """Draw one button a station; a station is opened without its naive version."""
    names = list(STATIONS)
    st.segmented_control(
        "Station",
        names,
        format_func=lambda name: f"{names.index(name) + 1} {STATIONS[name].title}",
        label_visibility="collapsed",
        required=True,
        **STATE.bind("station", station, lambda r, v: replace(r, station=v, broken=False)),
    )
