"""What a box dragged on the map does, and the keyboard's way to the same.

Room: controls. A drag is rounded to whole cells; with "whole blocks" it takes every block it
touches. A new picture drops the browser's selection, so the box is taken over in the callback.
"""

from collections.abc import Callable
from dataclasses import replace
from typing import Any, Final

import streamlit as st

from caldp_core.domain import Area, GridDomain
from caldp_core.errors import CaldpError
from caldp_core.protection import DrawnBlocks, SensitiveAreas
from caldp_core.scenario import Scenario
from caldp_ui import figures, state
from caldp_ui.shell import as_text

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
            disabled=not _drawn(scenario),
            on_click=lambda: state.change(_without_last),
        )
        st.button(
            "Clear",
            icon=":material/delete:",
            disabled=not _drawn(scenario) and state.region() is None,
            on_click=_clear,
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
        state.mark(area)
        return
    mode = "b" if st.session_state.get(_WHOLE) and tool in _EDITING else ""
    makers: dict[str, Callable[[Scenario], Scenario]] = {
        ADD: lambda s: _edited(s, f"+{mode}{area}"),
        REMOVE: lambda s: _edited(s, f"-{mode}{area}"),
        REPLACE: lambda s: replace(s, sensitive=SensitiveAreas((f"+{mode}{area}",))),
        BLOCK: lambda s: replace(s, blocks=DrawnBlocks((*_areas(s), str(area)))),
    }
    state.change(makers[tool])


def _edited(scenario: Scenario, edit: str) -> Scenario:
    before = scenario.sensitive
    if isinstance(before, SensitiveAreas):
        return replace(scenario, sensitive=SensitiveAreas((*before.edits, edit)))
    edits = _start_of(edit)
    state.notify(
        "From now on everything but what you take out is sensitive."
        if edits
        else "From now on only what you draw is sensitive. “Start from” brings the rest back."
    )
    return replace(scenario, sensitive=SensitiveAreas((*edits, edit)))


def _start_of(edit: str) -> tuple[str, ...]:
    # Taking away starts from everything, adding from nothing.
    return ("+-90,90,-180,180",) if edit.startswith("-") else ()


def _areas(scenario: Scenario) -> tuple[str, ...]:
    return scenario.blocks.areas if isinstance(scenario.blocks, DrawnBlocks) else ()


def _drawn(scenario: Scenario) -> bool:
    sensitive = scenario.sensitive
    edits = sensitive.edits if isinstance(sensitive, SensitiveAreas) else ()
    return bool(edits or _areas(scenario))


def _without_last(scenario: Scenario) -> Scenario:
    """Undo with the tool in hand first: blocks if the tool makes blocks, else sensitive areas."""
    sensitive, areas = scenario.sensitive, _areas(scenario)
    edits = sensitive.edits if isinstance(sensitive, SensitiveAreas) else ()
    if areas and (st.session_state.get(_TOOL) == BLOCK or not edits):
        return replace(scenario, blocks=DrawnBlocks(areas[:-1]))
    return replace(scenario, sensitive=SensitiveAreas(edits[:-1]))


def _clear() -> None:
    state.mark(None)
    state.change(_without_any)


def _without_any(scenario: Scenario) -> Scenario:
    changed = scenario
    if isinstance(scenario.sensitive, SensitiveAreas):
        changed = replace(changed, sensitive=SensitiveAreas())
    if isinstance(scenario.blocks, DrawnBlocks):
        changed = replace(changed, blocks=DrawnBlocks())
    return changed


def keyboard(domain: GridDomain) -> None:
    """The same without a mouse: edges as numbers, then one button."""
    with st.expander("Without dragging: type the box"), st.form("typed-box", border=False):
        edges, limits = _first_box(domain), domain.area
        bounds = (
            ("South", limits.south, limits.north, edges.south),
            ("North", limits.south, limits.north, edges.north),
            ("West", limits.west, limits.east, edges.west),
            ("East", limits.west, limits.east, edges.east),
        )
        values = [
            column.number_input(
                label, low, high, edge, domain.cell, format="%.1f", key=f"typed-{label}"
            )
            for column, (label, low, high, edge) in zip(st.columns(4), bounds, strict=True)
        ]
        if st.form_submit_button("Use this box", icon=":material/crop_free:"):
            _use_typed(values, domain)


def _first_box(domain: GridDomain) -> Area:
    """The marked box or an example, cut to the map; the whole map if neither lies on it."""
    for box in (state.region(), Area.parse(_DEFAULT_BOX)):
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


def describe(area: Area) -> str:
    """A box in words."""
    corner = figures.degrees(area.south, area.west)
    return f"{corner} to {figures.degrees(area.north, area.east)}"
