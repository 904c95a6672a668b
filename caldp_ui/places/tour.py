"""The guided tour: a strip above the maps that does its steps, rather than a window over them."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

import streamlit as st

from caldp_core.domain.grid import US_GRID, GridDomain
from caldp_core.scenarios.blocks import GridBlocks, OneBlock
from caldp_ui.places.page_state import STATE
from caldp_ui.session import handover
from caldp_ui.session.scenarios import redraw_noise, update_scenario

_STEP: Final = "step"


@dataclass(frozen=True)
class Step:
    """A step of the tour: what to see, and a button that does it."""

    title: str
    text: str
    label: str
    show: Callable[[], None]


def _context_change(**context: Any) -> Callable[[], None]:
    """A change of `blocks` or `epsilon`."""
    return lambda: update_scenario(STATE, lambda s: s.with_context(**context))


STEPS: Final = (
    Step(
        "Everybody adds their own noise",
        "Each person's phone randomises the place before it sends anything. The collector adds up "
        "noisy reports. “Truth” is shown for demonstration only.",
        "Draw new noise",
        lambda: redraw_noise(STATE),
    ),
    Step(
        "ε sets how noisy",
        "A smaller ε protects each person better, and the map gets worse. The odds say how often "
        "an attacker is right.",
        "Protect more: ε = 0.2",
        _context_change(epsilon=0.2),
    ),
    Step(
        "Hiding everything costs the map",
        "Plain LDP hides every place among all others, coast to coast. Both maps are alike now.",
        "Hide everything",
        _context_change(blocks=OneBlock()),
    ),
    Step(
        "Not everything is equally sensitive",
        "The paper's blocks hide where in a block of 1° × 2° somebody is, not in which block.",
        "Hide where in a block",
        _context_change(blocks=GridBlocks(25, 35)),
    ),
    Step(
        "Draw what matters",
        "Take the tool “Box” on the maps, choose “Protect only this” and drag. “Undo” takes it "
        "back. The address bar always holds what you see.",
        "Back to ε = 1",
        _context_change(epsilon=1.0),
    ),
)


def tour_button(domain: GridDomain) -> None:
    """Opens the strip, or closes it; on the paper's map, whose blocks it shows."""
    is_open = _current_step() is not None
    if domain != US_GRID and not is_open:
        return
    st.button(
        "End the tour" if is_open else "Tour",
        icon=":material/tour:",
        type="tertiary",
        key=STATE.key("tour"),
        on_click=_set_step,
        args=(None if is_open else 0,),
    )


def show_strip() -> None:
    """Draws the step if the tour is on; its container is there in any case, for the layout."""
    if handover.take_part(STATE.page, "tour"):
        _set_step(0)
    number = _current_step()
    with st.container():
        if number is not None:
            _show(number)


def _show(number: int) -> None:
    step = STEPS[number]
    with st.container(border=True, key=STATE.key("strip"), horizontal=True):
        st.markdown(f"**{number + 1} of {len(STEPS)} · {step.title}.** {step.text}")
        with st.container(horizontal=True, width="content", gap="xsmall"):
            st.button(step.label, key=STATE.key("show-me"), type="primary", on_click=step.show)
            last = number + 1 == len(STEPS)
            st.button(
                "Done" if last else "Next",
                key=STATE.key("next-step"),
                on_click=_set_step,
                args=(None if last else number + 1,),
            )


def _current_step() -> int | None:
    at: int | None = st.session_state.get(STATE.key(_STEP))
    return at


def _set_step(number: int | None) -> None:
    st.session_state[STATE.key(_STEP)] = number
