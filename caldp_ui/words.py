"""Plain words for what a scenario protects, from whom, and how well.

Room: words. Every sentence here must be true of the scenario it is shown with.
"""

import math

import numpy as np

from caldp_core.datasets import Gowalla, Snap
from caldp_core.estimation.estimators import ESTIMATORS
from caldp_core.experiments.regions import RegionReport
from caldp_core.experiments.run import Setup
from caldp_core.scenarios.protection import EverythingSensitive, OneBlock, StateBlocks
from caldp_core.scenarios.scenario import Scenario
from caldp_core.theory.expected_error import Forecast
from caldp_ui import formats

REPEATS = 5
_CHECK_INS = Gowalla | Snap
"""Data in which one person may be counted many times."""
_EXAMPLES = (0.5, 1.0, 3.0)


def strongest(scenario: Scenario) -> float:
    """The largest ε of the scenario: the weakest promise in it."""
    levels = scenario.epsilon if isinstance(scenario.epsilon, tuple) else (scenario.epsilon,)
    return max(levels)


def guess(epsilon: float) -> float:
    """Chance to guess right between two protected places after a 50:50 prior: e^ε/(1+e^ε)."""
    return 1.0 / (1.0 + math.exp(-epsilon))


def examples() -> str:
    """What some levels of ε let an onlooker guess, as an example."""
    told = (f"{formats.hundred(guess(epsilon))} at ε = {epsilon:g}" for epsilon in _EXAMPLES)
    return f"Guessed right of 100, at most about: {', '.join(told)}."


def unit(scenario: Scenario) -> str:
    """What a block is called."""
    if isinstance(scenario.blocks, OneBlock):
        return "map"
    return "state" if isinstance(scenario.blocks, StateBlocks) else "block"


def odds(setup: Setup) -> str:
    """What an onlooker can guess from one report, in natural frequencies."""
    scenario = setup.scenario
    if not setup.mechanism.hidden_symbols.size:
        return "An onlooker reads each person's place from their report."
    pair = "two sensitive places" if not _all(scenario) else "two places"
    where = "" if isinstance(scenario.blocks, OneBlock) else f" in the same {unit(scenario)}"
    return (
        f"Of 100 people for whom an onlooker was torn 50:50 between {pair}{where}, "
        f"{_guessed(guess(strongest(scenario)))} guessed right from their report. Without any: 50."
    )


def _guessed(chance: float) -> str:
    best = formats.hundred(chance)
    if best.startswith("over"):
        return f"the promise lets **{best}** be"
    return f"at most about **{best}** would be"


def protected_share(setup: Setup) -> float:
    """Share of all people, by the truth, whose place hides among others by the promise."""
    return float(setup.dataset.distribution[setup.mechanism.hidden_symbols].sum())


def protected(setup: Setup) -> str:
    """How many people hide among others by the promise, and why the rest do not.

    Shares of the truth. A place hides if it is sensitive and not alone in its block.
    """
    shares = setup.dataset.distribution
    scenario = setup.scenario
    alone = (setup.partition.sizes() == 1)[setup.partition.labels]
    text = f"**Protected: {formats.out_of(protected_share(setup))} people.**"
    single, open_to_all = setup.sensitive & alone, ~setup.sensitive
    if single.any():
        count = formats.out_of(float(shares[single].sum()))
        text += f" {count} people are in a {unit(scenario)} of one place: their report names it."
    if open_to_all.any():
        count = formats.out_of(float(shares[open_to_all].sum()))
        text += f" {count} people are at places that are not sensitive."
    return text


def repeats(setup: Setup) -> str:
    """What several reports about one person do."""
    if not setup.mechanism.hidden_symbols.size:
        return ""
    chance = guess(REPEATS * strongest(setup.scenario))
    if chance > 0.999:
        return (
            f"Reports add up: {REPEATS} about one person's place leave practically nothing hidden."
        )
    best = formats.hundred(chance)
    return (
        f"Reports add up: from {REPEATS} reports about the same place of one person, "
        f"at most about {best} of 100 would be guessed right."
    )


def counted_as_people(scenario: Scenario) -> str:
    """What one person stands for, where it is not a person; else empty."""
    if not isinstance(scenario.dataset, _CHECK_INS):
        return ""
    return (
        "Each check-in of the data counts as one person here. A user with many check-ins would "
        "send as many reports."
    )


def not_promised(setup: Setup) -> list[str]:
    """What the policy leaves open, one sentence each."""
    scenario = setup.scenario
    open_ends = []
    if not isinstance(scenario.blocks, OneBlock):
        open_ends.append(f"Which {unit(scenario)} someone is in: every report shows it.")
    if not _all(scenario):
        open_ends.append(_clear_sentence(setup))
    lonely = int((setup.partition.sizes() == 1).sum())
    if lonely:
        open_ends.append(
            f"{formats.exactly(lonely)} blocks hold a single place: a report from there names it."
        )
    if isinstance(scenario.dataset, _CHECK_INS):
        open_ends.append(
            "All check-ins of one user together: the promise holds for each report, and reports "
            "add up."
        )
    open_ends.append("That someone took part at all.")
    open_ends.append(
        "What the estimate teaches about everybody, such as that most people live in cities."
    )
    return open_ends


def _clear_sentence(setup: Setup) -> str:
    covered = setup.mechanism.sizes > 0
    if not covered.any():
        return "Where anyone is: every report names its place."
    with_others = np.unique(setup.partition.labels[~setup.sensitive])
    mixed = with_others[covered[with_others]]
    bare = with_others.size - mixed.size
    if not mixed.size:
        return "Places that are not sensitive: everybody there names their place openly."
    least = float(setup.mechanism.clear_share[mixed].min())
    clear = "nearly all" if least >= 0.995 else f"at least about {formats.out_of(least)}"
    text = (
        f"Places that are not sensitive: {clear} people there name their place openly, the others "
        "send a cover report. "
    )
    if bare:
        of = f"{formats.exactly(bare)} of {formats.exactly(setup.partition.m)}"
        text += f"In {of} {unit(setup.scenario)}s, where nothing has to hide, everybody does. "
    return text + (
        "So a report may rule a sensitive place out. It may speak for one, too: from an even "
        f"chance to {_bound(guess(strongest(setup.scenario)))} of 100."
    )


def _bound(chance: float) -> str:
    # Beyond what is told apart from certainty there is no upper bound to name.
    best = formats.hundred(chance)
    return best if best.startswith("over") else f"at most about {best}"


def _all(scenario: Scenario) -> bool:
    return isinstance(scenario.sensitive, EverythingSensitive)


def of_region(report: RegionReport, scenario: Scenario) -> list[str]:
    """What the numbers of a region leave to ask, one sentence or two each."""
    told = []
    if round(report.estimate) < 0:
        told.append(
            "An estimate below 0: noise outweighs the people here. The range is cut off at 0, the "
            "estimate is not, so that it is right on average."
        )
    if report.exact_blocks:
        told.append(
            f"{formats.exactly(report.exact_blocks)} blocks lie in the box as a whole. No block "
            "hides how many people it holds, so they add no privacy noise."
        )
    shown = ESTIMATORS[scenario.estimator]
    told.append(
        f"The cells of the map “Estimate” add up to {formats.people(report.shown)} here: they show "
        f"“{shown.title}”, {shown.sentence}. The estimate above is made for the box as a whole and "
        "is right on average."
    )
    return told


def tv_in_words(tv: float) -> str:
    """A total variation as people, the end of a sentence."""
    if tv > 1 + 1e-9:
        return "more than shares of people can be off by, as this estimate is not made of shares"
    return f"about {formats.out_of(tv)} people in the wrong place"


def expects(expected: Forecast | None) -> str:
    """What to expect of a TV, as a sentence."""
    if expected is None:
        return "What to expect takes long trials here; repeated runs tell."
    if expected.tv == 0:
        return "Nothing is hidden and everybody takes part: no error is expected."
    return f"To expect: {formats.plus_minus(expected.tv, 2 * expected.deviation)}."


def plain_needs(setup: Setup, needed: int | None) -> tuple[str, str]:
    """The number of people plain LDP needs, and how many times as many that is."""
    if needed is None:
        return "over 10¹²", "people, more than this tool looks for, for the same accuracy"
    times = needed / setup.n
    if times < 1.005:
        return formats.people(needed), "people: no more than this protection needs"
    return formats.people(needed), f"people for the same accuracy: {formats.times(times)} as many"
