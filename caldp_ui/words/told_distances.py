"""What is promised where secrecy fades with distance.

Room: words.
"""

from dataclasses import dataclass
from typing import Final

from caldp_core.audit.adversary import guessed_right
from caldp_core.experiments.run import Setup
from caldp_core.scenarios.distances import CrowFlies, Line, Streets
from caldp_ui.words import promise
from caldp_ui.words.strength import strength
from caldp_ui.words.told import Told, most
from caldp_ui.words.vocabulary import Vocabulary

_FARTHER: Final = (2, 10)
"""How many times as far apart the odds are told as well."""


def crow_flies(nouns: Vocabulary, setup: Setup, policy: CrowFlies) -> Told:
    """ε within so many kilometres, as the crow flies."""
    return _on_map(nouns, setup, policy, "as the crow flies")


def streets(nouns: Vocabulary, setup: Setup, policy: Streets) -> Told:
    """ε within so many kilometres, north–south plus east–west."""
    return _on_map(nouns, setup, policy, "north–south plus east–west")


def _on_map(nouns: Vocabulary, setup: Setup, policy: CrowFlies | Streets, along: str) -> Told:
    rate = f"ε = {policy.epsilon / policy.km:.3g} for each kilometre ({along})"
    far = tuple(f"{times * policy.km:g} km" for times in _FARTHER)
    level = f"{policy.epsilon:g} within {policy.km:g} km, {along}"
    return _fading(nouns, setup, _Fading(policy.epsilon, rate, f"{policy.km:g} km", far, level))


def line(nouns: Vocabulary, setup: Setup, policy: Line) -> Told:
    """ε between neighbours on a scale."""
    rate = f"ε = {policy.epsilon:g} for each step on the scale"
    far = tuple(f"{times} steps" for times in _FARTHER)
    return _fading(nouns, setup, _Fading(policy.epsilon, rate, "one step", far, rate[4:]))


@dataclass(frozen=True)
class _Fading:
    """`epsilon` at a distance that is called `near`; `far`: `_FARTHER` times that; `level`: all."""

    epsilon: float
    rate: str
    near: str
    far: tuple[str, ...]
    level: str


def _fading(nouns: Vocabulary, setup: Setup, policy: _Fading) -> Told:
    epsilon, near = policy.epsilon, f"up to {policy.near} apart"
    chance = guessed_right(epsilon)
    farther = "; ".join(
        f"{distance} apart, {most(guessed_right(times * epsilon))}"
        for times, distance in zip(_FARTHER, policy.far, strict=True)
    )
    return Told(
        chance,
        f"Between {nouns.units} {near}, an onlooker guesses right {most(chance).replace('*', '')} "
        f"({strength(chance).word}); farther apart, more.",
        f"**Protected: 100 of 100 people.** The nearer two {nouns.units} are, the less a report "
        f"tells which of them is a person's: {policy.rate}, for every pair.",
        f"Of 100 people for whom an onlooker was torn 50:50 between two {nouns.units} {near}, "
        f"{most(chance)} would be guessed right from their report. Without any: 50. For "
        f"{nouns.units} {farther}.",
        f"Reports add up: from {promise.REPEATS} reports about the same {nouns.unit} of one "
        f"person, {most(guessed_right(epsilon, promise.REPEATS))} would be guessed right.",
        (
            f"In which part of the {nouns.whole} someone is: reports tell far {nouns.units} apart.",
            *promise.left_open(nouns, setup.scenario),
        ),
        (("ε", policy.level),),
    )
