"""Drives the dashboard with Streamlit's AppTest and computes what it should say.

What was found out about AppTest (Streamlit 1.67) and `st.navigation`:

- `AppTest.from_file("app.py")` is sound. Each run goes through app.py, and a rerun stays on the
  page where the run before ended, as in a browser. Pages need not be (and, for their relative
  paths, should not be) run by themselves.
- Another page: `at.switch_page("pages/start.py").run()`, after a first run. A page that itself
  calls `st.switch_page` is followed within that run only; the next run is back where it was, unless
  `at.switch_page` is called too. A browser sends the new page's hash, AppTest does not.
- A widget's callback does not run for `at.session_state[key] = …`; that sets what the widget shows.
  For tools and tabs this will do. For the box on a map it would skip the callback, so `drag` hands
  the box over as a browser does, as the widget's own state.
- Elements are found by the keys of their containers; wording is left alone.
"""

import json
from collections.abc import Iterator
from concurrent.futures import wait
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from streamlit.proto.WidgetStates_pb2 import WidgetState
from streamlit.testing.v1 import AppTest

from caldp_core.domain.grid import Area
from caldp_core.experiments.run import Result, prepare, run
from caldp_core.scenarios.scenario import Scenario
from caldp_ui import formats, slow, words
from caldp_ui.drawing import MAP

APP = Path(__file__).parents[2] / "app.py"
_PATIENCE = 120


def open_app(**query: str) -> AppTest:
    """The map page, opened with this query, without an exception.

    Links that name a family are left as of version 1, the others are marked as of version 2.
    """
    at = AppTest.from_file(APP, default_timeout=_PATIENCE)
    if query.keys() - {"region", "family"} == query.keys() - {"region"}:
        query = {"v": "2", **query} if query.keys() - {"region"} else query
    for name, value in query.items():
        at.query_params[name] = value
    return checked(at.run())


def checked(at: AppTest) -> AppTest:
    """The same, if no exception was shown."""
    assert not at.exception, [item.value for item in at.exception]
    return at


def finished(at: AppTest) -> AppTest:
    """The same, once a method that is slow here has been started by its button and is done."""
    checked(at)
    if any(button.key == "run-slow" for button in at.button):
        checked(at.button(key="run-slow").click().run())
        assert not wait([at.session_state[slow._HELD].future], timeout=120).not_done
        checked(at.run())
    return at


def query_of(at: AppTest) -> dict[str, str]:
    """What the address bar holds."""
    return {
        name: value if isinstance(value, str) else value[-1]
        for name, value in at.query_params.items()
    }


def _blocks(block: Any) -> Iterator[Any]:
    for child in getattr(block, "children", {}).values():
        yield child
        yield from _blocks(child)


def container(at: AppTest, key: str) -> Any:
    """The container with that key, or None."""
    return next((block for block in _blocks(at.main) if getattr(block, "key", None) == key), None)


def metrics(at: AppTest, key: str) -> list[str]:
    """The numbers in the container with that key."""
    return [metric.value for metric in container(at, key).metric]


def chart(at: AppTest, key: str) -> Any:
    """The message that is sent for the chart with that key."""
    return next(c.proto for c in at.get("plotly_chart") if c.proto.id.endswith(f"-{key}"))


def pictures(at: AppTest) -> dict[str, str]:
    """The three pictures as data URIs."""
    keys = (MAP, "map-estimate", "map-error")
    return {key: json.loads(chart(at, key).spec)["data"][0]["source"] for key in keys}


def drag(at: AppTest, area: Area | SimpleNamespace) -> AppTest:
    """Drag a box on the map, as the browser tells it: from its north-west to its south-east."""
    box = {"xref": "x", "yref": "y", "x": [area.west, area.east], "y": [area.north, area.south]}
    selection = {"points": [], "point_indices": [], "box": [box], "lasso": []}
    states = at._tree.get_widget_states()
    text = json.dumps({"selection": selection})
    states.widgets.append(WidgetState(id=chart(at, MAP).id, string_value=text))
    return checked(at._run(states))


def use(at: AppTest, tool: str) -> AppTest:
    """Take a tool in hand."""
    at.session_state["tool"] = tool
    return checked(at.run())


def scenario_of(at: AppTest) -> Scenario:
    """The scenario of the visit."""
    held: Scenario = at.session_state["scenario"]
    return held


def assert_shows(at: AppTest, scenario: Scenario) -> Result:
    """The page's numbers, and its link, are those of a fresh run of the scenario by the core."""
    assert scenario_of(at) == scenario
    ours, plain = run(prepare(scenario)), run(prepare(scenario.plain()))
    assert metrics(at, "tv-ours") == [formats.share(ours.first.errors.tv)]
    assert metrics(at, "tv-plain") == [formats.share(plain.first.errors.tv)]
    protects = ours.setup.mechanism.hidden_symbols.size > 0
    best = formats.hundred(words.guess(words.strongest(scenario))) if protects else "100"
    assert metrics(at, "guessed")[0].startswith(f"{best} ")
    query = query_of(at)
    query.pop("region", None)
    assert Scenario.from_query(query) == scenario
    return ours
