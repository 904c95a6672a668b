"""Links from anywhere, cut or changed: what they open, what is reported, every tab they lead to.

A step to an address or a page is made, whatever comes at the same moment.

Ready settings of each page go through the same in `test_page_contract.py`.

What a link opens depends only on the record that is read from it, so each record is walked once,
however many links open it: of 2,010 links some 230.

Sizes are looked at before anything is built from them: 10⁵ entries anywhere end in one sentence.
"""

import ast
import random
import tracemalloc
from collections.abc import Callable, Iterator
from dataclasses import fields, replace
from functools import cache
from importlib import import_module
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from urllib.parse import urlencode

import pytest
from streamlit.proto.ClientState_pb2 import ClientState
from streamlit.proto.WidgetStates_pb2 import WidgetStates
from streamlit.runtime.state import SafeSessionState
from streamlit.testing.v1 import AppTest

from caldp_core.basics.errors import SENTENCE_MAX, CaldpError
from caldp_core.datasets import Cities, read_places
from caldp_core.domain.domains import Area
from caldp_core.scenarios.blocks import OneBlock, StateBlocks
from caldp_core.scenarios.scenario import SLOTS, Scenario
from caldp_ui.app import navigation
from caldp_ui.compute.runs import PEOPLE_OF_SYNTHETIC
from caldp_ui.lesson.steps import TO_OPEN
from caldp_ui.maps.scene import BEGIN
from caldp_ui.matrix import page_state
from caldp_ui.matrix.page_state import MatrixState
from caldp_ui.places.page_state import LINK, STATE, PlacesState
from caldp_ui.room.page_state import DraftLink
from caldp_ui.server import messages
from caldp_ui.server.messages import VisitState
from caldp_ui.session.links import CHECK, Received, lines, seal, understand
from caldp_ui.session.page_state import PINNED, PinPageState
from caldp_ui.stage.component import LOOK_KEY, VIEW_KEY
from caldp_ui.values.page_state import STATE as VALUES_STATE
from tests import ROOT
from tests.conftest import THOROUGH
from tests.contract.checks import naming
from tests.datasets.files import read_table
from tests.strategies import thinned
from tests.ui.driver import (
    assert_shows,
    begin_run,
    checked,
    container,
    go,
    leave,
    message_of,
    open_app,
    open_page,
    open_record,
    open_with,
    page_record,
    query_of,
    record_of,
    scenario_of,
    step_to,
    values_page_scenario_of,
)
from tests.ui.pages import PAGES, VARIED, Page, assert_none_opens_otherwise, opened
from tests.ui.test_turns import visit_of

V2 = {"v": "2"}
SLOT_PINNED = "places/pinned"
BAD_LINKS: dict[str, dict[str, str]] = {
    "unknown key": {"colour": "red"},
    "unknown kind": {**V2, "blocks": "triangles"},
    "unknown field": {**V2, "blocks": "grid", "blocks.depth": "3"},
    "no number": {**V2, "epsilon": "much"},
    "not a number": {**V2, "epsilon": "nan"},
    "out of range": {**V2, "epsilon": "21"},
    "too many people": {**V2, "n": "1000000000001"},
    "nobody": {"n": "0"},
    "no mechanism": {**V2, "mechanism": "unary"},
    "torn area": {**V2, "sensitive": "areas", "sensitive.edits": "+1,2,3"},
    "bad region": {"region": "here"},
    "upside down region": {"region": "41,40,-75,-73"},
    "endless region": {"region": "-inf,inf,-75,-73"},
    "a file of the server": {**V2, "dataset": "snap", "dataset.path": "/etc/passwd"},
    "another version": {"v": "3", "epsilon": "2"},
}
DONT_FIT: dict[str, dict[str, str]] = {
    "too many rows": {**V2, "blocks": "grid", "blocks.rows": "126"},
    "too many blocks": {**V2, "blocks": "adaptive", "blocks.blocks": "50000"},
    "epsilons for other blocks": {**V2, "blocks": "states", "epsilon": "1;2"},
    "data without a map": {**V2, "dataset": "zipf", "n": "1000", "blocks": "one"},
    "another policy": {**V2, "policy": "distance"},
}


def sentences(at: AppTest) -> list[str]:
    return [item.value for item in (*at.error, *at.warning)]


def assert_one_sentence(at: AppTest) -> None:
    (sentence,) = sentences(at)
    assert "Traceback" not in sentence
    assert sentence.rstrip().endswith((".", "…")) or len(sentence) < 600


def assert_not_as_sent(at: AppTest) -> None:
    """It is the first thing on the page, before any picture, in one sentence."""
    assert_one_sentence(at)
    first = next(iter(container(at, "link-fault").children.values()))
    assert first.value.startswith("**This is not what was sent to you.**")


@pytest.mark.parametrize("name", thinned([*BAD_LINKS, *DONT_FIT], one_in=7))
def test_a_link_that_is_none_starts_afresh_and_says_so_until_it_is_answered(name: str) -> None:
    at = open_app({"region": "40,41,-75,-73", **(BAD_LINKS | DONT_FIT)[name]})
    assert_not_as_sent(at)
    if name == "unknown key":
        assert record_of(at) == PlacesState(region=Area(40, 41, -75, -73))
        return
    assert record_of(at) == PlacesState()
    assert query_of(at) == {}
    assert_not_as_sent(checked(at.run()))
    checked(at.button(key="places-link-fault").click().run())
    assert sentences(at) == []
    assert_shows(at, BEGIN)


BAD_PINS = {
    "no number": "epsilon=much",
    "a file of the server": "v=2&dataset=snap&dataset.path=/etc/passwd",
    "another policy": "v=2&policy=distance",
    "too many keys": "&".join(f"key{number}=1" for number in range(200)),
}


@pytest.mark.parametrize("name", thinned(BAD_PINS, one_in=2))
def test_a_bad_pin_is_dropped_and_told_and_the_rest_of_the_link_opens(name: str) -> None:
    at = open_app({"region": "40,41,-75,-73", "pinned": BAD_PINS[name]})
    assert_not_as_sent(at)
    assert SLOT_PINNED not in at.session_state or at.session_state[SLOT_PINNED] is None
    assert record_of(at) == PlacesState(region=Area(40, 41, -75, -73))
    assert "pinned" not in query_of(at)


def test_what_the_page_does_not_know_is_left_out_and_said_first() -> None:
    """A link of before there were checks may be another one by then; a whole one is not."""
    states = BEGIN.with_context(blocks=StateBlocks())
    at = open_with(states, colour="red", **{"id.of": "7"})
    assert scenario_of(at) == states
    assert query_of(at) == LINK.write(PlacesState(states))
    assert_not_as_sent(at)
    assert "does not know 'colour'" in sentences(at)[0].replace("\\", "")
    whole = open_app({**seal("places", LINK.write(PlacesState(states))), "colour": "red"})
    assert (scenario_of(whole), sentences(whole)) == (states, [])


def test_what_is_not_as_sent_is_said_until_the_reader_shows_something_else() -> None:
    at = open_app(epsilon="much")
    assert_not_as_sent(checked(at.run()))
    checked(at.select_slider(key="places-epsilon").set_value(4.0).run())
    assert sentences(at) == []


def test_a_notice_stays_while_only_the_page_itself_runs_again() -> None:
    at = open_app()
    at.session_state["notice"] = "It is so."
    assert_one_sentence(checked(at.run()))
    at.session_state["notice-stays"] = True  # as a job does that is done
    assert_one_sentence(checked(at.run()))
    assert sentences(checked(at.run())) == []


def test_a_link_to_a_distribution_brings_people_along() -> None:
    at = open_app({**V2, "dataset": "cities", "estimator": BEGIN.estimator})
    assert sentences(at) == []
    assert_shows(at, replace(BEGIN, dataset=Cities(), n=PEOPLE_OF_SYNTHETIC))


@pytest.mark.parametrize("name", thinned(VARIED, one_in=6))
def test_what_the_address_bar_holds_opens_the_same(name: str) -> None:
    record = PlacesState(VARIED[name], Area(40, 41, -75, -73))
    kept = PlacesState(BEGIN.with_context(blocks=OneBlock()))
    query = LINK.write(record)
    assert LINK.read(query) == record
    query["pinned"] = urlencode(LINK.write(kept))
    first = open_app(query)
    assert query_of(first) == query
    assert record_of(first) == record
    assert first.session_state[SLOT_PINNED] == kept
    assert_shows(first, VARIED[name])


def test_what_the_browser_keeps_in_the_link_stays_there() -> None:
    kept = {VIEW_KEY: "40.00,-75.00,4.00", LOOK_KEY: "swipe"}
    at = open_app(kept)
    checked(at.select_slider(key="places-epsilon").set_value(4.0).run())
    assert kept.items() <= query_of(at).items()
    assert sentences(at) == []


def test_a_run_that_comes_with_the_address_of_before_tells_it_no_second_time() -> None:
    """The browser may be on the next page by then, and would put this page's query there."""
    at = open_app()
    checked(at.select_slider(key="places-epsilon").set_value(4.0).run())
    query = query_of(at)
    assert query == {"v": "2", "epsilon": "4"}
    at.query_params.clear()
    assert query_of(checked(at.run())) == {}
    checked(at.select_slider(key="places-epsilon").set_value(2.0).run())
    assert query_of(at) == {"v": "2", "epsilon": "2"}


SENT = PlacesState(BEGIN.with_context(blocks=StateBlocks(), epsilon=2.0))
QUERY = LINK.write(SENT)
LINK_SENT = urlencode(seal("places", QUERY))


@pytest.mark.parametrize("every", [13, pytest.param(1, marks=pytest.mark.thorough)])
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


@pytest.mark.slow
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


GONE = "A title of the page before"
MENUS = [
    ("matrix", "channel", ()),
    ("matrix", "template", ()),
    ("room", "right", ()),
    ("places", "family", ("more",)),
    ("places", "estimator", ("more",)),
    ("personal", "share-0", ("who",)),
    ("adversary", "place", ()),
]
"""Pages, menus whose values or titles follow the record, and the forms that hold them."""


@pytest.mark.parametrize(("name", "menu", "forms"), MENUS[::2])
def test_title_that_is_gone_changes_nothing_and_says_nothing(
    name: str, menu: str, forms: tuple[str, ...]
) -> None:
    state = PAGES[name].state
    at = open_record(state, opens=forms)
    before = page_record(at, state)
    box = at.selectbox(key=state.key(menu))
    shown = box.value
    box.options.append(GONE)  # as the browser, which has not got the page's new titles yet
    at = checked(box.set_value(GONE).run())
    assert page_record(at, state) == before
    assert [each.value for each in at.warning] == []
    assert at.selectbox(key=state.key(menu)).value == shown


EXTREMES = (
    "",
    "x",
    "0",
    "-1",
    "1",
    "20",
    "0.001",
    "1e8",
    "1e300",
    "inf",
    "nan",
    "∞",
    "1;2",
    "10000",
    "1000000000000",
)
SEED = 20261125
LINKS = 134 if THOROUGH else 6
"""Of each page, every night: 2,010 in all."""
EXAMPLES_STEP = 1 if THOROUGH else 6
"""Of the examples each, or every sixth."""
EXAMPLES = Path(__file__).parents[2] / "examples"


def opened_tabs(page: Page, link: dict[str, str]) -> Received[Any]:
    """What the page makes of a link."""
    state = page.state
    return understand(state.codec, state.page, list(link.items()), state.other_keys)


def own_keys(page: Page) -> dict[str, str]:
    """Every key of the page's own with what it says at the beginning."""
    codec: Any = page.state.codec
    fresh = codec.fresh()
    if isinstance(codec, DraftLink):  # a question is written as a whole
        return {}
    found = {k: (f, getattr(fresh, name)) for k, (name, f) in codec._fields().items()}
    return {key: form.write(value) for key, (form, value) in found.items() if value is not None}


@cache
def starts(name: str) -> list[dict[str, str]]:
    """Links that the page opens: its own, and of every example that it can show."""
    page = PAGES[name]
    first = page.state.codec.write(page.state.codec.fresh())
    examples = (
        Scenario.from_file(path) for path in sorted(EXAMPLES.glob("*.json"))[::EXAMPLES_STEP]
    )
    links = [first, *(example.to_query() for example in examples)]
    whole = ({**own_keys(page), **link} for link in links)
    return [link for link in whole if not opened_tabs(page, link).fault] or [first]


@cache
def texts() -> dict[str, list[str]]:
    """What any link of any page says under a key."""
    links = [link for name, page in PAGES.items() for link in (*starts(name), *page.bad)]
    return {key: sorted({link.get(key, "") for link in links}) for link in links for key in link}


def mutated(name: str, count: int, seed: int) -> Iterator[dict[str, str]]:
    """Links with one or two keys that say something else, the same for a seed."""
    page, rng = PAGES[name], random.Random(seed)
    known = [key for key in texts() if not page.state.codec.unknown_keys({key: ""})]
    for _ in range(count):
        link = dict(rng.choice(starts(name)))
        keys = sorted({*link, *known})
        for key in rng.sample(keys, min(rng.choice((1, 1, 2)), len(keys))):
            others = texts().get(key, [""])
            now = link.get(key, rng.choice(others))
            link[key] = rng.choice(
                (near(now, rng), near(now, rng), rng.choice(EXTREMES), rng.choice(others))
            )
        yield link


def near(text: str, rng: random.Random) -> str:
    """The text with one of its numbers changed, as it is without any."""
    parts = text.split(";")
    at = rng.randrange(len(parts))
    try:
        x = float(parts[at])
    except ValueError:
        return text
    y = rng.choice((10 * x, x / 10, 2 * x, x / 2, x + 1, x - 1, -x, 0.0, 1.0))
    return ";".join([*parts[:at], f"{y:.6g}", *parts[at + 1 :]])


@cache
def records(name: str, seed: int = SEED) -> dict[tuple[str, bool], dict[str, str]]:
    """One link for each record that the page's mutated links open, with a fault or without."""
    found: dict[tuple[str, bool], dict[str, str]] = {}
    for link in mutated(name, LINKS, seed):
        received = opened_tabs(PAGES[name], link)
        assert "\n" not in received.fault, link
        found.setdefault((repr(received.record), bool(received.fault)), link)
    return found


def walk(page: Page, link: dict[str, str], tabs: int | None = None, seed: int = 0) -> AppTest:
    """The page with its tabs opened, each or some of them; no run ends in an exception."""
    at = open_page(page.path, link)
    titles = [tab.label for tab in at.tabs]
    if tabs is not None:
        titles = random.Random(seed).sample(titles, min(tabs, len(titles)))
    for title in titles:
        at.session_state[page.state.key("tabs")] = title
        at.run()
        assert not at.exception, (title, [each.value for each in at.exception])
    return at


@pytest.mark.parametrize("name", thinned(PAGES, one_in=2))
def test_extreme_links_end_in_pages_or_sentences(name: str) -> None:
    """One of each page's records, and one of its tabs."""
    link = random.Random(SEED).choice([*records(name).values()])
    with naming(f"{name} {link}"):
        leave(walk(PAGES[name], link, tabs=1))


@pytest.mark.thorough
@pytest.mark.parametrize("name", PAGES)
def test_every_tab_of_what_extreme_links_open(name: str) -> None:
    for link in records(name).values():
        with naming(f"{name} {link}"):
            leave(walk(PAGES[name], link))


def test_walk_meets_an_exception_of_a_tab(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> None:
        raise OverflowError

    monkeypatch.setattr("caldp_ui.words.policies.answers", fail)
    with pytest.raises(AssertionError):
        walk(PAGES["yesno"], {})


def test_curves_of_one_value_have_an_axis() -> None:
    """Nobody is ever under a wrong answer, so all errors are 0."""
    one = {"v": "2", "dataset": "geometric", "dataset.k": "1", "dataset.rate": "0.5", "n": "5000"}
    at = open_page(PAGES["values"].path, {**one, "policy": "line", "epsilon": "0.8"})
    at.session_state["values-tabs"] = "Error curves"
    assert not at.run().exception


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


@pytest.fixture
def traced() -> Iterator[None]:
    tracemalloc.start()
    yield
    tracemalloc.stop()


WITH_SCENARIO = ("places", "values")
"""Their keys are those of a scenario, which all pages read by the same code."""


def _keys(page: str, codec: Any) -> list[str]:
    """Keys that the codec knows: the page's own, and for some pages those of a scenario, too.

    The same code reads a scenario for all pages; one with a map and one without check it.
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


@pytest.mark.usefixtures("traced")
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
    "the matrix's names": lambda text: MatrixState().with_names(lines(text)),
    "the matrix's channel": lambda text: page_state._pasted(text, 3),
}


@pytest.mark.usefixtures("traced")
@pytest.mark.slow
@pytest.mark.parametrize("name", READERS)
def test_every_text_box_and_every_file(name: str) -> None:
    for kind, text in list(LONG.items())[:: 1 if THOROUGH else 3]:
        with naming(kind):
            peak, message = _peak(lambda text=text: READERS[name](text))  # type: ignore[misc]
            assert peak <= PEAK_MAX
            assert len(message) <= SENTENCE_MAX


@pytest.fixture
def history(monkeypatch: pytest.MonkeyPatch) -> ClientState:
    """A step in the browser's history, to a page that the server knows."""
    known = {"next": {"script_path": str(ROOT / navigation.PLACES)}}
    pages = SimpleNamespace(get_pages=lambda: known)
    safe = SafeSessionState(VisitState(), lambda: None)
    context = SimpleNamespace(pages_manager=pages, session_state=safe)
    monkeypatch.setattr(messages, "get_script_run_ctx", lambda: context)
    return ClientState(
        page_script_hash="next", query_string="epsilon=2", is_history_navigation=True
    )


def used(page: str) -> ClientState:
    """A message of a button of that page."""
    return ClientState(page_script_hash=page, widget_states=message_of({"click": 1}))


def run_all(state: VisitState, *messages: ClientState, page: str) -> None:
    """A run of these messages, which have waited; `page`: that of the run before."""
    for message in messages:
        state.ask(message, page)
    begin_run(state, WidgetStates())


def test_a_step_back_is_kept_for_its_page_before_later_changes_are_made(
    history: ClientState,
) -> None:
    seen = list[str]()
    state = visit_of(click=lambda: seen.append(state["places/step"]))
    run_all(state, history, used("next"), page="next")
    run_all(state, used("next"), page="next")  # the first run was stopped before its page was shown
    assert seen == ["epsilon=2", "epsilon=2"]


def test_a_page_makes_a_step_back_and_then_the_change_that_comes_with_it() -> None:
    """The step was lost, and the address followed the change."""
    at = open_page(navigation.VALUES, {})
    first = values_page_scenario_of(at)
    checked(at.select_slider(key="values-epsilon").set_value(2.0).run())
    checked(step_to(at, "values", {}).button(key="values-another").click().run())
    assert values_page_scenario_of(at) == replace(first, seed=first.seed + 1)
    assert "epsilon" not in query_of(at)


def test_back_shows_what_was_last_chosen_although_the_page_was_left_at_once() -> None:
    """The run that would have written its address was stopped; Back took the choice back."""
    at = open_page(navigation.VALUES, {})
    kept = at.session_state["values/state"]
    first = kept.record
    chosen = replace(first, scenario=first.scenario.with_context(epsilon=2.0))
    at.session_state["values/state"] = replace(kept, record=chosen)
    go(at, navigation.PLACES)
    checked(step_to(at, "values", {}).switch_page(navigation.VALUES).run())
    assert (page_record(at, VALUES_STATE), query_of(at)["epsilon"]) == (chosen, "2")
    other = replace(first, scenario=replace(first.scenario, seed=7))
    for expected in (first, chosen):  # the second time it is left within the page, unwritten
        checked(step_to(at, "values", VALUES_STATE.codec.write(other)).run())
        assert page_record(at, VALUES_STATE) == other
        checked(step_to(at, "values", {}).run())
        assert page_record(at, VALUES_STATE) == expected
        at.session_state["values/state"] = replace(kept, record=chosen)


@pytest.mark.parametrize("has_run", [False, True])
def test_what_is_used_on_a_page_that_was_left_takes_no_step_to_another_back(
    history: ClientState, has_run: bool
) -> None:
    clicks = list[int]()
    state, late = visit_of(click=lambda: clicks.append(1)), used("left")
    if has_run:
        run_all(state, history, page="left")
        state.query_params.populate_from_query_string("epsilon=2")
        run_all(state, late, page="next")
    else:
        run_all(state, history, late, page="left")
    assert (late.page_script_hash, late.query_string) == ("next", "epsilon=2")
    assert (clicks, state["places/step"]) == ([1], "epsilon=2")


def test_the_page_of_a_button_is_opened_unless_another_is_chosen_after_it() -> None:
    """A click was gone with the next message, where the run had read its button."""

    def choose() -> None:
        state[TO_OPEN] = navigation.ROOM

    state = visit_of(click=choose)
    run_all(state, used("start"), page="start")
    run_all(state, used("start"), ClientState(fragment_id="part"), page="start")
    assert state[TO_OPEN] == navigation.ROOM
    run_all(state, ClientState(page_script_hash="next"), page="start")
    assert TO_OPEN not in state


def test_no_run_reads_whether_a_button_was_clicked() -> None:
    """A run that is stopped there loses the click, which a callback has by then acted on."""
    read = list[str]()
    for path in (*(ROOT / "caldp_ui").rglob("*.py"), *(ROOT / "pages").glob("*.py")):
        nodes = [*ast.walk(ast.parse(path.read_text("utf-8")))]
        drawn = {id(node.value) for node in nodes if isinstance(node, ast.Expr)}
        for node in nodes:
            match node:
                case ast.Call(func=ast.Attribute(attr="button" | "form_submit_button")):
                    read += [] if id(node) in drawn else [f"{path.name}:{node.lineno}"]
    assert read == []
