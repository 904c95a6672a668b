"""What is promised where every pair of values has a level of its own: yes or no, and any small E.

Room: words.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from caldp_core.audit.adversary import guessed_right
from caldp_core.domain.grid import GridDomain
from caldp_core.experiments.run import Setup
from caldp_core.privacy.context import dense
from caldp_core.scenarios.distances import Distances
from caldp_core.scenarios.policies import BinaryQuestion, MatrixPolicy
from caldp_ui.words import formats, promise
from caldp_ui.words.strength import strength
from caldp_ui.words.told import Told, most
from caldp_ui.words.vocabulary import Vocabulary


def binary(nouns: Vocabulary, setup: Setup, policy: BinaryQuestion) -> Told:
    """Two values, such as no and yes, with an ε for each."""
    first, second = names(nouns, setup)
    levels = {second: policy.epsilon_10, first: policy.epsilon_01}
    hidden = [name for name, epsilon in levels.items() if math.isfinite(epsilon)]
    shares = dict(zip((first, second), setup.dataset.distribution.tolist(), strict=True))
    covered = formats.out_of(min(1.0, sum(shares[name] for name in hidden)))
    who = " and ".join(f"“{name}”" for name in hidden) or "Nothing"
    return Told(
        _chance([levels[name] for name in hidden]),
        " ".join(_in_short(name, epsilon) for name, epsilon in levels.items()),
        f"**Protected: {covered} people.** {who} can be denied.",
        " ".join(_odds(name, epsilon) for name, epsilon in levels.items()),
        _repeated(levels, hidden),
        (
            *(f"“{name}”: a report may prove it." for name in levels if name not in hidden),
            *promise.left_open(nouns, setup.scenario),
        ),
        tuple((f"ε of {name}", level(epsilon)) for name, epsilon in levels.items()),
    )


def names(nouns: Vocabulary, setup: Setup) -> tuple[str, str]:
    """What the two values are called."""
    domain = setup.dataset.domain
    if isinstance(domain, GridDomain):
        return f"{nouns.unit} 1", f"{nouns.unit} 2"
    return domain.name_of(0), domain.name_of(1)


def level(epsilon: float) -> str:
    """An ε for readers."""
    return "∞" if math.isinf(epsilon) else f"{epsilon:g}"


def answers(policy: BinaryQuestion) -> list[str]:
    """What is promised of yes and of no, a sentence each."""
    return [_odds("yes", policy.epsilon_10), _odds("no", policy.epsilon_01)]


def _odds(name: str, epsilon: float) -> str:
    if math.isinf(epsilon):
        return f"“**{name}**” is not hidden: a report may prove it."
    return (
        f"“**{name}**” can be denied (ε = {epsilon:g}): no report makes it more than "
        f"{math.exp(epsilon):,.3g} times as credible as before. Of 100 people for whom it was "
        f"50:50 and whose report speaks for it, {most(guessed_right(epsilon))} have it."
    )


def _in_short(name: str, epsilon: float) -> str:
    if math.isinf(epsilon):
        return f"“{name}” is not hidden."
    best = guessed_right(epsilon)
    told = most(best).replace("*", "")
    return f"From 50:50, “{name}” gets to {told} ({strength(best).word})."


def _repeated(levels: Mapping[str, float], hidden: Sequence[str]) -> str:
    if not hidden:
        return ""
    told = ", ".join(
        f"“{name}” to {most(guessed_right(levels[name], promise.REPEATS))}" for name in hidden
    )
    return f"Reports add up: {promise.REPEATS} with new coins take, from 50:50, {told}."


def _chance(finite: Sequence[float]) -> float:
    return guessed_right(max(finite)) if len(finite) else 1.0


def matrix(nouns: Vocabulary, setup: Setup, policy: MatrixPolicy | Distances) -> Told:
    """Any E for few values."""
    del policy
    levels = dense(setup.policy)
    apart = ~np.eye(setup.policy.k, dtype=np.bool_)
    held = np.isfinite(levels) & apart
    finite = levels[held].tolist()
    about = of_pairs(nouns, finite)
    chance = about.chance
    hidden = held.any(axis=1)
    covered = formats.out_of(min(1.0, float(setup.dataset.distribution[hidden].sum())))
    count = f"{int(hidden.sum())} of {formats.count(hidden.size, nouns.unit, nouns.units)}"
    loose = int((apart & ~held).sum())
    open_pairs = (
        f"For {loose:,} of {int(apart.sum()):,} ordered pairs of {nouns.units} E states no bound: "
        "a report may tell the first from the second, unless other pairs forbid it."
    )
    return Told(
        chance,
        f"Between {_a(nouns)} and one that it hides behind, an onlooker gets "
        f"{most(chance).replace('*', '')} right ({strength(chance).word})."
        if finite
        else "An onlooker reads everything: nobody is protected.",
        f"**Protected: {covered} people.** E hides {count} behind another.",
        about.odds,
        about.repeats,
        (*((open_pairs,) if loose else ()), *promise.left_open(nouns, setup.scenario)),
        (("ε", _range(finite)), ("pairs with a bound", f"{len(finite):,} of {apart.sum():,}")),
    )


@dataclass(frozen=True)
class Pairs:
    """What E says of pairs alone: the chance of the weakest, and sentences; see `Told`."""

    chance: float
    odds: str
    repeats: str


def of_pairs(nouns: Vocabulary, finite: Sequence[float]) -> Pairs:
    """Of the levels of all pairs that have a bound."""
    return Pairs(_chance(finite), _pairs(nouns, finite), _pairs_repeated(nouns, finite))


def _a(nouns: Vocabulary) -> str:
    """A symbol, with its article."""
    return f"{'an' if nouns.unit[0] in 'aeiou' else 'a'} {nouns.unit}"


def _pairs(nouns: Vocabulary, finite: Sequence[float]) -> str:
    if not finite:
        return f"E states no bound: a report may name the {nouns.unit}."
    weakest, strictest = (guessed_right(edge(finite)) for edge in (max, min))
    told = (
        f"Of 100 people for whom an onlooker was torn 50:50 between {_a(nouns)} and one that it "
        f"hides behind, and whose report speaks for the first, {most(weakest)} have it, whichever "
        "pair it is."
    )
    if strictest == weakest:
        return told
    return f"{told} For the pair with the smallest ε: {most(strictest)}."


def _pairs_repeated(nouns: Vocabulary, finite: Sequence[float]) -> str:
    if not finite:
        return ""
    return (
        f"Reports add up: from {promise.REPEATS} about the same {nouns.unit} of one person, "
        f"{most(guessed_right(max(finite), promise.REPEATS))}."
    )


def _range(finite: Sequence[float]) -> str:
    ends = sorted({min(finite), max(finite)}) if finite else [math.inf]
    return " to ".join(map(level, ends))
