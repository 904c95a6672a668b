"""This protection and the best plain LDP beside it: results, all methods, expected errors.

A picture that takes longer than a second is left out here and comes by a job. Every registered
method is listed. Repeating the scenario many times has a progress bar and a cancel. Curves are
drawn in a fragment: moving between them leaves the rest alone.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Final, TypeAlias

import numpy as np
import pandas as pd
import streamlit as st

from caldp_core.basics.types import Progress
from caldp_core.domain.grid import GridDomain
from caldp_core.estimation.estimators import ESTIMATORS
from caldp_core.experiments.forecast import has_valid_errors, invalid_error_reason
from caldp_core.experiments.run import Result, Setup, run
from caldp_core.mechanisms import FAMILIES
from caldp_core.mechanisms.catalogue import MECHANISMS
from caldp_core.scenarios.scenario import Scenario
from caldp_core.theory.expected_error import Forecast
from caldp_ui.app.texts import read_texts
from caldp_ui.app.theme import palette
from caldp_ui.charts import curves
from caldp_ui.charts.show import show
from caldp_ui.compute import curves as compute_curves
from caldp_ui.compute import runs
from caldp_ui.compute.curves import Pair
from caldp_ui.session import jobs
from caldp_ui.session.jobs import MB_PER_VALUE, Cost
from caldp_ui.session.page_state import PageState
from caldp_ui.session.record_link import S, update_scenario
from caldp_ui.words import formats, promise
from caldp_ui.words.formats import PLACES, VALUES

TEXTS: Final = read_texts(__file__)


@dataclass(frozen=True, eq=False)
class ComparisonData:
    """Results of this protection and of plain LDP on the same people; None: not there yet."""

    setup: Setup
    plain_setup: Setup
    ours: Result | None
    plain: Result | None


ResultLoader: TypeAlias = Callable[[PageState[Any], Scenario], ComparisonData]
"""How results are loaded: `load_results`, by jobs if they take long, or `load_fast_results`."""


def result_if_fast(scenario: Scenario) -> Result | None:
    """The result, at once; None where it takes a job or too many people were asked for."""
    if runs.takes_long(scenario) or runs.setup(scenario).n > runs.max_people(scenario):
        return None
    return runs.result(scenario)


def load_results(state: PageState[S], scenario: Scenario) -> ComparisonData:
    """The results that are ready; for the rest, buttons and progress are drawn here."""
    rival = runs.best_plain_ldp(scenario)
    ours, plain = result_if_fast(scenario), result_if_fast(rival)
    if ours is None:
        ours = _our_result_by_job(state, scenario)
    if plain is None and ours is not None:
        plain = result_or_job(state, "plain", rival)
    return ComparisonData(runs.setup(scenario), runs.setup(rival), ours, plain)


def load_fast_results(state: PageState[S], scenario: Scenario) -> ComparisonData:
    """The results without those that take long: no job is started, nothing is drawn."""
    del state
    rival = runs.best_plain_ldp(scenario)
    return ComparisonData(
        runs.setup(scenario), runs.setup(rival), result_if_fast(scenario), result_if_fast(rival)
    )


def result_or_job(state: PageState[S], job_name: str, scenario: Scenario) -> Result | None:
    """The result of a scenario to compare with, at once, or by a job that starts by itself.

    `job_name`: names the job on its page.
    """
    result = result_if_fast(scenario)
    if result is not None or runs.setup(scenario).n > runs.max_people(scenario):
        return result
    return _job(state, job_name, scenario, jobs.run_automatically)


def _our_result_by_job(state: PageState[S], scenario: Scenario) -> Result | None:
    most = runs.max_people(scenario)
    if runs.setup(scenario).n > most:
        _show_too_many(state, scenario, most)
        return None
    run = _run_on_click if runs.may_take_minutes(scenario) else jobs.run_automatically
    return _job(state, "ours", scenario, run)


_Job = Callable[[str, str, Callable[[Progress], Result], jobs.Describe], Result | None]


def _run_on_click(
    key: str, name: str, work: Callable[[Progress], Result], describe: jobs.Describe
) -> Result | None:
    offer = jobs.StartButton(
        "Run it",
        ":material/hourglass:",
        "From a few seconds to a minute; it runs beside the page and can be cancelled.",
        "primary",
    )
    return jobs.run_on_click(key, name, work, offer, describe)


def _job(state: PageState[S], job_name: str, scenario: Scenario, run: _Job) -> Result | None:
    method = MECHANISMS[runs.setup(scenario).mechanism_name].title
    title = f"{method} with “{ESTIMATORS[scenario.estimator].title}”"

    def describe(job: jobs.Job[Result]) -> str:
        if job.is_waiting:
            return "Waiting for other runs on this server to end …"
        return f"{title}: {job.seconds:.0f} s so far"

    key, work = state.key(job_name), partial(runs.result, scenario)
    return run(key, runs.key(scenario), work, describe)


def _show_too_many(state: PageState[S], scenario: Scenario, most: int) -> None:
    st.error(
        f"{MECHANISMS[runs.setup(scenario).mechanism_name].title} cannot be run here for "
        f"{formats.integer(runs.setup(scenario).n)} people: with so many places every report "
        f"is drawn by itself, for at most {formats.integer(most)} people. Take fewer people or "
        "another method.",
        icon=":material/error:",
    )
    fewer = 10 ** (len(str(most)) - 1)  # the slider's steps are powers of ten
    st.button(
        f"Use {formats.integer(fewer)} people",
        key=state.key("fewer-people"),
        type="primary",
        on_click=lambda: update_scenario(state, lambda s: replace(s, n=fewer)),
    )


def table(setup: Setup) -> None:
    """How many people and how many bits each method takes, and which one is best here and why."""
    compared = runs.compare_methods(setup.scenario)
    least = min(compared.best.l2_squared.values())
    chosen = setup.mechanism_name
    st.markdown("**Methods, with this protection**")
    st.table(
        pd.DataFrame(
            {
                "people for the same accuracy": {
                    _method_title(name, chosen): _times(loss, least)
                    for name, loss in compared.best.l2_squared.items()
                },
                "bits per report": {
                    _method_title(name, chosen): formats.integer(bits)
                    for name, bits in compared.report_bits.items()
                },
            }
        ).rename_axis("method")
    )
    st.caption(
        f"{compared.best.reason} Accuracy: expected squared error of the unbiased estimate, exact. "
        "Post-processing can change the order."
    )


def _method_title(name: str, chosen: str) -> str:
    return f"{FAMILIES[name].title}{' (chosen)' if name == chosen else ''}"


def _times(loss: float, least: float) -> str:
    # Nothing hidden: nobody's report is noise, and all methods are one.
    factor = loss / least if least > 0 else 1.0
    return "the fewest" if factor < 1.005 else f"{formats.times(factor)} as many"


RUNS: Final = 100


@dataclass(frozen=True)
class RepeatedErrors:
    """TV over all runs: least, mean and most, for this protection and for plain LDP."""

    ours: tuple[float, float, float]
    plain: tuple[float, float, float]
    expected_ours: Forecast | None = None
    expected_plain: Forecast | None = None


def section(key: str, ours: Result, plain: Result) -> None:
    """The button, then the progress, then the result."""
    # The runs are those of a scenario, whatever outcome of it is shown.
    name = runs.key(replace(ours.setup.scenario, seed=0))
    first, second = ours.setup, plain.setup
    cost = Cost(RUNS * (ours.seconds + plain.seconds), MB_PER_VALUE * first.mechanism.k)
    offer = jobs.StartButton(
        f"Repeat it {RUNS} times{cost.duration_suffix()}", ":material/repeat:", TEXTS["repeat_help"]
    )
    repeated = jobs.run_on_click(
        key, name, lambda progress: _repeat(first, second, progress), offer, _describe_progress
    )
    if repeated is not None:
        _show(repeated)


def _describe_progress(job: jobs.Job[RepeatedErrors]) -> str:
    run = min(round(job.share / 0.9 * 2 * RUNS), 2 * RUNS)
    return f"Run {run} of {2 * RUNS}"


def _repeat(ours: Setup, plain: Setup, progress: Progress) -> RepeatedErrors:
    many = replace(ours, scenario=replace(ours.scenario, trials=RUNS))
    first = run(many, lambda share: progress(0.45 * share))
    other = replace(plain, scenario=replace(plain.scenario, trials=RUNS))
    second = run(other, lambda share: progress(0.45 + 0.45 * share))
    expected_ours = runs.expected_error(ours.scenario, lambda share: progress(0.9 + 0.05 * share))
    expected_plain = runs.expected_error(
        plain.scenario, lambda share: progress(0.95 + 0.05 * share)
    )
    return RepeatedErrors(_spread(first), _spread(second), expected_ours, expected_plain)


def _spread(result: Result) -> tuple[float, float, float]:
    tv = np.array([errors.tv for errors in result.errors])
    return float(tv.min()), float(tv.mean()), float(tv.max())


def _show(repeated: RepeatedErrors) -> None:
    first = _range(repeated.ours) + _expected(repeated.expected_ours)
    second = _range(repeated.plain) + _expected(repeated.expected_plain)
    st.markdown(f"In {RUNS} runs each: this protection {first}; plain LDP {second}.")


def _expected(expected: Forecast | None) -> str:
    return "" if expected is None else f", expected {formats.share(expected.error)}"


def _range(spread: tuple[float, float, float]) -> str:
    low, middle, high = (formats.share(value) for value in spread)
    return f"**{middle}** ({low} to {high})"


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
    compute_curves.errors_over_epsilon,
    compute_curves.ignore_epsilon,
    lambda result: promise.largest_epsilon(result.setup.scenario),
    curves.EPSILON_AXIS,
)
PEOPLE: Final = CurveChoice(
    "number of people",
    compute_curves.errors_over_people,
    compute_curves.ignore_people,
    lambda result: float(result.setup.n),
    curves.PEOPLE_AXIS,
)
BLOCKS: Final = CurveChoice(
    "number of blocks",
    compute_curves.errors_over_blocks,
    compute_curves.ignore_blocks,
    lambda result: float(result.setup.partition.m),
    curves.BLOCKS_AXIS,
)
SENSITIVE: Final = CurveChoice(
    "size of the sensitive set",
    compute_curves.errors_over_sensitive,
    compute_curves.ignore_seed,
    lambda result: float(result.setup.sensitive.sum()),
    curves.SENSITIVE_AXIS,
)


def curves_section(
    state: PageState[Any], choices: Sequence[CurveChoice], data: ComparisonData
) -> None:
    """The choice, the curves, and repeated runs, once both results are there."""
    if not has_valid_errors(data.setup):
        st.info(invalid_error_reason(data.setup))
        return
    if data.ours is None or data.plain is None:
        st.info("The curves follow as soon as both pictures are ready.")
        return
    _curves(state.key("curve-against"), choices, data.ours, data.plain)
    section(state.key("repetition"), data.ours, data.plain)


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
        _show_curves(against, ours, plain, pair)
    elif pair is not None:
        st.info(TEXTS["no_curve"])


def _show_curves(against: CurveChoice, ours: Result, plain: Result, pair: Pair) -> None:
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
    st.caption(TEXTS["curve_notes"])


def _wrong(result: Result) -> str | None:
    """Where people are by mistake; None where the estimate is not made of shares."""
    if result.setup.scenario.estimator == "none":
        return None
    is_map = isinstance(result.setup.dataset.domain, GridDomain)
    return PLACES.wrong if is_map else VALUES.wrong


def _number(tv: float, wrong: str | None) -> str:
    return formats.share(tv) if wrong is None else formats.per_hundred(min(tv, 1.0))
