"""The guided tour of the map page: five short steps in a dialog.

Room: words. Each step says where to look; the page behind stays as it is.
"""

from typing import Final

import streamlit as st

from caldp_ui.drawing import ADD, NUMBERS

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
            "is, and the error falls from about 56 to about 12 people of 100."
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


@st.dialog("A short tour", width="medium")
def _dialog() -> None:
    step = st.session_state[_STEP]
    title, text = _STEPS[step]
    st.subheader(f"{step + 1} of {len(_STEPS)} · {title}", anchor=False)
    st.markdown(text)
    with st.container(horizontal=True):
        st.button("Back", disabled=step == 0, on_click=_go, args=(-1,))
        if step + 1 < len(_STEPS):
            st.button("Next", type="primary", on_click=_go, args=(1,))
        elif st.button("Done", type="primary"):
            st.rerun()


def _go(by: int) -> None:
    st.session_state[_STEP] += by
