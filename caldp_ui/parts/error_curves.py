"""Expected error against ε, people, blocks or sensitive places: this protection beside plain LDP.

Drawn in a fragment of its own: moving between curves leaves the rest alone.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Final

import streamlit as st

from caldp_core.basics.types import Progress
from caldp_core.domain.grid import GridDomain
from caldp_core.experiments.error_validity import has_valid_errors, invalid_error_reason
from caldp_core.experiments.run import Result
from caldp_core.scenarios.scenario import Scenario
from caldp_ui.app.theme import palette
from caldp_ui.charts import curves
from caldp_ui.charts.show import show
from caldp_ui.compute import curves as compute
from caldp_ui.compute import runs
from caldp_ui.compute.curves import Pair
from caldp_ui.parts import comparison
from caldp_ui.parts.comparison import ComparisonData
from caldp_ui.session import jobs
from caldp_ui.session.page_state import PageState
from caldp_ui.words import formats, promise
from caldp_ui.words.vocabulary import PLACES, VALUES


@dataclass(frozen=True)
class CurveChoice:
    """An abscissa that the error is drawn against.

    `curves`: computes them, in a job. `cache_scenario`: the scenario without what they do not
    depend on. `current_x`: where the shown result is on the abscissa.
    """

    title: str
    curves: Callable[[Scenario, Progress], Pair]
    cache_scenario: Callable[[Scenario], Scenario]
    current_x: Callable[[Result], float]
    x_axis: dict[str, Any]


EPSILON: Final = CurveChoice(
    "ε",
    compute.errors_over_epsilon,
    compute.ignore_epsilon,
    lambda result: promise.largest_epsilon(result.setup.scenario),
    curves.EPSILON_AXIS,
)
PEOPLE: Final = CurveChoice(
    "number of people",
    compute.errors_over_people,
    compute.ignore_people,
    lambda result: float(result.setup.n),
    curves.PEOPLE_AXIS,
)
BLOCKS: Final = CurveChoice(
    "number of blocks",
    compute.errors_over_blocks,
    compute.ignore_blocks,
    lambda result: float(result.setup.partition.m),
    curves.BLOCKS_AXIS,
)
SENSITIVE: Final = CurveChoice(
    "size of the sensitive set",
    compute.errors_over_sensitive,
    compute.ignore_seed,
    lambda result: float(result.setup.sensitive.sum()),
    curves.SENSITIVE_AXIS,
)


def section(state: PageState[Any], choices: Sequence[CurveChoice], data: ComparisonData) -> None:
    """The choice, the curves, and repeated runs, once both results are there."""
    if not has_valid_errors(data.setup):
        st.info(invalid_error_reason(data.setup))
        return
    if data.ours is None or data.plain is None:
        st.info("The curves follow as soon as both pictures are ready.")
        return
    _curves(state.key("curve-against"), choices, data.ours, data.plain)
    comparison.section(state.key("repetition"), data.ours, data.plain)


def _curves(key: str, choices: Sequence[CurveChoice], ours: Result, plain: Result) -> None:
    titles = {against.title: against for against in choices}
    picked = st.segmented_control(
        "Error against", list(titles), default=choices[0].title, required=True, key=key
    )
    against = titles[picked or choices[0].title]
    shared = against.cache_scenario(ours.setup.scenario)
    pair = jobs.run_automatically(
        f"{key}-curves",
        f"{against.title} {runs.key(shared)}",
        lambda progress: against.curves(shared, progress),
        lambda job: f"Computing the expected error at every point: {job.share:.0%}",
    )
    if pair is not None and all(curve.x.size for curve in pair):
        _show(against, ours, plain, pair)
    elif pair is not None:
        st.info(
            "There is no error curve here: each point would take long trials. Repeated runs "
            "measure the error."
        )


def _show(against: CurveChoice, ours: Result, plain: Result, pair: Pair) -> None:
    now = [result.first.errors.tv for result in (ours, plain)]
    wrong = _wrong(ours)
    figure = curves.error_curves(
        (pair[0], now[0]),
        (pair[1], now[1]),
        against.current_x(ours),
        against.x_axis,
        palette(),
        wrong=wrong,
    )
    counted = "" if wrong is None else f", in people of 100 {wrong}"
    show(
        figure,
        "curve",
        f"Expected error against {against.title}{counted}: this protection solid, plain LDP "
        "dashed, with bands that hold 90 of 100 outcomes. At the present setting "
        f"{_number(now[0], wrong)} and {_number(now[1], wrong)}.",
    )
    st.caption(
        "Lines: expected error. Bands: 90 of 100 outcomes. Points: the noise that was drawn. "
        "One person of 100 is a total variation of 0.01."
    )


def _wrong(result: Result) -> str | None:
    """Where people are by mistake; None where the estimate is not made of shares."""
    if result.setup.scenario.estimator == "none":
        return None
    is_map = isinstance(result.setup.dataset.domain, GridDomain)
    return PLACES.wrong if is_map else VALUES.wrong


def _number(tv: float, wrong: str | None) -> str:
    return formats.share(tv) if wrong is None else formats.per_hundred(min(tv, 1.0))
