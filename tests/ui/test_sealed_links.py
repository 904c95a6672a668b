"""Links that were cut, changed or passed on: what was sent, or the page says that it is not.

Ready settings of each page go through the same in `test_page_contract.py`.
"""

from dataclasses import replace
from urllib.parse import urlencode

import pytest

from caldp_core.scenarios.blocks import StateBlocks
from caldp_ui.maps.presets import BEGIN
from caldp_ui.places.page_state import LINK, STATE, PlacesState
from caldp_ui.session.links import CHECK, seal
from caldp_ui.session.page_state import PINNED, PinPageState
from tests.ui.driver import checked, open_app, open_page, query_of, record_of
from tests.ui.link_harm import assert_none_opens_otherwise, opened
from tests.ui.pages import PAGES

SENT = PlacesState(BEGIN.with_context(blocks=StateBlocks(), epsilon=2.0))
QUERY = LINK.write(SENT)
LINK_SENT = urlencode(seal("places", QUERY))


@pytest.mark.parametrize("every", [5, pytest.param(1, marks=pytest.mark.thorough)])
@pytest.mark.parametrize("name", PAGES)
def test_no_page_shows_anything_but_what_was_sent_without_saying_so(name: str, every: int) -> None:
    page = PAGES[name]
    fresh = page.state.codec.fresh()
    changed = page.other or {"scenario": replace(fresh.scenario, seed=7)}
    query = page.state.codec.write(replace(fresh, **changed))
    if isinstance(page.state, PinPageState):
        query[PINNED] = urlencode(query)
    assert_none_opens_otherwise(page.state, query, every)


def test_a_link_without_a_check_opens_as_before_and_what_is_wrong_with_it_is_said() -> None:
    for link, fault in (
        ("v=2&blocks=states&epsilon=2", ""),
        ("v=2&amp;blocks=states&amp;epsilon=2", ""),
        ("v=2&amp;amp;blocks=states&amp;amp;epsilon=2.", ""),
        ("v%3D2%26blocks%3Dstates%26epsilon%3D2", ""),
        ("v=2&blocks=states&epsilon=2&source=mail", "not know 'source'"),
        ("v=2&blocks=states&epsilon=2&epsilon=8", "says 'epsilon' twice. The page shows the rest."),
        ("v=2&blocks=states&epsilon=2&epsilon=2", ""),
        ("v=2&blocks=states&epsi", "not know 'epsi' in the link. The page shows the rest."),
        ("v=2&blocks=stat", "The page starts afresh."),
    ):
        received = opened(STATE, link)
        assert fault in received.fault, link
        assert bool(fault) == bool(received.fault), link
        assert fault or received.record == SENT, link


def test_a_link_of_another_page_is_not_taken_for_one_of_this() -> None:
    assert opened(STATE, LINK_SENT).fault == ""
    assert "changed on its way" in opened(PAGES["curves"].state, LINK_SENT).fault


def test_what_the_address_bar_and_a_shared_link_hold_has_a_check() -> None:
    at = open_app(QUERY)
    assert query_of(at) == QUERY
    checked(at.select_slider(key="places-epsilon").set_value(4.0).run())
    now = {**QUERY, "epsilon": "4"}
    held = {key: "".join(text) for key, text in at.query_params.items()}
    assert held == seal("places", now)
    assert next(iter(held)) == CHECK, "of a link that is cut it must be left"
    at.session_state["places-tabs"] = "Share and export"
    checked(at.run())
    (shared,) = [code.value for code in at.code if code.value.startswith("http")]
    assert shared.endswith(f"places?{urlencode(seal('places', now))}")


def test_a_whole_link_of_an_old_address_opens_the_map_and_a_cut_one_says_so() -> None:
    """Links without a page's name are the map's; the first page shows no protection of them."""
    at = open_page("", seal("places", QUERY))
    assert record_of(at) == SENT
    assert not at.error
    cut = open_page("", {**seal("places", QUERY), "epsilon": "8"})
    (error,) = cut.error
    assert "cut or changed" in error.value
    (error,) = open_page("", {"check": "01"}).error
    assert "cut or changed" in error.value
