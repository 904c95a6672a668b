"""Sentences of the page. Each must be true of the scenario that it is shown with.

Room: personal.
"""

from typing import Final

from caldp_core.audit.adversary import guessed_right
from caldp_core.experiments.run import Result
from caldp_ui.personal.shown import Shown, at_own_places
from caldp_ui.personal.slot import KNOWN, TAGS
from caldp_ui.personal.week import EVENINGS, AtHome
from caldp_ui.words import accuracy, formats
from caldp_ui.words.promise import REPEATS
from caldp_ui.words.vocabulary import PLACES

BACKGROUNDS: Final = {
    "population": "by public figures of inhabitants",
    KNOWN: "known: where they truly are",
    "uniform": "anywhere alike: nothing known",
    "mirrored": "wrong on purpose: east for west",
}
"""What the collector takes homes to be, for readers; others go by their name in files."""


"""What sums of floats leave of nothing."""


def background(name: str) -> str:
    """A background in words."""
    return BACKGROUNDS.get(name, name)


def headline(what: Shown) -> str:
    """What the picture says."""
    return _guess(what) if what.assumed is None else f"{result(what)} {_guess(what)}"


def result(what: Shown) -> str:
    """How far the estimate is off, and what the collector's knowledge does; empty before it."""
    if what.assumed is None:
        return ""
    told = f"**{wrong(what.assumed)[0]} of 100** in the wrong place"
    if what.is_known:
        told += ", as the collector knows people's places"
    elif what.known is not None:
        told += f"; own places known: **{wrong(what.known)[0]}**"
    if what.everything is not None:
        told += f"; everything hidden: {wrong(what.everything)[0]}"
    return f"{told}."


def _guess(what: Shown) -> str:
    best = formats.hundred(guessed_right(what.record.policy.epsilon))
    return f"From 50:50, “at home” gets to {best} of 100 at most."


def wrong(result: Result) -> tuple[str, str]:
    """How far off a way is, as a number and what it counts."""
    return accuracy.wrong_of_hundred(PLACES, result.first.errors.tv)


def subtitle(result: Result) -> str:
    """How far a picture is off."""
    return f"about {' '.join(wrong(result))}"


def tag(number: int) -> str:
    """What a tag stands for."""
    return TAGS[number]


def people(what: Shown) -> str:
    """Who the people are, by the model."""
    told = ", ".join(
        f"{formats.out_of(share)} are at {_own(number)}"
        for number, share in enumerate(what.record.policy.shares)
    )
    some = what.setup.sensitive.any()
    all_of = "Of people at places that are not sensitive for everybody" if some else "Of all people"
    return f"{all_of}, {told}; the others elsewhere."


def _own(number: int) -> str:
    return tag(number) if number < 2 else f"{tag(number)} of their own"


def sends(what: Shown) -> dict[str, tuple[str, str]]:
    """By where somebody is: what their report says, and what the collector makes of it."""
    clear = formats.out_of(what.clear)
    tags = {
        f"at {_own(number)}": (
            f"“{tag(number)}”, with noise",
            "counts the tag, and spreads it where it takes own places to be",
        )
        for number in range(len(what.record.policy.shares))
    }
    common = {
        "at a place that is sensitive for everybody": (
            "the place, with noise",
            "hides among all places of this kind, and the tags",
        )
    }
    return {
        **tags,
        **(common if what.setup.sensitive.any() else {}),
        "anywhere else": (
            f"{clear} name the place openly, the others send noise as if they had a secret",
            "counts the place; it knows that it is neither home nor work of this person",
        ),
    }


def learned(what: Shown) -> list[str]:
    """What the collector learns, one sentence each."""
    told = [
        "Where people are who are at no place of their own, all of them together, accurately.",
        (
            "Of a person who names a place openly: that they are there, and that it is none of "
            "their own places."
        ),
    ]
    if what.assumed is None:
        return told
    true, found = at_own_places(what)
    counts = "; ".join(
        f"{tag(number)} {100 * estimate:.1f} of 100 (truly {100 * share:.1f})"
        for number, (share, estimate) in enumerate(zip(true, found, strict=True))
    )
    return [f"How many people are at their own places: {counts}.", *told]


def hidden(what: Shown) -> list[str]:
    """What the collector does not learn, one sentence each."""
    epsilon = what.record.policy.epsilon
    best, many = (formats.hundred(guessed_right(epsilon, m)) for m in (1, REPEATS))
    most = many if many.startswith("over") else f"at most {many}"
    return [
        (
            "Where anybody's home or work is: all homes send the same kind of report. To an "
            "onlooker who knows none of them, it leaves all open places as likely as before."
        ),
        (
            "Whether somebody is at home: where it was 50:50 between their home and any other "
            f"place, no report makes home likelier than {best} of 100. After {REPEATS} reports "
            f"from home: {most}, as reports add up."
        ),
        (
            "Where own places are, all together: the reports do not say it. Whatever the map shows "
            "there comes from the collector's guess."
        ),
    ]


def bias(what: Shown) -> str:
    """What the background does, and that more people do not mend it."""
    if what.is_known:
        return "The background is the right one: the estimate is right on average."
    share = formats.out_of(what.bias.total_variation)
    guess = background(what.record.policy.background)
    return (
        f"A wrong guess of where own places are puts **{share}** people in the wrong place, "
        f"however many take part. The collector's guess here: {guess}."
    )


def at_home(found: AtHome, home: str) -> str:
    """What many reports from one home tell, and what they do not."""
    there, before = formats.out_of(found.there), formats.out_of(found.before)
    told = (
        f"After **{EVENINGS} reports from home** an onlooker who knows only how many people are "
        f"where is right to say “at a place of their own” for **{formats.hundred(found.own)} of "
        f"100** such people, and “at home in {home}” for **{there}**; before any report for "
        f"{before}."
    )
    if there != before:
        return told
    return f"{told} Reports add up to *that* it is one's own place, not to which."
