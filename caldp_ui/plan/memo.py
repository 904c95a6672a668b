"""What can be copied into a memo: in plain words, and for those who build it.

Every sentence here must be true of the numbers that it is made of.
"""

from collections.abc import Sequence
from typing import Final

from caldp_core.audit.adversary import guessed_right
from caldp_core.mechanisms.catalogue import MECHANISMS
from caldp_ui.compute import runs
from caldp_ui.plan import words, work
from caldp_ui.plan.regions import Margins
from caldp_ui.plan.slot import RELATIVE, Plan
from caldp_ui.plan.words import Points
from caldp_ui.words import formats, policies

_NAMED: Final = 8
"""Most margins that a memo names one by one."""
_OTHERS: Final = (0.5, 1.0, 2.0, 4.0)
"""ε's at which a memo tells how many people the same accuracy takes."""
_SAME_LEVEL: Final = 0.05


def plain(record: Plan, points: Points, margins: Margins | None) -> str:
    """Paragraphs in plain words, in both directions.

    For the reader's people: ε, who is protected, what an attacker can guess, and the margin of
    every group. For the accuracy: how many people at other ε. Where not everybody is protected,
    that comes first.
    """
    need, level = words.need_and_level(record, points)
    nouns, setup = words.nouns(record), words.setup_at(record, level)
    told = policies.told(nouns, setup)
    guess = policies.in_short(nouns, setup)
    all_covered = told.covered >= 1.0
    now = f"{need} At ε = {level:g}, {words.lower(guess)}"
    first = now if all_covered else f"{guess} {need}"
    there = "" if margins is None else f" {margins_told(record, margins, level)}"
    last = (
        f"What it does not hide: {words.lower(told.not_promised[0])} This is planned with the "
        f"data “{setup.dataset.name}”. Other data with as many {nouns.units} need similar numbers, "
        "not the same."
    )
    back = other_way(record, points, level, all_covered)
    return "\n\n".join(part for part in (f"{first}{there}", back, last) if part)


def margins_told(record: Plan, margins: Margins, level: float) -> str:
    """The margin of every group, or of the best and the worst known where there are many."""
    people = formats.people(runs.people(record.scenario))
    start = f"With {people} people at ε = {level:g}, 95 of 100 surveys are right"
    rows = list(zip(margins.names, margins.margins.tolist(), strict=True))
    if len(rows) > _NAMED:
        rows.sort(key=lambda row: row[1])
        (best, least), (worst, most) = rows[0], rows[-1]
        return (
            f"{start} to {_points(least)} percentage points for “{best}”, the best known of "
            f"{formats.exactly(len(rows))} {words.units(record)}, and to {_points(most)} for "
            f"“{worst}”, the worst."
        )
    (first, margin), *others = rows
    named = [f"to {_points(margin)} percentage points for “{first}”"]
    named += [f"to {_points(other)} for “{name}”" for name, other in others]
    return f"{start} {_listed(named)}, each by itself."


def _points(margin: float) -> str:
    return f"± {formats.digits(100 * margin)}"


def _listed(parts: Sequence[str]) -> str:
    *most, last = parts
    return f"{', '.join(most)} and {last}" if most else last


def other_way(record: Plan, points: Points, level: float, all_covered: bool) -> str:
    """The same accuracy at other ε: people, and the odds where everybody is protected."""
    near = [
        need
        for need in points[record.protection]
        if need.people and need.epsilon in _OTHERS and abs(need.epsilon - level) > _SAME_LEVEL
    ]
    if not near:
        return ""
    told = _listed([f"{words.about(n.people or 0)} people at ε = {n.epsilon:g}" for n in near])
    if not all_covered:
        return f"The same accuracy takes {told}."
    right = _listed([formats.hundred(guessed_right(n.epsilon)) for n in near])
    return (
        f"The same accuracy takes {told}. The attacker is then right at most {right} times in 100."
    )


def technical(record: Plan, points: Points) -> str:
    """The same for those who build it: protection, method, estimate and how often it holds.

    Empty where the number of people is not known.
    """
    told = words.at_level(record, points)
    if not told:
        return ""
    method = MECHANISMS[words.setup_at(record, record.epsilon).mechanism_name].title
    how = "in 95 of 100 repetitions each" if record.goal in RELATIVE else "on average"
    return (
        f"{told} The goal is to {words.goal(record)}, {how}. The method is {method} with one "
        f"report per person, and the estimate is “{work.estimate_called(record)}”. Margins are "
        "95 % ranges by the exact variance of each sum of estimated shares; how many people are in "
        "a whole block is known."
    )
