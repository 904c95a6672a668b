"""What the page shows of a record: sentences on treatments and attacks, bars, and the maps.

Each sentence must be true of the table beside it; none takes a side. Words for a decision, and
arguments for and against noise with their sources, stand in `debate.toml`.

The same five pictures as on maps, with the same titles, numbers and labels.
"""

import math
from dataclasses import replace
from functools import cache
from html import escape
from pathlib import Path
from string import Template
from typing import Final

import numpy as np

from caldp_core.audit.adversary import max_guess_accuracy
from caldp_core.basics.cache import cached, cached_by
from caldp_core.basics.types import Bools, Floats, Ints
from caldp_core.datasets import PERIODS, InfantDeaths, county_outlines
from caldp_core.domain.domains import GridDomain
from caldp_core.experiments.table import place_columns
from caldp_core.scenarios.blocks import GridBlocks
from caldp_ui.app.texts import read_texts, read_toml
from caldp_ui.app.theme import BLUES, CIVIDIS, LEVELS, Palette
from caldp_ui.app.user_text import UserText
from caldp_ui.charts.show import Frame
from caldp_ui.coarser import page_state as state
from caldp_ui.coarser.outcomes import (
    TREATMENT_NAMES,
    AttackOutcome,
    TreatmentData,
    candidate_cells,
    disclosed_numbers,
)
from caldp_ui.coarser.page_state import BLOCKS, HIDE, LARGER, PARTS
from caldp_ui.compute import runs
from caldp_ui.maps.scene import bare_ground, pooling_levels, scale, shared_pictures
from caldp_ui.stage import records
from caldp_ui.words import formats, policies, promise

_DEBATE: Final = read_toml(__file__, "debate.toml")
DECISION: Final[dict[str, dict[str, str]]] = {
    name: {_DEBATE["columns"][key]: text for key, text in row.items()}
    for name, row in _DEBATE["decision"].items()
}
"""By treatment, texts by their column; `{times}` is the factor of odds that ε allows."""
SIDES: Final = {side["title"]: side["claims"] for side in _DEBATE["sides"]}
OFFICES: Final = _DEBATE["offices"]

_NAMES: Final = read_toml(__file__, "names.toml")
TEXTS: Final = read_texts(__file__)
TITLES: Final[dict[str, str]] = _NAMES["titles"]
_IN_SENTENCES: Final[dict[str, str]] = _NAMES["in_sentences"]
ATTACK_TITLES: Final[dict[str, str]] = _NAMES["attacks"]
TOTALS: Final[dict[str, str]] = _NAMES["totals"]
UNIT: Final[dict[str, str]] = _NAMES["units"]
DECISION_COLUMNS: Final[tuple[str, ...]] = tuple(_DEBATE["columns"].values())


def table_text(data: TreatmentData, name: str) -> str:
    """What stands in the table that a treatment leads to."""
    epsilon = f"{data.setup.scenario.policy.plain_epsilon:g}"
    texts = _NAMES["tables"] | _NAMES["tables"][data.record.published_totals]
    return str(texts[name]).format(base=data.record.base, epsilon=epsilon)


def nouns(data: TreatmentData) -> formats.Vocabulary:
    """The nouns of the data: places on a map, else values."""
    return formats.PLACES if isinstance(data.domain, GridDomain) else formats.VALUES


def cell_name(data: TreatmentData, cell: int) -> UserText:
    """The name of a cell for readers: a town, a place, or an answer."""
    if isinstance(data.domain, GridDomain):
        name = formats.place_name(data.domain, cell)
        return UserText(name.split(",")[0] if cell in formats.towns(data.domain) else name)
    return UserText(data.domain.name_of(cell))


def error_and_unit(data: TreatmentData, name: str) -> tuple[str, str]:
    """The error of a treatment, and its unit: a larger cell places nobody within it."""
    unit = "wrong, if spread evenly" if name == LARGER else nouns(data).wrong
    return formats.per_hundred(data.treatments[name].errors.tv), f"of 100 {unit}"


def errors_sentence(data: TreatmentData) -> str:
    """The errors of the treatments in one sentence."""
    errors = (f"{_IN_SENTENCES[n]} {error_and_unit(data, n)[0]}" for n in pictured(data))
    return f"Of 100 people {nouns(data).wrong}: {', '.join(errors)}."


def pictured(data: TreatmentData) -> list[str]:
    """The treatments in pictures of their own whose errors are stated."""
    return [n for n in (LARGER, data.record.office, state.PLAIN, BLOCKS) if n in data.treatments]


def of_hundred(share: float) -> str:
    """A share as a number of 100; 1.0 is “100”, never “more than 99.9”."""
    return "100" if share == 1.0 else formats.per_hundred(share)


def odds_text(data: TreatmentData, tables: int = 1) -> str:
    """The factor by which any attack on a number of noisy tables changes the odds at most."""
    return formats.times(math.exp(tables * data.setup.scenario.policy.plain_epsilon))


def noise_sentence(data: TreatmentData) -> str:
    """The bound for any attack on noise: one line beside the bars."""
    name, tables = ("two_tables", 2) if data.record.attack == state.MOVED else ("one_table", 1)
    return _with_odds(name, data, tables)


def table_bound(data: TreatmentData, name: str) -> str:
    """What the ε of a treatment's table bounds, in odds; "" for treatments without one."""
    bound = f"table_{name}"
    return _with_odds(bound, data, 1) if bound in _NAMES["bounds"] else ""


def bound_text(data: TreatmentData) -> str:
    """The promise against every attack, in odds."""
    return _with_odds("every_attack", data, 1)


def _with_odds(name: str, data: TreatmentData, tables: int) -> str:
    epsilon = data.setup.scenario.policy.plain_epsilon
    right = promise.right_guess_text(max_guess_accuracy(epsilon)).replace("*", "")
    return str(_NAMES["bounds"][name]).format(
        epsilon=f"{epsilon:g}", units=nouns(data).units, times=odds_text(data, tables), right=right
    )


def cell_size_text(data: TreatmentData) -> str:
    """The size or number of the larger cells."""
    blocks, domain = data.setup.scenario.context.blocks, data.domain
    if isinstance(domain, GridDomain) and isinstance(blocks, GridBlocks):
        high, wide = domain.rows / blocks.rows, domain.columns / blocks.columns
        return f"{high * domain.cell:.3g}° × {wide * domain.cell:.3g}°"
    if data.setup.scenario.dataset == InfantDeaths():
        return "both periods of a county together"
    return formats.count(data.setup.partition.m, "larger cell", "larger cells")


def picture_note(data: TreatmentData, name: str) -> str:
    """A few words on what a picture shows."""
    hidden = int(data.table.hidden.sum())
    is_county = data.setup.scenario.dataset == InfantDeaths()
    return str(_NAMES["notes"][name]).format(
        size=cell_size_text(data),
        within="a county" if is_county else cell_size_text(data),
        hidden=formats.count(hidden, "hidden count", "hidden counts"),
        base=data.record.base,
        epsilon=f"{data.setup.scenario.policy.plain_epsilon:g}",
    )


_MOVES: Final = _NAMES["moves"]["labels"]
OFFICE_MOVE: Final[str] = _MOVES[1]
"""Labels of the button of the next move; the second move is the office's."""


def headline(data: TreatmentData) -> formats.Headline:
    """What the attack finds; then the errors. Figures: of all treatments, by their names.

    Unprotected: where a treatment other than `NOTHING` lets the attack find anything for sure.
    """
    errors = {f"{name}_tv": data.treatments[name].errors.tv for name in pictured(data)}
    found = data.attack_result.outcomes
    shares = {f"{n}_share": each.share for n, each in found.items() if each.share is not None}
    is_solved = data.record.attack == PARTS and data.record.moves > 0
    near, values = disclosed_numbers(data)[1].sum() if is_solved else 0, data.record.threshold - 1
    more = TEXTS["nearly_known"].format(near=near, values=values) if near else ""
    attack = data.record.attack
    return formats.Headline(
        _SENTENCES[attack](data) if data.record.moves else OPENING_SENTENCES[attack],
        f"{more} {errors_sentence(data)} {TEXTS['held_list']}".strip(),
        any(o.sure and o.share for name, o in found.items() if name != state.NOTHING),
        errors | shares | ({"nearly_known": float(near)} if near else {}),
    )


OPENING_SENTENCES: Final[dict[str, str]] = _NAMES["openings"]


def _describe_places(data: TreatmentData) -> str:
    here, there = (cell_name(data, cell) for cell in candidate_cells(data).tolist())
    if data.record.attack == state.MOVED:
        what = "the person's way"
    elif len(here.raw) + len(there.raw) < 28:
        what = f"{here.plain} or {there.plain}"
    else:
        what = f"the two {nouns(data).units}"
    hide, blocks = (_hundred(data.attack_result.outcomes[name]) for name in (HIDE, BLOCKS))
    return TEXTS["right_guesses"].format(what=what, hide=hide, blocks=blocks)


def _describe_parts(data: TreatmentData) -> str:
    assert data.attack_result.disclosed_cells is not None
    hidden, disclosed = int(data.table.primary.sum()), int(data.attack_result.disclosed_cells.sum())
    if not hidden:
        return _none_hidden(data)
    how = _NAMES["moves"]["ways"][data.record.moves - 1]
    if not disclosed:
        return f"The attacker works out none of {hidden:,} hidden small counts {how}."
    nouns_of_data = promise.counted(data.setup.scenario)
    people = formats.count(data.attack_result.disclosed_people, *nouns_of_data)
    return TEXTS["worked_out"].format(disclosed=disclosed, hidden=hidden, people=people, how=how)


def _none_hidden(data: TreatmentData) -> str:
    return f"With a threshold of {data.record.threshold:,} no count is hidden."


def _describe_others(data: TreatmentData) -> str:
    """What comes out of regions or about newcomers."""
    if data.record.attack == state.REGIONS and not data.table.primary.any():
        return _none_hidden(data)
    hide, rounded = (_hundred(data.attack_result.outcomes[name]) for name in (HIDE, state.ROUND))
    pairs = formats.count(data.record.pairs, "pair", "pairs")
    return str(_NAMES["found"][data.record.attack]).format(hide=hide, rounded=rounded, pairs=pairs)


_SENTENCES: Final = {
    state.TWO_PLACES: _describe_places,
    PARTS: _describe_parts,
    state.NEWCOMER: _describe_others,
    state.MOVED: _describe_places,
    state.REGIONS: _describe_others,
}


def _hundred(outcome: AttackOutcome) -> str:
    return "an unknown number of" if outcome.share is None else of_hundred(outcome.share)


def attacker_knowledge_text(data: TreatmentData) -> str:
    """What the attacker knows and does, in a sentence or two beside the numbers, as Markdown."""
    record = data.record
    if record.attack == PARTS:
        return _parts_move_text(data)
    here, there = (cell_name(data, cell) for cell in candidate_cells(data).tolist())
    pairs = formats.count(record.pairs, "pair", "pairs")
    text = str(_NAMES["knowledge"][record.attack])
    return text.format(unit=nouns(data).unit, pairs=pairs, here=here.markdown, there=there.markdown)


def _parts_move_text(data: TreatmentData) -> str:
    record = data.record
    if record.threshold == 1:
        return _none_hidden(data)
    marks, k = replace(data, record=replace(record, moves=4)), data.counts.size
    by_marks = disclosed_numbers(marks)[0][:k].sum() if record.moves == record.last_move else 0
    words, small = _NAMES["moves"], data.table.marks[k:].sum()
    if record.moves:
        more = words["found"] if small else ""
    else:
        more = words["totals"][record.published_totals]
    return f"{words['texts'][record.moves]} {more}".strip().format(
        rule=f"from 1 to {record.threshold - 1:,}" if record.threshold > 2 else "1",
        threshold=f"{record.threshold:,}",
        by_marks=f"{by_marks:,}",
        small=formats.count(int(small), "small total", "small totals"),
        found=f"{disclosed_numbers(data)[0][k:].sum():,}" if record.moves else "",
    )


def next_move_label(record: state.Publication) -> str | None:
    """The label of the button of the next move; None after the last."""
    if record.moves >= record.last_move:
        return None
    return _MOVES[record.moves] if record.attack == PARTS else "Attack"


def bars_html(data: TreatmentData) -> str:
    """A bar a treatment, as HTML: how much comes out, hatched where the attacker knows it."""
    attack = data.record.attack
    guess = attack in state.PAIR_ATTACKS
    head = f"<b>{escape(UNIT[attack])}</b>"
    mark = '<i class="guess">50: a mere guess</i>' if guess else ""
    rows = "".join(
        _bar(TITLES[name], data.attack_result.outcomes[name]) for name in TREATMENT_NAMES
    )
    kind = "bars guessed" if guess else "bars"
    odds = f"<small>{escape(noise_sentence(data))}</small>"
    return f'<div class="{kind}"><p>{head}{mark}</p><ul>{rows}</ul>{odds}</div>'


def _bar(title: str, outcome: AttackOutcome) -> str:
    number = of_hundred(outcome.share) if outcome.share is not None else "?"
    width = 100 * (outcome.share or 0.0)
    kind = "open" if outcome.sure and width > 0 else "safe"
    label = f"{title}: {number} of 100" if outcome.share is not None else f"{title}: not known yet"
    return (
        f'<li aria-label="{escape(label)}"><span>{escape(title)}</span>'
        f'<em><i class="{kind}" style="width:{width:.2f}%"></i></em><strong>{number}</strong></li>'
    )


def treatment_rows(data: TreatmentData) -> dict[str, dict[str, str]]:
    """Each treatment by title: what it costs, what the attack finds, and what it promises."""
    found = data.attack_result.outcomes.items()
    known = {name: of_hundred(o.share) for name, o in found if o.share is not None}
    times = odds_text(data)
    # One that stands alone has no unit here: it may be pinned, or come by a link.
    attack = f"“{ATTACK_TITLES[data.record.attack]}”: {UNIT.get(data.record.attack, '')}"
    return {
        TITLES[name]: {
            f"of 100 people {nouns(data).wrong}": error_and_unit(data, name)[0],
            attack: known.get(name, ""),
            **{title: text.format(times=times) for title, text in DECISION[name].items()},
        }
        for name in data.treatments
    }


PERSON: Final = "person"
EPSILON: Final = "epsilon"
_ACTIONS: Final = (
    records.Action(PERSON, "The person is here", {"look": "A click puts the person there."}),
)
_MARKS: Final[dict[str, tuple[records.Mark, ...]]] = {BLOCKS: ("blocks",), HIDE: ("sensitive",)}
_MARK_WORDS: Final = {**records.MARK_WORDS, "sensitive": "hidden counts", "safe": "protected"}


def scene(data: TreatmentData) -> records.Scene:
    """The maps: nothing, larger cells, the office's treatment, plain LDP, blocks."""
    assert isinstance(data.domain, GridDomain)  # tables have no maps
    names = [state.NOTHING, *pictured(data)]
    pictures = tuple(_picture(data, name) for name in names)
    return records.Scene(
        _ground(data, data.domain),
        pictures,
        data.setup.n,
        (LARGER, names[-1]),
        actions=_ACTIONS if data.record.attack in state.PAIR_ATTACKS else (),
        arrangement=records.Arrangement(tuple(names)) if len(names) > 2 else None,
        label="The same people, treated in five ways",
        mark_words=_MARK_WORDS,
        film_values={EPSILON: data.setup.scenario.policy.plain_epsilon},
        scale=scale(data.setup, data.results.get(BLOCKS)),
        image_name="caldp-noise-coarser-or-nothing",
        image_lines=(errors_sentence(data), policies.setting_text(data.setup)),
        **shared_pictures(data.setup, state.PLAIN, BLOCKS),
    )


def _picture(data: TreatmentData, name: str) -> records.Picture:
    number, of = error_and_unit(data, name)
    title, result = TITLES[name], data.results.get(name)
    squares = None if result is None else pooling_levels(result)
    return records.Picture(
        name,
        title,
        "",
        f"Map of where people seem to be, {title}: {number} {of}; {picture_note(data, name)}.",
        _encode_treatment(data, name),
        records.nobody_below(data.setup.n),
        _MARKS.get(name, ()),
        records.Fact(number, of),
        notes=("", picture_note(data, name)),
        labels=_label(data.attack_result.outcomes[name]),
        pooled=squares,
    )


def _label(outcome: AttackOutcome) -> tuple[records.Label, ...]:
    if outcome.share is None:
        return ()
    text = f"attacker: {of_hundred(outcome.share)} of 100"
    return (records.Label(text, "", "open" if outcome.sure and outcome.share > 0 else "safe"),)


@cached_by(lambda data, treatment: (data.cache_key, treatment))
def _encode_treatment(data: TreatmentData, treatment: str) -> records.Blob:
    return records.encode_people(data.treatments[treatment].release.shares, data.setup.n)


@cached_by(lambda data, _: data.cache_key)
def _ground(data: TreatmentData, domain: GridDomain) -> records.Ground:
    return bare_ground(domain, data.labels, marked=data.table.hidden)


BARS: Final = ".st-key-coarser-attacker .bars"
"""Where the bars are on the page, as a CSS selector."""


def pin_title(record: state.Publication) -> str:
    """The title of a pinned record."""
    epsilon = record.scenario.policy.plain_epsilon
    setting = f"under {record.threshold:,} hidden, ε = {epsilon:g}"
    return f"{ATTACK_TITLES[record.attack]}, {setting}"


_WIDE: Final = 400.0
_HIGH: Final = 186.0
_TOP: Final = 10.0
_FOOT: Final = 34.0
_BARS_MAX: Final = 60
_WEST: Final = -84.35
_NORTH: Final = 36.62
_NARROW: Final = math.cos(math.radians(35.3))
_DEGREE: Final = 388.0 / (8.93 * _NARROW)
"""Pixels of a degree of latitude: the state fills the width of a picture."""


def tables_html(data: TreatmentData, colours: Palette) -> str:
    """The pictures as HTML."""
    names = [state.NOTHING, *pictured(data)]
    figures = "".join(_figure(data, name, colours) for name in names)
    # Three in a row where there is room, else fewer.
    columns = "repeat(auto-fit,minmax(max(30%,min(100%,330px)),1fr))"
    return (
        f'<div style="display:grid;gap:10px 16px;grid-template-columns:{columns}">{figures}</div>'
    )


def _figure(data: TreatmentData, name: str, colours: Palette) -> str:
    number, of = error_and_unit(data, name)
    title = TITLES[name]
    alt = f"{title}: {number} {of}; {picture_note(data, name)}."
    marks = disclosed = np.zeros(data.counts.size, np.bool_)
    if name == HIDE:
        marks = data.table.hidden
        if data.attack_result.disclosed_cells is not None:
            disclosed = data.attack_result.disclosed_cells
    areas = data.setup.scenario.dataset == InfantDeaths()
    draw = _counties if areas else _columns
    body = draw(data, data.treatments[name].release.estimate, marks, disclosed, colours)
    return _form("picture.html").substitute(
        title=escape(title),
        number=number,
        unit=escape(of),
        sea=colours.choose("#E3EAF1", "#0A121D"),
        ground=_ground_colour(colours),
        size=f"0 0 {_WIDE:g} {_HIGH:g}",
        alt=escape(alt),
        body=body,
        chip=_chip(data.attack_result.outcomes[name]),
        note=escape(picture_note(data, name)),
    )


def _chip(outcome: AttackOutcome) -> str:
    if outcome.share is None:
        return ""
    ground = "#8A3600" if outcome.sure and outcome.share > 0 else "#0068A5"
    text = f"attacker: {of_hundred(outcome.share)} of 100"
    return _form("chip.html").substitute(ground=ground, text=text)


@cache
def _form(name: str) -> Template:
    """A form with its styles: drawings are out of the style sheet's reach."""
    return Template(Path(__file__).with_name(name).read_text("utf-8"))


def _ground_colour(colours: Palette) -> str:
    return colours.choose("#FAFBFC", "#101B2A")


def _counties(
    data: TreatmentData, estimate: Floats, hidden: Bools, disclosed: Bools, colours: Palette
) -> str:
    """One period's counties, as bright as their counts; hidden ones hatched, found ones framed."""
    period = data.record.period
    at = slice(period, None, len(PERIODS))
    top = float(data.counts[at].max())
    line = colours.choose("rgba(70,90,110,.55)", "rgba(190,205,222,.42)")
    parts, rings = [], []
    for path, value, is_hidden, is_disclosed in zip(
        _paths(), estimate[at], hidden[at], disclosed[at], strict=True
    ):
        fill = "url(#hidden)" if is_hidden else _colour(float(value) / top, colours)
        parts.append(f'<path d="{path}" fill="{fill}"/>')
        if is_disclosed:
            rings.append(path)
    frames = f'<path d="{"".join(rings)}" fill="none" stroke="#F0A040" stroke-width="2.2"/>'
    return (
        f'<g stroke="{line}" stroke-width=".7">{"".join(parts)}</g>'
        f"{frames if rings else ''}"
        '<text x="10" y="22" font-size="14" fill="currentColor">'
        f"{PERIODS[period]}, up to {top:.0f}</text>"
    )


def _colour(share: float, colours: Palette) -> str:
    """A colour by the root of a share of the largest count; next to nothing has the ground's."""
    if share <= 0.001:
        return _ground_colour(colours)
    level = round(min(math.sqrt(share), 1.0) * (LEVELS - 1))
    light, dark = ("rgb({},{},{})".format(*ramp[level].tolist()) for ramp in (BLUES, CIVIDIS))
    return colours.choose(light, dark)


@cached
def _paths() -> tuple[str, ...]:
    """The counties' outlines as SVG paths, in the order of their groups."""
    return tuple("".join(map(_path, rings)) for rings in county_outlines())


def _path(ring: Floats) -> str:
    across = (ring[:, 0] - _WEST) * _NARROW * _DEGREE + 6
    down = (_NORTH - ring[:, 1]) * _DEGREE + _TOP
    points = (f"{x:.1f},{y:.1f}" for x, y in zip(across, down, strict=True))
    return f"M{'L'.join(points)}Z"


def _columns(
    data: TreatmentData, estimate: Floats, hidden: Bools, disclosed: Bools, colours: Palette
) -> str:
    """A column a value, with the truth as a line across it; hidden ones hatched."""
    cells = _largest(data.counts)
    top = 1.15 * max(float(data.counts.max()), 1.0)
    frame = Frame((_WIDE, _HIGH), (10, _TOP, _WIDE - 10, _HIGH - _FOOT), (0, cells.size), (0, top))
    parts = []
    for place, cell in enumerate(cells.tolist()):
        fill = "url(#hidden)" if hidden[cell] else colours.ours
        edge = "#F0A040" if disclosed[cell] else "none"
        height = min(max(float(estimate[cell]), 0.0), top)
        corners = [(place, 0), (place, height), (place + 0.78, height), (place + 0.78, 0)]
        parts.append(frame.path(corners, f"fill:{fill};stroke:{edge};stroke-width:2"))
        truth = float(data.counts[cell])
        line = "stroke:currentColor;stroke-width:1.5"
        parts.append(frame.path([(place - 0.05, truth), (place + 0.83, truth)], line))
    return "".join(parts)


def _largest(counts: Ints) -> Ints:
    """The cells that are drawn, in their order: all, or the largest ones."""
    if counts.size <= _BARS_MAX:
        return np.arange(counts.size)
    return np.sort(np.argsort(-counts, kind="stable")[:_BARS_MAX])


def tables_csv(data: TreatmentData) -> bytes:
    """One row per cell with people or a hidden count: what each treatment publishes, in people."""
    cells = np.flatnonzero((data.counts > 0) | data.table.hidden).tolist()
    columns: dict[str, object] = {
        name: [column[cell] for cell in cells]
        for name, column in place_columns(data.domain).items()
    }
    columns["larger cell"] = data.labels[cells].tolist()
    for name, each in data.treatments.items():
        columns[TITLES[name]] = each.release.estimate[cells].round(3).tolist()
    columns["hidden"] = data.table.hidden[cells].tolist()
    return runs.csv(columns)
