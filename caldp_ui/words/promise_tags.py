"""The promise of a policy that hides everybody's own places behind tags, in sentences."""

from typing import Final

from caldp_core.audit.adversary import max_guess_accuracy, pair_odds
from caldp_core.experiments.run import Setup
from caldp_core.privacy.context import PersonalPolicy
from caldp_core.scenarios.policies import PersonalTags
from caldp_ui.words import coverage as counts
from caldp_ui.words import formats, promise
from caldp_ui.words.promise_text import Grade, PromiseText, bound_text, grades, right_guess_text
from caldp_ui.words.vocabulary import Vocabulary

NOT_PROMISED: Final = (
    "A report can show that somebody is *not* at home: who names a place openly is elsewhere.",
    "A report can name a place openly that the person did not mark.",
    (
        "One person's openly named places add up, day after day. They show everywhere that the "
        "person goes but home and work."
    ),
)
"""What tags leave open, a sentence or two each."""


def chance(policy: PersonalPolicy, reports: int = 1) -> float:
    """Largest chance, in [0.5, 1], that an even guess between an own place and another is right.

    After `reports` reports, each with new noise.
    """
    return pair_odds(policy, reports).largest


def personal(nouns: Vocabulary, setup: Setup, policy: PersonalTags) -> PromiseText:
    """The promise for own places behind tags, and for places sensitive for everybody, at one ε."""
    assert isinstance(setup.policy, PersonalPolicy)
    best = chance(setup.policy)
    common = float(setup.dataset.distribution[setup.sensitive].sum())
    own = min(1.0, sum(policy.shares)) * (1.0 - common)
    guess = (
        f"An attacker who must choose between a person's own {nouns.unit} and another, equally "
        f"likely, {right_guess_text(best)}."
    )
    graded = grades(min(1.0, own + common), best, guess, _read_sentence(nouns))
    tags = formats.count(len(policy.shares), "tag", "tags")
    return PromiseText(
        graded,
        _summary(nouns, graded, guess),
        _protected_sentences(nouns, own, common),
        f"{guess} A report that says “at home” turns an even chance into "
        f"{bound_text(max_guess_accuracy(policy.epsilon))}. No report says which {nouns.units} "
        "are somebody's "
        "own.",
        f"Reports add up: after {promise.REPEATS} from home, the attacker "
        f"{right_guess_text(chance(setup.policy, promise.REPEATS))}.",
        (*NOT_PROMISED, *promise.left_open(nouns, setup.scenario)),
        (("ε", f"{policy.epsilon:g}"), ("own places", f"{tags}, spread by “{policy.background}”")),
    )


def _summary(nouns: Vocabulary, graded: tuple[Grade, ...], guess: str) -> str:
    if not graded[-1].protected:
        return counts.unprotected_text(nouns, 0.0)
    return f"{counts.unprotected_text(nouns, graded[-1].people)} {guess}".strip()


def _protected_sentences(nouns: Vocabulary, own: float, common: float) -> str:
    also = (
        f" {formats.out_of(common).capitalize()} people are at a {nouns.unit} that is sensitive "
        "for everybody."
        if common
        else ""
    )
    return (
        f"{counts.protected_text(min(1.0, own + common))} {formats.out_of(own).capitalize()} "
        "people are "
        f"at a {nouns.unit} of their own, which a tag stands for.{also} This is the model of the "
        "data; the promise is to everybody, whenever they are at such a place."
    )


def _read_sentence(nouns: Vocabulary) -> str:
    return f"A report can name the true {nouns.unit} of each of them openly."
