"""Channels on the page of the privacy matrix: each verdict is the core's exact audit."""

import math
import re
from concurrent.futures import wait
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

from caldp_core.audit.pairwise import audit_cells, audit_channel, audit_sampler, sampler_of
from caldp_core.basics.errors import CaldpError
from caldp_core.mechanisms import mechanism
from caldp_core.mechanisms.designed.design import form_loss
from caldp_core.privacy.context import Context
from caldp_core.privacy.matrix import DenseMatrix, closure
from caldp_ui.app.errors import escape_markdown
from caldp_ui.matrix import page, page_state, view
from caldp_ui.matrix.page_state import (
    BUG,
    DESIGNED,
    DESIGNS,
    GROUPS,
    INF,
    PASTED,
    RANDOMIZED_RESPONSE,
    STATE,
    MatrixState,
    Rows,
)
from tests.contract.checks import naming
from tests.ui.driver import checked, container
from tests.ui.matrix_page import (
    SMALL,
    edit,
    headline,
    message,
    open_matrix,
    plain,
    record_of,
    sentence_of,
    verdict,
)


def test_a_planted_bug_is_missed_by_samples_and_named_by_the_exact_audit() -> None:
    at = open_matrix(template="ldp")
    assert all(cell["mark"] != "broken" for row in message(at)["leak"] for cell in row)
    checked(at.button(key="matrix-plant").click().run())
    assert "breaks 20 of 20 limits" in headline(at)
    assert "20 of them are equally bad" in headline(at)  # none of them is “the worst”
    marks = [cell["mark"] for row in message(at)["leak"] for cell in row]
    assert marks.count("broken") == 20
    (table,) = (each.value for each in at.table)
    assert list(table["verdict"]) == ["believed", "nothing found", "broken"]
    louder = mechanism(Context.plain(5, 1.05), "randomized-response")
    worst = audit_channel(louder.exact_channel(), Context.plain(5, 1.0)).worst
    assert worst is not None
    assert f"ε = {worst.privacy_loss:.6f}" in table["what it says"].iloc[2]
    bound = audit_sampler(
        sampler_of(louder), worst.x, worst.x_other, page.SAMPLES, np.random.default_rng(1)
    )
    assert f"ε ≥ {bound.epsilon:.3f}" in table["what it says"].iloc[1]
    assert bound.epsilon < 1.0 < worst.privacy_loss
    checked(at.button(key="matrix-mend").click().run())
    assert "keeps all 20 limits" in headline(at)
    (table,) = (each.value for each in at.table)
    assert list(table["verdict"]) == ["believed", "nothing found", "kept"]


def test_a_pasted_channel_is_audited_exactly() -> None:
    warner = "3/4 1/4\n0.25, 0.75"
    record = replace(MatrixState().with_template("drug", 1.1), channel=PASTED, pasted=warner)
    assert verdict(record).audit.holds  # log 3 = 1.0986…
    tight = replace(record.with_limit(0, 1, 1.0986, both=False))
    channel_verdict = verdict(tight)
    assert [(cell.leak.x, cell.leak.x_other) for cell in channel_verdict.broken] == [(0, 1)]
    assert "leaks 1.09861 where 1.0986 is allowed" in sentence_of(channel_verdict)
    assert "“Yes” against “No”" in headline(open_matrix(tight))
    again = page_state.build_candidate(
        replace(record, pasted=page_state.as_text(channel_verdict.candidate.channel))
    )
    assert again.channel == channel_verdict.candidate.channel


def test_what_is_no_channel_is_said_in_a_sentence() -> None:
    for text, error in (
        ("", "needs 2 lines"),
        ("1 0", "needs 2 lines"),
        ("1 0\n1", "as many numbers"),
        ("1 -1\n0 1", "a number such as"),
        ("1/0 0\n0 1", "a number such as"),
        ("1e9 0\n0 1", "a number such as"),
        ("1 " * 401 + "\n" + "1 " * 401, "at most 400 reports"),
    ):
        record = replace(MatrixState().with_template("drug", 1.0), channel=PASTED, pasted=text)
        with naming(text[:9]), pytest.raises(CaldpError, match=error):
            page_state.build_candidate(record)


ODD: tuple[Rows, ...] = (
    ((0.0, 0.0), (0.0, 0.0)),
    ((0.0, 0.0), (INF, 0.0)),
    ((0.0, 0.0005), (0.0005, 0.0)),
    ((0.0, INF), (20.0, 0.0)),
    ((0.0, 0.0, 1.0), (0.0, 0.0, 1.0), (1.0, 1.0, 0.0)),
    ((0.0, 1.0, INF), (0.5, 0.0, 0.0), (INF, INF, 0.0)),
)


def test_what_a_channel_need_not_hide_is_told() -> None:
    assert "leaks up to ε = 1.50 less than allowed" in sentence_of(verdict(MatrixState()))
    full = replace(MatrixState().with_template("blocks", 1.0), channel="randomized-response")
    assert "keeps all 8 limits and uses each of them fully" in sentence_of(verdict(full))


def test_values_that_a_report_proves_come_first() -> None:
    """By the channel itself: some report is sent under that value alone."""
    for template, channel, bare in (
        ("hospital", RANDOMIZED_RESPONSE, 0),  # nothing limits "Healthy", yet this channel hides it
        ("high-low", "hadamard", 3),
        ("drug", "binary", 1),
        ("both", "randomized-response", 3),
    ):
        with naming(f"{template}, {channel}"):
            channel_verdict = verdict(
                replace(MatrixState().with_template(template, 1.0), channel=channel)
            )
            rows = channel_verdict.candidate.channel
            alone = [
                [x for x in range(channel_verdict.k) if rows[x][y]] for y in range(len(rows[0]))
            ]
            assert {x for (x, *others) in alone if not others} == set(channel_verdict.proven_values)
            assert len(channel_verdict.proven_values) == bare
            made = view.headline(channel_verdict)
            assert made.unprotected == bool(bare)
            names = [f"“{channel_verdict.names[x]}”" for x in channel_verdict.proven_values]
            named, _, rest = made.sentence.partition(" not protected: ")
            assert not bare or (rest and all(name in named for name in names))
            assert "The channel keeps" in view.headline(channel_verdict).whole
    open_to_all = replace(
        MatrixState().with_template("drug", 1.0), channel=PASTED, pasted="1 0\n0 1"
    )
    assert view.headline(verdict(open_to_all)).sentence.startswith("No value is protected")


def test_a_limit_matters_if_the_others_do_not_imply_it() -> None:
    for template, follow in (("hospital", 0), ("ldp", 0), ("line", 20)):
        channel_verdict = verdict(MatrixState().with_template(template, 1.0))
        assert int(channel_verdict.redundant_limits.sum()) == follow, template
        for x, z in channel_verdict.cells:
            levels = channel_verdict.levels.copy()
            levels[x, z] = INF
            implied = (
                closure(DenseMatrix.of(levels)).entries[x, z] <= channel_verdict.levels[x, z] < INF
            )
            assert bool(channel_verdict.redundant_limits[x, z]) == implied, (template, x, z)


def test_odd_matrices_are_kept_by_every_channel_that_can_be_made() -> None:
    for rows in ODD:
        record = MatrixState("", 1.0, tuple("abc"[: len(rows)]), rows)
        for channel in page_state.titles_for(rows):
            with naming(f"{rows}, {channel}"):
                if channel not in (*DESIGNS, PASTED, BUG):
                    assert verdict(replace(record, channel=channel)).audit.holds


def test_what_can_not_be_designed_leaves_the_matrix_on_show() -> None:
    for rows in ODD[:3]:
        with naming(f"{rows}"):
            at = open_matrix(MatrixState("", 1.0, ("a", "b"), rows, channel=DESIGNED))
            job = at.session_state["matrix-design/job"]
            assert not wait([job.future], timeout=120).not_done
            checked(at.run())
            assert not at.error
            assert message(at)["names"] == ["a", "b"]


def test_a_broken_text_of_a_channel_leaves_the_matrix_on_show() -> None:
    at = open_matrix(replace(SMALL, channel=PASTED, pasted="1 0"))
    assert "needs 3 lines" in plain(at.warning[0].value)
    assert message(at)["names"] == ["a", "b", "c"]


def test_rows_that_do_not_sum_to_one_are_named() -> None:
    record = replace(
        MatrixState().with_template("drug", 1.0), channel=PASTED, pasted="0.5 0.5\n0.333 0.666"
    )
    assert "The row of “No” must be chances that sum to 1, its sum is 0.999" in headline(
        open_matrix(record)
    )


def test_the_designer_works_beside_the_page_and_proves_its_gap() -> None:
    at = open_matrix()
    checked(at.button(key="matrix-design-it").click().run())
    job = at.session_state["matrix-design/job"]
    assert not wait([job.future], timeout=120).not_done
    checked(at.run())
    assert "keeps all 25 limits" in headline(at)
    text = " ".join(each.value for each in container(at, "matrix-side").markdown)
    assert "Certified:** less than 0.01 %" in text
    least = page_state.build_candidate(MatrixState()).mechanism
    assert least is not None
    times = page_state.even_variance(least) / job.result().loss
    assert f"needs {times:.3g} times as many people" in text
    assert times > 3
    checked(at.button(key="matrix-even-it").click().run())
    job = at.session_state["matrix-design-even/job"]
    assert not wait([job.future], timeout=120).not_done
    checked(at.run())
    text = " ".join(each.value for each in container(at, "matrix-side").markdown)
    most = page_state.above(job.result().gap)
    assert f"Certified:** the largest variance of a value is {most}" in text
    assert "keeps all 25 limits" in headline(at)


def test_a_design_for_groups_of_values_by_their_names() -> None:
    names = ("Diseases: HIV", "Diseases: flu", "<b>Other</b>: *none*", "<b>Other</b>: injury")
    levels = (
        (0.0, 1.0, 1.0, 2.0),
        (1.0, 0.0, 2.0, 2.0),
        (1.0, 2.0, 0.0, 1.0),
        (2.0, 2.0, 1.0, 0.0),
    )
    record = MatrixState("", names=names, levels=levels, channel=GROUPS)
    at = open_matrix(record)
    job = at.session_state["matrix-design-groups/job"]
    assert not wait([job.future], timeout=120).not_done
    checked(at.run())
    made = job.result()
    text = " ".join(each.value for each in container(at, "matrix-side").markdown)
    assert (
        f"of the groups (Diseases, {escape_markdown('<b>Other</b>')}) is "
        f"{page_state.above(made.gap)}" in text
    )
    least = page_state.build_candidate(replace(record, channel="plain")).mechanism
    assert least is not None
    # By another route: the information in the channel itself.
    channel = np.array([[float(chance) for chance in row] for row in least.exact_channel()])
    times = form_loss(channel, np.full(4, 0.25), page_state.form(names)) / made.loss
    assert f"needs {times:.3g} times as many people" in text
    assert "keeps all" in headline(at)
    assert page_state.groups_of(("a", "b: 1", "c")) == page_state.groups_of(("b: 1", "b: 2")) == {}
    assert set(page_state.groups_of(("a", "b: 1", "b: 2"))) == {"a", "b"}
    assert GROUPS not in page_state.titles_for(levels, ("1", "2", "3", "4"))
    assert GROUPS in page_state.titles_for(levels, names)


def test_two_releases_add_up_and_break_what_one_keeps() -> None:
    at = open_matrix(template="ldp")
    for second in ("same", "plain"):
        checked(at.run())
        at.session_state["matrix-tabs"] = "Two reports"
        checked(at.run())
        checked(at.selectbox(key="matrix-second").set_value(second).run())
        data = message(at, STATE.key("together"))
        assert data["limit"][0][1]["text"] == "2"
        assert data["leak"][0][1] | {"description": ""} == {
            "text": "2.00",
            "mark": "kept",
            "colours": view._colours(2.0),
            "description": "",
        }


def test_a_channel_that_no_longer_fits_is_said_so() -> None:
    at = open_matrix(replace(MatrixState().with_template("blocks", 1.0), channel="hadamard"))
    assert container(at, "matrix-side").selectbox[1].value is not None
    edit(at, 0, 1, "0.5")
    captions = [each.value for each in container(at, "matrix-side").caption]
    assert any("can't be made for this matrix" in each for each in captions)
    assert headline(at) == sentence_of(verdict(replace(record_of(at), channel=RANDOMIZED_RESPONSE)))


def test_the_error_that_is_told_is_that_of_simulated_shares() -> None:
    at = open_matrix(template="ldp")
    (caption,) = (item.value for item in at.caption if "typically off" in item.value)
    found = page_state.build_candidate(record_of(at)).mechanism
    assert found is not None
    rng, n, k = np.random.default_rng(5), 10_000, found.k
    people = rng.multinomial(n, np.full(k, 1 / k), 400)
    drawn = np.array([found.estimate(found.sample_tally(each, rng)) for each in people])
    off = 100 * float(np.sqrt(np.mean((drawn - 1 / k) ** 2)))
    # 1,600 free errors: known to 1.8 %, so 9 % is five of that; two digits round by 2.5 %.
    assert float(re.search(r"by ([\d.]+) percentage", caption)[1]) == pytest.approx(off, rel=0.12)  # type: ignore[index]
    assert "10,000 people" in caption


def test_a_leak_that_reads_like_its_limit_is_said_to_be_above_it() -> None:
    """e is irrational: its nearest fraction above is beyond the limit, in no digit of a float."""
    leaky = Fraction(math.nextafter(math.e, 3.0))
    channel = [[leaky / (1 + leaky), 1 / (1 + leaky)], [1 / (1 + leaky), leaky / (1 + leaky)]]
    cells = audit_cells(channel, DenseMatrix.of([[0.0, 1.0], [1.0, 0.0]]))
    assert not any(cell.holds for cell in cells)
    assert {view.loss(cell) for cell in cells} == {"just above 1.000000000"}
    wide = audit_cells(channel, DenseMatrix.of([[0.0, 0.5], [0.5, 0.0]]))
    assert {view.loss(cell) for cell in wide} == {"1.00"}
