"""Plain words for what a context protects, from whom, and what it leaves open.

Room: words. Every sentence here must be true of the scenario that it is shown with. For any policy
ask `policies.told`.
"""

from typing import Final

import numpy as np

from caldp_core.audit.adversary import guessed_right
from caldp_core.datasets import Gowalla, Snap
from caldp_core.experiments.run import Setup
from caldp_core.mechanisms.offers import cover_of
from caldp_core.scenarios.policies import ContextPolicy
from caldp_core.scenarios.protection import EverythingSensitive, OneBlock, StateBlocks
from caldp_core.scenarios.scenario import Scenario
from caldp_ui.words import formats
from caldp_ui.words.strength import strength
from caldp_ui.words.told import Told
from caldp_ui.words.vocabulary import Vocabulary

REPEATS: Final = 5
_CHECK_INS: Final = Gowalla | Snap
"""Data in which one person may be counted many times."""
_EXAMPLES: Final = (0.5, 1.0, 3.0)


def told(nouns: Vocabulary, setup: Setup, policy: ContextPolicy) -> Told:
    """All of it for a context."""
    levels = policy.epsilon if isinstance(policy.epsilon, tuple) else (policy.epsilon,)
    ends = sorted({min(levels), max(levels)})
    return Told(
        chance(setup),
        in_short(setup),
        protected(nouns, setup),
        odds(nouns, setup),
        repeats(nouns, setup),
        tuple(not_promised(nouns, setup)),
        (
            ("ε", " to ".join(f"{e:g}" for e in ends)),
            ("blocks", formats.exactly(setup.partition.m)),
        ),
    )


def strongest(scenario: Scenario) -> float:
    """The largest ε of the scenario: the weakest promise in it.

    Where secrecy fades with distance, that of neighbours.
    """
    policy = scenario.policy
    if isinstance(policy, ContextPolicy) and isinstance(policy.epsilon, tuple):
        return max(policy.epsilon)
    return policy.plain_epsilon


def chance(setup: Setup) -> float:
    """Most that an onlooker's even guess between two hidden symbols becomes right, in [0.5, 1]."""
    if not cover_of(setup.mechanism).hidden.size:
        return 1.0
    return guessed_right(strongest(setup.scenario))


def examples() -> str:
    """What some levels of ε let an onlooker guess, as an example."""
    told = (f"{formats.hundred(guessed_right(e))} at ε = {e:g}" for e in _EXAMPLES)
    return f"Guessed right of 100, at most about: {', '.join(told)}."


def block_of(nouns: Vocabulary, scenario: Scenario) -> str:
    """What a block is called."""
    if isinstance(scenario.context.blocks, OneBlock):
        return nouns.whole
    return "state" if isinstance(scenario.context.blocks, StateBlocks) else "block"


def odds(nouns: Vocabulary, setup: Setup) -> str:
    """What an onlooker can guess from one report, in natural frequencies."""
    scenario = setup.scenario
    if not cover_of(setup.mechanism).hidden.size:
        return f"An onlooker reads each person's {nouns.unit} from their report."
    pair = f"two sensitive {nouns.units}" if not _all(scenario) else f"two {nouns.units}"
    one_block = isinstance(scenario.context.blocks, OneBlock)
    where = "" if one_block else f" in the same {block_of(nouns, scenario)}"
    return (
        f"Of 100 people for whom an onlooker was torn 50:50 between {pair}{where}, "
        f"{_would_be(chance(setup))} guessed right from their report. Without any: 50."
    )


def _would_be(share: float) -> str:
    best = formats.hundred(share)
    if best.startswith("over"):
        return f"the promise lets **{best}** be"
    return f"at most about **{best}** would be"


def in_short(setup: Setup) -> str:
    """What an onlooker can guess, in one short sentence."""
    share = chance(setup)
    best = formats.hundred(share)
    if share == 1.0:
        return "An onlooker reads everything: nobody is protected."
    most = "" if best.startswith("over") else "at most "
    return f"An onlooker guesses right {most}{best} of 100 ({strength(share).word})."


def protected_share(setup: Setup) -> float:
    """Share of all people, by the truth, whose symbol hides among others by the promise."""
    return float(setup.dataset.distribution[cover_of(setup.mechanism).hidden].sum())


def protected(nouns: Vocabulary, setup: Setup) -> str:
    """How many people hide among others by the promise, and why the rest do not.

    Shares of the truth. A symbol hides if it is sensitive and not alone in its block.
    """
    shares = setup.dataset.distribution
    alone = (setup.partition.sizes() == 1)[setup.partition.labels]
    text = f"**Protected: {formats.out_of(protected_share(setup))} people.**"
    single, open_to_all = setup.sensitive & alone, ~setup.sensitive
    if single.any():
        count = formats.out_of(float(shares[single].sum()))
        text += (
            f" {count} people are in a {block_of(nouns, setup.scenario)} of one {nouns.unit}: "
            "their report names it."
        )
    if open_to_all.any():
        count = formats.out_of(float(shares[open_to_all].sum()))
        text += f" {count} people are {nouns.at} {nouns.units} that are not sensitive."
    return text


def repeats(nouns: Vocabulary, setup: Setup) -> str:
    """What several reports about one person do; empty where nothing is hidden."""
    if not cover_of(setup.mechanism).hidden.size:
        return ""
    share = guessed_right(strongest(setup.scenario), REPEATS)
    if share > 0.999:
        return (
            f"Reports add up: {REPEATS} about one person's {nouns.unit} leave practically nothing "
            "hidden."
        )
    return (
        f"Reports add up: from {REPEATS} reports about the same {nouns.unit} of one person, "
        f"at most about {formats.hundred(share)} of 100 would be guessed right."
    )


def counted_as_people(scenario: Scenario) -> str:
    """What one person stands for, where it is not a person; else empty."""
    if not isinstance(scenario.dataset, _CHECK_INS):
        return ""
    return (
        "Each check-in of the data counts as one person here. A user with many check-ins would "
        "send as many reports."
    )


def not_promised(nouns: Vocabulary, setup: Setup) -> list[str]:
    """What the policy leaves open, one sentence each."""
    scenario = setup.scenario
    open_ends = []
    if not isinstance(scenario.context.blocks, OneBlock):
        block = block_of(nouns, scenario)
        open_ends.append(f"Which {block} someone is in: every report shows it.")
    if not _all(scenario):
        open_ends.append(_clear_sentence(nouns, setup))
    lonely = int((setup.partition.sizes() == 1).sum())
    if lonely:
        open_ends.append(
            f"{formats.count(lonely, 'block holds', 'blocks hold')} a single {nouns.unit}: "
            "a report from there names it."
        )
    return open_ends + left_open(nouns, scenario)


def left_open(nouns: Vocabulary, scenario: Scenario) -> list[str]:
    """What every policy leaves open, one sentence each."""
    together = [
        "All check-ins of one user together: the promise holds for each report, and reports add up."
    ]
    return [
        *(together if isinstance(scenario.dataset, _CHECK_INS) else []),
        "That someone took part at all.",
        f"What the estimate teaches about everybody, such as which {nouns.units} are common.",
    ]


def _clear_sentence(nouns: Vocabulary, setup: Setup) -> str:
    covered = cover_of(setup.mechanism).sizes > 0
    if not covered.any():
        return f"The {nouns.unit} of anyone: every report names it."
    with_others = np.unique(setup.partition.labels[~setup.sensitive])
    mixed = with_others[covered[with_others]]
    bare = with_others.size - mixed.size
    others = f"{nouns.units.capitalize()} that are not sensitive"
    if not mixed.size:
        return f"{others}: everybody there names their {nouns.unit} openly."
    least = float(cover_of(setup.mechanism).clear_share[mixed].min())
    clear = "nearly all" if least >= 0.995 else f"at least about {formats.out_of(least)}"
    text = (
        f"{others}: {clear} people there name their {nouns.unit} openly, the others send a cover "
        "report. "
    )
    if bare:
        of = f"{formats.exactly(bare)} of {formats.exactly(setup.partition.m)}"
        blocks = f"{block_of(nouns, setup.scenario)}s"
        text += f"In {of} {blocks}, where nothing has to hide, everybody does. "
    return text + (
        f"So a report may rule a sensitive {nouns.unit} out. It may speak for one, too: from an "
        f"even chance to {_bound(chance(setup))} of 100."
    )


def _bound(share: float) -> str:
    # Beyond what is told apart from certainty there is no upper bound to name.
    best = formats.hundred(share)
    return best if best.startswith("over") else f"at most about {best}"


def _all(scenario: Scenario) -> bool:
    return isinstance(scenario.context.sensitive, EverythingSensitive)
