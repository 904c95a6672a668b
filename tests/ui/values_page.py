"""The page of sensitive values by its widgets: opened, marked, and held to the core."""

from dataclasses import replace
from typing import Any

import numpy as np
from streamlit.testing.v1 import AppTest

from caldp_core.datasets import Zipf
from caldp_core.estimation.intervals import ranges
from caldp_core.experiments.run import Result, prepare, run
from caldp_core.scenarios.blocks import OneBlock, SensitiveSymbols
from caldp_core.scenarios.scenario import Scenario
from caldp_ui.app.navigation import VALUES
from caldp_ui.compute import runs
from caldp_ui.values import page_state as answers
from caldp_ui.values import view as chart
from caldp_ui.values.page_state import BEGIN, ValuesState
from caldp_ui.words import formats
from tests.ui.driver import (
    assert_linked,
    data_of,
    headline_of,
    open_page,
    query_of,
    send_event,
)

ROUNDED = 1e-4
"""The browser is sent five digits."""


FEW = replace(BEGIN, dataset=Zipf(4), n=1_000).with_context(
    blocks=OneBlock(), sensitive=SensitiveSymbols(("0-1",))
)


def open_values(query: dict[str, str] | None = None) -> AppTest:
    return open_page(VALUES, query)


def scenario_of(at: AppTest) -> Scenario:
    held: ValuesState = at.session_state["values/state"].record
    return held.scenario


def mark(at: AppTest, **record: Any) -> AppTest:
    return on_chart(at, record)


def on_chart(at: AppTest, record: Any, kind: str = "act") -> AppTest:
    """What a hand did on the picture of answers."""
    return send_event(at, data_of(at, chart.KEY)["receipt"], record, chart.KEY, kind)


def assert_shows(at: AppTest, scenario: Scenario) -> tuple[Result, Result]:
    """The picture, the sentence and the link are those of a fresh run of the core."""
    assert scenario_of(at) == scenario
    ours, plain = (run(prepare(each)) for each in (scenario, runs.best_plain_ldp(scenario)))
    sent = data_of(at, chart.KEY)
    np.testing.assert_allclose(sent["truth"], ours.setup.dataset.distribution, rtol=ROUNDED)
    for name, result in (("ours", ours), ("plain", plain)):
        ends = ranges(result.first.evidence, result.first.estimate)
        for found, wanted in zip(
            sent[name], (result.first.estimate, ends.low, ends.high), strict=True
        ):
            np.testing.assert_allclose(found, wanted, rtol=ROUNDED, atol=1e-12)
    assert sent["sensitive"] == ";".join(answers.runs_of(np.flatnonzero(ours.setup.sensitive)))
    sentence = headline_of(at)
    for result in (ours, plain):
        assert formats.per_hundred(result.first.errors.tv) in sentence
    assert_linked(query_of(at), scenario, BEGIN)
    return ours, plain
