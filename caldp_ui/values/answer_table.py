"""Every answer's numbers as a table: truth, both estimates, single and simultaneous intervals."""

from typing import Final

import numpy as np
import pandas as pd
import streamlit as st

from caldp_core.basics.errors import CaldpError
from caldp_core.datasets import DatasetSpec
from caldp_core.domain.scale import scale_of
from caldp_core.estimation.intervals import ranges, simultaneous
from caldp_core.experiments.questions import Mean, mean_in
from caldp_core.experiments.run import Result
from caldp_core.experiments.table import as_cell
from caldp_core.mechanisms.catalogue import MECHANISMS
from caldp_core.privacy.coverage import coverage
from caldp_ui.compute.sources import is_own
from caldp_ui.parts import internal, numbers
from caldp_ui.parts.comparison import ComparisonData
from caldp_ui.values.page_state import STATE, domain_of
from caldp_ui.words import formats

_SQUARE_WAVE: Final = "square-wave"
_FACTOR_MIN: Final = 1.2
"""The least factor by which a range must narrow to be worth another method."""


def show(data: ComparisonData) -> None:
    """The means, the table with its legend, and the errors of this draw."""
    if data.ours is None or data.plain is None:
        st.info("The numbers come once both pictures are there.")
        return
    st.markdown(means_text(data.ours, data.plain))
    st.dataframe(
        answer_frame(data.ours, data.plain),
        hide_index=True,
        column_config={
            title: st.column_config.NumberColumn(title, format="%.2f %%")
            for title in _column_titles("this")
            + _column_titles("plain")
            + [truth_title(data.setup.scenario.dataset)]
        },
        key=STATE.key("table"),
    )
    st.caption(
        "low, high: each range holds its true share 95 times in 100. all low, all high: all ranges "
        "hold at once 95 times in 100 (Bonferroni). They include the estimate and are of "
        "the people of whom these are a sample."
    )
    numbers.section(STATE, data)


def means_text(ours: Result, plain: Result) -> str:
    """The mean under both protections, with ranges; empty where answers are no numbers."""
    means = mean_in(ours), mean_in(plain)
    parts = [
        f"{who}: {mean_text(mean)}"
        for who, mean in zip(("This protection", "plain LDP"), means, strict=True)
        if mean is not None
    ]
    if not parts:
        return ""
    return (
        f"{'; '.join(parts)}. Ranges hold the true mean 95 times in "
        f"100.{_square_wave_sentence(ours)}"
    )


def _square_wave_sentence(ours: Result) -> str:
    """How much the square wave would narrow the range of the mean; empty where by little."""
    setup = ours.setup
    values, p = scale_of(domain_of(setup.scenario).names), setup.dataset.distribution
    wave = MECHANISMS[_SQUARE_WAVE]
    if values is None or not isinstance(setup.policy, wave.policies):
        return ""
    centred = values - 0.5 * (values[0] + values[-1])
    try:
        wave_variance = wave.make(setup.policy).sum_variance(p, centred, setup.n)
    except CaldpError:  # too many steps for it
        return ""
    variance = setup.mechanism.sum_variance(p, centred, setup.n)
    if wave_variance <= 0 or variance < _FACTOR_MIN**2 * wave_variance:
        return ""
    times = formats.digits(float(np.sqrt(variance / wave_variance)))
    return f" The method “{wave.title}” would make the range of the mean {times} times as narrow."


def mean_text(mean: Mean) -> str:
    """A mean, its range and the truth, to three digits."""
    estimate, low, high, truth = (
        formats.digits(value, 3) for value in (mean.estimate, mean.low, mean.high, mean.truth)
    )
    return f"mean about {estimate}, between {low} and {high} (truth {truth})"


def _column_titles(who: str) -> list[str]:
    return [who, *(f"{who} {end}" for end in ("low", "high", "all low", "all high"))]


def truth_title(spec: DatasetSpec) -> str:
    """The title of the column of true shares, as the browser saves it as CSV."""
    return internal.COLUMN if is_own(spec) else "truth"


def answer_frame(ours: Result, plain: Result) -> pd.DataFrame:
    """One row per answer, shares in percent; names are escaped, as the browser saves it as CSV."""
    setup = ours.setup
    domain = domain_of(setup.scenario)
    columns: dict[str, object] = {"answer": [as_cell(domain.name_of(x)) for x in range(domain.k)]}
    if domain.groups:
        columns["group"] = [as_cell(group) for group in domain.groups]
    columns["protected"] = coverage(setup.policy).protected
    columns[truth_title(setup.scenario.dataset)] = 100 * setup.dataset.distribution
    for who, result in (("this", ours), ("plain", plain)):
        evidence, shares = result.first.evidence, result.first.estimate
        one, every = ranges(evidence, shares), simultaneous(evidence).around(shares)
        ends = (shares, one.low, one.high, every.low, every.high)
        columns |= {t: 100 * part for t, part in zip(_column_titles(who), ends, strict=True)}
    return pd.DataFrame(columns)
