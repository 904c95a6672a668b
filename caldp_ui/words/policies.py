"""The function that writes the promise of each kind of policy that scenarios know.

A test fails for a kind without one.
"""

from collections.abc import Callable, Mapping
from typing import Any, Final

from caldp_core.experiments.run import Setup
from caldp_ui.words import formats, promise, promise_distances, promise_levels, promise_tags
from caldp_ui.words.promise_text import PromiseText
from caldp_ui.words.vocabulary import Vocabulary

WRITERS: Final[Mapping[str, Callable[[Vocabulary, Setup, Any], PromiseText]]] = {
    "context": promise.describe_context,
    "streets": promise_distances.streets,
    "crow-flies": promise_distances.crow_flies,
    "line": promise_distances.line,
    "distances": promise_levels.matrix,
    "matrix": promise_levels.matrix,
    "binary": promise_levels.binary,
    "personal-tags": promise_tags.personal,
}
"""By the policy's kind in files; each takes the vocabulary, the setup and the policy's record."""


def describe_promise(nouns: Vocabulary, setup: Setup) -> PromiseText:
    """The promise of a scenario, in sentences."""
    return WRITERS[setup.scenario.kind("policy")](nouns, setup, setup.scenario.policy)


def promise_summary(nouns: Vocabulary, setup: Setup) -> str:
    """Who is not protected and what an attacker can guess of the others, as plain text."""
    return describe_promise(nouns, setup).summary.replace("*", "")


def setting_text(setup: Setup) -> str:
    """The setting of a picture in one line: its ε, number of people and data."""
    policy = setup.scenario.policy
    epsilon = getattr(policy, "epsilon", policy.plain_epsilon)
    ends = sorted({min(epsilon), max(epsilon)}) if isinstance(epsilon, tuple) else [epsilon]
    level = f"ε from {ends[0]:g} to {ends[-1]:g}" if len(ends) > 1 else f"ε = {ends[0]:g}"
    if hasattr(policy, "km"):
        level += f" within {policy.km:g} km"
    return f"{level} · {formats.counted(setup.n, 'person', 'people')} · data: {setup.dataset.name}"
