"""What is pinned stands beside what is shown: its numbers are those of a run of its scenario."""

from dataclasses import dataclass
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from caldp_core.experiments.run import prepare, run
from caldp_core.scenarios.scenario import Scenario
from caldp_ui.app import navigation
from caldp_ui.words import formats
from tests.ui.driver import APP, checked, container, go, pictures, query_of


@dataclass(frozen=True)
class Page:
    """A page that pins: its file, and one of its sliders with another value."""

    path: str
    slider: str
    value: Any


PAGES = {
    "distances": Page(navigation.DISTANCES, "rate", 0.05),
    "personal": Page(navigation.PERSONAL, "epsilon", 0.2),
    "yesno": Page(navigation.YES_OR_NO, "epsilon_10", 2.0),
    "values": Page(navigation.VALUES, "epsilon", 4.0),
}
MAPS = ("distances", "personal")


def opened(path: str, query: dict[str, str]) -> AppTest:
    at = AppTest.from_file(APP, default_timeout=120)
    for name, value in query.items():
        at.query_params[name] = value
    return checked(at.switch_page(path).run())


def record_of(at: AppTest, name: str) -> Any:
    return at.session_state[f"{name}/slot"].record


def error_of(scenario: Scenario) -> str:
    """As the page says it, by a run of the core."""
    return formats.share(run(prepare(scenario)).first.errors.tv)


@pytest.mark.parametrize("name", PAGES)
def test_a_pin_stays_beside_what_is_tried_and_in_the_link(name: str) -> None:
    page = PAGES[name]
    at = opened(page.path, {})
    first = record_of(at, name)
    assert container(at, f"{name}-pinned") is None
    checked(at.button(key=f"{name}-pin").click().run())
    checked(at.select_slider(key=f"{name}-{page.slider}").set_value(page.value).run())
    now = record_of(at, name)
    assert now != first
    assert at.session_state[f"{name}/pinned"] == first
    (table,) = container(at, f"{name}-pinned").table
    told = table.value.loc["total variation (TV)"]
    assert list(told) == [error_of(now.scenario), error_of(first.scenario)]
    assert "people" not in table.value.index  # the same in both
    again = opened(page.path, query_of(at))
    assert record_of(again, name) == now
    assert again.session_state[f"{name}/pinned"] == first
    if name in MAPS:
        shown, kept = pictures(again, f"{name}-maps"), pictures(again, f"{name}-pinned-maps")
        assert shown["truth"] == kept["truth"]
        assert kept == pictures(opened(page.path, {}), f"{name}-maps") != shown
    go(at, navigation.START)
    go(at, page.path)
    assert at.session_state[f"{name}/pinned"] == first
    checked(at.button(key=f"{name}-unpin").click().run())
    assert "pinned" not in query_of(at)
    assert container(at, f"{name}-pinned") is None
