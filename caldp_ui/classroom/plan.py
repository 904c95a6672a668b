"""A lesson of 50 minutes, minute by minute: which page, what to do there, what to take home.

Room: classroom. `docs/lesson.md` is the same plan as a file; a test holds them together.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Final

import streamlit as st

from caldp_ui.adversary.slot import SLOT as ONLOOKER
from caldp_ui.adversary.slot import Suspect
from caldp_ui.app.navigation import ADVERSARY, CLASSROOM, MATRIX, PLACES, ROOM
from caldp_ui.classroom.slot import SLOT, Lesson
from caldp_ui.matrix.slot import BUG, Table
from caldp_ui.matrix.slot import SLOT as TABLE


@dataclass(frozen=True)
class Part:
    """A part of the lesson. `minutes`: how long; `page`: where, made `ready` before it opens.

    `do`: what the teacher does there, controls in bold; `home`: the sentence to take home.
    """

    minutes: int
    title: str
    page: str
    do: str
    home: str
    ready: Callable[[], None] = lambda: None


def _station(name: str) -> Callable[[], None]:
    return lambda: SLOT.lead_to(Lesson(name))


PARTS: Final = (
    Part(
        5,
        "Ask the room",
        ROOM,
        "Press **Open the room**. Phones open the QR code, answer, and show what they sent. Leave "
        "it open.",
        "My phone sent a report that I can deny.",
    ),
    Part(
        4,
        "1 Trust",
        CLASSROOM,
        "Switch on **Break into the server**, then move **Privacy level ε**.",
        "Whoever holds the truth can lose it; a randomized bit is worth little to a thief.",
        _station("trust"),
    ),
    Part(
        5,
        "2 Sums",
        CLASSROOM,
        "Move **People** to a billion. Switch on **Forget to take the noise out**.",
        "Trusting nobody costs √n: many people pay for it.",
        _station("sum"),
    ),
    Part(
        4,
        "3 Selection",
        CLASSROOM,
        "Move **Items** to 1,024. Switch on **The lecture's four items** and let the class vote.",
        "Majorities of bits need not be anybody's favourite.",
        _station("selection"),
    ),
    Part(
        5,
        "4 RAPPOR",
        CLASSROOM,
        "Move **Days** to 60. Switch on **Forget every night**. Then look at **All phones**.",
        "Noise that is drawn once protects for ever; noise drawn daily averages out.",
        _station("rappor"),
    ),
    Part(
        4,
        "5 Few bits",
        CLASSROOM,
        "Compare Galois with RAPPOR. Switch on **One hash function for all**.",
        "Long reports buy next to nothing.",
        _station("bits"),
    ),
    Part(
        4,
        "6 Means",
        CLASSROOM,
        "Move **Minutes of a bucket** to both ends. Switch on **Throw a new coin every day**.",
        "Round at random and remember the bit: the mean stays right, and ε is spent once.",
        _station("means"),
    ),
    Part(
        4,
        "7 Beyond",
        CLASSROOM,
        "Move **Blocks** to 100. Switch on **Fill the crowd with fakes**.",
        "A crowd hides you only if it is real, and in your own block.",
        _station("shuffling"),
    ),
    Part(
        5,
        "What an adversary learns",
        ADVERSARY,
        "Click your town, then press **Play** above the maps: from no report to ten.",
        "Reports about one place add up, unless the phone keeps its noise.",
        lambda: ONLOOKER.lead_to(Suspect(days=1)),
    ),
    Part(
        4,
        "The privacy matrix",
        MATRIX,
        "A channel with 1.05 ε is on the board. Press **Can a test find it?**",
        "Testing samples finds leaks at best; only reading the channel certifies it.",
        lambda: TABLE.lead_to(replace(Table().ready("ldp", 1.0), channel=BUG)),
    ),
    Part(
        4,
        "Places on a map",
        PLACES,
        "Compare the three maps: same people, same ε. Press **Play** for other levels.",
        "Hide only what is secret, and the map comes back.",
    ),
    Part(
        2,
        "Back to the room",
        ROOM,
        "Read the class's estimate and its range. Press **End the room**.",
        "Many lies about each, one truth about all.",
    ),
)
"""50 minutes."""


def button() -> None:
    """Opens the plan."""
    if st.button("Plan of a lesson", icon=":material/schedule:", key=SLOT.key("plan")):
        _drawer()


@st.dialog("A lesson of 50 minutes", position="right", width="medium")
def _drawer() -> None:
    for begins, part in zip(starts(), PARTS, strict=True):
        label = f"{begins} to {begins + part.minutes} min · {part.title}"
        key = SLOT.key(f"plan-{begins}")
        if st.button(label, key=key, width="stretch", on_click=part.ready):
            st.switch_page(part.page)
        st.markdown(f"{part.do} *{part.home}*")


def starts() -> list[int]:
    """The minute at which each part begins."""
    return [sum(part.minutes for part in PARTS[:number]) for number in range(len(PARTS))]


def as_markdown() -> str:
    """The plan as rows of a table."""
    rows = [
        f"| {begins}–{begins + part.minutes} | {part.title} | {part.do} | {part.home} |"
        for begins, part in zip(starts(), PARTS, strict=True)
    ]
    return "\n".join(["| minute | page | what to do | to take home |", "|---|---|---|---|", *rows])
