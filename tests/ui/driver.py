"""Drives the dashboard with Streamlit's AppTest and computes what it should say.

What was found out about AppTest (Streamlit 1.67) and `st.navigation`:

- `AppTest.from_file("app.py")` is sound if it calls `st.navigation` in every run and runs the
  page that it gives back: a rerun stays on the page where the run before ended, as in a browser.
  Pages need not be (and, for their relative paths, should not be) run by themselves.
- Another page: `at.switch_page("pages/start.py").run()`, after a first run. A page that itself
  calls `st.switch_page` is followed within that run only; the next run is back where it was, unless
  `at.switch_page` is called too. A browser sends the new page's hash, AppTest does not.
- A widget's callback does not run for `at.session_state[key] = …`; that sets what the widget shows.
  For tabs this will do. What a hand does on the stage would skip the callback, so `act` hands it
  over as a browser does, as the component's own trigger.
- A fragment with `run_every` runs within a run only; nobody runs it again.
- Elements are found by the keys of their containers; wording is left alone.
"""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import wait
from contextlib import contextmanager, suppress
from contextvars import copy_context
from dataclasses import replace
from functools import lru_cache
from html import unescape
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import numpy as np
import pytest
from streamlit.proto.WidgetStates_pb2 import WidgetState, WidgetStates
from streamlit.runtime.scriptrunner_utils.script_run_context import ThreadState
from streamlit.runtime.state import SessionState
from streamlit.testing.v1 import AppTest

from caldp_core.basics.types import no_progress
from caldp_core.datasets import Zipf
from caldp_core.domain.domains import Area
from caldp_core.estimation.intervals import ranges
from caldp_core.experiments.run import Result, prepare, run
from caldp_core.scenarios.blocks import OneBlock, SensitiveSymbols
from caldp_core.scenarios.scenario import Scenario
from caldp_ui.app.navigation import MATRIX, PLACES, VALUES
from caldp_ui.app.theme import LIGHT
from caldp_ui.compute import runs
from caldp_ui.compute.runs import is_own
from caldp_ui.controls.common import Slider
from caldp_ui.maps.scene import BEGIN, OURS, PLAIN
from caldp_ui.matrix import page_state, view
from caldp_ui.matrix.page_state import INF, RANDOMIZED_RESPONSE, MatrixState
from caldp_ui.matrix.page_state import LINK as MATRIX_LINK
from caldp_ui.matrix.view import ChannelVerdict, judge_channel
from caldp_ui.parts import layout
from caldp_ui.parts.pins import SliderFilm
from caldp_ui.places.page_state import LINK, STATE, PlacesState
from caldp_ui.server.messages import STEP
from caldp_ui.session import visit
from caldp_ui.session.links import CHECK
from caldp_ui.session.page_state import PageState, R
from caldp_ui.shell.page import Page
from caldp_ui.stage.records import Film, Step, encode, encode_people
from caldp_ui.values import page_state as answers
from caldp_ui.values import view as chart
from caldp_ui.values.page_state import BEGIN as VALUES_BEGIN
from caldp_ui.values.page_state import ValuesState
from caldp_ui.words import accuracy, formats, policies
from caldp_ui.words.formats import Headline
from tests.contract.checks import naming

STAGE_KEY = STATE.key("maps")
APP = Path(__file__).parents[2] / "app.py"
_PATIENCE = 120
OPENED: list[AppTest] = []
"""The visits that a test has opened: what goes on beside them ends with it (`conftest.py`)."""
_EVENTS = "$$STREAMLIT_INTERNAL_KEY_{}__events"


def open_page(
    path: str, query: Mapping[str, str] | None = None, state: Mapping[str, Any] | None = None
) -> AppTest:
    """A new visit to a page's file with this query, without an exception; "": the first page.

    `state`: entries of the session, such as what is open.
    """
    at = AppTest.from_file(APP, default_timeout=_PATIENCE)
    OPENED.append(at)
    for name, text in (query or {}).items():
        at.query_params[name] = text
    for name, value in (state or {}).items():
        at.session_state[name] = value
    return checked((at.switch_page(path) if path else at).run())


def open_record(state: PageState[R], record: R | None = None, opens: Sequence[str] = ()) -> AppTest:
    """A new visit to a page with the link of this record; `opens`: its forms that are open."""
    link = {} if record is None else state.codec.write(record)
    return open_page(f"pages/{state.page}.py", link, dict.fromkeys(map(state.key, opens), True))


def page_record(at: AppTest, state: PageState[R]) -> R:
    """What the page of this state shows in the visit."""
    record: R = at.session_state[f"{state.page}/state"].record
    return record


def open_app(query: dict[str, str] | None = None, **more: str) -> AppTest:
    """The map page with this query and its forms open."""
    forms = dict.fromkeys(("places-protection", "places-more"), True)
    return open_page(PLACES, {**(query or {}), **more}, forms)


def open_with(scenario: Scenario, **more: str) -> AppTest:
    """The map page, opened with the link of this scenario, which has no data of one's own."""
    assert not is_own(scenario.dataset), "links hold no data: open `scenario.to_query()`"
    return open_app(LINK.write(PlacesState(scenario)), **more)


def open_tab(at: AppTest, which: str) -> AppTest:
    """The map page with the tab under the maps that has these words."""
    at.session_state["places-tabs"] = next(tab.label for tab in at.tabs if which in tab.label)
    return checked(at.run())


def open_every_tab(at: AppTest, key: str) -> None:
    """Draw each tab of the row with that key, without an error."""
    titles = [tab.label for tab in at.tabs]
    assert len(titles) > 2
    for title in titles:
        at.session_state[key] = title
        assert not checked(at.run()).error, title


def checked(at: AppTest) -> AppTest:
    """The same, if no exception was shown."""
    assert not at.exception, [item.value for item in at.exception]
    return at


def finished(at: AppTest) -> AppTest:
    """The same, once all runs beside the page are done that it offers or has started."""
    checked(at)
    if any(button.key == "places-ours-start" for button in at.button):
        checked(at.button(key="places-ours-start").click().run())
    for which in ("ours", "plain"):
        name = f"places-{which}/job"
        job = at.session_state[name] if name in at.session_state else None  # noqa: SIM401
        if job is not None:
            assert not wait([job.future], timeout=120).not_done
            checked(at.run())
    return at


def jobs_done(at: AppTest) -> AppTest:
    """The same, once what was started beside the page by itself is done, and what follows from it.

    A run may start the next job, which may be done before anybody looks, but not shown.
    """
    previous: list[Any] | None = None
    while previous != (at_work := [job for job in _jobs(at) if job]):
        undone = [job.future for job in at_work if not job.future.done()]
        assert not wait(undone, timeout=_PATIENCE).not_done
        checked(at.run())
        previous = at_work
    return at


def accepted(at: AppTest, page: str) -> AppTest:
    """The same, once data that were brought are read, and shown where nothing is to be asked."""
    jobs_done(at)
    if any(button.key == f"{page}-own-accept" for button in at.button):
        checked(at.button(key=f"{page}-own-accept").click().run())
    return at


def leave(at: AppTest) -> None:
    """End what still runs beside the page, as the threads are few and shared."""
    for job in _jobs(at):
        if job:
            job.cancel()


def _jobs(at: AppTest) -> Iterator[Any]:
    state = at.session_state._state.filtered_state
    return (value for name, value in state.items() if name.endswith("/job"))


def go(at: AppTest, page: str) -> AppTest:
    """To another page by the menu, which, in a browser, leaves the query behind."""
    at.query_params.clear()
    return checked(at.switch_page(page).run())


def step_to(at: AppTest, page: str, query: Mapping[str, str]) -> AppTest:
    """A step in the browser's history to this query of the page `page`, before its run."""
    at.query_params.clear()
    for key, text in query.items():
        at.query_params[key] = text
    at.session_state[STEP.format(page)] = urlencode(query)
    return at


def query_of(at: AppTest) -> dict[str, str]:
    """What the address bar holds, without its check (`test_links.py`)."""
    return {
        name: value if isinstance(value, str) else value[-1]
        for name, value in at.query_params.items()
        if name != CHECK
    }


def blocks(at: AppTest) -> Iterator[Any]:
    """Everything in the page's main part, containers before what is in them."""
    return _blocks(at.main)


def _blocks(block: Any) -> Iterator[Any]:
    for child in getattr(block, "children", {}).values():
        yield child
        yield from _blocks(child)


def headline_of(at: AppTest) -> str:
    """The page's headline and the line below it, as a reader sees them."""
    (html,) = (item.proto.body for item in container(at, "headline").get("html"))
    return " ".join(unescape(re.sub("<.*?>", " ", html)).split())


@contextmanager
def capture_headlines() -> Iterator[list[Headline]]:
    """All headlines that pages draw meanwhile, in order."""
    drawn: list[Headline] = []
    write = layout.show_headline

    def capture(headline: Headline) -> None:
        drawn.append(headline)
        write(headline)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(layout, "show_headline", capture)
        yield drawn


def both_lines(headline: Headline) -> str:
    """A headline and its second line, as `headline_of` reads them."""
    return f"{headline.sentence} {headline.second}".strip()


def as_read(markdown: str) -> str:
    """What a reader sees of a text in Markdown that has only bold words and escaped signs."""
    signs = r"\*\*|\\([!-/:-@\[-`{-~])|\N{WORD JOINER}"
    return re.sub(signs, lambda found: found[1] or "", markdown)


def container(at: AppTest, key: str) -> Any:
    """The container with that key, or None."""
    return next((block for block in _blocks(at.main) if getattr(block, "key", None) == key), None)


def metrics(at: AppTest, key: str) -> list[str]:
    """The numbers in the container with that key."""
    return [metric.value for metric in container(at, key).metric]


def _component(at: AppTest, key: str) -> Any:
    found = (c.proto for c in at.get("bidi_component") if c.proto.id.endswith(f"-{key}"))
    return next(found)


def data_of(at: AppTest, key: str) -> Any:
    """What a component of ours is sent."""
    return json.loads(_component(at, key).json)


def blobs_of(at: AppTest, *parts: str) -> set[str]:
    """The names of all blobs in these messages of the map page's stage, as far as they are sent."""
    names = set[str]()
    for part in parts:
        with suppress(StopIteration):
            data = _component(at, f"{STAGE_KEY}-{part}").bytes
            head = json.loads(data[4 : 4 + int.from_bytes(data[:4], "little")])
            names |= {name for name, _ in head["blobs"]}
    return names


def scene_of(at: AppTest, key: str = STAGE_KEY) -> dict[str, Any]:
    """What the stage is told to show."""
    found: dict[str, Any]
    (found,) = data_of(at, key)
    return found


def assert_signed(at: AppTest, scenario: Scenario, key: str = STAGE_KEY) -> None:
    """What people save of the maps says its ε, its people and its data."""
    assert policies.setting_text(runs.setup(scenario)) in scene_of(at, key)["image"]["lines"]


def pictures(at: AppTest, key: str = STAGE_KEY) -> dict[str, str]:
    """The name of each picture's code by the picture's id: the hash of its amounts."""
    entries = scene_of(at, key)["pictures"]
    return {each["id"]: each["code"] for each in entries if each["colours"] == "amounts"}


def act(at: AppTest, tool: str, action: str = "", **where: Any) -> AppTest:
    """Do something on the stage, as the browser sends it."""
    return on_stage(at, {"tool": tool, "action": action or tool, **where})


def choose(at: AppTest, film: str, value: float, key: str = STAGE_KEY) -> AppTest:
    """Rest on a step of a film."""
    return on_stage(at, {"film": film, "index": 0, "value": value}, key, "step")


def on_stage(at: AppTest, record: Any, key: str = STAGE_KEY, kind: str = "act") -> AppTest:
    """What a hand did on a stage."""
    return send_event(at, scene_of(at, key)["receipt"], record, key, kind)


def send_event(
    at: AppTest, receipt: dict[str, Any], record: Any, key: str, kind: str = "act"
) -> AppTest:
    """What a hand did on a picture, as its browser's side sends it: once, by its number."""
    event = {"serial": receipt["serial"] + 1, "kind": kind, "record": record}
    batch = {"client": "browser", "events": [event]}
    return trigger(at, [{"event": "events", "value": batch}], key)


def trigger(at: AppTest, triggers: list[dict[str, Any]], key: str) -> AppTest:
    """Triggers of the component with that key, as the browser sends them."""
    states = at._tree.get_widget_states()
    name = _EVENTS.format(_component(at, key).id)
    states.widgets.append(WidgetState(id=name, json_trigger_value=json.dumps(triggers)))
    return checked(at._run(states))


def reload(at: AppTest, path: str) -> AppTest:
    """A new visit of the same tab, with its address and with what it keeps of the visit's data."""
    again = open_page(path, query_of(at))
    kept, ask = dict(data_of(at, visit.KEY)["keep"]), data_of(again, visit.KEY)["ask"]
    found = [{"event": "found", "value": [ask, kept[ask]]}]
    return trigger(again, found, visit.KEY)


def box(area: Area) -> list[float]:
    """An area as the browser sends it."""
    return [area.south, area.north, area.west, area.east]


def record_of(at: AppTest) -> PlacesState:
    """What the map page of the visit shows."""
    return page_record(at, STATE)


def scenario_of(at: AppTest) -> Scenario:
    """The scenario of the visit."""
    return record_of(at).scenario


@lru_cache(maxsize=16)
def by_the_core(scenario: Scenario) -> Result:
    """A run of the core alone, past all that the dashboard keeps."""
    return run(prepare(scenario))


def picture_of(found: Result) -> str:
    """The name of the map of an estimate."""
    return encode_people(found.first.estimate, found.setup.n).name


def assert_shows(at: AppTest, scenario: Scenario) -> Result:
    """The page's pictures, sentence and link are those of a run of the core alone."""
    assert scenario_of(at) == scenario
    ours, plain = by_the_core(scenario), by_the_core(runs.best_plain_ldp(scenario))
    truth = encode(ours.setup.dataset.distribution).name
    assert pictures(at) == {"truth": truth, PLAIN: picture_of(plain), OURS: picture_of(ours)}
    tvs = ours.first.errors.tv, plain.first.errors.tv
    headline = accuracy.headline(formats.PLACES, ours.setup, *tvs)
    assert headline_of(at) == f"{headline.sentence} {headline.second}"
    query = query_of(at)
    for other in ("region", "pinned"):
        query.pop(other, None)
    assert_linked(query, scenario, BEGIN)
    return ours


def assert_linked(query: dict[str, str], scenario: Scenario, begin: Scenario) -> None:
    """The link holds all of a scenario but a visitor's own data; nothing stands for `begin`."""
    own = {key for key in query if key.startswith(visit.OWN)}
    assert bool(own) == is_own(scenario.dataset)
    held = replace(scenario, dataset=Scenario().dataset) if own else scenario
    rest = {key: text for key, text in query.items() if key not in own}
    assert (Scenario.from_query(rest) if query else begin) == held


def unpin(at: AppTest, page: str, number: int = 1) -> None:
    """Let go of a pin, in the list of pins."""
    at.session_state[f"{page}-pins"] = True
    checked(at.run())
    checked(at.button(key=f"{page}-unpin-{number}").click().run())


ROUNDED = 1e-4
"""The browser is sent five digits."""


FEW = replace(VALUES_BEGIN, dataset=Zipf(4), n=1_000).with_context(
    blocks=OneBlock(), sensitive=SensitiveSymbols(("0-1",))
)


def open_values(query: dict[str, str] | None = None) -> AppTest:
    return open_page(VALUES, query)


def values_page_scenario_of(at: AppTest) -> Scenario:
    held: ValuesState = at.session_state["values/state"].record
    return held.scenario


def mark(at: AppTest, **record: Any) -> AppTest:
    return on_chart(at, record)


def on_chart(at: AppTest, record: Any, kind: str = "act") -> AppTest:
    """What a hand did on the picture of answers."""
    return send_event(at, data_of(at, chart.KEY)["receipt"], record, chart.KEY, kind)


def values_page_assert_shows(at: AppTest, scenario: Scenario) -> tuple[Result, Result]:
    """The picture, the sentence and the link are those of a fresh run of the core."""
    assert values_page_scenario_of(at) == scenario
    ours, plain = (run(prepare(each)) for each in (scenario, runs.best_plain_ldp(scenario)))
    sent = data_of(at, chart.KEY)
    np.testing.assert_allclose(sent["truth"], ours.setup.dataset.distribution, rtol=ROUNDED)
    for name, result in (("ours", ours), ("plain", plain)):
        ends = ranges(result.first.evidence, result.first.estimate)
        for found, wanted in zip(
            sent[name], (result.first.estimate, ends.low, ends.high), strict=True
        ):
            np.testing.assert_allclose(found, wanted, rtol=ROUNDED, atol=1e-12)
    assert sent["sensitive"] == ";".join(answers.runs_of(np.flatnonzero(ours.setup.sensitive)))
    sentence = headline_of(at)
    for result in (ours, plain):
        assert formats.per_hundred(result.first.errors.tv) in sentence
    assert_linked(query_of(at), scenario, VALUES_BEGIN)
    return ours, plain


SMALL = MatrixState(
    "",
    1.0,
    ("a", "b", "c"),
    ((0.0, 1.0, INF), (INF, 0.0, 0.5), (2.0, INF, 0.0)),
    channel=RANDOMIZED_RESPONSE,
)


def open_matrix(record: MatrixState | None = None, **query: str) -> AppTest:
    return open_page(MATRIX, {**(MATRIX_LINK.write(record) if record else {}), **query})


def matrix_page_record_of(at: AppTest) -> MatrixState:
    record: MatrixState = at.session_state["matrix/state"].record
    return record


def message(at: AppTest, key: str = view.KEY) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(data_of(at, key)["content"])
    return found


def headline(at: AppTest) -> str:
    text = headline_of(at)
    return plain(text)


def plain(markdown: str) -> str:
    return markdown.replace("\\", "").replace("**", "").replace("\N{WORD JOINER}", "")


def verdict(record: MatrixState) -> ChannelVerdict:
    return judge_channel(record.names, record.matrix, page_state.build_candidate(record))


def sentence_of(verdict: ChannelVerdict) -> str:
    return plain(view.headline(verdict).whole)


def edit(at: AppTest, x: Any, other: Any, text: str, both: bool = False) -> AppTest:
    value = {"x": x, "other": other, "text": text, "symmetric": both}
    return send_event(at, data_of(at, view.KEY)["receipt"], value, view.KEY)


EVERY = slice(None)


def assert_ahead(
    at: AppTest, page: Page[R, Any], record: R, slider: Slider[R], only: slice = EVERY
) -> None:
    """Each step of the slider, from the record that is on show, is what the page then sends."""
    film = made(page, record, slider)
    readings = [step.reading for step in film.steps]
    options = at.select_slider(key=film.dial).options
    # A record between two steps has an option of its own, to which no film leads.
    own = [option for option in options if option not in readings]
    assert len(own) <= 1
    assert readings == [option for option in options if option in readings]
    for value, step in list(zip(slider.steps, film.steps, strict=True))[only]:
        with naming(f"{record} {slider.name} {step.reading}"):
            checked(at.select_slider(key=film.dial).set_value(value).run())
            state = {"reading": step.reading, "settings": film.settings}
            assert slider_states(at, page)[film.dial] == state
            assert_step(at, step)


def few(along: SliderFilm[R], *steps: float) -> SliderFilm[R]:
    """The same along a slider of these steps alone."""
    return replace(along, slider=replace(along.slider, steps=steps))


def made(page: Page[R, Any], record: R, slider: Slider[R]) -> Film:
    return page.slider_film(slider, LIGHT).film(record, no_progress)


def slider_states(at: AppTest, page: Page[Any, Any]) -> Any:
    """Where the page says that its sliders are."""
    (message,) = data_of(at, page.state.key("feeds-page"))
    return message["page"]


def assert_step(at: AppTest, step: Step) -> None:
    """Pictures and words of the page are those of the step."""
    for key, content in step.pictures.items():
        sent = data_of(at, key)
        assert content in (sent.values() if isinstance(sent, dict) else sent), key
    written = {"<p></p>"}  # what says nothing is drawn nowhere
    written |= {layout.as_html(item.value) for item in (*at.markdown, *at.caption)}
    written |= {item.proto.body for item in at.get("html")}
    for place, html in step.replacements.items():
        assert html in written, place


def message_of(values: Mapping[str, int]) -> WidgetStates:
    """A browser's message with these values of widgets; that of `click` is a click."""
    states = {name: WidgetState(id=f"$$ID-{name}") for name in values}
    for name, value in values.items():
        setattr(states[name], "trigger_value" if name == "click" else "int_value", value)
    return WidgetStates(widgets=list(states.values()))


def begin_run(state: SessionState, message: WidgetStates) -> None:
    """Begin a run of a visit with this message, as a run's thread does."""
    here = copy_context()
    here.run(ThreadState.initialize)
    here.run(state.on_script_will_rerun, message)
