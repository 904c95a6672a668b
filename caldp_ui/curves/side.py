"""Controls beside the curves: examples, data, the error, and the settings of each curve."""

from dataclasses import replace
from typing import Any, Final

import streamlit as st

from caldp_core.datasets import Gowalla
from caldp_core.estimation.estimators import ESTIMATORS
from caldp_core.estimation.evidence import default_estimator
from caldp_core.experiments.measures import BOXES, MEASURES, TV, AnyDomain, Measure
from caldp_core.mechanisms import FAMILIES
from caldp_core.scenarios.scenario import Scenario
from caldp_ui.compute import runs
from caldp_ui.compute.sources import title_of, with_dataset
from caldp_ui.controls import common
from caldp_ui.controls.choices import NAMES, data_sets, protections
from caldp_ui.controls.common import METHODS
from caldp_ui.curves.axes import AXES
from caldp_ui.curves.error_formats import error_title
from caldp_ui.curves.page_state import BEGIN, STATE, Curves
from caldp_ui.parts import pins

_QUICK: Final = ("hadamard", "randomized-response", "rappor", "oue", "galois")
PRESETS: Final = {
    "What context saves": Curves(),
    "Methods compared, by ε": Curves(
        against="epsilon",
        protections=("plain",),
        methods=tuple(name for name in _QUICK if name in FAMILIES),
    ),
    "More blocks, less error (Theorem 4)": Curves(
        against="blocks", protections=("plain",), methods=("hadamard",), estimates=("none",)
    ),
    "More sensitive values (Theorem 3)": Curves(
        against="sensitive",
        protections=("plain",),
        methods=("hadamard", "randomized-response"),
        estimates=("none",),
    ),
    "Estimates compared": Curves(
        protections=("more-blocks",),
        estimates=(default_estimator(), "simplex", "clip", "significance-threshold"),
    ),
    "Boxes on a map": Curves(
        replace(BEGIN, dataset=Gowalla(), n=None),
        against="epsilon",
        protections=("plain", "blocks"),
        estimates=("simplex", "cascade"),
        error=BOXES,
    ),
}


def tabs() -> None:
    """The switch of the axis."""
    titles = {name: axis.title for name, axis in AXES.items()}
    bound = STATE.bind("against", STATE.current().against, lambda r, v: replace(r, against=v))
    common.view_switch("Error against", titles, bound)


def settings(record: Curves) -> None:
    """All controls."""
    fits = [title for title, preset in PRESETS.items() if preset == record]
    st.selectbox(
        "Example",
        list(PRESETS),
        placeholder="Your own choice",
        **STATE.bind("preset", fits[0] if fits else None, lambda r, v: PRESETS[v]),  # noqa: ARG005
    )
    titles = data_sets(record.scenario.dataset)
    st.selectbox(
        "Data",
        list(titles),
        **STATE.bind(
            "data",
            title_of(record.scenario.dataset, titles),
            lambda r, v: _with_data(r, with_dataset(replace(r.scenario, n=None), titles[v])),
        ),
    )
    domain = runs.dataset(record.scenario).domain
    errors = {each.name: error_title(each.name, domain) for each in _possible(domain)}
    st.selectbox(
        "Error",
        list(errors),
        format_func=errors.__getitem__,
        **STATE.bind("error", record.error, lambda r, v: replace(r, error=v)),
    )
    known = protections(runs.dataset(record.scenario).domain)
    _several("protections", "Protections", {name: known[name].title for name in NAMES})
    _several("methods", "Methods", {name: title for name, (title, _) in METHODS.items()})
    _several("estimates", "Estimates", {name: e.title for name, e in ESTIMATORS.items()})
    if record.against != "epsilon":
        common.epsilon(STATE)
    common.people(STATE, runs.dataset(record.scenario).n)
    pins.pin_button(STATE, _title)


def _possible(domain: AnyDomain) -> list[Measure]:
    return [each for each in MEASURES.values() if each.is_possible(domain)]


def _with_data(record: Curves, scenario: Scenario) -> Curves:
    """The record with other data; total variation where its error does not apply to them."""
    possible = [each.name for each in _possible(runs.dataset(scenario).domain)]
    return replace(
        record, scenario=scenario, error=record.error if record.error in possible else TV
    )


def _title(record: Curves) -> str:
    """The title of a pinned record: its protections and axis."""
    axis = AXES[record.against].label
    known = protections(runs.dataset(record.scenario).domain)
    named = ", ".join(known[name].title for name in record.protections)
    return f"{named}; against {axis}"


def _several(field: str, label: str, titles: dict[str, str]) -> None:
    def changed(record: Curves, picked: list[str]) -> Curves:
        now: Any = {field: tuple(picked)}
        return replace(record, **now)

    st.multiselect(
        label,
        list(titles),
        format_func=titles.__getitem__,
        **STATE.bind(field, list(getattr(STATE.current(), field)), changed),
    )
