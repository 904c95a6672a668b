"""Sentences of the page. Each must be true of the scenario that it is shown with."""

import math
from typing import Final

from caldp_core.audit.adversary import max_guess_accuracy
from caldp_core.experiments.run import Result
from caldp_core.mechanisms.catalogue import MECHANISMS
from caldp_core.mechanisms.direct.planar import product_displacement
from caldp_core.mechanisms.kernels.design import Kernel
from caldp_core.mechanisms.kernels.mechanism import BestKernel
from caldp_core.scenarios.policies import Streets
from caldp_ui.distances.page_state import (
    PERSON,
    SIMILAR_PRIVACY,
    DistanceData,
    DistanceState,
    right_guess_probability,
)
from caldp_ui.stage import Fact
from caldp_ui.words import accuracy, formats
from caldp_ui.words.headline import Headline
from caldp_ui.words.promise_text import right_guess_text
from caldp_ui.words.towns import place_name
from caldp_ui.words.vocabulary import PLACES

OURS_TITLE: Final = "This protection"
"""Title of the map of noise that fades with distance."""
ODDS_DISTANCES: Final = (1.0, 5.0, 20.0, 100.0)
"""Kilometres at which the odds are shown."""


def ring_text(record: DistanceState) -> str:
    """The ring's radius, and the promise inside."""
    most = max_guess_accuracy(record.policy.epsilon)
    best = formats.hundred(most)
    within = f"Within **{formats.length(record.policy.km)}** an even chance"
    if formats.is_almost_sure(most):
        return f"{within} may become {best} %"
    return f"{within} stays between {formats.hundred(1 - most)} % and {best} %"


def headline(data: DistanceData) -> Headline:
    """Headline of the open view."""
    return _person_headline(data) if data.record.show == PERSON else _everybody_headline(data)


def _everybody_headline(data: DistanceData) -> Headline:
    if data.ours is None:
        return Headline(
            "The map of this protection is still being computed.", _odds_sentence(data.record)
        )
    km = data.ours.first.errors.sliced_wasserstein_km
    if km is None:
        return Headline(
            f"The map is off by a total variation of {_error_text(data.ours)}.",
            "This estimate is not made of shares; another one is under “Distance, method”.",
        )
    return Headline(
        f"The map misplaces people by {formats.length(km)} on average{_plain_clause(data)}.",
        _blocks_sentence(data) or _odds_sentence(data.record),
    )


def _plain_clause(data: DistanceData) -> str:
    """How far plain LDP misplaces people; "" before it is computed."""
    return "" if data.plain is None else f", plain LDP by {_misplacement_text(data.plain)}"


def _blocks_sentence(data: DistanceData) -> str:
    """How far the blocks misplace people; "" before it is computed."""
    if data.blocks_result is None:
        return ""
    return f"{blocks_title(data)} misplace them by {_misplacement_text(data.blocks_result)}."


def result_text(data: DistanceData) -> str:
    """The estimate's error, beside the blocks' and plain LDP's; "" before it is computed."""
    if data.ours is None:
        return ""
    lines = _everybody_headline(data)
    return f"**{lines.sentence}** {lines.second}"


def _misplacement_text(result: Result) -> str:
    km = result.first.errors.sliced_wasserstein_km
    return "an unknown distance" if km is None else formats.length(km)


def _error_text(result: Result) -> str:
    tv = result.first.errors.tv
    return formats.of_hundred(tv) if tv <= 1 + 1e-9 else formats.share(tv)


def error_fact(result: Result) -> Fact:
    """The error of a result's map for large type: in kilometres, so that near misses are small."""
    km = result.first.errors.sliced_wasserstein_km
    if km is None:
        return Fact(*accuracy.wrong_of_hundred(PLACES, result.first.errors.tv))
    km_text = formats.measure(km)
    return Fact(km_text.number, f"{km_text.unit} on average")


def _odds_sentence(record: DistanceState) -> str:
    right = right_guess_text(max_guess_accuracy(record.policy.epsilon)).replace("*", "")
    distance = formats.length(record.policy.km)
    return f"Between two equally likely places {distance} apart, an attacker {right}."


def _person_headline(data: DistanceData) -> Headline:
    name = place_name(data.domain, data.record.place)
    return Headline(
        f"A report from {name} lies {formats.length(data.noise_reports.mean_km)} away on average.",
        f"In {blocks_title(data)[0].lower()}{blocks_title(data)[1:]} it lies "
        f"{formats.length(data.block_reports.mean_km)} away.",
    )


def error_subtitle(result: Result) -> str:
    """The error of a result's map as a subtitle."""
    fact = error_fact(result)
    return f"{fact.number} {fact.text}"


def displacement_text(distance: float) -> str:
    """A mean displacement as a subtitle."""
    return f"reports lie {formats.length(distance)} away"


def blocks_title(data: DistanceData) -> str:
    """Title of the blocks beside."""
    if data.record.beside == SIMILAR_PRIVACY:
        return "Blocks with similar privacy"
    return "Blocks with the same ε"


def describe_blocks(data: DistanceData) -> str:
    """The blocks beside: what they promise, and which pairs of neighbours they separate."""
    share = formats.out_of(data.block_reports.separated_share)
    right = right_guess_text(max_guess_accuracy(data.blocks_epsilon)).replace("*", "")
    many = formats.count(data.blocks_setup.partition.m, "block", "blocks")
    return (
        f"{many} with ε = {data.blocks_epsilon:.2g}. Reports of randomized response lie "
        f"{formats.length(data.average_km[1])} away on average over the map (noise, from its "
        f"middle: {formats.length(data.average_km[0])}). Between two equally likely places of one "
        f"block, however far apart, an attacker {right}. But {share} pairs of neighbours are in "
        "two blocks, and every report tells them apart."
    )


def promise_sentences(data: DistanceData) -> list[str]:
    """What the policy promises, one sentence each."""
    record, policy = data.record, data.record.policy
    along = "north–south plus east–west" if isinstance(policy, Streets) else "as the crow flies"
    method = MECHANISMS[data.setup.mechanism_name]
    proof = noise_proof_text(data)
    return [
        (
            f"The nearer two places are ({along}), the less a report tells which of them a person "
            f"is at: ε = {record.rate:.3g} for each kilometre between them, for every pair."
        ),
        (
            f"{ring_text(record)}. The ring on the maps is drawn around "
            f"{place_name(data.domain, record.place)}; every place has one."
        ),
        f"It is kept by “{method.title}”: {method.sentence[0].lower()}{method.sentence[1:]}",
        *([proof] if proof else []),
    ]


def noise_proof_text(data: DistanceData) -> str:
    """The proof that comes with the best noise; "" for another."""
    noise = data.setup.mechanism
    return kernel_proof_text(data, noise.kernel) if isinstance(noise, BestKernel) else ""


def kernel_proof_text(data: DistanceData, kernel: Kernel | None) -> str:
    """How close the noise is to the lower bound for any noise; "" without a proved bound."""
    if kernel is None or kernel.bound <= 0:
        return ""
    row, column = kernel.steps.both
    axes = ""
    if row is not None and column is not None:
        km = product_displacement(row, column) / data.record.rate
        axes = f". Noise along both axes lies {km:,.4g} km away"
    return (
        "Proved: on an endless map with every place as likely, reports of any mechanism that keeps "
        f"this promise lie at least **{lower_bound_text(kernel.bound / data.record.rate)} km** "
        "away on "
        f"average. The best noise found is within {upper_percent_text(kernel.gap)} of that, "
        "planar geometric "
        f"noise within {upper_percent_text(kernel.planar_gap)}{axes}."
    )


def lower_bound_text(number: float) -> str:
    """A positive number to four digits, rounded down."""
    unit = 10.0 ** (math.floor(math.log10(number)) - 3)
    return f"{math.floor(number / unit) * unit:,.4g}"


def upper_percent_text(share: float) -> str:
    """A share in percent, rounded up."""
    digits = 3 if share < 1e-3 else 2
    return f"{math.ceil(share * 100 * 10**digits) / 10**digits:.{digits}f} %"


def not_promised_sentences(data: DistanceData) -> list[str]:
    """What the policy leaves open, one sentence each."""
    record = data.record
    far = 10 * record.policy.km
    right = right_guess_probability(record, far)
    sentences = [
        (
            f"Far places can be told apart: at {formats.length(far)}, "
            f"{_right_guesses_text(right)} of 100 guesses may be right."
        ),
        (
            "Which region somebody is in: reports lie "
            f"{formats.length(data.noise_reports.mean_km)} away on average, so regions farther "
            "apart than that are no secret."
        ),
        (
            "What an attacker knows already: an attacker who can rule out the lake and the woods "
            "nearby is left with the few places that remain."
        ),
        "Repeated reports: two of them double ε per kilometre, so the ring shrinks to half.",
        "That somebody took part at all, and what the estimate teaches about everybody.",
    ]
    height = cell_height_km(data)
    return [
        *sentences,
        (
            f"Within a cell of the map (about {formats.length(height)} high) all reports are "
            "alike: there the map's own coarseness hides people, whatever ε is."
        ),
    ]


def cell_height_km(data: DistanceData) -> float:
    """Height of a cell in kilometres."""
    return float(data.domain.km_from(0)[data.domain.columns]) if data.domain.rows > 1 else 0.0


def _right_guesses_text(probability: float) -> str:
    best = formats.hundred(probability)
    return best if formats.is_almost_sure(probability) else f"up to {best}"


def odds_text(record: DistanceState, distance: float) -> str:
    """Right guesses of 100 between two equally likely places `distance` kilometres apart."""
    return formats.hundred(right_guess_probability(record, distance))
