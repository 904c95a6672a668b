"""Sentences of the page. Each must be true of the collection that it is shown with.

All numbers of people with a value are estimates: nobody knows the truth.
"""

import math
from typing import Final

import numpy as np

from caldp_core.audit.adversary import pair_odds
from caldp_core.audit.inference import readable_share
from caldp_core.collect.collected_tally import MALFORMED, OTHER_PROTOCOL, OUT_OF_RANGE
from caldp_core.collect.estimate import Results
from caldp_core.collect.record import LAW_KEY
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
"""By the reason in a tally's record: a word or two for it, and an explanation."""


def vocabulary(results: Results) -> Vocabulary:
    """Nouns of the sentences: places on a map, else answers."""
    return PLACES if isinstance(results.protocol.domain, GridDomain) else ANSWERS


def value_name(results: Results, value: int) -> str:
    """Name of a value for readers."""
    domain = results.protocol.domain
    if not isinstance(domain, GridDomain):
        return domain.name_of(value)
    return place_name(domain, value)


def percent_range(low: float, high: float) -> str:
    """Shares as "12.3 to 14.5 %", with as many decimals as it takes to tell the ends apart."""
    decimals = next((d for d in range(1, 6) if 100 * (high - low) >= 3 * 10.0**-d), 6)
    return f"{100 * low:.{decimals}f} to {100 * high:.{decimals}f} %"


def headline(results: Results, *, is_example: bool) -> Headline:
    """Who is not protected, if anybody, else the most common value; then the rest."""
    unprotected, *more = unprotected_sentences(results) or [""]
    first = int(np.argmax(results.shares))
    unit = vocabulary(results).unit
    name = value_name(results, first)
    estimate = (
        f"From {formats.counted(results.reports, 'report', 'reports')} we estimate that "
        f"{percent_range(results.low[first], results.high[first])} {vocabulary(results).belong} "
        "the "
        f"most common {unit}, {name if vocabulary(results) is PLACES else f'“{name}”'}."
    )
    intro = f"{MADE_UP} " if is_example else ""
    question = results.protocol.question
    intro += f"“{question}”" if question else ""
    if unprotected:
        return Headline(unprotected, " ".join([*more, f"{intro} {estimate}".strip()]), True)
    policy = results.protocol.mechanism.policy
    several = isinstance(policy, Context) and policy.m > 1
    within = " among the people of the same block, which it shows" if several else ""
    return Headline(estimate, f"{intro} Each report hides its {unit}{within}.".strip())


def unprotected_sentences(results: Results) -> list[str]:
    """Who is not protected, values that were to be protected first; none where everybody is.

    Of the open values it says how many people have them, by the estimate: at least a few.
    """
    mechanism, share = results.protocol.mechanism, results.protected_share
    readable = readable_share(mechanism, mechanism.policy, np.maximum(results.shares, 0.0))
    return coverage.unprotected_first(vocabulary(results), _exposed_text(results), share, readable)


def _exposed_text(results: Results) -> str:
    return coverage.exposed_text(results.protocol.domain, results.protocol.coverage)


def range_title(level: float) -> str:
    """Heading of intervals of this level: "95 % range"."""
    return f"{100 * level:g} % range"


def describe_attacker(results: Results, times: int) -> tuple[float, float, str]:
    """Largest chances of a right guess, after one report and after `times`; and a sentence.

    Both in [0.5, 1]; 1 where nobody is protected.
    """
    policy, unit = results.protocol.mechanism.policy, vocabulary(results).unit
    one, many = pair_odds(policy), pair_odds(policy, times)
    if not one.protected:
        return 1.0, 1.0, "One report is enough for that."
    pair = f"a protected {unit} and another that it hides among, equally likely"
    return (
        one.largest,
        many.largest,
        f"An attacker who must choose between {pair}, {right_guess_text(many.largest)}.",
    )


def reports_text(times: int) -> str:
    """A number of reports, as on the slider: "1 report", "7 reports"."""
    return formats.count(times, "report", "reports")


def promise_sentences(results: Results) -> list[str]:
    """What the protocol promises and what it does not, a sentence each; the unprotected first."""
    unit = vocabulary(results)
    hidden, k = int(results.hidden.sum()), results.hidden.size
    sentences = [exposed] if (exposed := _exposed_text(results)) else []
    if hidden < k:
        sentences.append(
            f"{formats.integer(k - hidden)} of {formats.count(k, unit.unit, unit.units)} are not "
            f"protected{_names_text(results, ~results.hidden)}: a report can name them."
        )
    if hidden:
        sentences.append(
            f"{formats.integer(hidden)} are protected{_names_text(results, results.hidden)}, "
            f"{_epsilon_text(results)} for one report. Fresh reports of one person add up."
        )
    policy = results.protocol.mechanism.policy
    if isinstance(policy, Context) and policy.m > 1:
        sentences.append(
            f"Every report shows its block, one of {formats.integer(policy.m)}: nobody hides "
            "behind people of another block."
        )
    sentences += [mixed] if (mixed := _mixing_sentence(results)) else []
    sentences.append("A report shows that someone took part.")
    sentences.append(
        "A fake report that a device could have sent is counted: the page “What an attacker "
        "learns” says how far fakes move an estimate."
    )
    return sentences


_HONEST: Final = (
    "The reports come as often as honest devices send them; false answers that are drawn by the "
    "coins do not show in this."
)


def law_text(results: Results) -> tuple[str, bool]:
    """The counts of reports against what honest devices send, and whether that is a warning.

    By the record: "" where none is there, or it is one of an earlier version.
    """
    found = (results.record or {}).get(LAW_KEY)
    if found is None:
        return "", False
    alarm = next((each for each in found["furthest"] if each["unlike_honest"]), None)
    if alarm is None:
        return _HONEST, False
    counted = {
        "report": f"Report {formats.integer(alarm['number'])} came",
        "value": f"“{value_name(results, alarm['number'])}” is in reports",
        "bucket": f"Of {formats.integer(alarm['counts'])} groups of reports one came",
    }
    low, high = (formats.integer(round(end)) for end in alarm["honest_mean"])
    text = (
        f"{counted[alarm['of']]} {formats.count(alarm['count'], 'time', 'times')} where honest "
        f"devices send {low} to {high} on average, whatever people answer: reports were repeated "
        "or chosen, so do not trust the estimate before you know by whom."
    )
    return text, True


def _mixing_sentence(results: Results) -> str:
    """ε after mixing, in the block with the most people; "" where that is not known."""
    bounds = results.record and results.record["privacy"].get("if_mixed")
    if not bounds or not bounds["blocks"]:
        return ""
    hiding = [each for each in bounds["blocks"] if each["epsilon_of_one_report"] is not None]
    largest = max(hiding, key=lambda each: int(each["people"]))
    after = (largest.get("epsilon", math.nan), largest.get("epsilon_beside_open", math.nan))
    block_text = "" if len(bounds["blocks"]) == 1 else f" of the block “{largest['block']}”"
    before = float(largest["epsilon_of_one_report"])
    return mixing.describe_mixing(
        vocabulary(results),
        before,
        after,
        f"the {formats.counted(largest['people'], 'report', 'reports')}{block_text}",
    )


_NAMED_MAX: Final = 12
"""Most names in a sentence; the table of numbers has all."""


def _names_text(results: Results, flags: np.ndarray[tuple[int], np.dtype[np.bool_]]) -> str:
    values = np.flatnonzero(flags).tolist()
    if len(values) > _NAMED_MAX or vocabulary(results) is PLACES:
        return ""
    return f" ({', '.join(value_name(results, x) for x in values)})"


def _epsilon_text(results: Results) -> str:
    promise = results.protocol.plan.promise()
    least, most = promise["epsilon_least"], promise["epsilon_most"]
    return f"ε = {least:g}" if least == most else f"ε = {least:g} to {most:g}"
