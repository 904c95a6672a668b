"""The view of one person: sentences, the maps of the attacker's beliefs, and their films.

Each sentence must be true of the scenario that it is shown with. Films go over ε, day by day, and
through what each day's report shows alone.
"""

import math
from collections.abc import Sequence
from dataclasses import replace
from html import escape
from typing import Final

import numpy as np

from caldp_core.audit.inference import BestGuess, credible_set
from caldp_core.basics.cache import cached_by
from caldp_core.basics.types import Floats, Progress
from caldp_core.domain.domains import Area, GridDomain
from caldp_ui.adversary import page_state
from caldp_ui.adversary.page_state import BeliefData
from caldp_ui.app.texts import read_texts
from caldp_ui.app.theme import LIGHT
from caldp_ui.compute import runs
from caldp_ui.controls.common import epsilon_slider, field_slider
from caldp_ui.maps.scene import ground, home, shared_pictures
from caldp_ui.parts import layout
from caldp_ui.parts.pins import SliderFilm
from caldp_ui.shell.page import View
from caldp_ui.stage import records
from caldp_ui.words import accuracy, formats, policies, promise
from caldp_ui.words.formats import PLACES, Headline, percent, place_name, strength

TEXTS: Final = read_texts(__file__)

_CERTAIN: Final = 1.0 - 1e-12
"""Chances from here on count as 1, as sums of floats have rounding errors."""


def headline(data: BeliefData) -> Headline:
    """The chance that the attacker gives the true place; beside it one stored report, plain LDP."""
    days = data.record.days
    open_to_all = describe_unprotected(data)
    cases = _cases(data, days)
    return Headline(
        _chance_now(data, days, open_to_all),
        _comparison_sentence(data, cases),
        bool(open_to_all),
        {"now": 100 * data.ours.chance_of_truth(days)} | {case: 100 * at for case, at in cases},
    )


def describe_unprotected(data: BeliefData) -> str:
    """Who is not protected: this person, or how many others; empty where everybody is."""
    if data.odds is None:
        return "This person is not protected"
    covered = promise.protected_share(data.ours.setup)
    if covered >= _CERTAIN:
        return ""
    return f"{formats.out_of_few(1.0 - covered)} people are not protected; this person is"


def _chance_now(data: BeliefData, days: int, open_to_all: str) -> str:
    chance = chance_with_article(data.ours.chance_of_truth(days))
    when = f"after {formats.count(days, 'fresh report', 'fresh reports')}" if days else "as yet"
    if open_to_all:
        return f"{open_to_all}: {when} the attacker gives the true place {chance} chance."
    if not days:
        return f"Before any report the attacker gives the true place {chance} chance."
    return f"{when.capitalize()} the attacker gives the true place {chance} chance."


def chance_with_article(share: float) -> str:
    """A chance with its article: "a 63 %", "an 83 %", "more than a 99.99 %"."""
    chance = formats.percentage(share)
    whole = int(float(chance.number))
    article = "an" if whole in {8, 11, 18, *range(80, 90)} else "a"
    return f"{chance.bound} {article} {chance.number} %".lstrip()


def _cases(data: BeliefData, days: int) -> list[tuple[str, float]]:
    """Other cases, with the chance of the true place in each; none before any report."""
    if not days:
        return []
    cases = []
    if days > 1:
        cases.append(("if the phone repeats one stored report", data.ours.chance_of_truth(1)))
    if not accuracy.is_plain(data.ours.setup):
        cases.append(("with plain LDP", data.plain.chance_of_truth(days)))
    return [*cases, ("before any report", data.ours.chance_of_truth(0))]


def _comparison_sentence(data: BeliefData, cases: Sequence[tuple[str, float]]) -> str:
    """The chance in other cases; cases with equal rounded numbers share one."""
    if not cases:
        return "The attacker knows only how many people are where."
    block = promise.block_name(PLACES, data.record.scenario)
    reads = "" if block == PLACES.whole else f" Every report shows the {block}."
    return f"The chance is {_joined(cases)}.{reads}"


def _joined(cases: Sequence[tuple[str, float]]) -> str:
    """Each number with its cases: “34 % if …, 1 % with …, and 0.3 % before …”."""
    by_number: dict[str, list[str]] = {}
    for case, share in cases:
        by_number.setdefault(percent(share), []).append(case)
    parts = [f"{number} {' or '.join(alike)}" for number, alike in by_number.items()]
    if len(parts) < 3:
        return " and ".join(parts)
    return f"{', '.join(parts[:-1])}, and {parts[-1]}"


def single_report_headline(day: int, ours: float, plain: float) -> Headline:
    """What one day's report shows alone."""
    chance = chance_with_article(ours)
    return Headline(
        f"From report {day} alone the attacker gives the true place {chance} chance.",
        f"The chance is {percent(plain)} with plain LDP.",
        figures={"ours": 100 * ours, "plain": 100 * plain},
    )


def subtitle(domain: GridDomain, beliefs: Floats) -> str:
    """The best guess, and how many places are 95 % likely to hold the person."""
    guess = int(np.argmax(beliefs))
    places = formats.count(credible_set(beliefs).size, "place", "places")
    best = place_name(domain, guess)
    return f"best guess {best}, {percent(float(beliefs[guess]))}; 95 % likely area: {places}"


def grades(data: BeliefData) -> list[tuple[float, str]]:
    """How well this person is protected, as chances of a right guess, and after which reports."""
    if data.odds is None:
        return [(1.0, "for this person")]
    days = data.record.days
    many = [(data.odds[1], f"for {days} fresh reports")] if days > 1 else []
    return [(data.odds[0], "for 1 report"), *many]


def odds_sentence(domain: GridDomain, data: BeliefData) -> str:
    """How often the choice between the true place and another is right, at most."""
    if data.odds is None:
        return no_pair(domain, data.record.place)
    days, (once, many) = data.record.days, data.odds
    block = promise.block_name(PLACES, data.record.scenario)
    where = "another" if block == PLACES.whole else f"another of its {block}"
    sentence = TEXTS["must_choose"].format(where=where, right=promise.right_guess_text(once))
    return (
        f"{sentence}." if days < 2 else f"{sentence}; after {days} fresh ones it is {_most(many)}."
    )


def _most(share: float) -> str:
    best = formats.hundred(share)
    return f"**{best}**" if formats.is_almost_sure(share) else f"at most **{best}**"


def prior_text(data: BeliefData) -> str:
    """What the attacker knows before any report, and how far one report changes that."""
    block = promise.block_name(PLACES, data.record.scenario)
    within = "" if block == PLACES.whole else f" of one {block}"
    factor = formats.times(math.exp(promise.largest_epsilon(data.record.scenario)))
    return TEXTS["prior"].format(within=within, factor=factor)


def candidates(domain: GridDomain, data: BeliefData, pair: page_state.CandidatePair) -> str:
    """The chances of two candidates, equally likely before, after this outcome's reports."""
    here, there = place_name(domain, data.record.place), place_name(domain, pair.rival)
    days = data.record.days
    given = "this fresh report gives" if days == 1 else f"these {days} fresh reports give"
    return (
        f"If {here} and {there} were equally likely before, {given} {here} a "
        f"**{percent(pair.fresh_chance)}** chance (limit: {percent(pair.fresh_limit)}), and one "
        f"stored report **{percent(pair.stored_chance)}** (limit: {percent(pair.stored_limit)})."
    )


def no_pair(domain: GridDomain, record_place: int) -> str:
    """A place that hides among no other, so that nothing is promised."""
    return TEXTS["no_pair"].format(place=place_name(domain, record_place))


def alt_curve(data: BeliefData) -> str:
    """Alt text of the chart above the slider of days."""
    ours, plain, last = data.ours, data.plain, len(data.ours.beliefs) - 1
    return (
        f"Chance given to the true place, over {last} days. With fresh reports it goes from "
        f"{percent(ours.chance_of_truth(1))} to {percent(ours.chance_of_truth(last))}; with one "
        f"stored report it stays at {percent(ours.chance_of_truth(1))}; with plain LDP it ends at "
        f"{percent(plain.chance_of_truth(last))}."
    )


def alt_limits(data: BeliefData) -> str:
    """Alt text of the chart of limits."""
    most, last = data.ours.limits, len(data.ours.beliefs) - 1
    return (
        f"{alt_curve(data)} No fresh reports lead beyond {percent(most[last])}, no stored one "
        f"beyond {percent(most[1])}."
    )


def alt_regions(right: float, most: float, here: str, there: str) -> str:
    """Alt text of the chart of errors."""
    return TEXTS["regions_alt"].format(
        here=here, there=there, most=formats.hundred(most), right=formats.hundred(right)
    )


def guess_sentence(ours: BestGuess | None, plain: BestGuess | None, block: str) -> str:
    """How often the best guess of anybody's place is right, before and after a report."""
    if ours is None:
        return TEXTS["guess_too_slow"]
    shares = [ours.before, ours.after, *([plain.after] if plain else [])]
    counts, number = formats.out_of_one(*shares)
    plain_sentence = f" With plain LDP it is **{counts[2]}**." if plain else ""
    start = TEXTS["right_guesses"].format(*counts, number=number, plain=plain_sentence)
    if ours.others == 0.0:
        caveat = "" if block == PLACES.whole else f", but every report shows the {block}"
        return f"{start} Every place is protected{caveat}."
    (hidden, others), number = formats.out_of_one(ours.hidden, ours.others)
    return TEXTS["both_guessed"].format(start=start, others=others, number=number, hidden=hidden)


PLAIN: Final = "plain"
STORED: Final = "kept"
OURS: Final = "ours"
DAYS: Final = "days"
EPSILON: Final = "epsilon"
"""The films over days and over ε, which the page follows."""
TITLES: Final = {
    OURS: "This protection, fresh reports",
    STORED: "One stored report",
    PLAIN: "Plain LDP, fresh reports",
}
"""The pictures in their order: the large one first."""
HERE: Final = "here"
CHANCES: Final = records.Scale(
    1e-4, 1.0, ((1e-4, "1 in 10,000"), (1e-2, "1 in 100"), (1.0, "1 in 1"))
)
"""The scale of chances; certainty is brightest."""
_ALIKE: Final = 1_000_000
"""People about whom the attacker knows the same: chances are read off the maps as people."""
_AROUND: Final = 3
"""Cells around the true place that its frame is wide: a cell alone is too small to see."""
_NOTE: Final = "bright: 95 % likely area"
_INVITATION: Final = "click to move the true place"
_HERE: Final = records.Action(
    HERE, "The person is here", {"look": "Click where the person truly is, or choose a city below."}
)


def editable(shown: View) -> View:
    """The view with maps in which the person can be moved."""
    maps = replace(shown.maps, actions=(_HERE,), prompt=TEXTS["move_prompt"])
    return replace(shown, scene=maps)


def scene(data: BeliefData, domain: GridDomain) -> records.Scene:
    """Build the scene of the three beliefs."""
    record = data.record
    sources = {  # the attacker and how many reports they have seen
        PLAIN: (data.plain, record.days),
        STORED: (data.ours, min(record.days, 1)),
        OURS: (data.ours, record.days),
    }
    pictures = tuple(_belief_after(name, *sources[name], domain) for name in TITLES)
    return records.Scene(
        ground(data.ours.setup, domain, frame(domain, record.place)),
        pictures,
        _ALIKE,
        (STORED, OURS),
        focus=_focus(data, domain),
        arrangement=records.Arrangement((OURS,), (STORED, PLAIN)),
        scale=CHANCES,
        scale_title="chance in a cell, log scale:",
        film_values={DAYS: float(record.days), EPSILON: promise.largest_epsilon(record.scenario)},
        prompt="Point at a place for the expected number per million such people.",
        mark_words={**records.MARK_WORDS, "box": "true place"},
        label="What an attacker learns",
        image_name="caldp-attacker",
        image_lines=(
            policies.promise_summary(PLACES, data.ours.setup),
            headline(data).sentence,
            policies.setting_text(data.ours.setup),
        ),
        **shared_pictures(data.ours.setup),
    )


@cached_by(lambda name, at, day, *_: (name, runs.key(at.setup.scenario), at.place, day))
def _belief_after(
    name: str, attacker: page_state.Attacker, day: int, domain: GridDomain
) -> records.Picture:
    return _picture(name, attacker.beliefs[day], domain, attacker.place)


def lit_from(beliefs: Floats) -> float:
    """Chance from which cells are bright: the least within the 95 % likely area.

    A thousandth lower, as codes round.
    """
    return max(records.SCALE.low, 0.999 * float(beliefs[credible_set(beliefs)[-1]]))


def _picture(name: str, chances: Floats, domain: GridDomain, place: int) -> records.Picture:
    """(k,) chances, with that of the true place as its large number."""
    fact = records.Fact(formats.percent(float(chances[place])), "chance of the true place")
    title, likely = TITLES[name], subtitle(domain, chances)
    return records.Picture(
        name,
        title,
        likely,
        f"Map of where the attacker expects the person, {title[0].lower()}{title[1:]}: "
        f"{fact.number} {fact.text}; {likely}.",
        records.encode(chances),
        lit_from(chances),
        marks=("sensitive",) if name == PLAIN else ("blocks", "sensitive"),
        fact=fact,
        notes=("", _NOTE if name == OURS else ""),
        invitation=_INVITATION if name == OURS else "",
    )


def _focus(data: BeliefData, domain: GridDomain) -> records.Focus:
    """Where the maps zoom to: the block of the true place."""
    labels = data.ours.setup.partition.labels
    block = int(labels[data.record.place])
    rows, columns = domain.row_column(np.flatnonzero(labels == block))
    south, north = (domain.south + domain.cell * edge for edge in (rows.min(), rows.max() + 1))
    west, east = (domain.west + domain.cell * edge for edge in (columns.min(), columns.max() + 1))
    whole = labels.size == rows.size
    area = home(domain) if whole else Area(float(south), float(north), float(west), float(east))
    return records.Focus(area, 1 + block + 100_000 * int(labels.max()))


def frame(domain: GridDomain, place: int, around: int = _AROUND) -> Area:
    """The place's cell and `around` cells on each side, in degrees."""
    (row,), (column,) = domain.row_column([place])
    low = np.maximum(np.array([row, column]) - around, 0)
    high = np.minimum(np.array([row, column]) + around + 1, [domain.rows, domain.columns])
    (south, west), (north, east) = low * domain.cell, high * domain.cell
    return Area(
        round(domain.south + float(south), 6),
        round(domain.south + float(north), 6),
        round(domain.west + float(west), 6),
        round(domain.west + float(east), 6),
    )


DAY_SLIDER: Final = field_slider("days", range(page_state.DAYS_MAX + 1))


def odds_html(data: BeliefData, domain: GridDomain) -> str:
    """How well this person is protected, as HTML for page and films."""
    graded = grades(data)
    badges = "".join(
        f'<span class="grade {strength(chance).word}">{strength(chance).word} {escape(when)}</span>'
        for chance, when in graded
    )
    sentence = layout.as_html(odds_sentence(domain, data))
    return f'<div class="odds graded"><p><b>Protection:</b>{badges}</p>{sentence}</div>'


def slider_films(record: page_state.AttackerState) -> list[SliderFilm[page_state.AttackerState]]:
    """Films over days and ε; none over ε where the context has several."""
    many = isinstance(record.scenario.context.epsilon, tuple)
    return [OVER_DAYS] if many else [OVER_DAYS, OVER_EPSILON]


def single_reports_film(data: BeliefData, domain: GridDomain, progress: Progress) -> records.Film:
    """A film of ten reports about one place, each alone; a stored one is always the same."""
    maps, place, steps = scene(data, domain), data.record.place, []
    for day in range(1, page_state.DAYS_MAX + 1):
        progress((day - 1) / page_state.DAYS_MAX)
        beliefs = {
            OURS: data.ours.single_report_belief(day),
            STORED: data.ours.stored_belief(1),
            PLAIN: data.plain.single_report_belief(day),
        }
        ours, plain = (float(beliefs[name][place]) for name in (OURS, PLAIN))
        pictures = tuple(_picture(name, each, domain, place) for name, each in beliefs.items())
        day_headline = single_report_headline(day, ours, plain)
        step = View(day_headline, scene=replace(maps, pictures=pictures)).step()
        steps.append(replace(step, label=f"report {day} alone", value=float(day)))
    return records.Film(
        "reports",
        "Ten reports, one by one",
        tuple(steps),
        follows=False,
        per_second=1.25,  # slow enough to read a picture's number
        loops=True,
        place=2,
        beside=page_state.STATE.key("another"),
    )


def view(data: BeliefData, *_: object) -> View:
    """The headline, the odds, and the maps; those of what is pinned are another scene."""
    risk = {layout.PLACE: odds_html(data, data.domain)}
    return View(headline(data), texts=risk, scene=scene(data, data.domain))


def render(record: page_state.AttackerState) -> records.Step:
    """Render one step of a film: the maps, the headline and the odds."""
    return view(page_state.load_data(record), None, LIGHT).step()


def depends_on(record: page_state.AttackerState) -> str:
    """What the maps and sentences of a record depend on, as a text."""
    return f"{runs.key(record.scenario)} {record.place} {record.days}"


OVER_DAYS: Final = SliderFilm[page_state.AttackerState](
    page_state.STATE,
    DAYS,
    "Day",
    DAY_SLIDER,
    render,
    depends_on,
    lambda reading: "before any report" if reading == "0" else f"day {reading}",
    stays=True,
)
OVER_EPSILON: Final = SliderFilm[page_state.AttackerState](
    page_state.STATE, EPSILON, "Privacy level ε", epsilon_slider(), render, depends_on, place=1
)
