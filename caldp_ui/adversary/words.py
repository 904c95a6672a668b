"""Sentences of the page. Each must be true of the scenario that it is shown with.

Room: adversary.
"""

from typing import Final

import numpy as np

from caldp_core.audit.best_guess import BestGuess
from caldp_core.basics.types import Floats
from caldp_core.domain.grid import GridDomain
from caldp_ui.adversary.beliefs import Onlooker, Pair, Shown, region
from caldp_ui.words import formats, promise
from caldp_ui.words.formats import per_hundred
from caldp_ui.words.towns import place_name
from caldp_ui.words.vocabulary import PLACES


def headline(what: Shown) -> str:
    """How much the onlooker believes in the truth: new reports, one kept, plain LDP, before."""
    ours, plain, days = what.ours, what.plain, what.record.days
    before = ours.on_truth(0)
    if not days:
        return f"Before any report an onlooker puts **{chance(before)}** on the true place."
    block = promise.block_of(PLACES, what.record.scenario)
    reads = "" if block == PLACES.whole else f" reads the {block} and"
    kept = f"; from one report, kept, {per_hundred(ours.on_truth(1))}" if days > 1 else ""
    return (
        f"From {formats.count(days, 'new report', 'new reports')} an onlooker{reads} puts "
        f"**{per_hundred(ours.on_truth(days))} of 100** on the true place{kept}; with plain LDP "
        f"{per_hundred(plain.on_truth(days))}; before any report {per_hundred(before)}."
    )


def alone(day: int, ours: float, plain: float) -> str:
    """What one day's report tells by itself."""
    return (
        f"From report {day} alone an onlooker puts **{per_hundred(ours)} of 100** on the true "
        f"place; with plain LDP {per_hundred(plain)}."
    )


def chance(share: float) -> str:
    """A chance as people."""
    return formats.out_of(share)


def percent(share: float) -> str:
    """A chance where several stand below each other, which all need one unit: "0.3 %"."""
    return f"{100 * share:.2g} %" if share < 0.995 else f"{100 * share:.4g} %"


def subtitle(domain: GridDomain, beliefs: Floats) -> str:
    """The best guess, and how many places make the onlooker 95 % sure."""
    guess = int(np.argmax(beliefs))
    places = formats.count(region(beliefs).size, "place", "places")
    best = place_name(domain, guess)
    return f"best guess {best} ({chance(float(beliefs[guess]))}); 95 % sure: {places}"


def odds(domain: GridDomain, what: Shown, pair: Pair) -> str:
    """Two candidates, from 50:50."""
    here, there = place_name(domain, what.record.place), place_name(domain, pair.rival)
    return (
        f"of 100 people for whom it was 50:50 between <em>{here}</em> (true) and "
        f"<em>{there}</em>, and who sent the same reports"
    )


REPEATS: Final = (
    "**New noise every day**: reports add up. The promise after m of them is m · ε (CALDP "
    "Proposition 2), and what is believed closes in on the truth. **Memoised**: the phone draws "
    "its noise once and repeats that report, so the last day tells what the first did. That holds "
    "as long as the person stays; one who moves sends another report, and both count."
)


def no_pair(domain: GridDomain, record_place: int) -> str:
    """Where nothing is promised."""
    return (
        f"{place_name(domain, record_place)} hides among no other place: a report may name it, "
        "and nothing is promised."
    )


def alt_days(ours: Onlooker, plain: Onlooker) -> str:
    """The chart of days for those who do not see it."""
    last = len(ours.after) - 1
    return (
        f"Curves over {last} days: chance that the onlooker puts on the true place. This "
        f"protection with new noise: from {chance(ours.on_truth(1))} to "
        f"{chance(ours.on_truth(last))}; with memoised noise it stays at "
        f"{chance(ours.on_truth(1))}; plain LDP with new noise ends at "
        f"{chance(plain.on_truth(last))}."
    )


REGIONS: Final = (
    "Each point is a test: how often it takes each place for the other. No test of any method that "
    "keeps ε is below the dashed line (CALDP Theorem 1), none of this method below the solid one. "
    "Where the two meet, no privacy is wasted. Of two values alone, the best method meets the "
    "dashed line everywhere (Theorem 2, see “Yes or no”); among many places no method need."
)


def alt_regions(right: float, most: float, here: str, there: str) -> str:
    """The chart of errors for those who do not see it."""
    return (
        f"Plane of the two errors of a guess between {here} and {there}: the line of what ε "
        f"allows, where the best even guess is right {formats.hundred(most)} of 100 times, and "
        f"above it the line that this method reaches, right {formats.hundred(right)} of 100 times."
    )


def anybody(ours: BestGuess | None, plain: BestGuess | None, block: str) -> str:
    """How often the best guess of anybody's place is right, before and after a report."""
    if ours is None:
        return (
            "Not shown for this method, or for ε above 3: it takes too long to reckon (for other "
            "methods on small domains see `caldp_core.audit.best_guess`)."
        )
    shares = [ours.before, ours.after, *([plain.after] if plain else [])]
    told, number = formats.out_of_one(*shares)
    beside = f"; with plain LDP **{told[2]}**" if plain else ""
    said = (
        f"Who knows only how many people are where guesses the largest place, and is right for "
        f"**{told[0]} of {number}** people; with each one's report for **{told[1]}**{beside}."
    )
    if ours.others == 0.0:
        read = "" if block == PLACES.whole else f", but the {block} is read"
        return f"{said} Every place is protected{read}."
    (hidden, others), number = formats.out_of_one(ours.hidden, ours.others)
    return said + (
        f" Of those in protected places **{hidden} of {number}** are guessed right, of the others "
        f"**{others}**."
    )
