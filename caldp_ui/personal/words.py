"""Sentences of the page. Each must be true of the scenario that it is shown with.

One person's week: where they are, what their device reports, and what an attacker infers.

An example: they live in the map's largest city and work in the nearest other one.
"""

from dataclasses import dataclass
from typing import Final

import numpy as np

from caldp_core.audit.inference import likelihood, posterior_after_reports
from caldp_core.basics.types import Floats
from caldp_core.experiments.run import Result
from caldp_core.mechanisms.base import Tally
from caldp_core.mechanisms.capabilities import symbol_partition_of
from caldp_core.mechanisms.contextual import ContextMechanism
from caldp_core.mechanisms.personalised import NO_PLACE
from caldp_core.privacy.context import PersonalPolicy
from caldp_ui.personal.page_state import (
    TAG_NAMES,
    TRUE_BACKGROUND,
    PersonalData,
    own_place_shares,
    tagged_mechanism,
)
from caldp_ui.words import accuracy, coverage, formats, policies, promise_levels
from caldp_ui.words.accuracy import is_share
from caldp_ui.words.headline import Headline
from caldp_ui.words.promise import REPEATS
from caldp_ui.words.promise_text import right_guess_text
from caldp_ui.words.towns import towns
from caldp_ui.words.vocabulary import PLACES

_DAYS: Final = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
_STOPS: Final = (0, 1, -1, 1, 0, -2, 0)
"""By day: the tag of the own place, or a key of `_ELSEWHERE` for another place."""
_ELSEWHERE: Final = {-1: 4, -2: 7}
"""Rank by size of the city that such a stop is in."""
HOME_REPORTS: Final = 10
"""Reports from one home."""


@dataclass(frozen=True)
class Day:
    """A day of the week. `place`: symbol where the person is; `tag`: that stands for it, or None.

    `reported_place`: symbol that the report names, or None. `home_probability`: chance that they
    are at home, by this report alone, if home and one other place (`_ELSEWHERE[-1]`) were equally
    likely before.
    """

    name: str
    place: int
    tag: int | None
    reported_place: int | None
    home_probability: float


def simulate_week(data: PersonalData) -> list[Day]:
    """Seven days, with the noise of the record's seed; none where the map has too few cities."""
    cities = list(towns(data.domain))
    mechanism = tagged_mechanism(data.setup)
    tags, personalised = mechanism.policy.tags, mechanism.personalised
    if len(cities) <= max(_ELSEWHERE.values()):
        return []
    km = data.domain.km_from(cities[0])
    work = min(cities[1:], key=lambda city: float(km[city]))
    own = [*(cities[0], work)[:tags], *[NO_PLACE] * (tags - 2)]
    stops = [stop if stop < tags else 0 for stop in _STOPS]
    places = [cities[_ELSEWHERE[s]] if s < 0 else own[s] for s in stops]
    rng = np.random.default_rng(np.random.SeedSequence((data.record.scenario.seed, 7)))
    reports = personalised.privatize(places, np.tile(own, (len(places), 1)), rng)
    days = []
    for number, (day, stop, place) in enumerate(zip(_DAYS, stops, places, strict=True)):
        tally = personalised.tally(reports[number : number + 1])
        chances = likelihood(mechanism.common, tally)
        tag = personalised.add_tags([place], [own])[0] - mechanism.k
        days.append(
            Day(
                day,
                place,
                None if stop < 0 or tag < 0 else int(tag),
                _reported_symbol(mechanism.common, tally),
                _home_probability(chances, mechanism.k, cities[_ELSEWHERE[-1]]),
            )
        )
    return days


@dataclass(frozen=True)
class HomeInference:
    """Belief after `HOME_REPORTS` reports from one home, if only the distribution is known before.

    `own_place_probability`: that they are at a place of their own. `home_probability`: that they
    are at the right place; `prior_probability`: that before any report.
    """

    own_place_probability: float
    home_probability: float
    prior_probability: float


def infer_home(data: PersonalData) -> HomeInference | None:
    """Belief after `HOME_REPORTS` reports from the largest city; None if the map has no city."""
    cities = list(towns(data.domain))
    if not cities:
        return None
    mechanism, home = tagged_mechanism(data.setup), cities[0]
    own = np.full((HOME_REPORTS, mechanism.policy.tags), NO_PLACE)
    own[:, 0] = home
    rng = np.random.default_rng(np.random.SeedSequence((data.record.scenario.seed, HOME_REPORTS)))
    reports = mechanism.personalised.privatize([home] * HOME_REPORTS, own, rng)
    tallies = [mechanism.tally(reports[day : day + 1]) for day in range(HOME_REPORTS)]
    prior = data.setup.dataset.distribution
    tags = posterior_after_reports(mechanism.common, mechanism.shares_with_tags(prior), tallies)
    posterior = mechanism.without_tags(tags, prior)
    return HomeInference(
        float(tags[mechanism.k :].sum()), float(posterior[home]), float(prior[home])
    )


def _reported_symbol(common: ContextMechanism, tally: Tally) -> int | None:
    """The symbol that a report names openly; None where it names none."""
    (named,) = np.nonzero(common.clear_counts(tally))
    return int(symbol_partition_of(common).clear[named[0]]) if named.size else None


def _home_probability(chances: Floats, k: int, other: int) -> float:
    """Chance of home's tag against the place `other`, from even odds; `chances`: likelihoods."""
    home, elsewhere = float(chances[k]), float(chances[other])
    return home / (home + elsewhere) if home + elsewhere > 0 else 0.0


BACKGROUNDS: Final = {
    "population": "guessed from public figures of inhabitants",
    TRUE_BACKGROUND: "known: where they truly are",
    "uniform": "spread evenly: nothing known",
    "mirrored": "wrong on purpose: east for west",
}
"""The collector's guess in words; other backgrounds go by their name in files."""


def background_text(name: str) -> str:
    """A background in words."""
    return BACKGROUNDS.get(name, name)


def headline(data: PersonalData) -> Headline:
    """Who is not protected, if anybody, then the errors."""
    left = coverage.unprotected_text(
        PLACES, policies.describe_promise(PLACES, data.setup).protected_share
    )
    errors = [each for each in (_error_sentence(data), _comparison_sentence(data)) if each]
    if not left:
        first, *rest = errors
        return Headline(first, " ".join(rest))
    return Headline(left, " ".join(errors), unprotected=True)


def result_text(data: PersonalData) -> str:
    """The estimate's error, and the errors of the other ways; "" before there is an estimate."""
    return "" if data.ours is None else f"**{_error_sentence(data)}** {_comparison_sentence(data)}"


def _error_sentence(data: PersonalData) -> str:
    if data.ours is None:
        return "The map of this protection is still being computed."
    number, of = error_parts(data.ours)
    if not is_share(data.ours.first.errors.tv):
        return f"The map is off by a total variation of {number}."
    return f"The map puts {number} {of}."


def _comparison_sentence(data: PersonalData) -> str:
    """Errors if homes were known or everything hidden; "" before there are results."""
    cases = []
    if data.known_places is not None and not data.has_true_background:
        cases.append(f"{error_parts(data.known_places)[0]} if homes were known")
    if data.plain is not None:
        cases.append(f"{error_parts(data.plain)[0]} if everything were hidden")
    if data.ours is None or not cases:
        return ""
    return f"It would be {', and '.join(cases)}."


def error_parts(result: Result) -> tuple[str, str]:
    """The error of a result as a number, and what it counts."""
    return accuracy.wrong_of_hundred(PLACES, result.first.errors.tv)


def error_subtitle(result: Result) -> str:
    """The error of a result as a subtitle."""
    return " ".join(error_parts(result))


def tag_name(number: int) -> str:
    """Name of the place that a tag stands for."""
    return TAG_NAMES[number]


def people_sentence(data: PersonalData) -> str:
    """How many people are at their own places, by the model."""
    groups = ", ".join(
        f"{formats.out_of(share)} are at {_own_place_text(number)}"
        for number, share in enumerate(data.record.policy.shares)
    )
    has_common = data.setup.sensitive.any()
    all_of = (
        "Of people at places that are not sensitive for everybody"
        if has_common
        else "Of all people"
    )
    return f"{all_of}, {groups}; the others are elsewhere."


def _own_place_text(number: int) -> str:
    return tag_name(number) if number < 2 else f"{tag_name(number)} of their own"


def describe_reports(data: PersonalData) -> dict[str, tuple[str, str]]:
    """By where somebody is: what their report says, and what the collector does with it."""
    clear = formats.out_of(data.open_probability)
    tags = {
        f"at {_own_place_text(number)}": (
            f"“{tag_name(number)}”, with noise",
            "counts the tag, and spreads it over its guess of own places",
        )
        for number in range(len(data.record.policy.shares))
    }
    common = {
        "at a place that is sensitive for everybody": (
            "the place, with noise",
            "hides among all places of this kind, and the tags",
        )
    }
    return {
        **tags,
        **(common if data.setup.sensitive.any() else {}),
        "anywhere else": (
            f"{clear} name the place openly, the others send a cover report",
            "counts the place; it knows that it is neither home nor work of this person",
        ),
    }


def learned_sentences(data: PersonalData) -> list[str]:
    """What the collector learns, one sentence each."""
    sentences = [
        "Where people are who are at no place of their own, all of them together, accurately.",
        (
            "Of a person who names a place openly: that they are there, and that it is none of "
            "their own places."
        ),
    ]
    if data.ours is None:
        return sentences
    true, estimates = own_place_shares(data)
    counts = "; ".join(
        f"{tag_name(number)} {100 * estimate:.1f} of 100 (truly {100 * share:.1f})"
        for number, (share, estimate) in enumerate(zip(true, estimates, strict=True))
    )
    return [f"How many people are at their own places: {counts}.", *sentences]


def hidden_sentences(data: PersonalData) -> list[str]:
    """What reports hide, and how far, one sentence each."""
    one_report, many_reports = (
        right_guess_text(promise_levels.chance(_policy(data), m)) for m in (1, REPEATS)
    )
    return [
        (
            "Where anybody's home or work is: all homes send the same kind of report. To an "
            "attacker who knows none of them, it leaves all open places as likely as before."
        ),
        (
            "Whether somebody is at home, from one report: an attacker who must choose between "
            f"home and another place, both equally likely, {one_report}. Reports add up: after "
            f"{REPEATS} from home the attacker {many_reports}."
        ),
        (
            "Where own places are, all together: the reports do not say it. Whatever the map shows "
            "there comes from the collector's guess."
        ),
    ]


def _policy(data: PersonalData) -> PersonalPolicy:
    assert isinstance(data.setup.policy, PersonalPolicy)  # the page's link takes no other
    return data.setup.policy


def bias_text(data: PersonalData) -> str:
    """The bias of the background, which more people do not reduce."""
    if data.has_true_background:
        return "The background is the right one: the estimate is right on average."
    share = formats.out_of(data.bias.total_variation)
    guess = background_text(data.record.policy.background)
    return (
        f"A wrong guess of where own places are puts **{share}** people in the wrong place, "
        f"however many take part. The collector's guess here: {guess}."
    )


def home_inference_text(inference: HomeInference, city: str) -> str:
    """What `HOME_REPORTS` reports from one home reveal, and what they do not."""
    after, before = (
        formats.out_of(inference.home_probability),
        formats.out_of(inference.prior_probability),
    )
    sentence = (
        f"After **{HOME_REPORTS} reports from home**, an attacker who knows only how many people "
        "are where gives “at a place of their own” a chance of "
        f"**{formats.hundred(inference.own_place_probability)} %**. "
        f"“At home in {city}” gets **{after}**; before any report it was {before}."
    )
    if after != before:
        return sentence
    return f"{sentence} Reports add up to *that* it is one's own place, not to which."
