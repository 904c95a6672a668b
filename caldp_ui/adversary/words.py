"""Sentences of the page. Each must be true of the scenario that it is shown with."""

import math
from collections.abc import Sequence
from typing import Final

import numpy as np

from caldp_core.audit.inference import BestGuess
from caldp_core.basics.types import Floats
from caldp_core.domain.grid import GridDomain
from caldp_ui.adversary.beliefs import BeliefData, CandidatePair, likely_area
from caldp_ui.words import formats, promise
from caldp_ui.words.formats import percent
from caldp_ui.words.headline import Headline
from caldp_ui.words.promise_text import right_guess_text
from caldp_ui.words.towns import place_name
from caldp_ui.words.vocabulary import PLACES

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
    chance = _a(percent(data.ours.chance_of_truth(days)))
    when = f"after {formats.count(days, 'fresh report', 'fresh reports')}" if days else "as yet"
    if open_to_all:
        return f"{open_to_all}: {when} the attacker gives the true place {chance} chance."
    if not days:
        return f"Before any report the attacker gives the true place {chance} chance."
    return f"{when.capitalize()} the attacker gives the true place {chance} chance."


def _a(chance: str) -> str:
    """A chance with its article: "a 63 %", "an 83 %", "less than a 0.01 %"."""
    least = "less than "
    more, number = (least, chance.removeprefix(least)) if chance.startswith(least) else ("", chance)
    whole = number.split()[0].partition(".")[0]
    article = "an" if whole.startswith("8") or whole in {"11", "18"} else "a"
    return f"{more}{article} {number}"


def _cases(data: BeliefData, days: int) -> list[tuple[str, float]]:
    """Other cases, with the chance of the true place in each; none before any report."""
    if not days:
        return []
    cases = (
        [("if the phone repeats one stored report", data.ours.chance_of_truth(1))]
        if days > 1
        else []
    )
    if data.plain.setup.scenario != data.ours.setup.scenario:
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
    """What one day's report shows by itself."""
    return Headline(
        f"From report {day} alone the attacker gives the true place {_a(percent(ours))} chance.",
        f"The chance is {percent(plain)} with plain LDP.",
        figures={"ours": 100 * ours, "plain": 100 * plain},
    )


def subtitle(domain: GridDomain, beliefs: Floats) -> str:
    """The best guess, and how many places are 95 % likely to hold the person."""
    guess = int(np.argmax(beliefs))
    places = formats.count(likely_area(beliefs).size, "place", "places")
    best = place_name(domain, guess)
    return f"best guess {best}, {percent(float(beliefs[guess]))}; 95 % likely area: {places}"


def grades(data: BeliefData) -> list[tuple[float, str]]:
    """How well this person is protected, as chances of a right guess, and after which reports."""
    if data.odds is None:
        return [(1.0, "for this person")]
    days = data.record.days
    many = [(data.odds[1], f"for {days} fresh reports")] if days > 1 else []
    return [(data.odds[0], "for 1 report"), *many]


def odds(domain: GridDomain, data: BeliefData) -> str:
    """How often the choice between the true place and another is right, at most."""
    if data.odds is None:
        return no_pair(domain, data.record.place)
    days, (once, many) = data.record.days, data.odds
    block = promise.block_name(PLACES, data.record.scenario)
    where = "another" if block == PLACES.whole else f"another of its {block}"
    sentence = (
        f"An attacker who must choose between the true place and {where}, both equally likely, "
        f"{right_guess_text(once)} after one report"
    )
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
    return (
        "**What the attacker knows before**: how many people are where, and nothing of this "
        "person. A thousandth of that is spread over all places, as no place is ruled out. An "
        "attacker who knows more begins elsewhere, but no single report changes the odds between "
        f"two protected places{within} by more than {factor}."
    )


def candidates(domain: GridDomain, data: BeliefData, pair: CandidatePair) -> str:
    """The chances of two candidates, equally likely before, after this outcome's reports."""
    here, there = place_name(domain, data.record.place), place_name(domain, pair.rival)
    days = data.record.days
    given = "this fresh report gives" if days == 1 else f"these {days} fresh reports give"
    return (
        f"If {here} and {there} were equally likely before, {given} {here} a "
        f"**{percent(pair.fresh_chance)}** chance (at most {percent(pair.fresh_limit)}), and one "
        "stored report "
        f"**{percent(pair.stored_chance)}** (at most {percent(pair.stored_limit)})."
    )


REPEATS: Final = (
    "**Fresh noise every day**: reports add up. After m of them privacy is m · ε (CALDP "
    "Proposition 2), and the attacker closes in on the truth. **One stored report**: the phone "
    "draws its noise once and repeats that report, so the last day shows what the first did. That "
    "holds as long as the person stays; one who moves sends another report, and both count."
)


def no_pair(domain: GridDomain, record_place: int) -> str:
    """A place that hides among no other, so that nothing is promised."""
    return (
        f"{place_name(domain, record_place)} is not protected: a report may name it, and nothing "
        "is promised."
    )


def alt_curve(data: BeliefData) -> str:
    """Alt text of the chart above the slider of days."""
    ours, plain, last = data.ours, data.plain, len(data.ours.beliefs) - 1
    return (
        f"Chance given to the true place, over {last} days. With fresh reports it goes from "
        f"{percent(ours.chance_of_truth(1))} to {percent(ours.chance_of_truth(last))}; with one "
        "stored report it "
        f"stays at {percent(ours.chance_of_truth(1))}; with plain LDP it ends at "
        f"{percent(plain.chance_of_truth(last))}."
    )


def alt_limits(data: BeliefData) -> str:
    """Alt text of the chart of limits."""
    most, last = data.ours.limits, len(data.ours.beliefs) - 1
    return (
        f"{alt_curve(data)} No fresh reports lead beyond {percent(most[last])}, no stored one "
        f"beyond {percent(most[1])}."
    )


REGIONS: Final = (
    "Each point is a test: how often it takes each place for the other. No test of any method that "
    "keeps ε is below the dashed line (CALDP Theorem 1), none of this method below the solid one. "
    "Where the two meet, no privacy is wasted. Of two values alone, the best method meets the "
    "dashed line everywhere (Theorem 2, see “Yes or no”); among many places no method need."
)


def alt_regions(right: float, most: float, here: str, there: str) -> str:
    """Alt text of the chart of errors."""
    return (
        f"Plane of the two errors of a guess between {here} and {there}: the line of what ε "
        f"allows, where the best even guess is right {formats.hundred(most)} of 100 times, and "
        f"above it the line that this method reaches, right {formats.hundred(right)} of 100 times."
    )


def guess_sentence(ours: BestGuess | None, plain: BestGuess | None, block: str) -> str:
    """How often the best guess of anybody's place is right, before and after a report."""
    if ours is None:
        return (
            "Not shown for this method, or for ε above 3: it takes too long to compute (for other "
            "methods on small domains see `caldp_core.audit.inference`)."
        )
    shares = [ours.before, ours.after, *([plain.after] if plain else [])]
    counts, number = formats.out_of_one(*shares)
    plain_sentence = f" With plain LDP it is **{counts[2]}**." if plain else ""
    start = (
        f"An attacker who knows only how many people are where guesses the largest place, and is "
        f"right for **{counts[0]} of {number}** people. With one report of each it is "
        f"**{counts[1]}**.{plain_sentence}"
    )
    if ours.others == 0.0:
        caveat = "" if block == PLACES.whole else f", but every report shows the {block}"
        return f"{start} Every place is protected{caveat}."
    (hidden, others), number = formats.out_of_one(ours.hidden, ours.others)
    return (
        f"{start} Of people in places that are not protected **{others} of {number}** are guessed "
        f"right, of those in protected places **{hidden}**."
    )
