"""The function that writes the promise of each kind of policy that scenarios know.

A test fails for a kind without one.

Names of the methods' parameters, which are set or chosen by the method itself.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Final

import numpy as np

from caldp_core.experiments.run import Setup
from caldp_core.mechanisms.specs import MechanismSpec
from caldp_core.privacy.context import Context
from caldp_core.privacy.coverage import coverage
from caldp_ui.words import promise, promise_levels
from caldp_ui.words.promise_text import PromiseText, exposed_text
from caldp_ui.words.vocabulary import Vocabulary

WRITERS: Final[Mapping[str, Callable[[Vocabulary, Setup, Any], PromiseText]]] = {
    "context": promise.describe_context,
    "streets": promise_levels.on_map,
    "crow-flies": promise_levels.on_map,
    "line": promise_levels.line,
    "distances": promise_levels.matrix,
    "matrix": promise_levels.matrix,
    "binary": promise_levels.binary,
    "personal-tags": promise_levels.personal,
}
"""By the policy's kind in files; each takes the vocabulary, the setup and the policy's record."""


def describe_promise(nouns: Vocabulary, setup: Setup) -> PromiseText:
    """The promise of a scenario, in sentences; values that it fails to protect come first."""
    texts = WRITERS[setup.scenario.kind("policy")](nouns, setup, setup.scenario.policy)
    exposed = exposed_text(setup.dataset.domain, coverage(setup.policy))
    return replace(texts, exposed=exposed, readable=promise.readable_share(setup))


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


@dataclass(frozen=True)
class Parameter:
    """A field of mechanism specs for readers: its symbol, its title and a description."""

    symbol: str
    title: str
    description: str

    @property
    def label(self) -> str:
        """Title and symbol."""
        return self.title if self.symbol == "share" else f"{self.title} ({self.symbol})"


PARAMETERS: Final = {
    "parts": Parameter(
        "B",
        "Parts of the Hadamard matrix",
        "More parts suit a larger ε. 1 is the form for small ε; left empty, each block has the "
        "published number, about e^ε.",
    ),
    "theta": Parameter(
        "θ",
        "Chance of a yes to one's own value",
        "The other values' chances follow from it and ε. Left empty: e^(ε/2)/(e^(ε/2) + 1).",
    ),
    "omega": Parameter(
        "ω",
        "Values in a report",
        "The number of values in a report. Left empty: the best number for each block, about "
        "its values over e^ε + 1.",
    ),
    "g": Parameter(
        "g",
        "Bins of the hash",
        "The number of bins that a report can name. Left empty: the best number, about e^ε + 1.",
    ),
    "q": Parameter(
        "q",
        "Values that a report tells apart",
        "A power of two. Left empty: the best one for each block, about e^ε + 1.",
    ),
    "share": Parameter(
        "share",
        "Best for this part of people with a sensitive value",
        "Where only some values of a block are sensitive: the part of its people, known to "
        "everybody, who have one of them, from 0 to 1. Left empty: all, the worst that can be.",
    ),
}
"""By the field's name in files."""
FALSE_SHARE_WORDS: Final = Parameter(
    "q",
    "Of what stands out, the share that may be noise",
    "The cascade keeps what stands out from the noise and averages the rest. 0.2 suits "
    "towns in an empty country; smaller, such as 0.05, suits many values of about one size. From "
    "0.001 to 0.5; choose it before you look. Left empty: 0.2 on maps, 0.05 of other values.",
)


def describe_parameters(spec: MechanismSpec) -> str:
    """The parameters that are set: ", ω = 5"; "" where the method chooses all."""
    defaults, numbers = vars(type(spec)()), vars(spec)
    texts = [
        f", {PARAMETERS[name].symbol} = {value}"
        for name, value in numbers.items()
        if name in PARAMETERS and value is not None and value != defaults[name]
    ]
    return "".join(texts)
