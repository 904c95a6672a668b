"""The privacy matrix: entries, names, links and files; what the page says is the core's closure."""

import json
import math
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

from caldp_core.audit.pairwise import audit_channel
from caldp_core.basics.errors import CaldpError
from caldp_ui.matrix import files, page_state
from caldp_ui.matrix.page_state import (
    BUG,
    DESIGNS,
    INF,
    PASTED,
    TEMPLATES,
    MatrixState,
    level_text,
    read_level,
)
from tests.contract.checks import naming
from tests.ui.driver import checked, open_every_tab, query_of
from tests.ui.matrix_page import (
    SMALL,
    edit,
    headline,
    message,
    open_matrix,
    record_of,
    sentence_of,
    verdict,
)


def test_opens_with_each_template_and_its_channels_keep_it() -> None:
    at = open_matrix()
    assert query_of(at) == {}
    for name, template in TEMPLATES.items():
        checked(at.selectbox(key="matrix-template").set_value(name).run())
        record = record_of(at)
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
    begin = record_of(at)
    edit(at, 0, 2, "0,5")
    assert record_of(at) == begin.with_limit(0, 2, 0.5, False)
    edit(at, 1, 2, "", both=True)
    levels = record_of(at).levels
    assert levels[1][2] == levels[2][1] == INF
    assert open_matrix(record_of(at)).session_state["matrix/state"].record == record_of(at)
    checked(at.button(key="matrix-undo").click().run())
    assert record_of(at) == begin.with_limit(0, 2, 0.5, False)


def test_what_is_no_level_or_no_entry_changes_nothing() -> None:
    at = open_matrix(template="ldp")
    begin = record_of(at)
    for text in ("-1", "21", "a", "1_0", "nan", "1e400"):
        with naming(text):
            edit(at, 0, 1, text)
            warning = at.warning[0].value.replace("\\", "")
            assert "A level must be a number from 0 to 20, or ∞" in warning
            assert record_of(at) == begin
    for x, other in ((0, 0), (0, 9), (-1, 0), ("0", 1), (None, 1), (0, 1.0)):
        with naming(f"{x}, {other}"):
            edit(at, x, other, "0.5")
            assert record_of(at) == begin


def test_what_follows_is_the_shortest_way_and_can_be_written_in() -> None:
    at = open_matrix(template="neighbours")
    assert "12 entries have no limit, but the other limits imply one" in headline(at)
    assert message(at)["limit"][0][3]["follows"] == "→ 3"
    assert "no limit, but the other limits imply ε = 3" in message(at)["limit"][0][3]["description"]
    at.session_state["matrix-tabs"] = "What follows from E"
    checked(at.run())
    checked(at.button(key="matrix-close").click().run())
    steps = np.abs(np.subtract.outer(np.arange(5), np.arange(5))).astype(float)
    assert np.array_equal(record_of(at).levels, steps)
    assert "12 limits follow from the others" in headline(at)


def test_new_names_begin_without_limits_and_kept_ones_keep_theirs() -> None:
    at = open_matrix(SMALL)
    checked(at.text_area(key="matrix-names").set_value("c\n a \nnew").run())
    assert record_of(at).names == ("c", "a", "new")
    assert record_of(at).levels == ((0.0, 2.0, INF), (INF, 0.0, INF), (INF, INF, 0.0))


def test_too_many_names_are_refused_before_levels_are_made() -> None:
    """50,000 lines in the box of names would be 50,000 × 50,000 levels."""
    with pytest.raises(CaldpError, match="needs 2 to 12 values, got 2,000"):
        MatrixState().with_names(tuple(map(str, range(2_000))))


def test_files_hold_what_is_shown() -> None:
    channel_verdict = verdict(replace(SMALL, channel=BUG))
    data = json.loads(files.matrix_json(channel_verdict))
    assert data["levels"] == [[0, 1, None], [None, 0, 0.5], [2, None, 0]]
    assert not data["holds"]
    holds = {(cell["truth"], cell["against"]): cell["holds"] for cell in data["cells"]}
    assert not holds["b", "c"]
    assert all(held for pair, held in holds.items() if pair != ("b", "c"))
    assert files.matrix_csv(channel_verdict).splitlines()[1] == b"a,0,1,inf"


def test_every_tab_shows_where_nothing_is_promised_and_where_nothing_may_be_said() -> None:
    for level in (INF, 0.0):
        rows = ((0.0, level), (level, 0.0))
        at = open_matrix(MatrixState("", 1.0, ("a", "b"), rows))
        phrase = "has no limits" if level else "keeps all 2 limits"
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
