"""Plain words for what a context protects, from whom, and what it leaves open.

Every sentence here must be true of the scenario that it is shown with. For any policy call
`policies.describe_promise`.
"""

from typing import Final

import numpy as np

from caldp_core.audit import inference
from caldp_core.audit.adversary import PairOdds, max_guess_accuracy, pair_odds
from caldp_core.basics.cache import cached
from caldp_core.datasets import Gowalla, Snap
from caldp_core.experiments.run import Setup
from caldp_core.mechanisms.capabilities import symbol_partition_of
from caldp_core.privacy.context import Context
from caldp_core.scenarios.blocks import (
    CountryBlocks,
    EverythingSensitive,
    GroupBlocks,
    HexagonBlocks,
    OneBlock,
    PolygonBlocks,
    RegionBlocks,
    StateBlocks,
)
from caldp_core.scenarios.policies import ContextPolicy
from caldp_core.scenarios.scenario import Scenario
from caldp_ui.words import formats, promise_text
from caldp_ui.words.promise_text import Grade, PromiseText, grades, right_guess_text
from caldp_ui.words.vocabulary import Vocabulary

REPEATS: Final = 5
"""Reports of one person in sentences on reports that add up."""
_CHECK_INS: Final = Gowalla | Snap
"""Data in which one person may be counted many times."""
_EXAMPLES: Final = (0.5, 1.0, 3.0)
"""Levels of ε in `epsilon_examples`."""


def describe_context(nouns: Vocabulary, setup: Setup, policy: ContextPolicy) -> PromiseText:
    """The promise of a context, in sentences; a writer of `policies.WRITERS`."""
    del policy
    levels = _context(setup).hidden_epsilon.tolist()
    ends = sorted({min(levels), max(levels)}) if levels else []
    graded = grades(
        protected_share(setup),
        chance(setup),
        odds_text(nouns, setup),
        _read_sentences(nouns, setup),
    )
    return PromiseText(
        graded,
        _summary(nouns, setup, graded),
        protected_text(nouns, setup),
        odds_text(nouns, setup),
        repeats_text(nouns, setup),
        tuple(not_promised(nouns, setup)),
        (
            ("ε", " to ".join(f"{e:g}" for e in ends) or "none: nobody is protected"),
            ("blocks", formats.integer(setup.partition.m)),
        ),
    )


def _summary(nouns: Vocabulary, setup: Setup, graded: tuple[Grade, ...]) -> str:
    covered = graded[-1].people if graded[-1].protected else 0.0
    unprotected = promise_text.unprotected_text(nouns, covered, readable_share(setup))
    if not covered:
        return unprotected
    return f"{unprotected} {_guess_sentence(nouns, setup)}".strip()


def _context(setup: Setup) -> Context:
    assert isinstance(setup.policy, Context)
    return setup.policy


@cached
def _pairs(context: Context, reports: int = 1) -> PairOdds:
    # A page's sentences need it several times in a run.
    return pair_odds(context, reports)


def largest_epsilon(scenario: Scenario) -> float:
    """The weakest promise: the largest ε of a context, the `plain_epsilon` of other policies."""
    policy = scenario.policy
    if isinstance(policy, ContextPolicy) and isinstance(policy.epsilon, tuple):
        return max(policy.epsilon)
    return policy.plain_epsilon


def chance(setup: Setup) -> float:
    """Largest chance that an attacker's even guess about a protected person is right, in [0.5, 1].

    Over all pairs of a protected symbol and another of its block; 1 where nobody is protected.
    """
    return _pairs(_context(setup)).largest


def epsilon_examples() -> str:
    """Right guesses of 100 at some levels of ε, as a sentence."""
    examples = [f"{formats.hundred(max_guess_accuracy(e))} at ε = {e:g}" for e in _EXAMPLES]
    return f"Of 100 guesses between two protected answers these are right: {', '.join(examples)}."


def block_name(nouns: Vocabulary, scenario: Scenario) -> str:
    """The noun for a block of the scenario, such as "state"."""
    blocks = scenario.context.blocks
    if isinstance(blocks, OneBlock):
        return nouns.whole
    block_nouns = {
        StateBlocks: "state",
        CountryBlocks: "country",
        RegionBlocks: "region",
        HexagonBlocks: "hexagon",
        GroupBlocks: "group",
        PolygonBlocks: "region",
    }
    return block_nouns.get(type(blocks), "block")


def odds_text(nouns: Vocabulary, setup: Setup) -> str:
    """An attacker's right guesses about protected people from one report, as times in 100."""
    odds = _pairs(_context(setup))
    if not odds.protected:
        return f"An attacker can read everybody's {nouns.unit} from one report."
    text = _guess_sentence(nouns, setup)
    if odds.one_way is None or odds.both_ways is None:
        return f"{text} Without a report it is 50."
    return (
        f"{text} Between two protected {nouns.units} the attacker "
        f"{right_guess_text(odds.both_ways)}."
    )


def _guess_sentence(nouns: Vocabulary, setup: Setup) -> str:
    """An attacker's right guesses about protected people, in one sentence."""
    odds, scenario = _pairs(_context(setup)), setup.scenario
    one_block = isinstance(scenario.context.blocks, OneBlock)
    block = block_name(nouns, scenario)
    if odds.one_way is not None:
        pair = f"a protected {nouns.unit} and another{'' if one_block else f' of its {block}'}"
        return (
            f"An attacker who must choose between {pair}, equally likely, "
            f"{right_guess_text(odds.largest)}."
        )
    some = "" if bool(_context(setup).hidden().all()) else "protected "
    where = "" if one_block else f" in one {block}"
    return (
        f"An attacker who must choose between two equally likely {some}{nouns.units}{where} "
        f"{right_guess_text(odds.largest)}."
    )


def _read_sentences(nouns: Vocabulary, setup: Setup) -> str:
    """How many of the unprotected one report reveals, and what hides the others."""
    share = readable_share(setup)
    if share >= promise_text.READ:
        return f"One report is enough to read the true {nouns.unit} of each of them."
    return (
        f"One report is enough to read the true {nouns.unit} of **{formats.out_of(share)}** of "
        "them. The others report like protected people this time; no promise hides them next time."
    )


def readable_share(setup: Setup) -> float:
    """Share of the unprotected, by the truth, whose report names their symbol; 0 without any."""
    return inference.readable_share(setup.mechanism, setup.policy, setup.dataset.distribution)


def protected_share(setup: Setup) -> float:
    """Share of all people, by the truth, whose symbol the promise hides among others; in [0, 1]."""
    return float(setup.dataset.distribution[_context(setup).hidden()].sum())


def protected_text(nouns: Vocabulary, setup: Setup) -> str:
    """How many people the promise protects, by the truth, and why the rest are not protected.

    A symbol is protected if it is sensitive and not alone in its block.
    """
    shares = setup.dataset.distribution
    alone = (setup.partition.sizes() == 1)[setup.partition.labels]
    text = promise_text.protected_text(protected_share(setup))
    single, open_to_all = setup.sensitive & alone, ~setup.sensitive
    if single.any():
        count = formats.out_of(float(shares[single].sum())).capitalize()
        text += (
            f" {count} people are in a {block_name(nouns, setup.scenario)} of one {nouns.unit}, "
            "which their report names."
        )
    if open_to_all.any():
        count = formats.out_of(float(shares[open_to_all].sum())).capitalize()
        text += f" {count} people {nouns.belong} {nouns.units} that are not sensitive."
    return text


def repeats_text(nouns: Vocabulary, setup: Setup) -> str:
    """Right guesses after `REPEATS` reports about one person; "" where nothing is hidden."""
    odds = _pairs(_context(setup), REPEATS)
    if not odds.protected:
        return ""
    if odds.largest > 0.999:
        return f"Reports add up: {REPEATS} about one person leave practically nothing hidden."
    return (
        f"Reports add up: after {REPEATS} reports about the same {nouns.unit} of one person, the "
        f"attacker {right_guess_text(odds.largest)}."
    )


def counted(scenario: Scenario) -> tuple[str, str]:
    """What the data count, one and many: check-ins, unless people are drawn from them."""
    check_ins = isinstance(scenario.dataset, _CHECK_INS) and scenario.n is None
    return ("check-in", "check-ins") if check_ins else ("person", "people")


def population(setup: Setup) -> str:
    """How many of what the data count: "3.67 million check-ins", "1,000 people"."""
    return formats.counted(setup.n, *counted(setup.scenario))


def counted_as_people(scenario: Scenario) -> str:
    """Note that one person is one check-in in these data; "" for other data."""
    if not isinstance(scenario.dataset, _CHECK_INS):
        return ""
    return (
        "Each check-in of the data counts as one person here. A user with many check-ins would "
        "send as many reports."
    )


def not_promised(nouns: Vocabulary, setup: Setup) -> list[str]:
    """What the policy leaves open, a sentence or a few each."""
    scenario = setup.scenario
    open_ends = []
    if not isinstance(scenario.context.blocks, OneBlock):
        block = block_name(nouns, scenario)
        open_ends.append(f"Every report shows which {block} someone is in.")
    if not isinstance(scenario.context.sensitive, EverythingSensitive):
        open_ends.append(_clear_sentences(nouns, setup))
    singles = int((setup.partition.sizes() == 1).sum())
    if singles:
        open_ends.append(
            f"{formats.count(singles, 'block holds', 'blocks hold')} a single {nouns.unit}, and a "
            "report from there names it."
        )
    return open_ends + left_open(nouns, scenario)


def left_open(nouns: Vocabulary, scenario: Scenario) -> list[str]:
    """What every policy leaves open, a sentence each."""
    together = ["One user's check-ins are not protected together: the ε of their reports add up."]
    return [
        *(together if isinstance(scenario.dataset, _CHECK_INS) else []),
        "A report shows that someone took part.",
        f"The estimate shows which {nouns.units} are common, as it is meant to.",
    ]


def _clear_sentences(nouns: Vocabulary, setup: Setup) -> str:
    cover, context = symbol_partition_of(setup.mechanism), _context(setup)
    has_hidden = cover.sizes > 0
    if not has_hidden.any():
        return f"Every report names its {nouns.unit}."
    with_others = np.flatnonzero(np.bincount(setup.partition.labels[~setup.sensitive]))
    mixed = with_others[has_hidden[with_others]]
    others = f"{nouns.at.capitalize()} {nouns.units} that are not sensitive"
    if not mixed.size:
        return f"{others}, everybody names their {nouns.unit} openly."
    least = float(cover.clear_share[mixed].min())
    clear = "nearly all" if least >= promise_text.READ else f"at least {formats.out_of(least)}"
    text = (
        f"{others}, {clear} people name their {nouns.unit} openly; the others report like "
        "protected people."
    )
    unmixed = with_others.size - mixed.size
    if unmixed:
        count = f"{formats.integer(unmixed)} of {formats.integer(setup.partition.m)}"
        block = block_name(nouns, setup.scenario)
        blocks = "countries" if block == "country" else f"{block}s"
        text += f" In {count} {blocks}, where nothing has to hide, everybody does."
    bound = formats.upper_bound(max_guess_accuracy(float(context.epsilon[mixed].max())))
    return (
        f"{text} So a report may rule a sensitive {nouns.unit} out. It may also speak for one: an "
        f"even chance becomes {bound} of 100."
    )
