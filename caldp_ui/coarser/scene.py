"""The maps: five treatments beside each other, under one scale, with what the attack finds."""

from typing import Final

from caldp_core.basics.cache import cached_by
from caldp_core.domain.grid import GridDomain
from caldp_ui.coarser import words
from caldp_ui.coarser.outcomes import Outcome, Played
from caldp_ui.coarser.slot import (
    BLOCKS,
    HIDE,
    LARGER,
    NOTHING,
    PAIRED,
    PLAIN,
    SLOT,
)
from caldp_ui.coarser.treated import PageData
from caldp_ui.compute import runs
from caldp_ui.maps.ground import home, land
from caldp_ui.maps.scene import SQUARES, pooled
from caldp_ui.session.scenarios import steer
from caldp_ui.stage import (
    Act,
    Action,
    Arrangement,
    Blob,
    Chosen,
    Fact,
    Ground,
    Label,
    Picture,
    Scene,
    Stage,
    encode_labels,
    encode_mask,
    encode_people,
    nobody_below,
    scale_of,
    stage,
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


def maps(what: PageData, found: Played | None) -> Stage:
    """The stage."""
    return stage(scene(what, found), SLOT.key("maps"), _do, _follow)


def _follow(chosen: Chosen) -> None:
    """The step of the film that a person rests on becomes the page's ε."""
    if chosen.film == EPSILON:
        steer(SLOT, lambda s: s.with_epsilon(chosen.value))


def scene(what: PageData, found: Played | None) -> Scene:
    """Nothing, larger cells, what the office does, plain LDP, blocks."""
    assert isinstance(what.domain, GridDomain)  # tables have no maps
    names = [n for n in (NOTHING, LARGER, what.record.office, PLAIN, BLOCKS) if n in what.by]
    pictures = tuple(_picture(what, name, found) for name in names)
    return Scene(
        _ground(what, what.domain),
        pictures,
        what.setup.n,
        (LARGER, names[-1]),
        actions=_ACTIONS if what.record.attack in PAIRED else (),
        can_undo=SLOT.can_undo,
        can_redo=SLOT.can_redo,
        arrangement=Arrangement(tuple(names)) if len(names) > 2 else None,
        label="The same people, treated in five ways",
        mark_words=_MARK_WORDS,
        film_at={EPSILON: what.setup.scenario.policy.plain_epsilon},
        scale=scale_of(what.setup.dataset.distribution),
        image_name="caldp-noise-coarser-or-nothing",
        image_lines=(words.errors(what), policies.setting(what.setup)),
    )


def _picture(what: PageData, name: str, found: Played | None) -> Picture:
    number, of = words.error(what, name)
    title, result = words.TITLES[name], {PLAIN: what.plain, BLOCKS: what.ours}.get(name)
    squares = None if result is None else pooled(result)
    return Picture(
        name,
        title,
        "",
        f"Map of where people seem to be, {title}: {number} {of}; {words.note(what, name)}.",
        _code(what, name),
        nobody_below(what.setup.n),
        _MARKS.get(name, ()),
        Fact(number, of),
        notes=("", " · ".join([SQUARES] * bool(squares) + [words.note(what, name)])),
        labels=_label(found.by[name]) if found else (),
        pooled=squares,
    )


def _label(outcome: Outcome) -> tuple[Label, ...]:
    if outcome.share is None:
        return ()
    said = f"attacker: {words.of_hundred(outcome.share)} of 100"
    return (Label(said, "", "open" if outcome.sure and outcome.share > 0 else "safe"),)


@cached_by(lambda what, treatment: (what.name, treatment))
def _code(what: PageData, treatment: str) -> Blob:
    return encode_people(what.by[treatment].release.shares, what.setup.n)


@cached_by(lambda what, _: what.name)
def _ground(what: PageData, domain: GridDomain) -> Ground:
    hidden = what.table.hidden
    return Ground(
        domain,
        home(domain),
        **land(domain),
        labels=encode_labels(what.labels) if what.setup.partition.m > 1 else None,
        sensitive=encode_mask(hidden) if hidden.any() else None,
    )


def _do(act: Act) -> None:
    """The person is where a reader clicks; undo and redo."""
    cell = act.middle(runs.map_of(runs.dataset(SLOT.now().scenario)))
    if not SLOT.take_step(act.tool) and act.action == PERSON and cell is not None:
        SLOT.change(lambda record: record.at(cell))
