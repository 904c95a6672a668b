"""The maps: the truth and three ways to protect places, and the bias of the collector's guess."""

from typing import Final

import numpy as np

from caldp_core.experiments.run import Result
from caldp_core.scenarios.blocks import SensitiveAreas
from caldp_ui.compute.sources import estimate_is_public
from caldp_ui.maps.ground import home, land
from caldp_ui.maps.scene import TRUTH, error_of, estimate, shared_pictures, truth
from caldp_ui.personal import words
from caldp_ui.personal.page_state import STATE, PersonalData, tagged_mechanism, with_tags
from caldp_ui.session.scenarios import update_scenario
from caldp_ui.stage import (
    Act,
    Action,
    Arrangement,
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


def scene(data: PersonalData) -> Scene:
    """Scene of the truth, this protection, and the cases of known homes and of plain LDP."""
    rows = _result_rows(data)
    names = [name for name, _, _ in rows]
    pictures = [_picture(*way) for way in rows]
    return Scene(
        _ground(data),
        (truth(data.setup, _MARKS), *pictures),
        data.setup.n,
        (KNOWN if KNOWN in names else TRUTH, ASSUMED if ASSUMED in names else TRUTH),
        tuple(error_of(picture, _MARKS) for picture in pictures),
        actions=_ACTIONS,
        can_undo=STATE.can_undo,
        can_redo=STATE.can_redo,
        arrangement=Arrangement((ASSUMED,), (TRUTH, *names[1:])) if ASSUMED in names else None,
        film_values={EPSILON: data.record.policy.epsilon},
        label="Home and work",
        image_name="caldp-home-and-work",
        image_lines=(words.headline(data).sentence, policies.setting_text(data.setup)),
        **shared_pictures(data.setup, *_estimate_names(data, names)),
    )


def _estimate_names(data: PersonalData, names: list[str]) -> list[str]:
    """Ids of the pictures in which nothing is known of true homes."""
    guessed = {ASSUMED: estimate_is_public(data.record.scenario), EVERYTHING: True}
    return [name for name in names if guessed.get(name, False)]


def _result_rows(data: PersonalData) -> list[tuple[str, str, Result]]:
    """Id, title and result of each way whose result is there."""
    guess = data.record.policy.background
    rows = (
        (ASSUMED, f"This protection, homes {_GUESS_TITLES.get(guess, guess)}", data.ours),
        (KNOWN, "If homes were known", None if data.has_true_background else data.known_places),
        (EVERYTHING, "If all were hidden", data.plain),
    )
    return [(name, title, result) for name, title, result in rows if result is not None]


_GUESS_TITLES: Final = {
    "population": "guessed",
    "truth": "known",
    "uniform": "spread evenly",
    "mirrored": "guessed wrong",
}


def _picture(name: str, title: str, result: Result) -> Picture:
    subtitle, number = words.error_subtitle(result), Fact(*words.error_parts(result))
    return estimate(name, title, subtitle, result, marks=_MARKS, fact=number)


def bias_maps(data: PersonalData) -> Stage:
    """Show the maps of the collector's guess of own places, and of its bias."""
    return stage(bias_scene(data), STATE.key("bias-maps"))


def bias_scene(data: PersonalData) -> Scene:
    """Scene of the guessed own places, and of where the guess puts too many people and too few."""
    per_cell, nobody = data.bias.per_symbol, nobody_below(data.setup.n)
    assumed = tagged_mechanism(data.setup).policy.background[0]
    guess = words.background_text(data.record.policy.background)
    share = formats.ratio(data.bias.total_variation)
    wrong = Fact(share.number, f"of {share.whole} people, however many take part")
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
        _ground(data),
        pictures,
        data.setup.n,
        ("many", "few"),
        label="The bias of the collector's guess",
        scale_title="share of people in a cell",
        image_name="caldp-background",
        image_lines=(words.bias_text(data).replace("*", ""), policies.setting_text(data.setup)),
        **shared_pictures(data.setup),
    )


def _ground(data: PersonalData) -> Ground:
    sensitive = data.setup.sensitive
    is_partial = bool(sensitive.any()) and not sensitive.all()
    mask = encode_mask(sensitive) if is_partial else None
    return Ground(data.domain, home(data.domain), **land(data.domain), sensitive=mask)


def handle_act(act: Act) -> None:
    """Add or remove the drawn box as sensitive for everybody; undo and redo."""
    if (
        not STATE.undo_or_redo(act.tool)
        and act.area is not None
        and act.action in (PROTECT, UNPROTECT)
    ):
        sensitive = STATE.current().policy.sensitive
        edits = sensitive.edits if isinstance(sensitive, SensitiveAreas) else ()
        sign = "+" if act.action == PROTECT else "-"
        more = SensitiveAreas((*edits, f"{sign}{act.area}"))
        update_scenario(STATE, lambda s: with_tags(s, sensitive=more))
