"""Sentences of the page. Each must be true of the scenario that it is shown with."""

from typing import Final

from caldp_core.experiments.run import Result
from caldp_core.privacy.personal import PersonalPolicy
from caldp_ui.personal.shown import Shown, at_own_places
from caldp_ui.personal.slot import KNOWN, TAGS
from caldp_ui.personal.week import EVENINGS, AtHome
from caldp_ui.words import accuracy, covered, formats, policies, told_tags
from caldp_ui.words.accuracy import is_share
from caldp_ui.words.headline import Headline
from caldp_ui.words.promise import REPEATS
from caldp_ui.words.told import right
from caldp_ui.words.vocabulary import PLACES

BACKGROUNDS: Final = {
    "population": "guessed from public figures of inhabitants",
    KNOWN: "known: where they truly are",
    "uniform": "spread evenly: nothing known",
    "mirrored": "wrong on purpose: east for west",
}
"""What the collector takes homes to be, for readers; others go by their name in files."""


def background(name: str) -> str:
    """A background in words."""
    return BACKGROUNDS.get(name, name)


def headline(what: Shown) -> Headline:
    """Who is not protected, then what the picture says."""
    left = covered.unprotected(PLACES, policies.told(PLACES, what.setup).covered)
    errors = [each for each in (_error(what), _beside(what)) if each]
    if not left:
        first, *rest = errors
        return Headline(first, " ".join(rest))
    return Headline(left, " ".join(errors), unprotected=True)


def result(what: Shown) -> str:
    """How far the estimate is off, and what the collector's knowledge does; empty before it."""
    return "" if what.assumed is None else f"**{_error(what)}** {_beside(what)}"


def _error(what: Shown) -> str:
    if what.assumed is None:
        return "The map of this protection is still being computed."
    number, of = wrong(what.assumed)
    if not is_share(what.assumed.first.errors.tv):
        return f"The map is off by a total variation of {number}."
    return f"The map puts {number} {of}."


def _beside(what: Shown) -> str:
    """What it would be if more or less were known and hidden; empty before there is a result."""
    cases = []
    if what.known is not None and not what.is_known:
        cases.append(f"{wrong(what.known)[0]} if homes were known")
    if what.everything is not None:
        cases.append(f"{wrong(what.everything)[0]} if everything were hidden")
    if what.assumed is None or not cases:
        return ""
    return f"It would be {', and '.join(cases)}."


def wrong(result: Result) -> tuple[str, str]:
    """How far off a way is, as a number and what it counts."""
    return accuracy.wrong_of_hundred(PLACES, result.first.errors.tv)


def subtitle(result: Result) -> str:
    """How far a picture is off."""
    return " ".join(wrong(result))


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
            "counts the tag, and spreads it over its guess of own places",
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
            f"{clear} name the place openly, the others send a cover report",
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
    best, many = (right(told_tags.chance(_policy(what), m)) for m in (1, REPEATS))
    return [
        (
            "Where anybody's home or work is: all homes send the same kind of report. To an "
            "attacker who knows none of them, it leaves all open places as likely as before."
        ),
        (
            "Whether somebody is at home: an attacker who must choose between home and another "
            f"place, both equally likely, {best}. After {REPEATS} reports from home the attacker "
            f"{many}, as reports add up."
        ),
        (
            "Where own places are, all together: the reports do not say it. Whatever the map shows "
            "there comes from the collector's guess."
        ),
    ]


def _policy(what: Shown) -> PersonalPolicy:
    assert isinstance(what.setup.policy, PersonalPolicy)  # the page's link takes no other
    return what.setup.policy


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
        f"After **{EVENINGS} reports from home**, an attacker who knows only how many people are "
        f"where gives “at a place of their own” a **{formats.hundred(found.own)} %** chance. "
        f"“At home in {home}” gets **{there}**; before any report it was {before}."
    )
    if there != before:
        return told
    return f"{told} Reports add up to *that* it is one's own place, not to which."
