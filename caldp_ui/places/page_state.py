"""The state of the map page: a scenario of places and a marked box; link and undo.

The part of its map that a scenario shows, and its cell size; the data do not change.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Final

import numpy as np

from caldp_core.basics.errors import CaldpError
from caldp_core.basics.types import Bools
from caldp_core.datasets import Cities, DatasetSpec, Gowalla, OwnPlaces
from caldp_core.domain.domains import US_GRID, Area, GridDomain
from caldp_core.domain.partitions import LargerCells
from caldp_core.experiments.run import Setup
from caldp_core.scenarios.blocks import (
    AdaptiveBlocks,
    BlocksSpec,
    DrawnBlocks,
    EverythingSensitive,
    GridBlocks,
    SensitiveAreas,
    SensitiveInhabited,
    SensitiveSpec,
    StateBlocks,
)
from caldp_core.scenarios.scenario import Scenario
from caldp_ui.compute import runs
from caldp_ui.controls.choices import blocks_of
from caldp_ui.maps.scene import BEGIN
from caldp_ui.parts.comparison import ComparisonData, ResultLoader, load_results
from caldp_ui.relief.columns import merged_runs
from caldp_ui.session import links, page_state, visit
from caldp_ui.stage.component import BROWSER_KEYS, Act
from caldp_ui.stage.records import Action, Tool
from caldp_ui.words import formats, promise


@dataclass(frozen=True)
class PlacesState(page_state.ScenarioRecord):
    """The page's record. `region`: the box whose numbers are shown, if there is one."""

    scenario: Scenario = BEGIN
    region: Area | None = None


def _check(record: PlacesState) -> None:
    """Raise `CaldpError` for other policies, data without a map, blocks that don't fit."""
    _ = record.scenario.context
    runs.map_of(runs.dataset(record.scenario))
    runs.setup(record.scenario)


def _with_earlier_protection(shown: PlacesState, earlier: PlacesState) -> PlacesState:
    """The record with an earlier protection; all of the earlier one where the map is another."""
    data = (shown.scenario.dataset, earlier.scenario.dataset)
    if data[0] != data[1] and (type(data[0]) is type(data[1]) or any(map(runs.is_own, data))):
        return earlier
    was = earlier.scenario.context
    changed = shown.scenario.with_context(blocks=was.blocks, sensitive=was.sensitive)
    return replace(shown, scenario=changed)


_REGION: Final = links.FieldFormat(str, lambda _, text: Area.parse(text))
LINK: Final = page_state.ScenarioLink(PlacesState(), _check, BROWSER_KEYS, {"region": _REGION})
STATE: Final = page_state.PinPageState("places", LINK, _with_earlier_protection)
"""Undo brings an earlier protection back; ε, people and the rest stay as they are."""


_FACTORS: Final = (1, 2, 3, 5, 10, 20, 30, 50, 100)
PAPER_MAP_ONLY: Final = (StateBlocks, AdaptiveBlocks, SensitiveInhabited)
"""Blocks and sensitive sets that exist for the paper's map only."""
_CELLS_MIN: Final = 6
"""Fewest cells of a map that still shows something."""


def full_map(spec: DatasetSpec) -> GridDomain | None:
    """The map of which a part may be shown; None where the data have no other."""
    if isinstance(spec, OwnPlaces):
        return spec.grid()
    return US_GRID if isinstance(spec, Gowalla) else None


def crop(scenario: Scenario, area: Area) -> Scenario:
    """The scenario cropped to an area; raises `CaldpError` where none of it is on the map."""
    spec, grid = scenario.dataset, full_map(scenario.dataset)
    part = None if grid is None else grid.snap(area)
    if grid is None or part is None:
        raise CaldpError(f"The area must lie on the map {grid and grid.area}, got {area}.")
    if isinstance(spec, Gowalla):
        return _with_part(scenario, replace(spec, area=str(part)))
    assert isinstance(spec, OwnPlaces)
    return _with_part(scenario, replace(spec, part="" if part == grid.area else str(part)))


def _with_part(before: Scenario, spec: DatasetSpec) -> Scenario:
    """The scenario with another part of its map; drawings, and what fits any map, stay."""
    after, context = replace(before, dataset=spec), before.context
    domain = runs.finest_map_of(runs.dataset(after))
    if isinstance(context.blocks, GridBlocks | StateBlocks | AdaptiveBlocks):
        after = after.with_context(blocks=blocks_of(domain))
    if isinstance(context.sensitive, SensitiveInhabited):
        after = after.with_context(sensitive=EverythingSensitive())
    return after


def merge_factor(spec: DatasetSpec) -> int | None:
    """Cells along the side of a merged one; None where cells can't be merged."""
    return spec.together if isinstance(spec, Gowalla | Cities | OwnPlaces) else None


def with_merge_factor(scenario: Scenario, factor: int) -> Scenario:
    """The scenario with `factor` × `factor` cells merged; unchanged where they can't be."""
    spec = scenario.dataset
    if not isinstance(spec, Gowalla | Cities | OwnPlaces):
        return scenario
    return replace(scenario, dataset=replace(spec, together=factor))


def merge_factors(scenario: Scenario) -> tuple[int, ...]:
    """Possible merge factors: the map keeps at least 6 cells, all of them whole.

    The scenario's own factor is among them.
    """
    fine = runs.finest_map_of(runs.dataset(scenario))
    now = merge_factor(scenario.dataset) or 1
    return tuple(sorted({now, *(times for times in _FACTORS if _fits(fine, times))}))


def _fits(fine: GridDomain, factor: int) -> bool:
    try:
        return factor == 1 or LargerCells(fine, factor).grid.k >= _CELLS_MIN
    except CaldpError:
        return False


@dataclass(frozen=True, eq=False)
class PlacesData(ComparisonData):
    """Results of this protection and of plain LDP, and the marked box, if there is one."""

    region: Area | None


def load_data(record: PlacesState, load: ResultLoader = load_results) -> PlacesData:
    """Data of the page; `load`: whether slow results come by a job or are left out."""
    found = load(STATE, record.scenario)
    return PlacesData(found.setup, found.plain_setup, found.ours, found.plain, record.region)


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
    whole = full_map(setup.scenario.dataset)
    effects = {
        PROTECT: "All places are sensitive already, so nothing changes."
        if everything
        else "All places in {where} become sensitive, too.",
        UNPROTECT: "Places in {where} lose their protection; others keep it.",
        ONLY: f"Only {{where}} will be protected; now {before} people are.",
    }
    block_effect = (
        "The box that you drag becomes one block more."
        if drawn
        else f"The box becomes a block, all else another; the {blocks} of now are given up."
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
        *([Action(CUT, "Show only this part", {"box": _CUT_TEXT})] if whole is not None else []),
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
        page_state.update_scenario(STATE, lambda s: crop(s, area))
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
    page_state.update_scenario(STATE, changes[act.action])
    _notify_change(setup)


def mark_region(area: Area | None) -> None:
    """Show the numbers of this box, or of none."""
    STATE.change(lambda record: replace(record, region=area))


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
        if not inside.size:
            return []
        row, column = divmod(int(inside[0]), domain.columns)
        return [f"b{_cells_area(domain, row, row + 1, column, column + 1)}"]
    return [str(area) for area in rectangles(act.mask(domain.k), domain)]


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
    visit.show_toast_later(
        f"Now {now} people are protected (before: {was}), in {blocks}. Undo takes it back."
    )
