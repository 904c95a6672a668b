"""What the page shows of a record: its sentences, and its maps.

The maps are the truth and three ways to protect places, and the bias of the collector's guess. Each
sentence must be true of the scenario that it is shown with.
"""

from typing import Final

import numpy as np

from caldp_core.audit.adversary import pair_odds
from caldp_core.experiments.run import Result
from caldp_ui.app.texts import read_texts
from caldp_ui.compute.runs import estimate_is_public
from caldp_ui.maps.scene import TRUTH, bare_ground, error_of, estimate, shared_pictures, truth
from caldp_ui.parts import layout
from caldp_ui.personal.page_state import (
    HOME_REPORTS,
    TAG_NAMES,
    TRUE_BACKGROUND,
    HomeInference,
    PersonalData,
    own_place_shares,
    tagged_mechanism,
)
from caldp_ui.shell.page import View
from caldp_ui.stage import records
from caldp_ui.stage.records import Action, Arrangement, Fact, Ground
from caldp_ui.words import accuracy, formats, policies, promise
from caldp_ui.words.promise import REPEATS, PromiseText, right_guess_text

TEXTS: Final = read_texts(__file__)

BACKGROUNDS: Final = {
    "population": "guessed from public figures of inhabitants",
    TRUE_BACKGROUND: "known: where they truly are",
    "uniform": "spread evenly: nothing known",
    "mirrored": "wrong on purpose: east for west",
}
"""The collector's guess in words; other backgrounds go by their name in files."""


def background_text(name: str) -> str:
    """A background in words."""
    return BACKGROUNDS.get(name, name)


def headline(data: PersonalData) -> formats.Headline:
    """Who is not protected, if anybody, then the errors."""
    texts = policies.describe_promise(formats.PLACES, data.setup)
    left = promise.unprotected_text(formats.PLACES, texts.protected_share, texts.readable)
    errors = (_error_sentence(data), _comparison_sentence(data))
    return formats.Headline.of([left], errors, _headline_figures(data, texts))


def _headline_figures(data: PersonalData, texts: PromiseText) -> dict[str, float]:
    """Total variations of the ways that are there, and who is protected and who can be read."""
    known = None if data.has_true_background else data.known_places
    ways = {"tv": data.ours, "known_tv": known, "plain_tv": data.plain}
    there = {name: each.first.errors.tv for name, each in ways.items() if each is not None}
    readable_of_all = texts.readable * (1.0 - texts.protected_share)
    return {**there, "protected": texts.protected_share, "readable": readable_of_all}


def result_text(data: PersonalData) -> str:
    """The estimate's error, and the errors of the other ways; "" before there is an estimate."""
    return "" if data.ours is None else f"**{_error_sentence(data)}** {_comparison_sentence(data)}"


def _error_sentence(data: PersonalData) -> str:
    if data.ours is None:
        return "The map of this protection is not computed yet."
    number, of = error_parts(data.ours)
    if not accuracy.is_share(data.ours.first.errors.tv):
        return f"The map is off by a total variation of {number}."
    return f"In this draw the map puts {number} {of}."


def _comparison_sentence(data: PersonalData) -> str:
    """Errors if everything were hidden, or with the true background; "" before any result."""
    cases = []
    if data.plain is not None:
        cases.append(f"{error_parts(data.plain)[0]} if everything were hidden")
    if data.known_places is not None and not data.has_true_background:
        cases.append(f"{error_parts(data.known_places)[0]} {TEXTS['with_true_background']}")
    if data.ours is None or not cases:
        return ""
    return f"It would be {', and '.join(cases)}."


def error_parts(result: Result) -> tuple[str, str]:
    """The error of a result as a number, and what it counts."""
    return accuracy.wrong_of_hundred(formats.PLACES, result.first.errors.tv)


_ICONS: Final = ("home", "work", "looks_3", "looks_4")
"""Of the tags, by their names in Material Symbols."""


def people_icons(data: PersonalData) -> str:
    """How many people are at their own places and elsewhere, with icons, as Markdown."""
    shares = data.record.policy.shares
    rows = [*zip(_ICONS, TAG_NAMES, shares, strict=False)]
    rows.append(("directions_walk", "elsewhere", 1 - sum(shares)))
    texts = (f":material/{icon}: {formats.digits(100 * each)} {name}" for icon, name, each in rows)
    whole = "100 others" if data.setup.sensitive.any() else "100 people"
    return f"Of {whole}: {' · '.join(texts)}"


def describe_reports(data: PersonalData) -> dict[str, tuple[str, str]]:
    """By where somebody is: what their report says, and what the collector does with it."""
    clear = formats.out_of(data.open_probability)
    tags = {
        f"at {name}{' of their own' if number > 1 else ''}": (
            f"“{name}”, with noise",
            "counts the tag, and spreads it over its guess of own places",
        )
        for number, (name, _) in enumerate(zip(TAG_NAMES, data.record.policy.shares, strict=False))
    }
    common = {
        "at a place that is sensitive for everybody": (
            "the place, with noise",
            "hides among all places of this kind, and the tags",
        )
    }
    return {
        **tags,
        **(common if data.setup.sensitive.any() else {}),
        "anywhere else": (
            f"{clear} name the place openly, the others report like protected people",
            "counts the place; it knows that it is neither home nor work of this person",
        ),
    }


def learned_sentences(data: PersonalData) -> list[str]:
    """What the collector learns, one sentence each."""
    sentences = [TEXTS["others_learned"], TEXTS["open_place_learned"]]
    if data.ours is None:
        return sentences
    counts = "; ".join(
        f"{name} {reach} (truly {true})" for name, (true, reach) in own_places(data).items()
    )
    return [TEXTS["own_places_learned"].format(counts=counts), *sentences]


def own_places(data: PersonalData) -> dict[str, tuple[str, str]]:
    """By tag: the true share of all people at their own place, and its range by the reports."""
    texts = {}
    for name, true, middle, error in zip(TAG_NAMES, *own_place_shares(data), strict=False):
        ends = np.clip(middle + accuracy.Z95 * error * np.array([-1.0, 1.0]), 0.0, 1.0)
        texts[name] = formats.percent(float(true)), formats.percent_range(*ends.tolist())
    return texts


def hidden_sentences(data: PersonalData) -> list[str]:
    """What reports hide, and how far, one sentence each."""
    one_report, many_reports = (
        right_guess_text(pair_odds(data.setup.policy, m).largest) for m in (1, REPEATS)
    )
    return [
        TEXTS["home_hidden"],
        TEXTS["at_home"].format(one=one_report, repeats=REPEATS, many=many_reports),
        TEXTS["own_places_hidden"],
    ]


def bias_text(data: PersonalData) -> str:
    """The bias of the background, which more people do not reduce."""
    if data.has_true_background:
        return "The background is the right one: the estimate is right on average."
    share = formats.out_of(data.bias.total_variation)
    wrong = accuracy.wrong_people(formats.PLACES, share)
    guess = background_text(data.record.policy.background)
    return TEXTS["wrong_background"].format(wrong=wrong, guess=guess)


def home_inference_text(inference: HomeInference, city: str) -> str:
    """What `HOME_REPORTS` reports from one home reveal, and what they do not."""
    after = formats.out_of(inference.home_probability)
    before = formats.out_of(inference.prior_probability)
    sentence = (
        f"After **{HOME_REPORTS} reports from home**, an attacker who knows only how many people "
        "are where gives “at a place of their own” a chance of "
        f"**{formats.hundred(inference.own_place_probability)} %**. "
        f"“At home in {city}” gets **{after}**; before any report it was {before}."
    )
    if after != before:
        return sentence
    return f"{sentence} Reports add up: they show *that* it is one's own place, not which one."


EVERYTHING: Final = "everything"
KNOWN: Final = "known"
ASSUMED: Final = "assumed"
PROTECT: Final = "protect"
UNPROTECT: Final = "unprotect"
EPSILON: Final = "epsilon"
_MARKS: Final[tuple[records.Mark, ...]] = ("sensitive",)
_ACTIONS: Final = (
    Action(
        PROTECT, "Sensitive for everybody", {"box": "The box becomes sensitive for everybody, too."}
    ),
    Action(
        UNPROTECT, "Not for everybody", {"box": "The box is no longer sensitive for everybody."}
    ),
)


def scene(data: PersonalData) -> records.Scene:
    """Scene of the truth, this protection, and the cases of known homes and of plain LDP."""
    rows = _result_rows(data)
    names = [name for name, _, _ in rows]
    pictures = [
        estimate(name, title, f"{number} {of}", result, marks=_MARKS, fact=Fact(number, of))
        for name, title, result in rows
        for number, of in [error_parts(result)]
    ]
    # Pictures in which nothing is known of true homes.
    guessed = {ASSUMED: estimate_is_public(data.record.scenario), EVERYTHING: True}
    return records.Scene(
        _ground(data),
        (truth(data.setup, _MARKS), *pictures),
        data.setup.n,
        (KNOWN if KNOWN in names else TRUTH, ASSUMED if ASSUMED in names else TRUTH),
        tuple(error_of(picture, _MARKS) for picture in pictures),
        actions=_ACTIONS,
        arrangement=Arrangement((ASSUMED,), (TRUTH, *names[1:])) if ASSUMED in names else None,
        film_values={EPSILON: data.record.policy.epsilon},
        label="Home and work",
        image_name="caldp-home-and-work",
        image_lines=(headline(data).sentence, policies.setting_text(data.setup)),
        **shared_pictures(data.setup, *(name for name in names if guessed.get(name, False))),
    )


def _result_rows(data: PersonalData) -> list[tuple[str, str, Result]]:
    """Id, title and result of each way whose result is there."""
    guess = data.record.policy.background
    rows = (
        (ASSUMED, f"This protection, homes {_GUESS_TITLES.get(guess, guess)}", data.ours),
        (
            KNOWN,
            "With the true background",
            None if data.has_true_background else data.known_places,
        ),
        (EVERYTHING, "If all were hidden", data.plain),
    )
    return [(name, title, result) for name, title, result in rows if result is not None]


_GUESS_TITLES: Final = {
    "population": "guessed",
    "truth": "known",
    "uniform": "spread evenly",
    "mirrored": "guessed wrong",
}


def bias_scene(data: PersonalData) -> records.Scene:
    """Scene of the guessed own places, and of where the guess puts too many people and too few."""
    per_cell, nobody = data.bias.per_symbol, records.nobody_below(data.setup.n)
    assumed = tagged_mechanism(data.setup).policy.background[0]
    guess = background_text(data.record.policy.background)
    share = formats.ratio(data.bias.total_variation)
    wrong = Fact(share.number, f"{share.unit} people, however many take part")
    pictures = (
        records.Picture(
            "guess",
            "The collector's guess of own places",
            guess,
            f"Map of where the collector takes own places to be: {guess}.",
            records.encode(assumed),
            nobody,
            _MARKS,
        ),
        records.Picture(
            "many",
            "Too many people here",
            f"{share} people, on average",
            f"Map of cells with too many people on average: {share} in all.",
            records.encode(np.maximum(per_cell, 0.0)),
            nobody,
            _MARKS,
            wrong,
        ),
        records.Picture(
            "few",
            "Too few people here",
            f"{share} people, on average",
            f"Map of cells with too few people on average: {share} in all.",
            records.encode(np.maximum(-per_cell, 0.0)),
            nobody,
            _MARKS,
            wrong,
        ),
    )
    return records.Scene(
        _ground(data),
        pictures,
        data.setup.n,
        ("many", "few"),
        label="The bias of the collector's guess",
        scale_title="share of people in a cell, log scale:",
        image_name="caldp-background",
        image_lines=(bias_text(data).replace("*", ""), policies.setting_text(data.setup)),
        **shared_pictures(data.setup),
    )


def _ground(data: PersonalData) -> Ground:
    return bare_ground(data.domain, marked=data.setup.sensitive)


def view(data: PersonalData, *_: object) -> View:
    """The headline, the odds, and the maps; what is pinned has maps of its own."""
    risk = {layout.PLACE: layout.odds_html(formats.PLACES, data.setup)}
    return View(headline(data), texts=risk, scene=scene(data), still=TRUTH)
