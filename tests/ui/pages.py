"""Every page of the menu, by what the contract of pages needs to know of it: `PAGES`.

A page more is one entry here; `test_page_contract.py` holds it to what every page owes its reader.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from streamlit.testing.v1 import AppTest

from caldp_core.scenarios.policies import BinaryQuestion
from caldp_ui.adversary.page_state import STATE as ADVERSARY
from caldp_ui.app import navigation
from caldp_ui.classroom.page_state import STATE as CLASSROOM
from caldp_ui.coarser.page_state import STATE as COARSER
from caldp_ui.curves.page_state import STATE as CURVES
from caldp_ui.distances.page_state import STATE as DISTANCES
from caldp_ui.maps.scene import BEGIN as MAP
from caldp_ui.matrix.page_state import DESIGNED
from caldp_ui.matrix.page_state import STATE as MATRIX
from caldp_ui.paper.page_state import STATE as PAPER
from caldp_ui.paper.page_state import VIEWS
from caldp_ui.personal.page_state import STATE as PERSONAL
from caldp_ui.places.page_state import STATE as PLACES
from caldp_ui.plan.page_state import STATE as PLAN
from caldp_ui.results.page_state import STATE as RESULTS
from caldp_ui.room.page_state import STATE as ROOM
from caldp_ui.session.page_state import PageState
from caldp_ui.start.page_state import STATE as START
from caldp_ui.values.page_state import STATE as VALUES
from caldp_ui.yesno.page_state import BEGIN as QUESTION
from caldp_ui.yesno.page_state import STATE as YES_OR_NO
from tests.ui.driver import jobs_done

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
    """A page: its file and state, and links that are none, the first of which is opened.

    `other`: fields of a record that is shown as quickly as the first; without, other coins.
    `ready`: how its ready settings are chosen, and by the widget with which key. `slider`: one of
    its sliders by name, with another value; who pins has one.
    """

    path: str
    state: PageState[Any]
    bad: tuple[Query, ...]
    other: Mapping[str, Any] = field(default_factory=dict)
    ready: tuple[Callable[[AppTest, str], Acts], str] | None = None
    slider: tuple[str, float] | None = None


V2 = {"v": "2"}
CROW: Query = {**V2, "policy": "crow-flies"}
TAGS: Query = {**V2, "policy": "personal-tags"}
ZIPF: Query = {"dataset": "zipf", "n": "1000"}
PAGES = {
    "start": Page(
        navigation.START,
        START,
        ({**V2, "epsilon": "21"},),
        {"scenario": MAP.with_context(epsilon=4.0)},
    ),
    "places": Page(
        navigation.PLACES,
        PLACES,
        ({**V2, "epsilon": "21"}, {**V2, "policy": "distance"}),
        ready=(by_menu, "places-preset"),
        slider=("epsilon", 4.0),
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
        ready=(by_menu, "values-preset"),
        slider=("epsilon", 4.0),
    ),
    "yesno": Page(
        navigation.YES_OR_NO,
        YES_OR_NO,
        (
            {**V2, "blocks": "states"},
            # Nothing can be learned from it.
            replace(QUESTION, policy=BinaryQuestion(0.0, 1.0)).to_query(),
        ),
        ready=(by_menu, "yesno-preset"),
        slider=("epsilon_10", 2.0),
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
        ready=(by_menu, "distances-preset"),
        slider=("rate", 0.05),
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
        ready=(by_menu, "personal-preset"),
        slider=("epsilon", 0.2),
    ),
    "curves": Page(
        navigation.CURVES,
        CURVES,
        ({"against": "time"}, {"methods": "magic"}, {"protections": ""}, {**V2, "n": "0"}),
        ready=(by_menu, "curves-preset"),
        slider=("epsilon", 4.0),
    ),
    "plan": Page(
        navigation.PLAN,
        PLAN,
        ({"goal": "fame"}, {"protection": "none"}, {"floor": "0"}, {"within": "x"},
         {"floor": "0.9"}),
        ready=(by_deployments, "plan-use-"),
        other={"protection": "plain"},
        slider=("epsilon", 4.0),
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
        ready=(by_views, "paper-view"),
        other={"view": "figure-1"},
    ),
    "adversary": Page(
        navigation.ADVERSARY,
        ADVERSARY,
        (
            {"place": "43750"},
            {"other": "43750"},
            {"days": "11"},
            {"days": "-1"},
            {"tenths": "51"},
            {"attack": "random-reports"},
            {"repair": "all"},
            {"show": "me"},
        ),
        ready=(by_menu, "adversary-preset"),
        slider=("epsilon", 4.0),
    ),
    "coarser": Page(
        navigation.COARSER,
        COARSER,
        (
            {"office": "burn"},
            {"threshold": "0"},
            {"base": "1"},
            {"moves": "9"},
            {"place": "43750"},
            {"period": "2"},
            {**V2, "policy": "distance"},
        ),
        slider=("epsilon", 4.0),
    ),
    "matrix": Page(
        navigation.MATRIX,
        MATRIX,
        (
            {"second": "x"},
            {"template": "x"},
            {"epsilon": "0"},
            {"epsilon": "x"},
            {"levels": "0,1;1,0"},
            {"names": "a|b", "levels": "0,1;1,2"},
            {"names": "a|b", "levels": "0,1"},
            {"names": "a|a", "levels": "0,1;1,0"},
            {"names": "|".join("abcdefghijklm"), "levels": "0"},
            {"pasted": "1" * 4001},
        ),
        {"channel": DESIGNED},
    ),
    "classroom": Page(
        navigation.CLASSROOM,
        CLASSROOM,
        (
            {"station": "nowhere"},
            {"epsilon": "11"},
            {"epsilon": "nan"},
            {"n": "0"},
            {"n": "1000000001"},
            {"n": "many"},
            {"items": "12"},
            {"items": "2048"},
            {"days": "61"},
            {"width": "7"},
            {"broken": "2"},
            {"blocks": "0"},
            {"view": "both"},
        ),
        {"epsilon": 2.0},
    ),
    "room": Page(
        navigation.ROOM,
        ROOM,
        (
            {"phones": "0"},
            {"epsilon": "x"},
            {"sensitive": "9"},
            {"sensitive": "a"},
            {"phones": "1e9"},
            {"answers": "a|" * 5000},
        ),
        {"phones": 40},
    ),
    "results": Page(
        navigation.RESULTS,
        RESULTS,
        ({"level": "0.3"}, {"level": "sure"}, {"times": "4"}),
        {"times": 30},
    ),
}  # fmt: skip
