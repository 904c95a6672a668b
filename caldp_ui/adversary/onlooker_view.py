"""The view "An onlooker": what somebody who sees one person's reports comes to believe.

Room: adversary.
"""

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from caldp_core.domain.grid import GridDomain
from caldp_ui.adversary import below, films, scene, side, words
from caldp_ui.adversary.beliefs import shown
from caldp_ui.adversary.pinned import BESIDE
from caldp_ui.adversary.slot import SLOT, Suspect
from caldp_ui.parts import pins


def show(record: Suspect, domain: GridDomain, said: DeltaGenerator) -> None:
    """The whole view; `said`: where the sentence beside the page's name goes."""
    what = shown(record)
    said.markdown(words.headline(what))
    main, beside = st.columns([3.1, 1], gap="medium")
    with main:
        on = scene.maps(what, domain)
    with beside, st.container(key=SLOT.key("side")):
        side.dials(record)
        side.odds(what, domain)
        side.protection(record, domain, "The person truly is in")
    with main:
        films.show(what, domain, on)
        pins.show(SLOT, BESIDE, what)
        below.show(what)
