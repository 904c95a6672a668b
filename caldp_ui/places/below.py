"""Under the maps: what is promised, error curves, cell size, relief, prior, numbers and exports.

Only the tab that is open is drawn, in a fragment: going from tab to tab leaves the maps alone.
"""

from collections.abc import Callable
from typing import Final

import streamlit as st

from caldp_core.experiments.error_validity import invalid_error_reason
from caldp_core.experiments.run import Result
from caldp_ui.app.errors import escape_markdown
from caldp_ui.compute import runs
from caldp_ui.maps.ground import home
from caldp_ui.offline import offer
from caldp_ui.parts import comparison, error_curves, numbers, pictures, promises, sharing
from caldp_ui.parts.comparison import ComparisonData
from caldp_ui.parts.record import ReportContent
from caldp_ui.parts.tabs import tabs
from caldp_ui.places import cells, prior, take_home
from caldp_ui.places.page_state import STATE
from caldp_ui.relief import view
from caldp_ui.words import accuracy
from caldp_ui.words.glossary import terms
from caldp_ui.words.vocabulary import PLACES


def show(data: ComparisonData) -> None:
    """Draws the tabs and the content of the open one."""
    tabs(STATE.key("tabs"), _TABS, data)


def _promise(data: ComparisonData) -> None:
    promises.shield(PLACES, data.setup)
    promises.not_promised(PLACES, data.setup)
    dataset = data.setup.dataset
    st.caption(f"Data: **{escape_markdown(dataset.name)}**. {escape_markdown(dataset.note)}")


def _curves(data: ComparisonData) -> None:
    error_curves.section(STATE, _CURVE_CHOICES, data)
    terms("sampling error", "estimator")


def _relief(data: ComparisonData) -> None:
    results = {"Plain LDP": data.plain, "This protection": data.ours}
    view.show(STATE, data.setup, runs.map_of(data.setup.dataset), results)


def _numbers(data: ComparisonData) -> None:
    numbers.section(STATE, data)
    comparison.table(data.setup)


def _sharing(data: ComparisonData) -> None:
    content, other_scenarios = None, {}
    if data.ours is not None and data.plain is not None:
        other_scenarios = {sharing.PLAIN: data.plain.setup.scenario}
        sentence = accuracy.error_sentence(
            PLACES, data.ours.first.errors.tv, data.plain.first.errors.tv
        )
        sentence = invalid_error_reason(data.setup) or sentence
        domain = runs.map_of(data.setup.dataset)
        truth = pictures.true_map(data.setup, domain, home(domain))
        estimates = _pictures(data.ours, data.plain)
        content = ReportContent(data.ours, sentence, estimates, truth)
    sharing.section(STATE, PLACES, content, other_scenarios, sharing.show_map_save_hint)
    offer.offer_page(STATE, lambda record: take_home.part(record.scenario))


def _pictures(ours: Result, plain: Result) -> dict[str, bytes]:
    dataset = ours.setup.dataset
    shares = {
        "Plain LDP": plain.first.estimate,
        "This protection": ours.first.estimate,
    }
    domain = runs.map_of(dataset)
    return pictures.maps(shares, domain, home(domain), ours.setup.n)


_CURVE_CHOICES: Final = (
    error_curves.EPSILON,
    error_curves.PEOPLE,
    error_curves.BLOCKS,
    error_curves.SENSITIVE,
)
_TABS: Final[dict[str, Callable[[ComparisonData], None]]] = {
    "What is promised": _promise,
    "Error curves": _curves,
    "Cell size": cells.section,
    "Relief": _relief,
    "Public prior": prior.section,
    "Numbers": _numbers,
    "Share and export": _sharing,
}
