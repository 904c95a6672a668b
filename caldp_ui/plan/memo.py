"""The texts for a memo: in plain words, and for those who build it.

Every sentence here must be true of the numbers that it is made of.
"""

from collections.abc import Sequence
from typing import Final

from caldp_core.audit.adversary import max_guess_accuracy
from caldp_core.mechanisms.catalogue import MECHANISMS
from caldp_ui.compute import runs
from caldp_ui.plan import people_needed, words
from caldp_ui.plan.page_state import RELATIVE, Plan
from caldp_ui.plan.regions import Margins
from caldp_ui.plan.words import Points
from caldp_ui.words import formats, policies

_NAMES_MAX: Final = 8
"""The most margins that a memo names one by one."""
_OTHER_EPSILONS: Final = (0.5, 1.0, 2.0, 4.0)
"""ε's at which a memo says how many people the same accuracy takes."""
_SAME_LEVEL: Final = 0.05


def plain_memo(record: Plan, points: Points, margins: Margins | None) -> str:
    """Paragraphs in plain words, in both directions.

    For the reader's people: ε, who is protected, what an attacker can guess, and the margin of
    every group. For the accuracy: how many people at other ε. Where not everybody is protected,
    that comes first.
    """
    need, level = words.need_and_level(record, points)
    nouns, setup = words.nouns(record), words.setup_at(record, level)
    promise = policies.describe_promise(nouns, setup)
    guess = policies.promise_summary(nouns, setup)
    all_covered = promise.protects_all
    plan = f"{need} At ε = {level:g}, {words.lowercase_start(guess)}"
    first = plan if all_covered else f"{guess} {need}"
    margins_sentence = "" if margins is None else f" {margins_text(record, margins, level)}"
    last = (
        f"What it does not hide: {words.lowercase_start(promise.not_promised[0])} This is planned "
        "with the "
        f"data “{setup.dataset.name}”. Other data with as many {nouns.units} need similar numbers, "
        "not the same."
    )
    alternatives = alternatives_text(record, points, level, all_covered)
    return "\n\n".join(part for part in (f"{first}{margins_sentence}", alternatives, last) if part)


def margins_text(record: Plan, margins: Margins, level: float) -> str:
    """The margin of every group, or the least and the largest where there are many."""
    people = formats.counted(runs.people(record.scenario), "person", "people")
    start = f"With {people} at ε = {level:g}, 95 of 100 surveys are right"
    rows = list(zip(margins.names, margins.margins.tolist(), strict=True))
    if len(rows) > _NAMES_MAX:
        rows.sort(key=lambda row: row[1])
        (best, least), (worst, most) = rows[0], rows[-1]
        return (
            f"{start} to {_margin_text(least)} percentage points for “{best}”, the best known of "
            f"{formats.integer(len(rows))} {words.units(record)}, and to {_margin_text(most)} for "
            f"“{worst}”, the worst."
        )
    (first, margin), *others = rows
    named = [f"to {_margin_text(margin)} percentage points for “{first}”"]
    named += [f"to {_margin_text(other)} for “{name}”" for name, other in others]
    return f"{start} {_enumerate_texts(named)}, each by itself."


def _margin_text(margin: float) -> str:
    return f"± {formats.digits(100 * margin)}"


def _enumerate_texts(parts: Sequence[str]) -> str:
    *most, last = parts
    return f"{', '.join(most)} and {last}" if most else last


def alternatives_text(record: Plan, points: Points, level: float, all_covered: bool) -> str:
    """The same accuracy at other ε: people, and the odds where everybody is protected."""
    near = [
        need
        for need in points[record.protection]
        if need.people
        and need.epsilon in _OTHER_EPSILONS
        and abs(need.epsilon - level) > _SAME_LEVEL
    ]
    if not near:
        return ""
    needs = _enumerate_texts(
        [f"{words.people_text(n.people or 0)} at ε = {n.epsilon:g}" for n in near]
    )
    if not all_covered:
        return f"The same accuracy takes {needs}."
    right = _enumerate_texts([formats.hundred(max_guess_accuracy(n.epsilon)) for n in near])
    return (
        f"The same accuracy takes {needs}. The attacker is then right at most {right} times in 100."
    )


def technical_memo(record: Plan, points: Points) -> str:
    """The plan for those who build it: protection, method, estimate and how often it holds.

    Empty where the number of people is not known.
    """
    level = words.level_sentence(record, points)
    if not level:
        return ""
    method = MECHANISMS[words.setup_at(record, record.epsilon).mechanism_name].title
    how = "in 95 of 100 repetitions each" if record.goal in RELATIVE else "on average"
    return (
        f"{level} The goal is to {words.goal_text(record)}, {how}. The method is {method} with one "
        f"report per person, and the estimate is “{people_needed.estimate_title(record)}”. "
        "Margins are "
        "95 % ranges by the exact variance of each sum of estimated shares; how many people are in "
        "a whole block is known."
    )
