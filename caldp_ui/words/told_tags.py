"""What is promised where everybody hides places of their own behind tags.

Room: words.
"""

from caldp_core.audit.adversary import guessed_right
from caldp_core.experiments.run import Setup
from caldp_core.scenarios.policies import PersonalTags
from caldp_ui.words import formats, promise
from caldp_ui.words.strength import strength
from caldp_ui.words.told import Told, most
from caldp_ui.words.vocabulary import Vocabulary

NOT_PROMISED = (
    "That somebody is *not* at home: who names a place openly rules their own places out.",
    "Places that a person did not mark: they are named openly more often than not.",
    (
        "What the openly named places of one person add up to, day after day: everywhere that "
        "they go but home and work."
    ),
)
"""What tags leave open, a sentence each."""


def personal(nouns: Vocabulary, setup: Setup, policy: PersonalTags) -> Told:
    """Own places behind tags, and places that are sensitive for everybody, at one ε."""
    chance = guessed_right(policy.epsilon)
    common = float(setup.dataset.distribution[setup.sensitive].sum())
    own = min(1.0, sum(policy.shares)) * (1.0 - common)
    also = (
        f", {formats.out_of(common)} at a {nouns.unit} that is sensitive for everybody"
        if common
        else ""
    )
    tags = formats.count(len(policy.shares), "tag", "tags")
    return Told(
        chance,
        f"From 50:50, no report makes “at home” likelier than {formats.hundred(chance)} of 100 "
        f"({strength(chance).word}).",
        f"**Protected: {formats.out_of(min(1.0, own + common))} people**: {formats.out_of(own)} "
        f"are at a {nouns.unit} of their own, which a tag stands for{also}. This is the model of "
        "the data; the promise is to everybody, whenever they are at such a place.",
        f"Of 100 people for whom an onlooker was torn 50:50 between their own {nouns.unit} and "
        f"another, and whose report speaks for the own one, {most(chance)} are there. Which "
        f"{nouns.units} are somebody's own, no report says.",
        f"Reports add up: after {promise.REPEATS} from home, {most(_repeated(policy.epsilon))} "
        "would be guessed right.",
        (
            *NOT_PROMISED,
            *promise.left_open(nouns, setup.scenario),
        ),
        (("ε", f"{policy.epsilon:g}"), ("own places", f"{tags}, spread by “{policy.background}”")),
    )


def _repeated(epsilon: float) -> float:
    return guessed_right(epsilon, promise.REPEATS)
