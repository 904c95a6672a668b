"""The picture of answers in the browser: the message to it, and the events from it.

`web/` holds the browser's side: plain JavaScript and CSS, no request to the outside.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

import numpy as np
import streamlit as st

from caldp_core.basics.types import Bools, Floats
from caldp_core.domain.answers import Domain
from caldp_core.experiments.run import Result, Setup
from caldp_core.scenarios.blocks import SensitiveSymbols
from caldp_core.scenarios.scenario import Scenario
from caldp_ui.app import theme
from caldp_ui.compute import runs
from caldp_ui.controls.presets import with_context_policy
from caldp_ui.parts import previews
from caldp_ui.parts.comparison import ComparisonData
from caldp_ui.parts.film_jobs import FilmRequest, ready_films
from caldp_ui.session.scenarios import update_scenario
from caldp_ui.stage import Film, bundle
from caldp_ui.stage.bundle import join_modules, module_order
from caldp_ui.stage.codec import pack_message
from caldp_ui.stage.component import acknowledgement, film_blobs, film_head, new_events
from caldp_ui.values import answers, films, marks
from caldp_ui.values.page_state import STATE, domain_of
from caldp_ui.values.tables import table_of

_WEB: Final = Path(__file__).with_name("web")


def script() -> str:
    """The browser's side as one ES module."""
    return bundle.partial_script("film", "outbox") + join_modules(_WEB, module_order(_WEB, "chart"))


def style() -> str:
    """The style sheet of the browser's side."""
    return (_WEB / "chart.css").read_text("utf-8")


_chart = st.components.v2.component(
    "caldp_answers", html='<div class="chart"></div>', css=style(), js=script()
)
_feed = st.components.v2.component("caldp_answers_film", js=join_modules(_WEB, ("feed",)))
KEY: Final = STATE.key("chart")
_DIGITS: Final = 5
_COMMON: Final = "Most common"
_SENSITIVE: Final = ("#98256B", "#FF9CCB")
_UNPROTECTED: Final = ("#8A3600", "#F0A040")


def show(comparison: ComparisonData, pinned: ComparisonData | None) -> None:
    """The picture, with the `pinned` results; its events are handled before the next run."""
    with st.container(key=STATE.key("board")):
        data = {**message(comparison, pinned), "receipt": acknowledgement(KEY)}
        _chart(key=KEY, data=data, on_events_change=_handle_events)


def send_frames(requests: Sequence[FilmRequest]) -> None:
    """Sends films to the picture; to be called after what should be on screen first."""
    with st.container(key=STATE.key("feeds"), gap=None):
        ready = ready_films(requests)
        for film in ready:
            _send_film(KEY, film)
        previews.show(KEY, requests, ready, lambda film: _send_film(f"{KEY}-near", film))


def _send_film(key: str, film: Film) -> None:
    _feed(key=f"{key}-{film.id}", data=pack_message({"film": film_head(film)}, film_blobs(film)))


def message(data: ComparisonData, pinned: ComparisonData | None = None) -> dict[str, Any]:
    """The message to the browser, as JSON; `pinned` results only if of the same answers."""
    setup = data.setup
    domain = domain_of(setup.scenario)
    truth = setup.dataset.distribution
    has_blocks = setup.partition.m > 1
    pinned_result = None
    if pinned is not None and pinned.setup.dataset.domain == domain:
        pinned_result = pinned.ours
    return {
        "n": setup.n,
        "names": [domain.name_of(x) for x in range(domain.k)],
        "labels": answers.labels_of(domain),
        "truth": _numbers(truth),
        "plain": data.plain and _shares(data.plain),
        "ours": data.ours and _shares(data.ours),
        "pinned": pinned_result and _shares(pinned_result),
        "groups": _groups(
            {"plain": data.plain, "ours": data.ours, "pinned": pinned_result}, domain, truth
        ),
        "blocks": setup.partition.labels.tolist() if has_blocks else None,
        "sensitive": ";".join(marks.runs_of(np.flatnonzero(setup.sensitive))),
        "singles": ";".join(marks.runs_of(np.flatnonzero(_single_answers(setup)))),
        "undo": STATE.can_undo,
        "redo": STATE.can_redo,
        "colours": _colours(),
        "words": _texts(setup, domain),
        "values": films.film_values(setup),
        "pictures": [],
    }


def _single_answers(setup: Setup) -> Bools:
    """(k,) flags of answers alone in their block: marked or not, a report names them."""
    is_single: Bools = (setup.partition.sizes() == 1)[setup.partition.labels]
    return is_single


def _numbers(values: Floats) -> list[float]:
    return [float(f"{value:.{_DIGITS}g}") for value in values.tolist()]


def _shares(result: Result) -> list[list[float]]:
    shares = answers.shares_of(result)
    return [_numbers(column) for column in (shares.estimate, shares.low, shares.high)]


def _groups(
    results: Mapping[str, Result | None], domain: Domain, truth: Floats
) -> list[dict[str, Any]]:
    groups = []
    for name, flags in answers.groups_of(domain):
        group: dict[str, Any] = {
            "name": name,
            "members": np.flatnonzero(flags).tolist(),
            "truth": float(truth[flags].sum()),
        }
        for title, result in results.items():
            if result is not None:
                share = answers.group_share(result, flags)
                group[title] = [share.estimate, share.low, share.high]
        groups.append(group)
    return groups


def _colours() -> dict[str, str]:
    """Colours for both themes at once, so that they follow when the reader's theme changes."""
    both = {
        "ours": (theme.LIGHT.ours, theme.DARK.ours),
        "plain": (theme.LIGHT.plain, theme.DARK.plain),
        "pinned": (theme.LIGHT.pinned, theme.DARK.pinned),
        "sensitive": _SENSITIVE,
        "bare": _UNPROTECTED,
    }
    return {name: f"light-dark({light}, {dark})" for name, (light, dark) in both.items()}


def _texts(setup: Setup, domain: Domain) -> dict[str, str]:
    blocks = " The number before an answer is its block." if setup.partition.m > 1 else ""
    table = table_of(setup.scenario.dataset)
    question = f"{table.question} " if table else ""
    return {
        "hint": f"{question}Tick an answer to protect it. Each line holds the true share 95 times "
        f"in 100.{blocks}",
        "marked": "Sensitive.",
        "bare": "Not protected: can be read.",
        "open": "not protected",
        "groups": f"{len(set(domain.groups))} groups",
        "common": _COMMON,
    }


def _handle_events() -> None:
    for kind, record in new_events(KEY):
        {"act": _handle_act, "step": _apply_film_step}.get(kind, _ignore_event)(record)


def _ignore_event(_: Mapping[str, Any]) -> None:
    """Ignores an event of an unknown kind, which our own code never sends."""


def _handle_act(record: Mapping[str, Any]) -> None:
    if not STATE.undo_or_redo(record.get("step")) and isinstance(record.get("sensitive"), str):
        update_scenario(STATE, lambda scenario: with_sensitive_runs(scenario, record["sensitive"]))


def _apply_film_step(record: Mapping[str, Any]) -> None:
    """Applies the film step that a person stops at to the page's scenario."""
    value = record.get("value")
    if record.get("film") in films.SCENARIO_AT_STEP and isinstance(value, int | float):
        update_scenario(
            STATE, lambda scenario: films.SCENARIO_AT_STEP[record["film"]](scenario, float(value))
        )


def with_sensitive_runs(scenario: Scenario, text: str) -> Scenario:
    """The scenario with just these values sensitive, as runs: "3;10-19".

    Raises `CaldpError` for any other text.
    """
    setup = runs.setup(scenario)
    spec = SensitiveSymbols(tuple(text.split(";")) if text else ())
    flags = spec.build(setup.dataset.domain, setup.partition)
    return with_context_policy(scenario).with_context(sensitive=marks.spec_of(flags))
