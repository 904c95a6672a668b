"""Under the maps: what is promised, error curves, numbers, and what can be taken along.

Room: places. Only the tab that is open is drawn, in a fragment: going from tab to tab leaves the
maps alone.
"""

from collections.abc import Callable
from typing import Final

import streamlit as st

from caldp_ui.app.errors import as_text
from caldp_ui.parts import error_curves, methods, numbers, promises, repetition
from caldp_ui.parts.comparison import Shown
from caldp_ui.places.slot import SLOT
from caldp_ui.words.glossary import terms
from caldp_ui.words.vocabulary import PLACES


@st.fragment
def tabs(what: Shown) -> None:
    """The tabs, and the open one."""
    made = st.tabs(list(_TABS), key=SLOT.key("tabs"), on_change="rerun")
    for tab, show in zip(made, _TABS.values(), strict=True):
        if tab.open:
            with tab:
                show(what)


def _promise(what: Shown) -> None:
    promises.shield(PLACES, what.setup)
    promises.not_promised(PLACES, what.setup)
    dataset = what.setup.dataset
    st.caption(f"Data: **{dataset.name}**. {as_text(dataset.note)}")


def _curves(what: Shown) -> None:
    if what.ours is None or what.plain is None:
        st.info("The curves come once both pictures are there.")
        return
    error_curves.section(SLOT.key("curve-against"), what.ours, what.plain)
    repetition.section(SLOT.key("repetition"), what.ours, what.plain)
    terms("sampling error", "estimator")


def _numbers(what: Shown) -> None:
    there = {"this protection": what.ours, "plain LDP": what.plain}
    numbers.table({title: result for title, result in there.items() if result is not None})
    if what.ours is not None:
        numbers.sampling(what.ours.first.errors, what.setup.scenario.n is not None)
        numbers.plain_needs(what.ours)
    methods.table(what.setup)


_TABS: Final[dict[str, Callable[[Shown], None]]] = {
    "What is promised": _promise,
    "Error curves": _curves,
    "Numbers": _numbers,
}
