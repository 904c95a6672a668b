"""The privacy matrix: what the page says is the core's audit and closure, cell by cell."""

import json
import math
from concurrent.futures import wait
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from caldp_core.audit.pairwise import audit_channel
from caldp_core.audit.sampled import audit_sampler, sampler_of
from caldp_core.basics.errors import CaldpError
from caldp_core.mechanisms import mechanism
from caldp_core.privacy.context import Context
from caldp_ui.app.navigation import MATRIX
from caldp_ui.matrix import below, board, candidates, words
from caldp_ui.matrix.slot import (
    ALIKE,
    BUG,
    DESIGNED,
    PASTED,
    SLOT,
    Table,
    TableLink,
    level_text,
    read_level,
)
from caldp_ui.matrix.templates import INF, TEMPLATES, Rows
from caldp_ui.matrix.verdict import Verdict, judged
from tests.contract.checks import naming
from tests.ui.driver import APP, _component, checked, container, query_of, trigger

SMALL = Table(
    "", 1.0, ("a", "b", "c"), ((0.0, 1.0, INF), (INF, 0.0, 0.5), (2.0, INF, 0.0)), channel=ALIKE
)


def opened(record: Table | None = None, **query: str) -> AppTest:
    at = AppTest.from_file(APP, default_timeout=120)
    for name, value in {**(TableLink().write(record) if record else {}), **query}.items():
        at.query_params[name] = value
    return checked(at.switch_page(MATRIX).run())


def record_of(at: AppTest) -> Table:
    record: Table = at.session_state["matrix/slot"].record
    return record


def message(at: AppTest, key: str = board.KEY) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(_component(at, key).json)
    return found


def headline(at: AppTest) -> str:
    (said,) = (item.value for item in container(at, "headline").markdown)
    return plain(said)


def plain(markdown: str) -> str:
    return markdown.replace("\\", "").replace("\N{WORD JOINER}", "")


def verdict(record: Table) -> Verdict:
    return judged(record.names, record.matrix, candidates.made(record))


def said_of(what: Verdict) -> str:
    return plain(words.headline(what))


def edit(at: AppTest, x: Any, other: Any, text: str, both: bool = False) -> AppTest:
    value = {"x": x, "other": other, "text": text, "both": both, "turn": 1}
    return trigger(at, [{"event": "act", "value": value}], board.KEY)


def test_opens_with_each_template_and_its_channels_keep_it() -> None:
    at = opened()
    assert query_of(at) == {}
    for name, template in TEMPLATES.items():
        checked(at.selectbox(key="matrix-template").set_value(name).run())
        record = record_of(at)
        assert record == Table().ready(name, 1.0)
        assert headline(at) == said_of(verdict(record))
        said = message(at)["promise"]
        assert [[cell["text"] for cell in row] for row in said] == [
            ["" if x == z else level_text(e) for z, e in enumerate(row)]
            for x, row in enumerate(template.levels(1.0))
        ]
        for channel in candidates.titles_for(record.levels):
            if channel not in (DESIGNED, PASTED, BUG):
                found = candidates.made(replace(record, channel=channel))
                assert audit_channel(found.channel, record.matrix).holds, (name, channel)


def test_a_planted_bug_is_missed_by_samples_and_named_by_the_exact_audit() -> None:
    at = opened(template="ldp")
    assert all(cell["mark"] != "broken" for row in message(at)["deed"] for cell in row)
    checked(at.button(key="matrix-plant").click().run())
    assert "breaks 20 of 20 promises" in headline(at)
    marks = [cell["mark"] for row in message(at)["deed"] for cell in row]
    assert marks.count("broken") == 20
    (table,) = (each.value for each in at.table)
    assert list(table["verdict"]) == ["believed", "nothing found", "broken"]
    louder = mechanism(Context.plain(5, 1.05), "randomized-response")
    worst = audit_channel(louder.exact_channel(), Context.plain(5, 1.0)).worst
    assert worst is not None
    assert f"ε = {worst.privacy_loss:.6f}" in table["what it says"].iloc[2]
    bound = audit_sampler(
        sampler_of(louder), worst.x, worst.x_other, below.SAMPLES, np.random.default_rng(1)
    )
    assert f"ε ≥ {bound.epsilon:.3f}" in table["what it says"].iloc[1]
    assert bound.epsilon < 1.0 < worst.privacy_loss
    checked(at.button(key="matrix-mend").click().run())
    assert "keeps all 20 promises" in headline(at)
    (table,) = (each.value for each in at.table)
    assert list(table["verdict"]) == ["believed", "nothing found", "kept"]


def test_entries_are_edited_both_ways_and_undone() -> None:
    at = opened(template="ldp")
    begin = record_of(at)
    edit(at, 0, 2, "0,5")
    assert record_of(at) == begin.set(0, 2, 0.5, False)
    edit(at, 1, 2, "", both=True)
    levels = record_of(at).levels
    assert levels[1][2] == levels[2][1] == INF
    assert opened(record_of(at)).session_state["matrix/slot"].record == record_of(at)
    checked(at.button(key="matrix-undo").click().run())
    assert record_of(at) == begin.set(0, 2, 0.5, False)


def test_what_is_no_level_or_no_entry_changes_nothing() -> None:
    at = opened(template="ldp")
    begin = record_of(at)
    for text in ("-1", "21", "a", "1_0", "nan", "1e400"):
        with naming(text):
            edit(at, 0, 1, text)
            said = at.warning[0].value.replace("\\", "")
            assert "A level must be a number from 0 to 20, or ∞" in said
            assert record_of(at) == begin
    for x, other in ((0, 0), (0, 9), (-1, 0), ("0", 1), (None, 1), (0, 1.0)):
        with naming(f"{x}, {other}"):
            edit(at, x, other, "0.5")
            assert record_of(at) == begin


def test_what_follows_is_the_shortest_way_and_can_be_written_in() -> None:
    at = opened(template="neighbours")
    assert "12 entries say “no promise”, yet one follows" in headline(at)
    assert message(at)["promise"][0][3]["follows"] == "→ 3"
    assert (
        "no promise, yet from other entries follows ε = 3" in message(at)["promise"][0][3]["told"]
    )
    at.session_state["matrix-tabs"] = "What follows from E"
    checked(at.run())
    checked(at.button(key="matrix-close").click().run())
    steps = np.abs(np.subtract.outer(np.arange(5), np.arange(5))).astype(float)
    assert np.array_equal(record_of(at).levels, steps)
    assert "No entry is looser" in headline(at)


def test_a_pasted_channel_is_audited_exactly() -> None:
    warner = "3/4 1/4\n0.25, 0.75"
    record = replace(Table().ready("drug", 1.1), channel=PASTED, pasted=warner)
    assert verdict(record).audit.holds  # log 3 = 1.0986…
    tight = replace(record.set(0, 1, 1.0986, both=False))
    what = verdict(tight)
    assert [(cell.leak.x, cell.leak.x_other) for cell in what.broken] == [(0, 1)]
    assert "1.09861 instead of 1.0986" in said_of(what)
    assert "“Yes” against “No”" in headline(opened(tight))
    again = candidates.made(replace(record, pasted=candidates.as_text(what.candidate.channel)))
    assert again.channel == what.candidate.channel


def test_what_is_no_channel_is_said_in_a_sentence() -> None:
    for text, told in (
        ("", "needs 2 lines"),
        ("1 0", "needs 2 lines"),
        ("1 0\n1", "as many numbers"),
        ("1 -1\n0 1", "a number such as"),
        ("1/0 0\n0 1", "a number such as"),
        ("1e9 0\n0 1", "a number such as"),
        ("1 " * 401 + "\n" + "1 " * 401, "at most 400 reports"),
    ):
        record = replace(Table().ready("drug", 1.0), channel=PASTED, pasted=text)
        with naming(text[:9]), pytest.raises(CaldpError, match=told):
            candidates.made(record)


ODD: tuple[Rows, ...] = (
    ((0.0, 0.0), (0.0, 0.0)),
    ((0.0, 0.0), (INF, 0.0)),
    ((0.0, 0.0005), (0.0005, 0.0)),
    ((0.0, INF), (20.0, 0.0)),
    ((0.0, 0.0, 1.0), (0.0, 0.0, 1.0), (1.0, 1.0, 0.0)),
    ((0.0, 1.0, INF), (0.5, 0.0, 0.0), (INF, INF, 0.0)),
)


def test_what_a_channel_need_not_hide_is_told() -> None:
    assert "gives away up to ε = 1.50 less than it may" in said_of(verdict(Table()))
    full = replace(Table().ready("blocks", 1.0), channel="randomized-response")
    assert "keeps all 8 promises**, each to the full" in said_of(verdict(full))


def test_odd_matrices_are_kept_by_every_channel_that_can_be_made() -> None:
    for rows in ODD:
        record = Table("", 1.0, tuple("abc"[: len(rows)]), rows)
        for channel in candidates.titles_for(rows):
            with naming(f"{rows}, {channel}"):
                if channel not in (DESIGNED, PASTED, BUG):
                    assert verdict(replace(record, channel=channel)).audit.holds


def test_what_can_not_be_designed_leaves_the_matrix_on_show() -> None:
    for rows in ODD[:3]:
        with naming(f"{rows}"):
            at = opened(Table("", 1.0, ("a", "b"), rows, channel=DESIGNED))
            job = at.session_state["matrix-design/job"]
            assert not wait([job.future], timeout=60).not_done
            checked(at.run())
            assert not at.error
            assert message(at)["names"] == ["a", "b"]


def test_a_broken_text_of_a_channel_leaves_the_matrix_on_show() -> None:
    at = opened(replace(SMALL, channel=PASTED, pasted="1 0"))
    assert "needs 3 lines" in plain(at.warning[0].value)
    assert message(at)["names"] == ["a", "b", "c"]


def test_rows_that_do_not_sum_to_one_are_named() -> None:
    record = replace(Table().ready("drug", 1.0), channel=PASTED, pasted="0.5 0.5\n0.333 0.666")
    assert "the row of “No” must be chances that sum to 1, its sum is 0.999" in headline(
        opened(record)
    )


def test_the_designer_works_beside_the_page_and_proves_its_gap() -> None:
    at = opened()
    checked(at.button(key="matrix-design-it").click().run())
    job = at.session_state["matrix-design/job"]
    assert not wait([job.future], timeout=120).not_done
    checked(at.run())
    assert "keeps all 25 promises" in headline(at)
    told = " ".join(each.value for each in container(at, "matrix-side").markdown)
    assert "Certified:** less than 0.01 %" in told
    least = candidates.made(Table()).mechanism
    assert least is not None
    times = candidates.even_variance(least) / job.result().loss
    assert f"needs {times:.3g} times as many people" in told
    assert times > 3


def test_two_releases_add_up_and_break_what_one_keeps() -> None:
    at = opened(template="ldp")
    for second in ("same", "plain"):
        checked(at.run())
        at.session_state["matrix-tabs"] = "Two releases"
        checked(at.run())
        checked(at.selectbox(key="matrix-second").set_value(second).run())
        shown = message(at, SLOT.key("together"))
        assert shown["promise"][0][1]["text"] == "2"
        assert shown["deed"][0][1] | {"told": ""} == {
            "text": "2.00",
            "mark": "kept",
            "colours": board._colours(2.0),
            "told": "",
        }


NO_MATRIX: tuple[dict[str, str], ...] = (
    {"template": "x"},
    {"epsilon": "0"},
    {"epsilon": "x"},
    {"levels": "0,1;1,0"},
    {"names": "a|b", "levels": "0,1;1,2"},
    {"names": "a|b", "levels": "0,1"},
    {"names": "a|a", "levels": "0,1;1,0"},
    {"names": "|".join("abcdefghijklm"), "levels": "0"},
    {"pasted": "1" * 4001},
    {"second": "x"},
)


def test_links_that_say_no_matrix_start_afresh() -> None:
    for query in NO_MATRIX:
        with naming(f"{query}"), pytest.raises(CaldpError):
            TableLink().check(TableLink().read(query))
    at = opened(second="x")
    assert "starts afresh" in at.warning[0].value
    assert record_of(at) == Table()


def test_a_channel_that_no_longer_fits_is_said_so() -> None:
    at = opened(replace(Table().ready("blocks", 1.0), channel="hadamard"))
    assert container(at, "matrix-side").selectbox[1].value is not None
    edit(at, 0, 1, "0.5")
    said = [each.value for each in container(at, "matrix-side").caption]
    assert any("can't be made for this matrix" in each for each in said)
    assert headline(at) == said_of(verdict(replace(record_of(at), channel=ALIKE)))


def test_new_names_begin_without_promises_and_kept_ones_keep_theirs() -> None:
    at = opened(SMALL)
    checked(at.text_area(key="matrix-names").set_value("c\n a \nnew").run())
    assert record_of(at).names == ("c", "a", "new")
    assert record_of(at).levels == ((0.0, 2.0, INF), (INF, 0.0, INF), (INF, INF, 0.0))


def test_files_hold_what_is_shown() -> None:
    what = verdict(replace(SMALL, channel=BUG))
    told = json.loads(below.matrix_json(what))
    assert told["levels"] == [[0, 1, None], [None, 0, 0.5], [2, None, 0]]
    assert not told["holds"]
    holds = {(cell["truth"], cell["against"]): cell["holds"] for cell in told["cells"]}
    assert not holds["b", "c"]
    assert all(held for pair, held in holds.items() if pair != ("b", "c"))
    assert below.matrix_csv(what).splitlines()[1] == "a,0,1,inf"


def test_every_tab_shows_where_nothing_is_promised_and_where_nothing_may_be_said() -> None:
    for level in (INF, 0.0):
        rows = ((0.0, level), (level, 0.0))
        at = opened(Table("", 1.0, ("a", "b"), rows))
        told = "Nothing is promised" if level else "keeps all 2 promises"
        assert told in headline(at)
        for tab in below._TABS:
            at.session_state["matrix-tabs"] = tab
            checked(at.run())
            assert not at.error


def test_levels_are_read_as_people_type_them() -> None:
    assert [read_level(text) for text in ("1", " 0,25", "∞", "", "inf")] == [1, 0.25, INF, INF, INF]
    assert level_text(math.log(3)) == "1.09861"
    entry = candidates._entry
    assert [entry(text) for text in ("0.1", "1/3")] == [Fraction(1, 10), Fraction(1, 3)]
