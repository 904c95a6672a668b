"""The controls that stations share, each bound to the page's state."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, Final

import streamlit as st

from caldp_core.basics.limits import SEED_MAX
from caldp_ui.classroom.page_state import ITEMS_MOST, STATE, Lesson
from caldp_ui.controls import common
from caldp_ui.controls.common import Slider
from caldp_ui.words import formats
from caldp_ui.words.glossary import DEFINITIONS

_EPSILONS: Final = (0.1, 0.2, 0.5, 1.0, 2.0, 3.0, 5.0, 7.0, 10.0)
_PEOPLE: Final = (10, 100, 1_000, 10_000, 100_000, 10**6, 10**7, 10**8, 10**9)


@dataclass(frozen=True)
class Dial:
    """A slider over some values of one field of the lesson.

    `name`: the field; `steps`: the values that it stops at; `help_text`: its help; `format_value`:
    how a value is written.
    """

    name: str
    title: str
    steps: tuple[float, ...]
    help_text: str
    format_value: Callable[[float], str] = formats.people

    def value(self, lesson: Lesson) -> float:
        """The lesson's value of the field."""
        current: float = getattr(lesson, self.name)
        return current

    def with_value(self, lesson: Lesson, value: float) -> Lesson:
        """The lesson with the slider there."""
        changed: dict[str, Any] = {self.name: value}
        return replace(lesson, **changed)

    @property
    def slider(self) -> Slider[Lesson]:
        """The dial as the slider that page and films share."""
        return Slider(self.name, self.value, self.with_value, self.steps, self.format_value)


Dials = tuple[Dial, ...]
EPSILON: Final = Dial(
    "epsilon", "Privacy level ε", _EPSILONS, DEFINITIONS["ε"], lambda level: f"{level:g}"
)


def people(least: int = 10) -> Dial:
    """The dial of the number of people, from `least` on."""
    steps = tuple(n for n in (1, *_PEOPLE) if n >= least)
    help_text = "More people cost no time: sums are drawn from their exact distribution."
    return Dial("n", "People", steps, help_text)


def item_dials(help_text: str) -> Callable[[Lesson], Dials]:
    """The dials of a station about items. `help_text`: says what these are."""
    powers = tuple(1 << b for b in range(2, ITEMS_MOST.bit_length()))
    return lambda _: (EPSILON, Dial("items", "Items", powers, help_text), people(100))


def show(dials: Dials) -> None:
    """Draw the dials; the first two stay under the thumb on a phone."""
    with st.container(key=STATE.key("dials")):
        for dial in dials[:2]:
            common.show(STATE, dial.slider, dial.title, dial.help_text)
    for dial in dials[2:]:
        common.show(STATE, dial.slider, dial.title, dial.help_text)


def break_it(lesson: Lesson, naive: tuple[str, str]) -> None:
    """Draw the switch that shows the naive version failing. `naive`: its label and its help."""
    st.markdown("**Try to break it**")
    st.toggle(
        naive[0],
        help=naive[1],
        **STATE.bind("broken", lesson.broken, lambda r, v: replace(r, broken=v)),
    )


def steps() -> None:
    """Draw the buttons for new noise and for undo."""
    with st.container(horizontal=True, gap="xsmall"):
        st.button(
            "Draw new noise",
            icon=":material/casino:",
            key=STATE.key("another"),
            on_click=STATE.change,
            args=(lambda lesson: replace(lesson, seed=(lesson.seed + 1) % (SEED_MAX + 1)),),
            help="The same settings, another draw.",
        )
        common.button(STATE)
