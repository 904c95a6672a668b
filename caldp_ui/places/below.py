"""Under the maps: what is promised, error curves, numbers, and what can be taken along.

Only the tab that is open is drawn, in a fragment: going from tab to tab leaves the maps alone.
"""

from collections.abc import Callable
from typing import Final

import streamlit as st

from caldp_core.experiments.judged import not_judged
from caldp_core.experiments.run import Result
from caldp_ui.app.errors import as_text
from caldp_ui.compute import runs
from caldp_ui.maps.ground import home
from caldp_ui.offline import offer
from caldp_ui.parts import (
    error_curves,
    methods,
    numbers,
    pictures,
    promises,
    sharing,
)
from caldp_ui.parts.comparison import Shown
from caldp_ui.parts.record import Exhibit
from caldp_ui.parts.tabs import tabs
from caldp_ui.places import cells, prior, take_home
from caldp_ui.places.slot import SLOT
from caldp_ui.relief import view
from caldp_ui.words import accuracy
from caldp_ui.words.glossary import terms
from caldp_ui.words.vocabulary import PLACES


def show(what: Shown) -> None:
    """The tabs, and the open one."""
    tabs(SLOT.key("tabs"), _TABS, what)


def _promise(what: Shown) -> None:
    promises.shield(PLACES, what.setup)
    promises.not_promised(PLACES, what.setup)
    dataset = what.setup.dataset
    st.caption(f"Data: **{as_text(dataset.name)}**. {as_text(dataset.note)}")


def _curves(what: Shown) -> None:
    error_curves.section(SLOT, _AGAINST, what)
    terms("sampling error", "estimator")


def _relief(what: Shown) -> None:
    results = {"Plain LDP": what.plain, "This protection": what.ours}
    view.show(SLOT, what.setup, runs.map_of(what.setup.dataset), results)


def _numbers(what: Shown) -> None:
    numbers.section(SLOT, what)
    methods.table(what.setup)


def _sharing(what: Shown) -> None:
    shown, beside = None, {}
    if what.ours is not None and what.plain is not None:
        beside = {sharing.PLAIN: what.plain.setup.scenario}
        off = accuracy.headline(PLACES, what.ours.first.errors.tv, what.plain.first.errors.tv)
        off = not_judged(what.setup) or off
        shown = Exhibit(what.ours, off, _pictures(what.ours, what.plain))
    sharing.section(SLOT, PLACES, shown, beside, sharing.by_the_maps)
    offer.page(SLOT, lambda record: take_home.part(record.scenario))


def _pictures(ours: Result, plain: Result) -> dict[str, bytes]:
    dataset = ours.setup.dataset
    shares = {
        "Truth": dataset.distribution,
        "Plain LDP": plain.first.estimate,
        "This protection": ours.first.estimate,
    }
    domain = runs.map_of(dataset)
    return pictures.maps(shares, domain, home(domain), ours.setup.n)


_AGAINST: Final = (
    error_curves.EPSILON,
    error_curves.PEOPLE,
    error_curves.BLOCKS,
    error_curves.SENSITIVE,
)
_TABS: Final[dict[str, Callable[[Shown], None]]] = {
    "What is promised": _promise,
    "Error curves": _curves,
    "Cell size": cells.section,
    "Relief": _relief,
    "Public prior": prior.section,
    "Numbers": _numbers,
    "Share and export": _sharing,
}
