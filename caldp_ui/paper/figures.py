"""Figures 1, 2 and 3 of the paper, and what could not be checked.

Room: paper.
"""

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from typing import Final

import streamlit as st

from caldp_core.audit.adversary import error_vertex
from caldp_core.basics.types import Progress
from caldp_core.experiments.reproduce import (
    FIGURE_RUNS,
    LINES,
    PANELS,
    SIZES,
    Point,
    figure_2_points,
)
from caldp_core.experiments.turns import Mean, Turn, in_turns, means, whole_rounds
from caldp_core.privacy.binary import BinaryPolicy
from caldp_core.scenarios.policies import BinaryQuestion
from caldp_core.scenarios.protection import GridBlocks
from caldp_ui.app.theme import palette
from caldp_ui.charts.show import show
from caldp_ui.compute import runs
from caldp_ui.paper import charts, files, side, words
from caldp_ui.paper.slot import SLOT, Paper
from caldp_ui.parts import hand_on
from caldp_ui.parts.comparison import Shown, quick
from caldp_ui.places.ground import ground
from caldp_ui.places.scene import scene
from caldp_ui.session import findings
from caldp_ui.stage import stage
from caldp_ui.words import formats

LEVELS: Final = (0.0, 0.1, 0.2, 0.5, 1.0, 1.5, 2.0, 3.0, 5.0, 10.0, float("inf"))


def figure_1(record: Paper) -> None:
    """The region of errors, and the mechanism at its corner."""
    question = record.question
    vertex = error_vertex(BinaryPolicy(question.epsilon_01, question.epsilon_10))
    least = min(question.epsilon_01, question.epsilon_10)
    plain = error_vertex(BinaryPolicy(least, least))
    with st.container(key="headline"):
        st.markdown(
            "An onlooker who believes the report takes "
            f"**{formats.out_of(vertex.false_alarm)}** who were x′ for x, and misses "
            f"**{formats.out_of(vertex.missed)}** who were x. No rule gets below the line "
            "(Theorem 1), and no mechanism says more (Theorem 2)."
        )
    left, right = st.columns([2, 1])
    with left:
        show(
            charts.region(vertex, plain, palette()),
            SLOT.key("region"),
            "The plane of false alarms and misses. Rules can do what lies above the lines from "
            f"(1, 0) and (0, 1) to the mechanism's corner at ({vertex.false_alarm:.3f}, "
            f"{vertex.missed:.3f}).",
        )
    with right:
        _level("ε(x, x′): how secret x is", "first", question.epsilon_01, _first)
        _level("ε(x′, x): how secret x′ is", "second", question.epsilon_10, _second)
        st.caption(
            "Equal ε's are the paper's Figure 1 (a), Warner's randomized response; different ones "
            "its Figure 1 (b); one of them ∞ is Mangat's. The corner is that of the proof's last "
            "lines: eq. (23) prints one coordinate twice. By (7) and (8) a smaller ε(x, x′) raises "
            "false alarms; the paper's sentence under Theorem 1 says misses."
        )


def _level(
    title: str, name: str, value: float, make: Callable[[BinaryQuestion, float], BinaryQuestion]
) -> None:
    st.select_slider(
        title,
        sorted({*LEVELS, value}),
        format_func=lambda e: "∞" if e == float("inf") else f"{e:g}",
        **SLOT.bind(name, value, lambda r, v: replace(r, question=make(r.question, float(v)))),
    )


def _first(question: BinaryQuestion, level: float) -> BinaryQuestion:
    return replace(question, epsilon_01=level)


def _second(question: BinaryQuestion, level: float) -> BinaryQuestion:
    return replace(question, epsilon_10=level)


def figure_2(record: Paper) -> None:
    """Four distributions, five curves, ten sizes, ten runs: filling in as they come."""
    points = list(figure_2_points(base=record.scenario))
    slow = next((p for p in points[:: len(SIZES)] if runs.takes_long(p.scenario)), None)
    if slow is not None:
        st.info("One run takes long with this method or estimate; choose another for Figure 2.")
        return

    def find(progress: Progress) -> Iterator[Turn]:
        return in_turns([point.scenario for point in points], progress=progress)

    total = len(points) * FIGURE_RUNS
    findings.filling(
        SLOT.key("figure-2"),
        runs.key(record.scenario),
        find,
        lambda job: f"Run {len(job.found):,} of {total:,}",
        partial(_panels, points),
    )


def _panels(points: list[Point], turns: list[Turn]) -> None:
    found = means(whole_rounds(turns, len(points)), len(points))
    at = {(p.panel, p.line, p.scenario.n): m for p, m in zip(points, found, strict=True)}
    with st.container(key="headline"):
        st.markdown(_order(at))
    least = min((mean.tv for mean in at.values() if mean), default=0.01)
    for first in range(0, len(PANELS), 2):
        for column, panel in zip(st.columns(2), (first, first + 1), strict=True):
            curves = [[at[panel, line, n] for n in SIZES] for line in range(len(LINES))]
            with column:
                show(
                    charts.panel(PANELS[panel].title, curves, least, palette()),
                    SLOT.key(f"panel-{panel}"),
                    f"{PANELS[panel].title}: error against 1,000 to 512,000 people, falling for "
                    "plain LDP and for 10, 20, 50 and 100 blocks.",
                )
    st.caption(
        "Both axes logarithmic. 1,000 values, mean of ten runs a point, Hadamard response at ε = 1 "
        "unless chosen otherwise. λ is ours: the paper's stands in its picture alone."
    )
    if any(found):
        hand_on.file(SLOT.key("csv"), "figure-2.csv", partial(files.figure_2_csv, points, found))


def _order(at: dict[tuple[int, int, int | None], Mean | None]) -> str:
    """How many points keep the paper's order: more blocks, less error."""
    pairs = [
        (at[panel, line, n], at[panel, line + 1, n])
        for panel in range(len(PANELS))
        for line in range(len(LINES) - 1)
        for n in SIZES
    ]
    there = [(a.tv, b.tv) for a, b in pairs if a and b]
    kept = sum(b < a for a, b in there)
    if not there:
        return "Figure 2 is being recomputed: 200 points of ten runs each."
    return (
        "“The larger m we have, the better accuracy we get”: so it is in "
        f"**{kept} of {len(there)}** steps from one curve to the next."
    )


def figure_3(record: Paper) -> None:
    """The truth of Figure 3, plain LDP and 25 × 35 blocks on one scale."""
    plain = record.scenario
    ours = plain.with_context(blocks=GridBlocks(25, 35))
    setup = runs.setup(ours)
    found = {name: quick(scenario) for name, scenario in (("ours", ours), ("plain", plain))}
    with st.container(key="headline"):
        off = {
            name: "takes long" if result is None else formats.of_hundred(result.first.errors.tv)
            for name, result in found.items()
        }
        st.markdown(
            f"Figure 3's map, and what is left of it: with plain LDP {off['plain']} people are in "
            f"the wrong place, with the paper's 25 × 35 blocks **{off['ours']}**."
        )
    what = Shown(setup, runs.setup(plain), found["ours"], found["plain"])
    land = ground(setup, runs.map_of(setup.dataset), None)
    stage(scene(what, land, "25 × 35 blocks"), SLOT.key("maps"))
    with st.expander("ε, method and estimate"):
        side.settings(record)


def unchecked(record: Paper) -> None:
    """What could not be held against print, and why."""
    del record
    with st.container(key="headline"):
        st.markdown(
            "What this page could **not** hold against print, and why: our copies of the papers "
            "are texts, so numbers that stand in pictures alone are lost."
        )
    for title, text in words.UNCHECKED:
        st.markdown(f"**{title}** {text}")
