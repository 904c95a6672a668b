"""The privacy matrix: entries, links, files, channels by the exact audit, and films."""

import io
import json
import math
import re
from concurrent.futures import wait
from contextlib import redirect_stdout
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
from caldp_ui.app.texts import escape_markdown
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
    TEMPLATES,
    MatrixState,
    Rows,
    level_text,
    read_level,
)
from tests import ROOT
from tests.conftest import THOROUGH
from tests.contract.checks import naming
from tests.strategies import thinned
from tests.ui.driver import (
    SMALL,
    assert_ahead,
    checked,
    container,
    edit,
    headline,
    made,
    matrix_page_record_of,
    message,
    open_every_tab,
    open_matrix,
    plain,
    query_of,
    sentence_of,
    slider_states,
    verdict,
)


def test_opens_with_each_template_and_its_channels_keep_it() -> None:
    at = open_matrix()
    assert query_of(at) == {}
    for name, template in list(TEMPLATES.items())[:: 1 if THOROUGH else 2]:
        checked(at.selectbox(key="matrix-template").set_value(name).run())
        record = matrix_page_record_of(at)
        assert record == MatrixState().with_template(name, 1.0)
        assert headline(at) == sentence_of(verdict(record))
        limits = message(at)["limit"]
        assert [[cell["text"] for cell in row] for row in limits] == [
            ["" if x == z else level_text(e) for z, e in enumerate(row)]
            for x, row in enumerate(template.levels(1.0))
        ]
        for channel in page_state.titles_for(record.levels):
            if channel not in (*DESIGNS, PASTED, BUG):
                found = page_state.build_candidate(replace(record, channel=channel))
                assert audit_channel(found.channel, record.matrix).holds, (name, channel)


def test_entries_are_edited_both_ways_and_undone() -> None:
    at = open_matrix(template="ldp")
    begin = matrix_page_record_of(at)
    edit(at, 0, 2, "0,5")
    assert matrix_page_record_of(at) == begin.with_limit(0, 2, 0.5, False)
    edit(at, 1, 2, "", both=True)
    levels = matrix_page_record_of(at).levels
    assert levels[1][2] == levels[2][1] == INF
    assert open_matrix(matrix_page_record_of(at)).session_state[
        "matrix/state"
    ].record == matrix_page_record_of(at)
    checked(at.button(key="matrix-undo").click().run())
    assert matrix_page_record_of(at) == begin.with_limit(0, 2, 0.5, False)


def test_what_is_no_level_or_no_entry_changes_nothing() -> None:
    at = open_matrix(template="ldp")
    begin = matrix_page_record_of(at)
    for text in ("-1", "21", "a", "1_0", "nan", "1e400"):
        with naming(text):
            edit(at, 0, 1, text)
            warning = at.warning[0].value.replace("\\", "")
            assert "A level must be a number from 0 to 20, or ∞" in warning
            assert matrix_page_record_of(at) == begin
    for x, other in ((0, 0), (0, 9), (-1, 0), ("0", 1), (None, 1), (0, 1.0)):
        with naming(f"{x}, {other}"):
            edit(at, x, other, "0.5")
            assert matrix_page_record_of(at) == begin


def test_what_follows_is_the_shortest_way_and_can_be_written_in() -> None:
    at = open_matrix(template="neighbours")
    assert "12 entries have no limit, but the other limits imply one" in headline(at)
    assert message(at)["limit"][0][3]["follows"] == "→ 3"
    assert "no limit, but the other limits imply ε = 3" in message(at)["limit"][0][3]["description"]
    at.session_state["matrix-tabs"] = "What follows from E"
    checked(at.run())
    checked(at.button(key="matrix-close").click().run())
    steps = np.abs(np.subtract.outer(np.arange(5), np.arange(5))).astype(float)
    assert np.array_equal(matrix_page_record_of(at).levels, steps)
    assert "12 limits follow from the others" in headline(at)


def test_new_names_begin_without_limits_and_kept_ones_keep_theirs() -> None:
    at = open_matrix(SMALL)
    checked(at.text_area(key="matrix-names").set_value("c\n a \nnew").run())
    assert matrix_page_record_of(at).names == ("c", "a", "new")
    assert matrix_page_record_of(at).levels == ((0.0, 2.0, INF), (INF, 0.0, INF), (INF, INF, 0.0))


def test_too_many_names_are_refused_before_levels_are_made() -> None:
    """50,000 lines in the box of names would be 50,000 × 50,000 levels."""
    with pytest.raises(CaldpError, match="needs 2 to 12 values, got 2,000"):
        MatrixState().with_names(tuple(map(str, range(2_000))))


def test_files_hold_what_is_shown() -> None:
    channel_verdict = verdict(replace(SMALL, channel=BUG))
    data = json.loads(view.matrix_json(channel_verdict))
    assert data["levels"] == [[0, 1, None], [None, 0, 0.5], [2, None, 0]]
    assert not data["holds"]
    holds = {(cell["truth"], cell["against"]): cell["holds"] for cell in data["cells"]}
    assert not holds["b", "c"]
    assert all(held for pair, held in holds.items() if pair != ("b", "c"))
    assert view.matrix_csv(channel_verdict).splitlines()[1] == b"a,0,1,inf"


def test_every_tab_shows_where_nothing_is_promised_and_where_nothing_may_be_said() -> None:
    for level in (INF, 0.0):
        rows = ((0.0, level), (level, 0.0))
        at = open_matrix(MatrixState("", 1.0, ("a", "b"), rows))
        phrase = "has no limits" if level else "All 2 limits are kept"
        assert phrase in headline(at)
        open_every_tab(at, "matrix-tabs")


def test_levels_are_read_as_people_type_them() -> None:
    assert [read_level(text) for text in ("1", " 0,25", "∞", "", "inf")] == [1, 0.25, INF, INF, INF]
    assert [read_level(text) for text in ("١٫٥", "۰٫۲۵", "１．５", "२")] == [1.5, 0.25, 1.5, 2]
    with pytest.raises(CaldpError, match=r"number from 0 to 20.*got '1²'"):
        read_level("1²")
    assert level_text(math.log(3)) == "1.09861"
    entry = page_state._entry
    assert [entry(text) for text in ("0.1", "1/3")] == [Fraction(1, 10), Fraction(1, 3)]


def test_templates_are_what_their_sentences_say() -> None:
    at = {name: np.array(template.levels(0.7)) for name, template in TEMPLATES.items()}
    off = {name: ~np.eye(len(levels), dtype=np.bool_) for name, levels in at.items()}
    assert (at["ldp"][off["ldp"]] == 0.7).all()
    assert at["drug"].tolist() == [[0.0, 0.7], [INF, 0.0]]
    hides = {name: (np.isfinite(levels) & off[name]) for name, levels in at.items()}
    areas = [name.partition(":")[0] for name in TEMPLATES["blocks"].names]
    same = np.equal.outer(areas, areas)
    clinics = np.array(["clinic" in name for name in TEMPLATES["both"].names])
    sensitive = np.isin(TEMPLATES["high-low"].names, ("Cannabis", "Cocaine"))
    expected = {
        "high-low": np.broadcast_to(sensitive[:, None], (5, 5)),
        "blocks": same,
        "both": same & clinics[:, None],
    }
    for name, wanted in expected.items():
        np.testing.assert_array_equal(hides[name], wanted & off[name], err_msg=name)
    healthy, little, much = at["hospital"][0], at["hospital"][1:3], at["hospital"][3:]
    assert np.isinf(healthy[1:]).all()
    assert little[little > 0].min() > much[much > 0].max() > 0
    steps = np.abs(np.subtract.outer(np.arange(6), np.arange(6)))
    np.testing.assert_allclose(at["line"], 0.7 * steps)
    assert (np.isfinite(at["neighbours"]) == (steps[:5, :5] <= 1)).all()


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
    checked(at.button(key="matrix-repair").click().run())
    assert "All 20 limits are kept" in headline(at)
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
    assert "limits are kept, some with room to spare: 0.50 where 2 is allowed." in sentence_of(
        verdict(MatrixState())
    )
    full = replace(MatrixState().with_template("blocks", 1.0), channel="randomized-response")
    assert "All 8 limits are kept and fully used." in sentence_of(verdict(full))


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
            assert " kept" in view.headline(channel_verdict).whole
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
    for rows in ODD[:2]:
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


def test_a_mechanism_of_a_notebook_is_audited_from_its_csv_file() -> None:
    guide = (ROOT / "docs/api.md").read_text("utf-8")
    (code,) = (
        each for each in re.findall(r"```python\n(.*?)```", guide, re.DOTALL) if "join" in each
    )
    with redirect_stdout(io.StringIO()) as printed:
        exec(code, {})
    levels = ((0.0, 1.0, 1.0), (1.0, 0.0, 1.0), (1.0, 1.0, 0.0))
    at = open_matrix(replace(SMALL, levels=levels, channel=PASTED, pasted="1 0 0\n" * 3))
    upload = at.file_uploader(key="matrix-channel-file")
    upload.set_value(("channel.csv", printed.getvalue().encode("utf-8-sig"), "text/csv"))
    checked(at.run())
    assert matrix_page_record_of(at).pasted == printed.getvalue()
    assert "All 6 limits are kept" in headline(at)
    upload = at.file_uploader(key="matrix-channel-file")
    upload.set_value(("long.csv", b"1 " * 4_000, "text/csv"))
    assert "at most 4,000 characters" in plain(at.run().warning[0].value)
    assert matrix_page_record_of(at).pasted == printed.getvalue()


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
    assert "All 25 limits are kept" in headline(at)
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
    assert "All 25 limits are kept" in headline(at)


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
    assert "limits are kept" in headline(at)
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
    assert headline(at) == sentence_of(
        verdict(replace(matrix_page_record_of(at), channel=RANDOMIZED_RESPONSE))
    )


def test_the_error_that_is_told_is_that_of_simulated_shares() -> None:
    at = open_matrix(template="ldp")
    (caption,) = (item.value for item in at.caption if "typically off" in item.value)
    found = page_state.build_candidate(matrix_page_record_of(at)).mechanism
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


CHARTS = page.PAGE
WARNER = "3/4 1/4\n0.25 0.75"
CHANNELS = (
    *((name, BUG) for name in ("hospital", "drug", "line")),
    *(("ldp", name) for name in ("randomized-response", "subset-selection", "galois")),
    ("high-low", "hadamard"),
    ("line", "exponential"),
    ("drug", "binary"),
    ("drug", PASTED),
    ("ldp", PASTED),  # two lines are no channel for five values
    ("neighbours", "galois"),  # nor is this made for it
)


@pytest.mark.parametrize("template", thinned(TEMPLATES, one_in=3))
def test_every_step_of_a_template_is_what_the_page_shows(template: str) -> None:
    record = MatrixState().with_template(template, 1.0)
    assert_ahead(open_matrix(record), CHARTS, record, page.EPSILON)


@pytest.mark.parametrize("case", thinned(CHANNELS, one_in=3))
def test_so_it_is_with_other_channels(case: tuple[str, str]) -> None:
    template, channel = case
    record = replace(MatrixState().with_template(template, 2.0), channel=channel, pasted=WARNER)
    assert_ahead(open_matrix(record), CHARTS, record, page.EPSILON, slice(1, None, 4))


def test_each_template_and_channel_has_a_film_of_its_own() -> None:
    records = [
        replace(MatrixState().with_template(template, 1.0), channel=channel)
        for template in TEMPLATES
        for channel in ("plain", BUG)
    ]
    assert len({made(CHARTS, each, page.EPSILON).settings for each in records}) == len(records)


def test_what_is_ones_own_or_takes_designing_is_not_made_ahead() -> None:
    for record in (SMALL, replace(MatrixState(), channel=DESIGNED)):
        at = open_matrix(record)
        assert slider_states(at, CHARTS) == {}
