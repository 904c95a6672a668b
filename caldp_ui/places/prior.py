"""What everybody knows anyway: how much of the picture it makes, and what it gets wrong."""

from dataclasses import replace
from typing import Final

import numpy as np
import streamlit as st

from caldp_core.basics.types import Floats
from caldp_core.datasets.inhabitants import inhabitants
from caldp_core.domain.grid import GridDomain
from caldp_core.estimation.cascaded import pools
from caldp_core.estimation.public_prior import moved_by_prior
from caldp_core.experiments.judged import CIRCULAR, is_judged
from caldp_core.experiments.metrics import total_variation
from caldp_core.experiments.run import Result
from caldp_ui.app.errors import as_text
from caldp_ui.compute import runs
from caldp_ui.maps.ground import home
from caldp_ui.parts import pictures
from caldp_ui.parts.comparison import Shown
from caldp_ui.places.slot import SLOT
from caldp_ui.session.scenarios import steer
from caldp_ui.words import formats
from caldp_ui.words.towns import place_name

KNOWING: Final = "cascade-inhabitants"
_OFFER: Final = (
    "Everybody can look up where towns are. An estimate may take that for known at no privacy "
    "cost: what the reports leave open is then where people live. A part of the picture is no "
    "measurement any more; this tab says how much."
)
_EXAMPLES: Final = 3


def section(what: Shown) -> None:
    """The offer, or how much of the picture the prior has made."""
    if what.setup.scenario.estimator != KNOWING:
        st.markdown(_OFFER)
        st.button(
            "Use where people live",
            icon=":material/location_city:",
            key=SLOT.key("use-prior"),
            on_click=lambda: steer(SLOT, lambda s: replace(s, estimator=KNOWING)),
        )
        return
    if what.ours is None:
        st.info("The numbers come once the picture is there.")
        return
    if not pools(what.ours.setup.mechanism):
        st.markdown("Blocks are so small here that the prior changes nothing.")
        return
    _show(what.ours)


def _show(ours: Result) -> None:
    domain = runs.map_of(ours.setup.dataset)
    moved = moved_by_prior(ours.first.evidence, ours.first.estimate)
    st.markdown(share_of_prior(moved))
    shares = {"Where people live (GeoNames)": inhabitants(domain)}
    if moved.any():
        shares["More people because of it"] = np.maximum(moved, 0.0)
        shares["Fewer people because of it"] = np.maximum(-moved, 0.0)
    made = pictures.maps(shares, domain, home(domain), ours.setup.n)
    for column, (title, png) in zip(st.columns(3), made.items(), strict=True):
        column.image(png, caption=title)
    st.markdown(as_text(judgement(ours, moved, domain)))


def share_of_prior(moved: Floats) -> str:
    """How much of the picture is prior."""
    if not moved.any():
        return (
            "Where people live does not fit these reports; it is **left alone**: nobody is moved."
        )
    number = formats.of_hundred(0.5 * float(np.abs(moved).sum()))
    return f"**{number} people are where they are on this map because of towns, not of reports.**"


def judgement(ours: Result, moved: Floats, domain: GridDomain) -> str:
    """How far off the map is with the prior and without, and where the prior misleads most."""
    if not is_judged(ours.setup):
        return CIRCULAR
    truth, knowing = ours.setup.dataset.distribution, ours.first.estimate
    off = [formats.per_hundred(total_variation(truth, each)) for each in (
        knowing, knowing - moved, inhabitants(domain))]  # fmt: skip
    worse = np.abs(knowing - truth) - np.abs(knowing - moved - truth)
    worst = np.argsort(-worse)[:_EXAMPLES]
    named = "; ".join(place_name(domain, int(x)) for x in worst if worse[x] > 0)
    misled = f" It misleads most at {named}." if named else ""
    return (
        f"In the wrong place are {off[0]} of 100 people with the prior, {off[1]} without it, and "
        f"{off[2]} if one believes the prior alone.{misled}"
    )
