"""The function that writes the promise of each kind of policy that scenarios know.

A test fails for a kind without one.
"""

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any, Final

import numpy as np

from caldp_core.experiments.run import Setup
from caldp_core.privacy.context import Context
from caldp_core.privacy.coverage import coverage
from caldp_ui.words import promise, promise_distances, promise_levels, promise_tags
from caldp_ui.words.coverage import exposed_text
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
    """The promise of a scenario, in sentences; values that it fails to protect come first."""
    texts = WRITERS[setup.scenario.kind("policy")](nouns, setup, setup.scenario.policy)
    exposed = exposed_text(setup.dataset.domain, coverage(setup.policy))
    return replace(texts, exposed=exposed)


def promise_summary(nouns: Vocabulary, setup: Setup) -> str:
    """Who is not protected and what an attacker can guess of the others, as plain text."""
    texts = describe_promise(nouns, setup)
    return f"{texts.exposed} {texts.summary.replace('*', '')}".strip()


def level_text(setup: Setup, epsilon: str = "ε") -> str:
    """The ε of those who are protected, such as "ε = 1", or that nobody is.

    `epsilon`: its name, for a font without the letter.
    """
    if not coverage(setup.policy).protected.any():
        return "nobody is protected"
    policy = setup.scenario.policy
    levels = getattr(policy, "epsilon", policy.plain_epsilon)
    if isinstance(setup.policy, Context):
        levels = setup.policy.hidden_epsilon
    low, high = float(np.min(levels)), float(np.max(levels))
    return f"{epsilon} = {low:g}" if low == high else f"{epsilon} from {low:g} to {high:g}"


def setting_text(setup: Setup) -> str:
    """The setting of a picture in one line: its ε, number of people and data."""
    level = level_text(setup)
    if hasattr(setup.scenario.policy, "km"):
        level += f" within {setup.scenario.policy.km:g} km"
    return f"{level} · {promise.population(setup)} · data: {setup.dataset.name}"
