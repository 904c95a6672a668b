"""The state of the map page: a scenario of places and a marked box; link and undo.

The part of its map that a scenario shows, and its cell size; the data do not change.
"""

from dataclasses import dataclass, replace
from typing import Final

from caldp_core.basics.errors import CaldpError
from caldp_core.datasets import Cities, DatasetSpec, Gowalla, OwnPlaces
from caldp_core.domain.grid import US_GRID, Area, GridDomain
from caldp_core.domain.partitions import LargerCells
from caldp_core.experiments.run import Setup
from caldp_core.scenarios.blocks import (
    AdaptiveBlocks,
    EverythingSensitive,
    GridBlocks,
    SensitiveInhabited,
    StateBlocks,
)
from caldp_core.scenarios.scenario import Scenario
from caldp_ui.compute import runs
from caldp_ui.compute.sources import is_own
from caldp_ui.controls.choices import blocks_of
from caldp_ui.maps.presets import BEGIN
from caldp_ui.parts.comparison import ComparisonData, ResultLoader, load_results
from caldp_ui.session.pins import PinPageState
from caldp_ui.session.record_link import FieldFormat, ScenarioLink
from caldp_ui.session.scenarios import ScenarioRecord
from caldp_ui.stage import BROWSER_KEYS


@dataclass(frozen=True)
class PlacesState(ScenarioRecord):
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
    if data[0] != data[1] and (type(data[0]) is type(data[1]) or any(map(is_own, data))):
        return earlier
    was = earlier.scenario.context
    changed = shown.scenario.with_context(blocks=was.blocks, sensitive=was.sensitive)
    return replace(shown, scenario=changed)


_REGION: Final = FieldFormat(str, lambda _, text: Area.parse(text))
LINK: Final = ScenarioLink(PlacesState(), _check, BROWSER_KEYS, {"region": _REGION})
STATE: Final = PinPageState("places", LINK, _with_earlier_protection)
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


def can_crop(setup: Setup) -> bool:
    """Whether a part of the map may be shown."""
    return full_map(setup.scenario.dataset) is not None


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
