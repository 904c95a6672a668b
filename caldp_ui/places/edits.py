"""Drawing on the maps: protect, unprotect, protect only this, make a block, crop, show numbers.

Before an act the stage says what it will do; after it a hint says what it did.
"""

from collections.abc import Callable
from dataclasses import replace
from typing import Final

import numpy as np

from caldp_core.basics.types import Bools
from caldp_core.domain.grid import Area, GridDomain
from caldp_core.experiments.run import Setup
from caldp_core.scenarios.blocks import (
    BlocksSpec,
    DrawnBlocks,
    EverythingSensitive,
    SensitiveAreas,
    SensitiveSpec,
)
from caldp_core.scenarios.scenario import Scenario
from caldp_ui.compute import runs
from caldp_ui.places.page_state import STATE, PlacesState, can_crop, crop
from caldp_ui.relief.columns import merged_runs
from caldp_ui.session import notices
from caldp_ui.session.scenarios import update_scenario
from caldp_ui.stage import Act, Action
from caldp_ui.stage.records import Tool
from caldp_ui.words import formats, promise

NUMBERS: Final = "numbers"
PROTECT: Final = "protect"
UNPROTECT: Final = "unprotect"
ONLY: Final = "only"
BLOCK: Final = "block"
CUT: Final = "cut"
_TOOL_TEXTS: Final[dict[Tool, str]] = {
    "box": "the box that you drag",
    "brush": "what you paint",
    "blocks": "the block that you choose",
}
_CUT_TEXT: Final = "The map becomes the box that you drag; people elsewhere are left out."
_EVERYWHERE: Final = "+-90,90,-180,180"


def actions(setup: Setup) -> tuple[Action, ...]:
    """The actions offered for a drawing, each with its effect under this protection, by tool."""
    everything = bool(setup.sensitive.all())
    drawn = isinstance(setup.scenario.context.blocks, DrawnBlocks)
    before = formats.out_of(promise.protected_share(setup))
    blocks = formats.count(setup.partition.m, "block", "blocks")
    effects = {
        PROTECT: "All places are sensitive already, so nothing changes."
        if everything
        else "All places in {where} become sensitive, too.",
        UNPROTECT: "Places in {where} lose their protection; all others keep it.",
        ONLY: "Only places in {where} stay sensitive; all others lose their protection "
        f"(now {before} people have it).",
    }
    block_effect = (
        "The box that you drag becomes one block more."
        if drawn
        else f"The box that you drag becomes a block, everything else another; the {blocks} of "
        "now are given up."
    )
    numbers_effect = "The people in the box that you drag are counted; nothing else changes."
    return (
        Action(NUMBERS, "Show its numbers", {"box": numbers_effect}),
        *(
            Action(
                name,
                label,
                {tool: effects[name].format(where=_TOOL_TEXTS[tool]) for tool in _TOOL_TEXTS},
            )
            for name, label in (
                (PROTECT, "Protect"),
                (UNPROTECT, "Unprotect"),
                (ONLY, "Protect only this"),
            )
        ),
        Action(BLOCK, "Make it a block", {"box": block_effect}),
        *([Action(CUT, "Show only this part", {"box": _CUT_TEXT})] if can_crop(setup) else []),
    )


def handle_act(act: Act) -> None:
    """Applies a drawing, an undo or a redo from the stage."""
    if STATE.undo_or_redo(act.tool):
        return
    if act.action == NUMBERS:
        mark_region(act.area)
        return
    if act.action == CUT and act.area is not None:
        area = act.area
        update_scenario(STATE, lambda s: crop(s, area))
        return
    scenario = STATE.current().scenario
    setup = runs.setup(scenario)
    areas = _act_areas(act, setup, runs.map_of(setup.dataset))
    if not areas:
        return
    changes: dict[str, Callable[[Scenario], Scenario]] = {
        PROTECT: lambda s: _with_edits(s, [f"+{place}" for place in areas]),
        UNPROTECT: lambda s: _with_edits(s, [f"-{place}" for place in areas]),
        ONLY: lambda s: s.with_context(sensitive=SensitiveAreas(tuple(f"+{p}" for p in areas))),
        BLOCK: lambda s: s.with_context(blocks=DrawnBlocks((*_areas(s.context.blocks), *areas))),
    }
    update_scenario(STATE, changes[act.action])
    _notify_change(setup)


def mark_region(area: Area | None) -> None:
    """Show the numbers of this box, or of none."""
    STATE.change(lambda record: replace(record, region=area))


def has_drawing(scenario: Scenario) -> bool:
    """Whether anything is drawn that can be cleared."""
    context = scenario.context
    return bool(_edits(context.sensitive) or _areas(context.blocks))


def without_drawing(record: PlacesState) -> PlacesState:
    """The record before its first drawing, with no marked box.

    Everything is in one block where it began with a drawing.
    """
    context, changed = record.scenario.context, record.scenario
    earlier = [was.scenario.context for was in STATE.past_records()[::-1]]
    if _edits(context.sensitive):
        undrawn_sets = (was.sensitive for was in earlier if not _edits(was.sensitive))
        changed = changed.with_context(sensitive=next(undrawn_sets, EverythingSensitive()))
    if _areas(context.blocks):
        undrawn_blocks = (was.blocks for was in earlier if not _areas(was.blocks))
        changed = changed.with_context(blocks=next(undrawn_blocks, DrawnBlocks()))
    return replace(record, scenario=changed, region=None)


def edits_text(edits: tuple[str, ...]) -> str:
    """How a sensitive set was drawn: its start, and the numbers of areas added and taken out."""
    is_everything = edits[:1] == (_EVERYWHERE,)
    added = sum(edit.startswith("+") for edit in edits) - is_everything
    taken = sum(edit.startswith("-") for edit in edits)
    parts = (
        "everything" * is_everything,
        f"{added} added" * (added > 0),
        f"{taken} taken out" * (taken > 0),
    )
    return ", ".join(filter(None, parts))


def _with_edits(scenario: Scenario, edits: list[str]) -> Scenario:
    before = scenario.context.sensitive
    if isinstance(before, EverythingSensitive):
        if edits[0].startswith("+"):
            return scenario  # nothing to add
        start: tuple[str, ...] = (_EVERYWHERE,)
    else:
        start = _as_edits(before, scenario)
    return scenario.with_context(sensitive=SensitiveAreas((*start, *edits)))


def _as_edits(before: SensitiveSpec, scenario: Scenario) -> tuple[str, ...]:
    """Any sensitive set as a list of edits that further ones can extend."""
    if isinstance(before, SensitiveAreas):
        return before.edits
    setup = runs.setup(scenario)
    boxes = rectangles(setup.sensitive, runs.map_of(setup.dataset))
    return tuple(f"+{area}" for area in boxes)


def _act_areas(act: Act, setup: Setup, domain: GridDomain) -> list[str]:
    """The areas of an act, as in links; "b" before one that stands for its whole block."""
    if act.area is not None:
        return [str(act.area)]
    if act.block is not None:
        inside = np.flatnonzero(setup.partition.labels == act.block)
        return [f"b{_cell_area(int(inside[0]), domain)}"] if inside.size else []
    return [str(area) for area in rectangles(act.mask(domain.k), domain)]


def _cell_area(symbol: int, domain: GridDomain) -> Area:
    row, column = divmod(symbol, domain.columns)
    return _cells_area(domain, row, row + 1, column, column + 1)


def rectangles(mask: Bools, domain: GridDomain) -> list[Area]:
    """The rectangles that make up a (k,) set of cells: runs along a row, merged over equal rows."""
    grid = mask.reshape(domain.rows, domain.columns).astype(np.int64)
    return [_cells_area(domain, *run) for inside, *run in merged_runs(grid) if inside]


def _cells_area(domain: GridDomain, bottom: int, top: int, left: int, right: int) -> Area:
    def edge(start: float, number: int) -> float:
        return round(start + domain.cell * number, 6)

    return Area(
        edge(domain.south, bottom),
        edge(domain.south, top),
        edge(domain.west, left),
        edge(domain.west, right),
    )


def _areas(blocks: BlocksSpec) -> tuple[str, ...]:
    return blocks.areas if isinstance(blocks, DrawnBlocks) else ()


def _edits(sensitive: SensitiveSpec) -> tuple[str, ...]:
    return sensitive.edits if isinstance(sensitive, SensitiveAreas) else ()


def _notify_change(before: Setup) -> None:
    after = runs.setup(STATE.current().scenario)
    if after.scenario == before.scenario:
        return
    was, now = (formats.out_of(promise.protected_share(each)) for each in (before, after))
    blocks = formats.count(after.partition.m, "block", "blocks")
    notices.show_toast_later(
        f"Now {now} people are protected (before: {was}), in {blocks}. Undo takes it back."
    )
