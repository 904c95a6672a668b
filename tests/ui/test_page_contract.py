"""What every page owes its reader, for each that is in the menu: `pages.PAGES` has them all.

A default without a word of warning, and a way back to it; a link that opens what it was made from;
one sentence for a link that is none; tabs that can all be drawn; ready settings with links of their
own; what was set stays while other pages are looked at; and who pins keeps the pin beside what is
tried, and in the link.

What a page shows of a record is held against the core in the page's own file; cards of the first
page in `test_app_around.py`; a real browser's step back in `browser/test_links.py`.
"""

from dataclasses import replace
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from caldp_core.basics.errors import CaldpError
from caldp_core.experiments.run import prepare, run
from caldp_core.scenarios.scenario import Scenario
from caldp_ui.app import navigation
from caldp_ui.session import links
from caldp_ui.session.page_state import PinPageState
from caldp_ui.words import formats
from tests.contract.checks import naming
from tests.ui.driver import (
    checked,
    container,
    go,
    leave,
    open_every_tab,
    open_page,
    open_record,
    page_record,
    pictures,
    query_of,
    unpin,
)
from tests.ui.link_harm import assert_none_opens_otherwise
from tests.ui.pages import PAGES, Page

WITH_READY = [name for name, page in PAGES.items() if page.ready]
PINNING = [name for name, page in PAGES.items() if isinstance(page.state, PinPageState)]
WITH_TABS = ("places", "values", "yesno", "distances", "personal", "coarser", "matrix", "room")
WITH_PINNED_MAPS = ("distances", "personal")
"""Pages whose pinned maps are those that the page drew before."""
SAFE = "Is this ε safe?"
"""The question that stands beside every ε."""
ERROR = "total variation (TV)"


def pinned_record(at: AppTest, page: Page) -> Any:
    return at.session_state[f"{page.state.page}/pinned"]


def sentences(at: AppTest) -> list[str]:
    return [item.value for item in (*at.error, *at.warning)]


def move_slider(at: AppTest, page: Page) -> AppTest:
    """The page after its slider has been moved."""
    assert page.slider is not None
    name, value = page.slider
    return checked(at.select_slider(key=page.state.key(name)).set_value(value).run())


def test_every_page_of_the_menu_is_held_to_it() -> None:
    assert {page.path for page in PAGES.values()} == {entry.path for entry in navigation.PAGES}
    assert {name for name, page in PAGES.items() if page.state.page != name} == set()
    assert [name for name in PINNING if PAGES[name].slider is None] == []


@pytest.mark.parametrize("name", PAGES)
def test_a_page_opens_with_its_default_and_leads_back_to_it(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    page = PAGES[name]
    at = open_record(page.state)
    fresh = page.state.codec.fresh()
    assert (page_record(at, page.state), query_of(at), sentences(at)) == (fresh, {}, [])
    asks = any(each.label == SAFE for each in at.button)
    assert asks == any("ε" in each.label for each in at.select_slider) or name == "classroom"
    changed = page.other or {"scenario": replace(fresh.scenario, seed=7)}
    other = replace(fresh, **changed)
    query = page.state.codec.write(other)
    for key, text in query.items():
        at.query_params[key] = text
    monkeypatch.setattr(
        links, "is_history_navigation", lambda: True
    )  # as after a step of the browser
    checked(at.run())
    assert (page_record(at, page.state), query_of(at), sentences(at)) == (other, query, [])
    at.query_params.clear()
    checked(at.run())
    assert (page_record(at, page.state), query_of(at), sentences(at)) == (fresh, {}, [])


SLOW_READY = ("plan", "paper")
"""Their ready settings take trials."""


@pytest.mark.parametrize("name", WITH_TABS)
def test_every_tab_of_a_page_is_drawn(name: str) -> None:
    state = PAGES[name].state
    open_every_tab(open_record(state), state.key("tabs"))


@pytest.mark.parametrize(
    "name",
    [pytest.param(n, marks=pytest.mark.thorough if n in SLOW_READY else ()) for n in WITH_READY],
)
def test_every_ready_setting_is_shown_and_has_a_link_of_its_own(name: str) -> None:
    page = PAGES[name]
    assert page.ready is not None
    ways, key = page.ready
    at, queries = open_record(page.state), []
    for after in ways(at, key):
        record, query = page_record(checked(after), page.state), query_of(at)
        with naming(str(query)):
            assert sentences(at) == []
            assert page.state.codec.read(query) == record
            queries.append(query)
    assert len({str(query) for query in queries}) > 2
    for query in filter(None, queries):
        assert_none_opens_otherwise(page.state, query, every=41)
    last = page_record(at, page.state)
    leave(at)
    again = open_page(page.path, query_of(at))
    assert (page_record(again, page.state), sentences(again)) == (last, [])


@pytest.mark.parametrize("name", PAGES)
def test_a_link_that_is_none_is_told_in_one_sentence_and_the_page_starts_afresh(name: str) -> None:
    page = PAGES[name]
    codec = page.state.codec
    for query in page.bad:
        with naming(str(query)):
            assert codec.unknown_keys(query) == []
            with pytest.raises(CaldpError) as refused:
                codec.check(codec.read(query))
            assert len(str(refused.value)) < 600
    if page.path == navigation.START:
        return  # it opens the map with it: `test_app_around.py`
    at = open_page(page.path, page.bad[0])
    (sentence,) = sentences(at)
    assert "starts afresh" in sentence
    assert (page_record(at, page.state), query_of(at)) == (codec.fresh(), {})


def test_every_page_keeps_what_was_set_on_it() -> None:
    at, set_to = open_page(""), {}
    for name, page in PAGES.items():
        go(at, page.path)
        if page.slider:
            before = query_of(at)
            assert query_of(move_slider(at, page)) != before, name
        set_to[name] = query_of(at)
        leave(at)  # what it computes beside is not what is asked here
    assert sum(page.slider is not None for page in PAGES.values()) > len(PAGES) // 2
    for name, query in set_to.items():
        assert query_of(go(at, PAGES[name].path)) == query, name
        leave(at)


def tables(at: AppTest, page: Page) -> list[Any]:
    """Of what is pinned beside what is shown; curves have none, as they are the numbers."""
    beside = container(at, page.state.key("pinned"))
    return list(beside.table) if beside else []


def error_of(scenario: Scenario) -> str:
    """As pages say it, by a run of the core."""
    return formats.share(run(prepare(scenario)).first.errors.tv)


@pytest.mark.parametrize("name", PINNING)
def test_a_pin_stays_beside_what_is_tried_and_in_the_link(name: str) -> None:
    page = PAGES[name]
    at = open_record(page.state)
    first = page_record(at, page.state)
    assert not tables(at, page)
    checked(at.button(key=f"{name}-pin").click().run())
    now = page_record(move_slider(at, page), page.state)
    assert now != first
    assert pinned_record(at, page) == first
    assert len(tables(at, page)) == (name != "curves")
    for table in tables(at, page):
        assert "reports" not in table.value.index, "the same in both"
        if ERROR in table.value.index:
            errors = [error_of(now.scenario), error_of(first.scenario)]
            assert list(table.value.loc[ERROR]) == errors
    again = open_page(page.path, query_of(at))
    assert (page_record(again, page.state), pinned_record(again, page)) == (now, first)
    if name in WITH_PINNED_MAPS:
        drawn, kept = pictures(again, f"{name}-maps"), pictures(again, f"{name}-pinned-maps")
        assert drawn["truth"] == kept["truth"]
        assert kept == pictures(open_record(page.state), f"{name}-maps") != drawn
    go(at, navigation.START)
    go(at, page.path)
    assert pinned_record(at, page) == first
    unpin(at, name)
    assert "pinned" not in query_of(at)
    assert not tables(at, page)
