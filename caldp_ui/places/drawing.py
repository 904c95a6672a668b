"""What a box dragged on the map does, and the keyboard's way to the same.

Room: controls. A drag is rounded to whole cells; with "whole blocks" it takes every block it
touches. A new picture drops the browser's selection, so the box is taken over in the callback.
"""

from collections.abc import Callable
from dataclasses import replace
from typing import Any, Final

import streamlit as st

from caldp_core.basics.errors import CaldpError
from caldp_core.domain.grid import Area, GridDomain
from caldp_core.scenarios.protection import (
    BlocksSpec,
    DrawnBlocks,
    EverythingSensitive,
    SensitiveAreas,
    SensitiveSpec,
)
from caldp_core.scenarios.scenario import Scenario
from caldp_ui.app.errors import as_text
from caldp_ui.places.slot import SLOT
from caldp_ui.session import notices
from caldp_ui.session.scenarios import steer

MAP: Final = "map-truth"
_TOOL: Final = "tool"
_WHOLE: Final = "whole-blocks"
NUMBERS: Final = "Show its numbers"
ADD: Final = "Add to sensitive"
REMOVE: Final = "Take out"
REPLACE: Final = "Only this is sensitive"
BLOCK: Final = "Make it a block"
TOOLS: Final = (NUMBERS, ADD, REMOVE, REPLACE, BLOCK)
_EDITING: Final = (ADD, REMOVE, REPLACE)
_DEFAULT_BOX: Final = "40.4,41.0,-74.4,-73.6"


def toolbar(scenario: Scenario) -> None:
    """What a drag does, whole blocks or cells, undo and clear."""
    st.session_state.setdefault(_TOOL, NUMBERS)
    with st.container(horizontal=True, vertical_alignment="bottom", gap="small"):
        st.segmented_control(
            "A box that you drag on the map “Truth” …", TOOLS, required=True, wrap=True, key=_TOOL
        )
        st.button(
            "Undo",
            icon=":material/undo:",
            disabled=not SLOT.can_undo,
            on_click=SLOT.undo,
            help="Protects again what was protected before the last change.",
        )
        st.button(
            "Clear",
            icon=":material/delete:",
            disabled=not _drawn(scenario) and SLOT.now().region is None,
            on_click=_clear,
            help="Takes away all that was drawn: what was protected before it is protected again.",
        )
    if st.session_state[_TOOL] in _EDITING:
        st.checkbox("Take whole blocks, not only the cells inside the box", key=_WHOLE)


def dragged(domain: GridDomain) -> Callable[[], None]:
    """The callback of the map: apply the present tool to the new box."""

    def apply() -> None:
        area = _box(st.session_state[MAP], domain)
        if area is not None:
            use(area)

    return apply


def _box(event: Any, domain: GridDomain) -> Area | None:
    boxes = event["selection"]["box"]
    if not boxes:
        return None
    west, east = sorted(boxes[-1]["x"])
    south, north = sorted(boxes[-1]["y"])
    try:
        clipped = Area(max(south, -90), min(north, 90), max(west, -180), min(east, 180))
    except CaldpError:
        return None  # a click: a box without a size
    return domain.snap(clipped)


def use(area: Area) -> None:
    """Apply the present tool to an area."""
    tool = st.session_state.get(_TOOL, NUMBERS)
    if tool == NUMBERS:
        mark(area)
        return
    mode = "b" if st.session_state.get(_WHOLE) and tool in _EDITING else ""
    makers: dict[str, Callable[[Scenario], Scenario]] = {
        ADD: lambda s: _edited(s, f"+{mode}{area}"),
        REMOVE: lambda s: _edited(s, f"-{mode}{area}"),
        REPLACE: lambda s: replace(s, sensitive=SensitiveAreas((f"+{mode}{area}",))),
        BLOCK: lambda s: replace(s, blocks=DrawnBlocks((*_areas(s.blocks), str(area)))),
    }
    steer(SLOT, makers[tool])


def _edited(scenario: Scenario, edit: str) -> Scenario:
    before = scenario.sensitive
    if isinstance(before, SensitiveAreas):
        return replace(scenario, sensitive=SensitiveAreas((*before.edits, edit)))
    edits = _start_of(edit)
    notices.hint(
        "From now on everything but what you take out is sensitive."
        if edits
        else "From now on only what you draw is sensitive. “Undo” brings the rest back."
    )
    return replace(scenario, sensitive=SensitiveAreas((*edits, edit)))


def _start_of(edit: str) -> tuple[str, ...]:
    # Taking away starts from everything, adding from nothing.
    return ("+-90,90,-180,180",) if edit.startswith("-") else ()


def told(edits: tuple[str, ...]) -> str:
    """How a sensitive set was drawn: what it began with, boxes added, boxes taken out."""
    begun = edits[:1] == _start_of("-")
    added = sum(edit.startswith("+") for edit in edits) - begun
    taken = sum(edit.startswith("-") for edit in edits)
    parts = (
        "everything" * begun,
        f"{added} added" * (added > 0),
        f"{taken} taken out" * (taken > 0),
    )
    return ", ".join(filter(None, parts))


def _areas(blocks: BlocksSpec) -> tuple[str, ...]:
    return blocks.areas if isinstance(blocks, DrawnBlocks) else ()


def _edits(sensitive: SensitiveSpec) -> tuple[str, ...]:
    return sensitive.edits if isinstance(sensitive, SensitiveAreas) else ()


def _drawn(scenario: Scenario) -> bool:
    return bool(_edits(scenario.sensitive) or _areas(scenario.blocks))


def mark(area: Area | None) -> None:
    """Show the numbers of this box, or of none."""
    SLOT.change(lambda record: replace(record, region=area))


def _clear() -> None:
    mark(None)
    steer(SLOT, _without_any)


def _without_any(scenario: Scenario) -> Scenario:
    """What was protected before the first box; for a link's drawing, everything in one block."""
    changed, earlier = scenario, [record.scenario for record in SLOT.earlier()[::-1]]
    if _edits(scenario.sensitive):
        undrawn = (was.sensitive for was in earlier if not _edits(was.sensitive))
        changed = replace(changed, sensitive=next(undrawn, EverythingSensitive()))
    if _areas(scenario.blocks):
        free = (was.blocks for was in earlier if not _areas(was.blocks))
        changed = replace(changed, blocks=next(free, DrawnBlocks()))
    return changed


def keyboard(domain: GridDomain) -> None:
    """The same without a mouse: edges as numbers, then one button."""
    # With a key it stays open while what stands above it comes and goes.
    opened = st.expander("Without dragging: type the box", key="typing")
    with opened, st.form("typed-box", border=False):
        edges, limits = _first_box(domain), domain.area
        bounds = (
            ("South", limits.south, limits.north, edges.south),
            ("North", limits.south, limits.north, edges.north),
            ("West", limits.west, limits.east, edges.west),
            ("East", limits.west, limits.east, edges.east),
        )
        values = [
            column.number_input(
                f"{label} ({low:g} to {high:g})",
                low,
                high,
                edge,
                domain.cell,
                format="%.1f",
                key=f"typed-{label}",
            )
            for column, (label, low, high, edge) in zip(st.columns(4), bounds, strict=True)
        ]
        if st.form_submit_button("Use this box", icon=":material/crop_free:"):
            _use_typed(values, domain)


def _first_box(domain: GridDomain) -> Area:
    """The marked box or an example, cut to the map; the whole map if neither lies on it."""
    for box in (SLOT.now().region, Area.parse(_DEFAULT_BOX)):
        on_map = None if box is None else domain.snap(box)
        if on_map is not None:
            return on_map
    return domain.area


def _use_typed(values: list[float], domain: GridDomain) -> None:
    try:
        area = domain.snap(Area(*values))
    except CaldpError as error:
        st.error(as_text(str(error)))
        return
    if area is not None:
        use(area)
        st.rerun()
