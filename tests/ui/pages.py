"""Every page of the menu, by what the contract of pages needs to know of it: `PAGES`.

A page more is one entry here; `test_page_contract.py` holds it to what every page owes its reader.

Below: small maps, lessons at the ends of ranges, damaged links, and scenarios of all kinds.
"""

import html
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any
from urllib.parse import parse_qsl, quote, urlencode

import numpy as np
from streamlit.testing.v1 import AppTest

from caldp_core.basics.types import Floats
from caldp_core.datasets import Cities, Dataset
from caldp_core.domain.domains import GridDomain
from caldp_core.experiments.run import Setup, prepare
from caldp_core.mechanisms.catalogue import Hadamard, RandomizedResponse
from caldp_core.scenarios.blocks import (
    AdaptiveBlocks,
    BlocksSpec,
    DrawnBlocks,
    EverythingSensitive,
    GridBlocks,
    OneBlock,
    SensitiveAreas,
    SensitiveInhabited,
    SensitiveSpec,
    StateBlocks,
)
from caldp_core.scenarios.policies import BinaryQuestion
from caldp_core.scenarios.scenario import Scenario
from caldp_ui.adversary.page_state import STATE as ADVERSARY
from caldp_ui.app import navigation
from caldp_ui.classroom.page import STATIONS
from caldp_ui.classroom.page_state import STATE as CLASSROOM
from caldp_ui.classroom.page_state import Lesson
from caldp_ui.coarser.page_state import STATE as COARSER
from caldp_ui.curves.page_state import STATE as CURVES
from caldp_ui.desk.page_state import STATE as DESK
from caldp_ui.distances.page_state import STATE as DISTANCES
from caldp_ui.matrix.page_state import DESIGNED
from caldp_ui.matrix.page_state import STATE as MATRIX
from caldp_ui.paper.page_state import STATE as PAPER
from caldp_ui.paper.page_state import VIEWS
from caldp_ui.personal.page_state import STATE as PERSONAL
from caldp_ui.places.page_state import STATE as PLACES
from caldp_ui.plan.page_state import STATE as PLAN
from caldp_ui.results.page_state import STATE as RESULTS
from caldp_ui.room.page_state import STATE as ROOM
from caldp_ui.session.links import Received, seal, understand
from caldp_ui.session.page_state import PageState
from caldp_ui.start.page_state import STATE as START
from caldp_ui.values.page_state import STATE as VALUES
from caldp_ui.yesno.page_state import BEGIN as QUESTION
from caldp_ui.yesno.page_state import STATE as YES_OR_NO
from tests.conftest import THOROUGH
from tests.ui.driver import jobs_done

Query = dict[str, str]
Acts = Iterator[AppTest]
"""The page after one act and another: each is done once it is asked for."""


def by_menu(at: AppTest, key: str) -> Acts:
    """Each title of a menu is chosen; by day the first and the last two."""
    titles = at.selectbox(key=key).options
    for title in titles if THOROUGH else [titles[0], *titles[-2:]]:
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
        ({"size": "1x1"}, {"eps": "3"}),
        {"size": "33x53", "epsilon": 4.0},
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
            {
                **V2,
                "dataset": "survey",
                "blocks": "one",
                "sensitive": "symbols",
                "sensitive.runs": "0-10",
            },
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
        (
            {"goal": "fame"},
            {"protection": "none"},
            {"floor": "0"},
            {"within": "x"},
            {"floor": "0.9"},
        ),
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
    "desk": Page(
        navigation.DESK,
        DESK,
        ({"step": "6"}, {"step": "-1"}, {"step": "last"}),
        {"step": 3},
    ),
    "results": Page(
        navigation.RESULTS,
        RESULTS,
        ({"level": "0.3"}, {"level": "sure"}, {"times": "4"}),
        {"times": 30},
    ),
}


BASE = Scenario(n=100_000)
VARIED: dict[str, Scenario] = {
    "base": BASE,
    "the data": replace(BASE, n=None),
    "cities": replace(BASE, dataset=Cities()),
    "other cities": replace(BASE, dataset=Cities(cities=7, spread_km=60.0)),
    "one block": BASE.with_context(blocks=OneBlock()),
    "coarse": BASE.with_context(blocks=GridBlocks(5, 7)),
    "states": BASE.with_context(blocks=StateBlocks()),
    "adaptive": BASE.with_context(blocks=AdaptiveBlocks(100)),
    "drawn": BASE.with_context(blocks=DrawnBlocks(("40,41,-75,-73", "33,34.2,-119,-117"))),
    "areas": BASE.with_context(sensitive=SensitiveAreas(("+40,41,-75,-73", "-b40,40.2,-74,-73.8"))),
    "nothing": BASE.with_context(sensitive=SensitiveAreas(())),
    "inhabited": BASE.with_context(sensitive=SensitiveInhabited(1, 2000)),
    "epsilon": BASE.with_context(epsilon=0.25),
    "epsilons": BASE.with_context(blocks=GridBlocks(1, 2), epsilon=(0.5, 3.0)),
    "family": replace(BASE, mechanism=RandomizedResponse()),
    "estimator": replace(BASE, estimator="significance-threshold"),
    "seed": replace(BASE, seed=2**32 - 1),
}


SMALL = GridDomain(south=10.0, west=-20.0, cell=1.0, rows=4, columns=6)
_COUNTS = np.arange(1, SMALL.k + 1)
DATASET = Dataset("24 cells", "Made for tests.", SMALL, _COUNTS / _COUNTS.sum(), _COUNTS)
CORNER = SensitiveAreas(("+10,12,-20,-18",))

CONTEXTS: dict[str, tuple[BlocksSpec, SensitiveSpec]] = {
    "plain LDP": (OneBlock(), EverythingSensitive()),
    "blocks": (GridBlocks(2, 3), EverythingSensitive()),
    "drawn blocks": (DrawnBlocks(("10,12,-20,-18",)), EverythingSensitive()),
    "sensitive corner": (OneBlock(), CORNER),
    "blocks and corner": (GridBlocks(2, 2), CORNER),
    "blocks of one cell": (GridBlocks(4, 6), EverythingSensitive()),
    "some blocks of one cell": (DrawnBlocks(("10,11,-20,-19",)), EverythingSensitive()),
    "nothing": (OneBlock(), SensitiveAreas(())),
}


def setup_of(name: str, epsilon: float = 1.0) -> Setup:
    blocks, sensitive = CONTEXTS[name]
    short = Scenario(mechanism=Hadamard())  # its channel is small enough to be written out
    scenario = short.with_context(blocks=blocks, sensitive=sensitive, epsilon=epsilon)
    return prepare(scenario, load=lambda s, p: DATASET)


def channel_of(setup: Setup) -> Floats:
    """(k, outputs) exact probabilities as floats."""
    rows = setup.mechanism.exact_channel()
    return np.array([[float(entry) for entry in row] for row in rows])


ENDS = [
    Lesson("trust", n=1),
    Lesson("trust", 0.1, 10**9, broken=True, seed=5),
    Lesson("sum", 10.0, 10),
    Lesson("selection", 0.1, 10, items=1024),
    Lesson("rappor", 10.0, days=60, values=5, broken=True),
    Lesson("rappor", 0.1, 1, view="crowd"),
    Lesson("bits", 10.0, 10**9, broken=True, items=4),
    Lesson("means", 0.1, 1, width=240),
    Lesson("shuffling", 10.0, 10, broken=True, blocks=10_000),
]


def read_headline(lesson: Lesson) -> str:
    """What the page's headline says of a lesson, both lines."""
    headline = STATIONS[lesson.station].open(lesson).headline
    return f"{headline.sentence} {headline.second}"


def number(text: str) -> float:
    """The first number of a text, such as 7.5 of "7.5 %"; 0 where there is none."""
    match = re.search(r"[0-9](?:[0-9,.]*[0-9])?", text)
    return float(match[0].replace(",", "")) if match else 0.0


def opened(state: PageState[Any], link: str) -> Received[Any]:
    """What the page makes of the query of an address, as Streamlit reads it."""
    pairs = parse_qsl(link, keep_blank_values=True)
    return understand(state.codec, state.page, pairs, state.other_keys)


def cuts(link: str) -> Iterator[str]:
    """The link cut at every position; without any sign of it, it is the page's own address."""
    yield from (link[:end] for end in range(1, len(link)))


def changes(link: str) -> Iterator[str]:
    """The link without one of its pairs, with one twice, with one sign more, less or another."""
    pairs = parse_qsl(link, keep_blank_values=True)
    for at in range(len(pairs)):
        if at:  # without its check it is a link of before there were any
            yield urlencode([*pairs[:at], *pairs[at + 1 :]])
        yield urlencode([*pairs, (pairs[at][0], f"{pairs[at][1]}1")])
    for at, sign in enumerate(link):
        yield link[:at] + link[at + 1 :]
        yield link[:at] + ("7" if sign != "7" else "8") + link[at + 1 :]
        yield f"{link[:at]}0{link[at:]}"


def repairable(link: str) -> Iterator[str]:
    """The link as programs and people pass it on that change nothing of what it says."""
    yield link
    yield html.escape(link)
    yield html.escape(html.escape(link))
    yield quote(link)
    yield "&".join(
        f"{quote(key)}={quote(quote(text))}"
        for key, text in parse_qsl(link, keep_blank_values=True)
    )
    yield from (f"{link}{mark}" for mark in (".", ",", ")", "%3E", "%22.", "!"))
    yield f"{html.escape(link)}."
    yield f"{link}&utm_source=mail&source=lms"
    yield "&".join(reversed(link.split("&")))


def assert_none_opens_otherwise(state: PageState[Any], query: Query, every: int = 1) -> None:
    """However a link of a page comes, it opens what was sent, or the page says that it is not."""
    link = urlencode(seal(state.page, query))
    record = opened(state, link).record
    for whole in repairable(link):
        received = opened(state, whole)
        assert (received.fault, received.texts, received.record) == ("", query, record), whole
    for cut in [*cuts(link)][::every]:
        assert opened(state, cut).fault, cut
    for changed in [*changes(link)][::every]:
        received = opened(state, changed)
        assert received.fault or (received.texts, received.record) == (query, record), changed
