"""The guided tour of the map page: five short steps in a dialog.

Room: words. Each step says where to look; the page behind stays as it is.
"""

from typing import Final

import streamlit as st

from caldp_core.basics.errors import CaldpError
from caldp_core.scenarios.scenario import Scenario
from caldp_ui.compute import runs as compute
from caldp_ui.parts import slow
from caldp_ui.places import presets
from caldp_ui.places.drawing import ADD, NUMBERS
from caldp_ui.places.slot import SLOT
from caldp_ui.words import accuracy
from caldp_ui.words.vocabulary import PLACES

_STEP: Final = "tour-step"
_STEPS: Final = (
    (
        "Everybody flips their own coin",
        (
            "Nobody collects true places here. Each person's device randomises the place before it "
            "sends anything. The collector adds up the noisy reports and estimates how many people "
            "are where. The map **Truth** is shown only because this is a demonstration."
        ),
    ),
    (
        "ε sets how noisy",
        (
            "Move **ε**. To the left, reports say less about a person, and the estimate gets "
            "worse. The sentence with the shield says what an onlooker can guess."
        ),
    ),
    (
        "Not everything is equally secret",
        (
            "**Start from** “Plain LDP” and then “The paper's 25 × 35 blocks”. Plain LDP hides "
            "every place from every other, coast to coast. Blocks hide where in a block somebody "
            "is.{fall}"
        ),
    ),
    (
        "Draw what matters",
        (
            f"Choose **{ADD}** and drag a box on the map “Truth”. Only what you "
            f"draw is protected then. With **{NUMBERS}** a box gives the count of that "
            "region and how sure it is."
        ),
    ),
    (
        "Luck or knowledge?",
        (
            "Press **Another possible outcome**: what changes is noise, what stays is knowledge. "
            "The address bar always holds what you see, so a copied link shows it to others."
        ),
    ),
)


def button() -> None:
    """Opens the tour."""
    if st.button("Take the tour", icon=":material/tour:", type="tertiary"):
        st.session_state[_STEP] = 0
        _dialog()


def text_of(step: int, scenario: Scenario) -> str:
    """The step's text, with the errors that the page shows for this scenario's settings."""
    text = _STEPS[step][1]
    return text.replace("{fall}", _fall(scenario)) if "{fall}" in text else text


def _fall(scenario: Scenario) -> str:
    if slow.is_slow(scenario):
        return ""
    try:
        both = compute.compare(presets.PRESETS[0].apply(scenario))
    except CaldpError:  # these settings do not go with those blocks: nothing to promise
        return ""
    plain, blocks = (
        accuracy.tv_in_words(PLACES, result.first.errors.tv) for result in (both.plain, both.ours)
    )
    return (
        f" With your other settings, the error of plain LDP is {plain}, that of the blocks "
        f"{blocks}."
    )


@st.dialog("A short tour", width="medium")
def _dialog() -> None:
    step = st.session_state[_STEP]
    title = _STEPS[step][0]
    st.subheader(f"{step + 1} of {len(_STEPS)} · {title}", anchor=False)
    st.markdown(text_of(step, SLOT.now().scenario))
    with st.container(horizontal=True):
        st.button("Back", disabled=step == 0, on_click=_go, args=(-1,))
        if step + 1 < len(_STEPS):
            st.button("Next", type="primary", on_click=_go, args=(1,))
        elif st.button("Done", type="primary"):
            st.rerun()


def _go(by: int) -> None:
    st.session_state[_STEP] += by
