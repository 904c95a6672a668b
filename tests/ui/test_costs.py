"""Work says beforehand what it takes; what is above a visit's share begins only when asked for."""

from dataclasses import replace

import pytest

from caldp_core.datasets.synthetic import Zipf
from caldp_core.experiments.run import prepare
from caldp_ui.compute import runs
from caldp_ui.curves import page_state
from caldp_ui.curves.page_state import Curves
from caldp_ui.parts import comparison
from caldp_ui.plan import people_needed
from caldp_ui.plan.page_state import Plan
from caldp_ui.session import jobs
from caldp_ui.session.jobs import Cost
from caldp_ui.values.page_state import BEGIN as ANSWERS
from tests.ui.driver import checked, open_page

LARGE = Zipf(2**20)


def test_a_million_values_are_above_a_visits_share_and_what_pages_begin_with_is_not() -> None:
    for goal in ("values", "overall"):
        plan = Plan(goal=goal)
        assert not people_needed.cost(plan).is_large
        assert people_needed.cost(
            replace(plan, scenario=replace(plan.scenario, dataset=LARGE))
        ).is_large
    assert not page_state.cost(page_state.record_lines(Curves())).is_large
    curves = Curves(estimates=("simplex",))
    large = [
        replace(s, dataset=LARGE)
        for line in page_state.record_lines(curves)
        for s in line.scenarios
    ]
    found = page_state.cost([replace(page_state.record_lines(curves)[0], scenarios=tuple(large))])
    assert found.is_large
    assert "1,048,576 values it takes the server about 1 minute" in found.describe(2**20)


def test_time_and_memory_each_have_a_share() -> None:
    assert not Cost(1.0, 1.0).is_large
    assert Cost(1e3, 1.0).is_large
    assert Cost(1.0, 1e3).is_large


def test_a_button_says_what_its_work_takes_where_that_is_much() -> None:
    assert Cost(1.0, 1.0).duration_suffix() == ""
    assert Cost(125.0, 1.0).duration_suffix() == ", about 2 minutes"


def test_repetition_looks_for_a_cancel_all_along(monkeypatch: pytest.MonkeyPatch) -> None:
    """Between two runs, and in what is expected of them, which may take as long."""
    setup = prepare(replace(ANSWERS, n=1_000))
    shares: list[float] = []
    monkeypatch.setattr(comparison, "RUNS", 3)
    monkeypatch.setattr(runs, "forecast_if_fast", lambda _, progress: progress(0.5))
    comparison._repeat(setup, setup, shares.append)
    assert shares == sorted(shares)
    assert sum(share < 0.9 for share in shares) >= 5
    assert any(0.9 < share < 1.0 for share in shares)


@pytest.mark.parametrize("page", ["plan", "curves"])
def test_a_page_asks_before_it_begins_what_is_large(
    page: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(jobs, "_SHARE_S", 0.0)
    at = open_page(f"pages/{page}.py")
    key = "plan-needs" if page == "plan" else "curves-curves"
    assert f"{key}/job" not in at.session_state
    checked(at.button(key=f"{key}-agree").click().run())
    assert at.session_state[f"{key}/job"] is not None
    assert not [button for button in at.button if button.key == f"{key}-agree"]
