"""A lesson of 50 minutes, minute by minute: which page, what to do there, what to take home.

`docs/lesson.md` is the same plan as a file; a test holds them together.
"""

from collections.abc import Callable
from functools import partial
from typing import Final

import streamlit as st

from caldp_ui.app.navigation import ADVERSARY, CLASSROOM, MATRIX, PLACES, ROOM
from caldp_ui.classroom.page_state import STATE, Lesson
from caldp_ui.lesson import steps
from caldp_ui.lesson.steps import Step
from caldp_ui.session import handover
from caldp_ui.session.opening import is_first_run

_Act = Callable[[], None]
_Fact = Callable[[], bool]
_IS_OPEN: Final = "classroom/plan-is-open"


def _station(name: str) -> tuple[_Act, _Fact]:
    """How a step opens a station, and whether the classroom shows that station."""
    return lambda: STATE.open_with(Lesson(name)), lambda: STATE.current().station == name


PARTS: Final = (
    Step(
        5,
        "Live poll",
        ROOM,
        "Press **Open the poll**. Phones scan the code, answer, and show what they sent. Leave it "
        "open.",
        "I can deny every sensitive answer that my phone reports.",
    ),
    Step(
        4,
        "1 Trust",
        CLASSROOM,
        "Switch on **Break into the server**, then move **Privacy level ε**.",
        "Whoever holds the truth can lose it; a random bit is worth little to a thief.",
        *_station("trust"),
    ),
    Step(
        5,
        "2 Sums",
        CLASSROOM,
        "Move **People** to a billion. Switch on **Forget to take the noise out**.",
        "The error of the count grows with √n, so that of the share shrinks: ask many people.",
        *_station("sum"),
    ),
    Step(
        4,
        "3 Selection",
        CLASSROOM,
        "Press **Ask the class first**. Move **Items** to 1,024, then switch on **The lecture's "
        "four items**.",
        "The majority of each bit can elect an item that few people chose.",
        *_station("selection"),
    ),
    Step(
        5,
        "4 RAPPOR",
        CLASSROOM,
        "Move **Days** to 60. Switch on **Forget every night**. Then look at **All phones**.",
        "Stored noise bounds what one page reveals; new noise every day averages out.",
        *_station("rappor"),
    ),
    Step(
        4,
        "5 Shorter reports",
        CLASSROOM,
        "Compare Galois with RAPPOR. Switch on **One hash function for all**.",
        "Longer reports are hardly more accurate.",
        *_station("bits"),
    ),
    Step(
        4,
        "6 Means",
        CLASSROOM,
        "Move **Bucket width (minutes)** to both ends. Switch on **Draw a new bit every day**.",
        "Round at random and store the bit: the mean stays right, and only new buckets cost ε.",
        *_station("means"),
    ),
    Step(
        4,
        "7 Shuffling",
        CLASSROOM,
        "Move **Blocks** to 100. Switch on **Fill the crowd with fakes**.",
        "A crowd hides you only if it is real, and in your own block.",
        *_station("shuffling"),
    ),
    Step(
        5,
        "What an attacker learns",
        ADVERSARY,
        "Click your town, then press **Play**: from no report to ten.",
        "Reports about one place add up, unless the phone stores its noise.",
        lambda: handover.open_with(ADVERSARY, {"days": "1"}),
    ),
    Step(
        4,
        "The privacy matrix",
        MATRIX,
        "A channel with 1.05 ε is on the board. Read **Can a test find it?**",
        "Testing samples can find a leak; only reading the channel can rule it out.",
        lambda: handover.open_with(MATRIX, {"template": "ldp", "channel": "bug"}),
    ),
    Step(
        4,
        "Places on a map",
        PLACES,
        "Compare the maps: same people, same ε. Press **Play** for other ε.",
        "Protect only what is sensitive, and the map gets sharper.",
    ),
    Step(
        2,
        "Back to the poll",
        ROOM,
        "Read the class's estimate from the first step, and its range. Press **End the poll**.",
        "A sensitive report may be false; more reports narrow the range of the share.",
        lambda: handover.open_part(ROOM, "opening"),
    ),
)
"""The whole lesson, of `steps.MINUTES`."""


def button() -> None:
    """Draw the button that opens the plan, from which a lesson begins.

    The plan stays open until somebody closes it or leaves the page: a page is also run by itself,
    as films come.
    """
    if handover.take_part(STATE.page, "plan"):
        _set_open(True)
    elif is_first_run():
        _set_open(False)
    label, key = "Lesson plan", STATE.key("plan")
    st.button(label, icon=":material/schedule:", key=key, on_click=_set_open, args=(True,))
    if st.session_state.get(_IS_OPEN):
        _drawer()


def _set_open(is_open: bool) -> None:
    st.session_state[_IS_OPEN] = is_open


@st.dialog(
    f"A lesson of {steps.MINUTES} minutes",
    position="right",
    width="medium",
    on_dismiss=lambda: _set_open(False),
)
def _drawer() -> None:
    if steps.running() is None:
        st.markdown("While you teach, a bar shows the minute, the step and what comes next.")
        label, act = "Begin the lesson", lambda: steps.begin(PARTS)
    else:
        label, act = "End the lesson", steps.end
    key = STATE.key("begin")
    if st.button(label, key=key, type="primary", width="stretch", on_click=_close, args=(act,)):
        st.rerun()
    for begins, part in zip(starts(), PARTS, strict=True):
        label = f"{begins} to {begins + part.minutes} min · {part.title}"
        key = STATE.key(f"plan-{begins}")
        act = partial(_open, part)
        if st.button(label, key=key, width="stretch", on_click=_close, args=(act,)):
            st.switch_page(part.page)
        st.markdown(f"{part.do} *{part.home}*")


def _close(act: _Act) -> None:
    _set_open(False)
    act()


def _open(part: Step) -> None:
    """Prepare the step's page; a lesson that is running goes to the step."""
    if steps.running() is None:
        part.prepare()
    else:
        steps.go_to_step(PARTS.index(part))


def starts() -> list[int]:
    """The minute at which each part begins."""
    return [sum(part.minutes for part in PARTS[:number]) for number in range(len(PARTS))]
