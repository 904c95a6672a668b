"""The maps: the truth and four ways, and the bias of what the collector takes homes to be."""

from typing import Final

import numpy as np

from caldp_core.experiments.run import Result
from caldp_core.scenarios.sensitive import SensitiveAreas
from caldp_ui.maps.ground import home, land
from caldp_ui.maps.scene import TRUTH, error_of, estimate, truth
from caldp_ui.personal import words
from caldp_ui.personal.shown import Shown, tagged
from caldp_ui.personal.slot import SLOT, with_tags
from caldp_ui.session.scenarios import steer
from caldp_ui.stage import (
    Act,
    Action,
    Arrangement,
    Chosen,
    Fact,
    Ground,
    Picture,
    Scene,
    Stage,
    encode,
    encode_mask,
    nobody_below,
    stage,
)
from caldp_ui.stage.records import Mark
from caldp_ui.words import formats, policies

EVERYTHING: Final = "everything"
KNOWN: Final = "known"
ASSUMED: Final = "assumed"
PROTECT: Final = "protect"
UNPROTECT: Final = "unprotect"
EPSILON: Final = "epsilon"
_MARKS: Final[tuple[Mark, ...]] = ("sensitive",)
_ACTIONS: Final = (
    Action(
        PROTECT, "Sensitive for everybody", {"box": "The box becomes sensitive for everybody, too."}
    ),
    Action(
        UNPROTECT, "Not for everybody", {"box": "The box is no longer sensitive for everybody."}
    ),
)


def maps(what: Shown) -> Stage:
    """The stage of the four ways."""
    return stage(scene(what), SLOT.key("maps"), do, _follow)


def _follow(chosen: Chosen) -> None:
    """The step of the film that a person rests on becomes the page's scenario."""
    if chosen.film == EPSILON:
        steer(SLOT, lambda s: with_tags(s, epsilon=chosen.value))


def scene(what: Shown) -> Scene:
    """This protection, the truth, and what it would be if more or less were known and hidden."""
    ways = _ways(what)
    names = [name for name, _, _ in ways]
    pictures = [_picture(*way) for way in ways]
    return Scene(
        _ground(what),
        (truth(what.setup, _MARKS), *pictures),
        what.setup.n,
        (KNOWN if KNOWN in names else TRUTH, ASSUMED if ASSUMED in names else TRUTH),
        tuple(error_of(picture, _MARKS) for picture in pictures),
        actions=_ACTIONS,
        can_undo=SLOT.can_undo,
        can_redo=SLOT.can_redo,
        arrangement=Arrangement((ASSUMED,), (TRUTH, *names[1:])) if ASSUMED in names else None,
        film_at={EPSILON: what.record.policy.epsilon},
        label="Home and work",
        image_name="caldp-home-and-work",
        image_lines=(words.headline(what).sentence, policies.setting(what.setup)),
    )


def _ways(what: Shown) -> list[tuple[str, str, Result]]:
    """Id, title and result of each way that is there."""
    guess = what.record.policy.background
    there = (
        (ASSUMED, f"This protection, homes {_SHORT.get(guess, guess)}", what.assumed),
        (KNOWN, "If homes were known", None if what.is_known else what.known),
        (EVERYTHING, "If all were hidden", what.everything),
    )
    return [(name, title, result) for name, title, result in there if result is not None]


_SHORT: Final = {
    "population": "guessed",
    "truth": "known",
    "uniform": "spread evenly",
    "mirrored": "guessed wrong",
}


def _picture(name: str, title: str, result: Result) -> Picture:
    told, number = words.subtitle(result), Fact(*words.wrong(result))
    return estimate(name, title, told, result, marks=_MARKS, fact=number)


def bias(what: Shown) -> Stage:
    """The stage of the background: what is taken for own places, and what that does."""
    return stage(bias_scene(what), SLOT.key("bias-maps"))


def bias_scene(what: Shown) -> Scene:
    """Where own places are taken to be, and where that puts too many people and too few."""
    per_cell, nobody = what.bias.per_symbol, nobody_below(what.setup.n)
    assumed = tagged(what.setup).policy.background[0]
    guess = words.background(what.record.policy.background)
    share = formats.out_of(what.bias.total_variation)
    number, _, of = share.rpartition(" of ")
    wrong = Fact(number, f"of {of} people, however many take part")
    pictures = (
        Picture("guess", "The collector's guess of own places", guess,
                f"Map of where the collector takes own places to be: {guess}.", encode(assumed),
                nobody, _MARKS),
        Picture("many", "Too many people here", f"{share} people, on average",
                f"Map of cells with too many people on average: {share} in all.",
                encode(np.maximum(per_cell, 0.0)), nobody, _MARKS, wrong),
        Picture("few", "Too few people here", f"{share} people, on average",
                f"Map of cells with too few people on average: {share} in all.",
                encode(np.maximum(-per_cell, 0.0)), nobody, _MARKS, wrong),
    )  # fmt: skip
    return Scene(
        _ground(what),
        pictures,
        what.setup.n,
        ("many", "few"),
        label="The bias of the collector's guess",
        scale_title="share of people in a cell",
        image_name="caldp-background",
        image_lines=(words.bias(what).replace("*", ""), policies.setting(what.setup)),
    )


def _ground(what: Shown) -> Ground:
    sensitive = what.setup.sensitive
    some = bool(sensitive.any()) and not sensitive.all()
    mask = encode_mask(sensitive) if some else None
    return Ground(what.domain, home(what.domain), **land(what.domain), sensitive=mask)


def do(act: Act) -> None:
    """A box more or less is sensitive for everybody; undo and redo."""
    if not SLOT.take_step(act.tool) and act.area is not None and act.action in (PROTECT, UNPROTECT):
        sensitive = SLOT.now().policy.sensitive
        edits = sensitive.edits if isinstance(sensitive, SensitiveAreas) else ()
        sign = "+" if act.action == PROTECT else "-"
        more = SensitiveAreas((*edits, f"{sign}{act.area}"))
        steer(SLOT, lambda s: with_tags(s, sensitive=more))
