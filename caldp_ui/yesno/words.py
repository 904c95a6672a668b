"""Sentences of the page. Each must be true of the scenario that it is shown with.

Room: yesno.
"""

import math

from caldp_ui.words import formats, told_levels
from caldp_ui.words.strength import strength
from caldp_ui.yesno.shown import Coin, Shown, people_warner_needs
from caldp_ui.yesno.slot import question

ANSWERS = ("no", "yes")


def of_hundred(probability: float) -> str:
    """Natural frequency; certain is certain, and only then."""
    if probability in (0.0, 1.0):
        return "all 100" if probability else "none of 100"
    said = formats.hundred(probability)
    return "fewer than 1 of 100" if said == "0" else f"{said} of 100"


def headline(what: Shown) -> str:
    """What the reports say, and what Warner's coin would take for the same."""
    ours = what.ours
    people = formats.people(ours.result.setup.n)
    said = f"**{100 * ours.low:.1f} to {100 * ours.high:.1f} %** have yes, say {people} reports"
    truth = f"truly {100 * what.truth:.3g} %"
    factor = people_warner_needs(what)
    if factor < 1.005:
        return f"{said} ({truth})."
    more = "no number of" if math.isinf(factor) else f"**{formats.times(factor)}** as many"
    return f"{said} ({truth}). Plain LDP, Warner's coin, needs {more} people for that."


def column(coin: Coin) -> dict[str, str]:
    """The numbers of one coin."""
    policy = question(coin.result.setup.scenario)
    after = [
        "nobody sends it" if right is None else of_hundred(right) for right in coin.right_after
    ]
    return {
        "ε of yes": told_levels.level(policy.epsilon_10),
        "ε of no": told_levels.level(policy.epsilon_01),
        "with yes, send yes": of_hundred(coin.says_yes[1]),
        "with no, send yes": of_hundred(coin.says_yes[0]),
        "right after “yes”, from 50:50": after[1],
        "right after “no”, from 50:50": after[0],
        "unbiased estimate of yes": f"{100 * coin.estimate:.2f} %",
        "95 % range": f"{100 * coin.low:.2f} to {100 * coin.high:.2f} %",
        "standard error (exact)": f"{100 * coin.deviation:.2f} points",
    }


def gives_away(coin: Coin, report: int) -> tuple[str, str]:
    """The word for what a report leaves hidden, and the sentence on it."""
    right = coin.right_after[report]
    answer = ANSWERS[report]
    if right is None:
        return "strong", f"Nobody sends “{answer}”."
    word = strength(min(right, 1.0)).word
    return word, f"of those who sent “{answer}” truly have it, if it was 50:50 before"


def alt_plane(what: Shown, pinned: Shown | None) -> str:
    """The plane of errors for those who do not see it."""
    ours, warner = what.ours.errors, what.warner.errors
    kept = "" if pinned is None else f" Pinned: {_errors(pinned.ours)}."
    return (
        "Plane of the two errors of a guess from a report. Below a bent line no mechanism of this "
        f"promise comes; this protection is at its corner, {of_hundred(ours.false_alarm)} people "
        f"with yes taken for no, {of_hundred(ours.missed)} with no taken for yes. Warner's coin: "
        f"{of_hundred(warner.false_alarm)} and {of_hundred(warner.missed)}.{kept}"
    )


def _errors(coin: Coin) -> str:
    return f"{of_hundred(coin.errors.false_alarm)} and {of_hundred(coin.errors.missed)}"


def alt_likely(what: Shown) -> str:
    """The dotplot for those who do not see it."""
    ours, warner = what.ours, what.warner
    return (
        f"Two heaps of 50 dots, equally likely shares of yes. This protection: 95 % of them from "
        f"{100 * ours.low:.1f} to {100 * ours.high:.1f} percent; Warner's coin: from "
        f"{100 * warner.low:.1f} to {100 * warner.high:.1f}. Truth: {100 * what.truth:.3g}."
    )
