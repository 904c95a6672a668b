"""What the page shows of a collection: sentences, answers as bars, and maps.

Each sentence must be true of the collection that it is shown with. All numbers of people with a
value are estimates: nobody knows the truth.
"""

import math
from typing import Final

import numpy as np
from scipy.special import ndtri

from caldp_core.audit.adversary import pair_odds
from caldp_core.audit.inference import readable_share
from caldp_core.basics.types import Floats
from caldp_core.collect import record
from caldp_core.collect.estimate import Results
from caldp_core.domain.domains import GridDomain
from caldp_core.privacy.context import Context
from caldp_ui.app.texts import read_texts, read_toml
from caldp_ui.app.user_text import UserText
from caldp_ui.maps.scene import bare_ground
from caldp_ui.stage import records
from caldp_ui.words import accuracy, formats
from caldp_ui.words import promise as promise_text

TEXTS: Final = read_texts(__file__)
MADE_UP: Final = "Made-up example:"
READING: Final = formats.Headline("Your files are being read.")
REASONS: Final[dict[str, list[str]]] = read_toml(__file__, "reasons.toml")
"""By the reason in a tally's record: a word or two for it, and an explanation."""


def vocabulary(results: Results) -> formats.Vocabulary:
    """Nouns of the sentences: places on a map, else answers."""
    return formats.nouns_of(results.protocol.domain, formats.ANSWERS)


def value_name(results: Results, value: int) -> UserText:
    """Name of a value for readers."""
    domain = results.protocol.domain
    if not isinstance(domain, GridDomain):
        return UserText(domain.name_of(value))
    return UserText(formats.place_name(domain, value))


def headline(results: Results, *, is_example: bool) -> formats.Headline:
    """Who is not protected, if anybody, else the most common value; then the rest."""
    unprotected, *more = unprotected_sentences(results) or [""]
    first = int(np.argmax(results.shares))
    unit = vocabulary(results).unit
    name = value_name(results, first)
    named = name.plain if vocabulary(results) is formats.PLACES else f"“{name.plain}”"
    estimate = _estimate_sentence(results, first, f"the most common {unit}, {named}")
    intro = f"{MADE_UP} " if is_example else ""
    question = results.protocol.question
    intro += f"“{question}”" if question else ""
    ends = {"low": float(results.low[first]), "high": float(results.high[first])}
    readable_of_all = _readable(results) * (1.0 - results.protected_share)
    shares = {"protected": results.protected_share, "readable": readable_of_all}
    figures = {"reports": results.reports, **ends, **shares}
    if unprotected:
        second = " ".join([*more, f"{intro} {estimate}".strip()])
        return formats.Headline(unprotected, second, True, figures)
    policy = results.protocol.mechanism.policy
    several = isinstance(policy, Context) and policy.m > 1
    within = " among the people of the same block, which it shows" if several else ""
    second = f"{intro} Each report hides its {unit}{within}.".strip()
    return formats.Headline(estimate, second, figures=figures)


def _estimate_sentence(results: Results, value: int, named: str) -> str:
    """The share of a value, or how many reports it takes to say anything of it."""
    reports, low, high = results.reports, results.low[value], results.high[value]
    if accuracy.is_all_shares(low, high):
        shares = np.clip(results.shares, 0.0, 1.0)
        variance = results.protocol.mechanism.variance(shares, reports)[value]
        return accuracy.nothing_yet(reports, float(np.sqrt(variance)), f"about {named}")
    return (
        f"From {formats.counted(reports, 'report', 'reports')} we estimate that "
        f"{formats.percent_range(low, high)} {vocabulary(results).belong} {named}."
    )


def unprotected_sentences(results: Results) -> list[str]:
    """Who is not protected, values that were to be protected first; none where everybody is.

    Of the open values it says how many people have them, by the estimate, or how many values.
    """
    share, readable = results.protected_share, _readable(results)
    found = promise_text.unprotected_first(
        vocabulary(results), _exposed_text(results), share, readable
    )
    return found or _open_values(results)


def _open_values(results: Results) -> list[str]:
    """How many values are not protected, in a sentence; none where all are."""
    unit, k = vocabulary(results), results.hidden.size
    if results.hidden.all():
        return []
    number = formats.integer(k - int(results.hidden.sum()))
    number += f" of {formats.count(k, unit.unit, unit.units)}"
    names = _names_text(results, ~results.hidden)
    return [f"{number} are not protected{names}: a report can name them."]


def _readable(results: Results) -> float:
    """The share of the unprotected, by the estimate, whose value one report names."""
    mechanism = results.protocol.mechanism
    return readable_share(mechanism, mechanism.policy, np.maximum(results.shares, 0.0))


def _exposed_text(results: Results) -> str:
    return promise_text.exposed_text(results.protocol.domain, results.protocol.coverage)


def describe_attacker(results: Results, times: int) -> tuple[float, float, str]:
    """Largest chances of a right guess, after one report and after `times`; and a sentence.

    Both in [0.5, 1]; 1 where nobody is protected.
    """
    policy, unit = results.protocol.mechanism.policy, vocabulary(results).unit
    one, many = pair_odds(policy), pair_odds(policy, times)
    if not one.protected:
        return 1.0, 1.0, "One report is enough for that."
    pair = f"a protected {unit} and another that it hides among, equally likely"
    return one.largest, many.largest, promise_text.must_choose(f"{pair},", many.largest)


def reports_text(times: int) -> str:
    """A number of reports, as on the slider: "1 report", "7 reports"."""
    return formats.count(times, "report", "reports")


def promise_sentences(results: Results) -> list[str]:
    """What the protocol promises and what it does not, a sentence each; the unprotected first."""
    hidden = int(results.hidden.sum())
    sentences = [exposed] if (exposed := _exposed_text(results)) else []
    sentences += _open_values(results)
    if hidden:
        plan = results.protocol.repetition_part().get("kind", "none")
        sentences.append(
            f"{formats.integer(hidden)} are protected{_names_text(results, results.hidden)}, "
            f"{_epsilon_text(results)} for one report. {record.TEXTS['composition'][plan]}"
        )
    policy = results.protocol.mechanism.policy
    if isinstance(policy, Context) and policy.m > 1:
        sentences.append(TEXTS["block"].format(blocks=formats.integer(policy.m)))
    sentences += [mixed] if (mixed := _mixing_sentence(results)) else []
    return [*sentences, TEXTS["took_part"], TEXTS["fakes"]]


def law_text(results: Results) -> tuple[str, bool]:
    """The counts of reports against what honest devices send, and whether that is a warning.

    By the record: "" where none is there, or it is one of an earlier version.
    """
    found = (results.record or {}).get(record.LAW_KEY)
    if found is None:
        return "", False
    alarm = next((each for each in found["furthest"] if each["unlike_honest"]), None)
    if alarm is None:
        return TEXTS["honest"], False
    counted = {
        "report": f"Report {formats.integer(alarm['number'])} came",
        "value": f"“{value_name(results, alarm['number']).plain}” is in reports",
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
    return promise_text.describe_mixing(
        vocabulary(results),
        before,
        after,
        f"the {formats.counted(largest['people'], 'report', 'reports')}{block_text}",
    )


_NAMED_MAX: Final = 12
"""Most names in a sentence; the table of numbers has all."""


def _names_text(results: Results, flags: np.ndarray[tuple[int], np.dtype[np.bool_]]) -> str:
    values = np.flatnonzero(flags).tolist()
    if len(values) > _NAMED_MAX or vocabulary(results) is formats.PLACES:
        return ""
    return f" ({', '.join(value_name(results, x).plain for x in values)})"


def _epsilon_text(results: Results) -> str:
    promise = results.protocol.plan.promise()
    least, most = promise["epsilon_least"], promise["epsilon_most"]
    return f"ε = {least:g}" if least == most else f"ε = {least:g} to {most:g}"


def looks_text(results: Results) -> str:
    """The looks at which ranges hold together, to end a sentence on their level; "" for one."""
    return ", at all looks together" if results.hold_at_every_look else ""


ROWS_MAX: Final = 60
"""Most bars; the table of numbers has more answers."""


def bars_html(results: Results) -> str:
    """HTML of the rows, with a heading that gives the full width, and a note on the marks."""
    k = results.shares.size
    values = np.arange(k)
    if k > ROWS_MAX:
        values = np.sort(np.argsort(-results.shares, kind="stable")[:ROWS_MAX])
    top = max(float(results.high[values].max()), float(results.shares[values].max()), 1e-9)
    full = min(100.0, 100 * top)
    head = (
        f"<span>Answer</span><span>0 to {full:.3g} % of all people</span>"
        f"<span>Estimate</span><span>{100 * results.level:g} % range</span>"
    )
    rows = "".join(_bar_html(results, int(x), top) for x in values)
    more = f" The {ROWS_MAX} most common of {formats.integer(k)} answers." if k > ROWS_MAX else ""
    note = TEXTS["bars"].format(level=100 * results.level, looks=looks_text(results), more=more)
    return f'<div class="estimates"><p class="head">{head}</p>{rows}<small>{note}</small></div>'


def _bar_html(results: Results, x: int, top: float) -> str:
    share, low, high = (float(each[x]) for each in (results.shares, results.low, results.high))
    name, range_text = value_name(results, x).html, formats.percent_range(low, high)
    hidden = bool(results.hidden[x])
    label = f"{name}{', protected' if hidden else ''}: {100 * share:.1f} %, {range_text}"
    right = 100 * (1 - min(high / top, 1.0))
    return (
        f'<p class="estimate{" hidden" if hidden else ""}"><span>{name}</span>'
        f'<span class="strip" role="img" aria-label="{label}">'
        f'<i class="share" style="left:0;right:{100 * (1 - max(share, 0.0) / top):.2f}%"></i>'
        f'<i class="range" style="left:{100 * low / top:.2f}%;right:{right:.2f}%"></i></span>'
        f"<span>{100 * share:.1f} %</span><span>{range_text}</span></p>"
    )


_ESTIMATE: Final = "estimate"
_LEAST: Final = "least"
_MARK_WORDS: Final = {**records.MARK_WORDS, "sensitive": "protected places", "safe": "protected"}


def scene(results: Results) -> records.Scene:
    """Scene of both maps under one scale; never cached, as the data are a visitor's own."""
    domain, blocks = results.protocol.domain, results.protocol.plan.blocks
    assert isinstance(domain, GridDomain)
    reports = formats.counted(results.reports, "report", "reports")
    pictures = [_picture(_ESTIMATE, "Estimate", reports, results, results.shares)]
    if results.lower_bounds is not None:
        sure = f"in all cells, {100 * results.level:g} % sure"
        pictures.append(_picture(_LEAST, "At least", sure, results, results.lower_bounds))
    return records.Scene(
        bare_ground(domain, blocks, results.protocol.block_names, results.hidden, ~results.hidden),
        tuple(pictures),
        results.reports,
        (pictures[0].id, pictures[-1].id),
        arrangement=records.Arrangement((_ESTIMATE, _LEAST)) if len(pictures) > 1 else None,
        mark_words=_MARK_WORDS,
        label="Results of a collection",
        scale=records.scale_of(results.shares),
        image_name="caldp-collection",
        image_lines=(headline(results, is_example=False).sentence,),
    )


def _picture(
    name: str, title: str, subtitle: str, results: Results, shares: Floats
) -> records.Picture:
    error = certain = None
    if name == _ESTIMATE and results.lower_bounds is not None:
        certain = records.encode_mask(results.lower_bounds > 0)
    if name == _ESTIMATE:
        half = np.maximum(results.high - results.shares, results.shares - results.low)
        error = records.encode_errors(half / float(ndtri((1 + results.level) / 2)))
    return records.Picture(
        name,
        title,
        subtitle,
        f"Map of where people are, {title.lower()}: {subtitle}.",
        records.encode_people(shares, results.reports),
        records.nobody_below(results.reports),
        ("blocks", "sensitive"),
        error=error,
        certain=certain,
    )
