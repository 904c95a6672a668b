"""Fake phones as a scene of the stage: truth, the estimate with fakes, and after the repair."""

from collections.abc import Hashable
from dataclasses import replace
from typing import Final

from caldp_core.basics.cache import cached_by
from caldp_core.domain.grid import GridDomain
from caldp_core.estimation.estimators import ESTIMATORS
from caldp_ui.adversary import fakes_words
from caldp_ui.adversary.fakes import Poisoned
from caldp_ui.adversary.scene import HERE, do, frame
from caldp_ui.adversary.slot import SLOT, Suspect
from caldp_ui.compute import runs
from caldp_ui.maps.ground import ground
from caldp_ui.maps.scene import SQUARES, truth_code
from caldp_ui.session.scenarios import steer
from caldp_ui.stage import (
    SCALE,
    Action,
    Arrangement,
    Blob,
    Chosen,
    Fact,
    Focus,
    Picture,
    Scene,
    Stage,
    encode_levels,
    encode_people,
    stage,
)
from caldp_ui.stage.records import ALL_MARKS, MARK_WORDS, Mark
from caldp_ui.words import policies, promise
from caldp_ui.words.towns import place_name
from caldp_ui.words.vocabulary import PLACES

TRUTH: Final = "truth"
EPSILON: Final = "fakes-epsilon"
TENTHS: Final = "fakes-tenths"
"""The films over ε and over fake phones; the attacker's, on the same stage, have other names."""
_NEAR: Final = 9
"""Cells around the target that the maps go to."""
_TARGET: Final = Action(
    HERE,
    "Push this place",
    {"look": "Click a place that the fake phones should push, or choose one below."},
)


def maps(what: Poisoned, domain: GridDomain, record: Suspect) -> Stage:
    """The stage with the three maps."""
    return stage(scene(what, domain, record), SLOT.key("maps"), do, _follow)


def scene(what: Poisoned, domain: GridDomain, record: Suspect) -> Scene:
    """The scene of what the fakes do."""
    said = fakes_words.headline(what, domain, record).sentence
    return Scene(
        ground(what.setup, domain, frame(domain, what.place)),
        _pictures(what, domain, record),
        what.setup.n,
        ("fakes", "repaired"),
        actions=(_TARGET,),
        can_undo=SLOT.can_undo,
        can_redo=SLOT.can_redo,
        arrangement=Arrangement(("fakes", "repaired"), (TRUTH,)),
        focus=Focus(frame(domain, what.place, _NEAR), what.place),
        film_at={EPSILON: promise.strongest(record.scenario), TENTHS: float(record.tenths)},
        mark_words={**MARK_WORDS, "box": "around the target"},
        label="What fake phones do to the estimate",
        image_name="caldp-fake-phones",
        image_lines=(policies.in_short(PLACES, what.setup), said, policies.setting(what.setup)),
    )


def _pictures(what: Poisoned, domain: GridDomain, record: Suspect) -> tuple[Picture, ...]:
    (truth, _, after, repaired), number = fakes_words.at_target(what, record)
    of = f"of {number} people in {place_name(domain, what.place)}"
    made = ESTIMATORS[record.scenario.estimator].title
    return (
        _picture(
            TRUTH,
            "Truth",
            truth_code(what.setup),
            Fact(truth, of),
            subtitle="shown for demonstration only",
            marks=("sensitive",),
        ),
        _picture(
            "fakes",
            "Estimate with fakes",
            _code(what, record, ""),
            Fact(after, of),
            subtitle=made,
            pooled=_pooled(what, record, ""),
        ),
        _picture(
            "repaired",
            "After repair",
            _code(what, record, record.repair),
            Fact(repaired, of),
            subtitle=f"knows {fakes_words.REPAIR_TITLES[record.repair]}",
            pooled=_pooled(what, record, record.repair),
        ),
    )


def _whatever_is_seen(_: Poisoned, record: Suspect, repair: str) -> tuple[Hashable, ...]:
    return runs.key(record.scenario), record.place, record.tenths, record.attack, repair


@cached_by(_whatever_is_seen)
def _code(what: Poisoned, record: Suspect, repair: str) -> Blob:  # noqa: ARG001
    """The estimate with fakes, or after that repair."""
    return encode_people(what.repaired(repair).shares if repair else what.after, what.setup.n)


@cached_by(_whatever_is_seen)
def _pooled(what: Poisoned, record: Suspect, repair: str) -> Blob | None:  # noqa: ARG001
    """How far its cells were pooled; None where each has a number of its own."""
    levels = what.repaired(repair).levels if repair else what.levels
    return None if levels is None else encode_levels(levels)


def _picture(
    name: str,
    title: str,
    code: Blob,
    fact: Fact,
    *,
    subtitle: str,
    marks: tuple[Mark, ...] = ALL_MARKS,
    pooled: Blob | None = None,
) -> Picture:
    told = f"{fact.number} {fact.text}"
    return Picture(
        name,
        title,
        subtitle,
        f"Map of shares of people, {title.lower()}: {told}.",
        code,
        SCALE.low,
        marks,
        fact,
        notes=("", SQUARES if pooled else ""),
        pooled=pooled,
    )


def _follow(chosen: Chosen) -> None:
    """The ε or the share of fake phones that a person rests on."""
    if chosen.film == EPSILON:
        steer(SLOT, lambda scenario: scenario.with_context(epsilon=chosen.value))
    elif chosen.film == TENTHS:
        SLOT.change(lambda record: replace(record, tenths=int(chosen.value)))
