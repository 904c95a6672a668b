"""Who writes the sentences on a policy: one line for each kind that scenarios know.

A kind without a line is found by a test.
"""

from collections.abc import Callable, Mapping
from typing import Any, Final

from caldp_core.experiments.run import Setup
from caldp_ui.words import formats, promise, told_distances, told_levels, told_tags
from caldp_ui.words.told import Told
from caldp_ui.words.vocabulary import Vocabulary

WRITERS: Final[Mapping[str, Callable[[Vocabulary, Setup, Any], Told]]] = {
    "context": promise.told,
    "streets": told_distances.streets,
    "crow-flies": told_distances.crow_flies,
    "line": told_distances.line,
    "distances": told_levels.matrix,
    "matrix": told_levels.matrix,
    "binary": told_levels.binary,
    "personal-tags": told_tags.personal,
}
"""By the policy's kind in files; each takes nouns, the setup and the policy's own record."""


def told(nouns: Vocabulary, setup: Setup) -> Told:
    """What this scenario promises, in sentences."""
    return WRITERS[setup.scenario.kind("policy")](nouns, setup, setup.scenario.policy)


def in_short(nouns: Vocabulary, setup: Setup) -> str:
    """Who is not protected and what an attacker can guess of the others, as plain text."""
    return told(nouns, setup).in_short.replace("*", "")


def setting(setup: Setup) -> str:
    """Of what a picture is: its ε, how many people, and their data, in one line."""
    policy = setup.scenario.policy
    epsilon = getattr(policy, "epsilon", policy.plain_epsilon)
    ends = sorted({min(epsilon), max(epsilon)}) if isinstance(epsilon, tuple) else [epsilon]
    level = f"ε from {ends[0]:g} to {ends[-1]:g}" if len(ends) > 1 else f"ε = {ends[0]:g}"
    if hasattr(policy, "km"):
        level += f" within {policy.km:g} km"
    return f"{level} · {formats.people(setup.n)} people · data: {setup.dataset.name}"
