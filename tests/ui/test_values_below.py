"""Under the picture of sensitive values: every tab, the table, the sentence, the files."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from caldp_core.audit.inference import policy_beliefs
from caldp_core.basics.errors import CaldpError
from caldp_core.basics.types import no_progress
from caldp_core.cli.run import summary
from caldp_core.datasets import Gowalla, WebVisits
from caldp_core.domain.answers import Domain
from caldp_core.domain.partitions import single_block
from caldp_core.experiments.regions import region_report
from caldp_core.experiments.run import Result, prepare, run
from caldp_core.mechanisms.catalogue import mechanisms_for
from caldp_core.scenarios.blocks import EverythingSensitive
from caldp_core.scenarios.scenario import Scenario
from caldp_core.theory.expected_error import Forecast
from caldp_ui.compute import runs
from caldp_ui.parts.comparison import ComparisonData
from caldp_ui.values import page_state, tabs, view
from caldp_ui.values.page_state import AFFAIR, BEGIN, LINK, TABLES, ValuesState, initial_scenario
from caldp_ui.words import formats
from tests.ui.agreement import drawn_names
from tests.ui.values_page import FEW


def test_the_first_tab_tells_what_a_report_may_make_one_believe() -> None:
    rows = tabs.belief_rows(AFFAIR)
    setup = prepare(AFFAIR)
    assert isinstance(setup.dataset.domain, Domain)
    assert [row.name for row in rows[:2]] == ["no affair", "had an affair"]
    affair = rows[1]
    assert affair.protected
    bound = policy_beliefs(setup.policy, setup.dataset.distribution, setup.sensitive)  # type: ignore[arg-type]
    assert affair.promise_beliefs == bound
    assert bound.most == pytest.approx(0.3225 * np.e / (0.3225 * np.e + 0.6775), abs=1e-4)
    for row in rows:
        assert row.channel_beliefs is not None
        assert row.promise_beliefs.least - 1e-9 <= row.channel_beliefs.least
        assert row.channel_beliefs.most <= row.promise_beliefs.most + 1e-9
    web = tabs.belief_rows(initial_scenario(next(t for t in TABLES if t.spec == WebVisits())))
    assert len(web) == 40 + tabs.ROWS_MAX
    assert web[40].protected
    assert web[40].channel_beliefs is None


def test_methods_are_those_of_the_catalogue(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tabs, "menu_of_estimators", lambda chosen, **_: [chosen])
    setup = prepare(FEW)
    found = tabs.methods(FEW)
    # The answers are in no order, so none is for values in one.
    able = [each for each in mechanisms_for(setup.policy) if not each.in_order]
    assert [m.title for m in found] == [each.title for each in able]
    (chosen,) = (method for method in found if method.is_chosen)
    p, n = setup.dataset.distribution, setup.n
    assert chosen.l2 == pytest.approx(np.sqrt(setup.mechanism.variance(p, n).sum()))
    compared = tabs.compare_methods(FEW, no_progress)
    assert compared.methods == tuple(method.title for method in found)
    assert all(tv is not None and 0 < tv < 1 for row in compared.tv for tv in row)


def test_the_table_holds_the_picture_s_numbers_and_wider_ranges_for_all() -> None:
    ours, plain = (run(prepare(each)) for each in (BEGIN, runs.best_plain_ldp(BEGIN)))
    frame = tabs.answer_frame(ours, plain)
    np.testing.assert_allclose(frame["this"], 100 * ours.first.estimate)
    for who in ("this", "plain"):
        assert (frame[f"{who} all low"] <= frame[f"{who} low"]).all()
        assert (frame[f"{who} all high"] >= frame[f"{who} high"]).all()
        assert (frame[f"{who} all high"] > frame[f"{who} high"]).any()


def test_shares_of_groups_are_those_of_regions() -> None:
    result = run(prepare(BEGIN))
    affair = result.setup.sensitive
    found = view.group_share(result, affair)
    report = region_report(result.setup, result.first, affair)
    assert found.low * result.setup.n == pytest.approx(report.low)
    assert found.estimate == pytest.approx(result.first.estimate[affair].sum())


def test_the_sentence_tells_of_estimates_that_are_no_shares() -> None:
    few = replace(FEW.with_context(epsilon=0.01), estimator="none", n=100)
    setups = [prepare(each) for each in (few, runs.best_plain_ldp(few))]
    ours, plain = (run(setup) for setup in setups)
    assert ours.first.errors.tv > 1
    headline = view.headline(ComparisonData(setups[0], setups[1], ours, plain))
    assert f"a total variation of {formats.share(ours.first.errors.tv)}" in headline.second


@pytest.mark.parametrize("scenario", [FEW, FEW.with_context(sensitive=EverythingSensitive())])
def test_figures_of_the_headline_are_the_command_line_s_and_stand_in_its_sentences(
    scenario: Scenario,
) -> None:
    ours, plain = (run(prepare(each)) for each in (scenario, runs.best_plain_ldp(scenario)))
    headline = view.headline(ComparisonData(ours.setup, plain.setup, ours, plain))
    ours_tv, plain_tv = (_printed_error(each) for each in (ours, plain))
    protected = headline.figures["protected"]
    readable = headline.figures["readable"]
    assert headline.figures == {
        "tv": ours_tv, "plain_tv": plain_tv, "protected": protected, "readable": readable
    }  # fmt: skip
    text = f"{headline.sentence} {headline.second}"
    assert f"puts {formats.of_hundred(ours_tv)} people" in text
    assert headline.unprotected == (protected < 1)
    if headline.unprotected:
        assert readable == pytest.approx(drawn_names(ours.setup), abs=0.001)
        assert text.startswith(
            f"{formats.out_of(1 - protected)} people are not protected: one report names the "
            f"answer of {formats.out_of(readable)} of them."
        )
        assert f"puts {formats.per_hundred(plain_tv)} there" in text


def _printed_error(result: Result) -> float:
    printed = summary(result, Forecast(0.0, 0.0, 0.0, "not read here"))
    tv: float = printed["errors"]["tv"]["mean"]
    return tv


def test_the_picture_to_take_along_is_a_png_that_marks_change() -> None:
    scenarios = (FEW, FEW.with_context(sensitive=EverythingSensitive()))
    pngs = [view.png(run(prepare(s)), run(prepare(runs.best_plain_ldp(s)))) for s in scenarios]
    assert all(png.startswith(b"\x89PNG") for png in pngs)
    assert pngs[0] != pngs[1]


@given(st.lists(st.booleans(), min_size=1, max_size=40))
def test_flags_come_back_from_their_runs(flags: list[bool]) -> None:
    array = np.array(flags, dtype=np.bool_)
    domain = Domain(len(flags))
    spec = page_state.spec_of(array)
    assert isinstance(spec, EverythingSensitive) == all(flags)
    np.testing.assert_array_equal(spec.build(domain, single_block(domain)), array)


def test_data_with_a_map_are_not_for_this_page() -> None:
    with pytest.raises(CaldpError, match="places are on the page"):
        LINK.check(ValuesState(Scenario(dataset=Gowalla())))
