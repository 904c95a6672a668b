"""The maps: five treatments beside each other, under one scale, with what the attack finds."""

from typing import Final

from caldp_core.basics.cache import cached_by
from caldp_core.domain.grid import GridDomain
from caldp_ui.coarser import words
from caldp_ui.coarser.outcomes import AttackResult, Outcome
from caldp_ui.coarser.page_state import (
    BLOCKS,
    HIDE,
    LARGER,
    NOTHING,
    PAIR_ATTACKS,
    PLAIN,
    STATE,
    TreatmentData,
)
from caldp_ui.compute import runs
from caldp_ui.maps.ground import home, land
from caldp_ui.maps.scene import SQUARES, pooling_levels, scale, shared_pictures
from caldp_ui.stage import (
    Act,
    Action,
    Arrangement,
    Blob,
    Fact,
    Ground,
    Label,
    Picture,
    Scene,
    encode_labels,
    encode_mask,
    encode_people,
    nobody_below,
)
from caldp_ui.stage.records import Mark
from caldp_ui.words import policies

PERSON: Final = "person"
EPSILON: Final = "epsilon"
_ACTIONS: Final = (
    Action(PERSON, "The person is here", {"look": "A click puts the person there."}),
)
_MARKS: Final[dict[str, tuple[Mark, ...]]] = {BLOCKS: ("blocks",), HIDE: ("sensitive",)}
_MARK_WORDS: Final = {
    "blocks": "borders of blocks",
    "sensitive": "hidden counts",
    "open": "can be read",
    "safe": "protected",
    "box": "your box",
}


def scene(data: TreatmentData, attack_result: AttackResult | None) -> Scene:
    """The maps: nothing, larger cells, the office's treatment, plain LDP, blocks."""
    assert isinstance(data.domain, GridDomain)  # tables have no maps
    names = [
        n for n in (NOTHING, LARGER, data.record.office, PLAIN, BLOCKS) if n in data.treatments
    ]
    pictures = tuple(_picture(data, name, attack_result) for name in names)
    return Scene(
        _ground(data, data.domain),
        pictures,
        data.setup.n,
        (LARGER, names[-1]),
        actions=_ACTIONS if data.record.attack in PAIR_ATTACKS else (),
        can_undo=STATE.can_undo,
        can_redo=STATE.can_redo,
        arrangement=Arrangement(tuple(names)) if len(names) > 2 else None,
        label="The same people, treated in five ways",
        mark_words=_MARK_WORDS,
        film_values={EPSILON: data.setup.scenario.policy.plain_epsilon},
        scale=scale(data.setup, data.ours),
        image_name="caldp-noise-coarser-or-nothing",
        image_lines=(words.errors_sentence(data), policies.setting_text(data.setup)),
        **shared_pictures(data.setup, PLAIN, BLOCKS),
    )


def _picture(data: TreatmentData, name: str, attack_result: AttackResult | None) -> Picture:
    number, of = words.error_and_unit(data, name)
    title, result = words.TITLES[name], {PLAIN: data.plain, BLOCKS: data.ours}.get(name)
    squares = None if result is None else pooling_levels(result)
    return Picture(
        name,
        title,
        "",
        f"Map of where people seem to be, {title}: {number} {of}; "
        f"{words.picture_note(data, name)}.",
        _encode_treatment(data, name),
        nobody_below(data.setup.n),
        _MARKS.get(name, ()),
        Fact(number, of),
        notes=("", " · ".join([SQUARES] * bool(squares) + [words.picture_note(data, name)])),
        labels=_label(attack_result.outcomes[name]) if attack_result else (),
        pooled=squares,
    )


def _label(outcome: Outcome) -> tuple[Label, ...]:
    if outcome.share is None:
        return ()
    text = f"attacker: {words.of_hundred(outcome.share)} of 100"
    return (Label(text, "", "open" if outcome.sure and outcome.share > 0 else "safe"),)


@cached_by(lambda data, treatment: (data.cache_key, treatment))
def _encode_treatment(data: TreatmentData, treatment: str) -> Blob:
    return encode_people(data.treatments[treatment].release.shares, data.setup.n)


@cached_by(lambda data, _: data.cache_key)
def _ground(data: TreatmentData, domain: GridDomain) -> Ground:
    hidden = data.table.hidden
    return Ground(
        domain,
        home(domain),
        **land(domain),
        labels=encode_labels(data.labels) if data.setup.partition.m > 1 else None,
        sensitive=encode_mask(hidden) if hidden.any() else None,
    )


def handle_act(act: Act) -> None:
    """Moves the person to a clicked cell, or applies an undo or a redo."""
    cell = act.middle(runs.map_of(runs.dataset(STATE.current().scenario)))
    if not STATE.undo_or_redo(act.tool) and act.action == PERSON and cell is not None:
        STATE.change(lambda record: record.with_place(cell))
