"""What the page shows of a scenario: the headline, the picture of answers, and its films.

`web/` holds the browser's side of the picture: plain JavaScript and CSS, no request to the outside.
The same marks, on white, are a PNG for paper.
"""

import io
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final

import numpy as np
import streamlit as st
from PIL import Image, ImageDraw, ImageFont

from caldp_core.basics.types import Bools, Floats
from caldp_core.domain.answers import Domain
from caldp_core.estimation.intervals import ranges
from caldp_core.experiments.regions import region_report
from caldp_core.experiments.run import Result, Setup
from caldp_core.privacy.coverage import coverage
from caldp_core.scenarios.blocks import SensitiveSymbols
from caldp_core.scenarios.policies import ContextPolicy
from caldp_core.scenarios.scenario import Scenario
from caldp_ui.app import theme
from caldp_ui.app.theme import LIGHT
from caldp_ui.compute import runs
from caldp_ui.controls.choices import with_context_policy
from caldp_ui.controls.common import EPSILONS, Slider
from caldp_ui.offline.records import Component
from caldp_ui.parts import markup
from caldp_ui.parts.comparison import ComparisonData
from caldp_ui.parts.films import FilmRequest, SliderFilm, ready_films
from caldp_ui.session.record_link import update_scenario
from caldp_ui.shell.page import View
from caldp_ui.stage import Blob, Step, bundle, encode
from caldp_ui.stage.bundle import join_modules, module_order
from caldp_ui.stage.codec import pack_message
from caldp_ui.stage.component import acknowledgement, film_blobs, film_head, new_events
from caldp_ui.values.page_state import (
    STATE,
    ValuesState,
    domain_of,
    groups_of,
    runs_of,
    spec_of,
    table_of,
)
from caldp_ui.words import accuracy, formats, policies, promise
from caldp_ui.words.formats import ANSWERS, Headline


def headline(data: ComparisonData) -> Headline:
    """How many people both protections put under the wrong answer, or who is not protected."""
    ours, plain = (
        None if each is None else each.first.errors.tv for each in (data.ours, data.plain)
    )
    return accuracy.headline(ANSWERS, data.setup, ours, plain)


def one_line_summary(data: ComparisonData) -> str:
    """The headline's two lines as one text."""
    lines = headline(data)
    return f"{lines.sentence} {lines.second}".strip()


def view(data: ComparisonData, pinned: ComparisonData | None, _: object) -> View:
    """The headline, the odds, and the picture of answers, which has colours of both themes."""
    picture = Component(message(data, pinned), "chart", _SCRIPT, _STYLE)
    return replace(_sentences(data), component=picture)


def _sentences(data: ComparisonData) -> View:
    """The headline and the odds."""
    return View(headline(data), texts={markup.PLACE: markup.odds_html(ANSWERS, data.setup)})


@dataclass(frozen=True, eq=False)
class Shares:
    """(k,) estimated shares as shown, and the ends of their 95 % intervals."""

    estimate: Floats
    low: Floats
    high: Floats


@dataclass(frozen=True)
class GroupShare:
    """The share of a group as a whole: as shown, and the ends of its 95 % interval."""

    estimate: float
    low: float
    high: float


def shares_of(result: Result) -> Shares:
    """Every answer's share, and its 95 % range, which includes it."""
    ends = ranges(result.first.evidence, result.first.estimate)
    return Shares(result.first.estimate, ends.low, ends.high)


def group_share(result: Result, group: Bools) -> GroupShare:
    """A group's share, by the exact variance of the sum."""
    report = region_report(result.setup, result.first, group)
    n = result.setup.n
    return GroupShare(report.processed_estimate / n, report.low / n, report.high / n)


def labels_of(domain: Domain) -> list[str]:
    """Labels of all answers, without the part that repeats the name of their group."""
    names = [domain.name_of(x) for x in range(domain.k)]
    for _, flags in groups_of(domain):
        members = np.flatnonzero(flags).tolist()
        for x, short in zip(members, _short([names[x] for x in members]), strict=True):
            names[x] = short
    return names


def _short(names: Sequence[str]) -> list[str]:
    """The names without a last part (after "; ") or first part (before ": ") that all share."""
    lasts = {name.rpartition("; ")[2] for name in names}
    firsts = {name.partition(": ")[0] for name in names}
    if len(names) > 1 and len(lasts) == 1:
        return [name.rpartition("; ")[0] for name in names]
    if len(names) > 1 and len(firsts) == 1:
        return [name.partition(": ")[2] for name in names]
    return list(names)


SENSITIVE: Final = "sensitive"
EPSILON: Final = "epsilon"
PEOPLE: Final = "people"
_SIZES_MAX: Final = 11
_PEOPLE_COUNTS: Final = tuple(10.0**power for power in range(2, 10))
_PER_SECOND: Final = 1.5
StepValues = Callable[[Scenario], Sequence[float]]


def slider_films(record: ValuesState) -> list[SliderFilm[ValuesState]]:
    """Films of a record: none where it is slow to compute or has several ε."""
    scenario = record.scenario
    in_context = isinstance(scenario.policy, ContextPolicy)
    if in_context and isinstance(scenario.context.epsilon, tuple):
        return []
    if runs.takes_long(scenario) or runs.takes_long(runs.best_plain_ldp(scenario)):
        return []
    return [slider_film(record, name) for name in TITLES if in_context or name != SENSITIVE]


def slider_film(record: ValuesState, name: str) -> SliderFilm[ValuesState]:
    """The film of that name; the sensitive set grows from the record's own answers."""
    levels, value_text, label = _STEPS[name]
    slider = Slider[ValuesState](
        EPSILON if name == EPSILON else "",
        lambda at: film_values(runs.setup(at.scenario))[name],
        lambda at, value: replace(at, scenario=SCENARIO_AT_STEP[name](at.scenario, value)),
        levels(record.scenario),
        value_text,
    )
    return SliderFilm(
        STATE,
        name,
        TITLES[name],
        slider,
        _render,
        lambda at: runs.key((record if name == SENSITIVE else at).scenario),
        label,
        place=list(TITLES).index(name),
        per_second=_PER_SECOND,
    )


def film_values(setup: Setup) -> dict[str, float]:
    """By film, the value of the step that the page shows."""
    return {
        SENSITIVE: float(setup.sensitive.sum()),
        EPSILON: promise.largest_epsilon(setup.scenario),
        PEOPLE: float(setup.n),
    }


def _render(record: ValuesState) -> Step:
    """The film step of a record: answers and groups of both results, marks, and sentences."""
    ours, plain = (
        runs.uncached_result(record.scenario),
        runs.uncached_result(runs.best_plain_ldp(record.scenario)),
    )
    error = formats.of_hundred(min(ours.first.errors.tv, 1.0))
    codes = {"sensitive": encode(ours.setup.sensitive.astype(np.float64))}
    for name, each in (("plain", plain), ("ours", ours)):
        codes |= dict(_encoded_columns(name, each))
    step = _sentences(ComparisonData(ours.setup, plain.setup, ours, plain)).step()
    return replace(step, label=f" · {error} under the wrong answer", codes=codes)


def _encoded_columns(name: str, result: Result) -> Iterator[tuple[str, Blob]]:
    shares = shares_of(result)
    groups = groups_of(domain_of(result.setup.scenario))
    group_shares = [group_share(result, flags) for _, flags in groups]
    for end, column, attribute in (
        ("", shares.estimate, "estimate"),
        ("-low", shares.low, "low"),
        ("-high", shares.high, "high"),
    ):
        yield f"{name}{end}", encode(_clip_shares(column))
        of_groups = np.array([getattr(group, attribute) for group in group_shares])
        yield f"{name}-groups{end}", encode(_clip_shares(of_groups))


def _clip_shares(shares: Floats) -> Floats:
    """Shares cut to [-1, 1], the range of the codes; ranges may reach further."""
    return np.clip(shares, -1.0, 1.0)


def with_sensitive_count(scenario: Scenario, size: float) -> Scenario:
    """The scenario with `size` sensitive answers: its own first, then the table's others."""
    flags = runs.setup(scenario).sensitive
    chosen = np.zeros(flags.size, np.bool_)
    chosen[np.argsort(~flags, kind="stable")[: int(size)]] = True
    return scenario.with_context(sensitive=spec_of(chosen))


def with_population(scenario: Scenario, n: float) -> Scenario:
    """The scenario with n people; the data's own where there are as many."""
    return replace(scenario, n=None if n == runs.dataset(scenario).n else int(n))


def _sensitive_counts(scenario: Scenario) -> list[float]:
    flags = runs.setup(scenario).sensitive
    evenly = np.linspace(0, flags.size, min(_SIZES_MAX, flags.size + 1)).astype(int).tolist()
    return [float(size) for size in sorted({*evenly, int(flags.sum())})]


TITLES: Final = {
    SENSITIVE: "The sensitive set grows",
    EPSILON: "Privacy level ε",
    PEOPLE: "People",
}
SCENARIO_AT_STEP: Final[Mapping[str, Callable[[Scenario, float], Scenario]]] = {
    SENSITIVE: with_sensitive_count,
    EPSILON: lambda scenario, value: scenario.with_epsilon(value),
    PEOPLE: with_population,
}
"""By film, the scenario at a step's value."""
_STEPS: Final[Mapping[str, tuple[StepValues, Callable[[float], str], Callable[[str], str]]]] = {
    SENSITIVE: (_sensitive_counts, lambda size: formats.integer(int(size)), "{} sensitive".format),
    EPSILON: (lambda _: EPSILONS, "{:g}".format, SliderFilm.label),
    PEOPLE: (
        lambda scenario: sorted({*_PEOPLE_COUNTS, float(runs.setup(scenario).n)}),
        formats.people,
        "{} people".format,
    ),
}
"""By film: the values of its steps, a value as text, and the label of a step."""
_WEB: Final = Path(__file__).with_name("web")


_SCRIPT: Final = bundle.partial_script("film", "outbox") + join_modules(
    _WEB, module_order(_WEB, "chart")
)
_STYLE: Final = (_WEB / "chart.css").read_text("utf-8")
_chart = st.components.v2.component(
    "caldp_answers", html='<div class="chart"></div>', css=_STYLE, js=_SCRIPT
)
_feed = st.components.v2.component("caldp_answers_film", js=join_modules(_WEB, ("feed",)))
KEY: Final = STATE.key("chart")
_DIGITS: Final = 5
_COMMON: Final = "Most common"
_SENSITIVE: Final = ("#98256B", "#FF9CCB")
_UNPROTECTED: Final = ("#8A3600", "#F0A040")


def show(shown: View) -> None:
    """The picture of answers; its events are handled before the next run."""
    assert shown.component is not None
    with st.container(key=STATE.key("board")):
        data = {**shown.component.message, "receipt": acknowledgement(KEY)}
        _chart(key=KEY, data=data, on_events_change=_handle_events)


def send_frames(requests: Sequence[FilmRequest]) -> None:
    """Send films to the picture; to be called after what should be on screen first."""
    with st.container(key=STATE.key("feeds"), gap=None):
        for film in ready_films(requests):
            blob = pack_message({"film": film_head(film)}, film_blobs(film))
            _feed(key=f"{KEY}-{film.id}", data=blob)


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
        "labels": labels_of(domain),
        "truth": _numbers(truth),
        "plain": data.plain and _shares(data.plain),
        "ours": data.ours and _shares(data.ours),
        "pinned": pinned_result and _shares(pinned_result),
        "groups": _groups(
            {"plain": data.plain, "ours": data.ours, "pinned": pinned_result}, domain, truth
        ),
        "blocks": setup.partition.labels.tolist() if has_blocks else None,
        "sensitive": ";".join(runs_of(np.flatnonzero(setup.sensitive))),
        "singles": ";".join(runs_of(np.flatnonzero(_single_answers(setup)))),
        "undo": STATE.can_undo,
        "redo": STATE.can_redo,
        "colours": _colours(),
        "words": _texts(setup, domain),
        "values": film_values(setup),
        "pictures": [],
    }


def _single_answers(setup: Setup) -> Bools:
    """(k,) flags of answers alone in their block: marked or not, a report names them."""
    is_single: Bools = (setup.partition.sizes() == 1)[setup.partition.labels]
    return is_single


def _numbers(values: Floats) -> list[float]:
    return [float(f"{value:.{_DIGITS}g}") for value in values.tolist()]


def _shares(result: Result) -> list[list[float]]:
    shares = shares_of(result)
    return [_numbers(column) for column in (shares.estimate, shares.low, shares.high)]


def _groups(
    results: Mapping[str, Result | None], domain: Domain, truth: Floats
) -> list[dict[str, Any]]:
    groups = []
    for name, flags in groups_of(domain):
        group: dict[str, Any] = {
            "name": name,
            "members": np.flatnonzero(flags).tolist(),
            "truth": float(truth[flags].sum()),
        }
        for title, each in results.items():
            if each is not None:
                share = group_share(each, flags)
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
    if record.get("film") in SCENARIO_AT_STEP and isinstance(value, int | float):
        update_scenario(
            STATE, lambda scenario: SCENARIO_AT_STEP[record["film"]](scenario, float(value))
        )


def with_sensitive_runs(scenario: Scenario, text: str) -> Scenario:
    """The scenario with just these values sensitive, as runs: "3;10-19".

    Raises `CaldpError` for any other text.
    """
    setup = runs.setup(scenario)
    spec = SensitiveSymbols(tuple(text.split(";")) if text else ())
    flags = spec.build(setup.dataset.domain, setup.partition)
    return with_context_policy(scenario).with_context(sensitive=spec_of(flags))


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
    series = [(shares_of(r), c) for r, c in ((plain, LIGHT.plain), (ours, LIGHT.ours))]
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
