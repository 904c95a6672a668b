"""Sentences of the page. Each must be true of the scenario that it is shown with."""

import math
from typing import Final

from caldp_core.audit.adversary import guessed_right
from caldp_core.experiments.run import Result
from caldp_core.mechanisms.catalogue import MECHANISMS
from caldp_core.mechanisms.direct.planar_displacement import product_displacement
from caldp_core.mechanisms.kernels.design import Kernel
from caldp_core.mechanisms.kernels.mechanism import BestKernel
from caldp_core.scenarios.distances import Streets
from caldp_ui.distances.shown import Shown, guess_at
from caldp_ui.distances.slot import AS_NEAR, PERSON, Far
from caldp_ui.stage import Fact
from caldp_ui.words import accuracy, formats
from caldp_ui.words.headline import Headline
from caldp_ui.words.towns import place_name
from caldp_ui.words.vocabulary import PLACES

ODDS_AT: Final = (1.0, 5.0, 20.0, 100.0)
"""Kilometres at which the odds are shown."""


def km(distance: float) -> str:
    """Kilometres as people read them."""
    return f"{distance:.2g} km" if distance < 9.95 else f"{distance:,.0f} km"


def ring(record: Far) -> str:
    """How far the ring reaches, and what holds inside."""
    most = guessed_right(record.policy.epsilon)
    return (
        f"Within **{km(record.policy.km)}** an even chance stays between "
        f"{formats.hundred(1 - most)} % and {formats.hundred(most)} %"
    )


def headline(what: Shown) -> Headline:
    """What the picture says."""
    return _of_person(what) if what.record.show == PERSON else _of_everybody(what)


def _of_everybody(what: Shown) -> Headline:
    if what.ours is None:
        return Headline("The map of this protection is still being computed.", _odds(what.record))
    moved = what.ours.first.errors.sliced_wasserstein_km
    if moved is None:
        return Headline(
            f"The map is off by a total variation of {_wrong(what.ours)}.",
            "This estimate is not made of shares; another one is under “Distance, method”.",
        )
    return Headline(
        f"The map misplaces people by {km(moved)} on average.", _beside(what) or _odds(what.record)
    )


def _beside(what: Shown) -> str:
    """How far the blocks and plain LDP misplace people; empty before either is there."""
    blocks, plain = what.blocks, what.plain
    if blocks is None:
        return "" if plain is None else f"Plain LDP misplaces them by {_km_off(plain)}."
    also = "" if plain is None else f", plain LDP by {_km_off(plain)}"
    return f"{blocks_title(what)} misplace them by {_km_off(blocks)}{also}."


def result(what: Shown) -> str:
    """How far the estimate is off, beside the blocks and plain LDP; empty before it is there."""
    if what.ours is None:
        return ""
    said = _of_everybody(what)
    return f"**{said.sentence}** {said.second}"


def _km_off(result: Result) -> str:
    moved = result.first.errors.sliced_wasserstein_km
    return "an unknown distance" if moved is None else km(moved)


def _wrong(result: Result) -> str:
    tv = result.first.errors.tv
    return formats.of_hundred(tv) if tv <= 1 + 1e-9 else formats.share(tv)


def error(result: Result) -> Fact:
    """How far the map of a result is off, in large type: kilometres, as near misses are small."""
    moved = result.first.errors.sliced_wasserstein_km
    if moved is None:
        return Fact(*accuracy.wrong_of_hundred(PLACES, result.first.errors.tv))
    number, _, unit = km(moved).rpartition(" ")
    return Fact(number, f"{unit} on average")


def _odds(record: Far) -> str:
    best = formats.hundred(guessed_right(record.policy.epsilon))
    return (
        f"Between two equally likely places {km(record.policy.km)} apart, an attacker is right at "
        f"most {best} times in 100."
    )


def _of_person(what: Shown) -> Headline:
    name = place_name(what.domain, what.record.place)
    return Headline(
        f"A report from {name} lies {km(what.noise.km)} away on average.",
        f"In {blocks_title(what)[0].lower()}{blocks_title(what)[1:]} it lies "
        f"{km(what.in_blocks.km)} away.",
    )


def off(result: Result) -> str:
    """How far the map of a result is off, as a subtitle."""
    fact = error(result)
    return f"{fact.number} {fact.text}"


def moved(distance: float) -> str:
    """A mean displacement as a subtitle."""
    return f"reports lie {km(distance)} away"


def blocks_title(what: Shown) -> str:
    """What the blocks beside are called."""
    if what.record.beside == AS_NEAR:
        return "Blocks with similar privacy"
    return "Blocks with the same ε"


def blocks_told(what: Shown) -> str:
    """What the blocks beside promise, and whom they leave out."""
    share = formats.out_of(what.in_blocks.apart)
    best = formats.hundred(guessed_right(what.blocks_epsilon))
    many = formats.count(what.blocks_setup.partition.m, "block", "blocks")
    return (
        f"{many} with ε = {what.blocks_epsilon:.2g}. Reports of randomized response lie "
        f"{km(what.typical[1])} away on average over the map (noise, from its middle: "
        f"{km(what.typical[0])}). In one block an attacker is right at most {best} times in 100, "
        f"however far apart. But {share} pairs of neighbours are in two blocks, and every report "
        "tells them apart."
    )


def promise(what: Shown) -> list[str]:
    """What is promised, one sentence each."""
    record, policy = what.record, what.record.policy
    along = "north–south plus east–west" if isinstance(policy, Streets) else "as the crow flies"
    method = MECHANISMS[what.setup.mechanism_name]
    proved = proved_of(what)
    return [
        (
            f"The nearer two places are ({along}), the less a report tells which of them a person "
            f"is at: ε = {record.rate:.3g} for each kilometre between them, for every pair."
        ),
        (
            f"{ring(record)}. The ring on the maps is drawn around "
            f"{place_name(what.domain, record.place)}; every place has one."
        ),
        f"It is kept by “{method.title}”: {method.sentence[0].lower()}{method.sentence[1:]}",
        *([proved] if proved else []),
    ]


def proved_of(what: Shown) -> str:
    """The proof that comes with the best noise; empty for another."""
    noise = what.setup.mechanism
    return proved(what, noise.kernel) if isinstance(noise, BestKernel) else ""


def proved(what: Shown, kernel: Kernel | None) -> str:
    """How little better any noise could be, in words; empty as long as nothing is proved."""
    if kernel is None or kernel.bound <= 0:
        return ""
    row, column = kernel.steps.both
    axes = ""
    if row is not None and column is not None:
        off = product_displacement(row, column) / what.record.rate
        axes = f". Noise along both axes lies {off:,.4g} km away"
    return (
        "Proved: on an endless map with every place as likely, reports of any mechanism that keeps "
        f"this promise lie at least **{at_least(kernel.bound / what.record.rate)} km** away on "
        f"average. The best noise found is within {above(kernel.gap)} of that, planar geometric "
        f"noise within {above(kernel.planar_gap)}{axes}."
    )


def at_least(number: float) -> str:
    """A positive number to four digits, rounded down."""
    unit = 10.0 ** (math.floor(math.log10(number)) - 3)
    return f"{math.floor(number / unit) * unit:,.4g}"


def above(share: float) -> str:
    """A share as per cent, rounded up: at most so much."""
    digits = 3 if share < 1e-3 else 2
    return f"{math.ceil(share * 100 * 10**digits) / 10**digits:.{digits}f} %"


def not_promised(what: Shown) -> list[str]:
    """What the policy leaves open, one sentence each."""
    record = what.record
    far = 10 * record.policy.km
    right = guess_at(record, far)
    told = [
        f"Far places can be told apart: at {km(far)}, {_most(right)} of 100 guesses may be right.",
        (
            f"Which region somebody is in: reports lie {km(what.noise.km)} away on average, so "
            "regions farther apart than that are no secret."
        ),
        (
            "What an attacker knows already: who can rule out the lake and the woods nearby is "
            "left with the few places that remain."
        ),
        "Repeated reports: two of them double ε per kilometre, so the ring shrinks to half.",
        "That somebody took part at all, and what the estimate teaches about everybody.",
    ]
    height = theory_cell(what)
    return [
        *told,
        (
            f"Within a cell of the map (about {km(height)} high) all reports are alike: there the "
            "map's own coarseness hides people, whatever ε is."
        ),
    ]


def theory_cell(what: Shown) -> float:
    """Height of a cell in kilometres."""
    return float(what.domain.km_from(0)[what.domain.columns]) if what.domain.rows > 1 else 0.0


def _most(right: float) -> str:
    best = formats.hundred(right)
    return best if best.startswith("more") else f"up to {best}"


def odds_at(record: Far, distance: float) -> str:
    """Odds at a distance, as people."""
    return formats.hundred(guess_at(record, distance))
