"""Results without runs: the region of errors (Figure 1), and methods beside the best possible one.

Yoon et al. 2025 proved what the best is; the paper's own method is among those that are compared
with it. Errors fall with 1/people, so a multiple of the error is one of the people.
"""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Final

import numpy as np
import pandas as pd
import plotly.graph_objects as go
import streamlit as st

from caldp_core.audit.adversary import ErrorVertex, error_vertex
from caldp_core.basics.cache import cached
from caldp_core.mechanisms import Mechanism
from caldp_core.mechanisms.catalogue import (
    Galois,
    Hadamard,
    MechanismSpec,
    PublishedUrap,
    RandomizedResponse,
    SubsetSelection,
)
from caldp_core.privacy.context import Context
from caldp_core.privacy.matrix import BinaryPolicy
from caldp_core.scenarios.policies import BinaryQuestion
from caldp_core.theory.bounds import least_loss, minimax, worst_case
from caldp_ui.app.texts import read_texts
from caldp_ui.app.theme import Palette, palette
from caldp_ui.charts import show as charts
from caldp_ui.controls import common
from caldp_ui.controls.common import Slider
from caldp_ui.paper import files
from caldp_ui.paper.page_state import SHARES, STATE, VALUES, Paper
from caldp_ui.paper.view import REGION_HEIGHT, multiples_figure, region
from caldp_ui.parts import markup, safety, sharing
from caldp_ui.shell.page import Page, View
from caldp_ui.words import formats
from caldp_ui.words.formats import Headline

TEXTS: Final = read_texts(__file__)

LEVELS: Final = (0.0, 0.1, 0.2, 0.5, 1.0, 1.5, 2.0, 3.0, 5.0, 10.0, math.inf)
_REGION: Final = STATE.key("region")


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


def show_region(record: Paper) -> None:
    """Draw the sentence, the region, and the two levels that it depends on."""
    shown = region_view(record, None, palette())
    markup.show_headline(shown.headline)
    left, right = st.columns([2, 1])
    with left:
        charts.show_json(shown.pictures[_REGION], _REGION, REGION_HEIGHT)
    with right:
        common.show(STATE, _FIRST, "ε(x, x′): how well x is hidden")
        common.show(STATE, _SECOND, "ε(x′, x): how well x′ is hidden")
        st.caption(TEXTS["region_notes"])
    REGION.follow(record)


def region_view(record: Paper, _: object, colours: Palette) -> View:
    """The region and the headline."""
    question, vertex = record.question, _vertex(record)
    least = min(question.epsilon_01, question.epsilon_10)
    plain = error_vertex(BinaryPolicy(least, least))
    alt = (
        "The plane of false alarms and misses. Rules can do what lies above the lines from "
        f"(1, 0) and (0, 1) to the mechanism's corner at ({vertex.false_alarm:.3f}, "
        f"{vertex.missed:.3f})."
    )
    chart = charts.figure_json(region(vertex, plain, colours), alt)
    return View(_region_headline(record), {_REGION: chart})


def _region_headline(record: Paper) -> Headline:
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


REGION: Final = Page(
    state=STATE,
    name="region",
    title="Figure 1: the region of errors",
    task="What a rule can do lies above the lines. Move how well either answer is hidden.",
    load=lambda record: record,
    view=region_view,
    sliders=lambda record: {"ε(x, x′)": _FIRST, "ε(x′, x)": _SECOND},  # noqa: ARG005
)


_PAPER: Final = "Hadamard response (the paper's)"
_OURS: Final = "Galois response"
_BEST: Final = "subset selection (uBD)"
_AS_MANY: Final = 1.005
_TWO_DECIMALS: Final = 9.995
_CHART: Final = STATE.key("sensitive-sets")
_WORST: Final = -1.0
"""Stands for the worst case among shares."""
_SIZES: Final = tuple(part * 10**power for power in range(5) for part in (1, 2, 3, 5))


@dataclass(frozen=True, eq=False)
class SensitiveSetData:
    """(sizes,) numbers of sensitive values, and by method the people it takes at each.

    `multiples`: of the best's people. `alt`: the chart in words. `size_index`: the index of the
    size that `headline` and `alt` are about.
    """

    sizes: list[int]
    multiples: Mapping[str, list[float]]
    headline: Headline
    alt: str
    size_index: int

    def chart(self, colours: Palette) -> go.Figure:
        """The chart of the curves."""
        return multiples_figure(self.sizes, self.multiples, self.sizes[self.size_index], colours)


def load_data(record: Paper) -> SensitiveSetData:
    """The curves and sentences of a record."""
    epsilon, sizes = record.scenario.context.plain_epsilon, sizes_of(record.values)
    multiples = ratios(record.values, epsilon, record.share)
    index = sizes.index(record.values // 10)
    numbers = "; ".join(f"{name} {ratio[index]:.3g}" for name, ratio in multiples.items())
    return SensitiveSetData(
        sizes,
        multiples,
        make_headline(record, epsilon, sizes[index], {n: r[index] for n, r in multiples.items()}),
        "People that each method takes, as a multiple of what the best would take, against "
        f"the number of sensitive values. With {sizes[index]:,}: {numbers}.",
        index,
    )


def show_sensitive_sets(record: Paper) -> None:
    """Draw the headline, the curves and the numbers, with the controls beside them."""
    data = load_data(record)
    sizes, multiples = data.sizes, data.multiples
    markup.show_headline(data.headline)
    left, right = st.columns([3.1, 1], gap="medium")
    with right:
        _settings()
    with left:
        charts.show(data.chart(palette()), _CHART, data.alt)
    st.table(_numbers(sizes, multiples))
    sharing.file_button(
        STATE.key("csv"), "sensitive-sets.csv", partial(files.sensitive_sets_csv, sizes, multiples)
    )
    if record.share is not None:
        st.caption("Galois response is made for this share, subset selection for the worst case.")
    st.caption(TEXTS["method_notes"])
    SENSITIVE_SETS.follow(record)


def sizes_of(values: int) -> list[int]:
    """The numbers of sensitive values on the axis, of so many values in all."""
    return [size for size in _SIZES if 2 <= size < values]


@cached
def ratios(values: int, epsilon: float, share: float | None) -> dict[str, list[float]]:
    """People by method and size of the set, as multiples of the best.

    `share`: of people with a sensitive value; None is whichever is the worst for each.
    """
    sizes, multiples = sizes_of(values), {}
    best = [_best(values, s, epsilon, share) for s in sizes]
    for name, spec in _methods(share).items():
        multiples[name] = [
            _loss(spec.make(Context.high_low(np.arange(values) < s, epsilon)), s, share) / least
            for s, least in zip(sizes, best, strict=True)
        ]
    return multiples


def _methods(share: float | None) -> Mapping[str, MechanismSpec]:
    methods: dict[str, MechanismSpec] = {
        "randomized response (uRR)": RandomizedResponse(),
        "RAPPOR as published (uRAP)": PublishedUrap(),
        _PAPER: Hadamard(),
        _BEST: SubsetSelection(),
        _OURS: Galois(share=share),
    }
    return methods


def _best(values: int, s: int, epsilon: float, share: float | None) -> float:
    if share is None:
        return minimax(values, s, epsilon).loss
    return least_loss(values, s, epsilon, share).loss


def _loss(mechanism: Mechanism, s: int, share: float | None) -> float:
    if share is None:
        return worst_case(mechanism).loss
    p = np.where(np.arange(mechanism.k) < s, share / s, (1.0 - share) / (mechanism.k - s))
    return float(mechanism.variance(p, 1).sum())


def make_headline(
    record: Paper, epsilon: float, size: int, multiples: Mapping[str, float]
) -> Headline:
    """The people that the methods take with `size` sensitive values, by method in `multiples`."""
    needs = "needs at worst" if record.share is None else "needs"
    share_clause = (
        "" if record.share is None else f", which {formats.out_of(record.share)} people have"
    )
    return Headline(
        f"The paper's Hadamard response {needs} {_people(multiples[_PAPER])} as the best "
        "mechanism.",
        f"Subset selection needs {_people(multiples[_BEST])}, Galois response "
        f"{_people(multiples[_OURS])}. "
        f"{size:,} of {record.values:,} values are sensitive{share_clause}, at ε = {epsilon:g}.",
    )


def _people(ratio: float) -> str:
    return "as many people" if ratio < _AS_MANY else f"{formats.times(ratio)} as many people"


_VALUES_SLIDER: Final = common.field_slider("values", VALUES, formats.integer)
_SHARE_SLIDER: Final[Slider[Paper]] = Slider(
    "share",
    lambda record: _WORST if record.share is None else record.share,
    lambda record, share: replace(record, share=None if share == _WORST else share),
    (_WORST, *SHARES),
    lambda share: "the worst case" if share == _WORST else f"{100 * share:g} %",
)
SENSITIVE_SETS: Final = Page(
    state=STATE,
    name="sensitive-sets",
    title="Methods beside the best, by the sensitive set",
    task="People that each method takes, as a multiple of what the best would take.",
    load=load_data,
    view=lambda data, _, colours: View(
        data.headline, {_CHART: charts.figure_json(data.chart(colours), data.alt)}
    ),
    sliders=lambda record: {  # noqa: ARG005
        "Privacy level ε": common.epsilon_slider(),
        "People with a sensitive value": _SHARE_SLIDER,
        "Values in all": _VALUES_SLIDER,
    },
)


def _settings() -> None:
    common.epsilon(STATE)
    safety.of_epsilon(STATE, STATE.current().scenario.policy.plain_epsilon)
    common.show(STATE, _VALUES_SLIDER, "Values in all")
    common.show(STATE, _SHARE_SLIDER, "People with a sensitive value", TEXTS["known_share_help"])


def _numbers(sizes: list[int], multiples: Mapping[str, list[float]]) -> pd.DataFrame:
    """Multiples as texts, a row a method, a column a decade of sizes."""
    indices = [i for i, size in enumerate(sizes) if str(size)[0] in "15" or i == 0]
    return pd.DataFrame(
        {
            f"{sizes[i]:,}": {name: _ratio_text(r[i]) for name, r in multiples.items()}
            for i in indices
        }
    ).rename_axis("times the best, by sensitive values")


def _ratio_text(ratio: float) -> str:
    return f"{ratio:.2f}" if ratio < _TWO_DECIMALS else f"{ratio:,.0f}"
