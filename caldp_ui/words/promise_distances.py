"""The promise of policies whose privacy fades with distance, in sentences."""

from dataclasses import dataclass
from typing import Final

from caldp_core.audit.adversary import max_guess_accuracy
from caldp_core.experiments.run import Setup
from caldp_core.scenarios.policies import CrowFlies, Line, Streets
from caldp_ui.words import coverage as counts
from caldp_ui.words import formats, promise
from caldp_ui.words.promise_text import PromiseText, bound_text, grades, right_guess_text
from caldp_ui.words.vocabulary import Vocabulary

_FARTHER: Final = (2, 10)
"""Multiples of the policy's distance for which the odds are given as well."""


def crow_flies(nouns: Vocabulary, setup: Setup, policy: CrowFlies) -> PromiseText:
    """The promise of ε within `policy.km` kilometres, as the crow flies."""
    return _map_promise(nouns, setup, policy, "as the crow flies")


def streets(nouns: Vocabulary, setup: Setup, policy: Streets) -> PromiseText:
    """The promise of ε within `policy.km` kilometres, north–south plus east–west."""
    return _map_promise(nouns, setup, policy, "north–south plus east–west")


def _map_promise(
    nouns: Vocabulary, setup: Setup, policy: CrowFlies | Streets, along: str
) -> PromiseText:
    rate = f"ε is {formats.digits(policy.epsilon / policy.km, 3)} for each kilometre, {along}"
    suffix = "apart along streets" if isinstance(policy, Streets) else "apart"
    near = f"up to {formats.digits(policy.km, 4)} km {suffix}"
    far = tuple(f"{formats.digits(times * policy.km, 4)} km {suffix}" for times in _FARTHER)
    level = f"{policy.epsilon:g} within {policy.km:g} km, {along}"
    return _fading_promise(nouns, setup, _FadingText(policy.epsilon, rate, near, far, level))


def line(nouns: Vocabulary, setup: Setup, policy: Line) -> PromiseText:
    """The promise of ε between neighbours on a scale."""
    rate = f"ε is {policy.epsilon:g} for each step on the scale"
    far = tuple(f"{times} steps apart" for times in _FARTHER)
    return _fading_promise(
        nouns, setup, _FadingText(policy.epsilon, rate, "one step apart", far, rate[5:])
    )


@dataclass(frozen=True)
class _FadingText:
    """A promise that fades with distance, in words: `epsilon` at the distance `near`.

    `rate`: how it fades; `far`: the distances that are `_FARTHER` times as large; `level`: the ε
    and its distance, for the list of numbers.
    """

    epsilon: float
    rate: str
    near: str
    far: tuple[str, ...]
    level: str


def _fading_promise(nouns: Vocabulary, setup: Setup, policy: _FadingText) -> PromiseText:
    chance = max_guess_accuracy(policy.epsilon)
    in_short = (
        f"An attacker who must choose between two equally likely {nouns.units} {policy.near} "
        f"{right_guess_text(chance)}."
    )
    farther = " ".join(
        f"For {nouns.units} {distance} it is "
        f"{bound_text(max_guess_accuracy(times * policy.epsilon))}."
        for times, distance in zip(_FARTHER, policy.far, strict=True)
    )
    odds = f"{in_short} Without a report it is 50. {farther}"
    return PromiseText(
        grades(1.0, chance, f"{in_short} Farther apart, the attacker is right more often.", ""),
        in_short,
        f"{counts.protected_text(1.0)} The nearer two {nouns.units} are, the less a report shows "
        "which "
        f"of them is true. Between any two, {policy.rate}.",
        odds,
        f"Reports add up: after {promise.REPEATS} reports about the same {nouns.unit} of one "
        "person, the attacker "
        f"{right_guess_text(max_guess_accuracy(policy.epsilon, promise.REPEATS))}.",
        (
            f"Reports show in which part of the {nouns.whole} someone is.",
            *promise.left_open(nouns, setup.scenario),
        ),
        (("ε", policy.level),),
    )
