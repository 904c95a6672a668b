"""Sentences of the page. Each must be true of the collection that it is shown with.

How many people have which value is an estimate in all of them: nobody knows the truth.
"""

import math
from typing import Final

import numpy as np

from caldp_core.audit.even_guess import pair_odds
from caldp_core.collect.collected_tally import MALFORMED, OTHER_PROTOCOL, OUT_OF_RANGE
from caldp_core.collect.results import Results
from caldp_core.domain.grid import GridDomain
from caldp_core.privacy.context import Context
from caldp_ui.words import coverage, formats, mixing
from caldp_ui.words.headline import Headline
from caldp_ui.words.promise_text import right_guess_text
from caldp_ui.words.towns import place_name
from caldp_ui.words.vocabulary import ANSWERS, PLACES, Vocabulary

MADE_UP: Final = "Made-up example:"
READING: Final = Headline("Your files are being read.")
REASONS: Final = {
    MALFORMED: ("broken", "no report at all, such as a line that broke off"),
    OTHER_PROTOCOL: ("of another question", "marked for another protocol: an old app, perhaps"),
    OUT_OF_RANGE: ("impossible", "nothing that a device of this collection sends"),
}
"""By the reason in a tally's books: a word or two for it, and what it is."""


def vocabulary(results: Results) -> Vocabulary:
    """What the sentences speak of."""
    return PLACES if isinstance(results.protocol.domain, GridDomain) else ANSWERS


def value_name(results: Results, value: int) -> str:
    """What readers call a value."""
    domain = results.protocol.domain
    if not isinstance(domain, GridDomain):
        return domain.name_of(value)
    return place_name(domain, value)


def percent_range(low: float, high: float) -> str:
    """The ends of an interval as per cent, with the decimals that tell them apart."""
    decimals = next((d for d in range(1, 6) if 100 * (high - low) >= 3 * 10.0**-d), 6)
    return f"{100 * low:.{decimals}f} to {100 * high:.{decimals}f} %"


def headline(results: Results, *, is_example: bool) -> Headline:
    """Who is not protected, if anybody; else what most people have; then the rest."""
    bare = coverage.unprotected_text(vocabulary(results), results.protected_share)
    first = int(np.argmax(results.shares))
    unit = vocabulary(results).unit
    name = value_name(results, first)
    found = (
        f"From {formats.people(results.reports)} reports we estimate that "
        f"{percent_range(results.low[first], results.high[first])} {vocabulary(results).belong} "
        "the "
        f"most common {unit}, {name if vocabulary(results) is PLACES else f'“{name}”'}."
    )
    about = f"{MADE_UP} " if is_example else ""
    question = results.protocol.question
    about += f"“{question}”" if question else ""
    if bare:
        return Headline(bare, f"{about} {found}".strip(), True)
    policy = results.protocol.mechanism.policy
    many = isinstance(policy, Context) and policy.m > 1
    within = " among the people of the same block, which it shows" if many else ""
    return Headline(found, f"{about} Each report hides its {unit}{within}.".strip())


def range_title(level: float) -> str:
    """What an interval of this level is, for a heading."""
    return f"{100 * level:g} % range"


def describe_attacker(results: Results, times: int) -> tuple[float, float, str]:
    """Most right guesses of 100 after one report and after so many; who they are about."""
    policy, unit = results.protocol.mechanism.policy, vocabulary(results).unit
    one, many = pair_odds(policy), pair_odds(policy, times)
    if not one.protected:
        return 1.0, 1.0, "One report is enough for that."
    about = f"a protected {unit} and another that it hides among, equally likely"
    return (
        one.largest,
        many.largest,
        f"An attacker who must choose between {about}, {right_guess_text(many.largest)}.",
    )


def reports_text(times: int) -> str:
    """So many reports, as the slider says it."""
    return formats.count(times, "report", "reports")


def promise_sentences(results: Results) -> list[str]:
    """What the protocol promises and what not, a sentence each; the unprotected first."""
    unit = vocabulary(results)
    hidden, k = int(results.hidden.sum()), results.hidden.size
    told = []
    if hidden < k:
        told.append(
            f"{formats.integer(k - hidden)} of {formats.count(k, unit.unit, unit.units)} are not "
            f"protected{_names_text(results, ~results.hidden)}: a report can name them."
        )
    if hidden:
        told.append(
            f"{formats.integer(hidden)} are protected{_names_text(results, results.hidden)}, "
            f"{_epsilon_text(results)} for one report. Fresh reports of one person add up."
        )
    policy = results.protocol.mechanism.policy
    if isinstance(policy, Context) and policy.m > 1:
        told.append(
            f"Every report shows its block, one of {formats.integer(policy.m)}: nobody hides "
            "behind people of another block."
        )
    told += [mixed] if (mixed := _mixing_sentence(results)) else []
    told.append("A report shows that someone took part.")
    told.append(
        "A fake report that a device could have sent is counted: the page “What an attacker "
        "learns” says how far fakes move an estimate."
    )
    return told


def _mixing_sentence(results: Results) -> str:
    """If reports are mixed, in the block with the most people; "" where that is not known."""
    found = results.record and results.record["privacy"].get("if_mixed")
    if not found or not found["blocks"]:
        return ""
    most = max(found["blocks"], key=lambda each: int(each["people"]))
    after = (most.get("epsilon", math.nan), most.get("epsilon_beside_open", math.nan))
    where = "" if len(found["blocks"]) == 1 else f" of the block “{most['block']}”"
    before = float(most["epsilon_of_one_report"])
    return mixing.describe_mixing(
        vocabulary(results), before, after, f"the {formats.people(most['people'])} reports{where}"
    )


_NAMED_MAX: Final = 12
"""More names than these are in the table of numbers."""


def _names_text(results: Results, flags: np.ndarray[tuple[int], np.dtype[np.bool_]]) -> str:
    few = np.flatnonzero(flags).tolist()
    if len(few) > _NAMED_MAX or vocabulary(results) is PLACES:
        return ""
    return f" ({', '.join(value_name(results, x) for x in few)})"


def _epsilon_text(results: Results) -> str:
    promise = results.protocol.plan.promise()
    least, most = promise["epsilon_least"], promise["epsilon_most"]
    return f"ε = {least:g}" if least == most else f"ε = {least:g} to {most:g}"
