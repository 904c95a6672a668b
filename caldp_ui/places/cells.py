"""How large cells are and what part of the map is shown, with what larger cells blur and save."""

from html import escape
from typing import Final

import streamlit as st

from caldp_core.domain.area import Area
from caldp_core.experiments.cell_errors import CellErrors, cell_errors
from caldp_core.experiments.judged import is_judged, not_judged
from caldp_core.scenarios.scenario import Scenario
from caldp_ui.compute import cells as compute
from caldp_ui.compute import runs
from caldp_ui.compute.cells import Ladder
from caldp_ui.parts.comparison import Shown
from caldp_ui.places import extent
from caldp_ui.places.slot import SLOT
from caldp_ui.session import jobs
from caldp_ui.session.scenarios import bind, steer
from caldp_ui.words import cells as words
from caldp_ui.words import formats

_WORSE: Final = 1e-9


def controls(what: Shown) -> None:
    """The slider of the size of cells with both errors below it, and the part of the map."""
    scenario, fine = what.setup.scenario, runs.finest_map_of(what.setup.dataset)
    steps = extent.sizes(scenario)
    if extent.together(scenario.dataset) is not None and len(steps) > 1:
        st.select_slider(
            "Fewer, larger cells: a side of …",
            steps,
            format_func=lambda times: words.size(round(times * fine.cell, 9)),
            help="Larger cells hold more people each, so noise disturbs them less; where in a cell "
            "people are is lost. Blocks and sensitive places stay: a larger cell is in the block "
            "of its middle, and sensitive if any part of it is.",
            **bind(SLOT, "cells", extent.together(scenario.dataset), extent.with_together),
        )
    if what.ours is not None and is_judged(what.setup):
        found = cell_errors(what.setup, what.ours.first.estimate)
        st.caption(words.both(found, fine.cell))
    st.caption(words.area(runs.map_of(what.setup.dataset)))
    _part(what)


def _part(what: Shown) -> None:
    whole = extent.whole(what.setup.scenario.dataset)
    if whole is None:
        return
    now = runs.finest_map_of(what.setup.dataset).area
    st.text_input(
        "Part of the map: south, north, west, east",
        help="In degrees. Or take the tool “Box” on the maps, “Show only this part”, and drag.",
        **bind(SLOT, "part", str(now), lambda s, text: extent.cut(s, Area.parse(text))),
    )
    st.button(
        "Show the whole map",
        icon=":material/zoom_out_map:",
        key=SLOT.key("whole"),
        disabled=now == whole.area,
        on_click=lambda: steer(SLOT, lambda s: extent.cut(s, whole.area)),
    )


def section(what: Shown) -> None:
    """All sizes of cells beside each other, for this protection and plain LDP."""
    scenario = what.setup.scenario
    if not is_judged(what.setup):
        st.info(not_judged(what.setup))
        return
    if extent.together(scenario.dataset) is None:
        st.info(
            "SNAP's file is counted in cells of 0.2°; “caldp count” counts a file in others, and "
            "“Your data” opens its counts."
        )
        return
    sizes = [extent.with_together(scenario, times) for times in extent.sizes(scenario)]
    found = jobs.started(
        SLOT.key("cell-sizes"),
        compute.key(sizes),
        lambda progress: compute.ladder(sizes, progress),
        lambda job: f"Computing the errors of every size of cells: {job.share:.0%}",
    )
    if found is not None and found.ours:
        _show(found, scenario, runs.finest_map_of(what.setup.dataset).cell)
    elif found is not None:
        st.info("There is nothing to compare here: with each size a run would take long.")


def _show(found: Ladder, scenario: Scenario, finest: float) -> None:
    ours, plain = (min(each, key=lambda e: e.both) for each in (found.ours, found.plain))
    st.markdown(
        f"With this protection, cells of **{words.size(ours.cell)}** come closest to where people "
        f"truly are: {formats.of_hundred(ours.both)} in the wrong cell of {finest:g}°. With plain "
        f"LDP it is cells of **{words.size(plain.cell)}**: {formats.of_hundred(plain.both)}."
    )
    now = (extent.together(scenario.dataset) or 1) * finest
    st.html(_table(found, now, finest))
    st.caption(
        "Of 100 people, so many are in the wrong cell. Blur: among the smallest cells, were there "
        "no noise and everybody anywhere in their larger cell. Noise: among the larger cells. "
        "Together: the noisy map, spread evenly, among the smallest cells. Means of four draws. "
        "Where noise is 0 a cell is as large as its block: reports name it, and hide where in it."
    )


def _table(found: Ladder, now: float, finest: float) -> str:
    rows = "".join(
        _row(ours, plain, abs(ours.cell - now) < finest / 2, found)
        for ours, plain in zip(found.ours, found.plain, strict=True)
    )
    heads = ("cells of", "blur", "noise", "together", "noise, plain LDP", "together, plain LDP")
    head = "".join(f"<th scope=col>{escape(each)}</th>" for each in heads)
    return f'<table class="ladder"><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>'


def _row(ours: CellErrors, plain: CellErrors, is_now: bool, found: Ladder) -> str:
    least = (min(each.both for each in rows) + _WORSE for rows in (found.ours, found.plain))
    best = [each.both <= most for each, most in zip((ours, plain), least, strict=True)]
    here = " (now)" if is_now else ""
    return (
        f"<tr{' class=now' if is_now else ''}><th scope=row>{words.size(ours.cell)}{here}</th>"
        f"{_bar(ours.blur, 'blur')}{_bar(ours.noise, 'noise')}{_bar(ours.both, 'both', best[0])}"
        f"{_bar(plain.noise, 'noise')}{_bar(plain.both, 'both', best[1])}</tr>"
    )


def _bar(tv: float, kind: str, best: bool = False) -> str:
    told = f"<b>{formats.per_hundred(tv)}</b> least" if best else formats.per_hundred(tv)
    return f'<td class="{kind}" style="--of:{min(tv, 1.0):.3f}"><i></i><span>{told}</span></td>'
