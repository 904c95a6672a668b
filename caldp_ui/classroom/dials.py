"""The controls that stations share, each bound to the lesson.

Room: classroom.
"""

from collections.abc import Callable
from dataclasses import replace
from typing import Any, Final

import streamlit as st

from caldp_core.basics.limits import SEED_MAX
from caldp_ui.classroom.slot import ITEMS_MOST, SLOT, Lesson
from caldp_ui.words import formats
from caldp_ui.words.glossary import DEFINITIONS

_EPSILONS: Final = (0.1, 0.2, 0.5, 1.0, 2.0, 3.0, 5.0, 7.0, 10.0)
_PEOPLE: Final = (10, 100, 1_000, 10_000, 100_000, 10**6, 10**7, 10**8, 10**9)


def _bound(name: str, value: Any) -> dict[str, Any]:
    def change(lesson: Lesson, picked: Any) -> Lesson:
        return replace(lesson, **{name: type(value)(picked)})

    return SLOT.bind(name, value, change)


def pick(name: str, title: str, steps: tuple[int, ...], value: int, told: str) -> None:
    """A slider over whole numbers of the lesson; `told`: its help."""
    st.select_slider(
        title,
        sorted({*steps, value}),
        format_func=formats.people,
        help=told,
        **_bound(name, value),
    )


def epsilon(lesson: Lesson) -> None:
    """The privacy level."""
    st.select_slider(
        "Privacy level ε",
        sorted({*_EPSILONS, lesson.epsilon}),
        format_func=lambda e: f"{e:g}",
        help=DEFINITIONS["ε"],
        **_bound("epsilon", lesson.epsilon),
    )


def people(lesson: Lesson, least: int = 10) -> None:
    """The number of people, from `least` on."""
    steps = tuple(n for n in _PEOPLE if n >= least)
    told = "More people cost no time: sums are drawn from their exact distribution."
    pick("n", "People", steps if least > 1 else (1, *steps), lesson.n, told)


def of_items(told: str) -> Callable[[Lesson], None]:
    """The controls of a station about items; `told`: what these are."""

    def show(lesson: Lesson) -> None:
        with st.container(key=SLOT.key("dials")):
            epsilon(lesson)
            powers = tuple(1 << b for b in range(2, ITEMS_MOST.bit_length()))
            pick("items", "Items", powers, lesson.items, told)
        people(lesson, 100)

    return show


def break_it(lesson: Lesson, naive: tuple[str, str]) -> None:
    """The switch that shows the naive version failing."""
    st.markdown("**Try to break it**")
    st.toggle(naive[0], help=naive[1], **_bound("broken", lesson.broken))


def steps() -> None:
    """Another outcome, and undo."""
    with st.container(horizontal=True, gap="xsmall"):
        st.button(
            "Another outcome",
            icon=":material/casino:",
            key=SLOT.key("another"),
            on_click=SLOT.change,
            args=(lambda lesson: replace(lesson, seed=(lesson.seed + 1) % (SEED_MAX + 1)),),
            help="The same numbers; other throws of the coins.",
        )
        st.button(
            "Undo",
            icon=":material/undo:",
            key=SLOT.key("undo"),
            disabled=not SLOT.can_undo,
            on_click=SLOT.undo,
        )
