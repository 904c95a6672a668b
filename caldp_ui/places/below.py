"""Under the maps: what is promised, error curves, numbers, and what can be taken along.

Room: places. Only the tab that is open is drawn, in a fragment: going from tab to tab leaves the
maps alone.
"""

from collections.abc import Callable
from dataclasses import replace
from typing import Final

import streamlit as st

from caldp_ui.app import addresses
from caldp_ui.app.errors import as_text
from caldp_ui.compute import runs
from caldp_ui.parts import (
    error_curves,
    hand_on,
    methods,
    numbers,
    pictures,
    promises,
    repetition,
)
from caldp_ui.parts.comparison import Shown
from caldp_ui.parts.record import Exhibit
from caldp_ui.parts.tabs import tabs
from caldp_ui.places.ground import home
from caldp_ui.places.slot import SLOT
from caldp_ui.session import jobs
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
    st.caption(f"Data: **{dataset.name}**. {as_text(dataset.note)}")


def _curves(what: Shown) -> None:
    if what.ours is None or what.plain is None:
        st.info("The curves come once both pictures are there.")
        return
    error_curves.section(SLOT.key("curve-against"), _AGAINST, what.ours, what.plain)
    repetition.section(SLOT.key("repetition"), what.ours, what.plain)
    terms("sampling error", "estimator")


def _numbers(what: Shown) -> None:
    there = {"this protection": what.ours, "plain LDP": what.plain}
    results = {title: result for title, result in there.items() if result is not None}
    pair = what.setup.scenario, what.plain_setup.scenario
    expected = jobs.started(
        SLOT.key("foreseen"),
        runs.key(replace(pair[0], seed=0)),
        lambda progress: numbers.foreseen(*pair, progress),
        lambda job: f"What to expect, by repeated trials: {job.seconds:.0f} s so far",
    )
    numbers.table(results, expected)
    if what.ours is not None:
        numbers.sampling(what.ours.first.errors, what.setup.scenario.n is not None)
        if expected is not None:
            numbers.plain_needs(what.ours, expected)
    methods.table(what.setup)


def _hand_on(what: Shown) -> None:
    left, right = st.columns(2, gap="large")
    query = SLOT.codec.write(SLOT.now())
    with left:
        hand_on.link(query)
    if what.ours is None or what.plain is None:
        st.info("Files and the record come once both pictures are there.")
        return
    with left:
        st.caption("The button with the arrow on the maps saves them as a picture.")
    with right:
        off = accuracy.headline(PLACES, what.ours.first.errors.tv, what.plain.first.errors.tv)
        shown = Exhibit(what.ours, off, _pictures(what), addresses.here(query))
        hand_on.record_page(SLOT, PLACES, shown)
        hand_on.files(SLOT, what.ours, {hand_on.PLAIN: what.plain.setup.scenario})
        hand_on.code(what.ours)


def _pictures(what: Shown) -> dict[str, bytes]:
    domain = runs.map_of(what.setup.dataset)
    shares = {"Truth": what.setup.dataset.distribution}
    for title, result in (("Plain LDP", what.plain), ("This protection", what.ours)):
        if result is not None:
            shares[title] = result.first.estimate
    return pictures.maps(shares, domain, home(domain), what.setup.n)


_AGAINST: Final = (
    error_curves.EPSILON,
    error_curves.PEOPLE,
    error_curves.BLOCKS,
    error_curves.SENSITIVE,
)
_TABS: Final[dict[str, Callable[[Shown], None]]] = {
    "What is promised": _promise,
    "Error curves": _curves,
    "Numbers": _numbers,
    "Hand it on": _hand_on,
}
