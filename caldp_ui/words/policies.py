"""The promise of each kind of policy that scenarios know; a test fails for a kind without one.

Beside those of `promise.py`: policies with an ε for each pair of values, with privacy that fades
with distance, and those that hide everybody's own places behind tags.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

import numpy as np

from caldp_core.audit.adversary import even_guess, max_guess_accuracy, pair_odds
from caldp_core.basics.cache import cached
from caldp_core.basics.types import Floats
from caldp_core.domain.domains import GridDomain
from caldp_core.experiments.run import Setup
from caldp_core.mechanisms.catalogue import MechanismSpec
from caldp_core.privacy.context import Context, PersonalPolicy, PrivacyMatrix, dense
from caldp_core.privacy.matrix import closure, coverage
from caldp_core.scenarios import policies
from caldp_ui.app.texts import read_texts, read_toml
from caldp_ui.app.user_text import UserText
from caldp_ui.words import formats, promise
from caldp_ui.words.formats import Vocabulary
from caldp_ui.words.promise import (
    PromiseText,
    add_up,
    bound_text,
    exposed_text,
    grades,
    must_choose,
)


def binary(nouns: Vocabulary, setup: Setup, policy: policies.BinaryQuestion) -> PromiseText:
    """The promise for two values, such as no and yes, with an ε for each."""
    first, second = names(nouns, setup)
    levels = {second: policy.epsilon_10, first: policy.epsilon_01}
    hidden = [name for name, epsilon in levels.items() if math.isfinite(epsilon)]
    shares = dict(zip((first, second), setup.dataset.distribution.tolist(), strict=True))
    covered = min(1.0, sum(shares[name] for name in hidden))
    in_the_open = [name for name in levels if name not in hidden]
    odds = pair_odds(setup.policy)
    repeated = pair_odds(setup.policy, promise.REPEATS).largest

    def guess(one: str, other: str) -> str:
        return must_choose(f"“{one}” and “{other}”, equally likely,", odds.largest)

    # As plain text, and as Markdown.
    summary = [_unprotected_sentence(name.raw) for name in in_the_open]
    if hidden:
        summary.append(guess(first.raw, second.raw))
    unprotected = [_unprotected_sentence(name.markdown) for name in in_the_open]
    guess_text = guess(first.markdown, second.markdown)
    answers_text = [_odds_sentences(name.markdown, epsilon) for name, epsilon in levels.items()]
    return PromiseText(
        grades(covered, odds.largest, guess_text, " ".join(unprotected)),
        " ".join(summary),
        f"{promise.covered_text(nouns, covered)} {_deniable_sentence(hidden)}",
        " ".join((*answers_text, guess_text)),
        add_up("with new noise", repeated) if hidden else "",
        (*unprotected, *promise.left_open(nouns, setup.scenario)),
        tuple((f"ε of {name.raw}", level(epsilon)) for name, epsilon in levels.items()),
    )


def _unprotected_sentence(name: str) -> str:
    return f"“{name}” is not protected: a report may prove it."


def _deniable_sentence(hidden: Sequence[UserText]) -> str:
    if not hidden:
        return "Nothing can be denied."
    return f"{' and '.join(f'“{name.markdown}”' for name in hidden)} can be denied."


def names(nouns: Vocabulary, setup: Setup) -> tuple[UserText, UserText]:
    """Names of the two values."""
    domain = setup.dataset.domain
    if isinstance(domain, GridDomain):
        return UserText(f"{nouns.unit} 1"), UserText(f"{nouns.unit} 2")
    return UserText(domain.name_of(0)), UserText(domain.name_of(1))


def level(epsilon: float) -> str:
    """An ε in [0, ∞] for readers: "1.5", "∞"."""
    return "∞" if math.isinf(epsilon) else f"{epsilon:g}"


def answers(policy: policies.BinaryQuestion) -> list[str]:
    """The promises for yes and for no, a sentence or two each."""
    return [_odds_sentences("yes", policy.epsilon_10), _odds_sentences("no", policy.epsilon_01)]


def _odds_sentences(name: str, epsilon: float) -> str:
    if math.isinf(epsilon):
        return _unprotected_sentence(f"**{name}**")
    return (
        f"“**{name}**” can be denied, at ε = {epsilon:g}: no report makes it more than "
        f"{formats.digits(math.exp(epsilon), 3)} times as likely as before. A report for "
        f"“{name}” turns an even chance into {bound_text(max_guess_accuracy(epsilon))}."
    )


def matrix(
    nouns: Vocabulary, setup: Setup, policy: policies.MatrixPolicy | policies.Distances
) -> PromiseText:
    """The promise of any matrix E for few values."""
    del policy
    levels = dense(setup.policy)
    off_diagonal = ~np.eye(setup.policy.k, dtype=np.bool_)
    bounded = np.isfinite(levels) & off_diagonal
    finite = levels[bounded].tolist()
    texts = pair_texts(nouns, setup.policy)
    hidden = bounded.any(axis=1)
    covered = min(1.0, float(setup.dataset.distribution[hidden].sum()))
    count = f"{int(hidden.sum())} of {formats.count(hidden.size, nouns.unit, nouns.units)}"
    unbounded = int((off_diagonal & ~bounded).sum())
    open_pairs = (
        f"For {unbounded:,} of {int(off_diagonal.sum()):,} ordered pairs of {nouns.units} E states "
        "no bound. A report may tell the first from the second, unless other pairs forbid it."
    )
    graded = grades(covered, texts.chance, texts.odds, f"E limits none of their {nouns.units}.")
    first = (
        "" if covered > 1 - 1e-12 else f"{promise.covered_text(nouns, covered).replace('*', '')} "
    )
    return PromiseText(
        graded,
        f"{first}{texts.guess}" if graded[-1].protected else first.strip(),
        f"{promise.covered_text(nouns, covered)} E hides {count} behind another.",
        texts.odds,
        texts.repeats,
        (*((open_pairs,) if unbounded else ()), *promise.left_open(nouns, setup.scenario)),
        (
            ("ε", _range_text(finite)),
            ("pairs with a bound", f"{len(finite):,} of {off_diagonal.sum():,}"),
        ),
    )


@dataclass(frozen=True)
class PairTexts:
    """The promise of E for pairs, without people: `chance` of the weakest pair, and sentences.

    `chance`, `odds` and `repeats`: as in `PromiseText`; `guess`: the first sentence of `odds`.
    """

    chance: float
    guess: str
    odds: str
    repeats: str


def pair_texts(nouns: Vocabulary, policy: PrivacyMatrix) -> PairTexts:
    """Texts on all pairs of which at least one symbol is protected against the other."""
    largest_odds = pair_odds(policy)
    if not largest_odds.protected:
        no_limit = f"E limits nothing: a report may name the {nouns.unit}."
        return PairTexts(1.0, no_limit, no_limit, "")
    article = "an" if nouns.unit[0] in "aeiou" else "a"
    pair = f"{article} {nouns.unit} and one that it hides behind"
    guess = must_choose(f"{pair}, equally likely,", largest_odds.largest)
    strictest = _strictest(closure(policy).entries)
    odds = f"{guess} Without a report it is 50."
    if strictest < largest_odds.largest - 1e-12:
        odds += f" For the best protected pair it is {bound_text(strictest)}."
    repeated = pair_odds(policy, promise.REPEATS).largest
    repeats = add_up(f"about the same {nouns.unit} of one person", repeated)
    return PairTexts(largest_odds.largest, guess, odds, repeats)


def _strictest(levels: Floats) -> float:
    """Smallest bound on an even guess over all pairs; `levels`: (k, k), in [0, ∞] nats."""
    first, second = np.triu_indices(len(levels), 1)
    chances = even_guess(levels[first, second], levels[second, first])
    return float(chances.min())


def _range_text(finite: Sequence[float]) -> str:
    ends = sorted({min(finite), max(finite)}) if finite else [math.inf]
    return " to ".join(map(level, ends))


_FARTHER: Final = (2, 10)
"""Multiples of the policy's distance for which the odds are given as well."""


def on_map(
    nouns: Vocabulary, setup: Setup, policy: policies.CrowFlies | policies.Streets
) -> PromiseText:
    """The promise of ε within `policy.km` kilometres, as the crow flies or along streets."""
    is_streets = isinstance(policy, policies.Streets)
    along = "north–south plus east–west" if is_streets else "as the crow flies"
    rate = f"ε is {formats.digits(policy.epsilon / policy.km, 3)} for each kilometre, {along}"
    suffix = "apart along streets" if is_streets else "apart"
    near = f"up to {formats.digits(policy.km, 4)} km {suffix}"
    far = tuple(f"{formats.digits(times * policy.km, 4)} km {suffix}" for times in _FARTHER)
    level = f"{policy.epsilon:g} within {policy.km:g} km, {along}"
    return _fading_promise(nouns, setup, _FadingText(policy.epsilon, rate, near, far, level))


def line(nouns: Vocabulary, setup: Setup, policy: policies.Line) -> PromiseText:
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
    in_short = must_choose(f"two equally likely {nouns.units} {policy.near}", chance)
    repeated = max_guess_accuracy(policy.epsilon, promise.REPEATS)
    farther = " ".join(
        f"For {nouns.units} {distance} it is "
        f"{bound_text(max_guess_accuracy(times * policy.epsilon))}."
        for times, distance in zip(_FARTHER, policy.far, strict=True)
    )
    odds = f"{in_short} Without a report it is 50. {farther}"
    return PromiseText(
        grades(1.0, chance, f"{in_short} Farther apart, the attacker is right more often.", ""),
        in_short,
        f"{promise.covered_text(nouns, 1.0)} The nearer two {nouns.units} are, the less a report "
        f"shows which of them is true. Between any two, {policy.rate}.",
        odds,
        add_up(f"reports about the same {nouns.unit} of one person", repeated),
        (
            f"Reports show in which part of the {nouns.whole} someone is.",
            *promise.left_open(nouns, setup.scenario),
        ),
        (("ε", policy.level),),
    )


def personal(nouns: Vocabulary, setup: Setup, policy: policies.PersonalTags) -> PromiseText:
    """The promise for own places behind tags, and for places sensitive for everybody, at one ε."""
    assert isinstance(setup.policy, PersonalPolicy)
    best = pair_odds(setup.policy).largest
    common = float(setup.dataset.distribution[setup.sensitive].sum())
    own = min(1.0, sum(policy.shares)) * (1.0 - common)
    guess = must_choose(f"a person's own {nouns.unit} and another, equally likely,", best)
    readable = f"A report can name the true {nouns.unit} of each of them openly."
    graded = grades(min(1.0, own + common), best, guess, readable)
    tags = formats.count(len(policy.shares), "tag", "tags")
    return PromiseText(
        graded,
        promise.summary(nouns, graded, promise.readable_share(setup), guess),
        _protected_sentences(nouns, own, common),
        f"{guess} A report that says “at home” turns an even chance into "
        f"{bound_text(max_guess_accuracy(policy.epsilon))}. No report says which {nouns.units} are "
        "somebody's own.",
        add_up("from home", pair_odds(setup.policy, promise.REPEATS).largest),
        (*TEXTS["tags_leave_open"].splitlines(), *promise.left_open(nouns, setup.scenario)),
        (("ε", f"{policy.epsilon:g}"), ("own places", f"{tags}, spread by “{policy.background}”")),
    )


def _protected_sentences(nouns: Vocabulary, own: float, common: float) -> str:
    also = (
        f" {formats.out_of(common).capitalize()} people are at a {nouns.unit} that is sensitive "
        "for everybody."
        if common
        else ""
    )
    return (
        f"{promise.covered_text(nouns, min(1.0, own + common))} {formats.out_of(own).capitalize()} "
        f"people are at a {nouns.unit} of their own, which a tag stands for.{also} This is the "
        "model of the data; the promise is to everybody, whenever they are at such a place."
    )


WRITERS: Final[Mapping[str, Callable[[Vocabulary, Setup, Any], PromiseText]]] = {
    "context": promise.describe_context,
    "streets": on_map,
    "crow-flies": on_map,
    "line": line,
    "distances": matrix,
    "matrix": matrix,
    "binary": binary,
    "personal-tags": personal,
}
"""By the policy's kind in files; each takes the vocabulary, the setup and the policy's record."""


@cached  # a run of a page asks seven times
def describe_promise(nouns: Vocabulary, setup: Setup) -> PromiseText:
    """The promise of a scenario, in sentences; values that it fails to protect come first."""
    nouns = promise.of_data(nouns, setup)
    texts = WRITERS[setup.scenario.kind("policy")](nouns, setup, setup.scenario.policy)
    exposed = exposed_text(setup.dataset.domain, coverage(setup.policy))
    person = promise.one_person_text(nouns, setup)
    texts = replace(texts, person=person, repeats=person or texts.repeats)
    return replace(texts, exposed=exposed, readable=promise.readable_share(setup))


def promise_summary(nouns: Vocabulary, setup: Setup) -> str:
    """Who is not protected and what an attacker can guess of the others, as plain text."""
    texts = describe_promise(nouns, setup)
    return f"{texts.exposed} {texts.summary.replace('*', '')}".strip()


def level_text(setup: Setup) -> str:
    """The ε of those who are protected, such as "ε = 1", or that nobody is."""
    if not coverage(setup.policy).protected.any():
        return "nobody is protected"
    policy = setup.scenario.policy
    levels = getattr(policy, "epsilon", policy.plain_epsilon)
    if isinstance(setup.policy, Context):
        levels = setup.policy.hidden_epsilon
    low, high = float(np.min(levels)), float(np.max(levels))
    return f"ε = {low:g}" if low == high else f"ε from {low:g} to {high:g}"


def setting_text(setup: Setup) -> str:
    """The setting of a picture in one line: its ε, number of people and data."""
    level = level_text(setup)
    if hasattr(setup.scenario.policy, "km"):
        level += f" within {setup.scenario.policy.km:g} km"
    return f"{level} · {promise.population(setup)} · data: {UserText(setup.dataset.name).plain}"


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


TEXTS: Final = read_texts(__file__)
_PARAMETERS: Final = read_toml(__file__, "parameters.toml")
PARAMETERS: Final = {name: Parameter(**each) for name, each in _PARAMETERS["specs"].items()}
"""By the field's name in files."""
FALSE_SHARE_WORDS: Final = Parameter(**_PARAMETERS["estimators"]["false_share"])


def describe_parameters(spec: MechanismSpec) -> str:
    """The parameters that are set: ", ω = 5"; "" where the method chooses all."""
    defaults, numbers = vars(type(spec)()), vars(spec)
    texts = [
        f", {PARAMETERS[name].symbol} = {value}"
        for name, value in numbers.items()
        if name in PARAMETERS and value is not None and value != defaults[name]
    ]
    return "".join(texts)
