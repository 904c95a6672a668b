"""Sizes are looked at before anything is built from them: 10⁵ entries anywhere, one sentence."""

import tracemalloc
from collections.abc import Callable, Iterator
from dataclasses import fields
from importlib import import_module
from typing import Any

import pytest

from caldp_core.basics.errors import SENTENCE_MAX, CaldpError
from caldp_core.datasets import read_places
from caldp_core.scenarios.scenario import SLOTS, Scenario
from caldp_ui.matrix import page_state
from caldp_ui.matrix.page import _lines
from caldp_ui.matrix.page_state import MatrixState
from tests.conftest import THOROUGH
from tests.contract.checks import naming
from tests.datasets.files import read_table

ENTRIES = 10**5
PEAK_MAX = 64 * 2**20
"""Bytes: some tens for each entry and each sign. k × k of them would be 10¹⁰."""
SLOTTED = (
    *("adversary", "classroom", "curves", "distances", "matrix", "paper", "places", "plan"),
    *("results", "room", "values"),
)
"""Pages with keys of their own in links, and the two whose scenarios are read here."""
LONG = {
    "nines": "9" * ENTRIES,
    "lines": "\n".join(map(str, range(ENTRIES))),
    **{f"a list by {mark}": mark.join(["1"] * ENTRIES) for mark in ",;|: "},
    "areas": ";".join(["+30,31,-90,-89"] * (ENTRIES // 10)),
    "rows": "|".join(["1;2"] * ENTRIES),
}


def _peak(read: Callable[[], object]) -> tuple[int, str]:
    """Most bytes that it held at once, and the sentence that it refused with, if it did."""
    tracemalloc.reset_peak()
    before, _ = tracemalloc.get_traced_memory()
    message = ""
    try:
        read()
    except CaldpError as error:
        message = str(error)
    return tracemalloc.get_traced_memory()[1] - before, message


@pytest.fixture(autouse=True)
def _traced() -> Iterator[None]:
    tracemalloc.start()
    yield
    tracemalloc.stop()


WITH_SCENARIO = ("places", "values")
"""Their keys are those of a scenario: all pages read one alike."""


def _keys(page: str, codec: Any) -> list[str]:
    """Keys that the codec knows: the page's own, and for some pages those of a scenario, too.

    All pages read a scenario alike; one with a map and one without check it.
    """
    own = {field.name for field in fields(codec.fresh())}
    if page not in WITH_SCENARIO:
        return [key for key in sorted(own) if not codec.unknown_keys({key: ""})]
    parts = [
        f"{slot}.{field.name}"
        for slot, (_, kinds) in SLOTS.items()
        for kind in kinds.values()
        for field in fields(kind)
    ]
    policy = [part.partition(".")[2] for part in parts]
    return [key for key in sorted({*own, *parts, *policy}) if not codec.unknown_keys({key: ""})]


@pytest.mark.parametrize(
    "page",
    [
        pytest.param(page, marks=pytest.mark.thorough if page in WITH_SCENARIO else ())
        for page in SLOTTED
    ],
)
def test_every_key_of_every_link(page: str) -> None:
    codec = import_module(f"caldp_ui.{page}.page_state").STATE.codec
    keys = _keys(page, codec)
    assert keys
    for number, key in enumerate(keys):
        name = list(LONG)[number % len(LONG)]
        text = LONG[name]
        query = {"v": "2", key: text} if not codec.unknown_keys({"v": "2"}) else {key: text}
        with naming(f"{key}: {name}"):
            peak, message = _peak(lambda query=query: codec.check(codec.read(query)))  # type: ignore[misc]
            assert peak <= PEAK_MAX
            assert len(message) <= SENTENCE_MAX


READERS: dict[str, Callable[[str], object]] = {
    "a table": read_table,
    "places": read_places,
    "a scenario": Scenario.from_json,
    "the matrix's names": lambda text: MatrixState().with_names(_lines(text)),
    "the matrix's channel": lambda text: page_state._pasted(text, 3),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", READERS)
def test_every_text_box_and_every_file(name: str) -> None:
    for kind, text in list(LONG.items())[:: 1 if THOROUGH else 3]:
        with naming(kind):
            peak, message = _peak(lambda text=text: READERS[name](text))  # type: ignore[misc]
            assert peak <= PEAK_MAX
            assert len(message) <= SENTENCE_MAX
