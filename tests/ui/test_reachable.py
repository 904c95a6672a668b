"""Every mechanism of the catalogue can be chosen on a page, every policy kind is shown by one."""

from dataclasses import dataclass, field

import pytest
from streamlit.testing.v1 import AppTest

from caldp_core.estimation.estimators import ESTIMATORS
from caldp_core.estimation.evidence import default_estimator
from caldp_core.mechanisms import FAMILIES
from caldp_core.mechanisms.catalogue import MECHANISMS
from caldp_core.scenarios.scenario import SLOTS
from caldp_ui.matrix import page_state
from caldp_ui.matrix.page_state import TEMPLATES
from tests.ui.driver import open_page


@dataclass(frozen=True)
class Menu:
    """A page, what opens its menu, the menu's key; `link`: of a scenario that it is asked for."""

    page: str
    opens: str
    key: str
    link: dict[str, str] = field(default_factory=dict)


_VALUES = Menu("values", "values-more", "values-family")
_NUMBERS = {
    "v": "2",
    "dataset": "table",
    "dataset.names": "1;2;3;4",
    "dataset.counts": "5;6;7;8",
    "blocks": "one",
    "mechanism": "randomized-response",
}
_SCALE = {"v": "2", "dataset": "survey", "dataset.table": "income", "policy": "line"}
_ALIKE = {"v": "2", "dataset": "survey", "blocks": "one"}
_TWO = {"v": "2", "dataset": "uniform", "dataset.k": "2", "n": "1000"}
_FAR = {"v": "2", "dataset.area": "39.8,42.6,-77.2,-71"}
_CROW = Menu("distances", "distances-more", "distances-family")
MENUS = {
    **dict.fromkeys([*FAMILIES, "published-urap"], _VALUES),
    "square-wave": Menu("values", "values-more", "values-family", _NUMBERS),
    "grid-geometric": Menu("values", "values-more", "values-family", _SCALE),
    "exponential": _CROW,
    "planar-geometric": _CROW,
    "best-kernel": _CROW,
    "stepped-geometric": _CROW,
}
"""Where each mechanism is chosen by name."""
BY_ITSELF = {"binary": "yesno", "designed": "matrix"}
"""Pages whose only mechanism for their policy it is, or which make it on demand."""
POLICY_PAGES = {
    "context": ("values", {}),
    "line": ("values", _SCALE),
    "distances": (
        "values",
        {**_TWO, "policy": "distances", "rows": "0;1|1;0"},
    ),
    "streets": ("distances", {**_FAR, "policy": "streets"}),
    "crow-flies": ("distances", {**_FAR, "policy": "crow-flies"}),
    "binary": ("yesno", {}),
    "personal-tags": ("personal", {}),
    "matrix": ("matrix", {}),
}
"""By the kind of a policy, a page and a link that shows it."""


def open_by_link(page: str, link: dict[str, str], opens: str = "") -> AppTest:
    return open_page(f"pages/{page}.py", link, {opens: True} if opens else {})


def test_every_mechanism_is_on_a_menu() -> None:
    assert {*MENUS, *BY_ITSELF} == set(MECHANISMS)
    offered: dict[tuple[str, tuple[str, ...]], list[str]] = {}
    for name, menu in MENUS.items():
        policy = menu.page, tuple(menu.link.values())
        if policy not in offered:
            at = open_by_link(menu.page, menu.link, menu.opens)
            assert not at.error
            assert not at.warning
            offered[policy] = at.selectbox(key=menu.key).options
        assert MECHANISMS[name].title in offered[policy], name


def test_what_is_on_no_menu_is_run_by_its_page() -> None:
    held = open_by_link("yesno", {}).session_state["yesno/state"].record
    assert held.scenario.kind("policy") == "binary"
    of_matrix = page_state.titles_for(TEMPLATES["hospital"].levels(1.0))
    assert "designed" in of_matrix


@pytest.mark.parametrize("kind", SLOTS["policy"][1])
def test_every_kind_of_policy_is_shown_by_a_page(kind: str) -> None:
    page, link = POLICY_PAGES[kind]
    at = open_by_link(page, link)
    assert not at.warning
    assert not at.error
    record = at.session_state[f"{page}/state"].record
    if kind != "matrix":
        assert record.scenario.kind("policy") == kind


def test_every_estimator_is_on_a_menu() -> None:
    at = open_by_link("values", {}, "values-more")
    listed = [entry for entry in ESTIMATORS.values() if entry.listed]
    usual = {entry.title for entry in listed if not entry.in_order and not entry.on_maps}
    assert set(at.selectbox(key="values-estimator").options) == usual
    at = open_by_link("values", _NUMBERS, "values-more")
    assert set(at.selectbox(key="values-estimator").options) == {
        entry.title for entry in listed if not entry.on_maps
    }
    anywhere = {entry.title for entry in listed if not entry.in_order}
    (of_a_map,) = (entry.title for entry in listed if entry.needs_map)
    prior_query = {"prior": "map", "prior.parts": "0:1", "prior.area": "40,41,-90,-89"}
    for link, left_out in (({}, {of_a_map}), (prior_query, set())):
        places = open_by_link("places", link, "places-more")
        assert {*places.selectbox(key="places-estimator").options} == anywhere - left_out
    # The square wave brings its own, and takes it along.
    at.selectbox(key="values-family").set_value("square-wave").run()
    assert at.selectbox(key="values-estimator").value == "smoothed"
    at.selectbox(key="values-family").set_value("best").run()
    assert at.selectbox(key="values-estimator").value == default_estimator()
    assert not at.error
    # Norm-sub is the projection to the simplex by another way; a link or file shows it by name.
    assert {name for name, entry in ESTIMATORS.items() if not entry.listed} == {"norm-sub"}
    at = open_by_link("values", {**_ALIKE, "estimator": "norm-sub"}, "values-more")
    assert at.selectbox(key="values-estimator").value == "norm-sub"
