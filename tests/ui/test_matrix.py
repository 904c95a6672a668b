"""The privacy matrix: entries, links, files, channels by the exact audit, films; yes or no."""

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
from streamlit.testing.v1 import AppTest

from caldp_core.audit.adversary import error_vertex
from caldp_core.audit.pairwise import audit_cells, audit_channel, audit_sampler, sampler_of
from caldp_core.basics.errors import CaldpError
from caldp_core.datasets import YesOrNo
from caldp_core.experiments.run import prepare, run
from caldp_core.mechanisms import mechanism
from caldp_core.mechanisms.designed.design import form_loss
from caldp_core.privacy.context import Context
from caldp_core.privacy.matrix import BinaryPolicy, DenseMatrix, closure
from caldp_core.scenarios.policies import BinaryQuestion
from caldp_core.scenarios.scenario import Scenario
from caldp_core.theory.planner import Goal, people_for, standard_error
from caldp_ui.app.navigation import YES_OR_NO
from caldp_ui.app.texts import escape_markdown
from caldp_ui.app.theme import LIGHT
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
from caldp_ui.yesno import page_state as yesno_state
from caldp_ui.yesno import view as yesno_view
from caldp_ui.yesno.page_state import (
    BEGIN as COINS,
)
from caldp_ui.yesno.page_state import (
    STATE as YESNO,
)
from caldp_ui.yesno.page_state import load_coin, load_data
from tests import ROOT
from tests.conftest import THOROUGH
from tests.contract.checks import naming
from tests.strategies import thinned
from tests.ui.driver import (
    SMALL,
    assert_ahead,
    checked,
    container,
    data_of,
    edit,
    headline,
    headline_of,
    made,
    matrix_page_record_of,
    message,
    open_every_tab,
    open_matrix,
    open_page,
    open_record,
    page_record,
    plain,
    query_of,
    sentence_of,
    slider_states,
    verdict,
)
from tests.ui.readings import full_people, is_rounded_up


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
    edited = matrix_page_record_of(at)
    assert edited.levels[1][2] == edited.levels[2][1] == INF
    assert open_matrix(edited).session_state["matrix/state"].record == edited
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
        assert ("has no limits" if level else "All 2 limits are kept") in headline(at)
        open_every_tab(at, "matrix-tabs")


def test_levels_are_read_as_people_type_them() -> None:
    assert [read_level(text) for text in ("1", " 0,25", "∞", "", "inf")] == [1, 0.25, INF, INF, INF]
    assert [read_level(text) for text in ("١٫٥", "۰٫۲۵", "１．５", "२")] == [1.5, 0.25, 1.5, 2]
    with pytest.raises(CaldpError, match=r"number from 0 to 20.*got '1²'"):
        read_level("1²")
    assert level_text(math.log(3)) == "1.09861"
    assert [*map(page_state._entry, ("0.1", "1/3"))] == [Fraction(1, 10), Fraction(1, 3)]


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
    bound = audit_sampler(sampler_of(louder), worst.x, worst.x_other, page.SAMPLES, 1)
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
    assert [(cell.x, cell.x_other) for cell in channel_verdict.broken] == [(0, 1)]
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


def test_a_mechanism_of_a_notebook_is_audited_from_its_csv_file() -> None:
    guide = (ROOT / "docs/api.md").read_text("utf-8")
    (code,) = (
        each for each in re.findall(r"```python\n(.*?)```", guide, re.DOTALL) if "join" in each
    )
    with redirect_stdout(io.StringIO()) as printed:
        exec(code, {})
    # The audit's verdict and a result come first; the channel is the last three lines.
    channel = "".join(printed.getvalue().splitlines(keepends=True)[-3:])
    levels = ((0.0, 1.0, 1.0), (1.0, 0.0, 1.0), (1.0, 1.0, 0.0))
    at = open_matrix(replace(SMALL, levels=levels, channel=PASTED, pasted="1 0 0\n" * 3))
    upload = at.file_uploader(key="matrix-channel-file")
    upload.set_value(("channel.csv", channel.encode("utf-8-sig"), "text/csv"))
    checked(at.run())
    assert matrix_page_record_of(at).pasted == channel
    assert "All 6 limits are kept" in headline(at)
    upload = at.file_uploader(key="matrix-channel-file")
    upload.set_value(("long.csv", b"1 " * 4_000, "text/csv"))
    assert "at most 4,000 characters" in plain(at.run().warning[0].value)
    assert matrix_page_record_of(at).pasted == channel


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
    *((name, RANDOMIZED_RESPONSE) for name in TEMPLATES),
    *((name, BUG) for name in ("hospital", "drug", "line")),
    *(("ldp", name) for name in ("randomized-response", "subset-selection", "galois")),
    ("high-low", "hadamard"),
    ("line", "exponential"),
    ("drug", "binary"),
    ("drug", PASTED),
    ("ldp", PASTED),  # two lines are no channel for five values
    ("neighbours", "galois"),  # nor is this made for it
)


@pytest.mark.parametrize("case", thinned(CHANNELS, one_in=3))
def test_every_step_is_what_the_page_shows(case: tuple[str, str]) -> None:
    template, channel = case
    record = replace(MatrixState().with_template(template, 2.0), channel=channel, pasted=WARNER)
    some = slice(0, None, 1 if THOROUGH else 4)
    assert_ahead(open_matrix(record), CHARTS, record, page.EPSILON, some)


def test_each_template_and_channel_has_a_film_of_its_own() -> None:
    records = [
        replace(MatrixState().with_template(template, 1.0), channel=channel)
        for template in TEMPLATES
        for channel in ("plain", BUG)
    ]
    one = replace(page.EPSILON, steps=page.EPSILON.steps[:1])
    assert len({made(CHARTS, each, one).settings for each in records}) == len(records)


def test_what_is_ones_own_or_takes_designing_is_not_made_ahead() -> None:
    for record in (SMALL, replace(MatrixState(), channel=DESIGNED)):
        assert slider_states(open_matrix(record), CHARTS) == {}


def assert_coins(at: AppTest, scenario: Scenario) -> None:
    """Sentence, icons and link are those of a fresh run of the core."""
    assert page_record(at, YESNO).scenario == scenario
    assert not at.error
    ours = run(prepare(scenario))
    headline = headline_of(at)
    assert headline == yesno_view.headline(load_data(scenario)).whole
    (no, f), (g, yes) = (map(float, row) for row in ours.setup.mechanism.exact_channel())
    assert icons(at, "yesno-sends") == [round(100 * share) for share in (yes, f)]
    right = (yes / (yes + f), no / (no + g))
    assert icons(at, "yesno-reads") == [round(100 * share) for share in right]
    assert Scenario.from_query(query_of(at)) == scenario if query_of(at) else scenario == COINS


def icons(at: AppTest, key: str) -> list[int]:
    """How many people of each array in that panel are full."""
    return full_people("".join(each.proto.body for each in container(at, key).get("html")))


def test_opens_with_the_default_and_each_preset() -> None:
    at = open_record(YESNO)
    assert_coins(at, COINS)
    assert query_of(at) == {}
    for preset in yesno_state.PRESETS:
        checked(at.selectbox(key="yesno-preset").set_value(preset.title).run())
        assert_coins(at, replace(COINS, policy=preset.policy))


def test_every_control_changes_what_it_names_and_undo_takes_it_back() -> None:
    at = open_record(YESNO)
    checked(at.select_slider(key="yesno-epsilon_10").set_value(0.5).run())
    checked(at.select_slider(key="yesno-epsilon_01").set_value(INF).run())
    checked(at.select_slider(key="yesno-people").set_value(10_000).run())
    checked(at.select_slider(key="yesno-share").set_value(0.05).run())
    checked(at.button(key="yesno-another").click().run())
    expected = Scenario(YesOrNo(0.05), BinaryQuestion(INF, 0.5), n=10_000, seed=2)
    assert_coins(at, expected)
    checked(at.button(key="yesno-undo").click().run())
    assert_coins(at, replace(expected, seed=1))
    # One ε for both is Warner's coin.
    checked(at.button(key="yesno-equal").click().run())
    assert_coins(at, replace(expected, seed=1, policy=BinaryQuestion(0.5, 0.5)))
    assert at.button(key="yesno-equal").disabled


@pytest.mark.parametrize("policy", [each.policy for each in yesno_state.PRESETS])
def test_the_mechanism_is_drawn_at_the_corner_of_its_region(policy: BinaryQuestion) -> None:
    data = load_data(replace(COINS, policy=policy))
    drawn = yesno_view.plane_svg(data, None, LIGHT, "")
    corner = error_vertex(BinaryPolicy(policy.epsilon_01, policy.epsilon_10))
    x, y = yesno_view.PLANE.to_pixel(100 * corner.false_alarm, 100 * corner.missed)
    ends = [yesno_view.PLANE.to_pixel(0, 100), yesno_view.PLANE.to_pixel(100, 0)]
    (first, last) = (f"{across},{down}" for across, down in ends)
    assert f'd="M{first}L{x},{y}L{last}"' in drawn
    assert re.search(rf'<path d="M{x},{y}m[^"]*" style="fill:{LIGHT.ours}', drawn)


def test_a_drawing_has_its_numbers_where_its_axes_say() -> None:
    """Two routes to a place: the numbers of the axis, and the mark itself."""
    data = load_data(COINS)
    frame = yesno_view.make_frame(yesno_view.dot_rows(data, None, LIGHT), data.truth)
    corners = [frame.to_pixel(frame.x[end], frame.y[1 - end]) for end in (0, 1)]
    assert (*corners[0], *corners[1]) == frame.box
    drawn = yesno_view.dot_plot_svg(data, None, LIGHT)
    found = re.findall(r'<text x="([\d.]+)"[^>]*>([\d.]+) %<', drawn)
    assert len(found) >= 3
    assert [float(place) for place, _ in found] == [
        frame.to_pixel(float(number), 0)[0] for _, number in found
    ]
    (truth,) = re.findall(r'<text x="([\d.]+)"[^>]*>truth: 20 %<', drawn)
    assert float(truth) == frame.to_pixel(20, 0)[0]


@pytest.mark.parametrize("yes", [0.0, 1.0])
def test_no_axis_marks_less_than_nobody_or_more_than_all(yes: float) -> None:
    data = load_data(replace(COINS, dataset=YesOrNo(yes), n=10**12))
    drawn = yesno_view.dot_plot_svg(data, None, LIGHT)
    ticks = [float(tick) for tick in re.findall(r">(-?[\d.]+) %<", drawn)]
    assert 100 * yes in ticks
    assert all(0 <= tick <= 100 for tick in ticks)


def test_between_two_marks_lies_the_truth_in_1_of_50_surveys() -> None:
    """What the legend says: no belief about one survey, but how often ranges hold the truth."""
    ranks, spread = [], []
    for seed in range(400):
        coin = load_coin(replace(COINS, seed=seed))
        truth = float(coin.result.setup.dataset.distribution[1])
        ranks.append(int((coin.dots < truth).sum()))
        half = coin.dots.mean() + 0.5 * (coin.dots - coin.dots.mean())  # ranges too narrow by half
        spread.append(int((half < truth).sum()))
    air = 6 * np.sqrt(0.25 / 400)
    for rank in (10, 25, 40):
        assert abs(np.mean(np.array(ranks) < rank) - rank / 50) <= air
    outside = np.mean([rank in (0, 50) for rank in ranks])
    assert outside <= 0.02 + 6 * np.sqrt(0.02 / 400)
    assert np.mean([rank in (0, 50) for rank in spread]) > 0.02 + 6 * np.sqrt(0.02 / 400)
    assert "between two marks: the truth in 1 of 50" in yesno_view.dot_plot_svg(
        load_data(COINS), None, LIGHT
    )


@pytest.mark.parametrize("pinned", [None, replace(COINS, policy=BinaryQuestion(2.0, 0.5))])
def test_fifty_dots_are_drawn_where_the_reports_leave_the_truth_likely(
    pinned: Scenario | None,
) -> None:
    data, kept = load_data(COINS), load_data(pinned) if pinned else None
    heaps = yesno_view.dot_rows(data, kept, LIGHT)
    assert [heap.coin for heap in heaps] == [data.ours, data.warner, *([kept.ours] if kept else [])]
    frame = yesno_view.make_frame(heaps, data.truth)
    low, high = frame.x
    column = (high - low) / 26
    drawn = yesno_view.dot_plot_svg(data, kept, LIGHT)
    for marks, heap in zip(yesno_view.dot_positions(heaps, frame), heaps, strict=True):
        coin = heap.coin
        x = np.array([across for across, _ in marks])
        assert np.abs(x - 100 * coin.dots).max() <= column / 2 + 1e-9
        stacked = {(round(across, 6), round(up, 6)) for across, up in marks}
        assert len(stacked) == 50  # no mark hides another
        assert coin.low < data.truth < coin.high
        assert all("M{},{}m".format(*frame.to_pixel(*mark)) in drawn for mark in marks)
        ends = [frame.to_pixel(100 * end, 0)[0] for end in (coin.low, coin.high)]
        assert all(f"L{ends[1]},{frame.to_pixel(0, base)[1]}" in drawn for base in [_base(marks)])
        assert f"{100 * coin.low:.1f} to {100 * coin.high:.1f} %" in drawn


def _base(marks: list[tuple[float, float]]) -> float:
    """The line that a heap stands on."""
    return min(up for _, up in marks) // 1.42 * 1.42


def test_who_is_not_protected_comes_first() -> None:
    for policy, start in (
        (BinaryQuestion(INF, 1.0), "80 of 100 people are not protected"),
        (BinaryQuestion(1.0, INF), "20 of 100 people are not protected"),
        (BinaryQuestion(INF, INF), "Nobody is protected"),
    ):
        made = yesno_view.headline(load_data(replace(COINS, policy=policy)))
        assert made.unprotected
        assert made.sentence.startswith(start)
    assert not yesno_view.headline(load_data(COINS)).unprotected


def test_link_with_a_larger_epsilon_than_controls_have_is_refused_in_a_sentence() -> None:
    for levels in ((1e8, 1.0), (1.0, 20.5)):
        at = open_page(YES_OR_NO, replace(COINS, policy=BinaryQuestion(*levels)).to_query())
        (sentence,) = (each.value for each in at.error)
        assert "must be at most 20, or ∞ for no protection" in sentence
        assert page_record(at, YESNO).scenario == COINS
    at = open_page(YES_OR_NO, replace(COINS, policy=BinaryQuestion(20.0, INF)).to_query())
    assert not at.error


def test_the_plane_is_drawn_once_it_is_opened() -> None:
    at = open_record(YESNO)
    at.session_state["yesno-errors"] = True
    checked(at.run())
    _, drawn = data_of(at, "yesno-plane-drawing")
    data = load_data(COINS)
    assert drawn == yesno_view.plane_svg(data, None, LIGHT, yesno_view.alt_plane(data, None))


@pytest.mark.parametrize("epsilon", [0.1, 0.3])
def test_a_range_of_all_shares_is_said_to_say_nothing_and_how_many_would(epsilon: float) -> None:
    """By the planner, and by Warner's formula: a yes is sent with f = p·x + q·(1 − x)."""
    setting = replace(yesno_state.with_levels(COINS, epsilon_01=epsilon, epsilon_10=epsilon), n=100)
    coins = [load_data(replace(setting, seed=seed)) for seed in range(12)]
    for data in coins:
        sentence = yesno_view.headline(data).sentence
        if (data.ours.low, data.ours.high) != (0.0, 1.0):
            assert sentence.startswith("From 100 reports we estimate that "), sentence
            continue
        mechanism = data.ours.result.setup.mechanism
        goal = Goal(standard_error(1), 0.1 / 1.959964)
        planned = people_for(mechanism, [1 - data.truth, data.truth], goal)
        kept = 1 / (1 + math.exp(-epsilon))
        sends = kept * data.truth + (1 - kept) * (1 - data.truth)
        by_hand = sends * (1 - sends) * (1.959964 / (0.1 * (2 * kept - 1))) ** 2
        said = re.fullmatch(
            r"100 reports say nothing yet with this coin: for ± 10 percentage points it takes "
            r"about ([\d,]+)\.",
            sentence,
        )
        assert said, sentence
        number = int(said[1].replace(",", ""))
        assert is_rounded_up(number, planned or 0)
        assert is_rounded_up(number, by_hand)
        assert not any(is_rounded_up(number, off * by_hand) for off in (1 / 1.2, 1.2))
    whole = [(data.ours.low, data.ours.high) == (0.0, 1.0) for data in coins]
    assert any(whole) or epsilon > 0.1
    assert not all(whole) or epsilon == 0.1
