"""The picture of answers in the browser: the message to it, and the events from it.

`web/` holds the browser's side: plain JavaScript and CSS, no request to the outside.

The picture of answers as a PNG, for the report and as a file.

The same marks as in the browser, on white, for paper.

Numbers below the picture: an attacker's beliefs, methods and estimators compared.

Nothing here draws. What takes longer than a second reports to a `Progress`.
"""

import io
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final

import numpy as np
import streamlit as st
from PIL import Image, ImageDraw, ImageFont

from caldp_core.audit.inference import (
    Beliefs,
    channel_beliefs,
    policy_beliefs,
    policy_beliefs_of_value,
)
from caldp_core.basics.cache import cached_by
from caldp_core.basics.errors import CaldpError
from caldp_core.basics.types import Bools, Floats, Progress
from caldp_core.domain.answers import Domain
from caldp_core.domain.scale import is_scale
from caldp_core.estimation.estimators import ESTIMATORS, menu_of_estimators
from caldp_core.experiments.forecast import forecast_if_fast
from caldp_core.experiments.run import Result, Setup
from caldp_core.mechanisms.base import Mechanism
from caldp_core.mechanisms.capabilities import people_max, report_bits, symbol_partition_of
from caldp_core.mechanisms.catalogue import MechanismEntry, mechanisms_for
from caldp_core.privacy.context import Context, PrivacyMatrix
from caldp_core.privacy.coverage import coverage
from caldp_core.scenarios.blocks import SensitiveSymbols
from caldp_core.scenarios.scenario import Scenario
from caldp_core.theory.expected_error import Budget
from caldp_ui.app import theme
from caldp_ui.app.theme import LIGHT
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
from caldp_ui.values import answers, films
from caldp_ui.values.page_state import STATE, domain_of
from caldp_ui.values.tables import table_of
from caldp_ui.words import formats, policies

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
        "sensitive": ";".join(answers.runs_of(np.flatnonzero(setup.sensitive))),
        "singles": ";".join(answers.runs_of(np.flatnonzero(_single_answers(setup)))),
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
    return with_context_policy(scenario).with_context(sensitive=answers.spec_of(flags))


_WIDTH: Final = 1400
_NAMES: Final = 520
_ROW: Final = 34
_HEAD: Final = 72
_ROWS_MAX: Final = 60
_INK: Final = "#1A2530"
_BAR: Final = "#C9CED4"
_SENSITIVE_MARK: Final = "#98256B"
_PALE: Final = "#EBC9DE"


_ESTIMATES: Final = "Estimates from randomised reports. Orange: plain LDP. Blue: this protection."
_TRUTH: Final = (
    "Bar: true share (purple: protected, gray: not). Estimates: orange, plain LDP; blue, this "
    "protection."
)


def png(ours: Result, plain: Result) -> bytes:
    """One row per answer, the most common ones where there are more than 60, with bars of truth."""
    return _png(ours, plain, ours.setup.dataset.distribution, _TRUTH)


def estimates_png(ours: Result, plain: Result) -> bytes:
    """The picture without the truth, for others: rows are chosen by the estimate."""
    return _png(ours, plain, None, _ESTIMATES)


def _png(ours: Result, plain: Result, truth: Floats | None, legend: str) -> bytes:
    setup, order = ours.setup, ours.first.estimate if truth is None else truth
    rows = np.arange(order.size)
    if order.size > _ROWS_MAX:
        rows = np.sort(np.argsort(-order, kind="stable")[:_ROWS_MAX])
    series = [(answers.shares_of(r), c) for r, c in ((plain, LIGHT.plain), (ours, LIGHT.ours))]
    top = max(float(order[rows].max()), *(float(s.high[rows].max()) for s, _ in series))
    image = Image.new("RGB", (_WIDTH, _HEAD + _ROW * rows.size + 8), "white")
    draw, font = ImageDraw.Draw(image), ImageFont.load_default(18)
    draw.text((8, 10), f"{legend} Right end: {100 * top:.3g} %.", _INK, font)
    draw.text((8, 38), _setting_text(ours), _INK, font)
    domain, protected = domain_of(setup.scenario), coverage(setup.policy).protected

    def across(share: float) -> float:
        return _NAMES + (_WIDTH - _NAMES - 20) * share / top

    for place, x in enumerate(rows.tolist()):
        y = _HEAD + place * _ROW
        hidden = bool(protected[x])
        name = _shorten_name(domain.name_of(x), font)
        draw.text((8, y + 6), name, _SENSITIVE_MARK if hidden else _INK, font)
        if truth is not None:
            bar = (_NAMES, y + 3, across(float(truth[x])), y + _ROW - 3)
            draw.rectangle(bar, _PALE if hidden else _BAR)
            draw.line((bar[2], bar[1], bar[2], bar[3]), _SENSITIVE_MARK if hidden else _INK, 2)
        for (shares, colour), at in zip(series, (y + 11, y + 23), strict=True):
            low, high = across(float(shares.low[x])), across(float(shares.high[x]))
            middle = across(float(shares.estimate[x]))
            draw.line((low, at, high, at), colour, 2)
            draw.ellipse((middle - 5, at - 5, middle + 5, at + 5), colour)
    buffer = io.BytesIO()
    image.save(buffer, "PNG", optimize=True)
    return buffer.getvalue()


def _setting_text(ours: Result) -> str:
    """ε, people and data of the picture, in characters that its font has."""
    setup = ours.setup
    level = policies.level_text(setup, "epsilon")
    return (
        f"{level}; {formats.counted(setup.n, 'person', 'people')}; data: {setup.dataset.name[:90]}"
    )


def _shorten_name(name: str, font: ImageFont.FreeTypeFont | ImageFont.ImageFont) -> str:
    """A name cut to the room that it has."""
    for size in range(len(name), 0, -1):
        text = name if size == len(name) else f"{name[:size]}…"
        if font.getlength(text) <= _NAMES - 24:
            return text
    return "…"


ROWS_MAX: Final = 60


@dataclass(frozen=True)
class BeliefRow:
    """An attacker's beliefs in a group or an answer.

    `promise_beliefs`: the bounds by the policy. `channel_beliefs`: those that this method's reports
    lead to, None where they are too many to go through.
    """

    name: str
    protected: bool
    promise_beliefs: Beliefs
    channel_beliefs: Beliefs | None


def _key_without_seed(scenario: Scenario) -> str:
    return runs.key(replace(scenario, seed=0))


@cached_by(_key_without_seed)
def belief_rows(scenario: Scenario) -> list[BeliefRow]:
    """A row for every group and for up to `ROWS_MAX` answers, sensitive ones first."""
    setup, domain = runs.setup(scenario), domain_of(scenario)
    hidden = coverage(setup.policy).protected
    prior, policy = setup.dataset.distribution, setup.policy
    rows = answers.groups_of(domain) if isinstance(policy, Context) else []
    rows += [(domain.name_of(x), np.arange(domain.k) == x) for x in _listed_answers(setup)]
    flags = np.array([group for _, group in rows])
    by_channel = _channel_beliefs(setup.mechanism, prior, flags)
    return [
        BeliefRow(name, bool(hidden[group].all()), _promise_beliefs(policy, prior, group), reach)
        for (name, group), reach in zip(rows, by_channel, strict=True)
    ]


def _promise_beliefs(policy: PrivacyMatrix, prior: Floats, group: Bools) -> Beliefs:
    """The policy's bounds: for a group in a context, for one answer under any other policy."""
    if isinstance(policy, Context):
        return policy_beliefs(policy, prior, group)
    return policy_beliefs_of_value(policy, prior, int(group.argmax()))


def _listed_answers(setup: Setup) -> list[int]:
    """Answers to list, sensitive ones first: in the table's order, or by share where it is long."""
    truth = setup.dataset.distribution
    if truth.size <= ROWS_MAX:
        order = np.argsort(~setup.sensitive, kind="stable")
    else:
        order = np.lexsort((-truth, ~setup.sensitive))[:ROWS_MAX]
    listed: list[int] = order.tolist()
    return listed


def _channel_beliefs(
    mechanism: Mechanism, prior: Floats, groups: Bools
) -> Sequence[Beliefs] | list[None]:
    try:
        return channel_beliefs(mechanism.exact_channel(), prior, groups)
    except CaldpError:  # too many reports to be written out
        return [None] * len(groups)


@dataclass(frozen=True)
class Method:
    """A mechanism under this protection.

    `l2`: expected l2 distance of the unbiased estimate, exact. `bits`: of the longest report.
    `is_chosen`: whether the scenario runs it.
    """

    title: str
    l2: float
    bits: int
    is_chosen: bool


@cached_by(_key_without_seed)
def methods(scenario: Scenario) -> list[Method]:
    """Every mechanism of the catalogue that satisfies the policy and has an exact variance."""
    setup = runs.setup(scenario)
    p, n = setup.dataset.distribution, setup.n
    return [
        Method(
            entry.title,
            float(np.sqrt(max(float(mechanism.variance(p, n).sum()), 0.0))),
            report_bits(mechanism),
            entry.name == setup.mechanism_name,
        )
        for entry, mechanism in _compatible_methods(setup)
    ]


def _compatible_methods(setup: Setup) -> Iterator[tuple[MechanismEntry, Mechanism]]:
    ordered = is_scale(setup.dataset.domain)
    for entry in mechanisms_for(setup.policy):
        if entry.in_order and not ordered:
            continue
        try:
            mechanism = entry.make(setup.policy)
            mechanism.variance(setup.dataset.distribution, setup.n)
        except CaldpError:  # sizes do not fit
            continue
        yield entry, mechanism


@dataclass(frozen=True)
class MethodComparison:
    """(methods, estimators) expected TV; None where it takes too long or can't be combined."""

    methods: tuple[str, ...]
    estimators: tuple[str, ...]
    tv: tuple[tuple[float | None, ...], ...]


def compare_methods(scenario: Scenario, progress: Progress) -> MethodComparison:
    """Forecasts of all methods with all estimators, under the scenario's own policy."""
    setup = runs.setup(scenario)
    compatible = list(_compatible_methods(setup))
    estimators = menu_of_estimators(scenario.estimator, in_order=is_scale(setup.dataset.domain))
    table = []
    for row, (entry, mechanism) in enumerate(compatible):
        tvs = []
        for column, name in enumerate(estimators):
            progress((row + column / len(estimators)) / len(compatible))
            tvs.append(_expected_error(setup, entry, mechanism, name))
        table.append(tuple(tvs))
    progress(1.0)
    titles = tuple(ESTIMATORS[name].title for name in estimators)
    return MethodComparison(tuple(entry.title for entry, _ in compatible), titles, tuple(table))


def _expected_error(
    setup: Setup, entry: MechanismEntry, mechanism: Mechanism, estimator: str
) -> float | None:
    largest = int(symbol_partition_of(mechanism).sizes.max(initial=0))
    slow = min(entry.slow_from, ESTIMATORS[estimator].slow_from)
    if largest >= slow or setup.n > people_max(mechanism):
        return None
    scenario = replace(setup.scenario, estimator=estimator, mechanism=entry.spec())
    other = replace(setup, scenario=scenario, mechanism=mechanism, mechanism_name=entry.name)
    try:
        forecast = forecast_if_fast(other, budget=Budget.quick(mechanism.k))
    except CaldpError:  # an estimator that does not go with the mechanism
        return None
    return None if forecast is None else forecast.error
