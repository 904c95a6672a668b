"""Fake phones as a scene of the stage: truth, the estimate with fakes, and after the repair."""

from collections.abc import Hashable
from typing import Final

from caldp_core.basics.cache import cached_by
from caldp_core.domain.grid import GridDomain
from caldp_core.estimation.estimators import ESTIMATORS
from caldp_ui.adversary import fakes_words
from caldp_ui.adversary.fakes import PoisonedEstimate
from caldp_ui.adversary.page_state import STATE, AttackerState
from caldp_ui.adversary.scene import HERE, frame
from caldp_ui.compute import runs
from caldp_ui.maps.ground import ground
from caldp_ui.maps.scene import SQUARES, shared_pictures, truth_code
from caldp_ui.stage import (
    SCALE,
    Action,
    Arrangement,
    Blob,
    Fact,
    Focus,
    Picture,
    Scene,
    encode_levels,
    encode_people,
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
"""Cells around the target that the maps zoom to."""
_TARGET: Final = Action(
    HERE,
    "Push this place",
    {"look": "Click a place that the fake phones should push, or choose one below."},
)


def scene(data: PoisonedEstimate, domain: GridDomain, record: AttackerState) -> Scene:
    """Build the scene: truth, estimate with fakes, and after the repair."""
    sentence = fakes_words.headline(data, domain, record).sentence
    return Scene(
        ground(data.setup, domain, frame(domain, data.place)),
        _pictures(data, domain, record),
        data.setup.n,
        ("fakes", "repaired"),
        actions=(_TARGET,),
        can_undo=STATE.can_undo,
        can_redo=STATE.can_redo,
        arrangement=Arrangement(("fakes", "repaired"), (TRUTH,)),
        focus=Focus(frame(domain, data.place, _NEAR), data.place),
        film_values={
            EPSILON: promise.largest_epsilon(record.scenario),
            TENTHS: float(record.tenths),
        },
        mark_words={**MARK_WORDS, "box": "around the target"},
        label="What fake phones do to the estimate",
        image_name="caldp-fake-phones",
        image_lines=(
            policies.promise_summary(PLACES, data.setup),
            sentence,
            policies.setting_text(data.setup),
        ),
        **shared_pictures(data.setup, "fakes", "repaired"),
    )


def _pictures(
    data: PoisonedEstimate, domain: GridDomain, record: AttackerState
) -> tuple[Picture, ...]:
    (truth, _, after, repaired), number = fakes_words.counts_at_target(data, record)
    unit = f"of {number} people in {place_name(domain, data.place)}"
    estimator_title = ESTIMATORS[record.scenario.estimator].title
    return (
        _picture(
            TRUTH,
            "Truth",
            truth_code(data.setup),
            Fact(truth, unit),
            subtitle="shown for demonstration only",
            marks=("sensitive",),
        ),
        _picture(
            "fakes",
            "Estimate with fakes",
            _code(data, record, ""),
            Fact(after, unit),
            subtitle=estimator_title,
            pooled=_pooled(data, record, ""),
        ),
        _picture(
            "repaired",
            "After repair",
            _code(data, record, record.repair),
            Fact(repaired, unit),
            subtitle=f"knows {fakes_words.REPAIR_TITLES[record.repair]}",
            pooled=_pooled(data, record, record.repair),
        ),
    )


def _cache_key(_: PoisonedEstimate, record: AttackerState, repair: str) -> tuple[Hashable, ...]:
    return runs.key(record.scenario), record.place, record.tenths, record.attack, repair


@cached_by(_cache_key)
def _code(data: PoisonedEstimate, record: AttackerState, repair: str) -> Blob:  # noqa: ARG001
    """The estimate with fakes, or after the repair of that name."""
    return encode_people(
        data.repaired(repair).shares if repair else data.estimate_with_fakes, data.setup.n
    )


@cached_by(_cache_key)
def _pooled(data: PoisonedEstimate, record: AttackerState, repair: str) -> Blob | None:  # noqa: ARG001
    """How far the estimate's cells were pooled; None where each has its own number."""
    levels = data.repaired(repair).levels if repair else data.levels
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
    fact_text = f"{fact.number} {fact.text}"
    return Picture(
        name,
        title,
        subtitle,
        f"Map of shares of people, {title.lower()}: {fact_text}.",
        code,
        SCALE.low,
        marks,
        fact,
        notes=("", SQUARES if pooled else ""),
        pooled=pooled,
    )
