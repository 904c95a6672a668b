"""The picture of answers in the browser: what is sent to it, and what hands do on it.

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
from caldp_core.scenarios.scenario import Scenario
from caldp_core.scenarios.sensitive import SensitiveSymbols
from caldp_ui.app import theme
from caldp_ui.compute import runs
from caldp_ui.controls.presets import in_context
from caldp_ui.parts import previews
from caldp_ui.parts.comparison import Shown
from caldp_ui.parts.film_jobs import Asked, several
from caldp_ui.session.scenarios import steer
from caldp_ui.stage import Film, bundle
from caldp_ui.stage.bundle import joined, needed
from caldp_ui.stage.codec import parcel
from caldp_ui.stage.heard import heard, news
from caldp_ui.stage.message import film_head, film_parts
from caldp_ui.values import answers, films, marks
from caldp_ui.values.slot import SLOT, domain_of
from caldp_ui.values.tables import table_of

_WEB: Final = Path(__file__).with_name("web")


def script() -> str:
    """The browser's side as one ES module."""
    return bundle.part("film", "teller") + joined(_WEB, needed(_WEB, "chart"))


def style() -> str:
    """Its style sheet."""
    return (_WEB / "chart.css").read_text("utf-8")


_chart = st.components.v2.component(
    "caldp_answers", html='<div class="chart"></div>', css=style(), js=script()
)
_feed = st.components.v2.component("caldp_answers_film", js=joined(_WEB, ("feed",)))
KEY: Final = SLOT.key("chart")
_DIGITS: Final = 5
_COMMON: Final = "Most common"
_SENSITIVE: Final = ("#98256B", "#FF9CCB")
_BARE: Final = ("#8A3600", "#F0A040")


def show(what: Shown, pinned: Shown | None) -> None:
    """The picture, with what is `pinned`; what is done on it runs before the page's next run."""
    with st.container(key=SLOT.key("board")):
        data = {**message(what, pinned), "heard": heard(KEY)}
        _chart(key=KEY, data=data, on_told_change=_told)


def project(asked: Sequence[Asked]) -> None:
    """Bring films to the picture; call it after what should be on screen first."""
    with st.container(key=SLOT.key("feeds"), gap=None):
        made = several(asked)
        for film in made:
            _bring(KEY, film)
        previews.show(KEY, asked, made, lambda film: _bring(f"{KEY}-near", film))


def _bring(key: str, film: Film) -> None:
    _feed(key=f"{key}-{film.id}", data=parcel({"film": film_head(film)}, film_parts(film)))


def message(what: Shown, pinned: Shown | None = None) -> dict[str, Any]:
    """Everything that the browser needs, as JSON; what is `pinned` only of the same answers."""
    setup = what.setup
    domain = domain_of(setup.scenario)
    truth = setup.dataset.distribution
    many = setup.partition.m > 1
    kept = None
    if pinned is not None and pinned.setup.dataset.domain == domain:
        kept = pinned.ours
    return {
        "n": setup.n,
        "names": [domain.name_of(x) for x in range(domain.k)],
        "labels": answers.labels_of(domain),
        "truth": _numbers(truth),
        "plain": what.plain and _shares(what.plain),
        "ours": what.ours and _shares(what.ours),
        "pinned": kept and _shares(kept),
        "groups": _groups({"plain": what.plain, "ours": what.ours, "pinned": kept}, domain, truth),
        "blocks": setup.partition.labels.tolist() if many else None,
        "marked": ";".join(marks.runs_of(np.flatnonzero(setup.sensitive))),
        "alone": ";".join(marks.runs_of(np.flatnonzero(_alone(setup)))),
        "undo": SLOT.can_undo,
        "redo": SLOT.can_redo,
        "colours": _colours(),
        "words": _words(setup, domain),
        "at": films.film_at(setup),
        "pictures": [],
    }


def _alone(setup: Setup) -> Bools:
    """(k,) answers that are alone in their block: marked or not, their report names them."""
    alone: Bools = (setup.partition.sizes() == 1)[setup.partition.labels]
    return alone


def _numbers(values: Floats) -> list[float]:
    return [float(f"{value:.{_DIGITS}g}") for value in values.tolist()]


def _shares(result: Result) -> list[list[float]]:
    found = answers.shares_of(result)
    return [_numbers(column) for column in (found.estimate, found.low, found.high)]


def _groups(
    results: Mapping[str, Result | None], domain: Domain, truth: Floats
) -> list[dict[str, Any]]:
    made = []
    for name, flags in answers.groups_of(domain):
        group: dict[str, Any] = {
            "name": name,
            "members": np.flatnonzero(flags).tolist(),
            "truth": float(truth[flags].sum()),
        }
        for title, result in results.items():
            if result is not None:
                found = answers.group_share(result, flags)
                group[title] = [found.estimate, found.low, found.high]
        made.append(group)
    return made


def _colours() -> dict[str, str]:
    """For both themes at once, so that they follow when the reader's changes."""
    both = {
        "ours": (theme.LIGHT.ours, theme.DARK.ours),
        "plain": (theme.LIGHT.plain, theme.DARK.plain),
        "pinned": (theme.LIGHT.pinned, theme.DARK.pinned),
        "sensitive": _SENSITIVE,
        "bare": _BARE,
    }
    return {name: f"light-dark({light}, {dark})" for name, (light, dark) in both.items()}


def _words(setup: Setup, domain: Domain) -> dict[str, str]:
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


def _told() -> None:
    for kind, record in news(KEY):
        {"act": _acted, "step": _stepped}.get(kind, _ignored)(record)


def _ignored(_: Mapping[str, Any]) -> None:
    """Our own code sends no other kind."""


def _acted(told: Mapping[str, Any]) -> None:
    if not SLOT.take_step(told.get("step")) and isinstance(told.get("marked"), str):
        steer(SLOT, lambda scenario: remarked(scenario, told["marked"]))


def _stepped(told: Mapping[str, Any]) -> None:
    """The step of a film that a person rests on becomes the page's scenario."""
    value = told.get("value")
    if told.get("film") in films.FOLLOWED and isinstance(value, int | float):
        steer(SLOT, lambda scenario: films.FOLLOWED[told["film"]](scenario, float(value)))


def remarked(scenario: Scenario, text: str) -> Scenario:
    """The scenario with just these values sensitive, as runs: "3;10-19".

    Raises `CaldpError` for any other text.
    """
    setup = runs.setup(scenario)
    spec = SensitiveSymbols(tuple(text.split(";")) if text else ())
    flags = spec.build(setup.dataset.domain, setup.partition)
    return in_context(scenario).with_context(sensitive=marks.spec_of(flags))
