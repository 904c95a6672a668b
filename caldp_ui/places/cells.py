"""Cell size and extent of the map: their controls, and what larger cells blur and save."""

from html import escape
from typing import Final

import streamlit as st

from caldp_core.domain.grid import Area
from caldp_core.experiments.cell_errors import CellErrors, cell_errors
from caldp_core.experiments.error_validity import has_valid_errors, invalid_error_reason
from caldp_core.scenarios.scenario import Scenario
from caldp_ui.compute import cells as compute
from caldp_ui.compute import runs
from caldp_ui.compute.cells import CellErrorCurves
from caldp_ui.parts.comparison import ComparisonData
from caldp_ui.places import extent
from caldp_ui.places.page_state import STATE
from caldp_ui.session import jobs
from caldp_ui.session.scenarios import bind, bind_text, update_scenario
from caldp_ui.words import cells as words
from caldp_ui.words import formats

_TOLERANCE: Final = 1e-9


def controls(data: ComparisonData) -> None:
    """The slider of the cell size with both errors below it, and the extent of the map."""
    scenario, fine = data.setup.scenario, runs.finest_map_of(data.setup.dataset)
    steps = extent.merge_factors(scenario)
    if extent.merge_factor(scenario.dataset) is not None and len(steps) > 1:
        st.select_slider(
            "Fewer, larger cells: a side of …",
            steps,
            format_func=lambda times: words.cell_size_text(round(times * fine.cell, 9)),
            help="Larger cells hold more people each, so noise disturbs them less; where in a cell "
            "people are is lost. Blocks and sensitive places stay: a larger cell is in the block "
            "of its middle, and sensitive if any part of it is.",
            **bind(STATE, "cells", extent.merge_factor(scenario.dataset), extent.with_merge_factor),
        )
    if data.ours is not None and has_valid_errors(data.setup):
        errors = cell_errors(data.setup, data.ours.first.estimate)
        st.caption(words.cell_error_text(errors, fine.cell))
    st.caption(words.cell_area_text(runs.map_of(data.setup.dataset)))
    _part_controls(data)


def _part_controls(data: ComparisonData) -> None:
    whole = extent.full_map(data.setup.scenario.dataset)
    if whole is None:
        return
    now = runs.finest_map_of(data.setup.dataset).area
    st.text_input(
        "Part of the map: south, north, west, east",
        help="In degrees. Or take the tool “Box” on the maps, “Show only this part”, and drag.",
        **bind_text(STATE, "part", str(now), lambda s, text: extent.crop(s, Area.parse(text))),
    )
    st.button(
        "Show the whole map",
        icon=":material/zoom_out_map:",
        key=STATE.key("whole"),
        disabled=now == whole.area,
        on_click=lambda: update_scenario(STATE, lambda s: extent.crop(s, whole.area)),
    )


def section(data: ComparisonData) -> None:
    """The errors at every cell size, for this protection and plain LDP."""
    scenario = data.setup.scenario
    if not has_valid_errors(data.setup):
        st.info(invalid_error_reason(data.setup))
        return
    if extent.merge_factor(scenario.dataset) is None:
        st.info(
            "SNAP's file is counted in cells of 0.2°; “caldp count” counts a file in others, and "
            "“Your data” opens its counts."
        )
        return
    sizes = [extent.with_merge_factor(scenario, times) for times in extent.merge_factors(scenario)]
    curves = jobs.run_automatically(
        STATE.key("cell-sizes"),
        compute.key(sizes),
        lambda progress: compute.errors_by_cell_size(sizes, progress),
        lambda job: f"Computing the errors of every size of cells: {job.share:.0%}",
    )
    if curves is not None and curves.ours:
        _show(curves, scenario, runs.finest_map_of(data.setup.dataset).cell)
    elif curves is not None:
        st.info("There is nothing to compare here: with each size a run would take long.")


def _show(ladder: CellErrorCurves, scenario: Scenario, finest: float) -> None:
    ours, plain = (min(each, key=lambda e: e.both) for each in (ladder.ours, ladder.plain))
    st.markdown(
        f"With this protection, cells of **{words.cell_size_text(ours.cell)}** come closest to "
        "where people "
        f"truly are: {formats.of_hundred(ours.both)} in the wrong cell of {finest:g}°. With plain "
        f"LDP it is cells of **{words.cell_size_text(plain.cell)}**: "
        f"{formats.of_hundred(plain.both)}."
    )
    now = (extent.merge_factor(scenario.dataset) or 1) * finest
    st.html(_table_html(ladder, now, finest))
    st.caption(
        "Of 100 people, so many are in the wrong cell. Blur: among the smallest cells, were there "
        "no noise and everybody anywhere in their larger cell. Noise: among the larger cells. "
        "Together: the noisy map, spread evenly, among the smallest cells. Means of four draws. "
        "Where noise is 0 a cell is as large as its block: reports name it, and hide where in it."
    )


def _table_html(ladder: CellErrorCurves, now: float, finest: float) -> str:
    rows = "".join(
        _row_html(ours, plain, abs(ours.cell - now) < finest / 2, ladder)
        for ours, plain in zip(ladder.ours, ladder.plain, strict=True)
    )
    heads = ("cells of", "blur", "noise", "together", "noise, plain LDP", "together, plain LDP")
    head = "".join(f"<th scope=col>{escape(each)}</th>" for each in heads)
    return f'<table class="ladder"><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>'


def _row_html(ours: CellErrors, plain: CellErrors, is_now: bool, ladder: CellErrorCurves) -> str:
    least = (min(each.both for each in rows) + _TOLERANCE for rows in (ladder.ours, ladder.plain))
    best = [each.both <= most for each, most in zip((ours, plain), least, strict=True)]
    here = " (now)" if is_now else ""
    return (
        f"<tr{' class=now' if is_now else ''}><th "
        f"scope=row>{words.cell_size_text(ours.cell)}{here}</th>"
        f"{_bar_html(ours.blur, 'blur')}{_bar_html(ours.noise, 'noise')}"
        f"{_bar_html(ours.both, 'both', best[0])}"
        f"{_bar_html(plain.noise, 'noise')}{_bar_html(plain.both, 'both', best[1])}</tr>"
    )


def _bar_html(tv: float, kind: str, best: bool = False) -> str:
    number = f"<b>{formats.per_hundred(tv)}</b> least" if best else formats.per_hundred(tv)
    return f'<td class="{kind}" style="--of:{min(tv, 1.0):.3f}"><i></i><span>{number}</span></td>'
