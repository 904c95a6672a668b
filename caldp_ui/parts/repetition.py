"""Repeat the scenario many times beside the page, and compare with what is expected.

The only long work of the map page; it has a progress bar and a cancel.
"""

from dataclasses import dataclass, replace
from typing import Final

import numpy as np
import streamlit as st

from caldp_core.basics.types import Progress
from caldp_core.experiments.run import Result, Setup, run
from caldp_core.theory.expected_error import Forecast
from caldp_ui.compute import runs as compute
from caldp_ui.session import jobs
from caldp_ui.session.cost import MB_PER_VALUE, Cost
from caldp_ui.words import formats

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
    name = compute.key(replace(ours.setup.scenario, seed=0))
    first, second = ours.setup, plain.setup
    cost = Cost(RUNS * (ours.seconds + plain.seconds), MB_PER_VALUE * first.mechanism.k)
    offer = jobs.StartButton(
        f"Repeat it {RUNS} times{cost.duration_suffix()}",
        ":material/repeat:",
        "Runs this scenario again and again, with new noise each time, and compares the errors "
        "with what is expected.",
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
    expected_ours = compute.expected_error(
        ours.scenario, lambda share: progress(0.9 + 0.05 * share)
    )
    expected_plain = compute.expected_error(
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
