"""Figure 1 of the paper: the region of errors, and the mechanism at its corner."""

import math
from collections.abc import Callable
from dataclasses import replace
from typing import Final

import streamlit as st

from caldp_core.audit.adversary import ErrorVertex, error_vertex
from caldp_core.privacy.matrix import BinaryPolicy
from caldp_core.scenarios.policies import BinaryQuestion
from caldp_ui.app.theme import Palette, palette
from caldp_ui.charts import show as charts
from caldp_ui.controls import common
from caldp_ui.controls.common import Slider
from caldp_ui.paper.charts import REGION_HEIGHT, region
from caldp_ui.paper.page_state import STATE, Paper
from caldp_ui.parts import films, headline
from caldp_ui.parts.films import ChartPage
from caldp_ui.stage import Step
from caldp_ui.words import formats
from caldp_ui.words.headline import Headline

LEVELS: Final = (0.0, 0.1, 0.2, 0.5, 1.0, 1.5, 2.0, 3.0, 5.0, 10.0, math.inf)
_CHART: Final = STATE.key("region")


def _level(
    name: str,
    get_level: Callable[[BinaryQuestion], float],
    with_level: Callable[[BinaryQuestion, float], BinaryQuestion],
) -> Slider[Paper]:
    return Slider(
        name,
        lambda record: get_level(record.question),
        lambda record, level: replace(record, question=with_level(record.question, float(level))),
        LEVELS,
        lambda level: "∞" if math.isinf(level) else f"{level:g}",
    )


_FIRST: Final = _level("first", lambda q: q.epsilon_01, lambda q, e: replace(q, epsilon_01=e))
_SECOND: Final = _level("second", lambda q: q.epsilon_10, lambda q, e: replace(q, epsilon_10=e))
SLIDERS: Final = (_FIRST, _SECOND)


def view(record: Paper) -> None:
    """The sentence, the region, and the two levels that it depends on."""
    headline.show(_make_headline(record))
    left, right = st.columns([2, 1])
    with left:
        charts.show_json(render(record, palette()).pictures[_CHART], _CHART, REGION_HEIGHT)
    with right:
        common.show(STATE, _FIRST, "ε(x, x′): how well x is hidden")
        common.show(STATE, _SECOND, "ε(x′, x): how well x′ is hidden")
        st.caption(
            "Equal ε's are the paper's Figure 1 (a), Warner's randomized response. Different ones "
            "are its Figure 1 (b), and one of them ∞ is Mangat's. The corner is that of the "
            "proof's last lines, as eq. (23) prints one coordinate twice. By (7) and (8) a smaller "
            "ε(x, x′) raises false alarms; the paper's sentence under Theorem 1 says misses."
        )
    films.follow_sliders(PAGE, record, SLIDERS)


def render(record: Paper, colours: Palette) -> Step:
    """The film step of a record: the region and the headline."""
    question, vertex = record.question, _vertex(record)
    least = min(question.epsilon_01, question.epsilon_10)
    plain = error_vertex(BinaryPolicy(least, least))
    alt = (
        "The plane of false alarms and misses. Rules can do what lies above the lines from "
        f"(1, 0) and (0, 1) to the mechanism's corner at ({vertex.false_alarm:.3f}, "
        f"{vertex.missed:.3f})."
    )
    chart = charts.figure_json(region(vertex, plain, colours), alt)
    return films.render_step(_make_headline(record), {_CHART: chart})


def _make_headline(record: Paper) -> Headline:
    vertex = _vertex(record)
    return Headline(
        "An attacker who believes the report takes "
        f"{formats.out_of(vertex.false_alarm)} people with x′ for people with x.",
        f"They miss {formats.out_of(vertex.missed)} people with x. No rule gets below the line "
        "(Theorem 1), and no mechanism tells more (Theorem 2).",
    )


def _vertex(record: Paper) -> ErrorVertex:
    question = record.question
    return error_vertex(BinaryPolicy(question.epsilon_01, question.epsilon_10))


PAGE: Final = ChartPage(STATE, render)
