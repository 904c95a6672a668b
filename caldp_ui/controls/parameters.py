"""A method's own numbers, by the fields of its spec: the best by itself, or set.

A number that is set leaves all others to the method, as some choose for others.
"""

from dataclasses import Field, fields, replace
from typing import Any

import numpy as np
import streamlit as st

from caldp_core.basics.errors import CaldpError
from caldp_core.estimation.evidence import default_false_share
from caldp_core.mechanisms import Mechanism
from caldp_core.mechanisms.contextual import ContextMechanism
from caldp_core.mechanisms.specs import MechanismSpec
from caldp_core.mechanisms.structures import HasDeviceNumbers
from caldp_core.scenarios.best import Best
from caldp_core.scenarios.scenario import Scenario
from caldp_ui.compute import runs
from caldp_ui.session.page_state import PageState
from caldp_ui.session.scenarios import S, bind
from caldp_ui.words.parameters import FALSE_SHARE_WORDS, PARAMETERS


def show(state: PageState[S]) -> None:
    """Inputs for the numbers of the method that is shown; nothing where it has none."""
    scenario = state.current().scenario
    named = scenario.mechanism
    spec = runs.setup(scenario).spec if isinstance(named, Best) else named
    known: tuple[Field[Any], ...] = fields(spec)  # type: ignore[arg-type]
    if not known:
        return
    symbols = " and ".join(PARAMETERS[field.name].symbol for field in known)
    title = f"The best {symbols}, or set {'it' if len(known) == 1 else 'one'}"
    fold = st.expander(title, key=state.key("parameters"), on_change="rerun")
    if fold.open:
        with fold:
            for field in known:
                _number(state, spec, field.name, int if "int" in str(field.type) else float)


def _number(state: PageState[S], spec: MechanismSpec, name: str, kind: type) -> None:
    """An input of text, as an empty one is a choice, too: the best."""
    value = getattr(spec, name)

    def with_number(scenario: Scenario, text: str) -> Scenario:
        return replace(scenario, mechanism=type(spec)(**{name: _read(text, name, kind)}))

    st.text_input(
        PARAMETERS[name].label,
        placeholder=_best(runs.setup(state.current().scenario).mechanism, name),
        help=PARAMETERS[name].description,
        **bind(state, f"parameter-{name}", "" if value is None else str(value), with_number),
    )


def cascade_control(state: PageState[S]) -> None:
    """The input for q of the cascade."""
    fold = st.expander(
        "The best q of the cascade, or set it", key=state.key("cascade"), on_change="rerun"
    )
    if not fold.open:
        return
    scenario = state.current().scenario
    usual = default_false_share(runs.setup(scenario).dataset.domain)
    q = scenario.false_share
    with fold:
        st.text_input(
            FALSE_SHARE_WORDS.label,
            placeholder=f"the best: {usual:g}",
            help=FALSE_SHARE_WORDS.description,
            **bind(
                state,
                "false-share",
                "" if q is None else f"{q:g}",
                lambda s, text: replace(s, false_share=_read(text, "q", float)),
            ),
        )


def _read(text: str, name: str, kind: type) -> float | None:
    written = text.strip().replace(",", "." if kind is float else "")
    try:
        return kind(written) if written else None
    except ValueError:
        wanted = "a whole number" if kind is int else "a number"
        raise CaldpError(f"{name} must be {wanted}, or empty for the best, got {text!r}.") from None


def _best(mechanism: Mechanism, name: str) -> str:
    """The number that the method has chosen, in words, where it is known."""
    if not isinstance(mechanism, ContextMechanism) or not isinstance(
        mechanism.oracles, HasDeviceNumbers
    ):
        return "the best"
    chosen = mechanism.oracles.device_numbers.get(name)
    numbers = np.unique(chosen[mechanism.sizes > 1]) if chosen is not None else np.zeros(0)
    if not numbers.size:
        return "the best"
    low, high = int(numbers[0]), int(numbers[-1])
    return f"the best: {low:,}" if low == high else f"the best: {low:,} to {high:,}"
