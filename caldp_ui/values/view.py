"""What the page shows of a scenario: the headline, the picture of answers, and its films.

`web/` holds the browser's side of the picture: plain JavaScript and CSS, no request to the outside.
The same marks, on white, are a PNG for paper.

Areas are drawn in small cells, which hold no people of their own.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, Final
from weakref import ref

import numpy as np
import streamlit as st
from PIL import Image, ImageDraw, ImageFont

from caldp_core.basics.cache import cached_by
from caldp_core.basics.types import Bools, Floats, Ints
from caldp_core.datasets import OwnTable
from caldp_core.datasets.base_map import areas_on_map, main_view
from caldp_core.domain.domains import Domain
from caldp_core.estimation.intervals import ranges
from caldp_core.experiments.regions import region_report
from caldp_core.experiments.run import Result, Setup
from caldp_core.mechanisms.catalogue import MECHANISMS
from caldp_core.privacy.matrix import coverage
from caldp_core.scenarios.blocks import SensitiveSymbols
from caldp_core.scenarios.policies import ContextPolicy
from caldp_core.scenarios.scenario import Scenario
from caldp_ui.app.texts import escape_markdown, read_texts
from caldp_ui.app.theme import BOTH, LIGHT
from caldp_ui.app.user_text import user_texts
from caldp_ui.compute import runs
from caldp_ui.controls.choices import with_context_policy
from caldp_ui.controls.common import EPSILONS, Slider
from caldp_ui.maps import scene
from caldp_ui.offline.document import Component
from caldp_ui.parts import layout, pack
from caldp_ui.parts.comparison import ComparisonData
from caldp_ui.parts.pins import FilmRequest, SliderFilm, ready_films
from caldp_ui.server.components import send_once
from caldp_ui.session.page_state import update_scenario
from caldp_ui.shell.page import View
from caldp_ui.stage import records
from caldp_ui.stage.component import Act, acknowledgement, film_blobs, film_head, new_events, stage
from caldp_ui.values import page_state as state
from caldp_ui.words import accuracy, formats, policies, promise
from caldp_ui.words.formats import ANSWERS, Headline


def headline(data: ComparisonData) -> Headline:
    """How many people both protections put under the wrong answer, or who is not protected."""
    tvs = (None if each is None else each.first.errors.tv for each in (data.ours, data.plain))
    return accuracy.headline(ANSWERS, data.setup, *tvs)


def view(data: ComparisonData, pinned: ComparisonData | None, _: object) -> View:
    """The headline, the odds, and the picture of answers, which has colours of both themes."""
    picture = Component(message(data, pinned), "chart", _SCRIPT, _STYLE)
    return replace(_sentences(data), component=picture)


def _sentences(data: ComparisonData) -> View:
    """The headline and the odds."""
    return View(headline(data), texts={layout.PLACE: layout.odds_html(ANSWERS, data.setup)})


@cached_by(lambda result: runs.key(result.setup.scenario))
def shares_of(result: Result) -> tuple[Floats, Floats, Floats]:
    """(k,) each: every answer's share as shown, and the ends of its 95 % range around it."""
    ends = ranges(result.first.evidence, result.first.estimate)
    return result.first.estimate, ends.low, ends.high


def group_share(result: Result, group: Bools) -> list[float]:
    """A group's share as shown and its 95 % interval, by the sum's variance, cut to [0, 1]."""
    report = region_report(result.setup, result.first, group)
    n, shown = result.setup.n, report.processed_estimate
    low, high = max(report.low, 0.0), min(report.high, n)
    return [shown / n, min(low, shown) / n, max(high, shown) / n]


SENSITIVE: Final = "sensitive"
EPSILON: Final = "epsilon"
PEOPLE: Final = "people"
_SIZES_MAX: Final = 11
_PEOPLE_COUNTS: Final = tuple(10.0**power for power in range(2, 10))
StepValues = Callable[[Scenario], Sequence[float]]


def slider_films(record: state.ValuesState) -> list[SliderFilm[state.ValuesState]]:
    """Films of a record: none where it is slow to compute or has several ε."""
    scenario = record.scenario
    in_context = isinstance(scenario.policy, ContextPolicy)
    if in_context and isinstance(scenario.context.epsilon, tuple):
        return []
    if runs.takes_long(scenario) or runs.takes_long(runs.best_plain_ldp(scenario)):
        return []
    return [slider_film(record, name) for name in TITLES if in_context or name != SENSITIVE]


def slider_film(record: state.ValuesState, name: str) -> SliderFilm[state.ValuesState]:
    """The film of that name; the sensitive set grows from the record's own answers."""
    levels, value_text, label = _STEPS[name]
    slider = Slider[state.ValuesState](
        EPSILON if name == EPSILON else "",
        lambda at: film_values(runs.setup(at.scenario))[name],
        lambda at, value: replace(at, scenario=SCENARIO_AT_STEP[name](at.scenario, value)),
        levels(record.scenario),
        value_text,
    )
    return SliderFilm(
        state.STATE,
        name,
        TITLES[name],
        slider,
        _render,
        lambda at: runs.key((record if name == SENSITIVE else at).scenario),
        label,
        place=list(TITLES).index(name),
    )


def film_values(setup: Setup) -> dict[str, float]:
    """By film, the value of the step that the page shows."""
    return {
        SENSITIVE: float(setup.sensitive.sum()),
        EPSILON: promise.largest_epsilon(setup.scenario),
        PEOPLE: float(setup.n),
    }


def _render(record: state.ValuesState) -> records.Step:
    """The film step of a record: answers and groups of both results, marks, and sentences."""
    pair = record.scenario, runs.best_plain_ldp(record.scenario)
    ours, plain = map(runs.uncached_result, pair)
    error = formats.of_hundred(min(ours.first.errors.tv, 1.0))
    codes = {"sensitive": records.encode(ours.setup.sensitive.astype(np.float64))}
    for name, each in (("plain", plain), ("ours", ours)):
        codes |= dict(_encoded_columns(name, each))
    step = _sentences(ComparisonData(ours.setup, plain.setup, ours, plain)).step()
    label, people = f" · {error} under the wrong answer", ours.setup.n
    return replace(step, label=label, codes=codes, people=people)


def _encoded_columns(name: str, result: Result) -> Iterator[tuple[str, records.Blob]]:
    groups = state.groups_of(state.domain_of(result.setup.scenario))
    of_groups = np.array([group_share(result, flags) for _, flags in groups]).reshape(-1, 3)
    columns = zip(("", "-low", "-high"), shares_of(result), of_groups.T, strict=True)
    for end, column, group_column in columns:
        # Ranges may reach beyond [-1, 1], the range of the codes.
        yield f"{name}{end}", records.encode(np.clip(column, -1.0, 1.0))
        yield f"{name}-groups{end}", records.encode(np.clip(group_column, -1.0, 1.0))


def with_sensitive_count(scenario: Scenario, size: float) -> Scenario:
    """The scenario with `size` sensitive answers: its own first, then the table's others."""
    flags = runs.setup(scenario).sensitive
    chosen = np.zeros(flags.size, np.bool_)
    chosen[np.argsort(~flags, kind="stable")[: int(size)]] = True
    return scenario.with_context(sensitive=state.spec_of(chosen))


def with_population(scenario: Scenario, n: float) -> Scenario:
    """The scenario with n people; the data's own where there are as many."""
    return replace(scenario, n=None if n == runs.dataset(scenario).n else int(n))


def _sensitive_counts(scenario: Scenario) -> list[float]:
    flags = runs.setup(scenario).sensitive
    evenly = np.linspace(0, flags.size, min(_SIZES_MAX, flags.size + 1)).astype(int).tolist()
    return [float(size) for size in sorted({*evenly, int(flags.sum())})]


TITLES: Final = {SENSITIVE: "The sensitive set grows", EPSILON: "Privacy level ε", PEOPLE: "People"}
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


_SCRIPT: Final = records.partial_script("film", "outbox") + records.join_modules(
    _WEB, records.module_order(_WEB, "chart")
)
_STYLE: Final = (_WEB / "chart.css").read_text("utf-8")
_chart = st.components.v2.component(
    "caldp_answers", html='<div class="chart"></div>', css=_STYLE, js=_SCRIPT
)
_feed = st.components.v2.component("caldp_answers_film", js=records.join_modules(_WEB, ("feed",)))
KEY: Final = state.STATE.key("chart")
_DIGITS: Final = 5
_COMMON: Final = "Most common"
_SENSITIVE: Final = ("#98256B", "#FF9CCB")
_UNPROTECTED: Final = ("#8A3600", "#F0A040")


def show(shown: View) -> None:
    """The picture of answers; its events are handled before the next run."""
    assert shown.component is not None
    with st.container(key=state.STATE.key("board")):
        data = {**shown.component.message, "receipt": acknowledgement(KEY)}
        _chart(key=KEY, data=data, on_events_change=_handle_events)


def send_frames(requests: Sequence[FilmRequest]) -> None:
    """Send films to the picture; to be called after what should be on screen first."""
    with st.container(key=state.STATE.key("feeds"), gap=None):
        for film in ready_films(requests):
            send_once(f"{KEY}-{film.id}", ref(film), _feed, partial(_packed, film))


def _packed(film: records.Film) -> bytes:
    return records.pack_message({"film": film_head(film)}, film_blobs(film))


def message(data: ComparisonData, pinned: ComparisonData | None = None) -> dict[str, Any]:
    """The message to the browser, as JSON; `pinned` results only if of the same answers."""
    setup = data.setup
    domain = state.domain_of(setup.scenario)
    truth = setup.dataset.distribution
    has_blocks = setup.partition.m > 1
    # Marked or not, a report names the answer of such a block.
    single = setup.partition.sizes() == 1
    pinned_result = None
    if pinned is not None and pinned.setup.dataset.domain == domain:
        pinned_result = pinned.ours
    return {
        "n": setup.n,
        "names": [domain.name_of(x) for x in range(domain.k)],
        "labels": domain.short_names(),
        "truth": _numbers(truth),
        "plain": data.plain and _shares(data.plain),
        "ours": data.ours and _shares(data.ours),
        "pinned": pinned_result and _shares(pinned_result),
        "groups": _groups(
            {"plain": data.plain, "ours": data.ours, "pinned": pinned_result}, domain, truth
        ),
        "blocks": setup.partition.labels.tolist() if has_blocks else None,
        "sensitive": ";".join(state.runs_of(np.flatnonzero(setup.sensitive))),
        "singles": ";".join(state.runs_of(np.flatnonzero(single[setup.partition.labels]))),
        "undo": state.STATE.can_undo,
        "redo": state.STATE.can_redo,
        "colours": _colours(),
        "words": _texts(setup, domain),
        "values": film_values(setup),
        "pictures": [],
    }


def _numbers(values: Floats) -> list[float]:
    return [float(f"{value:.{_DIGITS}g}") for value in values.tolist()]


def _shares(result: Result) -> list[list[float]]:
    return [_numbers(column) for column in shares_of(result)]


def _groups(
    results: Mapping[str, Result | None], domain: Domain, truth: Floats
) -> list[dict[str, Any]]:
    there = {title: each for title, each in results.items() if each is not None}
    return [
        {
            "name": name,
            "members": np.flatnonzero(flags).tolist(),
            "truth": float(truth[flags].sum()),
            **{title: group_share(each, flags) for title, each in there.items()},
        }
        for name, flags in state.groups_of(domain)
    ]


def _colours() -> dict[str, str]:
    """Colours for both themes at once, so that they follow when the reader's theme changes."""
    return {
        "ours": BOTH.ours,
        "plain": BOTH.plain,
        "pinned": BOTH.pinned,
        "sensitive": BOTH.choose(*_SENSITIVE),
        "bare": BOTH.choose(*_UNPROTECTED),
    }


def _texts(setup: Setup, domain: Domain) -> dict[str, str]:
    blocks = " The number before an answer is its block." if setup.partition.m > 1 else ""
    table = state.table_of(setup.scenario.dataset)
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
        marked, film, value = (record.get(name) for name in ("sensitive", "film", "value"))
        if kind == "step":  # at which a person stopped
            if film in SCENARIO_AT_STEP and isinstance(value, int | float):
                update_scenario(state.STATE, partial(_at_step, film=str(film), value=float(value)))
        elif not state.STATE.undo_or_redo(record.get("step")) and isinstance(marked, str):
            update_scenario(state.STATE, partial(with_sensitive_runs, text=marked))


def _at_step(scenario: Scenario, film: str, value: float) -> Scenario:
    return SCENARIO_AT_STEP[film](scenario, value)


def with_sensitive_runs(scenario: Scenario, text: str) -> Scenario:
    """The scenario with just these values sensitive, as runs: "3;10-19".

    Raises `CaldpError` for any other text.
    """
    setup = runs.setup(scenario)
    spec = SensitiveSymbols(tuple(text.split(";")) if text else ())
    flags = spec.build(setup.dataset.domain, setup.partition)
    return with_context_policy(scenario).with_context(sensitive=state.spec_of(flags))


_WIDTH: Final = 1400
_NAMES: Final = 520
_ROW: Final = 34
_HEAD: Final = 8
_ROWS_MAX: Final = 60
_INK: Final = "#1A2530"
_BAR: Final = "#C9CED4"
_SENSITIVE_MARK: Final = "#98256B"
_PALE: Final = "#EBC9DE"


def png(ours: Result, plain: Result) -> bytes:
    """One row per answer, the most common ones where there are more than 60, with bars of truth."""
    return _png(ours, plain, ours.setup.dataset.distribution, TEXTS["picture_with_truth"])


def estimates_png(ours: Result, plain: Result) -> bytes:
    """The picture without the truth, for others: rows are chosen by the estimate."""
    return _png(ours, plain, None, TEXTS["picture_of_estimates"])


def _png(ours: Result, plain: Result, truth: Floats | None, legend: str) -> bytes:
    setup, order = ours.setup, ours.first.estimate if truth is None else truth
    rows = np.arange(order.size)
    if order.size > _ROWS_MAX:
        rows = np.sort(np.argsort(-order, kind="stable")[:_ROWS_MAX])
    series = [(shares_of(r), c) for r, c in ((plain, LIGHT.plain), (ours, LIGHT.ours))]
    top = max(float(order[rows].max()), *(float(high[rows].max()) for (_, _, high), _ in series))
    image = Image.new("RGB", (_WIDTH, _HEAD + _ROW * rows.size + 8), "white")
    draw, font = ImageDraw.Draw(image), pack.font_of(18)
    domain, protected = state.domain_of(setup.scenario), coverage(setup.policy).protected

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
            middle, low, high = (across(float(column[x])) for column in shares)
            draw.line((low, at, high, at), colour, 2)
            draw.ellipse((middle - 5, at - 5, middle + 5, at + 5), colour)
    scale = f"{legend} Right end: {100 * top:.3g} %."
    return pack.captioned(pack.png_of(image), [scale, policies.setting_text(setup)])


def _shorten_name(name: str, font: ImageFont.FreeTypeFont) -> str:
    """A name cut to the room that it has."""
    for size in range(len(name), 0, -1):
        text = name if size == len(name) else f"{name[:size]}…"
        if font.getlength(text) <= _NAMES - 24:
            return text
    return "…"


TEXTS: Final = read_texts(__file__)
_IN_AREAS: Final = replace(ANSWERS, wrong="in the wrong area")


def show_areas(data: ComparisonData) -> None:
    """The maps of truth and estimates, if the answers are areas."""
    spec = data.setup.scenario.dataset
    areas = spec.areas if isinstance(spec, OwnTable) else ()
    if areas:
        _, labels = areas_on_map(areas)
        stage(_scene(data, areas), state.STATE.key("maps"), partial(_toggle, data.setup, labels))
        st.caption(escape_markdown(" ".join(remarks(data, areas))))


def remarks(data: ComparisonData, areas: tuple[str, ...]) -> list[str]:
    """What a click does, which areas cannot be seen, and why two maps of plain LDP may differ."""
    names = user_texts(state.domain_of(data.setup.scenario).names)
    _, labels = areas_on_map(areas)
    _, beyond = main_view(areas)
    unseen = set(range(len(areas))) - set(labels.tolist())
    found = [TEXTS["protect_area"]]
    for text, numbers in ((TEXTS["areas_beyond"], beyond), (TEXTS["areas_unseen"], sorted(unseen))):
        found += [f"{text} {', '.join(names[at].plain for at in numbers)}."] if numbers else []
    if accuracy.is_plain(data.setup) and data.ours is not None and data.plain is not None:
        plain, ours = (MECHANISMS[r.setup.mechanism_name].title for r in (data.plain, data.ours))
        found += [TEXTS["plain_areas"].format(plain=plain, ours=ours)] if plain != ours else []
    return found


def _scene(data: ComparisonData, areas: tuple[str, ...]) -> records.Scene:
    setup = data.setup
    results = {scene.PLAIN: ("Plain LDP", data.plain), scene.OURS: ("This protection", data.ours)}
    _, labels = areas_on_map(areas)
    truth = replace(scene.truth(setup, ("blocks",)), title=TEXTS["truth_title"], subtitle="")
    pictures = [replace(truth, code=records.encode(_in_cells(setup.dataset.distribution, labels)))]
    pictures += [_picture(key, title, r, labels) for key, (title, r) in results.items() if r]
    names = tuple(picture.id for picture in pictures)
    return records.Scene(
        _ground(setup, areas),
        tuple(pictures),
        setup.n,
        (names[-2] if len(names) > 1 else names[-1], names[-1]),
        actions=(records.Action("protect", "Protect, or not", {"look": TEXTS["protect_area"]}),),
        scale=scene.scale(setup, data.ours),
        scale_title="share of people in an area, log scale:",
        arrangement=records.Arrangement(names) if len(names) > 2 else None,
        image_name="caldp-areas",
        image_lines=(policies.promise_summary(ANSWERS, setup), policies.setting_text(setup)),
        **scene.shared_pictures(setup, *names[1:]),
    )


def _in_cells(values: Floats, labels: Ints) -> Floats:
    """(cells,) the value of each cell's area, 0 outside all areas."""
    return np.asarray(np.append(values, 0.0)[labels])


def _picture(name: str, title: str, result: Result, labels: Ints) -> records.Picture:
    (shares, low, high), n = shares_of(result), result.setup.n
    half = np.maximum(high - shares, shares - low)
    nouns = promise.of_data(_IN_AREAS, result.setup)
    number, text = accuracy.wrong_of_hundred(nouns, result.first.errors.tv)
    return records.Picture(
        name,
        title,
        promise.population(result.setup),
        f"Map of the estimate by area, {title}: {number} {text}.",
        records.encode_people(_in_cells(shares, labels), n),
        records.nobody_below(n),
        ("blocks", "sensitive", "open") if name == scene.OURS else ("blocks",),
        records.Fact(number, text),
        records.encode_errors(_in_cells(half / accuracy.Z95, labels)),
    )


def _ground(setup: Setup, areas: tuple[str, ...]) -> records.Ground:
    grid, labels = areas_on_map(areas)
    names = (*state.domain_of(setup.scenario).names, "No area of the table")

    def cells(flags: Bools) -> Bools:
        return np.asarray(np.append(flags, False)[labels])

    marked, hatched = cells(setup.sensitive), cells(~scene.protected(setup))
    view, _ = main_view(areas)
    return replace(scene.bare_ground(grid, labels, names, marked, hatched), home=view)


def _toggle(setup: Setup, labels: Ints, act: Act) -> None:
    """Protect the area that was clicked, or no longer."""
    clicked = labels[act.mask(labels.size)]
    if clicked.size and clicked[0] < setup.sensitive.size:
        flags = setup.sensitive.copy()
        flags[clicked[0]] = not flags[clicked[0]]
        update_scenario(
            state.STATE, lambda scenario: scenario.with_context(sensitive=state.spec_of(flags))
        )
