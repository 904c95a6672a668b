"""What every page owes its reader: a default, ready settings, an answer to bad links, a way back.

| page | default | ready settings, each with its link | bad links | back |
|---|---|---|---|---|
| places, values, yesno, distances, personal | here | the menu | here | here |
| curves | here | ready comparisons | here | here |
| plan | here | published deployments | here | here |
| paper | here | the results | here | here |
| results | here | an example: `test_results.py` | here | here |
| start | here | cards: `test_app_around.py` | it opens the map: `test_app_around.py` | here |

What a page shows of a record is held against the core in the page's own file; a real browser's step
back is in `browser/test_links.py`. Adversary, matrix, classroom and room have files of their own.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from caldp_core.basics.errors import CaldpError
from caldp_core.scenarios.policies import BinaryQuestion
from caldp_ui.app import navigation
from caldp_ui.curves.slot import SLOT as CURVES
from caldp_ui.distances.slot import SLOT as DISTANCES
from caldp_ui.maps.presets import BEGIN as MAP
from caldp_ui.paper.slot import SLOT as PAPER
from caldp_ui.paper.slot import VIEWS
from caldp_ui.personal.slot import SLOT as PERSONAL
from caldp_ui.places.slot import SLOT as PLACES
from caldp_ui.plan.slot import SLOT as PLAN
from caldp_ui.results.slot import SLOT as RESULTS
from caldp_ui.session import links
from caldp_ui.session.slot import Slot
from caldp_ui.start.slot import SLOT as START
from caldp_ui.values.slot import SLOT as VALUES
from caldp_ui.yesno.slot import BEGIN as QUESTION
from caldp_ui.yesno.slot import SLOT as YES_OR_NO
from tests.contract.checks import naming
from tests.ui.driver import checked, jobs_done, leave, open_page, query_of

Query = dict[str, str]
Acts = Iterator[AppTest]
"""The page after one act and another: each is done once it is asked for."""


def by_menu(at: AppTest, key: str) -> Acts:
    """Each title of a menu is chosen."""
    for title in at.selectbox(key=key).options:
        yield at.selectbox(key=key).set_value(title).run()


def by_views(at: AppTest, key: str) -> Acts:
    """Each of the paper's results is chosen."""
    for view in VIEWS:
        row: Any = next(each for each in at.get("button_group") if each.key == key)
        yield row.set_value(view).run()


def by_deployments(at: AppTest, key: str) -> Acts:
    """Each button of the planner's tab of deployments is pressed; its key begins so."""
    at.session_state["plan-tabs"] = "What others' ε would mean here"
    jobs_done(at.run())  # they stand under what a job finds
    for name in [each.key for each in at.button if each.key and each.key.startswith(key)]:
        yield jobs_done(at).button(key=name).click().run()


@dataclass(frozen=True)
class Page:
    """A page: its file, its slot, how its ready settings are chosen, and links that are none."""

    path: str
    slot: Slot[Any]
    bad: tuple[Query, ...] = ()
    ready: tuple[Callable[[AppTest, str], Acts], str] | None = None


V2 = {"v": "2"}
CROW: Query = {**V2, "policy": "crow-flies"}
TAGS: Query = {**V2, "policy": "personal-tags"}
ZIPF: Query = {"dataset": "zipf", "n": "1000"}
PAGES = {
    "results": Page(navigation.RESULTS, RESULTS, ({"level": "0.3"}, {"times": "4"})),
    "start": Page(navigation.START, START),
    "places": Page(
        navigation.PLACES,
        PLACES,
        ({**V2, "epsilon": "21"}, {**V2, "policy": "distance"}),
        (by_menu, "places-preset"),
    ),
    "values": Page(
        navigation.VALUES,
        VALUES,
        (
            {**V2, "dataset": "gowalla"},
            {**V2, "dataset": "survey", "dataset.table": "wages"},
            {**V2, "dataset": "survey", "blocks": "one", "sensitive": "symbols",
             "sensitive.runs": "0-10"},
            {**V2, "dataset": "survey", "policy": "crow-flies"},
            {**V2, "dataset": "zipf", "dataset.k": "3000", "n": "10", "blocks": "one"},
        ),
        (by_menu, "values-preset"),
    ),
    "yesno": Page(
        navigation.YES_OR_NO,
        YES_OR_NO,
        (
            {**V2, "blocks": "states"},
            # Nothing can be learned from it.
            replace(QUESTION, policy=BinaryQuestion(0.0, 1.0)).to_query(),
        ),
        (by_menu, "yesno-preset"),
    ),
    "distances": Page(
        navigation.DISTANCES,
        DISTANCES,
        (
            {"place": "434"},
            {"show": "nobody"},
            {"beside": "nothing"},
            {**V2, "epsilon": "1"},
            {**CROW, "km": "0.001"},
            {**CROW, **ZIPF},
        ),
        (by_menu, "distances-preset"),
    ),
    "personal": Page(
        navigation.PERSONAL,
        PERSONAL,
        (
            {**V2, "epsilon": "1"},
            {**TAGS, "shares": "0.7;0.7"},
            {**TAGS, "shares": "0.1;0.1;0.1;0.1;0.1"},
            {**TAGS, "background": "my guess"},
            {**TAGS, "estimator": "maximum-likelihood"},
            {**TAGS, **ZIPF},
        ),
        (by_menu, "personal-preset"),
    ),
    "curves": Page(
        navigation.CURVES,
        CURVES,
        ({"against": "time"}, {"methods": "magic"}, {"protections": ""}, {**V2, "n": "0"}),
        (by_menu, "curves-preset"),
    ),
    "plan": Page(
        navigation.PLAN,
        PLAN,
        ({"goal": "fame"}, {"protection": "none"}, {"floor": "0"}, {"within": "x"},
         {"floor": "0.9"}),
        (by_deployments, "plan-use-"),
    ),
    "paper": Page(
        navigation.PAPER,
        PAPER,
        (
            {"view": "table-9"},
            {"runs": "many"},
            {"runs": "101"},
            {"levels": "1"},
            {"levels": "1;-2"},
            {"values": "7"},
            {"share": "1.5"},
            {"share": "some"},
            {**V2, **ZIPF, "blocks": "one"},
            {**V2, "mechanism": "binary"},
        ),
        (by_views, "paper-view"),
    ),
}  # fmt: skip
OTHER: dict[str, dict[str, Any]] = {
    "results": {"times": 30},
    "start": {"scenario": MAP.with_context(epsilon=4.0)},
    "paper": {"view": "figure-1"},
    "plan": {"protection": "plain"},
}
"""What else a page may show as quickly as its first; of the others, the same with other coins."""
WITH_READY = [name for name, page in PAGES.items() if page.ready]
WITH_LINKS = [name for name, page in PAGES.items() if page.bad]


def record_of(at: AppTest, page: Page) -> Any:
    return at.session_state[f"{page.slot.page}/slot"].record


def sentences(at: AppTest) -> list[str]:
    return [item.value for item in (*at.error, *at.warning)]


@pytest.mark.parametrize("name", PAGES)
def test_a_page_opens_with_its_default_and_leads_back_to_it(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    page = PAGES[name]
    at = open_page(page.path, {})
    fresh = page.slot.codec.fresh()
    assert (record_of(at, page), query_of(at), sentences(at)) == (fresh, {}, [])
    other = replace(fresh, **(OTHER.get(name) or {"scenario": replace(fresh.scenario, seed=7)}))
    query = page.slot.codec.write(other)
    for key, text in query.items():
        at.query_params[key] = text
    monkeypatch.setattr(links, "stepped", lambda: True)  # as after a step of the browser
    checked(at.run())
    assert (record_of(at, page), query_of(at), sentences(at)) == (other, query, [])
    at.query_params.clear()
    checked(at.run())
    assert (record_of(at, page), query_of(at), sentences(at)) == (fresh, {}, [])
    leave(at)


@pytest.mark.parametrize("name", WITH_READY)
def test_every_ready_setting_is_shown_and_has_a_link_of_its_own(name: str) -> None:
    page = PAGES[name]
    assert page.ready is not None
    ways, key = page.ready
    at, seen = open_page(page.path, {}), []
    for after in ways(at, key):
        shown, query = record_of(checked(after), page), query_of(at)
        with naming(str(query)):
            assert sentences(at) == []
            assert page.slot.codec.read(query) == shown
            seen.append(query)
    assert len({str(query) for query in seen}) > 2
    last = record_of(at, page)
    leave(at)
    again = open_page(page.path, query_of(at))
    assert (record_of(again, page), sentences(again)) == (last, [])
    leave(again)


@pytest.mark.parametrize("name", WITH_LINKS)
def test_a_link_that_is_none_is_told_in_one_sentence_and_the_page_starts_afresh(name: str) -> None:
    page = PAGES[name]
    codec = page.slot.codec
    for query in page.bad:
        with naming(str(query)):
            assert codec.strangers(query) == []
            with pytest.raises(CaldpError) as refused:
                codec.check(codec.read(query))
            assert len(str(refused.value)) < 600
    at = open_page(page.path, page.bad[0])
    (told,) = sentences(at)
    assert "starts afresh" in told
    assert (record_of(at, page), query_of(at)) == (codec.fresh(), {})
    leave(at)
