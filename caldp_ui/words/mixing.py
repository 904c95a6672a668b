"""The promise after reports are mixed by a shuffler, in a sentence."""

import math
from typing import Final

import numpy as np

from caldp_core.experiments.run import Setup
from caldp_core.mechanisms.contextual import ContextMechanism
from caldp_core.theory.mixing import epsilons_after_mixing
from caldp_ui.words import formats
from caldp_ui.words.vocabulary import Vocabulary

DELTA_TEXT: Final = (
    "Beyond what this ε allows, one person's answer may change the chance of any outcome by one in "
    "a billion (δ)."
)


def is_known(setup: Setup) -> bool:
    """Whether there is a bound for the scenario's mechanism, and anybody whom it protects."""
    mechanism = setup.mechanism
    return isinstance(mechanism, ContextMechanism) and bool(mechanism.hidden_symbols.size)


def scenario_text(nouns: Vocabulary, setup: Setup) -> str:
    """ε after mixing in the block with the most people, of those that hide any; "" without a bound.

    People are counted by the truth, which a page knows.
    """
    if not is_known(setup):
        return ""
    assert isinstance(setup.mechanism, ContextMechanism)
    labels, policy = setup.partition.labels, setup.mechanism.policy
    shares = np.bincount(labels, setup.dataset.distribution, minlength=policy.m)
    has_hidden = policy.hidden_sizes > 0
    block = int(np.argmax(np.where(has_hidden, shares, -1.0)))
    people = np.zeros(policy.m, np.int64)
    people[block] = max(1, round(setup.n * float(shares[block])))
    epsilons = epsilons_after_mixing(setup.mechanism, people)
    assert epsilons is not None  # of contexts there is always one
    levels = float(epsilons.hidden[block]), float(epsilons.open[block])
    block_text = "" if policy.m == 1 else " of the block with the most people"
    before = float(policy.epsilon[block])
    return describe_mixing(
        nouns,
        before,
        levels,
        f"the {formats.counted(int(people[block]), 'report', 'reports')}{block_text}",
    )


def describe_mixing(
    nouns: Vocabulary, before: float, after: tuple[float, float], reports: str
) -> str:
    """ε `before` and `after` mixing, in a sentence; "" where `after` has no pair.

    `after`: ε between two protected values, and between a protected and an open one; NaN where
    there is no such pair. `reports`: which reports are mixed, in words.
    """
    hidden, beside_open = after
    pairs = {
        f"two protected {nouns.units}": hidden,
        f"a protected and an open {nouns.unit}": beside_open,
    }
    changes = [
        f"between {pair} {change(before, level)}"
        for pair, level in pairs.items()
        if not math.isnan(level)
    ]
    if not changes:
        return ""
    return (
        f"If reports are mixed by a shuffler that you trust to forget who sent which of {reports}, "
        f"ε {', and '.join(changes)}. {DELTA_TEXT}"
    )


def change(before: float, after: float) -> str:
    """How ε changes: “falls from 1 to 0.06”, or “stays at 1” where both read alike."""
    if formats.digits(after) == formats.digits(before):
        return f"stays at {before:g}"
    return f"falls from {before:g} to {formats.digits(after)}"
