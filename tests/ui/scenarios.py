"""Small maps, lessons at the ends of ranges, damaged links, and scenarios of all kinds."""

import html
import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Any
from urllib.parse import parse_qsl, quote, urlencode

import numpy as np

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
from caldp_core.scenarios.scenario import Scenario
from caldp_ui.classroom.page import STATIONS
from caldp_ui.classroom.page_state import Lesson
from caldp_ui.session.links import Received, seal, understand
from caldp_ui.session.page_state import PageState

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
    "estimator": replace(BASE, estimator="clip"),
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


Query = dict[str, str]


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
